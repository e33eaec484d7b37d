"""Tails of the gamma distribution against closed forms."""

from __future__ import annotations

from math import erfc, exp, factorial, lgamma, sqrt

import numpy as np
import pytest

from understudy.randomize._tails import chi_squared_quantile, chi_squared_tail, gamma_quantile, gamma_tail, log_gamma


def test_log_gamma_is_that_of_the_standard_library():
    values = np.concatenate([np.geomspace(1e-6, 1e7, 300), [1.0, 2.0, 0.5]])
    np.testing.assert_allclose(log_gamma(values), [lgamma(x) for x in values], rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("x", [0.01, 0.5, 2.0, 9.0, 40.0])
def test_tails_are_those_of_closed_forms(x):
    assert chi_squared_tail(x, 1) == pytest.approx(erfc(sqrt(x / 2)), rel=1e-10)
    for pairs in (1, 3, 20):  # with even degrees of freedom: a sum of Poisson terms
        poisson = sum(exp(-x / 2) * (x / 2) ** k / factorial(k) for k in range(pairs))
        assert chi_squared_tail(x, 2 * pairs) == pytest.approx(poisson, rel=1e-9)


@pytest.mark.parametrize("chance", [0.5, 0.01, 1e-4, 1e-9])
@pytest.mark.parametrize("freedom", [1, 4, 36, 900])
def test_quantiles_invert_tails(chance, freedom):
    assert chi_squared_tail(chi_squared_quantile(chance, freedom), freedom) == pytest.approx(chance, rel=1e-6)


def test_edges_are_met():
    assert gamma_tail(0.0, 2.0) == 1.0
    assert gamma_quantile(1e-3, 1e5) > 1e5
