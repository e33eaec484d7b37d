"""Tails of the gamma and chi-squared distributions, and the logarithm of the gamma function, without SciPy."""

from __future__ import annotations

from functools import lru_cache
from math import exp, inf, lgamma, log

import numpy as np

from understudy.randomize._unmix import Floats

_SHIFT = 8  # Stirling's series is exact to double precision from here on


def log_gamma(values: Floats) -> Floats:
    """ln Γ(x) for x > 0, cell by cell.

    >>> log_gamma(np.array([0.5, 5.0])).round(6).tolist()
    [0.572365, 3.178054]
    """
    x = values + _SHIFT
    rising = values.copy()
    for step in range(1, _SHIFT):
        rising *= values + step
    inverse = 1 / x
    square = inverse * inverse
    series = inverse * (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680)))
    return np.asarray((x - 0.5) * np.log(x) - x + 0.5 * log(2 * np.pi) + series - np.log(rising), dtype=np.float64)


def gamma_tail(x: float, shape: float) -> float:
    """P(G > x) for a gamma variable G of this shape and scale 1.

    >>> round(gamma_tail(5.0, 1.0), 9) == round(exp(-5), 9)
    True
    """
    if x <= 0:
        return 1.0
    front = exp(shape * log(x) - x - lgamma(shape))
    if x < shape + 1:
        term = total = 1 / shape
        for step in range(1, 10_000):
            term *= x / (shape + step)
            total += term
            if term < total * 1e-16:
                break
        return max(0.0, 1 - front * total)
    # Lentz's continued fraction
    b = x + 1 - shape
    c, d = inf, 1 / b
    h = d
    for step in range(1, 10_000):
        a = step * (shape - step)
        b += 2
        d = 1 / (a * d + b)
        c = b + a / c
        h *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return front * h


@lru_cache(maxsize=4096)
def gamma_quantile(chance: float, shape: float) -> float:
    """The x that a gamma variable of this shape and scale 1 exceeds with this chance.

    >>> round(2 * gamma_quantile(0.05, 0.5), 3)
    3.841
    """
    high = max(shape, 1.0)
    while gamma_tail(high, shape) > chance:
        high *= 2
    low = 0.0
    for _ in range(200):
        middle = (low + high) / 2
        if gamma_tail(middle, shape) > chance:
            low = middle
        else:
            high = middle
        if high - low <= 1e-12 * high:
            break
    return high


def chi_squared_quantile(chance: float, freedom: int) -> float:
    """The value that a chi-squared variable exceeds with this chance.

    >>> round(chi_squared_quantile(0.001, 4), 3)
    18.467
    """
    return 2 * gamma_quantile(chance, freedom / 2)


def chi_squared_tail(x: float, freedom: int) -> float:
    """P(χ² > x).

    >>> round(chi_squared_tail(3.841459, 1), 6)
    0.05
    """
    return gamma_tail(x / 2, freedom / 2)
