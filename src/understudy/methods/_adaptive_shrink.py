"""What a noisy table probably was: cells within noise of nothing are drawn towards what the model expected.

Empirical Bayes. A cell's count is a ratio times what the model held just before the table was measured. How such ratios
are spread in this table is estimated from the table itself: a non-parametric maximum likelihood on a grid, with a
little of a prior guess. Each cell gets its mean given its noisy count; cells far above their noise stay as they are.
Everything here is made of what was given out.
"""

from __future__ import annotations

import math

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


def shrink(table: Floats, expected: Floats, variance: float) -> Floats:
    """The table with its uncertain cells replaced by what they probably were.

    >>> table = np.array([[400.0, -30.0], [25.0, 390.0]])
    >>> shrink(table, np.full((2, 2), 200.0), variance=900.0).round(-1).tolist()
    [[400.0, 0.0], [20.0, 390.0]]
    """
    noisy, deviation = table.reshape(-1), math.sqrt(variance)
    if not deviation:
        return table
    means = np.maximum(expected.reshape(-1, 1), 1e-3) * _RATIOS
    apart = -0.5 * ((noisy[:, None] - means) / deviation) ** 2
    likely = np.exp(apart - apart.max(axis=1, keepdims=True))
    weights = _GUESS
    for _ in range(_STEPS):
        weights = _given(likely, weights).sum(axis=0) + _GUESSED_CELLS * _GUESS
        weights = weights / weights.sum()
    probable = (_given(likely, weights) * means).sum(axis=1)
    kept = np.clip((noisy / deviation - _LOW) / (_HIGH - _LOW), 0.0, 1.0)
    return np.asarray(kept * noisy + (1 - kept) * probable).reshape(table.shape)


def _given(likely: Floats, weights: Floats) -> Floats:
    """Of each cell, how probable each ratio is."""
    found = likely * weights
    return np.asarray(found / found.sum(axis=1, keepdims=True))
