"""The scores a private choice may use, each with the most that one record can do to it.

A score is an integer; its *value* is that integer over `scale(n)` and counts records (n·R, n·F, n·I). `spread` is
the most by which one record can change the *difference* between two candidates' values. A choice weighted by
exp(λ·value) then costs λ·spread (proof in `privacy/proof.md`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log2
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from understudy._core.errors import OptionError
from understudy.models._scoring import _kernels
from understudy.privacy import Neighbours, Score

Tables: TypeAlias = npt.NDArray[np.int64]
Shapes: TypeAlias = Iterable[tuple[int, int]]
ScoreName: TypeAlias = Literal["I", "F", "R"]

# R's integers reach 2·n² and must stay within 63 bits.
LARGEST_N = 2_000_000_000
# F's dynamic programme keeps masses in 32 bits, and marks what cannot be reached by −2³⁰.
LARGEST_N_FOR_F = 500_000_000
NEEDS_BINARY = "the score F needs binary attributes. Use score R, or encoding binary or gray."


@dataclass(frozen=True, slots=True)
class RScore:
    """R = ½·‖Pr[X, Π] − Pr[X]·Pr[Π]‖₁, exact.

    Unit: records (n·R). Replace-one: n·R moves by at most 2(n−1)/n if the child or its parents are binary, else by
    3(n−1)/n. Add/remove: 2(n−1)/n for any shape. Source: soundness review of PrivBayes, §2.1, tightening Theorem 5.3.

    >>> RScore()(np.array([[[2, 0], [0, 2]]]), 4).tolist()      # 2·n·(n·R) with R = 1/2
    [16]
    """

    name = "R"

    def scale(self, n: int) -> int:
        """Integer score per record."""
        return 2 * n

    def __call__(self, tables: Tables, n: int) -> npt.NDArray[np.int64]:
        """Integer scores of a batch of tables[batch, child, parents]."""
        if n > LARGEST_N:
            raise OptionError(f"the score R is exact up to {LARGEST_N:,} rows, and the table has more.")
        out = np.empty(len(tables), dtype=np.int64)
        _kernels.r_scores(tables, n, out)
        return out

    def difference_sensitivity(self, n: int, shapes: Shapes, neighbours: Neighbours) -> Fraction:
        """Most that one record can move the difference of two candidates' values."""
        if neighbours is Neighbours.ADD_REMOVE:
            return Fraction(4)
        general = any(min(child, parents) > 2 for child, parents in shapes)
        # with one record nothing can move at all; 1 keeps the rate finite
        return max((6 if general else 4) * (1 - Fraction(1, n)), Fraction(1))

    def value_sensitivity(self, n: int, shapes: Shapes, neighbours: Neighbours) -> Fraction:
        """Most that one record can move one candidate's value: half the spread, since values move either way alike."""
        return self.difference_sensitivity(n, shapes, neighbours) / 2

    def difference_of_one(self, n: int) -> Fraction:
        """The same if the record changes in one attribute only: n·R then moves by at most 2(n−1)/n for any shape."""
        return 4 * (1 - Fraction(1, n))


@dataclass(frozen=True, slots=True)
class FScore:
    """F: minus half the L1 distance to the nearest distribution in which the parents decide a uniform child.

    Unit: records (n·F). Binary children only. Replace-one: n·F moves by at most 1. Add/remove: within [−1, ½].
    Source: Theorem 4.5 of PrivBayes and §2.1 of the soundness review.

    >>> FScore()(np.array([[[2, 0], [0, 2]], [[4, 0], [0, 0]]]), 4).tolist()     # 2·n·F
    [0, -4]
    """

    name = "F"

    def scale(self, n: int) -> int:
        """Integer score per record."""
        return 2

    def __call__(self, tables: Tables, n: int) -> npt.NDArray[np.int64]:
        """Integer scores of a batch of tables[batch, child, parents]."""
        if tables.shape[1] != 2:
            raise OptionError(NEEDS_BINARY)
        if n > LARGEST_N_FOR_F:
            raise OptionError(f"the score F is exact up to {LARGEST_N_FOR_F:,} rows, and the table has more. Use R.")
        out = np.empty(len(tables), dtype=np.int64)
        _kernels.f_scores(tables, n, out)
        return out

    def difference_sensitivity(self, n: int, shapes: Shapes, neighbours: Neighbours) -> Fraction:
        """Most that one record can move the difference of two candidates' values."""
        if any(child != 2 for child, _ in shapes):
            raise OptionError(NEEDS_BINARY)
        return Fraction(3, 2) if neighbours is Neighbours.ADD_REMOVE else Fraction(2)


@dataclass(frozen=True, slots=True)
class InformationScore:
    """I: mutual information in bits, in fixed point; the rounding is charged in the sensitivity.

    Unit: records × bits (n·I). Replace-one: Lemma 4.1 of PrivBayes, plus rounding. Add/remove: no proof, so refused.

    >>> int(InformationScore()(np.array([[[2, 0], [0, 2]]]), 4)[0]) / InformationScore().scale(4)
    4.0
    """

    name = "I"

    def scale(self, n: int) -> int:
        """Integer score per unit."""
        return 1 << 20

    def __call__(self, tables: Tables, n: int) -> npt.NDArray[np.int64]:
        """Integer scores of a batch of tables[batch, child, parents]."""
        out = np.empty(len(tables), dtype=np.int64)
        _kernels.information_scores(tables, n, float(self.scale(n)), out)
        return out

    def difference_sensitivity(self, n: int, shapes: Shapes, neighbours: Neighbours) -> Fraction:
        """Most that one record can move the difference of two candidates' values."""
        if neighbours is Neighbours.ADD_REMOVE:
            raise OptionError(
                "the score I has no proven sensitivity where the number of rows is private: under add/remove "
                "neighbours, or if units have several rows. Use score R or F."
            )
        if n < 2:
            return Fraction(1)
        pairs = list(shapes)
        if any(min(child, parents) > 2 for child, parents in pairs):
            bits = 2 * log2((n + 1) / 2) + (n - 1) * log2((n + 1) / (n - 1))
        else:
            bits = log2(n) + (n - 1) * log2(n / (n - 1))
        cells = max((child * parents for child, parents in pairs), default=1)
        return _round_up(2 * bits + 4 * self._rounding(n, cells))

    def _rounding(self, n: int, cells: int) -> float:
        """Most by which a stored value can differ from the true one: fixed point, and every term and sum in doubles."""
        terms = 3 * cells + 2
        return 1 / self.scale(n) + terms * (n * log2(n) + 1) * 2.0**-51


def _round_up(value: float) -> Fraction:
    grid = 1 << 40
    return Fraction(ceil(value * (1 + 2.0**-40) * grid) + 1, grid)


SCORES: dict[str, Score] = {"I": InformationScore(), "F": FScore(), "R": RScore()}


def score_named(name: str) -> Score:
    """The score of this name.

    >>> score_named("R").name
    'R'
    """
    try:
        return SCORES[name]
    except KeyError:
        raise OptionError(f"the 'score' parameter must be one of auto, I, F, R. Got {name!r} instead.") from None
