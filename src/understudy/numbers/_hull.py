"""From where to where a column has rows, by noisy counts at several resolutions: post-processing of what was given out.

Beyond the last rows there is noise only, and noise far away moves means and deviations most. A single cell of a thin
tail does not stand out from noise, but many of them together do. So runs of cells next to those that are filled are
judged by the best estimate of all their rows, from all resolutions at once, against its own deviation; the farther a
run reaches, compared with what is filled, the more it has to stand out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
BRANCHES = 4
_CAUTION = 2.0
"""A run that reaches d times as far as what is filled has to have √(2·log(1 + 4d)) standard deviations."""
_STEEPNESS = 4.0
LEAST_SPREAD = 1 / 32
"""Distances are compared with at least this part of the range: a single value says nothing of how far others lie."""
_NEARER = 1.0
"""A run that ends earlier is taken if it stands out by as much but for this, in standard deviations."""
_FAR = 0.5
"""What has been taken in is given up again, if it reaches so far and does not stand out by itself."""
_STEPS = 4
_ROUNDS = 40


@dataclass(frozen=True, eq=False)
class Averaged:
    """Counts at every level, from a single cell down to the finest, each averaged with all that lie below it."""

    counts: tuple[Floats, ...]
    variances: tuple[Floats, ...]

    @cached_property
    def n_cells(self) -> int:
        """How many cells the finest level has."""
        return len(self.counts[-1])

    def size_at(self, level: int) -> int:
        """How many of the finest cells a cell of this level holds."""
        return int(BRANCHES ** (len(self.counts) - 1 - level))

    def between(self, begin: int, end: int) -> tuple[float, float]:
        """The best linear estimate of the rows in the finest cells `begin` to `end` − 1, and its variance.

        >>> fine, four = np.array([5.0, 1, 0, 2]), np.array([8.0])
        >>> tree = Averaged((four, fine), (np.array([0.8]), np.ones(4)))
        >>> tree.between(0, 4), tree.between(0, 2)
        ((8.0, 0.8), (6.0, 1.2))
        """
        constant, slope, variance = self._given(0, 0, begin, end)
        return constant + slope * float(self.counts[0][0]), variance + slope**2 * float(self.variances[0][0])

    def _given(self, level: int, cell: int, begin: int, end: int) -> tuple[float, float, float]:
        """What a cell holds of the run, given its whole count t: a mean of constant + slope·t, and a variance.

        Given t, the cells below are z + v/Σv·(t − Σz), with covariance diag(v) − vvᵀ/Σv: what is known of each, where
        what lacks to t is laid on each by its variance.
        """
        size = self.size_at(level)
        first, last = cell * size, min((cell + 1) * size, self.n_cells)
        if end <= first or begin >= last:
            return 0.0, 0.0, 0.0
        if begin <= first and last <= end:
            return 0.0, 1.0, 0.0
        below = range(cell * BRANCHES, min((cell + 1) * BRANCHES, len(self.counts[level + 1])))
        parts = [self._given(level + 1, child, begin, end) for child in below]
        counts = self.counts[level + 1][below.start : below.stop].tolist()
        variances = self.variances[level + 1][below.start : below.stop].tolist()
        weighed = sum(part[1] * variance for part, variance in zip(parts, variances, strict=True))
        slope = weighed / sum(variances)
        constant = sum(part[0] + part[1] * count for part, count in zip(parts, counts, strict=True))
        spread = sum(part[2] + part[1] ** 2 * variance for part, variance in zip(parts, variances, strict=True))
        return constant - slope * sum(counts), slope, spread - slope * weighed


def find_hull(tree: Averaged, widths: Floats, begin: int, end: int) -> tuple[int, int]:
    """The first of the finest cells that has rows, and the one after the last, from some that have them outwards.

    >>> fine = np.array([0.0, 0, 50, 9, 8, 9, 1, 0])
    >>> upper = np.add.reduceat(fine, [0, 4])
    >>> tree = Averaged((np.array([77.0]), upper, fine), (np.array([2.0]), np.ones(2), np.ones(8)))
    >>> find_hull(tree, np.ones(8), 2, 3)
    (2, 6)
    """
    ends = np.concatenate([[0.0], np.cumsum(widths)])
    grown = begin, end
    for _ in range(_ROUNDS):
        before = grown
        grown = grown[0], _right(tree, ends, *grown)
        grown = _left(tree, ends, *grown), grown[1]
        if grown == before:
            break
    return _given_up(tree, ends, grown, (begin, end))


def _right(tree: Averaged, ends: Floats, begin: int, end: int) -> int:
    runs = {to: _excess(tree, ends, (end, to), (begin, end)) for to in marks(tree, end, +1)}
    return min(_as_clear(runs), default=end)


def _left(tree: Averaged, ends: Floats, begin: int, end: int) -> int:
    runs = {to: _excess(tree, ends, (to, begin), (begin, end)) for to in marks(tree, begin, -1)}
    return max(_as_clear(runs), default=begin)


def _as_clear(runs: dict[int, float]) -> list[int]:
    """Ends of runs that stand out, as much as any does but for a little."""
    best = max(runs.values(), default=0.0)
    return [to for to, excess in runs.items() if excess > 0 and excess >= best - _NEARER]


def _given_up(tree: Averaged, ends: Floats, hull: tuple[int, int], start: tuple[int, int]) -> tuple[int, int]:
    """The same cells without outer runs that reach far and do not stand out, however clear all of it together was."""
    begin, end = hull
    for _ in range(_ROUNDS):
        right = [to for to in marks(tree, end, -1) if to >= start[1] and _weak(tree, ends, (to, end), (begin, to))]
        end = min(right, default=end)
        left = [to for to in marks(tree, begin, +1) if to <= start[0] and _weak(tree, ends, (begin, to), (to, end))]
        begin = max(left, default=begin)
        if not (right or left):
            break
    return begin, end


def _weak(tree: Averaged, ends: Floats, run: tuple[int, int], rest: tuple[int, int]) -> bool:
    return _distance(ends, run, rest) >= _FAR and _excess(tree, ends, run, rest) < 0


def _excess(tree: Averaged, ends: Floats, run: tuple[int, int], filled: tuple[int, int]) -> float:
    """By how many standard deviations a run stands out more than it has to, beside the cells that are filled."""
    rows, variance = tree.between(*run)
    return float(rows / np.sqrt(variance) - least_seen(_distance(ends, run, filled)))


def least_seen(distance: float) -> float:
    """The standard deviations that a run stands out by, if it reaches so many times as far as what is filled.

    >>> [round(least_seen(distance), 1) for distance in (0.5, 1, 10)]
    [1.5, 1.8, 2.7]
    """
    return float(np.sqrt(_CAUTION * np.log1p(_STEEPNESS * distance)))


def _distance(ends: Floats, run: tuple[int, int], filled: tuple[int, int]) -> float:
    """How long a run is, as a part of what is filled."""
    spread = max(ends[filled[1]] - ends[filled[0]], LEAST_SPREAD * ends[-1])
    return float((ends[run[1]] - ends[run[0]]) / spread)


def marks(tree: Averaged, place: int, direction: int) -> Iterable[int]:
    """Ends of cells of all levels to one side of a place, a few of each."""
    found = set()
    for level in range(len(tree.counts)):
        size = tree.size_at(level)
        base = place // size if direction > 0 else -(-place // size)
        for step in range(1, _STEPS + 1):
            found.add(min(max((base + direction * step) * size, 0), tree.n_cells))
    return sorted(found - {place})
