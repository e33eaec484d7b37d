"""Transition matrices: how likely each value of a column is to be published as each other, exactly.

`P[l, m]` is the probability that a row whose value has code l is published with code m, a fraction. Two classes are
enough. `Response` is randomised response (binary and k-ary symmetric randomisation, and columns left alone): it is
`a·I + b·J`, so nothing of size K² is ever built for a block of K cells. `Matrix` is any other: its rows, in full.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm

import numpy as np
import numpy.typing as npt

from understudy._core.errors import OptionError

Floats = npt.NDArray[np.float64]
LARGEST_DENOMINATOR = 1 << 62
"""Probabilities of a row are whole numbers over one denominator, drawn from 64 random bits without rounding."""
LARGEST_MATRIX = 500
"""Most rows of a matrix that is written out: its plan is a file of 10 MB. Randomised response has no such limit."""
_LEAST_SINGULAR_VALUE = 1e-9  # of 1 for a column left alone: below it, noise is multiplied by more than doubles hold


class TransitionMatrix(ABC):
    """A row-stochastic square matrix of exact probabilities."""

    @property
    @abstractmethod
    def size(self) -> int:
        """Number of values."""

    @abstractmethod
    def weights(self, code: int) -> tuple[int, ...]:
        """One row as whole numbers, in proportion to its probabilities; they add up to `denominator`."""

    @property
    @abstractmethod
    def denominator(self) -> int:
        """What every row's weights add up to."""

    @property
    @abstractmethod
    def amplification(self) -> Fraction | None:
        """γ: the most by which a published value can favour one true value over another. None: without bound."""

    @property
    @abstractmethod
    def least_origins(self) -> int:
        """K*: the fewest true values that any published value may come from. No measure of privacy."""

    @property
    @abstractmethod
    def dense(self) -> Floats:
        """All of it in doubles."""

    @property
    @abstractmethod
    def inverse(self) -> Floats:
        """Q = P⁻¹ in doubles. Raises OptionError where there is none."""

    @property
    @abstractmethod
    def smallest_singular_value(self) -> float:
        """1 for a column left alone, 0 for one of which nothing can be learnt."""

    @property
    def invertible(self) -> bool:
        """Whether counts can be un-mixed."""
        return self.smallest_singular_value > _LEAST_SINGULAR_VALUE

    @property
    def kept(self) -> tuple[Fraction, Fraction]:
        """How likely a value is published as it is: of the value that is kept least, and of the one kept most."""
        diagonal = [self.probability(code, code) for code in range(self.size)]
        return min(diagonal), max(diagonal)

    @property
    def unchanged(self) -> bool:
        """Whether every value is published as it is."""
        return self.kept[0] == 1

    def probability(self, true: int, published: int) -> Fraction:
        """P[true, published]."""
        return Fraction(self.weights(true)[published], self.denominator)

    def require_inverse(self) -> None:
        """Raise OptionError if counts cannot be un-mixed."""
        if not self.invertible:
            raise OptionError(
                f"a transition matrix of {self.size} values is singular, or so near to it that its inverse is noise "
                f"alone (smallest singular value {self.smallest_singular_value:.2g}): different tables look the same "
                "once they are randomised. With p, stay away from 1/2 for two values and from 1/K for K of them; in a "
                "matrix, make rows differ."
            )


@dataclass(frozen=True)
class Response(TransitionMatrix):
    """Randomised response: a value is kept with probability `keep`, and else becomes each other one equally often.

    >>> binary = Response(2, Fraction(3, 4))
    >>> binary.amplification, binary.weights(0)
    (Fraction(3, 1), (3, 1))
    >>> Response(3, Fraction(1)).unchanged
    True
    """

    values: int
    keep: Fraction

    def __post_init__(self) -> None:
        if self.values < 1 or not 0 <= self.keep <= 1 or (self.values == 1 and self.keep != 1):
            raise OptionError(
                f"a value is kept with a probability from 0 to 1. Got {_shown(self.keep)} for {self.values} values."
            )
        if self.denominator > LARGEST_DENOMINATOR:
            raise OptionError(f"the probability {_shown(self.keep)} has too many digits. Give 15 or fewer.")

    @property
    def size(self) -> int:
        """Number of values."""
        return self.values

    @property
    def other(self) -> Fraction:
        """The probability of each other value."""
        return (1 - self.keep) / (self.values - 1) if self.values > 1 else Fraction(0)

    @property
    def strength(self) -> Fraction:
        """a in P = a·I + (1 − a)/K·J: what is left of a difference between counts."""
        return self.keep - self.other

    @cached_property
    def denominator(self) -> int:
        """What every row's weights add up to."""
        return lcm(self.keep.denominator, self.other.denominator)

    def weights(self, code: int) -> tuple[int, ...]:
        """One row as whole numbers."""
        row = [int(self.other * self.denominator)] * self.values
        row[code] = int(self.keep * self.denominator)
        return tuple(row)

    @property
    def amplification(self) -> Fraction | None:
        """γ; None where a value never becomes another."""
        if self.values == 1:
            return Fraction(1)
        small, large = sorted((self.keep, self.other))
        return large / small if small else None

    @property
    def least_origins(self) -> int:
        """K*."""
        return (self.keep > 0) + (self.values - 1) * (self.other > 0)

    @cached_property
    def dense(self) -> Floats:
        """All of it in doubles."""
        return float(self.strength) * np.eye(self.values) + float(self.other)

    @cached_property
    def inverse(self) -> Floats:
        """Q = (I − b·J)/a, b being the probability of each other value."""
        self.require_inverse()
        return (np.eye(self.values) - float(self.other)) / float(self.strength)

    @property
    def smallest_singular_value(self) -> float:
        """|a|, or 1 of a single value."""
        return 1.0 if self.values == 1 else abs(float(self.strength))

    @property
    def kept(self) -> tuple[Fraction, Fraction]:
        """How likely a value is published as it is: all alike."""
        return self.keep, self.keep

    @property
    def unchanged(self) -> bool:
        """Whether every value is published as it is."""
        return self.keep == 1


