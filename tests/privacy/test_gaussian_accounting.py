"""Gaussian accounting against mpmath, dp-accounting and twins that are broken on purpose."""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest

from tests.audit_tools import gaussian_pmf
from tests.gaussian import delta_of, mu_at, mu_squared_between
from understudy.privacy import GDPBudget, Sensitivity, epsilon_for, epsilon_of_part, make_budget
from understudy.privacy._normal import digits, tail_bounds

inverse = NormalDist().inv_cdf
ONE = Sensitivity(l1=Fraction(1), l2_squared=Fraction(1))


@pytest.fixture
def mp():
    mpmath = pytest.importorskip("mpmath")
    with mpmath.workdps(120):
        yield mpmath


@pytest.fixture
def pld():
    """dp-accounting's privacy loss distributions."""
    return pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")


@pytest.mark.parametrize("x", ["0", "0.001", "0.7", "3.9", "7.9999", "8", "8.0001", "15", "38", "300", "-0.5", "-9"])
@pytest.mark.parametrize("precision", [20, 45, 70])
def test_tails_lie_between_their_bounds_which_are_close(mp, x, precision):
    from decimal import Decimal

    with digits(precision):
        low, high = tail_bounds(Decimal(x))
    exact = mp.ncdf(-mp.mpf(x))
    assert mp.mpf(str(low)) <= exact <= mp.mpf(str(high))
    assert high - low <= high * Decimal(10) ** (8 - precision)


@pytest.mark.parametrize("delta", ["1e-3", "1e-9", "1e-30", "0.3"])
@pytest.mark.parametrize("epsilon", ["1e-6", "0.05", "1", "12", "5000"])
def test_mu_is_the_largest_of_twelve_digits_whose_delta_is_small_enough(mp, epsilon, delta):
    square = make_budget(epsilon, delta).mu_squared
    wanted, most = mp.mpf(epsilon), mp.mpf(delta)

    def exact(square):
        mu = mp.sqrt(mp.mpf(square.numerator) / square.denominator)
        return mp.ncdf(mu / 2 - wanted / mu) - mp.exp(wanted) * mp.ncdf(-mu / 2 - wanted / mu)

    assert exact(square) <= most
    assert exact(square * (1 + Fraction(1, 10**10))) > most
    back = epsilon_for(square, Fraction(delta))
    assert abs(back - Fraction(epsilon)) <= Fraction(epsilon) / 10**10 + Fraction(delta) / 10**6


@pytest.mark.parametrize(("epsilon", "delta"), [("0.3", "1e-6"), ("1", "1e-9"), ("3", "1e-5")])
def test_dp_accounting_agrees_on_the_noise_of_one_count(pld, epsilon, delta):
    budget = make_budget(epsilon, delta)
    deviation = math.sqrt(budget.noise_for(Fraction(1), ONE).scale)
    theirs = pld.from_gaussian_mechanism(deviation, value_discretization_interval=1e-4)
    assert theirs.get_delta_for_epsilon(float(epsilon)) == pytest.approx(float(delta), rel=0.02)


def composed(pld, noises, ranges, *, pessimistic):
    """Gaussian steps and choices, each the worst of its range, by dp-accounting's convolutions."""
    options = {"value_discretization_interval": 2e-4, "pessimistic_estimate": pessimistic}
    parts = [pld.from_gaussian_mechanism(deviation, **options) for deviation in noises]
    for eta in ranges:
        high = 1 / (1 + math.exp(-eta / 2))
        up, down = ({0: math.log(p), 1: math.log1p(-p)} for p in (high, 1 - high))
        parts.append(pld.from_two_probability_mass_functions(down, up, **options))
    total = parts[0]
    for part in parts[1:]:
        total = total.compose(part)
    return total


