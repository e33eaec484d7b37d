"""Choosing rows by their weights, so that few of them have the tables that all of them have.

First along the rows, each as often as its weight tells, rounded up or down. Which of two neighbours that is was left
to chance; so chosen rows are then swapped for others, drawn by weight too, where that brings tables of two columns
nearer to those of all rows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from understudy._core.randomness import Rng
from understudy.models._inference import Floats, Ints
from understudy.models._rowsfit import _kernels
from understudy.models._rowsfit._layout import Codes, Layout, Pair

_TRIES = 2
_OTHERS = 2  # for each row that is chosen
# Cells that expect fewer rows count for nothing: a row too many is easily swapped away, one too few is hard to find.
_RARE = 3.0


def choose_rows(rows: Codes, weights: Floats, n: int, pairs: Sequence[Pair], sizes: Sequence[int], *, rng: Rng) -> Ints:
    """The numbers of n rows, in random order; `rows` has one line for each row. Without pairs nothing is swapped.

    >>> rows = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.uint16)
    >>> weights, sizes = np.array([0.5, 0.0, 0.25, 0.25]), (2, 2)
    >>> from understudy._core.randomness import Streams
    >>> sorted(choose_rows(rows, weights, 4, [(0, 1)], sizes, rng=Streams(1).get("rows")).tolist())
    [0, 0, 2, 3]
    """
    chosen = rng.permutation(_along(weights, n, rng))
    if not pairs or not n:
        return chosen
    others = _along(weights, _OTHERS * n, rng)
    layout = Layout.of(sizes, pairs)
    target, counts = np.empty(layout.cells), np.empty(layout.cells)
    _kernels.tally_pairs(rows, weights * (n / weights.sum()), *layout.arrays, target)
    _kernels.tally_pairs(rows[chosen], np.ones(n), *layout.arrays, counts)
    cost = np.where(target < _RARE, 0.0, 1 / (target + 1))
    state = rng.integers(0, 1 << 64, size=4, dtype=np.uint64)
    with np.errstate(over="ignore"):  # the generator wraps around, which NumPy minds where numba is switched off
        _kernels.swap_rows(rows, chosen, others, *layout.arrays, counts, target, cost, _TRIES, state)
    return chosen


def draw_rows(sums: Floats, n: int, *, rng: Rng) -> Ints:
    """The numbers of n rows, each drawn on its own; `sums` are the running sums of the rows' weights.

    Points are drawn in order, as the sums of waiting times are, and shuffled afterwards: rows that lie side by side are
    found several times as fast.

    >>> from understudy._core.randomness import Streams
    >>> set(draw_rows(np.array([0.0, 0.5, 0.5, 1.0]), 99, rng=Streams(1).get("rows")).tolist())
    {1, 3}
    """
    waited = np.cumsum(rng.standard_exponential(n + 1))
    found = np.searchsorted(sums, waited[:n] * (sums[-1] / waited[-1]), side="right")
    last = int(np.searchsorted(sums, sums[-1], side="left"))  # the last row with any weight
    return np.asarray(rng.permutation(found.clip(0, last)), dtype=np.int64)


def tables_of(rows: Codes, weights: Floats, pairs: Sequence[Pair], sizes: Sequence[int]) -> dict[Pair, Floats]:
    """The weighted tables of these pairs of columns, in one pass; `rows` has one line for each row.

    >>> rows = np.array([[0, 0], [1, 0], [1, 1]], dtype=np.uint16)
    >>> tables_of(rows, np.array([1.0, 2.0, 4.0]), [(0, 1)], (2, 2))[0, 1].tolist()
    [[1.0, 0.0], [2.0, 4.0]]
    """
    layout = Layout.of(sizes, pairs)
    flat = np.empty(layout.cells)
    _kernels.tally_pairs(rows, weights, *layout.arrays, flat)
    tables = np.split(flat, layout.arrays[-1][1:])
    return {(a, b): table.reshape(sizes[a], sizes[b]) for (a, b), table in zip(pairs, tables, strict=True)}


def _along(weights: Floats, n: int, rng: Rng) -> Ints:
    """Each row as often as its weight tells, rounded up or down: at equal steps along the sum of weights."""
    sums = np.cumsum(weights)
    points = (rng.random() + np.arange(n)) * (sums[-1] / max(n, 1))
    found = np.searchsorted(sums, points, side="right")
    return np.asarray(found.clip(0, int(np.flatnonzero(weights)[-1])), dtype=np.int64)
