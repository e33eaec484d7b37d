"""Junction trees: every answer against the joint distribution, cell by cell; rows; the network view; bad trees."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.models.random_networks import brute_marginal, condition, joint
from tests.models.random_trees import calibrated, random_tree, tree_joint
from tests.models.test_sampling import ALARM, chi_square, counts, sampled
from tests.naive.drawing import naive_dealt
from tests.strategies import marginals
from understudy._core.errors import UserError
from understudy.models import CliqueTree, NetworkModel, TreeMeasurement, TreeModel, Within
from understudy.models._tree_drawing import relation_strengths
from understudy.models._tree_inference import Forest
from understudy.schema import Attribute, Axis, Domain, Level, Marginal

EDGE = np.array([[0.4, 0.1], [0.1, 0.4]])


def binary(n):
    return Domain(tuple(Attribute(name=f"a{i}", size=2) for i in range(n)))


def chain(n, edge=EDGE):
    """Each attribute next to the one before."""
    cliques = tuple((i, i + 1) for i in range(n - 1))
    return CliqueTree((2,) * n, cliques, tuple(range(-1, n - 2)), (edge,) * (n - 1))


@st.composite
def trees(draw, **options):
    sizes = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=5)))
    return random_tree(draw(st.integers(0, 10**6)), sizes, **options)


@st.composite
def tree_questions(draw):
    """A tree, a marginal at any levels, and evidence, hard or soft."""
    model = draw(trees())
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    evidence = {}
    for a in draw(st.lists(st.integers(0, len(model.domain) - 1), unique=True, max_size=3)):
        weights = rng.random(model.domain[a].size) * (rng.random(model.domain[a].size) < 0.6)
        weights[0] += 0.1
        evidence[a] = (weights > 0).astype(float) if rng.random() < 0.5 else weights
    return model, draw(marginals(model.domain)), evidence


@given(tree_questions())
def test_answers_are_those_of_the_joint_distribution(question):
    model, marginal, evidence = question
    full = tree_joint(model)
    assert full.sum() == pytest.approx(1)
    for a, weights in evidence.items():
        full = full * weights.reshape([-1 if i == a else 1 for i in range(full.ndim)])
    if full.sum() < 1e-12:
        with pytest.raises(UserError, match="probability 0 under the model"):
            model.marginal(marginal, evidence=evidence)
        return
    found = model.marginal(marginal, evidence=evidence, errors=False)
    assert found.standard_error is None
    assert found.probabilities == pytest.approx(brute_marginal(full / full.sum(), marginal, model.domain), abs=1e-9)


@given(trees())
def test_the_network_has_the_distribution_of_the_tree(model):
    view = NetworkModel(model.network, model.conditionals, model.recoding, (), model.n)
    assert joint(view) == pytest.approx(tree_joint(model), abs=1e-9)
    for node, family in zip(model.network.nodes, model.families(), strict=True):
        assert family == pytest.approx(brute_marginal(tree_joint(model), node.marginal, model.network.domain), abs=1e-9)


@given(trees(), st.integers(0, 3), st.integers(1, 40))
def test_within_each_separator_counts_are_expectations_rounded(model, seed, n):
    """Level by level: of m rows that share a separator's value, what a clique adds comes m times p, give or take 1."""
    columns = sampled(model, n, seed=seed)
    codes = [c if rare is None else rare.codes[c] for c, rare in zip(columns, model.within, strict=True)]
    for clique, belief, shared in zip(model.tree.cliques, model.tree.beliefs, model.tree.separators, strict=True):
        found = np.zeros(belief.shape)
        np.add.at(found, tuple(codes[a] for a in clique), 1)
        new = tuple(i for i, a in enumerate(clique) if a not in shared)
        below = belief.sum(axis=new, keepdims=True)
        expected = np.divide(belief, below, out=np.zeros(belief.shape), where=below > 0)
        assert np.abs(found - found.sum(axis=new, keepdims=True) * expected).max() < 1
    for column, rare in zip(columns, model.within, strict=True):
        if rare is not None:
            found = np.bincount(column, minlength=len(rare.codes))
            assert np.abs(found - np.bincount(rare.codes, weights=found)[rare.codes] * rare.shares).max() < 1