@pytest.mark.parametrize(("epsilon", "delta"), [("1", "1e-6"), ("4", "1e-5")])
@pytest.mark.parametrize("steps", [(1, 1), (4, 6), (2, 20)])
def test_steps_and_choices_together_keep_the_delta_by_dp_accounting(pld, epsilon, delta, steps):
    """Tables and choices that share a budget evenly: no ε has more than the δ of the budget's μ."""
    budget, (tables, choices) = make_budget(epsilon, delta), steps
    share = Fraction(1, tables + choices)
    deviation = math.sqrt(budget.noise_for(share, ONE).scale)
    eta = float(budget.rate_for(share, Fraction(2))) * 2
    total = composed(pld, [deviation] * tables, [eta] * choices, pessimistic=True)
    assert total.get_delta_for_epsilon(float(epsilon)) <= float(delta)
    mu = math.sqrt(budget.mu_squared)
    for threshold in (0.0, 0.3 * mu, mu):
        found, bound = total.get_delta_for_epsilon(threshold), delta_of(mu, threshold)
        assert 0.5 * bound < found <= 1.01 * bound  # their estimate errs upwards by its grid


def test_one_choice_with_the_constant_of_zero_concentrated_privacy_is_caught(pld):
    """ρ = η²/8 is μ² = η²/4 for a Gaussian of the same ρ. A choice with η = 2μ costs more than μ."""
    mu = 1.0
    sound, broken = math.sqrt(8 / math.pi) * mu, 2 * mu
    for eta, keeps in ((sound, True), (broken, False)):
        total = composed(pld, [], [eta], pessimistic=False)
        losses = [total.get_delta_for_epsilon(e) - delta_of(mu, e) for e in (0.0, 0.2, 0.5)]
        assert bool(max(losses) <= 1e-9) is keeps


def test_a_budget_with_a_wrong_constant_is_caught_by_what_its_choices_tell():
    class Broken(GDPBudget):
        """Pays (1/4)·η² for a choice."""

        def rate_for(self, share, sensitivity):
            return Fraction(2 * math.sqrt(self.price(share))) / sensitivity

    budget = make_budget(1, "0.1")
    broken = Broken(mu_squared=budget.mu_squared, epsilon=budget.epsilon, delta=budget.delta)
    needed = {}
    for name, one in (("sound", budget), ("broken", broken)):
        eta = float(one.rate_for(Fraction(1), Fraction(2))) * 2
        high = 1 / (1 + math.exp(-eta / 2))
        needed[name] = mu_squared_between([(high, 1 - high, 0.0), (1 - high, high, 0.0)])
    assert needed["sound"] <= float(budget.mu_squared) * (1 + 1e-9)
    assert needed["broken"] > 1.2 * float(budget.mu_squared)


def test_noise_for_one_row_where_two_cells_move_is_caught():
    """Replacing a row moves two cells: μ² = 2/σ². Noise for one is caught by the exact δ."""
    budget = make_budget(1, "1e-6")
    for squared, keeps in ((Fraction(2), True), (Fraction(1), False)):
        noise = budget.noise_for(Fraction(1), Sensitivity(l1=Fraction(2), l2_squared=squared))
        exact = delta_of(math.sqrt(2 / noise.scale), 1.0)
        assert (exact <= 1e-6 * (1 + 1e-6)) is keeps


@pytest.mark.parametrize("variance", [0.05, 0.3, 1.0, 9.0])
def test_rounded_noise_costs_its_mu_and_discrete_noise_more(variance):
    """Tests of the form x ≥ k between noise and noise one step higher: why the noise is rounded."""

    def most(pmf):
        above = {k: sum(pmf(x) for x in range(k, 60)) for k in range(-9, 10)}
        return max(
            inverse(above[k]) - inverse(above[k + 1])
            for k in range(-9, 9)
            if above[k + 1] > 1e-12 and above[k] < 1 - 1e-12
        )

    total = sum(math.exp(-x * x / (2 * variance)) for x in range(-60, 61))
    mu = 1 / math.sqrt(variance)
    assert most(gaussian_pmf(variance)) == pytest.approx(mu, rel=1e-3)
    assert most(lambda x: math.exp(-x * x / (2 * variance)) / total) > 1.004 * mu


