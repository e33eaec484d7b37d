"""A batch of tables, counted over rows that come in batches: all of them in one pass."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from understudy.counting._batch import Axes, flatten, split
from understudy.counting._bits import BitsTally
from understudy.counting._counter import Counts
from understudy.counting._joint import CoverTally
from understudy.counting._plan import plan_tables
from understudy.counting._rows import Rows
from understudy.schema import Marginal


class TablesTally:
    """Counts these marginals with the memory engine's kernels, whatever part of the rows comes when.

    >>> from understudy.schema import Attribute, Domain
    >>> axes = Axes.of(Domain((Attribute(name="sex", size=2),)))
    >>> tally = TablesTally([Marginal.of(0)], axes, n_rows=3, weighted=False, threads=1)
    >>> for codes in ([0, 1], [1]):
    ...     tally.add(Rows((np.array(codes, dtype=np.uint8),), len(codes)))
    >>> tally.finish()[0].tolist()
    [1, 2]
    """

    def __init__(self, marginals: Sequence[Marginal], axes: Axes, *, n_rows: int, weighted: bool, threads: int) -> None:
        self._axes, self._tables, self._n = axes, flatten(marginals, axes), 0
        plan = plan_tables(self._tables, axes, n_rows=n_rows, n_packed=None if weighted else n_rows)
        self._empty = plan.empty
        self._parts: list[CoverTally | BitsTally] = [
            CoverTally(part, axes, n_rows=n_rows, weighted=weighted, threads=threads)
            for part in (plan.general, plan.binary)
            if part is not None
        ]
        if len(plan.bits):
            self._parts.append(BitsTally(plan.bits, self._tables, axes, threads=threads))

    def add(self, rows: Rows) -> None:
        """Count another batch."""
        self._n += rows.n if rows.weights is None else int(rows.weights.sum(dtype=np.int64))
        for part in self._parts if rows.n else ():
            part.add(rows)

    def finish(self) -> list[Counts]:
        """One table for each marginal."""
        out = np.empty(self._tables.offsets[-1], dtype=np.int64)
        out[self._tables.offsets[self._empty]] = self._n
        for part in self._parts:
            part.finish(self._tables, out)
        return split(out, self._tables, self._axes) if len(self._tables.starts) > 1 else []
