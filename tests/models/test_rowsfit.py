"""Weights of rows fitted to noisy tables, and rows chosen by weight, against plain loops."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.naive.drawing import NaiveXoshiro
from tests.naive.rowsfit import naive_gap, naive_swaps, naive_table, naive_weights
from tests.naive.treefit import NaiveTable
from understudy._core.randomness import Streams
from understudy.models import CliqueTree, FittedTable, RowsFit, TreeFit, draw_from
from understudy.models._rowsfit import choose_rows
from understudy.models._rowsfit._kernels import swap_rows, tally_pairs
from understudy.models._rowsfit._layout import Layout

TOTAL = 200.0
PAIRS = list(combinations(range(4), 2))


def some_rows(seed, *, n=60, largest=5):
    """Sizes of four columns, rows, weights."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, largest, 4).tolist()
    columns = np.array([rng.integers(0, size, n) for size in sizes], dtype=np.uint16)
    weights = rng.random(n) * (rng.random(n) < 0.9) + 1e-3
    return rng, sizes, columns, weights * (TOTAL / weights.sum())


def some_tables(rng, sizes):
    """Noisy tables of all columns and of two pairs, these without lower effects or whole."""
    found = [NaiveTable((a,), rng.random(size) * TOTAL / size, 2.0, False) for a, size in enumerate(sizes)]
    for pair, interaction in (((0, 2), True), ((1, 3), False)):
        values = rng.normal(5, 20, [sizes[a] for a in pair])
        for axis in range(2 if interaction else 0):
            values = values - values.mean(axis=axis, keepdims=True)
        found.append(NaiveTable(pair, values, 15.0, interaction))
    return found


def fitted(tables):
    return [FittedTable(t.attributes, t.values, ridge=t.ridge, interaction=t.interaction) for t in tables]


@given(st.integers(0, 10**6), st.sampled_from([5, 12, 200]), st.sets(st.sampled_from(PAIRS), min_size=1))
@settings(max_examples=25, deadline=None)
def test_tables_of_pairs_are_sums_over_rows(seed, largest, pairs):
    """Of small columns, which are looked at two by two, of large ones, and of both."""
    _, sizes, columns, weights = some_rows(seed, largest=largest)
    found = RowsFit(sizes, columns, [], total=TOTAL, weights=weights).pair_tables(sorted(pairs))
    assert set(found) == pairs
    for pair, table in found.items():
        assert table == pytest.approx(naive_table(columns.T.tolist(), weights, pair, sizes))


@given(st.integers(0, 10**6), st.integers(1, 3))
@settings(max_examples=25, deadline=None)
def test_weights_follow_tables_as_in_plain_loops(seed, sweeps):
    rng, sizes, columns, weights = some_rows(seed)
    tables = some_tables(rng, sizes)
    fit = RowsFit(sizes, columns, fitted(tables), total=TOTAL, weights=weights)
    fit.improve(sweeps=sweeps)
    order = list(range(len(tables))) * sweeps
    assert fit.weights == pytest.approx(naive_weights(columns.T.tolist(), weights, tables, order, sizes), rel=1e-5)
    assert fit.weights.sum() == pytest.approx(TOTAL)


