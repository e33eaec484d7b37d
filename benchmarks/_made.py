"""Made tables for the scale benchmark: wide, with real dependence, from a seeded network."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Narrow = npt.NDArray[np.unsignedinteger]


def binary_table(n: int, d: int, *, seed: int, alike: int = 1, stay: int = 0) -> tuple[list[Narrow], dict[str, Any]]:
    """`d` binary columns, each a noisy function of up to three earlier ones; and their schema.

    The first `stay` of them are the same in each `alike` rows that follow each other.
    """
    rng = np.random.default_rng(seed)
    columns: list[Narrow] = []
    for i in range(d):
        parents = rng.choice(i, size=min(i, int(rng.integers(0, 4))), replace=False)
        chance = rng.beta(0.6, 0.9, size=1 << len(parents))
        row = np.zeros(n, dtype=np.uint8)
        for parent in parents:
            row = (row << 1) | columns[parent]
        column = (rng.random(n, dtype=np.float32) < chance.astype(np.float32)[row]).astype(np.uint8)
        columns.append(np.repeat(column[::alike], alike) if i < stay else column)
    fields = [{"name": f"x{i}", "type": "integer", "categories": [0, 1]} for i in range(d)]
    return columns, {"name": f"binary{d}", "fields": fields}


def mixed_table(n: int, *, seed: int) -> tuple[list[Narrow], dict[str, Any]]:
    """45 columns of 2 to 16 codes, and three of 1,300 under taxonomies of three levels (13 × 10 × 10); and a schema."""
    rng = np.random.default_rng(seed)
    kinds = [*rng.choice([2, 2, 2, 3, 4, 5, 7, 10, 16], size=45).tolist()]
    for place in (7, 23, 41):
        kinds.insert(place, 1300)
    columns: list[Narrow] = []
    for i, size in enumerate(kinds):
        coarse = [(column // 10 if kinds[j] == 1300 else column) for j, column in enumerate(columns)]
        sizes = [130 if kind == 1300 else kind for kind in kinds]
        parents = rng.choice(i, size=min(i, int(rng.integers(1, 3))), replace=False) if i else np.array([], dtype=int)
        row = np.zeros(n, dtype=np.int64)
        for parent in parents:
            row = row * sizes[parent] + coarse[parent]
        columns.append(_draw(rng, row, int(row.max()) + 1, size))
    return columns, {"name": "mixed48", "fields": [_field(i, size) for i, size in enumerate(kinds)]}


def _draw(rng: np.random.Generator, row: npt.NDArray[np.int64], n_rows: int, size: int) -> Narrow:
    """Codes given parent rows: each row of the conditional is concentrated around a few values."""
    groups = size if size < 1300 else 130
    conditional = rng.dirichlet(np.full(groups, 0.4), size=n_rows)
    edges = np.cumsum(conditional, axis=1)
    order = np.argsort(row, kind="stable")
    picks = np.empty(len(row), dtype=np.int64)
    starts = np.searchsorted(row[order], np.arange(n_rows + 1))
    for r in range(n_rows):
        mine = order[starts[r] : starts[r + 1]]
        picks[mine] = np.minimum(np.searchsorted(edges[r], rng.random(len(mine))), groups - 1)
    if size == 1300:  # a leaf inside its group, popular ones first
        picks = picks * 10 + np.minimum((10 * rng.random(len(row)) ** 2).astype(np.int64), 9)
    return picks.astype(np.uint8 if size <= 256 else np.uint16)


def _field(i: int, size: int) -> dict[str, Any]:
    field: dict[str, Any] = {"name": f"x{i}", "type": "integer", "categories": list(range(size))}
    if size == 1300:
        field["taxonomy"] = [[list(range(g, g + 10)) for g in range(s, s + 100, 10)] for s in range(0, 1300, 100)]
    elif size > 5:
        field["categoriesOrdered"] = True
    return field
