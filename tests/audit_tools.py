"""Statistics for audits, without scipy: tails of the chi-square, Clopper–Pearson bounds, a lower bound on ε.

An audit never says "private", only "no violation found in so many trials".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np


def chi_square_tail(value: float, degrees: int) -> float:
    """Probability that a chi-square variable exceeds `value`."""
    a, x = degrees / 2, value / 2
    if x <= 0:
        return 1.0
    front = math.exp(-x + a * math.log(x) - math.lgamma(a))
    if x < a + 1:  # series of the lower incomplete gamma function
        term = total = 1 / a
        k = a
        while term > total * 1e-16:
            k += 1
            term *= x / k
            total += term
        return max(0.0, 1 - front * total)
    b = x + 1 - a  # Lentz's continued fraction of the upper one
    c = 1e300
    d = 1 / b
    h = d
    for i in range(1, 100_000):
        an = -i * (i - a)
        b += 2
        d = 1 / (an * d + b)
        c = b + an / c
        h *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return front * h


def fit_p_value(values: np.ndarray, pmf: Callable[[int], float], *, least_expected: float = 10.0) -> float:
    """How well integers fit a symmetric distribution on the integers: the p-value of a chi-square test.

    Cells are single integers as long as `least_expected` hits are due in each; what lies beyond is a cell a side.
    """
    n = len(values)
    radius = 0
    while n * pmf(radius + 1) >= least_expected and radius < 3_000:
        radius += 1
    inner = np.array([pmf(x) for x in range(-radius, radius + 1)])
    tail = (1 - inner.sum()) / 2
    expected = n * np.concatenate([[tail], inner, [tail]])
    observed = np.array(
        [(values < -radius).sum(), *(np.bincount(values[abs(values) <= radius] + radius, minlength=2 * radius + 1)),
         (values > radius).sum()]
    )  # fmt: skip
    if expected[0] < least_expected:  # too thin for cells of their own
        expected = np.concatenate([[expected[0] + expected[1]], expected[2:-2], [expected[-1] + expected[-2]]])
        observed = np.concatenate([[observed[0] + observed[1]], observed[2:-2], [observed[-1] + observed[-2]]])
    return chi_square_tail(float(((observed - expected) ** 2 / expected).sum()), len(expected) - 1)


def categories_p_value(observed: Sequence[int], probabilities: Sequence[float]) -> float:
    """The p-value of a chi-square test of counts against probabilities that sum to one."""
    expected = sum(observed) * np.array(probabilities)
    return chi_square_tail(float(((np.array(observed) - expected) ** 2 / expected).sum()), len(expected) - 1)


def laplace_pmf(scale: float) -> Callable[[int], float]:
    """Discrete Laplace: probability ∝ exp(−|x|/scale)."""
    front = math.tanh(1 / (2 * scale))
    return lambda x: front * math.exp(-abs(x) / scale)


def gaussian_pmf(variance: float) -> Callable[[int], float]:
    """Rounded Gaussian: the probability that N(0, σ²) is nearest to x."""
    root = math.sqrt(2 * variance)
    return lambda x: (math.erfc((abs(x) - 0.5) / root) - math.erfc((abs(x) + 0.5) / root)) / 2


def beta_cdf(x: float, a: float, b: float) -> float:
    """Regularised incomplete beta function."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    if x < (a + 1) / (a + b + 2):
        return math.exp(log_front) * _beta_fraction(x, a, b) / a
    return 1 - math.exp(log_front) * _beta_fraction(1 - x, b, a) / b


def _beta_fraction(x: float, a: float, b: float) -> float:
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    h = d
    for m in range(1, 100_000):
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


def _beta_quantile(p: float, a: float, b: float) -> float:
    low, high = 0.0, 1.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if beta_cdf(middle, a, b) < p else (low, middle)
    return (low + high) / 2


def lower_bound(hits: int, trials: int, alpha: float) -> float:
    """One-sided Clopper–Pearson: the true probability is at least this, with confidence 1 − alpha."""
    return 0.0 if hits == 0 else _beta_quantile(alpha, hits, trials - hits + 1)


def upper_bound(hits: int, trials: int, alpha: float) -> float:
    """One-sided Clopper–Pearson: the true probability is at most this, with confidence 1 − alpha."""
    return 1.0 if hits == trials else _beta_quantile(1 - alpha, hits + 1, trials - hits)


def epsilon_lower_bound(
    hits: int, other_hits: int, trials: int, *, alpha: float = 1e-3, delta: float = 0.0, other_trials: int | None = None
) -> float:
    """The ε that two neighbouring tables prove, from how often an event came under each; alpha covers all bounds."""
    others = trials if other_trials is None else other_trials
    best = 0.0
    for (x, m), (y, k) in (((hits, trials), (other_hits, others)), ((other_hits, others), (hits, trials))):
        for a, b in ((x, y), (m - x, k - y)):
            above, under = lower_bound(a, m, alpha / 8) - delta, upper_bound(b, k, alpha / 8)
            if above > 0:
                best = max(best, math.log(above / under))
    return best
