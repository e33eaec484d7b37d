"""Differences that rules of single sentences work out run by run."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from research.rules import Contrast, of_values


def each(
    what: Callable[..., float], *lines: Mapping[int, float], words: str, exact: bool = False, scale: float = 0.0
) -> Contrast | None:
    """A number of every seed that all lines have, worked out of their values there; nothing below five seeds.

    >>> first, second = ({seed: level + seed / 10 for seed in range(5)} for level in (2.0, 1.0))
    >>> each(lambda a, b: a - 1.5 * b, first, second, words="a less b and a half").runs
    5

    Args:
        what: from the values of one seed to a number that is above 0 where the sentence is right.
        lines: values by seed.
        words: what is compared, with its means.
        exact: whether there is no chance in it, so that one seed is enough.
        scale: the size of what is compared; by default the largest value.
    """
    common = [seed for seed in lines[0] if all(seed in line for line in lines)]
    size = scale or max((abs(line[seed]) for line in lines for seed in common), default=0.0)
    return of_values([what(*(line[seed] for line in lines)) for seed in common], words=words, scale=size, exact=exact)


def mean(line: Mapping[int, float]) -> float:
    """The mean over seeds; 0 of none.

    >>> mean({0: 1.0, 1: 2.0}), mean({})
    (1.5, 0.0)
    """
    return sum(line.values()) / len(line) if line else 0.0
