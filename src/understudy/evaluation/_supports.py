"""One column of numbers in several tables, counted value by value; what follows from the counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np
import numpy.typing as npt

from understudy.evaluation._numbers import Figures

Floats = npt.NDArray[np.float64]
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Support:
    """All values that occur in some of the tables, in their order, and how often each of them does in each table.

    >>> Support.of([np.array([1.0, 2.0, 2.0]), np.array([3.0])]).counts.tolist()
    [[1, 2, 0], [0, 0, 1]]
    """

    values: Floats
    counts: npt.NDArray[np.int64]

    @classmethod
    def of(cls, tables: Sequence[Floats]) -> Support:
        """Of columns without missing cells."""
        known = [np.unique(table, return_counts=True) for table in tables]
        values = np.unique(np.concatenate([own for own, _ in known]))
        counts = np.zeros((len(tables), len(values)), dtype=np.int64)
        for row, (own, often) in enumerate(known):
            counts[row, np.searchsorted(values, own)] = often
        return cls(values, counts)

    @cached_property
    def totals(self) -> npt.NDArray[np.int64]:
        """Rows of each table."""
        return np.asarray(self.counts.sum(axis=1))

    @cached_property
    def below(self) -> Floats:
        """The share of each table's rows up to each value; NaN for a table without rows."""
        with np.errstate(invalid="ignore"):
            return np.asarray(np.cumsum(self.counts, axis=1) / self.totals[:, None])

    def figures(self, table: int) -> Figures:
        """Mean, deviation and quantiles of one table's column, as pandas gives them."""
        n, counts = int(self.totals[table]), self.counts[table].astype(np.float64)  # a product of floats is much faster
        if not n:
            return Figures(0, *[float("nan")] * 7)
        # From the middle of the values: large ones would lose their differences in a plain sum.
        centre = float(self.values[len(self.values) // 2])
        mean = centre + float(counts @ (self.values - centre)) / n
        square = float(counts @ (self.values - mean) ** 2)
        deviation = sqrt(square / (n - 1)) if n > 1 else float("nan")
        return Figures(n, mean, deviation, *self._quantiles(table))

    def deviation_without(self, table: int, rows: int) -> float:
        """The deviation of one table's column without so many of its rows, those farthest from its mean.

        >>> Support.of([np.array([1.0, 1.0, 3.0, 3.0, 900.0])]).deviation_without(0, 1) < 1.2
        True
        """
        n = int(self.totals[table])
        if n <= rows + 1:
            return float("nan")
        left = self.counts[table].astype(np.float64)
        outwards = np.argsort(-np.abs(self.values - left @ self.values / n), kind="stable")
        gone = np.minimum(left[outwards], np.maximum(0.0, rows - np.cumsum(left[outwards]) + left[outwards]))
        left[outwards] -= gone
        mean = left @ self.values / (n - rows)
        return sqrt(float(left @ (self.values - mean) ** 2) / (n - rows - 1))

    def _quantiles(self, table: int) -> list[float]:
        ends = np.cumsum(self.counts[table])
        place = np.array(QUANTILES) * (self.totals[table] - 1)
        low = np.floor(place).astype(np.int64)
        at = [self.values[np.searchsorted(ends, rank, side="right")] for rank in (low, np.ceil(place).astype(np.int64))]
        return [float(found) for found in at[0] + (at[1] - at[0]) * (place - low)]

    def kolmogorov_smirnov(self, one: int, other: int) -> float:
        """The largest difference of the two distribution functions."""
        return float(np.abs(self.below[one] - self.below[other]).max(initial=0.0))

    def wasserstein(self, one: int, other: int) -> float:
        """The area between the two distribution functions: how far values have to be moved on average."""
        return float(np.abs(self.below[one] - self.below[other])[:-1] @ np.diff(self.values))


def same(one: float, other: float) -> bool:
    """Whether two numbers differ by no more than rounding."""
    return abs(one - other) <= _ROUNDING * max(1.0, abs(one), abs(other))
