"""The noise one table gets for a share of a budget: public, so it can be known before anything is spent."""

from __future__ import annotations

from fractions import Fraction

from understudy.privacy._budget import Budget, PureBudget
from understudy.privacy._neighbours import Neighbours
from understudy.privacy._noise import gaussian_level, laplace_level
from understudy.privacy._values import NoiseLevel


def table_noise(budget: Budget, neighbours: Neighbours, share: Fraction, *, moved: int | None = None) -> NoiseLevel:
    """Discrete Laplace of scale L1/ε under pure ε, discrete Gaussian of σ² = L2²/(2ρ) under zCDP.

    `moved` replaces the sensitivity of a table of counts, for a statistic that one record moves by another amount.

    >>> table_noise(PureBudget(epsilon=Fraction(1)), Neighbours.REPLACE_ONE, Fraction(1, 10)).scale
    Fraction(20, 1)
    """
    if isinstance(budget, PureBudget):
        l1 = neighbours.count_l1 if moved is None else moved
        return laplace_level(l1 / (share * budget.epsilon))
    l2_squared = neighbours.count_l2_squared if moved is None else moved
    return gaussian_level(l2_squared / (2 * share * budget.rho))
