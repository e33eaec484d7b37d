"""Tables that the first pass counts beside its checks, and all that can be summed out of them without another pass."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from understudy._core.errors import TableError
from understudy.counting._counter import Counts
from understudy.counting._view import Lookup, View
from understudy.schema import Domain, Marginal, Recoding

_MOST_PAIRS = 20_000


def first_tables(domain: Domain, most_cells: int) -> list[Marginal]:
    """What to count in the first pass: every column, and the smallest pairs of columns that there is room for.

    >>> from understudy.schema import Attribute
    >>> domain = Domain((Attribute(name="a", size=2), Attribute(name="b", size=3), Attribute(name="c", size=90)))
    >>> [marginal.attributes for marginal in first_tables(domain, 300)]
    [(0,), (1,), (2,), (0, 1), (0, 2)]
    """
    sizes = [attribute.size for attribute in domain]
    room, found = most_cells - sum(sizes), [Marginal.of(a) for a in range(len(sizes))]
    if len(sizes) * (len(sizes) - 1) // 2 > _MOST_PAIRS:
        return found
    for a, b in sorted(combinations(range(len(sizes)), 2), key=lambda pair: sizes[pair[0]] * sizes[pair[1]]):
        room -= sizes[a] * sizes[b]
        if room < 0:
            break
        found.append(Marginal.of(a, b))
    return found


def all_pairs_first(domain: Domain, most_cells: int) -> bool:
    """Whether the first pass has room for every pair of columns.

    >>> from understudy.schema import Attribute
    >>> domain = Domain((Attribute(name="a", size=2), Attribute(name="b", size=3), Attribute(name="c", size=90)))
    >>> all_pairs_first(domain, 550), all_pairs_first(domain, 551)  # 2 + 3 + 90, and 6 + 180 + 270
    (False, True)
    """
    sizes = np.array([attribute.size for attribute in domain], dtype=object)  # whole numbers of any size
    pairs = (sizes.sum() ** 2 - (sizes**2).sum()) // 2
    return len(sizes) * (len(sizes) - 1) // 2 <= _MOST_PAIRS and bool(sizes.sum() + pairs <= most_cells)


@dataclass(frozen=True, eq=False)
class KnownTables:
    """Exact tables of the rows' own codes, and a view of the rows through which they are asked for.

    >>> from understudy.schema import Attribute
    >>> domain = Domain((Attribute(name="a", size=2), Attribute(name="b", size=3)))
    >>> known = KnownTables.of(domain, [Marginal.of(0, 1)], [np.array([[1, 2, 3], [4, 5, 6]])])
    >>> known.table(Marginal.of(1, 0)).tolist(), known.table(Marginal.of(1))
    ([[1, 4], [2, 5], [3, 6]], None)
    """

    view: View
    counts: dict[tuple[int, ...], Counts]

    @classmethod
    def of(cls, domain: Domain, marginals: Iterable[Marginal], tables: Iterable[Counts]) -> KnownTables:
        """Known are these tables, at the finest level and with their attributes in order."""
        counts = {marginal.attributes: table for marginal, table in zip(marginals, tables, strict=True)}
        return cls(View.of(domain), counts)

    def recoded(self, recoding: Recoding) -> KnownTables:
        """The same tables, seen through a public map of the codes."""
        return KnownTables(self.view.recoded(recoding), self.counts)

    def table(self, marginal: Marginal) -> Counts | None:
        """The counts of a marginal of the view; None if they do not follow from what is known."""
        axes = [self._axes[axis] for axis in marginal.axes]
        sources = tuple(sorted({source for source, _, _ in axes}))
        held = self.counts.get(sources)
        if held is None or not axes:
            return None
        cells = np.zeros((1,) * len(sources), dtype=np.int64)
        for source, lookup, size in axes:
            along = [1] * len(sources)
            along[sources.index(source)] = len(lookup)
            cells = cells * size + lookup.reshape(along)
        cells = np.broadcast_to(cells, held.shape)
        shape = marginal.shape(self.view.domain)
        # sums of whole numbers below 2^53 are exact in doubles, and no table has as many rows
        summed = np.bincount(
            cells.reshape(-1), held.reshape(-1).astype(np.float64), int(np.prod(shape, dtype=np.int64))
        )
        return summed.astype(np.int64).reshape(shape)

    @cached_property
    def _axes(self) -> dict[tuple[int, int], tuple[int, Lookup, int]]:
        """For each axis of the view: the attribute that it is made from, how, and its size."""
        found = {}
        for a, attribute in enumerate(self.view.domain):
            source, lookup = self.view.made_from[a]
            for level in range(attribute.n_levels):
                groups = np.asarray(attribute.groups_at(level), dtype=np.int64)
                found[a, level] = source, groups[lookup], attribute.size_at(level)
        return found


def agree(known: KnownTables, marginals: Sequence[Marginal], tables: Sequence[Counts]) -> bool:
    """Whether the columns of counted tables are those of the first pass."""
    seen = set()
    for marginal, table in zip(marginals, tables, strict=True):
        for place, axis in enumerate(marginal.axes):
            if axis in seen:
                continue
            seen.add(axis)
            expected = known.table(Marginal((axis,)))
            others = tuple(other for other in range(table.ndim) if other != place)
            if expected is not None and not np.array_equal(table.sum(axis=others), expected):
                return False
    return True


def changed() -> TableError:
    """What to raise where a later pass does not agree with the first.

    >>> str(changed())[:52]
    'the table is not what it was in the first pass: othe'
    """
    return TableError(
        "the table is not what it was in the first pass: other rows came out of it. Start again with a source that "
        "gives the same rows each time, such as a file."
    )
