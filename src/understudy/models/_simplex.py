"""The nearest table without negative cells."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def project_to_simplex(values: Floats, total: float) -> Floats:
    """The nearest point, in Euclidean distance, that has no negative entry and this total; of each row for itself.

    >>> project_to_simplex(np.array([3.0, 1.0, -2.0]), 2.0).tolist()
    [2.0, 0.0, 0.0]
    >>> project_to_simplex(np.array([[3.0, 1.0, -2.0], [1.0, 1.0, 1.0]]), 3.0).tolist()
    [[2.5, 0.5, 0.0], [1.0, 1.0, 1.0]]
    """
    descending = np.sort(values, axis=-1)[..., ::-1]
    # what each of the k largest loses if they alone share the total; as many as can stay above nothing do
    excess = (np.cumsum(descending, axis=-1) - total) / np.arange(1, values.shape[-1] + 1)
    above = descending > excess
    above[..., 0] = True  # rounding can leave none when the total is tiny: the largest takes it all
    last = above.shape[-1] - 1 - np.argmax(above[..., ::-1], axis=-1, keepdims=True)
    cut = np.take_along_axis(excess, last, axis=-1)
    projected: Floats = np.maximum(values - cut, 0.0)
    return projected
