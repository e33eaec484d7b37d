"""The memory engine: decides how a batch of tables is counted, and counts it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from understudy.counting._batch import Axes, Ints, Tables, flatten, split
from understudy.counting._bits import Bits
from understudy.counting._counter import Counts
from understudy.counting._joint import Cover, count_by_cover
from understudy.counting._plan import TablesPlan, plan_tables
from understudy.counting._rows import WORTH_COLLAPSING_AFTER, Rows, collapse
from understudy.counting._threads import n_threads
from understudy.schema import Domain, Marginal, Recoding
from understudy.tables import Table


class MemoryCounter:
    """Counts a table held in memory, many marginals at a time.

    Tables are not counted one by one. Those that can be summed out of one wider table are, so a pass over the rows
    serves many of them. Where all axes have two codes, a wider table is turned into the counts of all its subsets at
    once; or rows are packed 64 to a word and subsets counted by popcount, if predicted to be faster. A table with
    many equal rows is collapsed once enough has been asked of it. Counts never depend on any of this.

    A row with a weight counts as so many equal rows.

    >>> from understudy.schema import Attribute
    >>> domain = Domain((Attribute(name="sex", size=2), Attribute(name="age", size=3)))
    >>> counter = MemoryCounter(Table(domain, (np.array([0, 1, 1]), np.array([2, 0, 2]))))
    >>> counter.count([Marginal.of(1, 0)])[0].tolist()
    [[0, 1], [0, 0], [1, 1]]
    """

    def __init__(
        self, table: Table, *, weights: npt.NDArray[np.uint32] | None = None, threads: int | None = None
    ) -> None:
        self._table = table
        self._weights = weights
        self._threads = n_threads(threads)
        self._rows = Rows(table.columns, table.n, weights)
        self._n = table.n if weights is None else int(weights.sum(dtype=np.int64))
        self._passes = 0
        self._packed: Bits | None = None

    @property
    def domain(self) -> Domain:
        """The domain of the rows."""
        return self._table.domain

    @property
    def n(self) -> int:
        """Number of rows; with weights, their sum."""
        return self._n

    def count(self, marginals: Sequence[Marginal]) -> list[Counts]:
        """One table for each marginal, shaped `marginal.shape(domain)`, axes in the order asked.

        >>> from understudy.schema import Attribute
        >>> table = Table(Domain((Attribute(name="sex", size=2),)), (np.array([0, 1, 1]),))
        >>> [counts.tolist() for counts in MemoryCounter(table).count([Marginal.of(0), Marginal.of()])]
        [[1, 2], 3]
        """
        if not marginals:
            return []
        tables = flatten(marginals, self._axes)
        out = np.empty(tables.offsets[-1], dtype=np.int64)
        plan = self._plan(tables)
        out[tables.offsets[plan.empty]] = self.n
        for part in (plan.general, plan.binary):
            if part is not None:
                count_by_cover(part, self._rows_for(part), tables, self._axes, out, threads=self._threads)
        if len(plan.bits):
            self._bits().count(plan.bits, tables, out, threads=self._threads)
        return split(out, tables, self._axes)

    def ones_together(self, attributes: Ints) -> Counts | None:
        """Rows with code 1 in both, for each pair of two-valued attributes, as a matrix; on its diagonal in one.

        By popcounts of packed words; None where rows are weighted, as bits cannot be.

        >>> from understudy.schema import Attribute
        >>> domain = Domain((Attribute(name="sex", size=2), Attribute(name="smokes", size=2)))
        >>> counter = MemoryCounter(Table(domain, (np.array([0, 1, 1]), np.array([0, 1, 0]))))
        >>> counter.ones_together(np.array([0, 1])).tolist()
        [[2, 1], [1, 1]]
        """
        if self._weights is not None:
            return None
        return self._bits().together(self._axes.first[attributes], threads=self._threads)

    def recoded(self, recoding: Recoding) -> MemoryCounter:
        """A counter of the same rows under another encoding of their codes.

        >>> from understudy.schema import Attribute, recode
        >>> domain = Domain((Attribute(name="age", size=3),))
        >>> binary = MemoryCounter(Table(domain, (np.array([2, 0, 2]),))).recoded(recode(domain, "binary"))
        >>> binary.count([Marginal.of(0)])[0].tolist()
        [1, 2]
        """
        columns = self._table.columns if recoding.trivial else tuple(recoding.encode(self._table.columns))
        return MemoryCounter(Table(recoding.target, columns), weights=self._weights, threads=self._threads)

    def explain(self, marginals: Sequence[Marginal]) -> str:
        """How `count` would go about these marginals, in words. Reads no rows.

        >>> from understudy.schema import Attribute
        >>> table = Table(Domain((Attribute(name="sex", size=2),)), (np.array([0, 1, 1]),))
        >>> print(MemoryCounter(table, threads=1).explain([Marginal.of(0), Marginal.of()]))
        2 tables, 3 rows, up to 1 thread
        1 without axes: the number of rows
        1 binary: subset counts of 1 wider table
        """
        if not marginals:
            return "no tables"
        tables = flatten(marginals, self._axes)
        plan = self._plan(tables)
        weighted = "weighted rows" if self._weights is not None else "weighted distinct rows"
        rows = "rows" if self._rows.weights is None else weighted
        lines = [
            f"{len(marginals)} tables, {self._rows.n} {rows}, "
            f"up to {self._threads} thread{'s' if self._threads > 1 else ''}"
        ]
        if len(plan.empty):
            lines.append(f"{len(plan.empty)} without axes: the number of rows")
        if plan.general is not None:
            lines.append(f"{len(plan.general.chosen)} general: summed out of {_wider(plan.general)}")
        if plan.binary is not None:
            lines.append(f"{len(plan.binary.chosen)} binary: subset counts of {_wider(plan.binary)}")
        if len(plan.bits):
            lines.append(f"{len(plan.bits)} binary: popcounts of packed words")
        return "\n".join(lines)

    @cached_property
    def _axes(self) -> Axes:
        return Axes.of(self.domain)

    def _plan(self, tables: Tables) -> TablesPlan:
        return plan_tables(
            tables,
            self._axes,
            n_rows=self._rows.n,
            n_packed=None if self._weights is not None else self.n,
            packed=self._packed is not None,
        )

    def _bits(self) -> Bits:
        if self._packed is None:
            self._packed = Bits(Rows(self._table.columns, self.n), self._axes)
        return self._packed

    def _rows_for(self, part: Cover) -> Rows:
        """The rows to read, collapsed first if so many passes have been asked for that it pays."""
        before, self._passes = self._passes, self._passes + len(part)
        if before < WORTH_COLLAPSING_AFTER <= self._passes and self._weights is None:
            self._rows = collapse(self._rows, self.domain) or self._rows
        return self._rows


def _wider(part: Cover) -> str:
    return f"{len(part)} wider table{'s' if len(part) > 1 else ''}"
