"""A histogram from noisy counts at several resolutions, each cell of a level holding four of the next.

All of it is post-processing of counts that were given out. Three things keep noise from making mass where there is
none: what lies under cells within their own noise is not looked at; four cells that differ by no more than noise are
one; and nothing lies beyond the cells that have rows (`_hull.py`), where noise would move means and deviations most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from understudy.numbers._hull import BRANCHES, Averaged, find_hull
from understudy.numbers._tail import with_tails

Floats = npt.NDArray[np.float64]
_WORTH_A_LOOK = 1.0
"""Cells above so many standard deviations are divided."""
_CLEAR = 7.0
"""Cells above so many standard deviations have rows, wherever they lie."""
APART = 3.5
"""The ends of the range have rows, above so many standard deviations, whatever lies before them."""
_UNKNOWN = (0.0, np.inf)
PRICE = 5.0
"""What each further cell must explain of the chi-square to be kept apart."""


@dataclass(frozen=True, eq=False)
class _Level:
    """Cells of one resolution: what is known of each, and whether what lies below it is kept apart."""

    counts: Floats
    variances: Floats
    widths: Floats
    divided: npt.NDArray[np.bool_]


def fit_histogram(
    counts: Sequence[Floats],
    variances: Sequence[float],
    widths: Floats,
    total: tuple[float, float] = _UNKNOWN,
) -> Floats:
    """Non-negative counts of the finest cells, from noisy counts at every level, coarsest first.

    `widths` are those of the finest cells; where nothing tells them apart, counts follow the widths. `total` is what
    else is known of all of them together, and its variance.

    >>> fine = np.array([40.0, 0, 0, 0, 3, 2, 3, 4])
    >>> fit_histogram([np.array([40.0, 12.0]), fine], [1.0, 1.0], np.ones(8)).round(1).tolist()
    [40.0, 0.0, 0.0, 0.0, 3.0, 3.0, 3.0, 3.0]
    """
    levels = upwards(counts, variances, widths, total)
    tree = _averaged(*_up_to_one(counts, variances, total))
    begin, end = find_hull(tree, widths, *_sure(levels, tree))
    cells = np.arange(len(widths))
    levels = upwards(counts, variances, np.where((begin <= cells) & (cells < end), widths, 0.0), total)
    mass = np.maximum(levels[0].counts, 1.0)
    for above, level in pairwise(levels):
        mass = _downwards(mass, above, level)
    apart = _ends_apart(tree, begin, end)
    inner = slice(int(0 in apart), len(mass) - int(len(mass) - 1 in apart))
    mass[inner] = with_tails(mass[inner], tree, widths[inner], float(np.sqrt(min(variances))), offset=inner.start)
    for cell, rows in apart.items():
        mass[cell] = rows
    return mass


def _ends_apart(tree: Averaged, begin: int, end: int) -> dict[int, float]:
    """The rows of the first and the last cell of the range, where they have some though those beside them do not.

    Values beyond what is told are often told as the last that is (99,999), and missing ones as the first.
    """
    last = tree.n_cells - 1
    outside = [cell for cell in {0, last} if not begin <= cell < end]
    estimates = {cell: tree.between(cell, cell + 1) for cell in outside}
    return {cell: rows for cell, (rows, variance) in estimates.items() if rows >= APART * np.sqrt(variance)}


def upwards(
    counts: Sequence[Floats], variances: Sequence[float], widths: Floats, total: tuple[float, float] = _UNKNOWN
) -> list[_Level]:
    """What is known of each level once those below it are reckoned in, from a single cell down to the finest.

    Cells of width 0 lie outside, and nothing is there.
    """
    counts, variances = _up_to_one(counts, variances, total)
    return _upwards(counts, variances, _all_widths(widths, len(counts)))


def _up_to_one(
    counts: Sequence[Floats], variances: Sequence[float], total: tuple[float, float] = _UNKNOWN
) -> tuple[list[Floats], list[float]]:
    """The same levels below coarser ones that nobody measured, sums of what lies below, up to a single cell.

    So the coarsest cells that were measured have to differ by more than noise as well, or are one: with few rows none
    of them stands out, and the largest alone would be left.
    """
    found, known = list(counts), list(variances)
    while len(found[0]) > 1:
        found.insert(0, _summed(found[0]))
        known.insert(0, np.inf)
    if len(found) > 1 and np.isfinite(total[1]):
        found[0], known[0] = np.array([total[0]]), total[1]
    return found, known


def _all_widths(widths: Floats, levels: int) -> list[Floats]:
    found = [np.asarray(widths, dtype=np.float64)]
    while len(found) < levels:
        found.insert(0, _summed(found[0]))
    return found


def _summed(values: Floats) -> Floats:
    return np.asarray(np.add.reduceat(values, np.arange(0, len(values), BRANCHES)))


def _averaged(counts: Sequence[Floats], variances: Sequence[float]) -> Averaged:
    """All levels, each averaged with the sum of what lies below, by precision."""
    found, known = [counts[-1]], [np.full(len(counts[-1]), variances[-1])]
    for values, variance in zip(counts[-2::-1], variances[-2::-1], strict=True):
        below, noise = _summed(found[0]), _summed(known[0])
        precision = 1 / variance + 1 / noise
        found.insert(0, (values / variance + below / noise) / precision)
        known.insert(0, 1 / precision)
    return Averaged(tuple(found), tuple(known))


def _sure(levels: Sequence[_Level], tree: Averaged) -> tuple[int, int]:
    """Some of the finest cells that have rows, for certain: those under the cell that holds most, as far down as cells
    differ by more than noise, and all up to cells beside it that are far above noise, however far away."""
    cell, depth = 0, 0
    while depth + 1 < len(levels) and levels[depth].divided[cell]:
        below = levels[depth + 1].counts[cell * BRANCHES : (cell + 1) * BRANCHES]
        cell, depth = cell * BRANCHES + int(below.argmax()), depth + 1
    begin, end = cell * tree.size_at(depth), (cell + 1) * tree.size_at(depth)
    found, clear_below = [begin, end], np.zeros(len(levels[-1].counts) * BRANCHES, dtype=np.bool_)
    for level in range(len(levels) - 1, -1, -1):
        clear = tree.counts[level] >= _CLEAR * np.sqrt(tree.variances[level])
        smallest = np.flatnonzero(clear & ~np.add.reduceat(clear_below, np.arange(0, len(clear) * BRANCHES, BRANCHES)))
        size = tree.size_at(level)
        apart = smallest[(smallest * size >= end) | ((smallest + 1) * size <= begin)]
        found += [*(apart * size), *((apart + 1) * size)]
        clear_below = np.pad(clear, (0, -len(clear) % BRANCHES))
    return int(min(found)), int(min(max(found), tree.n_cells))


def _upwards(counts: Sequence[Floats], variances: Sequence[float], widths: Sequence[Floats]) -> list[_Level]:
    """From the finest level up: counts averaged with the sum of what lies below, by precision, and what to divide."""
    looked_at = _looked_at(counts, variances)
    inside = widths[-1] > 0
    known = np.where(inside, variances[-1], 0.0)
    levels = [_Level(np.where(inside, counts[-1], 0.0), known, widths[-1], np.zeros(len(inside), dtype=np.bool_))]
    gains = np.zeros(len(inside))
    for i in range(len(counts) - 2, -1, -1):
        level, gains = _above(levels[0], gains, counts[i], variances[i], widths[i], looked_at[i])
        levels.insert(0, level)
    return levels


def _above(
    below: _Level, gains: Floats, counts: Floats, variance: float, widths: Floats, looked_at: npt.NDArray[np.bool_]
) -> tuple[_Level, Floats]:
    """The level above another one, and what each of its cells gains by being divided."""
    parents, inside, filled = np.arange(len(below.counts)) // BRANCHES, widths > 0, below.widths > 0
    noise = np.where(inside, _summed(below.variances), 1.0)
    precision = np.where(inside, 1 / variance + looked_at / noise, 1.0)
    averaged = np.where(inside, counts / variance + looked_at * _summed(below.counts) / noise, 0.0) / precision
    even = averaged[parents] * below.widths / np.where(inside, widths, 1.0)[parents]
    kept = _summed(filled.astype(np.float64))
    off = np.where(filled & (kept > 1)[parents], (below.counts - even) ** 2, 0.0)  # a single one has what there is
    explained = _summed(off / np.where(filled, below.variances, 1.0) + gains)
    gains = np.where(inside, explained - PRICE * (kept - 1), 0.0)
    divided = looked_at & (gains > 0)
    level = _Level(averaged, np.where(inside, 1 / precision, 0.0), widths, divided)
    return level, np.where(divided, gains, 0.0)


def _looked_at(counts: Sequence[Floats], variances: Sequence[float]) -> list[npt.NDArray[np.bool_]]:
    """Which cells of each level but the finest are above noise, or not measured, and all that they lie in as well.

    The single cell of the whole range is always looked at.
    """
    found: list[npt.NDArray[np.bool_]] = []
    for i, (values, variance) in enumerate(zip(counts[:-1], variances[:-1], strict=True)):
        judged = len(values) > 1 and np.isfinite(variance)
        above = values > (_WORTH_A_LOOK * np.sqrt(variance) if judged else -np.inf)
        found.append(above & found[-1][np.arange(len(values)) // BRANCHES] if i else above)
    return found


def _downwards(mass: Floats, above: _Level, level: _Level) -> Floats:
    """Counts of a level, which add up to those of the level above."""
    parents = np.arange(len(level.counts)) // BRANCHES
    found = np.asarray(mass[parents] * level.widths / np.where(above.widths > 0, above.widths, 1.0)[parents])
    counts = np.where(level.widths > 0, level.counts, -np.inf)
    for parent in np.flatnonzero((mass > 0) & above.divided):
        cells = slice(parent * BRANCHES, (parent + 1) * BRANCHES)
        found[cells] = simplex(counts[cells], level.variances[cells], float(mass[parent]))
    return found


def simplex(counts: Floats, variances: Floats, total: float) -> Floats:
    """The nearest non-negative counts with this total, where a cell moves in proportion to its variance."""
    kept = np.isfinite(counts)
    while True:
        excess = (counts[kept].sum() - total) / variances[kept].sum()
        moved = np.where(kept, counts - excess * variances, 0.0)
        if (moved >= 0).all():
            return np.asarray(moved)
        kept &= moved >= 0
