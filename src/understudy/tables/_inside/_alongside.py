"""Columns in a declared order drawn side by side: at like places of what each of them has.

Where neither how far apart columns lie is known, nor shapes that leave both as they lie (`_tilts.py`), values that are
drawn from their bins until they are in order bend both columns, the more the wider bins are: of two columns that are
equal in every row, the one comes out too small and the other too large. So all columns of a row are given one random
place. Of a bin's values, rows with the smallest bins of the other column have the smallest, as many as the model's
table of both columns' bins has of them, and so on up: where both are in one bin the lower column has the first part of
it and the upper one the last, and each bin comes out as it lies. Within a part the smaller the one value, the smaller
the other. A column between two others has parts of parts: where it lies among rows with the same bin of itself and of
the lower one follows from the upper one's bin, so the lower one's place in its part follows from that as well.
That is exact for two columns; of more it takes the others' bins to be independent, given the column's own.

Then both columns are in order wherever the upper one, in its part, lies nowhere below the lower one. Where it does, by
noise, it is raised.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from understudy._core.randomness import Rng
from understudy.schema import Edge
from understudy.tables._inside._grids import Floats, Grid, Ints
from understudy.tables._inside._kernels import place_points
from understudy.tables._inside._lengths import shared_units

Bools = npt.NDArray[np.bool_]
_LARGEST = 1 << 62
_BELOW_1 = float(np.nextafter(1.0, 0.0))


@dataclass(frozen=True, eq=False)
class Alongside:
    """For columns of a part, which part of each bin rows have whose other column is in a bin: its begin and its end.

    `parts` has for a column and another one tables of both, own bins first.
    """

    grids: tuple[Grid, ...]
    columns: tuple[int, ...]
    """All of them, the smaller first."""
    edges: tuple[Edge, ...]
    parts: Mapping[Edge, tuple[Floats, Floats]]

    @classmethod
    def of(cls, grids: Sequence[Grid], tables: Mapping[Edge, Floats], columns: Sequence[int]) -> Alongside:
        """For pairs of columns, the lower one first, with a table of how often their bins go together.

        >>> from understudy.schema import Schema
        >>> day = {"type": "integer", "bins": 2, "constraints": {"minimum": 0, "maximum": 19}}
        >>> grid = Grid.of(Schema.from_dict({"fields": [{"name": "day", **day}]})["day"])
        >>> found = Alongside.of([grid, grid], {(0, 1): np.array([[3.0, 1.0], [0.0, 4.0]])}, [0, 1])
        >>> {pair: end.tolist() for pair, (_, end) in found.parts.items()}
        {(0, 1): [[0.75, 1.0], [0.0, 1.0]], (1, 0): [[1.0, 1.0], [0.2, 1.0]]}
        """
        parts = {(a, b): _parts(table) for (a, b), table in tables.items()}
        parts |= {(b, a): _parts(table.T) for (a, b), table in tables.items()}
        return cls(tuple(grids), tuple(columns), tuple(sorted(tables)), parts)

    def draw(self, codes: Ints, ordered: Bools, rng: Rng, points: Ints) -> None:
        """Fill in the points of all columns."""
        rows = _Rows(codes, ordered, self.parts, np.asarray(rng.random(codes.shape[1])))
        below = {c: [a for a, b in self.edges if b == c] for c in self.columns}
        above = {c: [b for a, b in self.edges if a == c] for c in self.columns}
        up, down = rows.along(self.columns, below), rows.along(self.columns[::-1], above)
        for c in self.columns:
            place = rows.divided(c, above[c], rows.place)
            place = rows.divided(c, below[c], place) if above[c] and below[c] else up[c] if below[c] else down[c]
            place_points(codes[c], place, self.grids[c].pieces, points[c])
        for a in self.columns:
            for edge in self.edges:
                if edge[0] == a:
                    self._raise(edge, codes, ordered, points)

    def _raise(self, edge: Edge, codes: Ints, ordered: Bools, points: Ints) -> None:
        """Raise the upper column to the lower one where it lies below it, if its bin reaches so far."""
        a, b = edge
        of_a, of_b = shared_units(self.grids[a], self.grids[b])
        small = np.abs(points[[a, b]]).max(initial=0) < _LARGEST // max(of_a, of_b)
        if not small:
            return  # such rows are drawn again
        below = np.flatnonzero(ordered[a] & ordered[b] & (points[b] * of_b < points[a] * of_a))
        least = -(-points[a, below] * of_a // of_b)
        fits = least <= self.grids[b].ends[1][codes[b, below]]
        points[b, below[fits]] = least[fits]


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows with a random place each, and the parts of their bins."""

    codes: Ints
    ordered: Bools
    parts: Mapping[Edge, tuple[Floats, Floats]]
    place: Floats

    def along(self, columns: Sequence[int], before: Mapping[int, Sequence[int]]) -> dict[int, Floats]:
        """Places that follow from all columns before one, from part to part, in their order."""
        found: dict[int, Floats] = {}
        for c in columns:
            start = self.place
            if before[c]:
                last = before[c][-1]
                start = np.where(self.ordered[last], found[last], start)
            found[c] = self.divided(c, before[c], start)
        return found

    def divided(self, own: int, others: Sequence[int], place: Floats) -> Floats:
        """The same place in the parts of the column's bins that others leave; that of the first holds the others'."""
        found = place.copy()
        for other in reversed(others):
            both = np.flatnonzero(self.ordered[own] & self.ordered[other])
            begin, end = (of[self.codes[own, both], self.codes[other, both]] for of in self.parts[own, other])
            found[both] = np.minimum(begin + (end - begin) * found[both], _BELOW_1)
        return found


def _parts(table: Floats) -> tuple[Floats, Floats]:
    """Where the parts of each line begin and end; a line without anything is not divided."""
    held = np.maximum(table, 0.0)
    total = held.sum(axis=1, keepdims=True)
    ends = np.divide(np.cumsum(held, axis=1), total, out=np.ones_like(held), where=total > 0)
    begins = np.divide(np.cumsum(held, axis=1) - held, total, out=np.zeros_like(held), where=total > 0)
    return np.clip(begins, 0.0, 1.0), np.clip(ends, 0.0, 1.0)
