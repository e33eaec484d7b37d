"""The ends of a histogram drawn out as tails: post-processing of counts that were given out.

The outermost rows of a long tail are too few to stand out from noise, however they are counted, so a histogram ends too
early: means come out too small, deviations far too small. How the rows before them thin out tells where they lie: above
a high enough value nearly every distribution is close to a generalised Pareto distribution, whose survival function is
(1 + ξ·t/s)^(−1/ξ). One is fitted, by least squares, to the noisy counts from some way inside the histogram to the end
of the range, the empty ones included, and takes the place of the outermost rows if it explains their counts about as
well. With ξ < 0 it has an end of its own, so that a column that stops at once is not drawn out.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from understudy.numbers._hull import Averaged, marks

Floats = npt.NDArray[np.float64]
_ROWS = 5.0
"""Rows that a tail takes the place of, in standard deviations of the noise in a cell."""
_FITTED = 3.0
"""Rows that it is fitted to, as a multiple of those, but a quarter of all at most."""
_MOST_FITTED = 0.25
_SHAPES = np.array([shape / 10 or 1e-6 for shape in range(-9, 11)])
_USUAL_SHAPE, _UNUSUAL = 0.25, 0.35
"""Mean and deviation of the shapes to be expected: heavier than an exponential tail, mostly."""
_SCALES = 60
_LEAST_SCALE = 1 / 8
"""As a part of the distance in which rows become a third; a spike at its beginning would be fitted by itself else."""
_WORSE = 2.0
"""By how much more than the histogram's a tail's chi-square may be, over the cells that it is to fill and for each step
that the histogram has there: they lie where noise made them look best."""
_FEWEST = 4
_LAST = 3.0
"""Rows at the very end that are left out: where they lie is anyone's guess, and a wrong one moves deviations most."""
_STEP = 1.25
"""How fast the steps grow in which a tail is written down."""


@dataclass(frozen=True, eq=False)
class _Side:
    """A histogram seen from one of its ends: cells count towards it."""

    tree: Averaged
    masses: Floats
    widths: Floats
    ends: Floats
    mirrored: bool
    offset: int

    @classmethod
    def of(cls, tree: Averaged, masses: Floats, widths: Floats, *, mirrored: bool, offset: int) -> _Side:
        step = -1 if mirrored else 1
        ends = np.concatenate([[0.0], np.cumsum(widths[::step])])
        return cls(tree, masses[::step], widths[::step], ends, mirrored, offset)

    def between(self, begin: int, end: int) -> tuple[float, float]:
        """The best estimate of the rows in cells `begin` to `end` − 1, and its variance."""
        ends = sorted((self._cell(begin), self._cell(end)))
        return self.tree.between(*ends)

    def marks(self, place: int) -> set[int]:
        """Ends of cells of all resolutions beyond a place, a few of each."""
        found = marks(self.tree, self._cell(place), -1 if self.mirrored else 1)
        n = len(self.masses)
        places = {n + self.offset - mark if self.mirrored else mark - self.offset for mark in found}
        return {min(place, n) for place in places}

    def _cell(self, place: int) -> int:
        """The end of a cell of the tree, for one of this side."""
        return len(self.masses) + self.offset - place if self.mirrored else place + self.offset

    def beyond(self, rows: float) -> int:
        """The last cell from which on there are at least so many rows."""
        left = np.cumsum(self.masses[::-1])[::-1]
        return max(int(np.searchsorted(-left, -rows, side="right")) - 1, 0)


def with_tails(masses: Floats, tree: Averaged, widths: Floats, deviation: float, *, offset: int = 0) -> Floats:
    """The histogram with tails at both ends, where they explain the counts. `deviation` is that of the noise in a cell.

    Its first cell is number `offset` of the tree's; it may end before the last of those.

    >>> rows = np.rint(8000 * 0.5 ** np.arange(16))
    >>> levels = [rows]
    >>> while len(levels[0]) > 1:
    ...     levels.insert(0, np.add.reduceat(levels[0], np.arange(0, len(levels[0]), 4)))
    >>> tree = Averaged(tuple(levels), tuple(np.full(len(level), 900.0) for level in levels))
    >>> cut_off = np.where(np.arange(16) < 6, rows, 0.0)
    >>> with_tails(cut_off, tree, np.ones(16), 30.0)[6:10].round(-1).tolist()
    [130.0, 60.0, 30.0, 10.0]
    """
    found = masses.copy()
    for mirrored in (False, True):
        side = _Side.of(tree, masses, widths, mirrored=mirrored, offset=offset)
        tail = _tail(side, deviation)
        if tail is not None:
            found[:: -1 if mirrored else 1][len(masses) - len(tail) :] = tail
    return found


