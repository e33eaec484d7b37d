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
NoiseKind: TypeAlias = Literal["laplace", "gaussian", "none"]


class Score(Protocol):
    """How well parents explain a child: an integer for each table, and how far one record can move it."""

    @property
    def name(self) -> str:
        """Which score this is; two scores of one name must agree on every table."""
        ...

    def scale(self, n: int) -> int:
        """Integer score / scale = value, in counts."""
        ...

    def __call__(self, tables: Counts, n: int) -> Counts:
        """Integer scores of tables shaped (batch, child, parents); the order of the parents' cells must not matter."""
        ...

    def spread(self, n: int, shapes: Iterable[tuple[int, int]], neighbours: Neighbours) -> Fraction:
        """Most that one record can move the difference between two candidates' values.

        Under add/remove the bound must hold for every number of rows up to `n`: the true number is private.
        """
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

    `scale` is b of a discrete Laplace (probability ∝ exp(−|x|/b)), or σ² of a discrete Gaussian (∝ exp(−x²/2σ²)).

    >>> NoiseLevel(kind="laplace", scale=Fraction(40)).mean_abs
    39.995833637132755
    """

    kind: NoiseKind
    scale: Fraction

    @property
    def mean_abs(self) -> float:
        """Expected size of the noise."""
        if self.kind == "laplace":
            inverse = float(1 / self.scale)
            return 1 / math.sinh(inverse) if inverse < 700 else 0.0
        if self.kind == "gaussian":
            return self._moment(1) if self.scale < 25 else math.sqrt(2 * float(self.scale) / math.pi)
        return 0.0

    @property
    def variance(self) -> float:
        """Variance of the noise."""
        if self.kind == "laplace":
            inverse = float(1 / self.scale)
            return 0.5 * math.sinh(inverse / 2) ** -2 if inverse < 700 else 0.0
        if self.kind == "gaussian":
            return self._moment(2) if self.scale < 25 else float(self.scale)
        return 0.0

    def _moment(self, power: int) -> float:
        weights = [(x, math.exp(-x * x / (2 * float(self.scale)))) for x in range(1, 200)]
        total = 2 * sum(weight * x**power for x, weight in weights)
        return float(total / (1 + 2 * sum(weight for _, weight in weights)))


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

    def __post_init__(self) -> None:
        self.counts.setflags(write=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Charge:
    """What one step cost, as the privacy statement lists it.

    `epsilon` (pure) or `rho` (zCDP) is the step's price. Both are None where a diagnostic took the exact answer and no
    price would be enough.

    >>> Charge(what="rows", mechanism="discrete Laplace", share=Fraction(1, 50), epsilon=Fraction(1, 50)).private
    True
    """

    what: str
    mechanism: str
    share: Fraction
    epsilon: Fraction | None = None
    rho: Fraction | None = None
    n_tables: int = 0
    n_candidates: int = 0
    noise: NoiseLevel | None = None
    rate: Fraction | None = None
    sensitivity: Fraction | None = None

    @property
    def private(self) -> bool:
        """Whether the step carries a guarantee."""
        return self.epsilon is not None or self.rho is not None