@given(st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_after_many_sweeps_potentials_solve_what_they_must(seed):
    """μ + bθ = y in every cell that rows have, up to what the total takes."""
    rng, sizes, columns, weights = some_rows(seed)
    tables = fitted([t for t in some_tables(rng, sizes) if len(t.attributes) == 1])
    fit = RowsFit(sizes, columns, tables, total=TOTAL, weights=weights)
    fit.improve(sweeps=400)
    for table in tables:
        mu = naive_table(columns.T.tolist(), fit.weights, table.attributes, sizes)
        gap = (mu + table.ridge * table.potentials - table.values)[mu > 1e-6]
        # the total is a potential of its own, so what is left is the same factor in each cell
        assert np.ptp(gap / mu[mu > 1e-6]) < 1e-3 * max(1.0, float(np.abs(gap / mu[mu > 1e-6]).max()))


def test_rows_of_all_cells_are_fitted_as_a_tree_is():
    """With every cell among the rows both minimise the same."""
    rng, sizes = np.random.default_rng(3), [3, 2, 4, 2]
    cells = np.array(list(np.ndindex(*sizes)), dtype=np.uint16).T
    tables = some_tables(rng, sizes)
    tree = TreeFit(sizes, total=TOTAL)
    for table in fitted(tables):
        tree.add(table)
    rows = RowsFit(sizes, cells, fitted(tables), total=TOTAL)
    for fit in (tree, rows):
        fit.improve(sweeps=600)
    pairs = list(combinations(range(4), 2))
    expected = tree.pair_tables(pairs)
    for pair, table in rows.pair_tables(pairs).items():
        assert table == pytest.approx(expected[pair], abs=1e-3)


def test_a_new_table_is_followed_with_its_columns_and_the_eight_that_are_farthest_off():
    rng, sizes = np.random.default_rng(1), [2] * 6
    columns = np.array([rng.integers(0, 2, 80) for _ in sizes], dtype=np.uint16)
    pairs = list(combinations(range(6), 2))
    off = np.array([[1.0, -1.0], [-1.0, 1.0]])
    pairwise = [FittedTable(pair, 3.0 * (i + 2) * off, ridge=5.0, interaction=True) for i, pair in enumerate(pairs)]
    single = [FittedTable((a,), np.array([150.0, 50.0]), ridge=1.0) for a in range(6)]
    fit = RowsFit(sizes, columns, [*single, *pairwise[1:]], total=TOTAL)
    fit.pair_tables(pairs)
    farthest = sorted(pairwise[1:], key=fit._off, reverse=True)[:8]
    new = pairwise[0]
    fit.add(new)
    fit.improve_around(new)
    moved = [table for table in pairwise if table.potentials.any()]
    assert {table.attributes for table in moved} == {table.attributes for table in (new, *farthest)}
    touched = {a for table in moved for a in table.attributes}
    assert [table.potentials.any() for table in single] == [a in touched for a in range(6)]
    lower = [table for table in pairwise[1:] if table not in farthest]
    assert max(map(fit._off, lower)) <= min(map(fit._off, farthest))


def test_fixed_tables_are_left_out():
    fixed = FittedTable((0,), np.ones(2), ridge=0.0, fixed=True)
    assert RowsFit((2,), np.array([[0, 1]], dtype=np.uint16), [fixed], total=2.0).tables == []


@given(st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_swaps_are_those_of_plain_loops_and_bring_tables_nearer(seed):
    rng, sizes, columns, weights = some_rows(seed, n=20)
    pairs = [pair for pair in combinations(range(4), 2) if min(sizes[a] for a in pair) > 1]
    if not pairs:
        return
    rows, layout = np.ascontiguousarray(columns.T), Layout.of(sizes, pairs)
    chosen, others = rng.integers(0, 20, 12), rng.integers(0, 20, 9)
    target, counts = np.empty(layout.cells), np.empty(layout.cells)
    tally_pairs(rows, weights * (12 / TOTAL), *layout.arrays, target)
    tally_pairs(rows[chosen], np.ones(12), *layout.arrays, counts)
    cost = np.where(target < 3, 0.0, 1 / (target + 1))
    words = rng.integers(0, 1 << 64, size=4, dtype=np.uint64)
    targets = [naive_table(rows.tolist(), weights * (12 / TOTAL), pair, sizes) for pair in pairs]
    expected = naive_swaps(
        rows.tolist(), chosen.tolist(), others.tolist(), pairs, targets, sizes, 2, NaiveXoshiro(words.tolist())
    )
    before = naive_gap(rows.tolist(), chosen.tolist(), pairs, targets, sizes)
    with np.errstate(over="ignore"):
        swapped = swap_rows(rows, chosen, others, *layout.arrays, counts, target, cost, 2, words)
    assert (chosen.tolist(), others.tolist()) == expected
    after = naive_gap(rows.tolist(), chosen.tolist(), pairs, targets, sizes)
    assert after < before if swapped else after == before
    fresh = np.empty(layout.cells)
    tally_pairs(rows[chosen], np.ones(12), *layout.arrays, fresh)
    assert counts.tolist() == fresh.tolist()


def test_rows_are_chosen_as_often_as_their_weights_tell():
    weights = np.array([0.0, 0.4, 0.35, 0.0, 0.25, 0.0])
    rows = np.arange(6, dtype=np.uint16)[:, None]
    found = np.zeros(6)
    for seed in range(400):
        times = np.bincount(choose_rows(rows, weights, 3, [], [6], rng=Streams(seed).get("rows")), minlength=6)
        assert (np.abs(times - 3 * weights) < 1).all()
        found += times / 400
    assert found == pytest.approx(3 * weights, abs=0.1)


def test_rows_drawn_from_a_tree_have_its_tables():
    edge = np.array([[0.4, 0.1], [0.1, 0.4]])
    tree = CliqueTree((2, 2, 2), ((0, 1), (1, 2)), (-1, 0), (edge, edge))
    columns = draw_from(tree, 1000, streams=Streams(1))
    assert columns.dtype == np.uint16
    for a, b in ((0, 1), (1, 2)):
        assert naive_table(columns.T.tolist(), [1.0] * 1000, (a, b), (2, 2, 2)) == pytest.approx(1000 * edge, abs=2)
