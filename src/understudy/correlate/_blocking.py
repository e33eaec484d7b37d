"""Pairs worth comparing: rows that share a key. A million rows would otherwise make 5·10¹¹ pairs.

A key is a number for each row, 0 where it has none. Rows with one key form a block. All pairs of a small block are
taken; in a large one each row is paired with its neighbours in an order that puts like records side by side (sorted
neighbourhood). Keys are used from the most telling to the least, as long as there is room for their pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from understudy.correlate._texts import Coded, Ints

Hashes: TypeAlias = npt.NDArray[np.uint64]
_MIX = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, kw_only=True)
class Blocking:
    """How many pairs are looked at: the most rows of a block whose pairs are all taken, neighbours in larger ones, and
    pairs a row in all.

    >>> Blocking().block
    30
    """

    block: int = 30
    window: int = 4
    pairs_per_row: int = 25
    least_pairs: int = 2_000_000
    """So many pairs are looked at in a small table, too."""

    def room(self, n_rows: int) -> int:
        """The most pairs for a table of so many rows."""
        return max(self.least_pairs, self.pairs_per_row * n_rows)


@dataclass(frozen=True, eq=False)
class Key:
    """A number for each row by which like rows are found; 0: none. `of` names the columns that it comes from."""

    label: str
    numbers: Hashes
    of: frozenset[int]


def key_of(label: str, column: Coded, place: int) -> Key:
    """The key of a column of texts: rows with one text have one number.

    >>> import pyarrow as pa
    >>> numbers = key_of("x", Coded.of(pa.array(["a", "b", "a", None])), 0).numbers
    >>> numbers[0] == numbers[2], numbers[0] == numbers[1], int(numbers[3])
    (np.True_, np.False_, 0)
    """
    return Key(label, _mixed(column.codes.astype(np.uint64)), frozenset({place}))


def both(one: Key, other: Key) -> Key:
    """The key of rows that agree in two keys."""
    numbers = _mixed(one.numbers * np.uint64(3) + _mixed(other.numbers))
    numbers[(one.numbers == 0) | (other.numbers == 0)] = 0
    return Key(f"{one.label} + {other.label}", numbers, one.of | other.of)


def _mixed(numbers: Hashes) -> Hashes:
    """Numbers spread over all 64 bits; 0 stays 0."""
    with np.errstate(over="ignore"):
        spread = numbers * _MIX
        spread ^= spread >> np.uint64(29)
        spread = spread * np.uint64(0xBF58476D1CE4E5B9)
        found: Hashes = spread ^ (spread >> np.uint64(32))
    return found


def combined(weak: Sequence[Key]) -> list[Key]:
    """Every two keys of different columns together: each alone would make blocks that are too large."""
    return [both(one, other) for i, one in enumerate(weak) for other in weak[i + 1 :] if not one.of & other.of]


def candidate_pairs(
    keys: Sequence[Key],
    order: Ints,
    blocking: Blocking | None = None,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Ints, Ints]:
    """Pairs of rows that share a key, each once, the smaller row first.

    `order` puts every row in a place such that like rows are near each other.

    >>> key = Key("x", np.array([5, 0, 5, 7], dtype=np.uint64), frozenset({0}))
    >>> first, second = candidate_pairs([key], np.arange(4))
    >>> first.tolist(), second.tolist()
    ([0], [2])
    """
    settings = blocking or Blocking()
    n = len(order)
    room = settings.room(n)
    sized = sorted((_Blocks.size_of(key, settings), place) for place, key in enumerate(keys))
    found: Ints = np.empty(0, dtype=np.int64)
    waiting: list[Ints] = []
    for done, (size, place) in enumerate(sized):
        if len(found) + sum(map(len, waiting)) + size > room:  # what waits may be there already
            found, waiting = _distinct([found, *waiting]), []
            if done and len(found) + size > room:
                break
        waiting.append(_Blocks.of(keys[place], order).pairs(settings, n))
        if progress:
            progress(done + 1, len(sized))
    found = _distinct([found, *waiting])
    return found // n, found % n


def _distinct(parts: list[Ints]) -> Ints:
    """Each number once, in rising order. Sorting is several times faster here than NumPy's own, which hashes."""
    whole = np.concatenate(parts)
    whole.sort()
    return whole[np.concatenate([[True], whole[1:] != whole[:-1]])] if len(whole) else whole


def _reach(sizes: Ints, settings: Blocking) -> Ints:
    """How far along its block a row is paired."""
    return np.where(sizes <= settings.block, sizes - 1, np.minimum(settings.window, sizes - 1))


@dataclass(frozen=True, eq=False)
class _Blocks:
    """Rows by block, and in a block by the order of likeness; where each block begins, and its size."""

    rows: Ints
    starts: Ints
    sizes: Ints

    @classmethod
    def of(cls, key: Key, order: Ints) -> _Blocks:
        rows = np.flatnonzero(key.numbers)
        numbers = key.numbers[rows]
        by_block = np.argsort(numbers, kind="stable")
        rows, numbers = rows[by_block], numbers[by_block]
        starts = np.flatnonzero(np.concatenate([[True], numbers[1:] != numbers[:-1]])) if len(rows) else rows
        sizes = np.diff(np.concatenate([starts, [len(rows)]]))
        useful = sizes > 1
        mine = np.repeat(useful, sizes)
        rows, sizes = rows[mine], sizes[useful]
        blocks = np.repeat(np.arange(len(sizes)), sizes)
        rows = rows[np.lexsort((order[rows], blocks))]
        return cls(rows, np.concatenate([[0], np.cumsum(sizes)[:-1]]) if len(sizes) else sizes, sizes)

    @staticmethod
    def size_of(key: Key, settings: Blocking) -> int:
        """So many pairs a key makes, those counted that others make, too."""
        numbers = np.sort(key.numbers[key.numbers != 0])
        starts = np.flatnonzero(np.concatenate([[True], numbers[1:] != numbers[:-1]])) if len(numbers) else numbers
        sizes = np.diff(np.concatenate([starts, [len(numbers)]])).astype(np.int64)
        reach = _reach(sizes, settings)
        return int((sizes * reach - reach * (reach + 1) // 2).sum())

    def pairs(self, settings: Blocking, n: int) -> Ints:
        """The pairs, each as one number."""
        reach = np.repeat(_reach(self.sizes, settings), self.sizes)
        ends = np.repeat(self.starts + self.sizes, self.sizes)
        here = np.arange(len(self.rows))
        parts = []
        for step in range(1, int(reach.max(initial=0)) + 1):
            paired = here[(reach >= step) & (here + step < ends)]
            one, other = self.rows[paired], self.rows[paired + step]
            parts.append(np.minimum(one, other) * n + np.maximum(one, other))
        return np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)
