"""Small models of rows with weights over merged values, and their whole joint distribution, worked out the slow way."""

from __future__ import annotations

import itertools

import numpy as np

from tests.models.random_networks import attribute
from tests.models.random_trees import random_within
from understudy.models import RowsModel, TreeMeasurement, WeightedRows
from understudy.schema import Domain


def random_rows(seed: int, sizes: tuple[int, ...], *, n: int = 40) -> RowsModel:
    """A model with random levels, rows, weights and merged values; single columns and a pair were measured."""
    rng = np.random.default_rng(seed)
    domain = Domain(tuple(attribute(rng, f"a{i}", size) for i, size in enumerate(sizes)))
    within = [random_within(rng, size) for size in sizes]
    merged = [size if rare is None else rare.size for size, rare in zip(sizes, within, strict=True)]
    columns = np.array([rng.integers(0, size, n) for size in merged], dtype=np.uint16)
    rows = WeightedRows.of(merged, columns, rng.random(n) + 0.01)
    measured = [
        TreeMeasurement(marginal=(a,), values=rng.random(size) * 100, variance=3.0, interaction=False)
        for a, size in enumerate(merged)
    ]
    values = rng.normal(0, 5, (merged[0], merged[1]))
    measured.append(TreeMeasurement(marginal=(0, 1), values=values, variance=4.0, interaction=True))
    return RowsModel(domain, 1000, rows=rows, within=within, measurements=measured)


def rows_joint(model: RowsModel) -> np.ndarray:
    """P(all attributes), cell by cell: the weight of rows that have its merged codes, times the parts of leaves."""
    result = np.zeros([a.size for a in model.domain])
    for leaves in itertools.product(*(range(a.size) for a in model.domain)):
        p = 1.0
        alike = np.ones(len(model.rows), dtype=bool)
        for leaf, rare, column in zip(leaves, model.within, model.rows.columns, strict=True):
            alike &= column == (leaf if rare is None else rare.codes[leaf])
            p *= 1.0 if rare is None else float(rare.shares[leaf])
        result[leaves] = p * model.rows.weights[alike].sum()
    return result
