"""Passes over rows that stay on their server: each wider table is a GROUP BY, and only its cells come back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from understudy.counting._batch import Axes, Ints, Tables, flatten, split
from understudy.counting._counter import Counts
from understudy.counting._joint import Cover, cover
from understudy.counting._known import changed
from understudy.counting._passes import Told
from understudy.counting._sql_codes import SqlCode
from understudy.counting._view import Lookup, View
from understudy.databases import literal
from understudy.schema import Domain, Marginal, Recoding

_AS_IF_ROWS = 10_000_000  # a query costs more than its rows do, so tables are grouped as for that many
_NARROW = 2**31


class Server(Protocol):
    """What answers queries with tables of Arrow."""

    def ask(self, sql: str) -> Any:
        """The answer to a query."""
        ...


class Grouped(NamedTuple):
    """What rows are grouped by: a code, and the class that each of its values falls into."""

    code: SqlCode
    lookup: Lookup
    size: int


class _Part(NamedTuple):
    """A column of the rows in a wider table: the class of each of its codes, and what attributes are in each class."""

    source: int
    lookup: Lookup
    size: int
    leaves: dict[int, Ints]
    """By attribute: for each class, a code that stands for all in it."""


@dataclass(frozen=True, eq=False, kw_only=True)
class SqlPasses:
    """Rows of a table on a server, seen through a chain of recodings."""

    server: Server
    table: str
    """As SQL writes it."""
    codes: tuple[SqlCode, ...]
    """How each column of the rows is encoded."""
    view: View
    n_rows: int
    where: str = ""
    """Which rows count, as a condition; all if it is empty."""
    joins: str = ""
    """What the condition needs."""
    weighted: bool = False
    takes_more: bool = False

    @property
    def domain(self) -> Domain:
        """The domain of the rows, as recoded."""
        return self.view.domain

    def tables(self, marginals: Sequence[Marginal], told: Told) -> list[Counts]:
        """One table for each marginal, summed out of as few wider ones as hold them all."""
        asked = flatten(marginals, self._axes)
        out = np.zeros(asked.offsets[-1], dtype=np.int64)
        plan = grouped(asked, self._axes)
        for group in range(len(plan)):
            leaves, counts = self._count(plan.axes[plan.starts[group] : plan.starts[group + 1]].tolist())
            for table in np.flatnonzero(plan.owner == group).tolist():
                axes = asked.axes[asked.starts[table] : asked.starts[table + 1]].tolist()
                low, high = int(asked.offsets[table]), int(asked.offsets[table + 1])
                # sums of whole numbers below 2^53 are exact in doubles, and no table has as many rows
                out[low:high] = np.bincount(self._cells(axes, leaves, len(counts)), counts, high - low)
            told(self.n_rows * (group + 1) // len(plan))
        return split(out, asked, self._axes)

    def ones_together(self, attributes: Ints, told: Told) -> Counts | None:
        """None: a server has nothing cheaper than tables."""
        return None

    def recoded(self, recoding: Recoding) -> SqlPasses:
        """The same rows under another encoding of their codes; the server is told the new ones."""
        return replace(self, view=self.view.recoded(recoding))

    @cached_property
    def _axes(self) -> Axes:
        return Axes.of(self.domain)

    def _count(self, axes: Sequence[int]) -> tuple[dict[int, Ints], Counts]:
        """The cells of a wider table that are not empty: for each attribute a code in each, and the rows in each."""
        parts = self._parts(axes)
        grouped = [Grouped(self.codes[part.source], part.lookup, part.size) for part in parts]
        classes, counts = group_by(self.server, self.table, grouped, where=self.where, joins=self.joins)
        leaves: dict[int, Ints] = {}
        for part, of_cells in zip(parts, classes, strict=True):
            leaves |= {attribute: codes[of_cells] for attribute, codes in part.leaves.items()}
        return leaves, counts

    def _parts(self, axes: Sequence[int]) -> list[_Part]:
        """What the columns of the rows are grouped by, so that all axes follow: several may be of one column."""
        by_source: dict[int, list[int]] = {}
        for axis in axes:
            by_source.setdefault(self._source(axis), []).append(axis)
        parts = []
        for source, mine in by_source.items():
            attributes = [int(self._axes.attribute[axis]) for axis in mine]
            made = {a: self.view.made_from[a][1] for a in attributes}
            seen = [self._axes.lookup(axis)[made[a]] for axis, a in zip(mine, attributes, strict=True)]
            classes, first, lookup = np.unique(np.stack(seen), axis=1, return_index=True, return_inverse=True)
            leaves = {a: made[a][first] for a in attributes}
            parts.append(_Part(source, np.asarray(lookup, dtype=np.int64).reshape(-1), classes.shape[1], leaves))
        return parts

    def _source(self, axis: int) -> int:
        return self.view.made_from[int(self._axes.attribute[axis])][0]

    def _cells(self, axes: Sequence[int], leaves: dict[int, Ints], n: int) -> Ints:
        """Where each cell of a wider table goes in one that is summed out of it."""
        cells = np.zeros(n, dtype=np.int64)
        for axis in axes:
            codes = self._axes.lookup(axis)[leaves[int(self._axes.attribute[axis])]]
            cells = cells * int(self._axes.size[axis]) + codes
        return cells


def grouped(asked: Tables, axes: Axes) -> Cover:
    """The wider tables that hold all that are asked for, each of which is a query."""
    return cover(np.arange(len(asked.starts) - 1), asked, axes, n_rows=_AS_IF_ROWS, zeta=False)


def group_by(
    server: Server, table: str, parts: Sequence[Grouped], *, where: str = "", joins: str = ""
) -> tuple[list[Ints], Counts]:
    """The classes of rows that occur, one array for each part, and the number of rows in each.

    >>> class Counted:
    ...     def ask(self, sql):
    ...         print(sql)
    ...         return pa.table({"cell": [0, 3], "n": [7, 2]})
    >>> import pyarrow as pa
    >>> sex, age = (Grouped(SqlCode(code=name), np.array([0, 1]), 2) for name in ("sex", "age"))
    >>> [found.tolist() for found in group_by(Counted(), "people", [sex, age])[0]]
    SELECT (sex)*2+(age) AS cell, count(*) AS n FROM people GROUP BY 1
    [[0, 1], [0, 1]]
    """
    cells = int(np.prod([part.size for part in parts], dtype=object)) if parts else 1
    kind = "" if cells < _NARROW else "::int8"
    key, stride = "", cells
    for part in parts:
        stride //= part.size
        key += f"{'+' if key else ''}({_class(part)}){kind}" + (f"*{stride}" if stride > 1 else "")
    # a join that serves the condition and a column is one
    joined = "".join(dict.fromkeys([*(part.code.joins for part in parts), *joins.split("\n")]))
    condition = f" WHERE {where}" if where else ""
    if not parts:
        found = server.ask(f"SELECT 0 AS cell, count(*) AS n FROM {table}{joined}{condition}")
    else:
        found = server.ask(f"SELECT {key} AS cell, count(*) AS n FROM {table}{joined}{condition} GROUP BY 1")
    if found["cell"].null_count:  # a code that no cell had before has no class
        raise changed()
    left = found["cell"].to_numpy().astype(np.int64)
    if len(left) and not 0 <= left.min() <= left.max() < cells:
        raise changed()
    classes: list[Ints] = []
    for part in reversed(parts):
        left, mine = np.divmod(left, part.size)
        classes.append(mine)
    return classes[::-1], found["n"].to_numpy().astype(np.int64)


def _class(part: Grouped) -> str:
    if np.array_equal(part.lookup, np.arange(part.size)):
        return part.code.code
    listed = literal("{" + ",".join(map(str, part.lookup.tolist())) + "}")
    return f"({listed}::int4[])[({part.code.code})+1]"
