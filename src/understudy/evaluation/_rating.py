"""How good a number is, in a word and a colour: one rule for the page, the screen and the files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite

from understudy.evaluation._result import MeasureResult
from understudy.evaluation._verdict import BY_CHANCE


@dataclass(frozen=True)
class Tone:
    """How good a number is, in a word and a colour.

    >>> Tone("close", "close to real", "green").word
    'close to real'
    """

    name: str
    word: str
    colour: str


CLOSE = Tone("close", "close to real", "green")
FAIR = Tone("fair", "use with care", "amber")
FAR = Tone("far", "far from real", "red")
CLOSER = Tone("closer", "closer than chance", "amber")
"""Of a table that knows the real rows better than another sample would: it may hold them, so it is not called good."""
UNKNOWN = Tone("unknown", "not rated", "grey")
_HALF_WAY = 0.5
"""Tables whose differences chance explains are close to real from this closeness on."""
_WORST_FIRST = (FAR, FAIR, CLOSE)


def tone_of(known: MeasureResult) -> Tone:
    """A rating from where the value lies between its references; where they do not differ, from the fresh sample alone.

    A result with limits of its own is rated by these.

    >>> from understudy.evaluation import TABLE_DISTANCES
    >>> def pairs(value):
    ...     references = {"fresh_sample": 0.0, "independent_columns": 0.2}
    ...     return MeasureResult(TABLE_DISTANCES, "2-way", "?", definition="", value=value, score=1.0, verdict="",
    ...         **references)
    >>> [tone_of(pairs(value)).name for value in (0.01, 0.08, 0.15)]
    ['close', 'fair', 'far']
    """
    if not isfinite(known.value) or known.fresh_sample is None or not known.rated:
        return UNKNOWN
    chance = known.from_zero and known.value <= known.chance_limit
    if chance and (known.beyond_chance is None or (known.closeness or 0.0) >= _HALF_WAY):
        return CLOSE
    if known.limits is not None:
        return graded(known.value, *known.limits)
    if references_differ(known):
        return graded(1 - (known.closeness or 0.0), 0.2, 0.5)
    if chance:
        return UNKNOWN if known.thin else CLOSE
    if known.unit == "share":
        gap = known.value - max(known.fresh_sample, known.chance_limit / BY_CHANCE)
        return graded({"less": gap, "more": -gap, "nearer": abs(gap)}[known.direction], 0.02, 0.06)
    return UNKNOWN


def references_differ(known: MeasureResult) -> bool:
    """Whether the references differ enough for a value to lie between them.

    Single columns drawn independently are as good as a fresh sample of them: then they say nothing. Nor do they where
    chance alone could put them that far from the fresh sample.
    """
    if known.closeness is None or known.fresh_sample is None or known.independent_columns is None:
        return False
    if known.beyond_chance is not None:
        return True
    if known.from_zero:
        return known.independent_columns > known.chance_limit
    room = (
        known.independent_columns - known.fresh_sample
        if known.direction == "less"
        else known.fresh_sample - known.independent_columns
    )
    return room > 0.25 * abs(known.fresh_sample) if known.direction == "less" else room > 0.01


def graded(worse: float, fair: float, far: float) -> Tone:
    """The rating of something where less is better: up to `fair` it is close, up to `far` it is to be used with care.

    >>> graded(0.04, 0.05, 0.15).name, graded(0.2, 0.05, 0.15).name
    ('close', 'far')
    """
    return CLOSE if worse <= fair else FAIR if worse <= far else FAR


def worst_of(tones: Iterable[Tone]) -> Tone:
    """The worst of several ratings; what is not rated does not count.

    >>> worst_of([CLOSE, FAR, UNKNOWN]).name, worst_of([]).name
    ('far', 'unknown')
    """
    found = set(tones)
    return next((tone for tone in _WORST_FIRST if tone in found), UNKNOWN)