def _tail(side: _Side, deviation: float) -> Floats | None:
    """The rows of the outermost cells; None if the histogram does as well."""
    total, rows = float(side.masses.sum()), _ROWS * deviation
    if total < _ROWS * rows:
        return None  # with so few rows all of it is noise
    start = side.beyond(min(_FITTED * rows, _MOST_FITTED * total))
    begin = max(side.beyond(rows), start)
    steps = _steps_of(side, start)
    places = _told_apart(side, sorted({start, begin, len(side.masses), *side.marks(start), *steps}))
    if len(places) <= _FEWEST:
        return None
    start = places[0]
    counts, variances = np.array([side.between(*pair) for pair in pairwise(places)]).T
    reach = side.ends[places] - side.ends[start]
    tail = _fitted(counts, variances, reach, _LEAST_SCALE * float(side.ends[begin] - side.ends[start]))
    held, drawn = np.add.reduceat(side.masses, places[:-1]), -np.diff(tail.left(reach))
    worse = ((counts - drawn) ** 2 - (counts - held) ** 2) / variances
    if worse[bisect_left(places, begin) :].sum() > _WORSE * (1 + sum(place > begin for place in steps)):
        return None
    return _written(side, begin, tail, side.ends[begin] - side.ends[start])


def _told_apart(side: _Side, places: list[int]) -> list[int]:
    """The places without those that numbers cannot tell from the next: a value beside 0, seen from 10¹⁷."""
    apart = np.diff(side.ends[places]) > 0
    return [place for place, kept in zip(places, [*apart, True], strict=True) if kept]


def _steps_of(side: _Side, start: int) -> list[int]:
    """Where the histogram's own density changes: what it keeps apart a tail has to explain."""
    density = (side.masses / side.widths)[start:]
    new = ~np.isclose(density[1:], density[:-1], rtol=1e-6, atol=0)
    filled = np.flatnonzero(density)
    new[filled[-1] if len(filled) else 0 :] = False  # it ends where noise was lowest: that explains nothing
    return list(start + 1 + np.flatnonzero(new))


@dataclass(frozen=True)
class _Pareto:
    """A generalised Pareto distribution of so many rows, up to a farthest reach."""

    shape: float
    scale: float
    rows: float
    farthest: float

    def left(self, reach: Floats) -> Floats:
        """Rows that lie farther out."""
        survival, least = (_survival(self.shape, self.scale, x) for x in (reach, np.array([self.farthest])))
        return np.asarray(self.rows * (survival - least) / (1 - least))


def _survival(shape: Floats | float, scale: Floats | float, reach: Floats) -> Floats:
    base = np.maximum(1 + shape * reach / scale, 0.0)
    with np.errstate(divide="ignore"):
        return np.where(base > 0, np.exp(-np.log(base) / shape), 0.0)


def _fitted(counts: Floats, variances: Floats, reach: Floats, least: float) -> _Pareto:
    """The tail that explains counts between these places best, unusual shapes being a little less welcome."""
    scales = np.geomspace(max(reach[1], least), reach[-1], _SCALES)
    survival = _survival(_SHAPES[:, None, None], scales[:, None], reach)
    parts = -np.diff(survival) / (1 - survival[..., -1:])
    rows = np.maximum((parts * counts / variances).sum(axis=-1) / (parts**2 / variances).sum(axis=-1), 1e-9)
    chi_square = ((counts - rows[..., None] * parts) ** 2 / variances).sum(axis=-1)
    unusual = ((_SHAPES - _USUAL_SHAPE) / _UNUSUAL) ** 2
    shape, scale = np.unravel_index(int(np.argmin(chi_square + unusual[:, None])), chi_square.shape)
    return _Pareto(
        shape=float(_SHAPES[shape]),
        scale=float(scales[scale]),
        rows=float(rows[shape, scale]),
        farthest=float(reach[-1]),
    )


def _written(side: _Side, begin: int, tail: _Pareto, already: float) -> Floats:
    """The rows of each cell from one on: evenly filled steps that grow, so that few of them tell it all."""
    ends = side.ends[begin:] - side.ends[begin]
    steps, step = [0], 1.0
    while steps[-1] < len(ends) - 1:
        step = max(step, ends[steps[-1] + 1] - ends[steps[-1]])
        steps.append(max(steps[-1] + 1, int(np.searchsorted(ends, ends[steps[-1]] + step, side="right")) - 1))
        step *= _STEP
    widths = side.widths[begin:]
    density = -np.diff(np.maximum(tail.left(already + ends[steps]) - _LAST, 0.0)) / np.add.reduceat(widths, steps[:-1])
    return np.asarray(np.repeat(density, np.diff(steps)) * widths)
