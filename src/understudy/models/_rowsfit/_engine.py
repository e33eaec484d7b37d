"""Rows drawn from a junction tree, with weights that are brought into agreement with noisy tables.

A junction tree holds relations only as far as its cliques stay small. Rows with weights have no such bound: a table of
any two columns is a sum over rows. The weights are w ∝ exp Σθ, potentials as in `_treefit`, and the same is minimised,
with the rows there are in place of all that are possible.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from understudy._core.randomness import Streams
from understudy.models._inference import Floats
from understudy.models._rowsfit import _kernels
from understudy.models._rowsfit._blocks import Blocks
from understudy.models._rowsfit._layout import Codes, Pair
from understudy.models._tree_inference import Forest
from understudy.models._tree_sampling import dealt_steps, tree_steps
from understudy.models._tree_values import CliqueTree
from understudy.models._treefit import FittedTable, centred

MOST_VALUES = 1 << 16
"""Of one column: codes are kept in two bytes."""
_LOOKS, _FEWEST_PAIRS = 50_000_000, 50
_VIOLATED = 8  # tables that are brought into agreement again beside a new one: those that are farthest off


def draw_from(tree: CliqueTree, n: int, *, streams: Streams) -> Codes:
    """So many rows of a junction tree with low variance, one line for each column.

    >>> tree = CliqueTree((2,), ((0,),), (-1,), (np.array([0.25, 0.75]),))
    >>> draw_from(tree, 8, streams=Streams(1)).sum(axis=1).tolist()
    [6]
    """
    d = len(tree.sizes)
    steps = tree_steps(Forest.of(tree), [None] * d)
    [(columns, _)] = dealt_steps(steps, n, streams=streams, batch_rows=n)
    return np.stack([columns[a] for a in range(d)]).astype(np.uint16)


class RowsFit:
    """Rows and their weights, fitted to tables of one or two columns. Tables are counts; weights sum to `total`.

    >>> rows = np.array([[0, 0, 1, 1], [0, 1, 0, 1]], dtype=np.uint16)
    >>> fit = RowsFit((2, 2), rows, [], total=10.0)
    >>> fit.add(FittedTable((0, 1), np.array([[1.0, -1.0], [-1.0, 1.0]]), ridge=1e-9, interaction=True))
    >>> fit.improve(sweeps=20)
    >>> fit.pair_tables([(0, 1)])[0, 1].round(3).tolist()
    [[3.5, 1.5], [1.5, 3.5]]
    """

    def __init__(
        self,
        sizes: Sequence[int],
        columns: Codes,
        tables: Iterable[FittedTable],
        *,
        total: float,
        weights: Floats | None = None,
    ) -> None:
        self.sizes, self.total = tuple(sizes), total
        self.columns, self._blocks = np.ascontiguousarray(columns), Blocks(self.sizes, columns)
        given = np.ones(columns.shape[1]) if weights is None else weights
        self.weights: Floats = np.asarray(given * (total / given.sum()), dtype=np.float64)
        # rows that a fixed table rules out were not drawn, and no weight brings them back
        self.tables = [table for table in tables if not table.fixed]
        self._seen: dict[Pair, Floats] = {}

    @property
    def most_pairs(self) -> int:
        """So many tables of pairs are made in some hundredths of a second."""
        return int(max(_FEWEST_PAIRS, _LOOKS // self.columns.shape[1]))

    def add(self, table: FittedTable) -> None:
        """Take one more table into account."""
        self.tables.append(table)

    def touch(self) -> None:
        """Say that values or ridge of a table have changed: they are looked up anew each time."""

    def improve(self, *, sweeps: int) -> None:
        """Go through all tables so many times."""
        self._follow(self.tables, [t for _ in range(sweeps) for t in range(len(self.tables))])

    def improve_around(self, table: FittedTable) -> None:
        """Follow one table, those that were farthest off when last looked at, and their single columns."""
        others = [one for one in self.tables if len(one.attributes) == 2 and one is not table]
        near = [table, *sorted(others, key=self._off, reverse=True)[:_VIOLATED]]
        single = {one.attributes[0]: one for one in self.tables if len(one.attributes) == 1}
        near += [single[a] for a in sorted({a for one in near for a in one.attributes}) if a in single]
        self._follow(near, [*range(len(near)), 0])

    def pair_tables(self, wanted: Sequence[Pair]) -> dict[Pair, Floats]:
        """The tables of these pairs of attributes, the smaller number first, as counts."""
        found = self._blocks.pair_tables(wanted, self.weights)
        self._seen |= found
        return found

    def _off(self, table: FittedTable) -> float:
        """How far the rows were from what potentials are solved for, each cell by its size."""
        seen = self._seen.get((table.attributes[0], table.attributes[1]))
        if seen is None:
            return 0.0
        held = centred(seen) if table.interaction else seen
        gap = table.values - held - table.ridge * table.potentials.reshape(seen.shape)
        return float((gap**2 / (seen + table.ridge + 1e-9)).sum())

    def _follow(self, tables: Sequence[FittedTable], order: Sequence[int]) -> None:
        if not order:
            return
        starts = np.cumsum([0, *(table.values.size for table in tables)])
        potentials = np.concatenate([table.potentials for table in tables])
        _kernels.follow_tables(
            self.columns,
            self.weights,
            np.array([table.attributes[0] for table in tables]),
            np.array([table.attributes[1] if len(table.attributes) > 1 else -1 for table in tables]),
            np.array(self.sizes),
            np.array(order, dtype=np.int64),
            starts,
            potentials,
            np.concatenate([table.values.reshape(-1) for table in tables]),
            np.array([table.ridge for table in tables], dtype=np.float64),
            np.array([table.interaction for table in tables]),
            self.total,
        )
        for table, begin, end in zip(tables, starts, starts[1:], strict=False):
            table.potentials = potentials[begin:end]
