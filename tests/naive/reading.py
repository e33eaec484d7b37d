"""Slow twins of the kernels that read cells: one value after the other, as whoever checks them would."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tests.naive.drawing import NaiveXoshiro


def naive_codes(values: Sequence[int], low: int, table: Sequence[int]) -> tuple[list[int], list[int]]:
    """The code of each value by a lookup that begins at `low`, and the rows that it has none for."""
    known = {low + place: code for place, code in enumerate(table) if code >= 0}
    codes = [known.get(value, 0) for value in values]
    return codes, [row for row, value in enumerate(values) if value not in known]


def naive_bins(
    values: Sequence[float], low: float, high: float, last: npt.NDArray[np.float64]
) -> tuple[list[int], list[int]]:
    """The bin of each value, where bin b ends with `last[b + 1]`, and the rows that lie in none."""
    codes, odd = [], []
    for row, value in enumerate(values):
        inside = low <= value <= high
        codes.append(next(b for b in range(len(last) - 1) if value <= last[b + 1]) if inside else 0)
        if not inside:
            odd.append(row)
    return codes, odd


def naive_points(
    codes: Sequence[int], drawn: Sequence[float], first: Sequence[int], last: Sequence[int], ends: Sequence[float]
) -> list[int]:
    """The grid point at a part of each code's bin: of the piece that place lies in, as far in as the place is."""
    points = []
    for code, part in zip(codes, drawn, strict=True):
        before, piece = 0.0, 0
        while ends[piece] <= code + part:
            before, piece = ends[piece], piece + 1
        inside = (code + part - before) / (ends[piece] - before)
        points.append(min(first[piece] + int(inside * (last[piece] - first[piece] + 1)), last[piece]))
    return points


class NaiveRow:
    """One row of columns that are in order, each with its bin's pieces: (first, last, share) of even parts of it.

    `units` has what a grid point of each column is worth; `edges` which column must not be above which.
    """

    def __init__(self, points, bins, ordered, units, edges, columns, rng: NaiveXoshiro) -> None:
        self.points, self.bins, self.ordered, self.units = points, bins, ordered, units
        self.edges = [(a, b) for a, b in edges if ordered[a] and ordered[b]]
        self.columns, self.rng = columns, rng

    def broken(self) -> set[int]:
        """The columns that are out of some order."""
        value = [point * unit for point, unit in zip(self.points, self.units, strict=True)]
        return {column for a, b in self.edges if value[a] > value[b] for column in (a, b)}

    def keep(self, tries: int) -> list[int]:
        """Draw again what is out of order, some times; then two columns, or all, one by one."""
        room = self.bounds()
        for done in range(tries):
            for a in sorted(self.broken()):
                part = float(self.rng.unit())
                self.points[a] = self.place(a, part) if done < tries // 2 else self.between(a, *room[a], part)
        left = self.broken()
        if left and not (len(left) == 2 and self.one_by_one(left)):
            self.one_by_one(set(self.columns))
        return self.points

    def bounds(self) -> dict[int, tuple[int, int]]:
        """What the bins of all columns leave each."""
        low, high = ({a: self.bins[a][end][side] for a in self.columns} for end, side in ((0, 0), (-1, 1)))
        for a, b in [edge for _ in self.columns for edge in self.edges]:  # as often as it takes to reach all
            high[a] = min(high[a], high[b] * self.units[b] // self.units[a])
            low[b] = max(low[b], -(-low[a] * self.units[a] // self.units[b]))
        low = {a: min(low[a], self.bins[a][-1][1]) for a in low}
        return {a: (low[a], max(high[a], low[a])) for a in low}

    def one_by_one(self, again: set[int]) -> bool:
        """Draw some columns between what the others leave them; whether there is room."""
        ahead = [(a, b) for a, b in self.edges if self.columns.index(a) < self.columns.index(b)]
        most, follow = {}, {}
        for a in reversed(self.columns):
            most[a], follow[a] = (self.bins[a][-1][1], 1) if a in again else (self.points[a], 0)
            for b in (b for lower, b in ahead if lower == a and a in again):
                most[a] = min(most[a], most[b] * self.units[b] // self.units[a])
                follow[a] = max(follow[a], follow[b] + 1)
        room = True
        for a in (a for a in self.columns if a in again):
            own = [-(-self.points[b] * self.units[b] // self.units[a]) for b, upper in ahead if upper == a]
            low = max(self.bins[a][0][0], *own, key=int) if own else self.bins[a][0][0]
            room = room and (low <= most[a] or not self.ordered[a])
            low = min(low, self.bins[a][-1][1])
            part = min(float(self.rng.unit()) for _ in range(follow[a]))
            self.points[a] = self.between(a, low, max(most[a], low), part)
        return room

    def place(self, a: int, part: float) -> int:
        """The grid point at a part of the bin."""
        before = 0.0
        for first, last, share in self.bins[a]:
            if before + share > part or (first, last, share) == self.bins[a][-1]:
                return min(first + int((part - before) / share * (last - first + 1)), last)
            before += share
        raise AssertionError

    def between(self, a: int, low: int, high: int, part: float) -> int:
        """The grid point at a part of what the bin holds from `low` to `high`."""
        begin, end = (self.below(a, point) for point in (low, high + 1))
        if end > begin:
            return min(max(self.place(a, begin + part * (end - begin)), low), high)
        return low + int(part * (high - low + 1))

    def below(self, a: int, point: int) -> float:
        """What the bin holds below a grid point."""
        return sum(
            share * min(max(point - first, 0), last - first + 1) / (last - first + 1)
            for first, last, share in self.bins[a]
        )
