"""What a condition cuts out of the shape inside a column's bins, and how much of it nobody measured.

A found shape is made of evenly filled pieces, each of one or more cells of the public grid that counts were made on.
What lies in a part of a cell was not counted at all. Cells of one piece were counted, and differed by no more than
noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from understudy._core.randomness import Rng
from understudy.numbers import cell_starts, most_hidden
from understudy.release._regions import Span
from understudy.schema import Bins, Field, Shape

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]
Astray: TypeAlias = tuple[Floats, Floats]

_NOISE_95 = 1.645
"""Deviations of noise that one side of it stays within, 19 times of 20."""

_AS_DENSE = 2.0
"""By what factor pieces of two bins may differ that were one before either was tilted."""


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
        shape = replace(_shape(bins), starts=tuple(all_starts.tolist()), shares=tuple(shares.tolist()))
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

    def redrawn(self, shares: Floats, rng: Rng) -> Floats:
        """The shares with any part of each cell that is cut inside: nobody counted there."""
        for cell in self._cells_in_two:
            members = self.cell == cell
            shares = self._moved(shares, members, float(shares[members].sum() * rng.random()))
        return shares

    def astray(self, groups: Ints, noise: float) -> Astray:
        """How much less and how much more of each bin may lie inside, where its pieces are cut, or groups of them.

        `noise` is the deviation of a cell. What is cut counts as evenly filled, but some of its rows may lie at one
        value: A of them, as many as noise hides (`most_hidden`), but no more than it holds, with what a bin's edge cut
        off it and noise may have taken, or than there are in the bin. If a part f of it is inside, and these rows are,
        too, that is (1 − f)·A more than it seems; if they lie outside, f·A less. And what is less than noise on either
        side may not be there at all. Of a cell that is cut all or nothing may lie inside. Cuts are independent of each
        other.
        """
        held = np.bincount(self._bin, self.shares, _bins(self.field).count).astype(np.float64)
        found = [self._astray(one, noise, held) for one in (groups, self.whole)]
        unit = np.where(held > 0, held, 1.0)
        found.append(self._in_stretches(noise, held))
        less, more = (
            np.sqrt(np.maximum.reduce(squares) + cells) / unit
            for cells, *squares in zip(self._in_cells(), *found, strict=True)
        )
        return less, more

    def _in_stretches(self, noise: float, in_bins: Floats) -> Astray:
        """The same for stretches that are cut whose rows moved to round numbers: which of these are heaps is a guess.

        So their rows may lie evenly as well, but for those that noise hid at one value.
        """
        starts, begins = np.array(_shape(_bins(self.field)).starts), np.array(_shape(_bins(self.field)).stretches)
        less, more = np.zeros(len(in_bins)), np.zeros(len(in_bins))
        if not len(begins):
            return less, more
        stretch = np.searchsorted(begins, starts, side="right")
        for number in _cut_in_two(stretch, self.inside):
            members = stretch == number
            code, inside = self._bin[members][0], members & self.inside
            part = float(self.widths[inside].sum() / self.widths[members].sum())
            held, here = float(self.shares[members].sum()), float(self.shares[inside].sum())
            rows = min(noise * most_hidden(int(self._cells[members].sum())), held, float(in_bins[code]))
            less[code] += max(here - held * part + rows * part, 0.0) ** 2
            more[code] += max(held * part + rows * (1 - part) - here, 0.0) ** 2
        return less, more

    def _in_cells(self) -> Astray:
        """What lies inside and outside of each bin's cells that are cut, squared: nobody counted there."""
        less, more = np.zeros(_bins(self.field).count), np.zeros(_bins(self.field).count)
        for cell in self._cells_in_two:
            members = self.cell == cell
            code = self._bin[members][0]
            less[code] += float(self.shares[members & self.inside].sum()) ** 2
            more[code] += float(self.shares[members & ~self.inside].sum()) ** 2
        return less, more

    @cached_property
    def _cells_in_two(self) -> list[int]:
        """The cells that are cut."""
        return [cell for cell in _cut_in_two(self.cell, self.inside) if cell >= 0]

    def _astray(self, groups: Ints, noise: float, in_bins: Floats) -> Astray:
        """The same for some groups of pieces, in rows and squared, where bins hold so many."""
        less, more = np.zeros(len(in_bins)), np.zeros(len(in_bins))
        for group in _cut_in_two(groups, self.inside):
            members = groups == group
            code = self._bin[members][0]
            weights = self.shares[members] if self.shares[members].any() else self.widths[members]
            inside = float(weights[self.inside[members]].sum() / weights.sum())
            held = float(self.shares[members].sum())
            most = held + self._beyond(members) + _NOISE_95 * noise
            rows = min(noise * most_hidden(int(self._cells[members].sum())), most, float(in_bins[code]))
            for found, part in ((less, inside), (more, 1 - inside)):
                found[code] += max(rows * part, min(held * part, noise)) ** 2
        return less, more

    def _beyond(self, members: Bools) -> float:
        """What the pieces beside some hold that were one with these in the histogram, before a bin's edge cut them.

        They are as dense, but for the tilt of each bin.
        """
        ends = np.flatnonzero(members)[[0, -1]]
        pairs = [(end, end + step) for end, step in zip(ends.tolist(), (-1, 1), strict=True)]
        density = self.shares / self.widths
        return sum(
            float(self.shares[self.whole == self.whole[beside]].sum())
            for end, beside in pairs
            if 0 <= beside < len(density)
            and self._bin[beside] != self._bin[end]
            and max(density[beside], density[end]) < _AS_DENSE * min(density[beside], density[end])
        )

    def _moved(self, shares: Floats, members: Bools, inner: float) -> Floats:
        """With so much inside, of what these hold; where nothing was found it is spread evenly."""
        found, held = shares.copy(), float(shares[members].sum())
        for part, wanted in ((members & self.inside, inner), (members & ~self.inside, held - inner)):
            before = float(shares[part].sum())
            found[part] = shares[part] * (wanted / before) if before > 0 else wanted * _normal(self.widths[part])
        return found

    @cached_property
    def _bin(self) -> Ints:
        """The bin of each part."""
        starts = np.array(_shape(_bins(self.field)).starts)
        return np.searchsorted(_bins(self.field).grid[0], starts, side="right") - 1

    @cached_property
    def _cells(self) -> Ints:
        """How many cells of the grid begin in each part."""
        bins = _bins(self.field)
        ends = np.append(_shape(bins).starts, bins.grid[1][-1] + 1)
        return np.diff(np.searchsorted(starts_of_cells(bins), ends))

    @property
    def partly(self) -> bool:
        """Whether a bin lies inside in part."""
        return bool(_cut_in_two(self._bin, self.inside))

    @property
    def uncounted(self) -> tuple[float, float]:
        """What cells that are cut hold, and what lies inside in all: shares in the unit of the shape."""
        cut = np.isin(self.cell, self._cells_in_two)
        return float(self.shares[cut].sum()), float(self.shares[self.inside].sum())


