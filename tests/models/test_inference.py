"""Inference against the whole joint distribution, and its limits."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.models.random_networks import brute_marginal, condition, joint, random_model
from tests.strategies import models, questions
from understudy._core.errors import UserError
from understudy.models import Network, NetworkModel, Node
from understudy.models._beliefs import Beliefs
from understudy.models._inference import Factor, Link, Problem
from understudy.schema import Attribute, Axis, Domain, Level, Marginal, recode


@given(questions())
def test_a_marginal_equals_the_one_summed_from_the_whole_joint(question):
    model, marginal, evidence = question
    full = joint(model)
    mass = full
    for a, w in evidence.items():
        mass = mass * w.reshape([-1 if i == a else 1 for i in range(full.ndim)])
    assume(mass.sum() > 0)
    expected = brute_marginal(condition(full, evidence), marginal, model.domain)
    got = model.marginal(marginal, evidence=evidence).probabilities
    assert got.shape == expected.shape
    np.testing.assert_allclose(got, expected, atol=1e-12)


@st.composite
def problems(draw):
    """Arbitrary factors and a forest of links: more than any network would ask for."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n = draw(st.integers(1, 6))
    sizes = {v: int(rng.integers(1, 4)) for v in range(n)}
    links = []
    for coarse in range(1, n):
        if rng.random() < 0.5:
            fine = int(rng.integers(0, coarse))
            links.append(Link(fine, coarse, rng.integers(0, sizes[coarse], sizes[fine])))
    factors = []
    for _ in range(draw(st.integers(0, 4))):
        scope = tuple(int(v) for v in rng.permutation(n)[: int(rng.integers(0, 4))])
        factors.append(Factor(scope, rng.random([sizes[v] for v in scope])))
    keep = tuple(int(v) for v in rng.permutation(n)[: int(rng.integers(0, n + 1))])
    return Problem(sizes, tuple(factors), tuple(links)), keep


@given(problems())
def test_elimination_equals_the_sum_over_all_cells(case):
    problem, keep = case
    shape = tuple(problem.sizes[v] for v in range(len(problem.sizes)))
    full = np.zeros(shape)
    for codes in np.ndindex(*shape):
        weight = float(all(link.groups[codes[link.fine]] == codes[link.coarse] for link in problem.links))
        for factor in problem.factors:
            weight *= factor.values[tuple(codes[v] for v in factor.variables)]
        full[codes] = weight
    total = full.sum()
    dropped = tuple(v for v in range(len(shape)) if v not in keep)
    expected = full.sum(axis=dropped).transpose([sorted(keep).index(v) for v in keep])
    got, log_total = problem.marginal(keep)
    np.testing.assert_allclose(got * np.exp(log_total), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(np.exp(log_total), total, rtol=1e-9)


@given(problems())
def test_calibration_gives_the_same_marginals_as_elimination(case):
    problem, keep = case
    expected, log_total = problem.marginal(keep)
    assume(log_total > -np.inf)
    got = Beliefs.of(problem).marginal(keep)
    if got is not None:  # not all of `keep` need meet in one table
        np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-12)


@settings(max_examples=60)
@given(models())
def test_families_come_from_one_pass_and_are_exact(model):
    posterior = model._posterior(None)
    for node, table in zip(model.network.nodes, model.families(), strict=True):
        np.testing.assert_allclose(table, posterior._network_marginal(node.marginal), atol=1e-12)
        mass = table.sum(axis=-1, keepdims=True)
        conditional = np.divide(table, mass, out=np.zeros(table.shape), where=mass > 1e-12)
        own = model.conditionals[model.network.positions[node.child]]
        np.testing.assert_allclose(conditional, np.where(mass > 1e-12, own, 0.0), atol=1e-9)


def test_a_long_chain_of_tiny_weights_keeps_its_logarithm():
    factors = tuple(Factor((i, i + 1), np.full((3, 3), 1e-200)) for i in range(100))
    table, log_total = Problem(dict.fromkeys(range(101), 3), factors).marginal((50,))
    np.testing.assert_allclose(table, np.full(3, 1 / 3))
    np.testing.assert_allclose(log_total, 100 * np.log(1e-200) + 101 * np.log(3))


def test_a_hundred_binary_attributes_are_no_trouble():
    model = random_model(3, (2,) * 100, degree=2)
    marginal = model.marginal(Marginal.of(3, 60, 97)).probabilities
    assert marginal.sum() == pytest.approx(1.0)


