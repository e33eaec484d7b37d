"""Noisy tables drawn towards what simpler tables say. Post-processing: it reads counts that were paid for, no rows.

A cell that noise could have made tells little, and keeping it as it is costs accuracy. So a table is not taken at its
word but weighed, in two steps, against the table that its own margins would make:

1. Each pair of attributes against the product of its one-way margins.
2. The whole table against the table of greatest entropy that has those pairs (iterative proportional fitting).

Each weighing is empirical Bayes. What the margins do not explain, D = T − M, is signal and noise. The noise's energy is
known, s² for each of the `free` dimensions that margins leave open, so the rest of ‖D‖² is signal; it is shared out in
proportion to M, since counts vary with their size: τ² = v·M. Then each cell keeps τ²/(τ² + s²) of its D, the best
linear guess. A budget large enough for the table leaves it alone; a small one leaves its margins.
`benchmarks/fitting.py` shows what it gains.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import prod

import numpy as np
import numpy.typing as npt

from understudy.models._simplex import project_to_simplex

Floats = npt.NDArray[np.float64]

ROUNDS = 6
# Fitting pairs passes over the whole table once a pair and round; a table beyond this is weighed against its one-way
# margins only. Such tables have few axes or few rows per cell.
LARGEST_FIT = 20_000_000


def shrink(noisy: Floats, plausible: Floats, variance: float | Floats, total: float) -> Floats:
    """The noisy table, each cell drawn towards what margins say as far as its noise may explain the difference.

    Args:
        noisy: counts with independent noise, negative ones included.
        plausible: the same table without negative counts, for its one-way margins.
        variance: the noise's variance in a cell; an array where cells differ.
        total: the sum of all cells.

    >>> noisy = np.array([[6.0, 4.0], [3.0, 7.0]])  # noise with a variance of 10 easily makes such a relation
    >>> shrink(noisy, noisy, 10.0, 20.0).round(1).tolist()
    [[4.5, 5.5], [4.5, 5.5]]
    >>> shrink(100 * noisy, 100 * noisy, 10.0, 2000.0).round(-1).tolist()
    [[600.0, 400.0], [300.0, 700.0]]
    """
    if noisy.ndim < 2 or np.max(variance) <= 0:
        return noisy
    simpler, order = product_of_margins(plausible), 1
    pairs = list(combinations(range(noisy.ndim), 2))
    if noisy.ndim > 2 and noisy.size * len(pairs) * ROUNDS <= LARGEST_FIT:
        targets = [_pair(noisy, simpler, axes, variance, total) for axes in pairs]
        simpler, order = fit_margins(noisy.shape, total, targets), 2
    return _weighed(noisy, simpler, variance, free_dimensions(noisy.shape, order))


def product_of_margins(table: Floats) -> Floats:
    """The table that has the same one-way margins and no relations.

    >>> product_of_margins(np.array([[4.0, 0.0], [2.0, 2.0]])).tolist()
    [[3.0, 1.0], [3.0, 1.0]]
    """
    total = table.sum()
    result = np.full(table.shape, total)
    if total > 0:
        for axis in range(table.ndim):
            result = result * (_margin(table, (axis,)) / total)
    return result


def fit_margins(shape: Sequence[int], total: float, targets: Sequence[Floats]) -> Floats:
    """The table of greatest entropy with these margins, by iterative proportional fitting; close if they disagree.

    >>> fit_margins((2, 2), 4.0, [np.array([[3.0], [1.0]]), np.array([[2.0, 2.0]])]).tolist()
    [[1.5, 1.5], [0.5, 0.5]]
    """
    table = np.full(tuple(shape), total / prod(shape))
    for _ in range(ROUNDS):
        for target in targets:
            summed = tuple(axis for axis, size in enumerate(target.shape) if size == 1)
            margin = table.sum(axis=summed, keepdims=True)
            table *= np.divide(target, margin, out=np.zeros_like(target), where=margin > 0)
    return table


def free_dimensions(shape: Sequence[int], order: int) -> int:
    """How many dimensions of a table its margins over `order` axes leave open.

    >>> free_dimensions((2, 3), 1), free_dimensions((2, 2, 2), 1), free_dimensions((2, 2, 2), 2)
    (2, 4, 1)
    """
    known = (axes for n_axes in range(order + 1) for axes in combinations(shape, n_axes))
    return prod(shape) - sum(prod(size - 1 for size in axes) for axes in known)


def _pair(noisy: Floats, simpler: Floats, axes: tuple[int, int], variance: float | Floats, total: float) -> Floats:
    margin = _margin(noisy, axes)
    free = free_dimensions([noisy.shape[axis] for axis in axes], 1)
    summed = _margin(variance, axes) if isinstance(variance, np.ndarray) else variance * noisy.size / margin.size
    guess = _weighed(margin, _margin(simpler, axes), summed, free)
    return project_to_simplex(guess.ravel(), total).reshape(margin.shape)


def _weighed(noisy: Floats, simpler: Floats, variance: float | Floats, free: int) -> Floats:
    gap = noisy - simpler
    mass = simpler.sum()
    if free <= 0 or mass <= 0:
        return simpler
    signal = max(float((gap**2).sum()) - free * float(np.mean(variance)), 0.0) / mass * simpler
    noise = variance * free / noisy.size
    weighed: Floats = simpler + gap * (signal / (signal + noise))
    return weighed


def _margin(table: Floats, axes: tuple[int, ...]) -> Floats:
    others = tuple(axis for axis in range(table.ndim) if axis not in axes)
    margin: Floats = table.sum(axis=others, keepdims=True)
    return margin
