"""Pearson's correlation of many columns at once, some of whose cells may be missing."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
_LEAST_VARIANCE = 1e-12


def pearson(values: Floats) -> Floats:
    """Pearson's correlation of every pair of rows, over the columns where both have a value; NaN where it has none.

    >>> pearson(np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])).round(3).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    there = ~np.isnan(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        # Centred and scaled first: large numbers would lose their variance in the sums.
        filled = np.where(there, values, 0.0)
        centred = np.where(there, filled - filled.sum(axis=1, keepdims=True) / there.sum(axis=1, keepdims=True), 0.0)
    centred /= np.maximum(np.abs(centred).max(axis=1, keepdims=True), np.finfo(float).tiny)
    mask = there.astype(np.float64)
    n = np.maximum(mask @ mask.T, 1.0)
    sums = centred @ mask.T
    covariance = centred @ centred.T / n - sums * sums.T / n**2
    variance = (centred**2) @ mask.T / n - (sums / n) ** 2
    defined = (variance > _LEAST_VARIANCE) & (variance.T > _LEAST_VARIANCE)
    product = np.where(defined, variance * variance.T, 1.0)
    return np.where(defined, np.clip(covariance / np.sqrt(product), -1, 1), np.nan)
