"""What columns in a declared order are drawn from, so that they lie inside their bins as they are known to.

Of two values from one bin that are drawn until the smaller one comes first, the lower column's are too small then and
the upper column's too large, and where rows spread widely, as in the last bin of a long tail, means and deviations
show it. So both are drawn from other shapes than their own. Bins i and j go together as often as T_ij, and of those
values a and b are drawn

    as often as  s_i(a) · u_i(a) · s_j(b) · v_j(b) · k(b − a),

where s is what is known of values inside each bin, and k keeps the order, and may say how far apart they lie. u and v
are found such that over all bins of the other column values come out as s has them: by proportional fitting of a table
whose cells are small parts of bins, to T and to both columns. There may be no u and v that do that: of two columns in
order all of one bin are equal, or they do not lie evenly. It follows from a table that the model gives, so it costs
nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from understudy.schema import Field, Shape
from understudy.tables._inside._grids import Floats, Grid, Ints
from understudy.tables._inside._kernels import place_points
from understudy.tables._inside._lengths import Length, shared_units

_FINE = sorted({*(i / 12 for i in range(12)), *(0.5**k for k in range(4, 9)), *(1 - 0.5**k for k in range(4, 9))})
_COARSE = [0.0, 1 / 16, 1 / 4, 1 / 2, 3 / 4, 15 / 16]
"""Where parts of a bin begin: where bins are few, and where they are many."""
_MANY = 32
_PLACES = (1 / 6, 1 / 2, 5 / 6)
"""Of a part of the lower column's bin: where its values stand for all."""
_ROUNDS, _CLOSE = 60, 1e-4
_MOST = 4.0
"""By how much a part may be drawn more or less often: a table made of noise may ask for anything."""
_ALIKE = 1.2
"""Parts whose factors differ by less are one."""
_LEAST = 1e-300


@dataclass(frozen=True, eq=False)
class Tilt:
    """How much more often than it lies there a column is drawn from each grid point on, up to the next of `starts`."""

    starts: Ints
    factors: Floats

    @classmethod
    def merged(cls, starts: Ints, factors: Floats, held: Floats, bin_of: Ints) -> Tilt:
        """With neighbours in one bin that differ by little as one: the fewer parts, the faster values are drawn.

        >>> held, bin_of = np.array([0.75, 0.25, 1.0, 1.0]), np.array([0, 0, 1, 2])
        >>> tilt = Tilt.merged(np.array([0, 6, 9, 20]), np.array([1.0, 1.08, 1.3, 1.2]), held, bin_of)
        >>> tilt.starts.tolist(), tilt.factors.tolist()  # as much of each bin is drawn as before
        ([0, 9, 20], [1.02, 1.3, 1.2])
        """
        kept: list[int] = []
        least = most = 0.0
        for part, factor in enumerate(factors.tolist()):
            least, most = min(least, factor), max(most, factor)
            if not kept or bin_of[part] != bin_of[kept[-1]] or most > _ALIKE * least:
                kept.append(part)
                least = most = factor
        weight = np.maximum(held, _LEAST)
        means = np.add.reduceat(weight * factors, kept) / np.add.reduceat(weight, kept)
        return cls(starts[kept], means)

    def at(self, points: Ints) -> Floats:
        """The factor at each of some grid points."""
        return self.factors[np.maximum(np.searchsorted(self.starts, points, side="right") - 1, 0)]

    def of(self, field: Field) -> Field:
        """The field with bins that are filled so."""
        bins = field.bins
        if bins is None:
            return field
        first, last, ends = bins.pieces
        inside = self.starts[(self.starts > first[0]) & (self.starts <= last[-1])]
        starts = np.union1d(first, inside)
        piece = np.searchsorted(first, starts, side="right") - 1
        wide = np.diff(np.append(starts, last[-1] + 1)) / (last - first + 1.0)[piece]
        shares = np.diff(np.append(0.0, ends))[piece] * wide * self.at(starts)
        return replace(
            field, bins=replace(bins, shape=Shape(starts=tuple(starts.tolist()), shares=tuple(shares.tolist())))
        )


@dataclass(frozen=True, eq=False)
class Tilts:
    """Of the lower column and the upper one; `off` is the part of rows that lie elsewhere all the same, of both."""

    lower: Tilt
    upper: Tilt
    off: float


