"""The memory engine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from understudy.counting._counter import Counts
from understudy.schema import Domain, Marginal, Recoding
from understudy.tables import Table


class MemoryCounter:
    """Counts a table held in memory.

    >>> from understudy.schema import Attribute
    >>> domain = Domain((Attribute(name="sex", size=2), Attribute(name="age", size=3)))
    >>> counter = MemoryCounter(Table(domain, (np.array([0, 1, 1]), np.array([2, 0, 2]))))
    >>> counter.count([Marginal.of(1, 0)])[0].tolist()
    [[0, 1], [0, 0], [1, 1]]
    """

    def __init__(self, table: Table, *, threads: int | None = None) -> None:
        self._table = table
        self._threads = threads

    @property
    def domain(self) -> Domain:
        """The domain of the rows."""
        return self._table.domain

    @property
    def n(self) -> int:
        """Number of rows."""
        return self._table.n

    def count(self, marginals: Sequence[Marginal]) -> list[Counts]:
        """One table for each marginal, shaped `marginal.shape(domain)`, axes in the order asked."""
        return [self._count_one(marginal) for marginal in marginals]

    def _count_one(self, marginal: Marginal) -> Counts:
        shape = marginal.shape(self.domain)
        cells = np.zeros(self.n, dtype=np.int64)
        for axis, size in zip(marginal.axes, shape, strict=True):
            cells *= size
            cells += self.domain[axis.attribute].groups_at(axis.level)[self._table.columns[axis.attribute]]
        return np.bincount(cells, minlength=marginal.n_cells(self.domain)).reshape(shape)

    def recoded(self, recoding: Recoding) -> MemoryCounter:
        """A counter of the same rows under another encoding of their codes."""
        if recoding.trivial and recoding.target == self.domain:
            return self
        columns = tuple(recoding.encode(self._table.columns))
        return MemoryCounter(Table(recoding.target, columns), threads=self._threads)
