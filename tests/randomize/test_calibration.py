"""Margins for links: what noise alone gains, under every kind of randomisation."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest

from tests.randomize.made_networks import draw, draw_strong, each_kept, randomise
from tests.randomize.parties import DENSE_SIX, UNEVEN
from understudy.randomize import Response, UnmixedCounts
from understudy.randomize._calibration import (
    _quadratic,
    draw_null_gain,
    false_link_chance,
    fit_without_link,
    pair_test,
    score_test,
    separate,
)
from understudy.randomize._judge import Candidate, Judge, Rule
from understudy.randomize._tails import chi_squared_quantile
from understudy.schema import Marginal

ALONE = Response(2, Fraction(1))
NULLS = {
    # columns 0 and 1 depend on column 2 alone
    "clean": ([2, 3, 2], [([0], ALONE), ([1], Response(3, Fraction(1))), ([2], ALONE)]),
    "responses": ([2, 3, 2], each_kept([2, 3, 2], "7/10")),
    "child with a parent": ([2, 3, 2], [([0, 2], Response(4, Fraction(6, 10))), ([1], Response(3, Fraction(8, 10)))]),
    "child with the new parent": ([2, 3, 2], [([0, 1], DENSE_SIX), ([2], UNEVEN)]),
    "with a column not asked for": (
        [2, 3, 2, 3],
        [([0, 3], DENSE_SIX), ([1], Response(3, Fraction(8, 10))), ([2], ALONE)],
    ),
}


def null_rows(rng, sizes, n=3000):
    parents = [[2], [2], [], [0]][: len(sizes)]
    order = [2, 0, 1, 3][: len(sizes)]
    place = {column: number for number, column in enumerate(order)}
    drawn = draw(rng, [sizes[c] for c in order], [[place[p] for p in parents[c]] for c in order], n, concentration=2.0)
    return drawn[:, [place[c] for c in range(len(sizes))]]


def weigh(inbox, parents=(2,)):
    [published] = UnmixedCounts(inbox).published([Marginal.of(0, 1, *parents)])
    counts = published.unmixed().counts
    three = counts.reshape(*counts.shape[:2], -1)
    fit = fit_without_link(published, three)
    return published, three, fit


@pytest.mark.slow
@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", NULLS)
def test_without_a_link_the_statistic_exceeds_its_quantile_as_often_as_it_should(name):
    # 200 tables; at a level of 0.1 between 7 and 40 exceed it: the odds of another number are 1 in 2,000 at most
    # (binomial), and the seeds are fixed
    sizes, blocks = NULLS[name]
    rng = np.random.default_rng(5)
    over, total = 0, 0.0
    for _ in range(200):
        inbox = randomise(rng, null_rows(rng, sizes), sizes, blocks)
        test = score_test(*weigh(inbox))
        assert test.freedom == 4
        assert test.inflation > 0.999
        over += test.statistic > chi_squared_quantile(0.1, 4)
        total += test.statistic
    assert binomial_tail(over, 200, 0.1) > 1e-3
    assert 7 <= over <= 40
    assert 3.2 < total / 200 < 4.8  # the mean of 200 chi-squared values: s.e. 0.2


def binomial_tail(k, n, p):
    """The smaller of the two tails at k."""
    below = sum(comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k + 1))
    return min(below, 1 - below + comb(n, k) * p**k * (1 - p) ** (n - k))


def test_a_statistic_that_took_published_counts_for_true_ones_would_be_caught():
    # the wrong twin: given a parent that was randomised, two of its children look dependent on each other
    sizes = [2, 3, 2]
    rng = np.random.default_rng(5)
    over = 0
    for _ in range(20):
        parent_first = draw_strong(rng, [2, 2, 3], [[], [0], [0]], 3000)
        published = randomise(rng, parent_first[:, [1, 2, 0]], sizes, each_kept(sizes, "7/10"))
        codes = np.stack(published.table.columns, axis=1)
        taken = randomise(rng, codes, sizes, each_kept(sizes, "1"))
        over += score_test(*weigh(taken)).statistic > chi_squared_quantile(0.1, 4)
    assert over > 12


def test_on_clean_columns_the_statistic_is_the_likelihood_ratio_and_nearly_so_beside_them():
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 3, (5000, 2))
    rows[:, 1] = np.where(rng.random(5000) < 0.1, rows[:, 0], rows[:, 1])
    published, three, fit = weigh(randomise(rng, rows, [3, 3], each_kept([3, 3], "1")), ())
    table = three[..., 0]
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / 5000
    ratio = 2 * float((table * np.log(table / expected)).sum())
    assert score_test(published, three, fit).statistic == pytest.approx(ratio)
    pearson = float(((table - expected) ** 2 / expected).sum())
    assert pair_test(published).statistic == pytest.approx(pearson)
    hardly = randomise(np.random.default_rng(0), rows, [3, 3], each_kept([3, 3], "999999/1000000"))
    assert score_test(*weigh(hardly, ())).statistic == pytest.approx(pearson, rel=0.01)


def test_for_two_columns_the_statistic_is_that_of_the_published_table():
    # independence of true values is independence of published ones, if they were randomised separately
    rng = np.random.default_rng(2)
    rows = draw(rng, [3, 3], [[], [0]], 4000)
    noisy = randomise(rng, rows, [3, 3], each_kept([3, 3], "7/10"))
    codes = np.stack(noisy.table.columns, axis=1)
    as_clean = randomise(rng, codes, [3, 3], each_kept([3, 3], "1"))
    assert score_test(*weigh(noisy, ())).statistic == pytest.approx(
        score_test(*weigh(as_clean, ())).statistic, rel=0.02
    )


def test_wide_pairs_are_tested_in_the_published_table():
    rng = np.random.default_rng(2)
    rows = draw(rng, [3, 4], [[], [0]], 4000)
    noisy = randomise(rng, rows, [3, 4], each_kept([3, 4], "7/10"))
    published, three, fit = weigh(noisy, ())
    short, long = pair_test(published), score_test(published, three, fit)
    assert separate(published)
    assert short.freedom == long.freedom
    assert short.statistic == pytest.approx(long.statistic, rel=0.02)
    assert short.inflation == pytest.approx(long.inflation, rel=0.1)
    wide = randomise(rng, draw_strong(rng, [40, 40], [[], [0]], 4000), [40, 40], each_kept([40, 40], "7/10"))
    [weighed] = Judge(UnmixedCounts(wide)).weigh([Candidate(1, 0, ())])
    assert weighed.excess > 0
    together = [([0, 1], Response(1600, Fraction(7, 10)))]
    one = randomise(rng, draw_strong(rng, [40, 40], [[], [0]], 400), [40, 40], together)
    assert Judge(UnmixedCounts(one)).weigh([Candidate(1, 0, ())])[0].too_large


def test_a_block_counted_whole_expects_what_its_matrix_makes_of_the_fit():
    sizes, blocks = NULLS["with a column not asked for"]
    rng = np.random.default_rng(3)
    _, _, fit = weigh(randomise(rng, null_rows(rng, sizes), sizes, blocks))
    assert fit.expected.sum() == pytest.approx(3000)
    assert fit.expected.min() >= 0


@pytest.mark.parametrize("score", ["bic", "bayes"])
def test_margins_of_the_papers_scores_are_rarely_exceeded_by_noise(score):
    # 60 tables at a level of 0.01: more than 5 have odds of less than 1 in 10,000
    sizes = [2, 3, 2]
    rng = np.random.default_rng(8)
    over = fixed = 0
    for _ in range(60):
        inbox = randomise(rng, null_rows(rng, sizes), sizes, each_kept(sizes, "7/10"))
        counts = UnmixedCounts(inbox)
        [weighed] = Judge(counts, Rule(score=score, by_chance=0.03)).weigh([Candidate(0, 1, (2,))])
        over += weighed.excess > 0
        assert weighed.eta <= 1
        plain = Rule(score="bayes", eta=0.99) if score == "bayes" else Rule(score="bic", penalty=1.0)
        fixed += Judge(counts, plain).weigh([Candidate(0, 1, (2,))])[0].excess > 0
    assert over <= 5
    assert fixed > 20  # what the paper's fixed values do here


def test_what_noise_gains_is_drawn_the_same_in_every_run():
    sizes = [2, 3, 2]
    inbox = randomise(
        np.random.default_rng(4), null_rows(np.random.default_rng(4), sizes), sizes, NULLS["responses"][1]
    )
    published, three, fit = weigh(inbox)
    drawn = [
        draw_null_gain(published, fit, three.shape, alpha=1.0, rng=np.random.default_rng(1)).likelihood
        for _ in range(2)
    ]
    assert drawn[0] == drawn[1]


def test_the_chance_of_a_false_link_falls_with_rows_and_columns():
    chances = [false_link_chance(n, columns) for n, columns in product((1_000, 100_000), (3, 50))]
    assert chances[0] > chances[2]
    assert chances[0] > chances[1]
    assert chances[1] == pytest.approx(0.1 / 1225)
    assert false_link_chance(0, 1) < 1


def test_directions_without_noise_are_left_out():
    covariance = np.diag([4.0, 1.0, 0.0])
    assert _quadratic(covariance, np.array([2.0, 1.0, 0.0])) == pytest.approx((2.0, 2))
    assert _quadratic(np.diag([4.0, 1.0]), np.array([2.0, 1.0])) == pytest.approx((2.0, 2))
    assert _quadratic(np.diag([4.0, 1.0]), np.zeros(2)) == (0.0, 2)
