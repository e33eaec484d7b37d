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

Floats = npt.NDArray[np.float64]


_RATIOS = np.concatenate([[0.0], 1.2 ** np.arange(-22, 26)])
_GUESS = np.exp(-0.5 * np.log(np.maximum(_RATIOS, 0.018)) ** 2)
_GUESS[0] = max(_GUESS[0], 0.03 * _GUESS.sum())
_GUESS /= _GUESS.sum()
_GUESSED_CELLS = 4.0  # how many cells the prior guess counts for
_STEPS = 25
_LOW, _HIGH = 3.0, 6.0  # in standard deviations: below the first a cell is replaced, above the second it stays


@dataclass(frozen=True, eq=False)
class Shrunk:
    """A table with its uncertain cells replaced, and the standard deviation that each cell is still thought to have."""

    values: Floats
    deviations: Floats


def shrink(table: Floats, expected: Floats, variance: float) -> Shrunk:
    """The table with its uncertain cells replaced by what they probably were.

    >>> table = np.array([[400.0, -30.0], [25.0, 390.0]])
    >>> found = shrink(table, np.full((2, 2), 200.0), variance=900.0)
    >>> found.values.round(-1).tolist(), found.deviations.round(-1).tolist()
    ([[400.0, 0.0], [20.0, 390.0]], [[30.0, 10.0], [20.0, 30.0]])
    """
    noisy, deviation = table.reshape(-1), math.sqrt(variance)
    if not deviation:
        return Shrunk(table, np.zeros(table.shape))
    held = np.maximum(expected.reshape(-1), 1e-3)
    apart = -0.5 * ((noisy[:, None] - held[:, None] * _RATIOS) / deviation) ** 2
    likely = np.exp(apart - apart.max(axis=1, keepdims=True))
    weights = _GUESS
    for _ in range(_STEPS):
        weights = weights * ((1 / (likely @ weights)) @ likely) + _GUESSED_CELLS * _GUESS
        weights = weights / weights.sum()
    of_cell = likely @ weights
    ratio = (likely @ (weights * _RATIOS)) / of_cell
    spread = np.sqrt(np.maximum((likely @ (weights * _RATIOS**2)) / of_cell - ratio**2, 0.0))
    kept = np.clip((noisy / deviation - _LOW) / (_HIGH - _LOW), 0.0, 1.0)
    values = kept * noisy + (1 - kept) * ratio * held
    deviations = np.sqrt(kept * variance + (1 - kept) * np.minimum((spread * held) ** 2, variance))
    return Shrunk(values.reshape(table.shape), deviations.reshape(table.shape))
