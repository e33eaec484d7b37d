"""What goes into a curator and what comes out: candidates, scores, noise levels, measurements, charges."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from understudy.privacy._neighbours import Neighbours
from understudy.schema import Axis, Marginal

Counts: TypeAlias = npt.NDArray[np.int64]
Factors: TypeAlias = tuple[Fraction, ...]
"""One for each place along an axis, above 0 and at most 1; empty where all are 1."""
NoiseKind: TypeAlias = Literal["laplace", "gaussian", "knorm", "balanced", "none"]
_SMALL = 25  # σ² from which the rounding can be told by a formula: 1/12 more variance


class Score(Protocol):
    """How well parents explain a child: an integer for each table, and how far one record can move it."""

    @property
    def name(self) -> str:
        """Which score this is. Scores are told apart by themselves, not by it: equal ones must agree on every table."""
        ...

    def scale(self, n: int) -> int:
        """Integer score / scale = value, in counts."""
        ...

    def __call__(self, tables: Counts, n: int) -> Counts:
        """Integer scores of tables shaped (batch, child, parents); the order of the parents' cells must not matter."""
        ...

    def difference_sensitivity(self, n: int, shapes: Iterable[tuple[int, int]], neighbours: Neighbours) -> Fraction:
        """Most that one record can move the difference between two candidates' values.

        Under add/remove the bound must hold for every number of rows up to `n`: the true number is private.
        """
        ...


class ScoreWithValues(Score, Protocol):
    """A score that also knows how far one record can move a single value."""

    def value_sensitivity(self, n: int, shapes: Iterable[tuple[int, int]], neighbours: Neighbours) -> Fraction:
        """Most that one record can move a candidate's value."""
        ...


class Candidate(NamedTuple):
    """A child, always at its leaf level, with the parents it might get.

    >>> Candidate(2, (Axis(0), Axis(1, 1))).parents[1].level
    1
    """

    child: int
    parents: tuple[Axis, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseLevel:
    """The public size of the noise in each cell of one table.

    `scale` is b of a discrete Laplace (probability ∝ exp(−|x|/b)), or σ² of a Gaussian before it is rounded to the
    nearest whole number. The noise of tables asked together (`TablesTogether`) is drawn for all cells at once: `scale`
    is then the variance in each, `shape` its mean size over its standard deviation. "balanced" noise sums to 0 in each
    table, "knorm" need not.

    >>> NoiseLevel(kind="laplace", scale=Fraction(40)).mean_abs
    39.995833637132755
    """

    kind: NoiseKind
    scale: Fraction
    shape: Fraction = Fraction(0)

    @property
    def mean_abs(self) -> float:
        """Expected size of the noise."""
        if self.kind == "laplace":
            inverse = float(1 / self.scale)
            return 1 / math.sinh(inverse) if inverse < 700 else 0.0
        if self.kind == "gaussian":
            if self.scale < _SMALL:
                return sum(self._beyond())
            return math.sqrt(2 * float(self.scale) / math.pi) - 1 / (12 * math.sqrt(2 * math.pi * float(self.scale)))
        return float(self.shape) * math.sqrt(self.scale)

    @property
    def variance(self) -> float:
        """Variance of the noise."""
        if self.kind == "laplace":
            inverse = float(1 / self.scale)
            return 0.5 * math.sinh(inverse / 2) ** -2 if inverse < 700 else 0.0
        if self.kind == "gaussian":
            if self.scale < _SMALL:
                return sum((2 * k + 1) * probability for k, probability in enumerate(self._beyond()))
            return float(self.scale) + 1 / 12
        return float(self.scale)

    def _beyond(self) -> list[float]:
        """The probability that rounded Gaussian noise is larger in size than k, for k from 0."""
        deviation = max(math.sqrt(self.scale), 1e-9)
        return [math.erfc((k + 0.5) / deviation / math.sqrt(2)) for k in range(60)]


@dataclass(frozen=True, kw_only=True, eq=False)
class Measurement:
    """One noisy table: safe to publish.

    >>> level = NoiseLevel(kind="laplace", scale=Fraction(2))
    >>> Measurement(marginal=Marginal.of(0), counts=np.array([3, -1]), noise=level).counts.flags.writeable
    False
    """

    marginal: Marginal
    counts: Counts
    noise: NoiseLevel
    factors: tuple[tuple[Fraction, ...], ...] = ()
    """Unequal noise: one tuple an axis, empty where all its places are alike; empty at all if the noise is equal. A
    cell has the smallest factor a of its places, and the noise of `noise` with its scale (b or σ²) divided by a."""

    def __post_init__(self) -> None:
        self.counts.setflags(write=False)

    def levels(self) -> list[tuple[npt.NDArray[np.bool_], NoiseLevel]]:
        """The different noise levels, each with the cells that have it; one for all cells if the noise is equal.

        >>> level = NoiseLevel(kind="laplace", scale=Fraction(2))
        >>> half = Measurement(marginal=Marginal.of(0), counts=np.array([3, -1]), noise=level,
        ...                    factors=((Fraction(1), Fraction(1, 2)),))
        >>> [(cells.tolist(), str(level.scale)) for cells, level in half.levels()]
        [([False, True], '4'), ([True, False], '2')]
        """
        return noise_levels(self.counts.shape, self.factors, self.noise)

    def variances(self) -> npt.NDArray[np.float64]:
        """The variance of the noise in each cell."""
        found = np.empty(self.counts.shape)
        for cells, level in self.levels():
            found[cells] = level.variance
        return found


def noise_levels(
    shape: tuple[int, ...], factors: tuple[tuple[Fraction, ...], ...], base: NoiseLevel
) -> list[tuple[npt.NDArray[np.bool_], NoiseLevel]]:
    """The different noise levels of a table, each with the cells that have it. Scales are exact, not yet rounded."""
    if not factors or base.kind == "none":
        return [(np.ones(shape, dtype=np.bool_), base)]
    different = sorted({factor for along in factors for factor in along} | {Fraction(1)})
    place = {factor: i for i, factor in enumerate(different)}
    smallest = np.full(shape, len(different) - 1)
    for axis, along in enumerate(factors):
        if along:
            ranks = np.array([place[factor] for factor in along])
            smallest = np.minimum(smallest, ranks.reshape([-1 if i == axis else 1 for i in range(len(shape))]))
    return [
        (smallest == rank, NoiseLevel(kind=base.kind, scale=base.scale / factor))
        for rank, factor in enumerate(different)
        if (smallest == rank).any()
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Charge:
    """What one step cost, as the privacy statement lists it.

    `epsilon` (pure) or `mu_squared` (with a δ) is the step's price. Both are None where a diagnostic took the exact
    answer and no price would be enough.

    >>> Charge(what="rows", mechanism="discrete Laplace", share=Fraction(1, 50), epsilon=Fraction(1, 50)).private
    True
    """

    what: str
    mechanism: str
    share: Fraction
    epsilon: Fraction | None = None
    mu_squared: Fraction | None = None
    n_tables: int = 0
    n_candidates: int = 0
    noise: NoiseLevel | None = None
    rate: Fraction | None = None
    sensitivity: Fraction | None = None

    @property
    def private(self) -> bool:
        """Whether the step carries a guarantee."""
        return self.epsilon is not None or self.mu_squared is not None
