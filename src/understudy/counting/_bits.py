"""Counting tables whose axes all have two codes: one bit per row, a popcount of ANDed words for each set of axes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise

import numpy as np

from understudy.counting import _kernels as kernels
from understudy.counting._batch import Axes, Ints, Tables
from understudy.counting._counter import Counts
from understudy.counting._rows import Rows
from understudy.counting._threads import run

WORD_NS = 0.25
PACK_NS = 0.4
SUBSET_NS = 120.0
# Words of one column that are ANDed before the next node's: a path of them stays in the first cache.
_BLOCK = 1024
_MOST_KEYS = 1 << 20


class Bits:
    """The binary axes of a table, 64 rows to a word. `rank[axis]` is its line in `words`, or −1."""

    def __init__(self, rows: Rows, axes: Axes) -> None:
        binary = np.flatnonzero(axes.size == 2)
        self.rank = np.full(len(axes.size), -1, dtype=np.int64)
        self.rank[binary] = np.arange(len(binary))
        self.words = np.zeros((len(binary), -(-rows.n // 64)), dtype=np.uint64)
        block = np.empty(1 << 16, dtype=np.uint8)
        for line, axis in enumerate(binary.tolist()):
            packed = self.words[line].view(np.uint8)
            for low in range(0, rows.n, len(block)):
                codes = block[: min(len(block), rows.n - low)]
                rows.stage(axis, axes, low, codes)
                eight = np.packbits(codes, bitorder="little")
                packed[low // 8 : low // 8 + len(eight)] = eight
        self.n = rows.n

    def count(self, chosen: Ints, tables: Tables, out: Counts, *, threads: int) -> None:
        """Fill the chosen tables' places in `out`."""
        for part in _portions(chosen, tables):
            self._count(part, tables, out, threads)

    def together(self, axes: Ints, *, threads: int) -> Counts:
        """Rows with ones in both of two axes, for all pairs of these, as a matrix; on its diagonal with a one in it."""
        first, second = np.triu_indices(len(axes))
        counts = self._counted(self.rank[axes][second], np.where(first == second, 1, 2), 2, threads)
        both = np.zeros((len(axes), len(axes)), dtype=np.int64)
        both[first, second] = both[second, first] = counts
        return both

    def _count(self, chosen: Ints, tables: Tables, out: Counts, threads: int) -> None:
        lengths = np.diff(tables.starts)[chosen]
        depth = int(lengths.max())
        bits = key_bits(len(self.words))
        keys = np.empty(int((1 << lengths).sum()), dtype=np.int64)
        kernels.subset_keys(chosen, tables, self.rank, bits, depth, keys)
        nodes, position = np.unique(keys, return_inverse=True)
        column, level = _trie(nodes, bits, depth)
        counts = self._counted(column, level, depth, threads)
        counts[0] = self.n  # the empty set, which every table has
        kernels.gather_binary(chosen, tables.offsets, position, counts, out)

    def _counted(self, column: Ints, level: Ints, depth: int, threads: int) -> Counts:
        """Rows with ones in all columns of a node's set, for each node of a trie."""
        threads = threads if len(column) * self.words.shape[1] * WORD_NS > 2e6 else 1
        bounds = np.linspace(0, self.words.shape[1], threads + 1).astype(np.int64).tolist()
        parts = run(
            [partial(self._popcounts, low, high, column, level, depth) for low, high in pairwise(bounds)],
            threads,
        )
        return np.asarray(np.sum(parts, axis=0))

    def _popcounts(self, low: int, high: int, column: Ints, level: Ints, depth: int) -> Counts:
        counts = np.zeros(len(column), dtype=np.int64)
        buffer = np.empty((depth + 1, _BLOCK), dtype=np.uint64)
        kernels.count_subsets(self.words, low, high, _BLOCK, column, level, buffer, counts)
        return counts


def key_bits(n_columns: int) -> int:
    """Bits for one digit of a subset's key.

    >>> key_bits(15), key_bits(16)
    (4, 5)
    """
    return n_columns.bit_length()


def _portions(chosen: Ints, tables: Tables) -> Iterator[Ints]:
    """Parts of a batch with a bounded number of subsets."""
    sizes = np.cumsum(1 << np.diff(tables.starts)[chosen])
    yield from np.split(chosen, np.flatnonzero(np.diff((sizes - 1) // _MOST_KEYS)) + 1)


def _trie(nodes: Ints, bits: int, depth: int) -> tuple[Ints, Ints]:
    """The last column of each node's set, and how many it has."""
    column, level = np.zeros(len(nodes), dtype=np.int64), np.zeros(len(nodes), dtype=np.int64)
    for position in range(depth):
        digit = (nodes >> (bits * (depth - 1 - position))) & ((1 << bits) - 1)
        column = np.where(digit > 0, digit - 1, column)
        level += digit > 0
    return column, level
