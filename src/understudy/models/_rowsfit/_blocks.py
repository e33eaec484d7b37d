"""Tables of pairs of columns out of few passes: columns are taken together two by two, and one table of two such blocks
holds up to four pairs. A row is looked at once for each table, so fewer and larger ones are made sooner."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from understudy.models._inference import Floats
from understudy.models._rowsfit import _kernels
from understudy.models._rowsfit._layout import Codes, Layout, Pair

_MOST_CELLS = 100  # of a block: tables of two of them stay in the cache


class Blocks:
    """Rows as blocks of one or two columns; `columns` has one line for each column.

    >>> rows = Blocks((2, 2, 3), np.array([[0, 1, 1], [0, 0, 1], [2, 1, 0]], dtype=np.uint16))
    >>> found = rows.pair_tables([(0, 1), (0, 2)], np.array([1.0, 2.0, 4.0]))
    >>> found[0, 1].tolist(), found[0, 2].tolist()
    ([[1.0, 0.0], [2.0, 4.0]], [[0.0, 0.0, 1.0], [4.0, 2.0, 0.0]])
    """

    def __init__(self, sizes: Sequence[int], columns: Codes) -> None:
        self._sizes, self._members = sizes, _blocks(sizes)
        self._block = {a: i for i, block in enumerate(self._members) for a in block}
        self._cells = [int(np.prod([sizes[a] for a in block])) for block in self._members]
        lines = np.empty((len(self._members), columns.shape[1]), dtype=np.uint16)
        for line, block in zip(lines, self._members, strict=True):
            line[:] = columns[block[0]]
            for a in block[1:]:
                line *= np.uint16(sizes[a])
                line += columns[a]
        self._rows = np.ascontiguousarray(lines.T)

    def pair_tables(self, wanted: Sequence[Pair], weights: Floats) -> dict[Pair, Floats]:
        """The weighted tables of these pairs, axes in the order asked."""
        across: dict[Pair, list[Pair]] = {}
        for pair in wanted:
            one, two = sorted(self._block[a] for a in pair)
            across.setdefault((one, two), []).append(pair)
        layout = Layout.of(self._cells, list(across))
        flat = np.empty(layout.cells)
        _kernels.tally_pairs(self._rows, weights, *layout.arrays, flat)
        found: dict[Pair, Floats] = {}
        for ((one, two), pairs), part in zip(across.items(), np.split(flat, layout.arrays[-1][1:]), strict=True):
            held, table = self._members[one] + self._members[two], part
            if one == two:  # a block with itself
                held, table = self._members[one], part.reshape(self._cells[one], -1).diagonal()
            found |= _split(table.reshape([self._sizes[a] for a in held]), held, pairs)
        return found


def _split(table: Floats, held: tuple[int, ...], pairs: Sequence[Pair]) -> dict[Pair, Floats]:
    """Pairs out of a table of two to four columns."""
    found: dict[Pair, Floats] = {}
    for a, b in pairs:
        both = table.sum(axis=tuple(i for i, c in enumerate(held) if c not in (a, b)))
        found[a, b] = np.ascontiguousarray(both if held.index(a) < held.index(b) else both.T)
    return found


def _blocks(sizes: Sequence[int]) -> list[tuple[int, ...]]:
    """Columns two by two, large ones first, each with the first that fits.

    >>> _blocks((2, 20, 4, 90))
    [(3,), (1, 2), (0,)]
    """
    found: list[tuple[int, ...]] = []
    for a in sorted(range(len(sizes)), key=lambda a: -sizes[a]):
        for i, block in enumerate(found):
            if len(block) == 1 and sizes[block[0]] * sizes[a] <= _MOST_CELLS:
                found[i] = (block[0], a)
                break
        else:
            found.append((a,))
    return found
