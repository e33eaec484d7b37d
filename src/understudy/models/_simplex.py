"""The nearest table without negative cells."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def project_to_simplex(values: Floats, total: float) -> Floats:
    """The nearest point, in Euclidean distance, that has no negative entry and this total.

    >>> project_to_simplex(np.array([3.0, 1.0, -2.0]), 2.0).tolist()
    [2.0, 0.0, 0.0]
    """
    descending = np.sort(values)[::-1]
    excess = (np.cumsum(descending) - total) / np.arange(1, len(values) + 1)
    last = np.flatnonzero(descending > excess)
    # rounding can leave no entry above its excess when the total is tiny: the largest takes it all
    cut = excess[last[-1]] if len(last) else descending[0] - total
    projected: Floats = np.maximum(values - cut, 0.0)
    return projected
