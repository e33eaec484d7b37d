"""Counting tables whose axes all have two codes: one bit per row, a popcount of ANDed words for each set of axes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
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


def binary_rank(axes: Axes) -> Ints:
    """For each axis its line among those with two codes, or −1.

    >>> from understudy.schema import Attribute, Domain
    >>> binary_rank(Axes.of(Domain((Attribute(name="age", size=3), Attribute(name="sex", size=2))))).tolist()
    [-1, 0]
    """
    binary = np.flatnonzero(axes.size == 2)
    rank = np.full(len(axes.size), -1, dtype=np.int64)
    rank[binary] = np.arange(len(binary))
    return rank


class Bits:
    """The binary axes of a table, 64 rows to a word. `rank[axis]` is its line in `words`, or −1."""

    def __init__(self, rows: Rows, axes: Axes, only: frozenset[int] | None = None) -> None:
        binary = np.flatnonzero(axes.size == 2)
        self.rank = binary_rank(axes)
        self.words = np.zeros((len(binary), -(-rows.n // 64)), dtype=np.uint64)
        block = np.empty(1 << 16, dtype=np.uint8)
        for line, axis in enumerate(binary.tolist()):
            if only is not None and axis not in only:
                continue
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
            trie = _Trie.of(part, tables, self.rank)
            trie.finish(self.counted(trie, threads), self.n, tables, out)

    def together(self, axes: Ints, *, threads: int) -> Counts:
        """Rows with ones in both of two axes, for all pairs of these, as a matrix; on its diagonal with a one in it."""
        first, second = np.triu_indices(len(axes))
        level = np.where(first == second, 1, 2)
        counts = self.counted(_Trie(axes, self.rank[axes][second], level, 2, axes), threads)
        both = np.zeros((len(axes), len(axes)), dtype=np.int64)
        both[first, second] = both[second, first] = counts
        return both

    def counted(self, trie: _Trie, threads: int) -> Counts:
        """Rows with ones in all columns of a node's set, for each node of a trie."""
        threads = threads if len(trie.column) * self.words.shape[1] * WORD_NS > 2e6 else 1
        bounds = np.linspace(0, self.words.shape[1], threads + 1).astype(np.int64).tolist()
        told = trie.column, trie.level, trie.depth
        parts = run([partial(self._popcounts, low, high, *told) for low, high in pairwise(bounds)], threads)
        return np.asarray(np.sum(parts, axis=0))

    def _popcounts(self, low: int, high: int, column: Ints, level: Ints, depth: int) -> Counts:
        counts = np.zeros(len(column), dtype=np.int64)
        buffer = np.empty((depth + 1, _BLOCK), dtype=np.uint64)
        kernels.count_subsets(self.words, low, high, _BLOCK, column, level, buffer, counts)
        return counts


class BitsTally:
    """Binary tables, counted by popcounts over one batch of rows after another."""

    def __init__(self, chosen: Ints, tables: Tables, axes: Axes, *, threads: int) -> None:
        self._axes, self._threads, self._n = axes, threads, 0
        rank = binary_rank(axes)
        self._tries = [_Trie.of(part, tables, rank) for part in _portions(chosen, tables)]
        self._counts = [np.zeros(len(trie.column), dtype=np.int64) for trie in self._tries]
        member = np.zeros(len(tables.starts) - 1, dtype=bool)
        member[chosen] = True
        self._used = frozenset(tables.axes[np.repeat(member, np.diff(tables.starts))].tolist())

    def add(self, rows: Rows) -> None:
        """Count another batch."""
        bits = Bits(rows, self._axes, self._used)
        for trie, counts in zip(self._tries, self._counts, strict=True):
            counts += bits.counted(trie, self._threads)
        self._n += rows.n

    def finish(self, tables: Tables, out: Counts) -> None:
        """Fill the chosen tables' places in `out`."""
        for trie, counts in zip(self._tries, self._counts, strict=True):
            trie.finish(counts, self._n, tables, out)


@dataclass(frozen=True, eq=False)
class _Trie:
    """The sets of axes whose rows with ones are counted for some tables, depth first; `column` is a set's last one."""

    chosen: Ints
    column: Ints
    level: Ints
    depth: int
    position: Ints

    @classmethod
    def of(cls, chosen: Ints, tables: Tables, rank: Ints) -> _Trie:
        lengths = np.diff(tables.starts)[chosen]
        depth = int(lengths.max())
        bits = key_bits(int((rank >= 0).sum()))
        keys = np.empty(int((1 << lengths).sum()), dtype=np.int64)
        kernels.subset_keys(chosen, tables, rank, bits, depth, keys)
        nodes, position = np.unique(keys, return_inverse=True)
        column, level = _nodes(nodes, bits, depth)
        return cls(chosen, column, level, depth, position)

    def finish(self, counts: Counts, n: int, tables: Tables, out: Counts) -> None:
        """Turn the counts of sets into tables."""
        counts[0] = n  # the empty set, which every table has
        kernels.gather_binary(self.chosen, tables.offsets, self.position, counts, out)


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


def _nodes(nodes: Ints, bits: int, depth: int) -> tuple[Ints, Ints]:
    """The last column of each node's set, and how many it has."""
    column, level = np.zeros(len(nodes), dtype=np.int64), np.zeros(len(nodes), dtype=np.int64)
    for position in range(depth):
        digit = (nodes >> (bits * (depth - 1 - position))) & ((1 << bits) - 1)
        column = np.where(digit > 0, digit - 1, column)
        level += digit > 0
    return column, level