def fit_tilts(lower: Grid, upper: Grid, length: Length | None, table: Floats) -> Tilts:
    """What two columns are to be drawn from whose bins go together so, in order, and as far apart as a length says.

    >>> from understudy.schema import Schema
    >>> day = {"type": "integer", "bins": 4, "constraints": {"minimum": 0, "maximum": 39}}
    >>> grid = Grid.of(Schema.from_dict({"fields": [{"name": "from", **day}]})["from"])
    >>> tilts = fit_tilts(grid, grid, None, np.triu(np.ones((4, 4))))
    >>> tilts.lower.at(np.array([0, 9])).round(1).tolist(), tilts.off < 0.03
    ([0.6, 1.3], True)
    """
    begins = [_begins(grid) for grid in (lower, upper)]
    bounds = [
        np.append(grid.held_below(of.astype(np.float64)), grid.count)
        for grid, of in zip((lower, upper), begins, strict=True)
    ]
    held = [np.diff(of) for of in bounds]
    bin_of = [
        np.minimum((of[:-1] + 1e-9).astype(np.int64), grid.count - 1)
        for grid, of in zip((lower, upper), bounds, strict=True)
    ]
    firsts = [np.flatnonzero(np.diff(of, prepend=-1)) for of in bin_of]
    cells = held[0][:, np.newaxis] * _together(lower, upper, length, bounds)
    possible = np.add.reduceat(np.add.reduceat(cells, firsts[0], axis=0), firsts[1], axis=1) > _LEAST
    table = np.where(possible, table, 0.0)
    factors = [np.ones(len(of)) for of in held]
    wanted = [table.sum(axis=1 - side)[bin_of[side]] * held[side] for side in (0, 1)]
    off = 0.0
    for _ in range(_ROUNDS):
        sums = np.add.reduceat(np.add.reduceat(cells, firsts[0], axis=0), firsts[1], axis=1)
        cells *= (table / np.maximum(sums, _LEAST))[np.ix_(bin_of[0], bin_of[1])]
        off = 0.0
        for side in (0, 1):
            now = cells.sum(axis=1 - side)
            off += float(np.abs(now - wanted[side]).sum())
            # where the other column has nothing to be in order with, as little is drawn as may be
            ratio = np.where(now > _LEAST, wanted[side] / np.maximum(now, _LEAST), 0.0)
            before = factors[side]
            factors[side] = np.clip(before * ratio, 1 / _MOST, _MOST)
            ratio = factors[side] / before
            cells *= ratio[:, np.newaxis] if side == 0 else ratio
        if off <= _CLOSE * table.sum():
            break
    own, other = (Tilt.merged(*parts) for parts in zip(begins, factors, held, bin_of, strict=True))
    return Tilts(own, other, off / max(float(table.sum()), _LEAST))


def _begins(grid: Grid) -> Ints:
    """The grid points at which small parts of each bin begin."""
    cuts = np.array(_FINE if grid.count <= _MANY else _COARSE)
    bins = np.repeat(np.arange(grid.count), len(cuts))
    points = np.empty(len(bins), dtype=np.int64)
    place_points(bins, np.tile(cuts, grid.count), grid.pieces, points)
    return np.union1d(points, grid.ends[0])


def _together(lower: Grid, upper: Grid, length: Length | None, bounds: Sequence[Floats]) -> Floats:
    """How much of each part of the upper column lies above each of the lower one, times how frequent lengths are."""
    of_lower, of_upper = shared_units(lower, upper)
    ends = np.array([0.0, np.inf]) if length is None else length.ends
    weights = np.ones(1) if length is None else length.weights
    found = np.zeros((len(bounds[0]) - 1, len(bounds[1]) - 1))
    points = np.empty(len(found), dtype=np.int64)
    for place in _PLACES:
        at = bounds[0][:-1] + place * np.diff(bounds[0])
        bins = np.minimum(at.astype(np.int64), lower.count - 1)
        place_points(bins, np.clip(at - bins, 0.0, 1.0), lower.pieces, points)
        for row, point in zip(found, points.tolist(), strict=True):
            reached = upper.held_below(np.ceil((float(point * of_lower) + ends) / of_upper))
            row += np.diff(np.interp(bounds[1], reached, np.append(0.0, np.cumsum(weights * np.diff(reached)))))
    return found
