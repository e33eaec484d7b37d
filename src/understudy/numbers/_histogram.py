"""A histogram from noisy counts at several resolutions, each cell of a level holding four of the next.

All of it is post-processing of counts that were given out. Three things keep noise from making mass where there is
none: what lies under cells within their own noise is not looked at; four cells that differ by no more than noise are
one; cells at the far ends that do not stand out from noise are empty, where they would move means and deviations most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
BRANCHES = 4
_WORTH_A_LOOK = 1.0
"""Cells above so many standard deviations are divided."""
_STANDS_OUT = 4.0
"""Outermost cells below so many standard deviations are empty…"""
_GOES_ON = 2.5
"""…unless they lie beside cells that are not and reach so many: tails thin out, noise is anywhere."""
_PRICE = 5.0
"""What each further cell must explain of the chi-square to be kept apart."""


@dataclass(frozen=True, eq=False)
class _Level:
    """Cells of one resolution: what is known of each, and whether what lies below it is kept apart."""

    counts: Floats
    variances: Floats
    widths: Floats
    divided: npt.NDArray[np.bool_]


def fit_histogram(counts: Sequence[Floats], variances: Sequence[float], widths: Floats) -> Floats:
    """Non-negative counts of the finest cells, from noisy counts at every level, coarsest first.

    `widths` are those of the finest cells; where nothing tells them apart, counts follow the widths.

    >>> fine = np.array([40.0, 0, 0, 0, 3, 2, 3, 4])
    >>> fit_histogram([np.array([40.0, 12.0]), fine], [1.0, 1.0], np.ones(8)).round(1).tolist()
    [40.0, 0.0, 0.0, 0.0, 3.0, 3.0, 3.0, 3.0]
    """
    levels = upwards(counts, variances, widths)
    mass = np.maximum(levels[0].counts, 1.0)
    for above, level in pairwise(levels):
        mass = _downwards(mass, above, level)
    return mass


def upwards(counts: Sequence[Floats], variances: Sequence[float], widths: Floats) -> list[_Level]:
    """What is known of each level once those below it are reckoned in, from a single cell down to the finest."""
    counts, variances = _up_to_one(counts, variances)
    return _upwards(counts, variances, _all_widths(widths, len(counts)))


def _up_to_one(counts: Sequence[Floats], variances: Sequence[float]) -> tuple[list[Floats], list[float]]:
    """The same levels below coarser ones that nobody measured, sums of what lies below, up to a single cell.

    So the coarsest cells that were measured have to differ by more than noise as well, or are one: with few rows none
    of them stands out, and the largest alone would be left.
    """
    found, known = list(counts), list(variances)
    while len(found[0]) > 1:
        found.insert(0, _summed(found[0]))
        known.insert(0, np.inf)
    return found, known


def _all_widths(widths: Floats, levels: int) -> list[Floats]:
    found = [np.asarray(widths, dtype=np.float64)]
    while len(found) < levels:
        found.insert(0, _summed(found[0]))
    return found


def _summed(values: Floats) -> Floats:
    return np.asarray(np.add.reduceat(values, np.arange(0, len(values), BRANCHES)))


def _upwards(counts: Sequence[Floats], variances: Sequence[float], widths: Sequence[Floats]) -> list[_Level]:
    """From the finest level up: counts averaged with the sum of what lies below, by precision, and what to divide."""
    looked_at = _looked_at(counts, variances)
    size = len(counts[-1])
    levels = [_Level(counts[-1], np.full(size, variances[-1]), widths[-1], np.zeros(size, dtype=np.bool_))]
    gains = np.zeros(size)
    for i in range(len(counts) - 2, -1, -1):
        below = levels[0]
        parents = np.arange(len(below.counts)) // BRANCHES
        precision = 1 / variances[i] + np.where(looked_at[i], 1 / _summed(below.variances), 0.0)
        from_below = np.where(looked_at[i], _summed(below.counts) / _summed(below.variances), 0.0)
        averaged = (counts[i] / variances[i] + from_below) / precision
        even = averaged[parents] * below.widths / widths[i][parents]
        explained = _summed((below.counts - even) ** 2 / below.variances + gains)
        gains = explained - _PRICE * (np.bincount(parents) - 1)
        divided = looked_at[i] & (gains > 0)
        gains = np.where(divided, gains, 0.0)
        levels.insert(0, _Level(averaged, 1 / precision, widths[i], divided))
    return levels


def _looked_at(counts: Sequence[Floats], variances: Sequence[float]) -> list[npt.NDArray[np.bool_]]:
    """Which cells of each level but the finest are above noise, or not measured, and all that they lie in as well."""
    found: list[npt.NDArray[np.bool_]] = []
    for i, (values, variance) in enumerate(zip(counts[:-1], variances[:-1], strict=True)):
        above = values > (_WORTH_A_LOOK * np.sqrt(variance) if np.isfinite(variance) else -np.inf)
        found.append(above & found[-1][np.arange(len(values)) // BRANCHES] if i else above)
    return found


def _downwards(mass: Floats, above: _Level, level: _Level) -> Floats:
    """Counts of a level, which add up to those of the level above."""
    parents = np.arange(len(level.counts)) // BRANCHES
    found = np.asarray(mass[parents] * level.widths / above.widths[parents])
    filled = np.flatnonzero(mass > 0)
    for parent in filled[above.divided[filled]]:
        cells = slice(parent * BRANCHES, (parent + 1) * BRANCHES)
        counts, variances = level.counts[cells], level.variances[cells]
        if parent in (filled[0], filled[-1]):
            counts = _without_ends(counts, variances, left=parent == filled[0], right=parent == filled[-1])
        found[cells] = _simplex(counts, variances, float(mass[parent]))
    return found


def _without_ends(counts: Floats, variances: Floats, *, left: bool = True, right: bool = True) -> Floats:
    """Counts with −∞ for the outermost cells that do not stand out; the largest always stays."""
    above = counts / np.sqrt(variances)
    sure = np.flatnonzero((above >= _STANDS_OUT) | (counts == counts.max()))
    first, last = int(sure[0]), int(sure[-1])
    while first > 0 and above[first - 1] >= _GOES_ON:
        first -= 1
    while last + 1 < len(counts) and above[last + 1] >= _GOES_ON:
        last += 1
    found = counts.astype(np.float64)
    if left:
        found[:first] = -np.inf
    if right:
        found[last + 1 :] = -np.inf
    return found


def _simplex(counts: Floats, variances: Floats, total: float) -> Floats:
    """The nearest non-negative counts with this total, where a cell moves in proportion to its variance."""
    kept = np.isfinite(counts)
    while True:
        excess = (counts[kept].sum() - total) / variances[kept].sum()
        moved = np.where(kept, counts - excess * variances, 0.0)
        if (moved >= 0).all():
            return np.asarray(moved)
        kept &= moved >= 0
