"""Plain NumPy floors: what a careful user would write without us."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Columns: TypeAlias = Sequence[npt.NDArray[np.unsignedinteger]]
PASSES = 500


def numpy_pass(columns: Columns, sizes: Sequence[int]) -> npt.NDArray[np.int64]:
    """One pass over the table: one 3-way table of all rows, by `ravel_multi_index` and `bincount`.

    >>> numpy_pass([np.array([0, 1]), np.array([1, 1]), np.array([0, 0])], [2, 2, 2]).tolist()
    [0, 0, 1, 0, 0, 0, 1, 0]
    """
    cells = np.ravel_multi_index(tuple(columns), tuple(sizes))
    return np.bincount(cells, minlength=int(np.prod(sizes)))


def three_column_passes(columns: Columns, sizes: Sequence[int]) -> float:
    """CPU seconds of 500 passes over three columns each, drawn from those with at most 16 codes: the cheapest."""
    small = [i for i, size in enumerate(sizes) if size <= 16]
    rng = np.random.default_rng(3)
    triples = [rng.choice(small, size=3, replace=False) for _ in range(PASSES)]
    start = time.process_time()
    for chosen in triples:
        numpy_pass([columns[i] for i in chosen], [sizes[i] for i in chosen])
    return time.process_time() - start


def whole_table_passes(columns: Columns, sizes: Sequence[int], *, timed: int = 5) -> float:
    """CPU seconds of 500 passes over all columns, three at a time, from `timed` of them.

    A column of more than 16 codes is counted on its own, so that no table is larger than the rows deserve.
    """
    small = [i for i, size in enumerate(sizes) if size <= 16]
    groups = [small[i : i + 3] for i in range(0, len(small), 3)] + [[i] for i, size in enumerate(sizes) if size > 16]
    start = time.process_time()
    for _ in range(timed):
        for group in groups:
            numpy_pass([columns[i] for i in group], [sizes[i] for i in group])
    return (time.process_time() - start) / timed * PASSES


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
