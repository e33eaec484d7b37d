"""Junction trees fitted to noisy tables, against the same with every cell of the joint table written out."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.naive.treefit import NaiveTable, naive_cells, naive_fit, naive_pair
from understudy.models import FittedTable, TreeFit, adjacency, cells_with
from understudy.models._treefit import make_cliques


def _measured(
    rng: np.random.Generator, sizes: list[int], scopes: list[tuple[int, ...]], interactions: bool
) -> list[NaiveTable]:
    """Tables of a random joint with noise: whole ones of single columns, interactions of several."""
    joint = rng.dirichlet(np.ones(int(np.prod(sizes)))).reshape(sizes) * 100
    found = []
    for scope in scopes:
        values = joint.sum(axis=tuple(a for a in range(len(sizes)) if a not in scope))
        values = values + rng.normal(0, 1, values.shape)
        for axis in range(len(scope) if interactions and len(scope) > 1 else 0):
            values = values - values.mean(axis=axis, keepdims=True)
        found.append(NaiveTable(scope, values, 20.0, interactions and len(scope) > 1))
    return found


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("seed", "interactions"),
    [
        pytest.param(seed, interactions, marks=() if seed == int(interactions) else pytest.mark.slow)
        for seed in range(4)
        for interactions in (False, True)
    ],
)
def test_a_fit_is_that_of_the_whole_joint_table(seed: int, interactions: bool) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2 if interactions else 1, 4, size=5).tolist()
    pairs = list(combinations(range(5), 2))
    chosen = [pairs[i] for i in rng.choice(len(pairs), size=4, replace=False)]
    scopes = [*((a,) for a in range(5)), *chosen, *([(0, 2, 4)] if seed % 2 else [])]
    tables = _measured(rng, sizes, scopes, interactions)
    fit = TreeFit(sizes, total=100.0)
    for table in tables:
        fit.add(FittedTable(table.attributes, table.values, ridge=table.ridge, interaction=table.interaction))
        fit.improve(sweeps=2)  # warm starts must not matter
    fit.improve(sweeps=4000)
    joint = naive_fit(sizes, 100.0, tables, 300)
    # what fewer axes tell goes back and forth between potentials of interactions and of single columns for long
    off = 0.1 if interactions else 1e-3
    for pair, found in fit.pair_tables(pairs).items():
        assert np.allclose(found, naive_pair(joint, pair), rtol=0, atol=off)
    assert _largest_residual(fit) < 0.02


def _largest_residual(fit: TreeFit) -> float:
    """How far the fit is from solving μ + bθ = y, of interactions only what is no lower effect."""
    found = 0.0
    for table in fit.tables:
        if len(table.attributes) != 2:
            continue
        first, second = table.attributes
        apart = fit.pair_tables([(first, second)])[first, second] + table.ridge * table.potentials.reshape(
            table.values.shape
        )
        for axis in range(2 if table.interaction else 0):
            apart = apart - apart.mean(axis=axis, keepdims=True)
        found = max(found, float(abs(apart - table.values).max()))
    return found


def test_a_tree_is_calibrated_and_has_the_tables_of_the_fit() -> None:
    rng = np.random.default_rng(5)
    sizes = [2, 3, 2, 4]
    fit = TreeFit(sizes, total=100.0)
    scopes: list[tuple[int, ...]] = [(0,), (1,), (2,), (3,), (0, 1), (1, 2), (2, 3), (0, 3)]
    for table in _measured(rng, sizes, scopes, True):
        fit.add(FittedTable(table.attributes, table.values, ridge=0.5, interaction=table.interaction))
    fit.improve(sweeps=50)
    tree = fit.to_tree()  # checks itself that neighbours agree
    for clique, belief in zip(tree.cliques, tree.beliefs, strict=True):
        for pair in combinations(clique, 2):
            away = tuple(i for i, a in enumerate(clique) if a not in pair)
            assert np.allclose(belief.sum(axis=away) * 100, fit.pair_tables([pair])[pair], rtol=1e-3, atol=1e-3)


@settings(max_examples=60)
@given(st.data())
def test_cells_of_cliques_are_counted_right(data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.integers(1, 5), min_size=2, max_size=7))
    pairs = list(combinations(range(len(sizes)), 2))
    scopes = data.draw(st.lists(st.sampled_from(pairs), max_size=8))
    edge = data.draw(st.sampled_from(pairs))
    logs = np.log(np.array(sizes, dtype=np.float64))
    first, second = np.array([edge[0]]), np.array([edge[1]])
    [cells] = cells_with(adjacency(len(sizes), scopes), logs, first, second, np.inf)
    assert round(cells) == naive_cells(sizes, [*scopes, edge])
    [refused] = cells_with(adjacency(len(sizes), scopes), logs, first, second, cells - 0.5)
    assert np.isinf(refused)


@settings(max_examples=60)
@given(st.data())
def test_cliques_hang_together(data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=8))
    pairs = list(combinations(range(len(sizes)), 2))
    scopes = data.draw(st.lists(st.sampled_from(pairs), max_size=12)) if pairs else []
    cliques = make_cliques(np.array(sizes), scopes)
    assert set().union(*cliques.members) == set(range(len(sizes)))
    assert all(any(set(scope) <= set(clique) for clique in cliques.members) for scope in scopes)
    seen: set[int] = set()
    for clique, parent in zip(cliques.members, cliques.parents, strict=True):
        assert seen & set(clique) <= (set(cliques.members[parent]) if parent >= 0 else set())
        seen |= set(clique)
