"""Helmert's contrasts of a table: whole numbers over square roots of whole numbers, and back to cells.

Along an axis of k places there are k − 1 of them, (1, …, 1, −i, 0, …)/√(i(i + 1)) for i from 1: orthonormal, and all at
right angles to the constant. The products of one for each axis span what is left of a table once its total and all
effects of fewer axes are taken away.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from understudy.privacy._values import Counts

Floats = npt.NDArray[np.float64]


def contrasts(table: Counts) -> Counts:
    """The contrasts times the square roots of `contrast_squares`: exact sums of counts.

    >>> contrasts(np.array([[5, 1, 0], [2, 4, 3]])).tolist()
    [[6, 6]]
    """
    found = table.astype(np.int64)
    for axis in range(table.ndim):
        found = np.moveaxis(found, axis, 0)
        before = np.cumsum(found, axis=0)[:-1]
        found = np.moveaxis(before - _places(found)[1:] * found[1:], 0, axis)
    return np.ascontiguousarray(found)


def contrast_squares(shape: Sequence[int]) -> Counts:
    """The squared length of each contrast before it is divided by it: products of i(i + 1).

    >>> contrast_squares((2, 3)).tolist()
    [[4, 12]]
    """
    found = np.ones((), dtype=np.int64)
    for size in shape:
        i = np.arange(1, size, dtype=np.int64)
        found = found[..., None] * (i * (i + 1))
    return found


def from_contrasts(values: Floats) -> Floats:
    """The table whose contrasts, each over its length, are these; it has no effects of fewer axes.

    >>> from_contrasts(np.array([[2.0]])).round(9).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    found = values
    for axis in range(values.ndim):
        found = np.moveaxis(found, axis, 0)
        i = np.arange(1.0, len(found) + 1).reshape(-1, *[1] * (found.ndim - 1))
        scaled = found / np.sqrt(i * (i + 1))
        # place j is in all contrasts after it, and taken off j times by its own
        after = np.concatenate([np.cumsum(scaled[::-1], axis=0)[::-1], np.zeros((1, *scaled.shape[1:]))])
        after[1:] -= i * scaled
        found = np.moveaxis(after, 0, axis)
    return np.ascontiguousarray(found)


def _places(table: npt.NDArray[np.int64]) -> Counts:
    return np.arange(len(table)).reshape(-1, *[1] * (table.ndim - 1))
