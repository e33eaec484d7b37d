"""What a new parent gains: the paper's Bayesian and BIC scores, on tables of counts without negative ones.

A candidate's table has three axes: the child's values, the new parent's, and the configurations of the parents that the
child has already. Many tables may be scored at once: any axes before those three are kept.
"""

from __future__ import annotations

import numpy as np

from understudy.randomize._tails import log_gamma
from understudy.randomize._unmix import Floats


def likelihood_gain(table: Floats) -> Floats:
    """By how much the new parent raises the log-likelihood of the child, in nats.

    >>> float(likelihood_gain(np.array([[[8.0], [0.0]], [[0.0], [8.0]]])).round(3))
    11.09
    """
    return np.asarray(
        _x_log_x(table).sum(axis=(-3, -2, -1))
        - _x_log_x(table.sum(axis=-3)).sum(axis=(-2, -1))
        - _x_log_x(table.sum(axis=-2)).sum(axis=(-2, -1))
        + _x_log_x(table.sum(axis=(-3, -2))).sum(axis=-1)
    )


def bayes_score(table: Floats, alpha: float) -> Floats:
    """The logarithm of the Bayesian score of a child, whose values are the first of two axes, given the second.

    Π_j Γ(α_j)/Γ(α_j + N_j) Π_k Γ(α + N_jk)/Γ(α), α_j being α times the number of values.

    >>> float(bayes_score(np.array([[1.0], [0.0]]), 1.0).round(6)) == round(float(np.log(0.5)), 6)
    True
    """
    size = table.shape[-2]
    prior = log_gamma(np.array([alpha * size, alpha]))
    rows = prior[0] - log_gamma(alpha * size + table.sum(axis=-2))
    cells = log_gamma(alpha + table) - prior[1]
    return np.asarray(rows.sum(axis=-1) + cells.sum(axis=(-2, -1)))


def bayes_gain(table: Floats, alpha: float) -> tuple[Floats, Floats]:
    """By how much the new parent raises the logarithm of the Bayesian score; and what it was before.

    >>> gain, before = bayes_gain(np.array([[[8.0], [0.0]], [[0.0], [8.0]]]), 1.0)
    >>> float(gain.round(3)), float(before.round(3))
    (7.901, -12.296)
    """
    joined = table.reshape(*table.shape[:-2], table.shape[-2] * table.shape[-1])
    before = bayes_score(table.sum(axis=-2), alpha)
    return bayes_score(joined, alpha) - before, before


def _x_log_x(values: Floats) -> Floats:
    return values * np.log(np.where(values > 0, values, 1.0))
