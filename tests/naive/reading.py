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
        """Draw what is out of order from what the bins leave it, some times; then two columns, or all, one by one."""
        room = self.bounds()
        for _ in range(tries):
            for a in sorted(self.broken()):
                self.points[a] = self.between(a, *room[a], float(self.rng.unit()))
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


def naive_rows_in_order(rows: Sequence[NaiveRow], rounds: int, tries: int) -> None:
    """Draw columns that are out of order from their bins, round by round; then the rows that are left, row by row."""
    left, before = [row for row in rows if row.broken()], 2 * len(rows)
    while rounds and 5 * len(left) <= 4 * before:
        marked = [(row, row.broken()) for row in left]
        for a in range(len(rows[0].points)):
            for row in (row for row, columns in marked if a in columns):
                row.points[a] = row.place(a, float(row.rng.unit()))
        left, before, rounds = [row for row in left if row.broken()], len(left), rounds - 1
    for row in left:
        row.keep(tries)


class NaiveApart:
    """One row of a column in bins, drawn as `draw_parts` and `draw_above` do."""

    def __init__(self, cuts: Sequence[float], tries: int, rng: NaiveXoshiro) -> None:
        self.cuts, self.tries, self.rng = cuts, tries, rng

    def stratum(self, part: float) -> int:
        """The last stratum that does not begin above a part."""
        return max(s for s, cut in enumerate(self.cuts[:-1]) if cut <= part)

    def part(self, steps: Sequence[float] | None, others: Sequence[Sequence[float]]) -> tuple[float, int]:
        """A part of the bin, and its stratum: of a few draws, the first that the others' bins let pass."""
        drawn: list[tuple[float, int]] = []
        for _ in range(self.tries):
            part = float(self.rng.unit())
            drawn.append(self._weighed(self.stratum(part) if steps is None else step(steps, part), others))
            if drawn[-1][0] >= 1 or float(self.rng.unit()) < drawn[-1][0]:
                drawn = drawn[-1:]
                break
        s = max(drawn, key=lambda one: one[0])[1]
        return self.cuts[s] + float(self.rng.unit()) * (self.cuts[s + 1] - self.cuts[s]), s

    def above(self, value, steps, lengths, unit, bin_of, others) -> tuple[int | None, int]:
        """A grid point of the bin, and its stratum, a length above a value; None where no draw will do."""
        best: tuple[float, int | None, int] = (0.0, None, 0)
        for _ in range(self.tries if steps is not None and steps[-1] > 0 else 0):
            cell = step(steps, float(self.rng.unit()))
            first = max(-(-(value + lengths[cell]) // unit), bin_of[0][0])
            last = min(-(-(value + lengths[cell + 1]) // unit) - 1, bin_of[-1][1])
            if first > last:
                continue
            point = stretch(bin_of, first, last, float(self.rng.unit()))
            s = self.stratum(NaiveRow([], [bin_of], [], [], [], [], self.rng).below(0, point)) if others else 0
            weight, _ = self._weighed(s, others)
            best = max(best, (weight, point, s), key=lambda one: one[0])
            if weight > 0 and (weight >= 1 or float(self.rng.unit()) < weight):
                return point, s
        return best[1], best[2]

    def _weighed(self, s: int, others: Sequence[Sequence[float]]) -> tuple[float, int]:
        weight = 1.0
        for density in others:
            weight *= density[s]
        return weight, s


def step(ends: Sequence[float], value: float) -> int:
    """The last step that does not begin above a value."""
    return max(i for i, end in enumerate(ends[:-1]) if end <= value)


def stretch(bin_of: Sequence[tuple[int, int, float]], first: int, last: int, part: float) -> int:
    """The grid point at a part of what a bin's pieces hold from one point to another."""
    held = [(max(a, first), min(b, last), share / (b - a + 1)) for a, b, share in bin_of if a <= last and b >= first]
    total = sum((b - a + 1) * dense for a, b, dense in held)
    if len(held) == 1 or total <= 0:
        return min(first + int(part * (last - first + 1)), last)
    wanted = part * total
    for a, b, dense in held:
        if wanted < (b - a + 1) * dense:
            return min(a + int(wanted / dense), b)
        wanted -= (b - a + 1) * dense
    return last