def _cut_in_two(groups: Ints, inside: Bools) -> list[int]:
    """The groups that have members inside and outside."""
    return sorted(set(groups[inside].tolist()) & set(groups[~inside].tolist()))


def _cut_cells(bins: Bins, spans: Sequence[Span], points: Sequence[int], *, declared: bool) -> list[tuple[int, int]]:
    """First point of each cell that is cut, and of the cell after it; of declared bins those with a single value."""
    if declared:
        points = [low for low, high in spans if low == high]
    grids = [bins.grid[0]] if declared or not points else [bins.grid[0], starts_of_cells(bins)]  # bins cut cells, too
    found = set()
    for point in points:
        firsts, afters = zip(*(_around(starts, point, int(bins.grid[1][-1])) for starts in grids), strict=True)
        first, after = max(firsts), min(afters)
        if first < point or (declared and after - first > 1):
            found.add((first, after))
    return sorted(found)


def _around(starts: Ints, point: int, last: int) -> tuple[int, int]:
    """Where the stretch begins that a point lies in, and where the next does."""
    at = int(np.searchsorted(starts, point, side="right")) - 1
    return int(starts[at]), int(starts[at + 1]) if at + 1 < len(starts) else last + 1


def starts_of_cells(bins: Bins) -> Ints:
    """The first point of each cell of the grid, whatever bins were found."""
    return _cells_of_range(replace(bins, edges=(bins.edges[0], bins.edges[-1]), shape=None))


@lru_cache(maxsize=16)
def _cells_of_range(whole: Bins) -> Ints:
    found = np.array(cell_starts(whole), dtype=np.int64)
    found.flags.writeable = False  # it is shared
    return found


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
