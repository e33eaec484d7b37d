"""What a noisy table probably was: cells within noise of nothing are drawn towards what the model expected.

Empirical Bayes. A cell's count is a ratio times what the model held just before the table was measured. How such ratios
are spread in this table is estimated from the table itself: a non-parametric maximum likelihood on a grid, with a
little of a prior guess. Each cell gets its mean given its noisy count; cells far above their noise stay as they are.
Everything here is made of what was given out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from understudy.methods._adaptive_bend import bent

Floats = npt.NDArray[np.float64]


_RATIOS = np.concatenate([[0.0], 1.2 ** np.arange(-22, 26)])
_GUESS = np.exp(-0.5 * np.log(np.maximum(_RATIOS, 0.018)) ** 2)
_GUESS[0] = max(_GUESS[0], 0.03 * _GUESS.sum())
_GUESS /= _GUESS.sum()
_GUESS_OF_RARE = np.exp(-0.5 * (np.log(np.maximum(_RATIOS, 0.018)) / 1.5) ** 2)
_GUESS_OF_RARE[0] = _GUESS_OF_RARE[1:].sum()
_GUESS_OF_RARE /= _GUESS_OF_RARE.sum()
_GUESSED_CELLS = 4.0  # how many cells the prior guess counts for
_MOST_RARE = 2000
_STEPS = 25
_BENT_COSTS = 2.0  # by so much what was expected must become likelier to be bent: it was made for the table
_LOW, _HIGH = 3.0, 6.0  # in standard deviations: below the first a cell is replaced, above the second it stays


@dataclass(frozen=True, eq=False)
class Shrunk:
    """A table with its uncertain cells replaced, and the standard deviation that each cell is still thought to have."""

    values: Floats
    deviations: Floats


def shrink(table: Floats, expected: Floats, variance: float, in_order: tuple[int, int] = (0, 0)) -> Shrunk:
    """The table with its uncertain cells replaced by what they probably were.

    Of a table of two columns, so many first values of each are in an order: what was expected is bent along them where
    that makes the table likelier.

    >>> table = np.array([[400.0, -30.0], [25.0, 390.0]])
    >>> found = shrink(table, np.full((2, 2), 200.0), variance=900.0)
    >>> found.values.round(-1).tolist(), found.deviations.round(-1).tolist()
    ([[400.0, 0.0], [20.0, 390.0]], [[30.0, 10.0], [20.0, 30.0]])
    """
    noisy, deviation = table.reshape(-1), math.sqrt(variance)
    if not deviation:
        return Shrunk(table, np.zeros(table.shape))
    held = np.maximum(expected.reshape(-1), 1e-3)
    found = _ratios(noisy, held, deviation, _GUESS)
    if any(in_order):
        other = bent(table, expected, variance, in_order).reshape(-1)
        along = _ratios(noisy, other, deviation, _GUESS)
        if along.likelihood > found.likelihood + _BENT_COSTS:
            held, found = other, along
    kept = np.clip((noisy / deviation - _LOW) / (_HIGH - _LOW), 0.0, 1.0)
    values = kept * noisy + (1 - kept) * found.ratio * held
    deviations = np.sqrt(kept * variance + (1 - kept) * np.minimum((found.spread * held) ** 2, variance))
    return Shrunk(values.reshape(table.shape), deviations.reshape(table.shape))


def parts_of_rare(total: float, table: Floats, variance: float) -> Floats:
    """The parts of a total that rare values probably have: a prior has half of them empty, noisy counts tell more.

    >>> parts_of_rare(90.0, np.array([40.0, 30.0, 35.0, -20.0, 10.0]), variance=400.0).round(2).tolist()
    [0.33, 0.24, 0.28, 0.04, 0.11]
    """
    deviation = math.sqrt(variance)
    if not deviation:
        return np.full(table.shape, 1 / table.size)
    noisy, times = table, np.ones(table.size)
    if table.size > _MOST_RARE:  # the more a value came out with, the more it probably has: told at so many points
        noisy = np.linspace(table.min(), table.max(), _MOST_RARE)
        nearest = np.rint((table - noisy[0]) * ((_MOST_RARE - 1) / max(float(np.ptp(table)), 1e-9))).astype(np.int64)
        times = np.bincount(nearest, minlength=_MOST_RARE).astype(np.float64)
    held = np.full(noisy.shape, max(total, deviation / 2) / table.size)
    ratio = _ratios(noisy, held, deviation, _GUESS_OF_RARE, times).ratio
    found = ratio if table.size <= _MOST_RARE else np.interp(table, noisy, ratio)
    found = found + 1e-6  # none may have any rows
    return np.asarray(found / found.sum())


@dataclass(frozen=True, eq=False)
class _Ratios:
    """How many times what was expected each cell probably has, the deviation of that, and how likely all cells were."""

    ratio: Floats
    spread: Floats
    likelihood: float


def _ratios(noisy: Floats, held: Floats, deviation: float, guess: Floats, times: Floats | float = 1.0) -> _Ratios:
    """For noisy cells and what was expected of them, each of which counts for so many times."""
    apart = -0.5 * ((noisy[:, None] - held[:, None] * _RATIOS) / deviation) ** 2
    nearest = apart.max(axis=1, keepdims=True)
    likely = np.exp(apart - nearest)
    weights = guess
    for _ in range(_STEPS):
        weights = weights * ((times / (likely @ weights)) @ likely) + _GUESSED_CELLS * guess
        weights = weights / weights.sum()
    of_cell = likely @ weights
    ratio = (likely @ (weights * _RATIOS)) / of_cell
    square = (likely @ (weights * _RATIOS**2)) / of_cell
    likelihood = float((times * (np.log(of_cell) + nearest[:, 0])).sum())
    return _Ratios(ratio, np.sqrt(np.maximum(square - ratio**2, 0.0)), likelihood)
