"""The statistics the audits lean on, against known values."""

import math

import pytest

from tests.audit_tools import (
    beta_cdf,
    categories_p_value,
    chi_square_tail,
    epsilon_lower_bound,
    lower_bound,
    upper_bound,
)


@pytest.mark.parametrize(
    ("value", "degrees", "tail"),
    [
        (3.841458820694124, 1, 0.05),
        (18.307038053275146, 10, 0.05),
        (149.44925277903886, 100, 0.001),
        (2.0, 2, math.exp(-1)),
    ],
)
def test_chi_square_tails_match_published_quantiles(value, degrees, tail):
    assert chi_square_tail(value, degrees) == pytest.approx(tail, rel=1e-9)


def test_the_beta_function_sums_binomials():
    n, k, p = 20, 6, 0.3
    tail = sum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k, n + 1))
    assert beta_cdf(p, k, n - k + 1) == pytest.approx(tail, rel=1e-12)


@pytest.mark.parametrize(("hits", "trials"), [(0, 50), (3, 50), (50, 50), (400, 100_000)])
def test_clopper_pearson_bounds_meet_their_definition(hits, trials):
    low, high = lower_bound(hits, trials, 0.01), upper_bound(hits, trials, 0.01)
    assert low <= hits / trials <= high
    if hits:
        assert beta_cdf(low, hits, trials - hits + 1) == pytest.approx(0.01, rel=1e-6)
    if hits < trials:
        assert 1 - beta_cdf(high, hits + 1, trials - hits) == pytest.approx(0.01, rel=1e-6)


def test_the_lower_bound_on_epsilon_repeats_row_2_of_the_review():
    assert epsilon_lower_bound(49_800, 0, 100_000) == pytest.approx(8.61, abs=0.03)


def test_a_skewed_die_is_caught_and_a_fair_one_is_not():
    assert categories_p_value([100, 105, 95], [1 / 3] * 3) > 0.5
    assert categories_p_value([100, 205, 95], [1 / 3] * 3) < 1e-6
