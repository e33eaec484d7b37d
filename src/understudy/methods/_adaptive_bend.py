"""What the model expected of a table, bent along columns that are in order.

How two numbers go together shows in few numbers: products of polynomials of both columns' ranks, up to the fifth
degree, of which some stand out of noise where no single cell does. So before cells within noise are drawn to what the
model expected of them (`_adaptive_shrink.py`), that is multiplied by e to such a sum, whose products come out as the
noisy table has them, each as far as it is more than noise (James and Stein's rule), while both columns by themselves
stay as they were. Values that are in no order (names, special and missing ones, merged ones) have contrasts among
themselves in place of polynomials. All of it is made of what was given out.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_DEGREE = 5
_ROUNDS, _LAST, _CLOSE = 8, 50, 1e-3
_FARTHEST = 2.0  # an exponent moves no more in one round
_LEAST = 1e-3  # rows that a cell is taken to have at least
_DEPENDENT = 1e-6
_MOST_UNORDERED = 256  # values: more have too many contrasts


@dataclass(frozen=True, eq=False)
class Directions:
    """Functions of a column's values, a column of numbers each, orthonormal under the frequencies of these values.

    Those of a block belong together, and are shrunk as one.
    """

    functions: Floats
    blocks: tuple[slice, ...]

    @classmethod
    def of(cls, frequencies: Floats, in_order: int) -> Directions:
        """Of a column of which so many values come first, in an order.

        >>> found = Directions.of(np.array([1.0, 1.0, 1.0, 1.0]), 3)
        >>> found.functions.shape, found.blocks
        ((4, 3), (slice(0, 1, None), slice(1, 2, None), slice(2, 3, None)))
        """
        weights = frequencies / frequencies.sum()
        ranks = np.cumsum(weights) - weights / 2
        ranked = np.arange(len(weights)) < in_order
        powers = [np.where(ranked, (2 * ranks - 1) ** degree, 0.0) for degree in range(1, _DEGREE + 1)]
        others = list(np.eye(len(weights))[max(in_order, 1) :])  # the first follows from all others
        powers = powers[: max(in_order - 1, 0)]  # of so few values they tell all
        root = np.sqrt(weights)
        found, sizes = np.linalg.qr(np.column_stack([np.ones(len(weights)), *others, *powers]) * root[:, None])
        functions = found[:, 1:] / root[:, None]
        functions[:, np.abs(np.diag(sizes))[1:] < _DEPENDENT] = 0.0  # it follows from those before it
        blocks = [len(others)] * bool(others) + [1] * len(powers)
        ends = np.cumsum([0, *blocks]).tolist()
        return cls(functions, tuple(slice(begin, end) for begin, end in pairwise(ends)))


def bent(table: Floats, expected: Floats, variance: float, in_order: tuple[int, int]) -> Floats:
    """The table expected, bent to the noisy one as far as few numbers tell; of no columns in order, as it is.

    >>> from understudy._core.randomness import Streams
    >>> place = np.linspace(-1, 1, 12)
    >>> real = 100 * np.exp(np.outer(place, place))
    >>> noise = Streams(1).get("doctest").normal(0, 50, real.shape)
    >>> expected = np.outer(real.sum(axis=1), real.sum(axis=0)) / real.sum()
    >>> found = bent(real + noise, expected, 50.0**2, (12, 12))
    >>> [round(float(abs(one - real).mean())) for one in (real + noise, expected, found)]
    [38, 32, 11]
    """
    start = np.maximum(expected, _LEAST)
    unordered = [size - first for size, first in zip(table.shape, in_order, strict=True)]
    if not any(in_order) or min(table.shape) < 2 or max(unordered) > _MOST_UNORDERED:
        return start
    total = float(start.sum())
    one, two = (Directions.of(start.sum(axis=1 - side), in_order[side]) for side in (0, 1))
    wanted = one.functions.T @ (table - start) @ two.functions / total
    noise = variance * np.outer((one.functions**2).sum(axis=0), (two.functions**2).sum(axis=0)) / total**2
    together = [(rows, columns) for rows in one.blocks for columns in two.blocks]
    for block in together:
        energy = float((wanted[block] ** 2).sum())
        wanted[block] *= max(0.0, 1 - float(noise[block].sum()) / energy) if energy else 0.0
    found = start
    for _ in range(_ROUNDS):
        left = wanted - one.functions.T @ (found - start) @ two.functions / total
        slopes = (one.functions**2).T @ found @ two.functions**2 / total
        for block in together:  # all of a block as one, so that it does not matter which functions it has
            left[block] /= max(float(slopes[block].mean()), _DEPENDENT)
        change = one.functions @ left @ two.functions.T
        found = found * np.exp(np.clip(change, -_FARTHEST, _FARTHEST))
        for side in (1, 0, 1):  # both columns by themselves stay as they are
            found *= start.sum(axis=side, keepdims=True) / found.sum(axis=side, keepdims=True)
        found = np.maximum(found, _LEAST)
    return _with_sums_of(start, found)


def _with_sums_of(start: Floats, found: Floats) -> Floats:
    """The table with both columns by themselves as in another one, or next to so: after a far bend they are not yet."""
    for _ in range(_LAST):
        for side in (0, 1):
            found = found * (start.sum(axis=side, keepdims=True) / found.sum(axis=side, keepdims=True))
        if np.abs(found.sum(axis=0) / start.sum(axis=0) - 1).max() < _CLOSE:
            break
    return found
