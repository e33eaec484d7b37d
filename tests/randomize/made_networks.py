"""Rows of made-up networks, randomised column by column or block by block, as an inbox."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from tests.randomize.parties import columns_of, made_plan
from understudy.randomize import Inbox, Response, TransitionMatrix


def draw(rng, sizes: Sequence[int], parents: Sequence[Sequence[int]], n: int, *, concentration: float = 0.5):
    """Rows of a network whose column i depends on `parents[i]`, all before it; tables are drawn anew."""
    rows = np.zeros((n, len(sizes)), dtype=np.int64)
    for i, above in enumerate(parents):
        tables = rng.dirichlet(np.full(sizes[i], concentration), size=[sizes[p] for p in above])
        chances = tables[tuple(rows[:, p] for p in above)] if above else np.broadcast_to(tables, (n, sizes[i]))
        rows[:, i] = np.minimum((chances.cumsum(axis=-1) < rng.random(n)[:, None]).sum(axis=-1), sizes[i] - 1)
    return rows


def draw_strong(rng, sizes: Sequence[int], parents: Sequence[Sequence[int]], n: int, *, strength: float = 0.7):
    """Rows in which a column is, with this chance, its parents' sum (as far as its values go), and else anything."""
    rows = rng.integers(0, np.array(sizes), size=(n, len(sizes)))
    for i, above in enumerate(parents):
        if above:
            said = np.minimum(rows[:, list(above)].sum(axis=1), sizes[i] - 1)
            rows[:, i] = np.where(rng.random(n) < strength, said, rows[:, i])
    return rows


def randomise(rng, rows, sizes: Sequence[int], blocks: Sequence[tuple[Sequence[int], TransitionMatrix]]) -> Inbox:
    """What one party would publish; test code draws, for speed, with NumPy's own generator."""
    published = rows.copy()
    for columns, matrix in blocks:
        shape = tuple(sizes[c] for c in columns)
        cells = np.ravel_multi_index(tuple(rows[:, c] for c in columns), shape)
        edges = matrix.dense.cumsum(axis=1)[cells]
        drawn = np.minimum((edges < rng.random(len(rows))[:, None]).sum(axis=1), matrix.size - 1)
        for column, codes in zip(columns, np.unravel_index(drawn, shape), strict=True):
            published[:, column] = codes
    return Inbox([columns_of(made_plan(sizes, blocks), published)])


def each_kept(sizes: Sequence[int], keep: str) -> list[tuple[list[int], TransitionMatrix]]:
    """Every column by itself."""
    return [([c], Response(size, Fraction(keep))) for c, size in enumerate(sizes)]