def test_a_fine_attribute_used_at_a_coarse_level_never_becomes_a_large_table():
    """Three 1,300-value attributes meet at a 10-value level: over leaves that would be 2·10⁹ cells."""
    place = Attribute(name="x", size=1300, coarser=(Level(groups=tuple(i // 130 for i in range(1300))),))
    domain = Domain(
        (*(Attribute(name=name, size=1300, coarser=place.coarser) for name in "abc"), Attribute(name="y", size=4))
    )
    rng = np.random.default_rng(0)
    nodes = (Node(0), Node(1, (Axis(0, 1),)), Node(2, (Axis(0, 1), Axis(1, 1))), Node(3, (Axis(0, 1), Axis(2, 1))))
    network = Network(domain, nodes)
    conditionals = [rng.dirichlet(np.ones(shape[-1]), shape[:-1]) for shape in map(network.shape, nodes)]
    model = NetworkModel(network, conditionals, recode(domain, "hierarchical"), (), 1)
    by_hand = model.conditionals[0].reshape(10, 130).sum(axis=1)
    second = model.conditionals[1].reshape(10, 10, 130).sum(axis=2)
    third = model.conditionals[2].reshape(10, 10, 10, 130).sum(axis=3)
    expected = np.einsum("a,ab,abc,acy->y", by_hand, second, third, model.conditionals[3])
    problem, keep = model._posterior(None)._problem(frozenset(range(4)), _query_of(model, Marginal.of(3)))
    assert problem.plan(keep).largest <= 1300 * 100
    np.testing.assert_allclose(model.marginal(Marginal.of(3)).probabilities, expected)


def _query_of(model, marginal):
    from understudy.models._posterior import _Query

    return _Query.of(marginal, model.recoding)


def test_a_query_that_is_too_large_is_refused_before_it_is_computed():
    model = random_model(1, (9,) * 12)
    with pytest.raises(UserError, match=r"the marginal of 'a0', .* needs a table of at least 282,429,536,481 cells"):
        model.marginal(Marginal.of(*range(12)))


@pytest.mark.parametrize("encoding", ["hierarchical", "binary"])
def test_evidence_on_everything_else_leaves_a_small_problem(encoding):
    """Twelve nine-value attributes: tangled beyond any table, yet all but one are known."""
    model = random_model(6, (9,) * 12, encoding, sparse=False)
    codes = np.random.default_rng(0).integers(0, 9, 12)
    evidence = {a: np.eye(9)[codes[a]] for a in range(1, 12)}
    weights = np.zeros(9)
    for code in range(9):
        patterns = np.flatnonzero(np.array(model.recoding.back[0]) == code)
        for pattern in patterns:
            weights[code] += _weight_of(model, pattern, codes)
    got = model.marginal(Marginal.of(0), evidence=evidence).probabilities
    np.testing.assert_allclose(got, weights / weights.sum(), atol=1e-12)


def _weight_of(model, pattern, codes):
    """Total weight of a pattern of attribute 0's pieces with the other attributes' codes."""
    domain, recoding = model.network.domain, model.recoding
    choices = [[pattern]] + [np.flatnonzero(np.array(recoding.back[a]) == codes[a]) for a in range(1, 12)]
    # codes 0 … 7 have one pattern each; only the last code has several
    total = 0.0
    for chosen in itertools.product(*choices):
        value = {}
        for pieces, number in zip(recoding.pieces, chosen, strict=True):
            value.update(zip(pieces, np.unravel_index(number, [domain[p].size for p in pieces]), strict=True))
        p = 1.0
        for node, table in zip(model.network.nodes, model.conditionals, strict=True):
            cell = tuple(domain[x.attribute].groups_at(x.level)[value[x.attribute]] for x in node.parents)
            p *= table[(*cell, value[node.child])]
        total += p
    return total


@pytest.mark.slow
def test_families_of_a_tangled_network_are_counted_from_sampled_rows():
    model = random_model(5, (2,) * 300, degree=4)
    with pytest.raises(UserError, match="the model needs a table"):
        model._posterior(None).network_marginals([node.marginal for node in model.network.nodes])
    root = next(node for node in model.network.nodes if not node.parents)
    at = model.network.positions[root.child]
    np.testing.assert_allclose(model.families()[at], model.conditionals[at], atol=1e-5)


def test_impossible_evidence_is_refused():
    domain = Domain((Attribute(name="a", size=2), Attribute(name="b", size=2)))
    network = Network(domain, (Node(0), Node(1, (Axis(0),))))
    model = NetworkModel(network, ([0.5, 0.5], [[1, 0], [0, 1]]), recode(domain, "vanilla"), (), 10)
    evidence = {0: np.array([1.0, 0.0]), 1: np.array([0.0, 1.0])}
    with pytest.raises(UserError, match="'a', 'b' has probability 0"):
        model.marginal(Marginal.of(0), evidence=evidence)


@pytest.mark.parametrize(
    ("evidence", "words"),
    [
        ({7: np.ones(2)}, "attribute 7"),
        ({0: np.ones(3)}, "one weight for each of its 2 codes"),
        ({0: np.array([-1.0, 1.0])}, "not negative"),
        ({0: np.array([np.nan, 1.0])}, "finite"),
        ({0: np.zeros(2)}, "allows no value"),
    ],
)
def test_malformed_evidence_is_refused_with_a_reason(evidence, words):
    with pytest.raises(UserError, match=words):
        random_model(0, (2, 3)).marginal(Marginal.of(0), evidence=evidence)
