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
    # what each of the k largest loses if they alone share the total: most for just those that stay above nothing
    excess = (np.cumsum(descending, axis=-1) - total) / np.arange(1, values.shape[-1] + 1)
    projected: Floats = np.maximum(values - excess.max(axis=-1, keepdims=True), 0.0)
    return projected