@dataclass(frozen=True)
class Matrix(TransitionMatrix):
    """Any row-stochastic matrix, given by its rows.

    >>> uneven = Matrix.of([["0.9", "0.1"], ["0.25", "0.75"]])
    >>> uneven.amplification, uneven.weights(1)
    (Fraction(15, 2), (5, 15))
    """

    rows: tuple[tuple[Fraction, ...], ...]

    @classmethod
    def of(cls, rows: Sequence[Sequence[Fraction | int | str]]) -> Matrix:
        """From numbers as somebody wrote them."""
        return cls(tuple(tuple(Fraction(entry) for entry in row) for row in rows))

    def __post_init__(self) -> None:
        size = len(self.rows)
        if not 0 < size <= LARGEST_MATRIX:
            raise OptionError(
                f"a matrix has 1 to {LARGEST_MATRIX:,} rows. Got {size:,}: for more, ask for epsilon, gamma or p."
            )
        for number, row in enumerate(self.rows, start=1):
            if len(row) != size:
                raise OptionError(
                    f"row {number} of the matrix has {len(row)} entries. With {size} rows it needs {size}."
                )
            if min(row) < 0:
                raise OptionError(f"row {number} of the matrix has an entry below 0. Entries are probabilities.")
            if sum(row) != 1:
                raise OptionError(
                    f"row {number} of the matrix adds up to {_near(sum(row, Fraction(0)))}. Every row must add up to 1 "
                    "exactly: it is what one true value becomes. Write fractions such as 1/3 where decimals fall short."
                )
        if self.denominator > LARGEST_DENOMINATOR:
            raise OptionError("the matrix has probabilities with too many digits. Give 15 or fewer.")

    @property
    def size(self) -> int:
        """Number of values."""
        return len(self.rows)

    @cached_property
    def denominator(self) -> int:
        """What every row's weights add up to."""
        return lcm(*(entry.denominator for row in self.rows for entry in row))

    def weights(self, code: int) -> tuple[int, ...]:
        """One row as whole numbers."""
        return tuple(entry.numerator * (self.denominator // entry.denominator) for entry in self.rows[code])

    def probability(self, true: int, published: int) -> Fraction:
        """P[true, published]."""
        return self.rows[true][published]

    @cached_property
    def table(self) -> npt.NDArray[np.int64]:
        """All weights: whole numbers, exact."""
        return np.array([self.weights(code) for code in range(self.size)], dtype=np.int64)

    @cached_property
    def amplification(self) -> Fraction | None:
        """γ; None where a published value rules out a true one. A value that is never published says nothing."""
        return largest_ratio(self.table.max(axis=0), self.table.min(axis=0))

    @property
    def least_origins(self) -> int:
        """K*, over the values that can be published at all."""
        origins = (self.table > 0).sum(axis=0)
        return int(origins[origins > 0].min())

    @cached_property
    def dense(self) -> Floats:
        """All of it in doubles."""
        return np.array([[float(entry) for entry in row] for row in self.rows])

    @cached_property
    def inverse(self) -> Floats:
        """Q = P⁻¹ in doubles."""
        self.require_inverse()
        return np.asarray(np.linalg.inv(self.dense), dtype=np.float64)

    @cached_property
    def smallest_singular_value(self) -> float:
        """Of the whole matrix."""
        return float(np.linalg.svd(self.dense, compute_uv=False)[-1])


def _near(number: Fraction) -> str:
    return f"{float(number):.12g}" if number < 10**9 else "far more"


def _shown(number: Fraction) -> str:
    text = str(number)
    return text if len(text) <= 40 else f"{text[:40]}…"


def largest_ratio(above: npt.NDArray[np.int64], below: npt.NDArray[np.int64]) -> Fraction | None:
    """The largest of above/below, exactly; None if it has no bound. 0/0, which nobody will see, does not count.

    >>> largest_ratio(np.array([6, 5, 0]), np.array([3, 2, 0]))
    Fraction(5, 2)
    """
    seen = above > 0
    above, below = above[seen], below[seen]
    if not above.size:
        return Fraction(1)
    if not below.all():
        return None
    near = above / below
    top = np.flatnonzero(near >= near.max() * (1 - 1e-12))  # doubles only narrow the search
    return max(Fraction(*pair) for pair in set(zip(above[top].tolist(), below[top].tolist(), strict=True)))
