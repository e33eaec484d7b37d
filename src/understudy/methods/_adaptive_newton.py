"""Few two-valued columns: one distribution over all their cells, fitted to noisy parities of columns and pairs at once.

p ∝ exp Σθ_S·χ_S, where χ_S is 1 in cells with an even number of ones in S and −1 in the others. It minimises
n·log Σexp Σθχ − ⟨θ, q⟩ + ½ Σ b·θ² by Newton's method: the logarithms of all cells are one Walsh-Hadamard transform of
θ, and E[χ_S·χ_T] = E[χ_(S xor T)], so the second derivatives stand in one transform of p.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from understudy.privacy import walsh_hadamard

Floats = npt.NDArray[np.float64]

_STEPS = 30
_LEAST_STEP = 1e-6
_ENOUGH = 1e-4  # of the decrease that was foretold
_CLOSE = 1e-3  # rows: the decrease that is still foretold when the fit ends
_FIRM = 1e-9  # of n, added to second derivatives so that they can be solved for


@dataclass(frozen=True, eq=False)
class ParityFit:
    """Noisy parities over sets of places, how much potentials cost (b), and the number of rows.

    >>> fit = ParityFit([(0,), (1,), (0, 1)], np.array([0.0, 0.0, 50.0]), np.full(3, 1e-6), total=100.0)
    >>> np.exp(fit.logs(2)).reshape(2, 2).round(3).tolist()
    [[0.375, 0.125], [0.125, 0.375]]
    """

    sets: Sequence[Sequence[int]]
    values: Floats
    ridges: Floats
    total: float

    def logs(self, columns: int) -> Floats:
        """The logarithm of every cell's probability, the first column's code being the highest bit."""
        masks = np.array([sum(1 << columns - 1 - place for place in places) for places in self.sets], dtype=np.int64)
        both = masks[:, None] ^ masks[None, :]
        now = self._at(np.zeros(len(masks)), masks, 1 << columns)
        for _ in range(_STEPS):
            mean = now.expected[masks]
            slope = self.total * mean - self.values + self.ridges * now.theta
            bend = self.total * (now.expected[both] - np.outer(mean, mean))
            bend[np.diag_indices(len(masks))] += self.ridges + _FIRM * self.total
            step = np.linalg.solve(bend, slope)
            foretold = float(slope @ step)
            now = self._towards(now, step, foretold, masks)
            if foretold < _CLOSE:
                break
        return now.logs

    def _towards(self, now: _At, step: Floats, foretold: float, masks: npt.NDArray[np.int64]) -> _At:
        """As far along the step as it pays, no θ moving by more than 1."""
        length = min(1.0, 1.0 / max(float(np.abs(step).max(initial=0.0)), 1e-12))
        while True:
            there = self._at(now.theta - length * step, masks, len(now.logs))
            if there.value <= now.value - _ENOUGH * length * foretold or length < _LEAST_STEP:
                return there
            length /= 2

    def _at(self, theta: Floats, masks: npt.NDArray[np.int64], cells: int) -> _At:
        spread = np.zeros(cells)
        spread[masks] = theta
        logs = walsh_hadamard(spread)
        highest = float(logs.max())
        log_of_all = math.log(float(np.exp(logs - highest).sum())) + highest
        logs -= log_of_all
        cost = 0.5 * float((self.ridges * theta * theta).sum())
        value = self.total * log_of_all - float(theta @ self.values) + cost
        return _At(theta, logs, walsh_hadamard(np.exp(logs)), value)


@dataclass(frozen=True, eq=False)
class _At:
    """The distribution for some θ: its logarithms, expectations of all parities, and what is minimised."""

    theta: Floats
    logs: Floats
    expected: Floats
    value: float
