"""The same contingency tables of several tables of rows, in portions that fit the memory. Private to the holder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, islice
from math import comb, prod
from typing import NamedTuple, TypeAlias

import numpy as np

from understudy._core.randomness import Rng
from understudy.counting import Counts, open_counter
from understudy.evaluation._kernels import number_keys
from understudy.schema import Marginal
from understudy.tables import Table

Columns: TypeAlias = tuple[int, ...]

# All tables of a portion together, in cells of eight bytes.
_PORTION_CELLS = 1 << 23
MOST_DENSE_CELLS = 1 << 21
_MOST_KEY = 1 << 62
# A row costs about this many times as much by its key as a cell does by its place.
_ROW_PER_CELL = 4


class Joint(NamedTuple):
    """One contingency table of each table of rows, flat, cell by cell the same.

    Where it would be mostly empty, only cells that some table has are there, and `dense` is False.
    """

    position: int
    counts: tuple[Counts, ...]
    dense: bool


def joint_counts(
    tables: Sequence[Table], wanted: Sequence[Columns], *, progress: Callable[[int, int], None] | None = None
) -> Iterator[Joint]:
    """The contingency tables over these groups of columns, in no certain order: `position` is that in `wanted`.

    >>> from understudy.schema import Attribute, Domain
    >>> domain = Domain((Attribute(name="sex", size=2), Attribute(name="age", size=2)))
    >>> table = Table(domain, (np.array([0, 1, 1]), np.array([0, 0, 1])))
    >>> [joint.counts[0].tolist() for joint in joint_counts([table, table], [(0, 1)])]
    [[1, 0, 1, 1]]
    """
    domain = tables[0].domain
    cells = [prod(domain[a].size for a in columns) for columns in wanted]
    most = min(MOST_DENSE_CELLS, max(1 << 16, _ROW_PER_CELL * sum(table.n for table in tables)))
    dense = [i for i, size in enumerate(cells) if size <= most]
    done = 0
    counters = [open_counter(table) for table in tables]
    for portion in portions(dense, cells, _PORTION_CELLS // len(tables)):
        marginals = [Marginal.of(*wanted[i]) for i in portion]
        for i, counts in zip(
            portion, zip(*(counter.count(marginals) for counter in counters), strict=True), strict=True
        ):
            yield Joint(i, tuple(table.ravel() for table in counts), True)
        done += len(portion)
        if progress is not None:
            progress(done, len(wanted))
    for i in (i for i, size in enumerate(cells) if size > most):
        yield Joint(i, sparse_counts(tables, wanted[i]), False)
        done += 1
        if progress is not None:
            progress(done, len(wanted))


def sparse_counts(tables: Sequence[Table], columns: Columns) -> tuple[Counts, ...]:
    """Counts of the cells that at least one of the tables has, in an order of their own.

    >>> from understudy.schema import Attribute, Domain
    >>> domain = Domain((Attribute(name="a", size=1300), Attribute(name="b", size=1300)))
    >>> one, two = (Table(domain, (np.array(codes), np.array(codes))) for codes in ([5, 5, 7], [7, 1299]))
    >>> [counts.tolist() for counts in sparse_counts([one, two], (0, 1))]
    [[2, 1, 0], [0, 1, 1]]
    """
    domain = tables[0].domain
    keys = np.zeros(sum(table.n for table in tables), dtype=np.int64)
    ids = np.empty_like(keys)
    reach = 1
    for column in columns:
        size = domain[column].size
        if reach * size > _MOST_KEY:  # number the cells so far anew: there are no more of them than rows
            reach = int(number_keys(keys, ids))
            keys[:] = ids
        keys *= size
        reach *= size
        keys += np.concatenate([table.columns[column] for table in tables])
    found = int(number_keys(keys, ids))
    parts = np.split(ids, np.cumsum([table.n for table in tables])[:-1])
    return tuple(np.bincount(part, minlength=found) for part in parts)


class Chosen(NamedTuple):
    """Groups of columns: all there are of a width, or a random sample."""

    groups: list[Columns]
    total: int

    @property
    def scope(self) -> str:
        """In words, such as '500 of 27,405 tables, drawn at random'."""
        if len(self.groups) == self.total:
            return "1 table" if self.total == 1 else f"all {self.total:,} tables"
        return f"{len(self.groups):,} of {self.total:,} tables, drawn at random"


def choose_groups(n_columns: int, width: int, most: int, rng: Rng) -> Chosen:
    """All groups of so many columns, or `most` of them drawn at random without repeats, in order.

    >>> from understudy._core.randomness import streams
    >>> choose_groups(4, 2, 10, streams(0).get("tables")).scope
    'all 6 tables'
    >>> choose_groups(50, 4, 500, streams(0).get("tables")).scope
    '500 of 230,300 tables, drawn at random'
    """
    total = comb(n_columns, width)
    if total <= most:
        return Chosen(list(combinations(range(n_columns), width)), total)
    if total <= 1 << 20:
        ranks = np.sort(rng.choice(total, size=most, replace=False)).tolist()
        groups, everything, before = [], combinations(range(n_columns), width), -1
        for rank in ranks:
            groups.append(next(islice(everything, rank - before - 1, None)))
            before = rank
        return Chosen(groups, total)
    found: set[Columns] = set()
    while len(found) < min(most, total // 2):
        found.add(tuple(np.sort(rng.choice(n_columns, size=width, replace=False)).tolist()))
    return Chosen(sorted(found), total)


def portions(positions: Sequence[int], cells: Sequence[int], most: int) -> Iterator[list[int]]:
    """Runs of positions whose tables have no more than `most` cells together; at least one in each."""
    portion: list[int] = []
    held = 0
    for position in positions:
        if portion and held + cells[position] > most:
            yield portion
            portion, held = [], 0
        portion.append(position)
        held += cells[position]
    if portion:
        yield portion
