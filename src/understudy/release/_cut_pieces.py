"""What a condition cuts out of the shape inside a column's bins, and how much of it nobody measured.

A found shape is made of evenly filled pieces, each of one or more cells of the public grid that counts were made on.
What lies in a part of a cell was not counted at all. Cells of one piece were counted, and differed by no more than
noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import sqrt
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from understudy._core.randomness import Rng
from understudy.numbers import cell_starts
from understudy.release._regions import Span
from understudy.schema import Bins, Field, Shape

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]

_SLANT, _HEAP = 0.15, 0.25
"""How far from even a piece may be on either side of a cut, and how far beside a single value: as a part of √(a·b) of
what either side holds."""
_HIDDEN = 3.5
"""How far beside a single value of a column in which others stand out: as much as noise can hide, in deviations of it.
Four cells are one where a single one of them holds less than some four."""
_DENSER, _HEAPS = 3.0, 2
"""So much denser than both neighbours is a value that stands out, and so many of them make others likely."""


@dataclass(frozen=True, eq=False)
class Cut:
    """A column's pieces, divided where a condition begins and ends: which lie inside, and in which cell each lies.

    `whole` is the piece of the shape that each is a part of; `cell` numbers the cells that are cut, −1 where none is.
    """

    field: Field
    whole: Ints
    inside: Bools
    cell: Ints
    widths: Floats

    @classmethod
    def of(cls, field: Field, spans: Sequence[Span], *, declared: bool) -> Cut:
        """The field's shape, cut; of declared bins a single value may hold all of its bin."""
        bins = _bins(field)
        starts = np.array(_shape(bins).starts, dtype=np.int64)
        begin, end = int(bins.grid[0][0]), int(bins.grid[1][-1])
        points = [point for low, high in spans for point in (low, high + 1) if begin < point <= end]
        cells = _cut_cells(bins, spans, points, declared=declared)
        all_starts = np.unique(np.concatenate([starts, points, *cells]).astype(np.int64))
        all_starts = all_starts[(all_starts >= begin) & (all_starts <= end)]
        whole = np.searchsorted(starts, all_starts, side="right") - 1
        widths = np.diff(np.append(all_starts, end + 1)).astype(np.float64)
        shares = np.array(_shape(bins).shares)[whole] * widths / np.bincount(whole, weights=widths)[whole]
        shape = Shape(starts=tuple(all_starts.tolist()), shares=tuple(shares.tolist()))
        number = np.full(len(all_starts), -1, dtype=np.int64)
        for i, (first, after) in enumerate(cells):
            number[(all_starts >= first) & (all_starts < after)] = i
        inside = np.zeros(len(all_starts), dtype=np.bool_)
        for low, high in spans:
            inside |= (all_starts >= low) & (all_starts <= high)
        return cls(replace(field, bins=replace(bins, shape=shape)), whole, inside, number, widths)

    @property
    def shares(self) -> Floats:
        """What each part holds, in the unit of the shape."""
        return np.array(_shape(_bins(self.field)).shares)

    def redrawn(self, shares: Floats, groups: Ints, noise: tuple[float, float], rng: Rng) -> Floats:
        """The shares with as much inside as there might be, in each group of pieces that is cut, and in each cell.

        `noise` are the deviations of a cell that was looked at once, and of one that was looked at again.
        """
        for group in _cut_in_two(groups, self.inside):
            members = groups == group
            held, inner = float(shares[members].sum()), float(shares[members & self.inside].sum())
            single = float(self.widths[members & self.inside].sum()) == 1
            spread = _spread(inner, held - inner, noise, single=single)
            if single and self.heaped:
                spread = max(spread, _HIDDEN * noise[1])
            shares = self._moved(shares, members, float(np.clip(inner + rng.normal(0.0, spread), 0.0, held)))
        for cell in _cut_in_two(self.cell, self.inside):
            members = self.cell == cell
            if cell >= 0:
                shares = self._moved(shares, members, float(shares[members].sum() * rng.random()))
        return shares

    def _moved(self, shares: Floats, members: Bools, inner: float) -> Floats:
        """With so much inside, of what these hold; where nothing was found it is spread evenly."""
        found, held = shares.copy(), float(shares[members].sum())
        for part, wanted in ((members & self.inside, inner), (members & ~self.inside, held - inner)):
            before = float(shares[part].sum())
            found[part] = shares[part] * (wanted / before) if before > 0 else wanted * _normal(self.widths[part])
        return found

    @cached_property
    def heaped(self) -> bool:
        """Whether single values inside the range stand out in the shape, as where people round: so others may, too."""
        density = np.pad(np.bincount(self.whole, weights=self.shares) / np.bincount(self.whole, weights=self.widths), 1)
        beside = np.maximum(density[:-2], density[2:])
        out = (np.bincount(self.whole, weights=self.widths) == 1) & (density[1:-1] > _DENSER * beside)
        starts = np.array(_shape(_bins(self.field)).starts)[np.searchsorted(self.whole, np.arange(len(out)))]
        return int((out & (starts != 0))[1:-1].sum()) >= _HEAPS

    @property
    def partly(self) -> bool:
        """Whether a bin lies inside in part."""
        starts = np.array(_shape(_bins(self.field)).starts)
        bins = np.searchsorted(_bins(self.field).grid[0], starts, side="right") - 1
        return bool(_cut_in_two(bins, self.inside))

    @property
    def uncounted(self) -> tuple[float, float]:
        """What cells that are cut hold, and what lies inside in all: shares in the unit of the shape."""
        cut = np.isin(self.cell, [cell for cell in _cut_in_two(self.cell, self.inside) if cell >= 0])
        return float(self.shares[cut].sum()), float(self.shares[self.inside].sum())


