"""Conditional probabilities from un-mixed counts: their variances by enumeration, and their spread over many runs."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from tests.randomize.parties import DENSE_SIX, UNEVEN, columns_of, exact_rows, made_plan, one_party
from understudy.models import Network, Node
from understudy.randomize import Inbox, Response, UnmixedCounts
from understudy.randomize._parameters import conditional, covariance_with_parents, learn_families
from understudy.schema import Axis, Marginal

FLIPS, TERNARY = Response(2, Fraction(3, 4)), Response(3, Fraction(4, 5))
PLANS = {
    "separately": made_plan([2, 3], [([0], UNEVEN), ([1], TERNARY)]),
    "parent and child together": made_plan([2, 3], [([0, 1], DENSE_SIX)]),
    "with a third column": made_plan([2, 3, 2], [([0, 2], Response(4, Fraction(5, 8))), ([1], TERNARY)]),
    "left alone": made_plan([2, 3], [([0], Response(2, Fraction(1))), ([1], TERNARY)]),
}


@pytest.mark.parametrize("name", PLANS)
def test_the_covariance_of_a_cell_with_its_parents_count_is_that_of_the_whole_matrix(name):
    plan = PLANS[name]
    rng = np.random.default_rng(3)
    rows = np.stack([rng.integers(0, field.size, 40) for field in plan.schema.fields], axis=1)
    counts = UnmixedCounts(one_party(plan, rows.tolist()))
    for marginal in (Marginal.of(0, 1), Marginal.of(1, 0)):
        [published] = counts.published([marginal])
        full = published.covariance()
        shape = marginal.shape(counts.domain)
        summed = full.reshape(*shape, *shape).sum(axis=-1)  # of each cell with each row of the table
        expected = np.stack([summed[j, :, j] for j in range(shape[0])])
        np.testing.assert_allclose(covariance_with_parents(published), expected, atol=1e-8)


def test_the_variance_of_a_ratio_is_exact_to_first_order_by_enumeration():
    # all ways to publish three rows: the linearised ratio's variance is that of Σ (1[k] − θ)·N̂_jk / N_j
    plan = made_plan([2, 2], [([0], UNEVEN), ([1], FLIPS)])
    truth = [(0, 0), (0, 1), (0, 1)]
    theta, total = 2 / 3, 3.0
    mean = second = estimated = 0.0
    matrices = [exact_rows(UNEVEN), exact_rows(FLIPS)]
    network = Network(plan.schema.domain, (Node(0), Node(1, (Axis(0),))))
    for published in product(product(range(2), range(2)), repeat=3):
        chance = 1.0
        for (a, b), (c, d) in zip(truth, published, strict=True):
            chance *= float(matrices[0][a][c] * matrices[1][b][d])
        counts = UnmixedCounts(one_party(plan, [list(row) for row in published]))
        [one] = counts.estimates([Marginal.of(0, 1)])
        moved = ((1 - theta) * one.counts[0, 1] - theta * one.counts[0, 0]) / total
        mean += chance * moved
        second += chance * moved**2
        # the plug-in formula at the true θ and N_j, which the family's formula has at their estimates
        [table] = counts.published([Marginal.of(0, 1)])
        against = covariance_with_parents(table)
        variance = one.variance[0, 1] - 2 * theta * against[0, 1] + theta**2 * against[0].sum()
        estimated += chance * variance / total**2
    assert len(learn_families(counts, network)) == 2
    assert mean == pytest.approx(0, abs=1e-12)
    assert estimated == pytest.approx(second, rel=1e-9)


def test_ratios_scatter_by_their_standard_errors():
    # 300 runs: a variance ratio within 0.6 and 1.6 has odds of less than 1 in a million to fail
    rng = np.random.default_rng(11)
    plan = made_plan([2, 3], [([0], FLIPS), ([1], TERNARY)])
    network = Network(plan.schema.domain, (Node(0), Node(1, (Axis(0),))))
    truth = np.stack([rng.integers(0, 2, 4000), rng.integers(0, 3, 4000)], axis=1)
    truth[:, 1] = np.where(rng.random(4000) < 0.5, truth[:, 0], truth[:, 1])
    shares = np.array([[np.mean(truth[truth[:, 0] == a, 1] == b) for b in range(3)] for a in range(2)])
    scores = []
    for _ in range(300):
        flipped = np.where(rng.random(4000) < 0.75, truth[:, 0], 1 - truth[:, 0])
        other = (truth[:, 1] + rng.integers(1, 3, 4000)) % 3
        moved = np.where(rng.random(4000) < 0.8, truth[:, 1], other)
        inbox = Inbox([columns_of(plan, np.stack([flipped, moved], axis=1))])
        family = learn_families(UnmixedCounts(inbox), network, how="projection")[1]
        assert family.reliable.all()
        assert (family.population_error >= family.standard_error).all()
        scores.append((family.ratio - shares) / family.standard_error)
    spread = np.mean(np.square(scores), axis=0)
    assert (spread > 0.6).all()
    assert (spread < 1.6).all()
    assert abs(np.mean(scores, axis=0)).max() < 0.35


def test_clean_columns_give_plain_shares_without_error():
    plan = made_plan([2, 2], [([0], Response(2, Fraction(1))), ([1], Response(2, Fraction(1)))])
    counts = UnmixedCounts(one_party(plan, [[0, 0], [0, 1], [0, 1], [0, 1]]))
    network = Network(plan.schema.domain, (Node(0), Node(1, (Axis(0),))))
    family = learn_families(counts, network)[1]
    assert family.probabilities[0].tolist() == pytest.approx([0.25, 0.75])
    assert family.standard_error[0].tolist() == pytest.approx([0, 0], abs=1e-9)
    assert family.population_error[0] == pytest.approx([np.sqrt(0.25 * 0.75 / 4)] * 2)
    assert np.isnan(family.ratio[1]).all()  # nobody has these parents
    assert family.probabilities[1].tolist() == pytest.approx([0.25, 0.75])  # so the overall shares stand in
    assert not family.reliable[1]
    smoothed = learn_families(counts, network, prior=1.0)[1]
    assert smoothed.ratio.ravel().tolist() == pytest.approx([2 / 6, 4 / 6, 0.5, 0.5])
    assert smoothed.probabilities.ravel().tolist() == pytest.approx([2 / 6, 4 / 6, 0.5, 0.5])


def test_a_family_is_told_in_labels_with_gaps_where_nothing_is_known():
    plan = made_plan([2, 2], [([0], Response(2, Fraction(1))), ([1], FLIPS)])
    counts = UnmixedCounts(one_party(plan, [[0, 0], [0, 1]] * 20))
    network = Network(plan.schema.domain, (Node(0), Node(1, (Axis(0),))))
    family = learn_families(counts, network)[1]
    told = family.to_dict(plan.schema)
    assert told["variable"] == "c1"
    assert told["configurations"][0]["given"] == {"c0": "v0"}
    assert told["configurations"][0]["ratios"] == [0.5, 0.5]
    assert told["configurations"][1]["ratios"] == [None, None]


def test_a_family_whose_errors_swamp_it_says_so():
    plan = made_plan([2, 2], [([0], Response(2, Fraction(51, 100))), ([1], Response(2, Fraction(51, 100)))])
    rng = np.random.default_rng(1)
    counts = UnmixedCounts(one_party(plan, rng.integers(0, 2, (100, 2)).tolist()))
    network = Network(plan.schema.domain, (Node(0), Node(1, (Axis(0),))))
    assert learn_families(counts, network, how="projection")[1].swamped
    clean = made_plan([2, 2], [([0], Response(2, Fraction(1))), ([1], Response(2, Fraction(1)))])
    kept = UnmixedCounts(one_party(clean, rng.integers(0, 2, (100, 2)).tolist()))
    assert not learn_families(kept, network)[1].swamped


def test_rows_without_mass_fall_back_even_where_nothing_is_left():
    assert conditional(np.zeros((2, 2))).tolist() == [[0.5, 0.5], [0.5, 0.5]]
