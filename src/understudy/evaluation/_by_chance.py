"""How far apart two samples of one population are, as tables of counts: told from one of them. Private to the holder.

A fresh sample is drawn from the real rows themselves. In a table of many cells that hold a row or two each, it finds
the rows that the real table has; another sample of the population finds others, and is up to 2.7 times as far away. By
how much is seen by parting the real rows in two: halves share no row.
"""

from __future__ import annotations

from functools import lru_cache
from math import lgamma, pi, sqrt

import numpy as np
import numpy.typing as npt

from understudy.counting import Counts

Floats = npt.NDArray[np.float64]
_EXACT = 256
"""Up to so many rows in a cell expected differences are exact; beyond, those of a normal distribution."""
_FAR_BEYOND = 4.0
"""Standard deviations by which a single share differs in two samples of one population hardly ever, of many shares."""


def apart_by_chance(counts: Counts, rows: int) -> float:
    """The total variation distance to be expected between this table and one of another sample of so many rows.

    That of a fresh sample, times how much farther apart than a half and its fresh sample two halves of the rows are.

    >>> full, thin = np.array([5000, 5000]), np.ones(10_000, dtype=np.int64)
    >>> round(apart_by_chance(full, 10_000), 4), round(apart_by_chance(thin, 10_000), 2)
    (0.0056, 1.0)
    >>> apart_by_chance(np.array([7]), 7)
    0.0
    """
    n = int(counts.sum())
    if n == 0 or rows == 0:
        return 0.0
    size, cells = np.unique(counts[counts > 0], return_counts=True)
    # rows are drawn with replacement: a cell that holds most of them varies less than by Poisson's law
    weight = cells * np.sqrt(1 - size / n)
    fresh, halves, half_fresh = (float(weight @ _expected(size, law)) for law in range(3))
    if not half_fresh:
        return 0.0
    return min(1.0, halves / half_fresh * fresh / (2 * n) * sqrt((n / rows + 1) / 2))


def one_share_off(real: Counts, other: Counts) -> float:
    """The largest difference of a single cell's share that is beyond chance by far; 0.0 where there is none.

    Of many cells of few rows each, chance alone may add up to more than a frequent one that is gone.

    >>> one_share_off(np.array([150, *[1] * 850]), np.array([0, 150, *[1] * 849, 1][:851]))
    0.15
    >>> one_share_off(np.array([150, *[1] * 850]), np.array([170, 0, *[1] * 849][:851]))
    0.0
    """
    n, m = int(real.sum()), int(other.sum())
    if n == 0 or m == 0:
        return 0.0
    off, together = np.abs(real / n - other / m), (real + other) / (n + m)
    deviation = np.sqrt(together * (1 - together) * (1 / n + 1 / m))
    return float(np.where(off > _FAR_BEYOND * deviation, off, 0.0).max(initial=0.0))


def _expected(size: npt.NDArray[np.integer], law: int) -> Floats:
    few = _few_rows()[law]
    many = np.sqrt((2, 2, 1)[law] * size / pi)
    return np.where(size <= _EXACT, few[np.minimum(size, _EXACT)], many)


@lru_cache(maxsize=1)
def _few_rows() -> tuple[Floats, Floats, Floats]:
    """By the rows in a cell, the expected difference of: a fresh sample; two halves; a half and its fresh sample."""
    fresh = np.array([2 * np.exp((c + 1) * np.log(c) - c - lgamma(c + 1)) if c else 0.0 for c in range(_EXACT + 1)])
    halves, half_fresh = np.zeros(_EXACT + 1), np.zeros(_EXACT + 1)
    in_half = np.ones(1)  # how likely each number of a cell's rows is in the one half
    for c in range(1, _EXACT + 1):
        in_half = (np.append(in_half, 0.0) + np.append(0.0, in_half)) / 2
        halves[c] = in_half @ np.abs(2 * np.arange(c + 1) - c)
        half_fresh[c] = in_half @ fresh[: c + 1]
    return fresh, halves, half_fresh
