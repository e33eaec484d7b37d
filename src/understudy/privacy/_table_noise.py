"""The noise one table gets for a share of a budget: public, so it can be known before anything is spent."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from understudy.privacy._budget import Budget, PureBudget
from understudy.privacy._neighbours import Neighbours
from understudy.privacy._noise import gaussian_level, laplace_level
from understudy.privacy._values import NoiseLevel


def table_noise(
    budget: Budget, neighbours: Neighbours, share: Fraction, *, moved: Fraction | None = None
) -> NoiseLevel:
    """Discrete Laplace of scale L1/ε under pure ε, discrete Gaussian of σ² = L2²/(2ρ) under zCDP.

    `moved` replaces the sensitivity of a table of counts, for a statistic that one record moves by another amount.

    >>> table_noise(PureBudget(epsilon=Fraction(1)), Neighbours.REPLACE_ONE, Fraction(1, 10)).scale
    Fraction(20, 1)
    """
    if isinstance(budget, PureBudget):
        l1 = Fraction(neighbours.count_l1) if moved is None else moved
        return laplace_level(l1 / (share * budget.epsilon))
    l2_squared = Fraction(neighbours.count_l2_squared) if moved is None else moved
    return gaussian_level(l2_squared / (2 * share * budget.rho))


def cost_of_cell(level: NoiseLevel) -> Fraction:
    """What one record costs that enters or leaves a cell: 1/b of ε, or 1/(2σ²) of ρ.

    >>> cost_of_cell(NoiseLevel(kind="laplace", scale=Fraction(4)))
    Fraction(1, 4)
    """
    return 1 / level.scale if level.kind == "laplace" else 1 / (2 * level.scale)


def two_largest(factors: Sequence[Sequence[Fraction]], shape: Sequence[int], cells: int) -> Fraction:
    """The sum of the largest factors of as many different cells (2 if a record is replaced, 1 if it comes or goes).

    A cell's factor is the smallest of its places, so the largest one takes the largest place along each axis, and the
    next one differs from it along one axis only.

    >>> third = (Fraction(1), Fraction(1, 3))
    >>> two_largest([third], (2,), 2), two_largest([third, ()], (2, 5), 2)
    (Fraction(4, 3), Fraction(2, 1))
    """
    along = [sorted(given, reverse=True) or [Fraction(1)] * size for given, size in zip(factors, shape, strict=True)]
    best = min(places[0] for places in along)
    if cells == 1:
        return best
    return best + max((min(best, places[1]) for places in along if len(places) > 1), default=Fraction(0))
