"""What trials prove: a lower bound on ε from how often an event came under two neighbouring tables."""

from __future__ import annotations

from math import exp, lgamma, log, log1p

ALPHA = 1e-3
"""The chance that a bound is wrong."""


def epsilon_lower_bound(hits: int, other_hits: int, trials: int) -> float:
    """The ε that so many hits in as many trials of each table prove, with confidence 1 − ALPHA.

    Clopper–Pearson bounds, an eighth of ALPHA each: two bounds, the event or its complement, both directions.

    >>> round(epsilon_lower_bound(500, 0, 1000), 2), epsilon_lower_bound(500, 495, 1000)
    (3.9, 0.0)
    """
    best = 0.0
    for a, b in ((hits, other_hits), (other_hits, hits)):
        for often, seldom in ((a, b), (trials - a, trials - b)):
            above, under = _at_least(often, trials), _at_most(seldom, trials)
            if above > under:
                best = max(best, log(above / under))
    return best


def _at_least(hits: int, trials: int) -> float:
    return 0.0 if hits == 0 else _quantile(ALPHA / 8, hits, trials - hits + 1)


def _at_most(hits: int, trials: int) -> float:
    return 1.0 if hits == trials else _quantile(1 - ALPHA / 8, hits + 1, trials - hits)


def _quantile(p: float, a: float, b: float) -> float:
    """Of the beta distribution, by halving."""
    low, high = 0.0, 1.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if _beta(middle, a, b) < p else (low, middle)
    return (low + high) / 2


def _beta(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(x, a, b) / a
    return 1 - front * _fraction(1 - x, b, a) / b


def _fraction(x: float, a: float, b: float) -> float:
    """Lentz's continued fraction."""
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    h = d
    for m in range(1, 10_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d = 1 / (1 + even * d)
        c = 1 + even / c
        h *= d * c
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d = 1 / (1 + odd * d)
        c = 1 + odd / c
        h *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return h
