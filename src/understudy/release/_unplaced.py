"""How far off a mean may be because noise hides where in their bins rows lie.

How many rows a bin has is measured again, but where they lie in it is known from two things alone: counts of cells, and
one mean for the column, to which what is inside all bins is tilted (`numbers/_mean.py`).

A bin with a single stretch that has rows, and not all of it, was not tilted: there was nothing to tilt. Where counts do
not tell, its rows may lie anywhere in the stretch. As many rows as noise hides (`numbers/_hidden.py`) lie farther on by
its whole width; if these are more than a quarter, next to nothing is known, and all may lie at either end.

Otherwise the column's mean has the noise of the mean that was measured: a sum of weights from 0 to 1 from either end,
over distances that lie c apart. Where the mean of these weights is m, noise of σ in both sums moves a mean over n rows
by √(m² + (1 − m)²)·c·σ/n. (Weights of narrow bins are less than 1, and their noise more; there c is small.) What is
tilted tells c no more once it lies at one end of its bin, so a bin of few pieces counts as evenly filled, as it was
before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot, sqrt
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from understudy.models import STUDENT_95
from understudy.numbers import MEANS, most_leaning
from understudy.release._cut_pieces import starts_of_cells
from understudy.release._histogram_noise import fine_noise, hiding_noise, noise_variance
from understudy.release._number_line import NumberLine
from understudy.release._statement import Statement
from understudy.schema import Bins

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
_PLACED = 0.25
"""Rows that noise may move, as a part of those of a stretch, beyond which nothing is known of where they lie."""
_NONE = 1e-9
"""A part of a bin's rows that is none: shapes are written with six digits."""
_FEW = 6
"""Pieces of a bin that was filled evenly: four parts that are tilted, and what lies outside."""
_LEFT_OUT = 1.5
"""Rows beyond the ends of the distances whose mean is measured, in standard deviations of the noise in a cell."""


@dataclass(frozen=True)
class Stretch:
    """An evenly filled stretch: its share of the rows, its middle and width, and which part of its rows noise moves.

    >>> Stretch(share=0.5, middle=10.0, width=8.0, part=0.125).shift
    0.5
    """

    share: float
    middle: float
    width: float
    part: float

    @property
    def hidden(self) -> bool:
        """Whether next to nothing is known of where in it its rows lie."""
        return self.part > _PLACED

    @property
    def shift(self) -> float:
        """How far the mean of all rows may be off, either way."""
        return self.share * self.width * (0.5 if self.hidden else self.part)

    def spread(self, mean: float) -> tuple[float, float]:
        """How much smaller and larger the variance of all rows may be, with such a mean.

        The squares of distances from the middle are w²/12 in the mean; 0 if all lie there, w²/4 if all are at the ends.
        """
        away, square = 2 * abs(self.middle - mean) * self.shift, self.share * self.width**2 / 12
        part = 1.0 if self.hidden else 2 * self.part
        return away + part * square, away + part * 2 * square


def stretches(line: NumberLine, masses: Floats, bins: Bins, rows: float, statement: Statement) -> list[Stretch]:
    """The stretches that could not be tilted, of pieces of a line that hold so much of so many rows."""
    noise, total, found = fine_noise(statement), float(masses.sum()), []
    if bins.shape is None or noise is None:
        return []
    deviation, cells = hiding_noise(noise), starts_of_cells(bins)
    for at in _alone(line, masses, bins):
        low, high, held = float(line.low[at]), float(line.high[at]), float(masses[at])
        inside = np.searchsorted(cells, [float(low / bins.unit), float(high / bins.unit)], side="right")
        leaning = most_leaning(int(inside[1] - inside[0]) + 1, len(cells)) if high > low else 0.0
        part = leaning * deviation / max(rows * held, _NONE)
        found.append(Stretch(share=held / total, middle=(low + high) / 2, width=high - low, part=part))
    return found


def _alone(line: NumberLine, masses: Floats, bins: Bins) -> list[int]:
    """The pieces of a line that are the only ones of their bin with rows, and not all of it."""
    _, starts, shares = _pieces(bins)
    of = np.searchsorted(bins.grid[0], starts, side="right") - 1
    held = np.bincount(of, weights=shares, minlength=bins.count)
    filled = np.bincount(of[shares > _NONE * held[of]], minlength=bins.count)
    pieces = np.bincount(of, minlength=bins.count)
    untilted = np.append((filled == 1) & (pieces > 1), np.zeros(int(max(line.code.max() + 1 - bins.count, 0)), bool))
    return [at for at in np.flatnonzero(masses > 0).tolist() if untilted[line.code[at]]]


def mean_noise(bins: Bins, statement: Statement) -> float:
    """How far noise may have moved the mean inside bins that was measured, and all bins with it; 0 if none was."""
    noise, variance = fine_noise(statement), noise_variance(statement, MEANS)
    if bins.shape is None or noise is None or variance is None:
        return 0.0
    middles, starts, shares = _pieces(bins)
    of = np.searchsorted(bins.grid[0], starts, side="right") - 1
    widths = np.diff(np.append(starts, bins.grid[1][-1] + 1)).astype(np.float64)
    held = np.bincount(of, weights=shares, minlength=bins.count)[of]
    filled = shares > 0
    few = (np.bincount(of, minlength=bins.count) <= _FEW)[of]
    room = np.bincount(of, weights=widths * filled, minlength=bins.count)[of]
    even = held * widths * filled / np.maximum(room, 1.0)
    weights = np.where(few, even, shares)
    centre = np.bincount(of, weights=weights * middles) / np.maximum(np.bincount(of, weights=weights), _NONE)
    away, rows = middles - centre[of], float(shares.sum())
    # a piece reaches from its first value to its last: both ends, with half of its rows each
    reach = np.concatenate([away - widths / 2, away + widths / 2])
    order = np.argsort(reach)
    below = np.cumsum(np.concatenate([weights, weights])[order] / 2)
    beyond = min(_LEFT_OUT * sqrt(noise[1]), rows / 4)
    low, high = np.searchsorted(below, [beyond, below[-1] - beyond])
    near, far = (float(reach[order][min(int(at), len(reach) - 1)]) for at in (low, high))
    # distances are 0 in the mean: with the sums' noise σ that is σ·√(m² + (1 − m)²)·c, where m·c = −near
    return STUDENT_95 * hypot(near, far) * float(bins.unit) * sqrt(variance) / max(rows, sqrt(variance))


def _pieces(bins: Bins) -> tuple[Floats, Ints, Floats]:
    """Middles and first points of the pieces of a found shape, and the rows that it has there."""
    if bins.shape is None:
        raise ValueError("bins whose values nobody has looked at")
    first, last, _ = bins.pieces
    return (first + last) / 2, np.array(bins.shape.starts, dtype=np.int64), np.array(bins.shape.shares)


def mean_unplaced(found: Sequence[Stretch], noise: float) -> float:
    """How far off a mean may be, for stretches that are independent of each other and noise in all bins."""
    return hypot(noise, *(one.shift for one in found))


def variance_unplaced(found: Sequence[Stretch], mean: float) -> tuple[float, float]:
    """How far below and above a variance the real one may lie."""
    both = [one.spread(mean) for one in found]
    return hypot(*(below for below, _ in both)), hypot(*(above for _, above in both))
