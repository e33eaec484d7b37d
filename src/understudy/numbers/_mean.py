"""The mean of a column, measured by itself, and a histogram tilted to it.

A histogram loses rows that do not stand out from noise, most of them in one tail, and the mean with them. So a part of
the budget goes into the sum of all values, as linear queries over the cells of the grid (proof.md, section 12): each
cell weighs by where it lies between two ends, from 0 at the lower to 1 at the higher, values beyond the ends as the
ends. The ends leave out a few rows that the histogram has on either side, about as many as the noise of a sum: they
would bring more noise than they tell. Where a row comes or goes, the weights from the other end are asked beside:
a row that adds w to one sum adds 1 − w to the other, so both together move by no more than one of them could, and half
their difference has half the variance that either has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from understudy.privacy import LinearQueries, NoisyAnswers
from understudy.schema import Domain, Marginal

Floats = npt.NDArray[np.float64]
PARTS = 1024
"""Weights are whole parts of this, so that sums lie on the grid of the noise and nothing is rounded."""
_BEYOND = 1.5
"""Rows beyond the ends of a mean, in standard deviations of the noise in a cell of the histogram."""


@dataclass(frozen=True, eq=False)
class MeanQueries:
    """What is asked of one column: the weights of its cells, in 1024ths, and the queries over them.

    >>> from understudy.schema import Attribute
    >>> domain = Domain((Attribute(name="x", size=4),))
    >>> asked = MeanQueries.of(domain, 0, np.array([0.0, 1, 2, 3]), np.array([5.0, 0, 5, 0.1]), 1.0, both=True)
    >>> asked.parts.tolist(), len(asked.queries)
    ([0, 512, 1024, 1024], 2)
    """

    parts: npt.NDArray[np.int64]
    queries: LinearQueries

    @classmethod
    def of(
        cls, domain: Domain, position: int, middles: Floats, masses: Floats, deviation: float, *, both: bool
    ) -> MeanQueries:
        """Weights by the middles of cells, between those up to which the histogram has a few rows from either side."""
        low, high = _ends(middles, masses, _BEYOND * deviation)
        place = np.clip((middles - low) / ((high - low) or 1.0), 0.0, 1.0)
        parts = np.rint(place * PARTS).astype(np.int64)
        size = domain[position].size
        numerators = np.zeros((1 + both, size), dtype=np.int64)  # special and missing values have no place: 0
        numerators[0, : len(parts)] = parts
        if both:
            numerators[1, : len(parts)] = PARTS - parts
        return cls(parts, LinearQueries.dense(Marginal.of(position), domain, numerators.astype(np.uint32), PARTS))

    def moved(self, values: Sequence[float], deviation: float, masses: Floats) -> float:
        """By how much the histogram's sum of weights is to move, less where noise may explain it."""
        place = self.parts / PARTS
        if len(self.queries) > 1:
            off = (values[0] - values[1]) / 2 - float(masses @ (place - 0.5))
            deviation /= np.sqrt(2)
        else:
            off = values[0] - float(masses @ place)
        return off * max(0.0, 1 - (deviation / off) ** 2) if off else 0.0


def _ends(middles: Floats, masses: Floats, rows: float) -> tuple[float, float]:
    """The values up to which so many rows lie from below and from above, a quarter of all at most."""
    held = np.cumsum(masses)
    rows = max(min(rows, held[-1] / 4), 1e-9 * held[-1])
    low, high = int(np.searchsorted(held, rows)), int(np.searchsorted(held, held[-1] - rows))
    if low >= high:  # nearly all are one value: what lies beside it counts as well
        filled = np.flatnonzero(masses > 0)
        low, high = (int(filled[0]), int(filled[-1])) if len(filled) else (0, -1)
    return float(middles[low]), float(middles[high])


def ask_means(
    asked: Sequence[MeanQueries], found: NoisyAnswers, masses: Sequence[Floats], *, parts: int = 1
) -> list[float]:
    """For each column by how much its sum of weights is to move; where a row counted as so many parts, in rows."""
    moves, at = [], 0
    for one, held in zip(asked, masses, strict=True):
        values = (found.values[at : at + len(one.queries)] / parts).tolist()
        moves.append(one.moved(values, found.deviation / parts, held))
        at += len(one.queries)
    return moves


def tilted(masses: Floats, place: Floats, moved: float, pieces: Sequence[int]) -> Floats:
    """The masses times e^(θ·place), of the same total, with their sum of places moved as far as they allow.

    A stretch that is evenly filled, from one of `pieces` to the next, moves as one.

    >>> tilted(np.array([5.0, 5.0]), np.array([0.0, 1.0]), 1.0, [0, 1]).round(3).tolist()
    [4.0, 6.0]
    """
    held = np.add.reduceat(masses, pieces)
    filled = held > 0
    middle = np.add.reduceat(place, pieces) / np.diff([*pieces, len(masses)])
    if moved == 0 or filled.sum() < 2 or np.ptp(middle[filled]) < 1e-9:
        return masses
    low, high = middle[filled].min(), middle[filled].max()
    margin = 1e-3 * (high - low)
    target = float(np.clip((held @ middle + moved) / held.sum(), low + margin, high - margin))
    bottom, top = -1e4, 1e4
    for _ in range(100):  # the mean rises with θ
        theta = (bottom + top) / 2
        grown = _grown(held, middle, theta)
        bottom, top = (theta, top) if grown @ middle < target * grown.sum() else (bottom, theta)
    factor = np.divide(grown, held, out=np.zeros_like(held), where=filled) * (held.sum() / grown.sum())
    return np.asarray(masses * np.repeat(factor, np.diff([*pieces, len(masses)])))


def _grown(held: Floats, middle: Floats, theta: float) -> Floats:
    power = np.where(held > 0, theta * middle, -np.inf)
    return np.asarray(held * np.exp(power - power.max()))