def test_the_slope_of_a_choice_is_steepest_in_the_middle(mp):
    """v(z) = z(¼ − a²) − 2aφ, a = Φ − ½, is never positive for z ≥ 0 (proof.md, section 4)."""
    steepest = mp.sqrt(2 * mp.pi) / 4
    before = steepest
    for step in range(1, 400):
        z = mp.mpf(step) / 20
        a, density = mp.ncdf(z) - mp.mpf(1) / 2, mp.npdf(z)
        rest = mp.ncdf(z) * mp.ncdf(-z)  # ¼ − a², without cancelling
        assert z * rest - 2 * a * density < 0
        slope = rest / density
        assert slope < before
        before = slope


@pytest.mark.parametrize("eta", [0.01, 0.5, 2.0, 6.0])
def test_the_worst_choice_of_a_range_is_the_even_one(eta):
    """Over all pairs of coins whose logits differ by η, μ is largest from −η/2 to η/2, and at most √(π/8)·η."""

    def needed(logit):
        return inverse(1 / (1 + math.exp(-logit - eta))) - inverse(1 / (1 + math.exp(-logit)))

    even = needed(-eta / 2)
    assert all(needed(logit) <= even * (1 + 1e-9) for logit in np.linspace(-eta / 2 - 6, -eta / 2 + 6, 241))
    assert even <= math.sqrt(math.pi / 8) * eta
    assert even > 0.9 * math.sqrt(math.pi / 8) * min(eta, 3)


def test_adaptive_shares_cost_no_more_than_the_whole():
    """Two Gaussian looks, the second's share chosen by what the first showed, by exact integration over the first."""
    mu, first = 1.0, 0.5
    seen = np.linspace(-9, 10, 7601)
    width = seen[1] - seen[0]
    here, there = (
        np.exp(-((seen - shift) ** 2) / 2) / math.sqrt(2 * math.pi) * width for shift in (math.sqrt(first), 0)
    )
    for rule in (lambda x: 0.5 if x > 0.6 else 0.0, lambda x: 0.5 if x < 0.2 else 0.1, lambda x: 0.5):
        parts = [(p, q, math.sqrt(rule(x))) for x, p, q in zip(seen, here, there, strict=True)]
        assert 0.4 < mu_squared_between(parts) <= mu**2 * (1 + 1e-4)
    # a rule that may spend more than is left is caught
    overspent = [(p, q, math.sqrt(0.9 if x > 0.6 else 0.5)) for x, p, q in zip(seen, here, there, strict=True)]
    assert mu_squared_between(overspent) > 1.1


@pytest.mark.parametrize("delta", ["1e-9", "1e-4", "0.05"])
def test_the_epsilons_of_parts_add_up_to_no_less_than_that_of_both(delta):
    """Also where a part is so small that δ alone would cover it, and its own ε is 0."""
    slack = Fraction(delta)
    squares = [slack**2 / 4, slack**2, slack / 100, Fraction(1, 1000), Fraction(1, 7), Fraction(3)]
    for one in squares:
        for other in squares:
            both = epsilon_of_part(one + other, slack)
            assert both <= epsilon_of_part(one, slack) + epsilon_of_part(other, slack)
    tiny = slack**2
    assert epsilon_for(tiny, slack) == 0 < epsilon_for(100 * tiny, slack)  # why it needs more than the conversion


def test_what_is_needed_is_found_again():
    for mu in (0.1, 1.0, 2.5):
        assert mu_at(0.7, delta_of(mu, 0.7)) == pytest.approx(mu, rel=1e-6)
        assert mu_squared_between([(1.0, 1.0, mu)]) == pytest.approx(mu**2, rel=1e-5)
