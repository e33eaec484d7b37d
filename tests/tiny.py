"""Every tiny table and every pair of neighbours among them: the ground on which sensitivities are checked."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations, pairwise

import numpy as np
import numpy.typing as npt

Table = npt.NDArray[np.int64]


@cache
def all_tables(shape: tuple[int, int], n: int) -> tuple[tuple[int, ...], ...]:
    """All tables of this shape with total n, flattened."""
    cells = shape[0] * shape[1]
    found = []
    for bars in combinations(range(n + cells - 1), cells - 1):
        edges = (-1, *bars, n + cells - 1)
        found.append(tuple(b - a - 1 for a, b in pairwise(edges)))
    return tuple(found)


def replace_one_pairs(shape: tuple[int, int], n: int) -> Iterator[tuple[int, int]]:
    """Positions in `all_tables(shape, n)` of all pairs that differ in one record."""
    tables = all_tables(shape, n)
    position = {table: i for i, table in enumerate(tables)}
    for i, table in enumerate(tables):
        for source, count in enumerate(table):
            for target in range(len(table)):
                if count and source != target:
                    other = list(table)
                    other[source] -= 1
                    other[target] += 1
                    yield i, position[tuple(other)]


def add_one_pairs(shape: tuple[int, int], n: int) -> Iterator[tuple[int, int]]:
    """Positions in `all_tables(shape, n − 1)` and `all_tables(shape, n)` of all pairs one record apart."""
    position = {table: i for i, table in enumerate(all_tables(shape, n))}
    for i, table in enumerate(all_tables(shape, n - 1)):
        for target in range(len(table)):
            other = list(table)
            other[target] += 1
            yield i, position[tuple(other)]


def stacked(shape: tuple[int, int], n: int) -> Table:
    """All tables as one array[table, child, parents]."""
    return np.array(all_tables(shape, n), dtype=np.int64).reshape(-1, *shape)
