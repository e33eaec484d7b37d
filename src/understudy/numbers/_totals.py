"""How many rows a column has in its range, by what was counted in other columns: every row is in one cell of each.

Post-processing of counts that were given out. Rows that lie far from most of a column are few in each of many cells,
and noise hides them; how many there are in all is known far better, by all columns together.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from understudy.numbers._levels import Look


def rows_in_range(columns: Sequence[Sequence[Look]], extras: Sequence[int]) -> list[tuple[float, float]]:
    """For each column, the rows that its range holds by the counts of all others, and the variance of that.

    Rows with one of its special values or none, the last `extras` cells of every level, are taken off. Nothing of it
    depends on what was counted in the column's own range, so that both can be averaged.

    >>> from understudy.schema import Axis
    >>> ages, gains = Look(Axis(0, 0), np.array([60.0, 40.0]), 2.0), Look(Axis(1, 0), np.array([7.0, 80, 9]), 2.0)
    >>> rows_in_range([[ages], [gains]], [0, 1])
    [(96.0, 6.0), (91.0, 6.0)]
    >>> rows_in_range([[ages]], [0])
    [(0.0, inf)]
    """
    everywhere = [_summed(looks, slice(None)) for looks in columns]
    found = []
    for i, (looks, extra) in enumerate(zip(columns, extras, strict=True)):
        rows, variance = _average([one for j, one in enumerate(everywhere) if j != i])
        outside, noise = _summed(looks, slice(-extra, None)) if extra else (0.0, 0.0)
        found.append((rows - outside, variance + noise))
    return found


def _summed(looks: Sequence[Look], cells: slice) -> tuple[float, float]:
    """The sum of these cells, by all levels that were looked at, and its variance."""
    return _average([(float(look.found[cells].sum()), len(look.found[cells]) * look.variance) for look in looks])


def _average(estimates: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """By precision; of none, nothing is known."""
    precision = sum(1 / variance for _, variance in estimates)
    if not precision:
        return 0.0, np.inf
    return sum(value / variance for value, variance in estimates) / precision, 1 / precision