def test_counts_are_unbiased_over_all_random_starts():
    """The start of a systematic draw runs through [0, 1): the mean count of each cell is its expectation."""
    from understudy.models._kernels import draw_balanced

    weights = np.array([0.13, 0.0, 0.37, 0.5])
    cumulative, m = np.cumsum(weights), 3
    total, words = np.zeros(4), 512
    for i in range(words):
        # the state whose first word gives u = (i + ½)/words: s0 + s3 = 0 and s0 the wanted word
        u = np.uint64(((2 * i + 1) << 63) // words)
        state = np.array([u, 1, 2, np.uint64((1 << 64) - int(u))], dtype=np.uint64)
        out, values, ends = np.empty(m, np.uint8), np.empty(m, np.uint8), np.empty(1, np.int32)
        draw_balanced(
            np.zeros(m, np.int32),
            np.array([0]),
            np.array([4]),
            cumulative,
            np.arange(4, dtype=np.uint8),
            state,
            ends,
            values,
            out,
        )
        total += np.bincount(out, minlength=4)
    assert total / words == pytest.approx(m * weights, abs=1 / words)


class Scripted:
    """A generator that says what it is told."""

    def __init__(self, u, start):
        self.u, self.start = u, start

    def unit(self):
        return self.u

    def below(self, n):
        return self.start


def test_each_row_has_each_cell_with_its_probability_over_all_starts():
    """The two random numbers of a separator's value run through all they can be: no row is favoured by its place."""
    weights = np.array([0.13, 0.0, 0.37, 0.5])
    m, grid = 7, 200
    seen = np.zeros((m, 4))
    for i in range(grid):
        for start in range(m):
            rng = Scripted(Fraction(2 * i + 1, 2 * grid), start)
            dealt = naive_dealt([0] * m, [3, 1, 0, 6, 2, 5, 4], [0], [4], np.cumsum(weights).tolist(), range(4), rng)
            seen[range(m), dealt] += 1 / (grid * m)
    assert seen == pytest.approx(np.tile(weights, (m, 1)), abs=1 / grid)


def test_what_cliques_do_not_share_is_spread_evenly_too():
    """A chain a – b – c: of rows with one b, c is dealt out along a, so that all three agree with the model closely."""
    rng = np.random.default_rng(8)
    tree = calibrated(rng, (4, 3, 5), ((0, 1), (1, 2)), (-1, 0), sparse=False)
    model = TreeModel(
        Domain(tuple(Attribute(name=f"a{i}", size=size) for i, size in enumerate((4, 3, 5)))), 1, tree=tree
    )
    n, full = 10_000, tree_joint(model)
    worst = {
        way: np.mean(
            [np.abs(counts(model, sampled(model, n, seed=s, independent=way)) - n * full).max() for s in range(5)]
        )
        for way in (False, True)
    }
    assert worst[False] < 4
    assert worst[True] > 20


@pytest.mark.parametrize("independent", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_rows_follow_the_joint_distribution(independent, seed):
    model = random_tree(seed, (3, 5, 2, 4), sparse=False)
    n = 200_000
    assert chi_square(counts(model, sampled(model, n, independent=independent)), n * tree_joint(model)) < ALARM


@pytest.mark.parametrize("independent", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_rows_under_evidence_follow_the_conditional_distribution(independent, seed):
    model = random_tree(seed, (3, 5, 2, 4), sparse=False)
    evidence = {0: np.array([0.2, 1.0, 0.0]), 3: np.array([0.0, 1.0, 1.0, 0.1])}
    n = 100_000
    found = counts(model, sampled(model, n, evidence=evidence, independent=independent))
    assert chi_square(found, n * condition(tree_joint(model), evidence)) < ALARM


def test_the_chi_square_catches_another_tree():
    model, twin = random_tree(1, (3, 5, 2, 4), sparse=False), random_tree(2, (3, 5, 2, 4), sparse=False)
    n = 100_000
    assert chi_square(counts(model, sampled(twin, n)), n * tree_joint(model)) > ALARM


def test_evidence_that_is_less_likely_than_any_double_is_weighed_in():
    """A chain of 3,000: the evidence has probability about 10⁻²¹⁰⁰, and its end still says what the middle is."""
    n, edge = 3000, np.array([[0.49999, 0.00001], [0.00001, 0.49999]])
    model = TreeModel(binary(n), 10, tree=chain(n, edge))
    flips = {a: np.array([1.0, 0.0]) if a % 2 else np.array([0.0, 1.0]) for a in range(n - 1)}
    found = model.marginal(Marginal.of(n - 1), evidence=flips).probabilities
    assert found == pytest.approx([0.00002, 0.99998] if (n - 2) % 2 == 0 else [0.99998, 0.00002], rel=1e-9)
    columns = sampled(model, 50, evidence=flips)
    assert all((columns[a] == (0 if a % 2 else 1)).all() for a in flips)


def test_a_condition_that_only_an_unlikely_way_allows_is_possible():
    """Message by message the likelier way is 10⁴⁰⁰ times the other, and then it is ruled out."""
    n = 202
    edge = np.array([[0.4999, 0.0001], [0.25, 0.25]])
    cliques = tuple((0, i) for i in range(1, n))
    top = np.array([[0.5, 0.0], [0.0, 0.5]])
    tree = CliqueTree((2,) * n, cliques, (-1,) + (0,) * (n - 2), (top,) + (edge,) * (n - 2))
    model = TreeModel(binary(n), 10, tree=tree)
    seen = {a: np.array([0.0, 1.0]) for a in range(2, n)} | {1: np.array([1.0, 0.0])}
    assert model.marginal(Marginal.of(0), evidence=seen).probabilities.tolist() == [1.0, 0.0]


def test_a_marginal_needs_only_what_connects_its_attributes():
    forest = Forest.of(chain(50))
    assert [b.variables for b in forest.connecting({3, 6}).beliefs] == [(3, 4), (4, 5), (5, 6)]
    assert [b.variables for b in forest.connecting({7}).beliefs] == [(7,)]
    assert forest.connecting(()).beliefs[0].values == pytest.approx(1)


def test_a_long_marginal_at_coarse_levels_needs_no_large_table():
    """Leaf by leaf it would have 10⁹ cells."""
    rng = np.random.default_rng(0)
    size, cliques = 1000, ((0, 1), (1, 2))
    half = Level(groups=tuple(int(g) for g in np.arange(size) >= 300))
    domain = Domain(tuple(Attribute(name=f"a{i}", size=size, coarser=(half,)) for i in range(3)))
    tree = calibrated(rng, (size,) * 3, cliques, (-1, 0), sparse=False)
    model = TreeModel(domain, 10, tree=tree)
    found = model.marginal(Marginal.of((0, 1), (1, 1), (2, 1))).probabilities
    grouped = [b.reshape(size, size) @ np.eye(2)[half.array] for b in tree.beliefs]
    first = np.eye(2)[half.array].T @ tree.beliefs[0]  # groups of a0 by a1
    given_middle = grouped[1] / tree.beliefs[1].sum(axis=1)[:, None]
    expected = np.einsum("am,mb,mc->abc", first, np.eye(2)[half.array], given_middle)
    assert found == pytest.approx(expected, abs=1e-9)
    with pytest.raises(UserError, match=r"'a0', 'a1', 'a2' needs a table of at least 1,000,000,000 cells"):
        model.marginal(Marginal.of(0, 1, 2))


def test_merged_values_in_several_groups_of_a_level_are_shared_out():
    level = Level(groups=(0, 0, 1, 1, 1))
    domain = Domain((Attribute(name="drug", size=5, coarser=(level,)), Attribute(name="sex", size=2)))
    rare = Within(np.array([0, 1, 1, 1, 2]), np.array([1.0, 0.5, 0.3, 0.2, 1.0]))
    table = np.array([[0.1, 0.2], [0.3, 0.1], [0.2, 0.1]])
    model = TreeModel(domain, 9, tree=CliqueTree((3, 2), ((0, 1),), (-1,), (table,)), within=[rare, None])
    found = model.marginal(Marginal.of(1, (0, 1))).probabilities
    assert found == pytest.approx(np.array([[0.25, 0.35], [0.25, 0.15]]))


@pytest.mark.parametrize("smallest", [1e-5, 1e-300, 5e-324])
def test_soft_evidence_may_be_next_to_nothing(smallest):
    rare = Within(np.array([0, 1, 1]), np.array([1.0, 0.25, 0.75]))
    domain = Domain((Attribute(name="drug", size=3), Attribute(name="sex", size=2)))
    tree = CliqueTree((2, 2), ((0, 1),), (-1,), (np.array([[0.5, 0.0], [0.0, 0.5]]),))
    model = TreeModel(domain, 9, tree=tree, within=[rare, None])
    evidence = {0: np.array([1.0, smallest, 0.0]), 1: np.array([0.0, 1.0])}
    try:
        found = model.marginal(Marginal.of(0), evidence=evidence).probabilities
    except UserError:  # a quarter of the smallest double is none
        assert smallest * 0.25 == 0
        return
    assert found == pytest.approx([0.0, 1.0, 0.0])


def test_values_that_are_not_merged_after_all_are_left_alone():
    same = Within(np.arange(2), np.ones(2))
    model = TreeModel(binary(2), 9, tree=chain(2), within=[same, None])
    assert tuple(model.within) == (None, None)


BROKEN = {
    "disagree on what they share": ((2, 2, 2), ((0, 1), (1, 2)), (-1, 0), (EDGE, np.array([[0.5, 0.1], [0.0, 0.4]]))),
    "must be non-negative and sum to 1": ((2, 2), ((0, 1),), (-1,), (EDGE * 2,)),
    "non-negative": ((2, 2), ((0, 1),), (-1,), (np.array([[1.1, -0.1], [0, 0]]),)),
    "sum to 1": ((2, 2), ((0, 1),), (-1,), (np.array([[np.nan, 0.5], [0.5, 0]]),)),
    "needs shape": ((2, 3), ((0, 1),), (-1,), (EDGE,)),
    "its parent must come before it": ((2, 2, 2), ((0, 1), (1, 2)), (-1, 1), (EDGE, EDGE)),
    "that its parent does not hold": ((2, 2, 2), ((0, 1), (1, 2)), (-1, -1), (EDGE, EDGE)),
    "rising order": ((2, 2), ((1, 0),), (-1,), (EDGE,)),
    "each once": ((2, 2), ((0, 0), (0, 1)), (-1, 0), (EDGE, EDGE)),
    "at least one": ((2, 2), ((0, 1), ()), (-1, -1), (EDGE, np.ones(()))),
    "every attribute must be in a clique": ((2, 2, 2), ((0, 1),), (-1,), (EDGE,)),
    "attributes that are not there": ((2,), ((0, 1),), (-1,), (EDGE,)),
    "as many parents": ((2, 2), ((0, 1),), (-1, 0), (EDGE,)),
    "as many beliefs": ((2, 2), ((0, 1),), (-1,), (EDGE, EDGE)),
    "at least one value": ((2, 0), ((0,), (1,)), (-1, -1), (np.ones(2) / 2, np.ones(0))),
    "cells": ((1 << 14, 1 << 14), ((0, 1),), (-1,), (EDGE,)),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_what_is_no_calibrated_tree_is_refused(fault):
    with pytest.raises(ValueError, match=fault):
        CliqueTree(*BROKEN[fault])


@pytest.mark.parametrize(
    ("codes", "shares"),
    [
        ([0, 2], [1.0, 1.0]),
        ([0, -1], [1.0, 1.0]),
        ([0, 0], [0.5, 0.6]),
        ([0, 0], [1.5, -0.5]),
        ([0, 0], [np.nan, 1.0]),
        ([0], [0.5, 0.5]),
        ([], []),
    ],
)
def test_merged_values_that_do_not_add_up_are_refused(codes, shares):
    with pytest.raises(ValueError, match="merged"):
        Within(np.array(codes, dtype=np.int64), np.array(shares))


def test_a_model_whose_parts_do_not_fit_is_refused():
    rare = Within(np.array([0, 0]), np.array([0.5, 0.5]))
    fits = TreeMeasurement(marginal=(0, 1), values=EDGE, variance=1.0, interaction=False)
    wide = TreeMeasurement(marginal=(0,), values=np.ones(3), variance=1.0, interaction=False)
    gone = TreeMeasurement(marginal=(7,), values=np.ones(2), variance=1.0, interaction=False)
    assert TreeModel(binary(2), 9, tree=chain(2), measurements=[fits]).measurements == (fits,)
    for options in ({"within": [rare, None]}, {"within": [None]}, {"measurements": [wide]}, {"measurements": [gone]}):
        with pytest.raises(ValueError):
            TreeModel(binary(2), 9, tree=chain(2), **options)
    with pytest.raises(ValueError, match="as many sizes"):
        TreeModel(binary(3), 9, tree=chain(2))


def test_a_measured_table_that_is_none_is_refused():
    for values, variance in ((EDGE, 1.0), (np.array([np.inf, 0.0]), 1.0), (np.ones(2), np.nan), (np.ones(2), -1.0)):
        with pytest.raises(ValueError, match="a measured table"):
            TreeMeasurement(marginal=(0,), values=values, variance=variance, interaction=False)


def test_evidence_out_of_reach_is_refused_with_a_sentence():
    tree = CliqueTree((2, 2), ((0, 1),), (-1,), (np.array([[0.5, 0.0], [0.0, 0.5]]),))
    model = TreeModel(binary(2), 9, tree=tree)
    evidence = {0: np.array([1.0, 0.0]), 1: np.array([0.0, 1.0])}
    with pytest.raises(UserError, match="'a0', 'a1' has probability 0 under the model"):
        model.marginal(Marginal.of(0), evidence=evidence)
    with pytest.raises(UserError, match="probability 0"):
        sampled(model, 5, evidence=evidence)


def test_a_network_that_would_fill_the_memory_is_refused_table_by_table():
    size, n_merged = 70_000, 300
    codes = np.minimum(np.arange(size), n_merged - 1)
    shares = 1.0 / np.bincount(codes)[codes]
    rare = Within(codes, shares)
    domain = Domain((Attribute(name="zip", size=size), Attribute(name="job", size=size)))
    rng = np.random.default_rng(0)
    tree = calibrated(rng, (n_merged, n_merged), ((0, 1),), (-1,), sparse=False)
    model = TreeModel(domain, 9, tree=tree, within=[rare, rare])
    assert model.network.nodes[1].parents == (Axis(0, 1),)
    assert model.conditionals[0].shape == (size,)
    with pytest.raises(UserError, match="'job' needs a table of 21,000,000 cells"):
        list(model.conditionals)


def test_a_drawing_has_a_line_for_each_pair_that_was_measured():
    measured = [
        TreeMeasurement(marginal=attributes, values=np.zeros((2,) * len(attributes)), variance=1.0, interaction=True)
        for attributes in ((0,), (0, 1), (2, 1), (0, 3))
    ]
    model = TreeModel(binary(5), 9, tree=chain(5), measurements=measured)
    picture = model.to_svg(title="A & B <c>")
    assert picture == model.to_svg(title="A & B <c>")
    root = ElementTree.fromstring(picture)
    titles = {element.text for element in root.iter("{http://www.w3.org/2000/svg}title")}
    lines = {text.split(":")[0] for text in titles if " – " in text}
    assert {frozenset(line.split(" – ")) for line in lines} == {
        frozenset(pair) for pair in (("a0", "a1"), ("a1", "a2"), ("a0", "a3"))
    }
    words = {element.text for element in root.iter("{http://www.w3.org/2000/svg}text")}
    assert "5 attributes · 3 relations" in words
    assert {f"a{i}" for i in range(5)} <= words


def test_how_strongly_two_attributes_are_tied_is_their_mutual_information():
    model = TreeModel(binary(3), 9, tree=chain(3))
    found = relation_strengths(model)
    bits = 1 + 2 * (0.4 * np.log2(0.8) + 0.1 * np.log2(0.2))
    assert found == pytest.approx({(0, 1): bits, (1, 2): bits})
    far = TreeMeasurement(marginal=(0, 2), values=np.zeros((2, 2)), variance=1.0, interaction=True)
    found = relation_strengths(TreeModel(binary(3), 9, tree=chain(3), measurements=[far]))
    assert found == pytest.approx({(0, 2): 1 + 2 * (0.34 * np.log2(0.68) + 0.16 * np.log2(0.32))})
