"""Fitting a distribution to noisy tables with all of its cells written out, and triangulation with sets."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


class NaiveTable(NamedTuple):
    """What was measured, and what its potentials cost."""

    attributes: tuple[int, ...]
    values: Floats
    ridge: float
    interaction: bool


def naive_fit(sizes: Sequence[int], total: float, tables: Sequence[NaiveTable], rounds: int) -> Floats:
    """The joint table of counts whose potentials satisfy μ + bθ = y for each table: one by one, by bisection."""
    joint = np.full(tuple(sizes), total / prod(sizes))
    potentials = [np.zeros(table.values.shape) for table in tables]
    for _ in range(rounds):
        for table, theta in zip(tables, potentials, strict=True):
            rest = tuple(a for a in range(len(sizes)) if a not in table.attributes)
            mu = joint.sum(axis=rest)
            wanted = table.values.copy()
            if table.interaction:
                wanted += mu - _without_lower_effects(mu)
            change = _bisect(mu, table.ridge, wanted - table.ridge * theta)
            theta += change
            shape = [size if a in table.attributes else 1 for a, size in enumerate(sizes)]
            joint = joint * np.exp(change).reshape(shape)
            joint *= total / joint.sum()
    return joint


def _without_lower_effects(table: Floats) -> Floats:
    for axis in range(table.ndim):
        table = table - table.mean(axis=axis, keepdims=True)
    return table


def _bisect(mu: Floats, ridge: float, wanted: Floats) -> Floats:
    low, high = np.full(mu.shape, -60.0), np.full(mu.shape, 60.0)
    for _ in range(100):
        middle = (low + high) / 2
        above = mu * np.exp(middle) + ridge * middle > wanted
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return (low + high) / 2


def naive_pair(joint: Floats, pair: tuple[int, int]) -> Floats:
    """The table of two attributes."""
    return np.asarray(joint.sum(axis=tuple(a for a in range(joint.ndim) if a not in pair)))


def naive_cells(sizes: Sequence[int], scopes: Sequence[Sequence[int]]) -> int:
    """Cells of all cliques if the attribute with the smallest clique is summed out again and again."""
    near = {a: {b for scope in scopes if a in scope for b in scope if b != a} for a in range(len(sizes))}
    total = 0
    while near:
        cells = {a: prod(sizes[b] for b in {a, *others}) for a, others in near.items()}
        gone = min(cells, key=lambda a: (cells[a], a))
        total += cells[gone]
        others = near.pop(gone)
        for b in others:
            near[b] = (near[b] | others) - {b, gone}
    return total
