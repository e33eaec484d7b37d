"""Budgets are what someone wrote, exactly; and (ε, δ) is turned into μ² without ever giving too much."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.gaussian import delta_of, normal
from understudy._core.errors import OptionError
from understudy.privacy import GDPBudget, Neighbours, PureBudget, epsilon_for, make_budget
from understudy.privacy._conversion import mu_squared_for, pure_epsilon_for


@pytest.mark.parametrize(
    ("written", "exact"),
    [
        (1, Fraction(1)),
        (0.1, Fraction(1, 10)),
        (1e-3, Fraction(1, 1000)),
        ("0.1", Fraction(1, 10)),
        (" 1/3 ", Fraction(1, 3)),
        ("2.5e-1", Fraction(1, 4)),
        (Decimal("1.10"), Fraction(11, 10)),
        (Fraction(7, 3), Fraction(7, 3)),
        (np.float64(0.3), Fraction(3, 10)),
        (np.float32(0.3), Fraction(3, 10)),
        (np.int32(2), Fraction(2)),
    ],
)
def test_epsilon_is_taken_as_written(written, exact):
    assert make_budget(written) == PureBudget(epsilon=exact)


@pytest.mark.parametrize(
    "wrong",
    [0, -1, 0.0, -0.5, "0", "-1", float("nan"), float("inf"), -float("inf"), "nan", "inf", "one", "", "1/0", "1/", "/2",
     "1/2/3", None, True, [1], 1j, "1e999999999", "1e-999999999", "9" * 500, Decimal("NaN"), np.float64("nan")],
    ids=lambda x: repr(x)[:12],
)  # fmt: skip
def test_an_epsilon_that_is_not_a_positive_number_is_refused_with_a_sentence(wrong):
    with pytest.raises(OptionError, match="'epsilon' parameter must be a") as caught:
        make_budget(wrong)
    assert str(caught.value).endswith("instead.")


@pytest.mark.parametrize("wrong", [0, 1, -1e-9, 2, "x", float("nan"), True])
def test_a_delta_outside_zero_and_one_is_refused_with_a_sentence(wrong):
    with pytest.raises(OptionError, match="'delta' parameter must"):
        make_budget(1, wrong)


@pytest.mark.parametrize("delta", ["1e-2", "1e-5", "1e-9", "1e-15"])
@pytest.mark.parametrize("epsilon", ["0.01", "0.1", "1", "8", "40"])
def test_mu_has_the_delta_asked_for_and_no_more(epsilon, delta):
    square = make_budget(epsilon, delta).mu_squared
    exact = delta_of(math.sqrt(square), float(epsilon))
    assert exact == pytest.approx(float(delta), rel=1e-6, abs=1e-15)  # doubles lose what cancels below
    assert delta_of(math.sqrt(1.001 * float(square)), float(epsilon)) > float(delta) * (1 - 1e-6)


@given(epsilon=st.floats(1e-12, 1e6), exponent=st.floats(-250, -0.001))
@settings(max_examples=60)
def test_there_and_back_is_where_one_was(epsilon, exponent):
    wanted, delta = Fraction(epsilon), Fraction(10**exponent)
    square = mu_squared_for(wanted, delta)
    back = epsilon_for(square, delta)
    assert back <= wanted * (1 + Fraction(1, 10**10)) + delta / 10**6  # up to the twelve digits that are kept
    # never worse than zero-concentrated privacy, where ε = μ²/2 + μ·√(2 ln 1/δ)
    log = -math.log(delta)
    assert float(square) >= 2 * (epsilon / (math.sqrt(log + epsilon) + math.sqrt(log))) ** 2 * (1 - 1e-9)


@pytest.mark.parametrize("square", [Fraction(1, 10**6), Fraction(1, 50), Fraction(1), Fraction(30)], ids=str)
def test_a_pure_step_costs_what_randomised_response_does(square):
    """The hardest ε-DP step of all is a coin of odds e^ε; μ is what tells its two sides apart as well."""
    epsilon = float(pure_epsilon_for(square))
    mu = math.sqrt(square)
    assert normal(mu / 2) == pytest.approx(1 / (1 + math.exp(-epsilon)), rel=1e-9)
    assert mu**2 <= math.pi / 2 * epsilon**2 * (1 + 1e-9)  # the slope at the middle is the steepest
    for threshold in np.linspace(0, 2 * epsilon, 9):  # its δ is below at all other ε
        coin = max(0.0, (math.exp(epsilon) - math.exp(threshold)) / (1 + math.exp(epsilon)))
        assert coin <= delta_of(mu, float(threshold)) * (1 + 1e-9)


def test_opendp_agrees_that_mu_implies_epsilon_and_delta():
    combinators = pytest.importorskip("opendp.combinators")
    from opendp import domains, measurements, metrics
    from opendp.mod import enable_features

    enable_features("contrib")
    budget = make_budget(1, "1e-9")
    assert isinstance(budget, GDPBudget)
    # their conversion goes through zero-concentrated privacy of the same σ, so it must find at least our ε
    scale = math.sqrt(1 / float(budget.mu_squared))
    gaussian = measurements.make_gaussian(domains.atom_domain(T="i64"), metrics.absolute_distance(T="i64"), scale=scale)
    theirs = combinators.make_zCDP_to_approxDP(gaussian).map(1).epsilon(1e-9)
    assert 1.0 <= theirs < 1.1


def test_hand_made_budgets_are_checked_too():
    with pytest.raises(OptionError, match="above 0"):
        PureBudget(epsilon=Fraction(0))
    with pytest.raises(OptionError, match="above 0"):
        GDPBudget(mu_squared=Fraction(0), epsilon=Fraction(1), delta=Fraction(1, 9))
    with pytest.raises(OptionError, match="between 0 and 1"):
        GDPBudget(mu_squared=Fraction(1), epsilon=Fraction(1), delta=Fraction(1))


@pytest.mark.parametrize(("neighbours", "moved"), [("replace-one", 2), ("add-remove", 1)])
def test_opendp_agrees_on_the_price_of_each_table(neighbours, moved):
    measurements = pytest.importorskip("opendp.measurements")
    from opendp import domains, metrics
    from opendp.mod import enable_features

    enable_features("contrib")
    space = domains.vector_domain(domains.atom_domain(T="i64"))
    share = Fraction(1, 7)
    pure, gaussian_budget = make_budget(1), make_budget(1, "1e-9")
    assert isinstance(gaussian_budget, GDPBudget)
    scale = float(pure.noise_for(share, Neighbours(neighbours).table_sensitivity).scale)
    laplace = measurements.make_laplace(space, metrics.l1_distance(T="i64"), scale=scale)
    assert 7 * laplace.map(moved) == pytest.approx(1, rel=1e-9)
    # squared L2: two cells by one each are √2, which OpenDP takes as a double
    scale = math.sqrt(gaussian_budget.noise_for(share, Neighbours(neighbours).table_sensitivity).scale)
    gaussian = measurements.make_gaussian(space, metrics.l2_distance(T="f64"), scale=scale)
    assert 2 * 7 * gaussian.map(math.sqrt(moved)) == pytest.approx(float(gaussian_budget.mu_squared), rel=1e-6)
