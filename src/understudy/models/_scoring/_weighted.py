"""The score R with a weight for each value of the child, so that a choice says less about the sensitive ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, lcm

import numpy as np
import numpy.typing as npt

from understudy._core.errors import OptionError
from understudy.models._scoring._scores import RScore
from understudy.privacy import Neighbours

LARGEST_INTEGER = 1 << 62
FINEST = 64
"""Largest common denominator of the weights: with it R's integers stay exact up to 190 million rows."""


@dataclass(frozen=True)
class WeightedRScore:
    """½·Σ a(x)·|Pr[x, π] − Pr[x]·Pr[π]|: rows of R in which child value x counts a(x) ≤ 1. For one child only.

    Unit: records. No bound of R grows, since no term does. If a record changes in the child alone, from v to v′, and
    nowhere else, only rows v and v′ move, by 2(n−1)/n each before weighting: the difference between two candidates
    moves by at most 2(n−1)/n·(a(v) + a(v′)). Source: `privacy/proof.md`, section 7.

    >>> score = WeightedRScore(weighted_child=0, factors=(Fraction(1), Fraction(1, 2)))
    >>> score(np.array([[[2, 0], [0, 2]]]), 4).tolist(), score.scale(4)     # 3/4 of R's integers, on a scale of 2·(2·n)
    ([24], 16)
    """

    weighted_child: int
    factors: tuple[Fraction, ...]
    """At most 1. Where their common denominator is too large they are taken up to whole 64ths, as is what is stated."""

    def __post_init__(self) -> None:
        # many different denominators, such as weights read off a table give, would need more than 64 bits
        if lcm(*(factor.denominator for factor in self.factors)) > FINEST:
            rounded = tuple(Fraction(ceil(factor * FINEST), FINEST) for factor in self.factors)
            object.__setattr__(self, "factors", rounded)

    @classmethod
    def for_rows(cls, n: int, child: int, factors: tuple[Fraction, ...]) -> WeightedRScore:
        """With weights taken up to parts so coarse that integers stay exact for `n` rows, or as fine as they are.

        >>> third = (Fraction(1), Fraction(1, 3))
        >>> [str(WeightedRScore.for_rows(n, 0, third).factors[1]) for n in (1000, 1_000_000_000)]
        ['1/3', '1/2']
        """
        made, finest = cls(child, factors), FINEST
        while 2 * n * n * made._common > LARGEST_INTEGER and finest > 1:
            finest //= 2
            made = cls(child, tuple(Fraction(ceil(factor * finest), finest) for factor in factors))
        return made

    @property
    def name(self) -> str:
        """R with its weights: scores of different children or weights must not be mixed up."""
        return f"R of {self.weighted_child} with {','.join(map(str, self.factors))}"

    @property
    def _common(self) -> int:
        return lcm(*(factor.denominator for factor in self.factors))

    def scale(self, n: int) -> int:
        """Integer score per record."""
        return 2 * n * self._common

    def __call__(self, tables: npt.NDArray[np.int64], n: int) -> npt.NDArray[np.int64]:
        """Integer scores of a batch of tables[batch, child, parents]."""
        if 2 * n * n * self._common > LARGEST_INTEGER:
            raise OptionError(
                f"weights with a common denominator of {self._common:,} are not exact with {n:,} rows. Round them."
            )
        weights = np.array([int(factor * self._common) for factor in self.factors], dtype=np.int64)
        children = tables.sum(axis=2, keepdims=True)
        parents = tables.sum(axis=1, keepdims=True)
        found: npt.NDArray[np.int64] = (np.abs(n * tables - children * parents).sum(axis=2) * weights).sum(axis=1)
        return found

    def difference_sensitivity(self, n: int, shapes: Iterable[tuple[int, int]], neighbours: Neighbours) -> Fraction:
        """Most that one record can move the difference of two candidates' values."""
        return RScore().difference_sensitivity(n, shapes, neighbours)

    def difference_of_one(self, n: int) -> Fraction:
        """The same if the record changes in one attribute only, whatever its weights."""
        return RScore().difference_of_one(n)
