"""Budgets are what someone wrote, exactly; and (ε, δ) is turned into ρ without ever giving too much."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from understudy._core.errors import OptionError
from understudy.privacy import Neighbours, PureBudget, ZCDPBudget, make_budget
from understudy.privacy._budget import rho_for


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


def epsilon_of(rho: float, delta: float) -> float:
    """ε of ρ-zCDP at δ by a fine grid over orders: an upper bound on the best, from a formula written anew."""
    best = math.inf
    for step in np.exp(np.linspace(-12, 14, 40_001)):
        order = 1 + step
        log_term = math.log(1 / delta) + (order - 1) * math.log(step / order) - math.log(order)
        best = min(best, order * rho + log_term / step)
    return best


@pytest.mark.parametrize("delta", ["1e-5", "1e-9", "1e-15"])
@pytest.mark.parametrize("epsilon", ["0.01", "0.1", "1", "8"])
def test_rho_converts_back_to_the_epsilon_asked_for_and_no_more(epsilon, delta):
    budget = make_budget(epsilon, delta)
    back = epsilon_of(float(budget.rho), float(delta))
    assert back == pytest.approx(float(epsilon), rel=2e-6)
    assert epsilon_of(float(budget.rho) * 1.001, float(delta)) > float(epsilon)


@given(epsilon=st.floats(1e-4, 50), exponent=st.floats(2, 200))
@settings(max_examples=60)
def test_the_tight_conversion_is_never_worse_than_the_simple_one(epsilon, exponent):
    rho = float(rho_for(Fraction(epsilon), Fraction(10) ** -round(exponent)))
    log = round(exponent) * math.log(10)
    simple = (math.sqrt(log + epsilon) - math.sqrt(log)) ** 2
    assert rho >= simple * (1 - 1e-6)  # (the simple formula itself loses digits in doubles)


@pytest.mark.parametrize("delta", [1e-2, 1e-5, 1e-9, 1e-15])
@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1, 8])
def test_gaussian_noise_at_rho_keeps_the_delta_promised(epsilon, delta):
    """The exact δ of a Gaussian that is ρ-zCDP (Balle and Wang 2018): no valid conversion may allow more."""
    mu = math.sqrt(2 * float(make_budget(epsilon, delta).rho))

    def normal_tail(x):
        return math.erfc(x / math.sqrt(2)) / 2

    exact = normal_tail(epsilon / mu - mu / 2) - math.exp(epsilon) * normal_tail(epsilon / mu + mu / 2)
    assert 0 < exact <= delta


def test_opendp_agrees_that_rho_implies_epsilon_and_delta():
    combinators = pytest.importorskip("opendp.combinators")
    from opendp import domains, measurements, metrics
    from opendp.mod import enable_features

    enable_features("contrib")
    budget = make_budget(1, "1e-9")
    assert isinstance(budget, ZCDPBudget)
    # one count of sensitivity 1 with σ² = 1/(2ρ) is exactly ρ-zCDP
    scale = math.sqrt(1 / (2 * float(budget.rho)))
    gaussian = measurements.make_gaussian(domains.atom_domain(T="i64"), metrics.absolute_distance(T="i64"), scale=scale)
    theirs = combinators.make_zCDP_to_approxDP(gaussian).map(1).epsilon(1e-9)
    assert theirs == pytest.approx(1.0, rel=1e-3)


def test_hand_made_budgets_are_checked_too():
    with pytest.raises(OptionError, match="above 0"):
        PureBudget(epsilon=Fraction(0))
    with pytest.raises(OptionError, match="above 0"):
        ZCDPBudget(rho=Fraction(0), epsilon=Fraction(1), delta=Fraction(1, 9))
    with pytest.raises(OptionError, match="between 0 and 1"):
        ZCDPBudget(rho=Fraction(1), epsilon=Fraction(1), delta=Fraction(1))


@pytest.mark.parametrize(("neighbours", "moved"), [("replace-one", 2), ("add-remove", 1)])
def test_opendp_agrees_on_the_price_of_each_table(neighbours, moved):
    measurements = pytest.importorskip("opendp.measurements")
    from opendp import domains, metrics
    from opendp.mod import enable_features

    enable_features("contrib")
    space = domains.vector_domain(domains.atom_domain(T="i64"))
    share = Fraction(1, 7)
    pure, zcdp = make_budget(1), make_budget(1, "1e-9")
    assert isinstance(zcdp, ZCDPBudget)
    scale = float(pure.noise_for(share, Neighbours(neighbours).table_sensitivity).scale)
    laplace = measurements.make_laplace(space, metrics.l1_distance(T="i64"), scale=scale)
    assert 7 * laplace.map(moved) == pytest.approx(1, rel=1e-9)
    # squared L2: two cells by one each are √2, which OpenDP takes as a double
    scale = math.sqrt(zcdp.noise_for(share, Neighbours(neighbours).table_sensitivity).scale)
    gaussian = measurements.make_gaussian(space, metrics.l2_distance(T="f64"), scale=scale)
    assert 7 * gaussian.map(math.sqrt(moved)) == pytest.approx(float(zcdp.rho), rel=1e-6)
