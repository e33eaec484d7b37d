"""The factored distribution beside one that is written out, and as a Bayesian network."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.models.random_trees import random_tree, tree_joint
from understudy.answers import State, start_of
from understudy.answers._fitting import Noted, fit, fit_table
from understudy.models import Network, NetworkModel, Node
from understudy.privacy import LinearQueries
from understudy.schema import Attribute, Axis, Domain, Level, Marginal, recode


def domain_of(sizes):
    return Domain(tuple(Attribute(name=f"a{i}", size=size) for i, size in enumerate(sizes)))


def dense(domain, potentials, start=()):
    """The whole distribution, written out."""
    sizes = [attribute.size for attribute in domain]
    joint = np.zeros(sizes)
    for scope, table in potentials.items():
        order = np.argsort(scope)
        shape = [sizes[a] if a in scope else 1 for a in range(len(sizes))]
        joint = joint + table.transpose(order).reshape(shape)
    joint = np.exp(joint - joint.max())
    for factor in start:
        shape = [sizes[a] if a in factor.variables else 1 for a in range(len(sizes))]
        joint = joint * factor.values.transpose(np.argsort(factor.variables)).reshape(shape)
    return joint / joint.sum()


def marginal(joint, scope):
    rest = tuple(a for a in range(joint.ndim) if a not in scope)
    found = joint.sum(axis=rest)
    kept = [a for a in range(joint.ndim) if a in scope]
    return found.transpose([kept.index(a) for a in scope])


@st.composite
def states(draw):
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=5))
    scopes = draw(st.lists(st.sets(st.integers(0, len(sizes) - 1), min_size=1, max_size=3), max_size=5))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    potentials = {
        tuple(sorted(scope)): rng.normal(size=[sizes[a] for a in sorted(scope)], scale=2.0) for scope in scopes
    }
    wanted = draw(st.lists(st.permutations(range(len(sizes))), min_size=1, max_size=3))
    return domain_of(sizes), potentials, [tuple(order[: 1 + i]) for i, order in enumerate(wanted)]


@given(states())
def test_reading_equals_the_whole_distribution(given_state):
    domain, potentials, wanted = given_state
    state, joint = State(domain).moved(potentials), dense(domain, potentials)
    for scope, table in zip(wanted, state.read(wanted), strict=True):
        np.testing.assert_allclose(table, marginal(joint, scope), atol=1e-12)


@given(states())
def test_the_network_has_the_same_distribution(given_state):
    domain, potentials, _ = given_state
    model, joint = State(domain).moved(potentials).to_model(7), dense(domain, potentials)
    found = model.marginal(Marginal.of(*range(len(domain)))).probabilities
    np.testing.assert_allclose(found, joint, atol=1e-12)
    assert model.n == 7


def test_it_starts_as_a_network_with_coarse_parents():
    domain = Domain(
        (Attribute(name="age", size=4, coarser=(Level(groups=(0, 0, 1, 1)),)), Attribute(name="ill", size=2))
    )
    network = Network(domain, (Node(0), Node(1, (Axis(0, 1),))))
    tables = ([0.1, 0.2, 0.3, 0.4], [[0.9, 0.1], [0.5, 0.5]])
    model = NetworkModel(network, tables, recode(domain, "hierarchical"), (), 5)
    start = start_of(model)
    step = {(1,): np.log([1.0, 2.0])}
    state = State(domain, start=start).moved(step)
    np.testing.assert_allclose(state.read([(0, 1)])[0], dense(domain, step, start), atol=1e-12)
    np.testing.assert_allclose(
        state.to_model(5).marginal(Marginal.of(0, 1)).probabilities, dense(domain, step, start), atol=1e-12
    )


def test_a_network_over_bits_is_no_start():
    domain = domain_of((4, 2))
    bits = recode(domain, "binary")
    nodes = tuple(Node(a) for a in range(len(bits.target)))
    model = NetworkModel(Network(bits.target, nodes), [[0.5, 0.5]] * len(nodes), bits, (), 5)
    assert start_of(model) is None
    assert start_of(State(domain).to_model(5), most_cells=1) is None


def test_what_needs_tables_beyond_the_bound_does_not_fit():
    state = State(domain_of((10,) * 6), most_cells=1000)
    assert state.fits([(0, 1, 2)])
    assert not state.fits([(0, 1, 2, 3)])
    ring = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]
    assert state.fits(ring)
    assert state.fits([*ring, (0, 5)])  # a ring of six needs tables of three
    assert not state.fits([(a, b) for a in range(6) for b in range(a)])


def test_tables_that_no_elimination_holds_are_counted_from_drawn_rows():
    rng = np.random.default_rng(0)
    domain = domain_of((6,) * 4)
    potentials = {(i, i + 1): rng.normal(size=(6, 6)) for i in range(3)}
    state = State(domain, potentials=potentials, most_cells=36)
    found, exact = state.read([(0, 1, 2, 3)])[0], dense(domain, potentials)
    assert 0 < np.abs(found - exact).sum() / 2 < 0.02


@settings(max_examples=25)
@given(states(), st.integers(0, 10**6))
def test_fitting_never_makes_it_worse_and_finds_what_is_exact(given_state, seed):
    domain, potentials, _ = given_state
    truth = State(domain).moved(potentials)
    scopes = list(potentials) or [(0,)]
    read = zip(scopes, truth.read(scopes), strict=True)
    noted = [Noted(attributes=scope, shares=np.array(table), precision=1.0) for scope, table in read]
    losses = []
    for steps in (0, 1, 5, 150):
        state = fit(State(domain), noted, steps=steps)
        read = zip(noted, state.read(scopes), strict=True)
        losses.append(sum(float((one.difference(table) ** 2).sum()) for one, table in read))
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 1e-3


def test_fitting_learns_from_single_queries():
    domain = domain_of((3, 2))
    query = LinearQueries.dense(Marginal.of(0, 1), domain, np.array([[2, 1, 0, 0, 2, 2]]), 2)
    noted = Noted(attributes=(0, 1), shares=np.array([0.9]), precision=4.0, queries=query)
    state = fit(State(domain), [noted], steps=200, rate=0.7)
    assert query.answers(state.read([(0, 1)])[0])[0] == pytest.approx(0.9, abs=1e-3)


def test_one_table_is_fitted_by_its_nearest_plausible_one():
    domain = domain_of((3,))
    state = fit_table(State(domain), Noted(attributes=(0,), shares=np.array([0.9, 0.3, -0.4]), precision=1.0))
    assert state.read([(0,)])[0].round(6).tolist() == [0.8, 0.2, 0.0]


def test_nothing_measured_changes_nothing():
    state = State(domain_of((2,)))
    assert fit(state, [], steps=5) is state
    assert prod(state.read([()])[0].shape) == 1


def test_a_start_may_be_a_junction_tree_with_merged_values():
    model = random_tree(5, (3, 4, 2))
    assert any(rare is not None for rare in model.within)
    state = State(model.domain, start=start_of(model))
    assert state.read([(0, 1, 2)])[0] == pytest.approx(tree_joint(model), abs=1e-9)
