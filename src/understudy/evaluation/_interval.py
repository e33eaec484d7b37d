"""Confidence intervals of a mean over a few repetitions."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

# 97.5 % quantiles of Student's t for 1, 2, … 30 degrees of freedom.
_T = (
    12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004, 2.262157, 2.228139,
    2.200985, 2.178813, 2.160369, 2.144787, 2.131450, 2.119905, 2.109816, 2.100922, 2.093024, 2.085963,
    2.079614, 2.073873, 2.068658, 2.063899, 2.059539, 2.055529, 2.051831, 2.048407, 2.045230, 2.042272,
)  # fmt: skip
_NORMAL = 1.959963985


def t_quantile(freedom: int) -> float:
    """The 97.5 % quantile of Student's t; beyond 30 degrees of freedom by its expansion about the normal quantile.

    >>> round(t_quantile(4), 3), round(t_quantile(60), 3)
    (2.776, 2.0)
    """
    if freedom < 1:
        raise ValueError("a t-distribution has at least one degree of freedom")
    if freedom <= len(_T):
        return _T[freedom - 1]
    z = _NORMAL
    first = (z**3 + z) / (4 * freedom)
    second = (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
    return z + first + second + third


def mean_interval(values: Sequence[float]) -> tuple[float, float] | None:
    """The 95 % interval of the mean by Student's t; None for fewer than two values.

    >>> low, high = mean_interval([1.0, 2.0, 3.0])
    >>> round(low, 3), round(high, 3)
    (-0.484, 4.484)
    """
    n = len(values)
    if n < 2:
        return None
    mean = sum(values) / n
    spread = sqrt(sum((value - mean) ** 2 for value in values) / (n - 1))
    reach = t_quantile(n - 1) * spread / sqrt(n)
    return mean - reach, mean + reach