def _spread(inner: float, outer: float, noise: tuple[float, float], *, single: bool) -> float:
    """How far rows on both sides of a cut may be off, where they were not told apart: as far as noise at most.

    >>> _spread(400.0, 400.0, (70.0, 50.0), single=False), _spread(4.0, 400.0, (70.0, 50.0), single=False)
    (25.0, 70.0)
    >>> _spread(4.0, 400.0, (70.0, 50.0), single=True), _spread(0.0, 400.0, (70.0, 50.0), single=True)
    (10.0, 70.0)
    """
    once, again = noise
    even = sqrt(max(inner, 0.0) * max(outer, 0.0))  # rounding may leave less than nothing
    if single and even > 0:
        return min(again, _HEAP * even)
    # a side that does not stand out from noise may as well hold nothing, or so much more
    return once if min(inner, outer) < again / 2 else min(again / 2, _SLANT * even)


def _cut_in_two(groups: Ints, inside: Bools) -> list[int]:
    """The groups that have members inside and outside."""
    return sorted(set(groups[inside].tolist()) & set(groups[~inside].tolist()))


def _cut_cells(bins: Bins, spans: Sequence[Span], points: Sequence[int], *, declared: bool) -> list[tuple[int, int]]:
    """First point of each cell that is cut, and of the cell after it; of declared bins those with a single value."""
    if declared:
        starts, last = bins.grid[0], int(bins.grid[1][-1])
        points = [low for low, high in spans if low == high]
    else:
        starts = np.union1d(cell_starts(bins), bins.grid[0]) if points else bins.grid[0]  # bins cut cells, too
        last = int(bins.grid[1][-1])
    found = set()
    for point in points:
        at = int(np.searchsorted(starts, point, side="right")) - 1
        after = int(starts[at + 1]) if at + 1 < len(starts) else last + 1
        if starts[at] < point or (declared and after - starts[at] > 1):
            found.add((int(starts[at]), after))
    return sorted(found)


def _normal(widths: Floats) -> Floats:
    return np.asarray(widths / max(float(widths.sum()), 1.0))


def _bins(field: Field) -> Bins:
    if field.bins is None:
        raise ValueError(f"column '{field.name}' has no range")
    return field.bins


def _shape(bins: Bins) -> Shape:
    if bins.shape is None:
        raise ValueError("bins whose values nobody has looked at")
    return bins.shape
