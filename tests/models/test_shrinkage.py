"""Shrinkage: nothing is lost without noise, relations go when noise is all there is, and the error falls in between."""

from itertools import combinations
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from understudy.models._shrinkage import fit_margins, free_dimensions, product_of_margins, shrink

SHAPES = st.lists(st.integers(1, 4), min_size=2, max_size=4).map(tuple)
COUNTS = SHAPES.flatmap(
    lambda shape: hnp.arrays(np.float64, shape, elements=st.integers(0, 500).map(float)).filter(lambda t: t.sum() > 0)
)


@settings(max_examples=60)
@given(COUNTS)
def test_without_noise_a_table_stays_as_it_is(table):
    assert shrink(table, table, 0.0, table.sum()) is table
    assert np.allclose(shrink(table, table, 1e-12, table.sum()), table, atol=1e-3)


@settings(max_examples=60)
@given(COUNTS)
def test_when_noise_explains_everything_only_the_margins_are_left(table):
    found = shrink(table, table, 1e12, table.sum())
    assert np.allclose(found, product_of_margins(table), atol=1e-6 * table.sum())


@settings(max_examples=60)
@given(COUNTS, st.floats(0.1, 1e4))
def test_the_total_is_near_and_every_number_finite(table, variance):
    found = shrink(table, table, variance, table.sum())
    assert np.isfinite(found).all()
    assert found.shape == table.shape


@pytest.mark.parametrize("shape", [(2, 2), (3, 4), (2, 3, 4), (2, 2, 2, 2), (1, 3), (1, 1, 2)])
@pytest.mark.parametrize("order", [1, 2])
def test_free_dimensions_are_what_linear_algebra_says(shape, order):
    # brute force: the rank of the map from a table to all its margins over `order` axes
    rows = []
    for axes in combinations(range(len(shape)), min(order, len(shape))):
        for cell in np.ndindex(*(shape[axis] for axis in axes)):
            row = np.zeros(shape)
            row[tuple(cell[axes.index(a)] if a in axes else slice(None) for a in range(len(shape)))] = 1
            rows.append(row.ravel())
    assert free_dimensions(shape, order) == np.prod(shape) - np.linalg.matrix_rank(np.array(rows))


def test_fitted_margins_are_kept_where_they_agree():
    rng = np.random.default_rng(3)
    table = rng.integers(1, 50, size=(3, 4, 2)).astype(float)
    targets = [table.sum(axis=axis, keepdims=True) for axis in range(3)]
    fitted = fit_margins(table.shape, table.sum(), targets)
    for axis, target in enumerate(targets):
        assert np.allclose(fitted.sum(axis=axis, keepdims=True), target, rtol=0.02)


def test_a_margin_of_zero_stays_zero_and_nothing_is_divided_by_it():
    targets = [np.array([[5.0], [0.0]]), np.array([[2.0, 3.0]])]
    assert fit_margins((2, 2), 5.0, targets).tolist() == [[2.0, 3.0], [0.0, 0.0]]


@pytest.mark.parametrize("shape", [(2, 2, 2, 2), (6, 5), (4, 3, 5)])
@pytest.mark.parametrize("related", [False, True])
def test_the_squared_error_falls_on_average(shape, related):
    # related: a mixture of two kinds of rows; unrelated: a product. Either way shrinking must not cost.
    rng = np.random.default_rng(11)
    before = after = 0.0
    for _ in range(200):
        kinds = [prod(np.ix_(*(rng.dirichlet(np.ones(k)) for k in shape))) for _ in range(1 + related)]
        truth = 2000 * sum(kinds) / len(kinds)
        noisy = truth + rng.laplace(scale=20, size=shape)
        plausible = np.maximum(noisy, 0)
        found = shrink(noisy, plausible, 800.0, 2000.0)
        before += float(((noisy - truth) ** 2).sum())
        after += float(((found - truth) ** 2).sum())
    assert after < 0.9 * before
