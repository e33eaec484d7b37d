"""How much each row counts, so that no unit counts for more than its bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from understudy._core.randomness import Streams
from understudy.tables import Table

Weights: TypeAlias = npt.NDArray[np.uint32]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitRule:
    """Which column tells units apart, and the most that the rows of one may count together.

    A unit of m rows counts as min(m, max_rows) rows. Its rows share that evenly, in whole parts of a row; what is left
    over goes to rows that coins choose. With `parts` = 1 that means: all rows are kept, or `max_rows` of them by
    chance. Of the other rows only whose they are plays a role, and of their values nothing does, so a unit's weights
    depend on its own number of rows and on coins (proof.md, section 11).

    >>> rule = UnitRule(column="patient", max_rows=2, coins=Streams(1))
    >>> int(rule.weights(np.array([0, 0, 0, 1])).sum())
    3
    >>> UnitRule(column="patient", max_rows=1, parts=60, coins=Streams(1)).weights(np.array([0, 0, 0, 1])).tolist()
    [20, 20, 20, 60]
    """

    column: str
    max_rows: int
    coins: Streams
    parts: int = 1

    def weights(self, units: npt.NDArray[np.int64]) -> Weights:
        """For each row the parts that it counts."""
        if units.min(initial=0) < 0 or units.max(initial=0) >= len(units):
            units = np.unique(units, return_inverse=True)[1]
        sizes = np.bincount(units)
        if sizes.max(initial=0) <= self.max_rows:  # as with one row each: nobody is over the bound
            return np.full(len(units), self.parts, dtype=np.uint32)
        # a permutation orders the rows of different units independently of each other
        order = np.argsort(units * len(units) + self.coins.get("unit", "rows").permutation(len(units)))
        place = np.empty(len(units), dtype=np.int64)
        place[order] = np.arange(len(units)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        each, left = np.divmod(np.minimum(sizes, self.max_rows) * self.parts, np.maximum(sizes, 1))
        return (each[units] + (place < left[units])).astype(np.uint32)

    def bounded(self, table: Table, units: npt.NDArray[np.int64]) -> tuple[Table, Weights | None]:
        """The rows that count, and how many parts each counts; None where each counts as one.

        >>> from understudy.schema import Attribute, Domain
        >>> table = Table(Domain((Attribute(name="sex", size=2),)), (np.array([0, 0, 0, 1]),))
        >>> rule = UnitRule(column="patient", max_rows=1, coins=Streams(1))
        >>> kept, weights = rule.bounded(table, np.array([7, 7, 7, 8]))
        >>> kept.n, weights
        (2, None)
        """
        weights = self.weights(units)
        kept = weights > 0
        if not kept.all():
            table = Table(table.domain, tuple(column[kept] for column in table.columns))
        return table, None if self.parts == 1 else weights[kept]
