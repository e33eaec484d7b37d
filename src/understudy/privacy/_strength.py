"""How strongly attributes hang together, as one noisy number: the mean of each group's best score.

Values are scores in records. If one record moves each of them by at most `move`, it moves the largest of a group by no
more, nor the mean of several such. The mean is taken down to a grid of 1/64 record, which adds at most one step; so
the integer on the grid moves by at most 64·move + 1 (proof.md, section 8).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, sqrt
from typing import Protocol

from understudy.privacy._budget import Budget, PureBudget
from understudy.privacy._neighbours import Neighbours
from understudy.privacy._protection import ChoiceStep
from understudy.privacy._values import Counts, NoiseLevel, Score

GRID = 64


class MovingScore(Score, Protocol):
    """A score that also knows how far one record can move a single value."""

    def move(self, n: int, shapes: Iterable[tuple[int, int]], neighbours: Neighbours) -> Fraction:
        """Most that one record can move a candidate's value."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Strength:
    """A noisy mean of best scores, in records: safe to publish.

    >>> Strength(on_grid=640, noise=NoiseLevel(kind="none", scale=Fraction(0))).mean
    10.0
    """

    on_grid: int
    noise: NoiseLevel

    @property
    def mean(self) -> float:
        """The mean value, as measured."""
        return self.on_grid / GRID

    @property
    def deviation(self) -> float:
        """Standard deviation of its noise."""
        return sqrt(self.noise.variance) / GRID


@dataclass(frozen=True, slots=True, kw_only=True)
class StrengthPlan:
    """How far a record moves the number on the grid (squared under zCDP), and how far a change of values does."""

    sensitivity: Fraction
    changed: Fraction
    pure: bool

    def step(self, held: frozenset[int], level: NoiseLevel) -> ChoiceStep:
        """What it costs if a record's values change."""
        cost = self.changed / level.scale if self.pure else self.changed**2 / (2 * level.scale)
        return ChoiceStep(attributes=held, one=cost, several=cost)


def strength_plan(
    budget: Budget, score: MovingScore, rows: int, shapes: Iterable[tuple[int, int]], neighbours: Neighbours
) -> StrengthPlan:
    """The sensitivity of the mean, from public values."""
    pure, seen = isinstance(budget, PureBudget), list(shapes)
    moved = GRID * score.move(rows, seen, neighbours) + 1
    changed = GRID * score.move(rows, seen, Neighbours.REPLACE_ONE) + 1
    # whole numbers keep scales short
    return StrengthPlan(
        sensitivity=Fraction(ceil(moved)) if pure else Fraction(ceil(moved) ** 2), changed=changed, pure=pure
    )


def mean_on_grid(scores: Counts, scale: int) -> int:
    """The mean of scores/scale, in steps of 1/64, rounded down; exact.

    >>> import numpy as np
    >>> mean_on_grid(np.array([10, 21]), 2)     # the mean of 5 and 10.5 is 7.75
    496
    """
    total: int = sum(scores.tolist())  # Python integers: scores near 64 bits must not wrap
    return total * GRID // (len(scores) * scale)
