"""How far from a quantile's own level another may lie that is its level in truth."""

from __future__ import annotations

from collections.abc import Callable

_TWICE, _BETWEEN = 10, 10
"""Steps outwards, each twice as far as the one before, and steps between two of them."""


def farthest(may_be: Callable[[float], bool], level: float, first: float, *, up: bool) -> float:
    """The farthest level above another (`up`), or below, of which something may be; `first` is how far to step first.

    What may be does not end for good at the first that may not: beside a bin's edge next to nothing is unsure, a heap
    inside of the bin all the more. So all steps are taken.

    >>> farthest(lambda at: at < 0.61, 0.5, 0.01, up=True)
    0.609...
    >>> farthest(lambda at: False, 0.5, 0.01, up=False)
    0.5
    """
    sign = 1 if up else -1
    steps = [0.0, *(max(first, 1e-6) * 2.0**i for i in range(_TWICE))]
    steps = [step for step in steps if 0 <= level + sign * step <= 1]
    held = max((i for i, step in enumerate(steps) if i and may_be(level + sign * step)), default=0)
    end = 1 - level if up else level
    sure, doubtful = steps[held], steps[held + 1] if held + 1 < len(steps) else end
    for _ in range(_BETWEEN):
        between = (sure + doubtful) / 2
        sure, doubtful = (between, doubtful) if may_be(level + sign * between) else (sure, between)
    return level + sign * sure
