"""Plain NumPy floors: what a careful user would write without us."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

PASSES = 500


def numpy_pass(columns: Sequence[npt.NDArray[np.unsignedinteger]], sizes: Sequence[int]) -> npt.NDArray[np.int64]:
    """One pass over the table: one 3-way table of all rows, by `ravel_multi_index` and `bincount`.

    >>> numpy_pass([np.array([0, 1]), np.array([1, 1]), np.array([0, 0])], [2, 2, 2]).tolist()
    [0, 0, 1, 0, 0, 0, 1, 0]
    """
    cells = np.ravel_multi_index(tuple(columns), tuple(sizes))
    return np.bincount(cells, minlength=int(np.prod(sizes)))


def numpy_passes(
    columns: Sequence[npt.NDArray[np.unsignedinteger]], sizes: Sequence[int], *, n_passes: int = PASSES
) -> None:
    """That many passes, over triples of columns drawn from those with at most 16 codes: the cheapest tables."""
    small = [i for i, size in enumerate(sizes) if size <= 16]
    rng = np.random.default_rng(3)
    for _ in range(n_passes):
        chosen = rng.choice(small, size=3, replace=False)
        numpy_pass([columns[i] for i in chosen], [sizes[i] for i in chosen])


def f_by_numpy(table: npt.NDArray[np.int64], n: int) -> int:
    """2·n·F of one table[child, parents] by the plain dynamic programme (soundness note, §1.1).

    `best[a]` is the most mass that X = 1 can take while X = 0 takes a; each parent configuration goes to one of them.

    >>> f_by_numpy(np.array([[2, 0], [0, 2]]), 4), f_by_numpy(np.array([[4, 0], [0, 0]]), 4)
    (0, -4)
    """
    best = np.full(n + 1, -1, dtype=np.int64)
    best[0] = 0
    for zero, one in zip(table[0].tolist(), table[1].tolist(), strict=True):
        taken = np.where(best >= 0, best + one, -1)
        if zero == 0:
            best = np.maximum(best, taken)
        else:
            taken[zero:] = np.maximum(taken[zero:], best[:-zero])
            best = taken
    reached = np.flatnonzero(best >= 0)
    lacking = np.maximum(n - 2 * reached, 0) + np.maximum(n - 2 * best[reached], 0)
    return -int(lacking.min())
