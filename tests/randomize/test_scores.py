"""The paper's scores, against sums written out and against Γ itself."""

from __future__ import annotations

from math import exp, factorial, lgamma, log

import numpy as np
import pytest

from understudy.randomize._scores import bayes_gain, bayes_score, likelihood_gain

TABLE = np.array([[[5.0, 0.0], [2.0, 3.0]], [[1.0, 4.0], [6.0, 2.5]], [[0.0, 1.0], [0.0, 7.0]]])


def log_likelihood(table):
    """Σ N_jk·log(N_jk / N_j), cell by cell; the child's values first."""
    total = 0.0
    for j in range(table.shape[1]):
        for k in range(table.shape[0]):
            if table[k, j] > 0:
                total += table[k, j] * log(table[k, j] / table[:, j].sum())
    return total


def test_the_gain_in_likelihood_is_that_of_the_sums():
    expected = log_likelihood(TABLE.reshape(3, 4)) - log_likelihood(TABLE.sum(axis=1))
    assert float(likelihood_gain(TABLE)) == pytest.approx(expected)
    both = likelihood_gain(np.stack([TABLE, 2 * TABLE]))
    assert both.tolist() == pytest.approx([expected, 2 * expected])


@pytest.mark.parametrize("alpha", [1.0, 0.5])
def test_the_bayesian_score_is_that_of_the_products(alpha):
    flat, total = TABLE.reshape(3, 4), 0.0
    for j in range(4):
        total += lgamma(3 * alpha) - lgamma(3 * alpha + flat[:, j].sum())
        total += sum(lgamma(alpha + count) - lgamma(alpha) for count in flat[:, j])
    assert float(bayes_score(flat, alpha)) == pytest.approx(total)
    gain, before = bayes_gain(TABLE, alpha)
    assert float(gain + before) == pytest.approx(total)
    assert float(before) == pytest.approx(float(bayes_score(TABLE.sum(axis=1), alpha)))


def test_the_bayesian_score_of_whole_counts_is_cooper_and_herskovits():
    # (r − 1)!/(N + r − 1)! · Π N_k!
    expected = factorial(1) / factorial(5 + 1) * factorial(3) * factorial(2)
    assert exp(float(bayes_score(np.array([[3.0], [2.0]]), 1.0))) == pytest.approx(expected)
