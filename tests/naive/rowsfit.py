"""Rows with weights in plain loops: tables, weights that follow measured ones, and swaps of chosen rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tests.naive.drawing import NaiveXoshiro
from tests.naive.treefit import NaiveTable, _bisect, _without_lower_effects

Floats = npt.NDArray[np.float64]
Rows = Sequence[Sequence[int]]


def naive_table(rows: Rows, weights: Sequence[float], attributes: Sequence[int], sizes: Sequence[int]) -> Floats:
    """The weighted table of some columns."""
    table = np.zeros([sizes[a] for a in attributes])
    for row, weight in zip(rows, weights, strict=True):
        table[tuple(row[a] for a in attributes)] += weight
    return table


def naive_weights(
    rows: Rows, weights: Sequence[float], tables: Sequence[NaiveTable], order: Sequence[int], sizes: Sequence[int]
) -> Floats:
    """Weights after following these tables in this order, the total kept; each cell solved for by bisection."""
    total, now = sum(weights), np.array(weights, dtype=float)
    potentials = [np.zeros(table.values.shape) for table in tables]
    for t in order:
        table = tables[t]
        mu = naive_table(rows, now.tolist(), table.attributes, sizes)
        wanted = table.values.copy()
        if table.interaction:
            wanted += mu - _without_lower_effects(mu)
        change = np.zeros(mu.shape)
        live = mu > 1e-9
        change[live] = _bisect(mu[live], table.ridge, (wanted - table.ridge * potentials[t])[live])
        potentials[t] += change
        for i, row in enumerate(rows):
            now[i] *= np.exp(change[tuple(row[a] for a in table.attributes)])
        now *= total / now.sum()
    return now


def naive_gap(
    rows: Rows, chosen: Sequence[int], pairs: Sequence[tuple[int, int]], targets: Sequence[Floats], sizes: Sequence[int]
) -> float:
    """Σ (count − target)² / (target + 1) over the cells of all pairs."""
    picked = [rows[i] for i in chosen]
    tables = [naive_table(picked, [1.0] * len(picked), pair, sizes) for pair in pairs]
    return sum(
        float(((table - target) ** 2 / (target + 1)).sum()) for table, target in zip(tables, targets, strict=True)
    )


def naive_swaps(
    rows: Rows,
    chosen: Sequence[int],
    others: Sequence[int],
    pairs: Sequence[tuple[int, int]],
    targets: Sequence[Floats],
    sizes: Sequence[int],
    tries: int,
    random: NaiveXoshiro,
) -> tuple[list[int], list[int]]:
    """Each chosen row against so many random others; the best one takes its place if the gap falls."""
    chosen, others = list(chosen), list(others)
    for i in range(len(chosen)):
        now, best, pick = naive_gap(rows, chosen, pairs, targets, sizes), -1e-9, None
        for _ in range(tries):
            j = random.below(len(others))
            tried = [*chosen[:i], others[j], *chosen[i + 1 :]]
            change = naive_gap(rows, tried, pairs, targets, sizes) - now
            if change < best - 1e-12:
                best, pick = change, j
        if pick is not None:
            chosen[i], others[pick] = others[pick], chosen[i]
    return chosen, others
