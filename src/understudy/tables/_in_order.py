"""Values inside bins that keep a declared order: drawn again where they do not, as far as the bins allow it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from understudy._core.randomness import Rng
from understudy.schema import Bins, Codes, InOrder, Schema
from understudy.tables._kernels import place_points

Values: TypeAlias = npt.NDArray[Any]
Edge: TypeAlias = tuple[int, int]
Flags: TypeAlias = npt.NDArray[np.bool_]

_TRIES = 8  # of two values in one bin all but one in 256 are in order by then
_TRIES_OF_MANY = 3  # of more, few come in order by chance: the rest is drawn one by one


def draw_points(bins: Bins, codes: npt.NDArray[Any], rng: Rng) -> npt.NDArray[np.int64]:
    """A grid point for each code: evenly over its bin, or as the bins' shape has it."""
    return points_at(bins, codes, rng.random(len(codes)))


def points_at(bins: Bins, codes: npt.NDArray[Any], drawn: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """The grid points below which lie such parts of what the bins of these codes hold."""
    first, last, ends = bins.pieces
    if bins.shape is not None:  # one number chooses the piece, and where in the piece
        points = np.empty(len(codes), dtype=np.int64)
        piece_of = np.searchsorted(ends, np.arange(bins.count + 1.0), side="right")
        place_points(codes.astype(np.int64), drawn, first, last, ends, piece_of, points)
        return points
    span = (last - first + 1).astype(np.float64)
    points = first[codes] + (drawn * span[codes]).astype(np.int64)
    # The product rounds up to the whole span for a random number just below 1.
    return np.asarray(np.minimum(points, last[codes]))


def draw_in_order(schema: Schema, columns: Sequence[Codes], rng: Rng) -> dict[int, Values]:
    """For each column in bins that a declared order names, its values: possible ones, and in order where they can be.

    Rows whose values come out of order are drawn again a few times; then one column after the other, between what the
    others leave. Special values, "other" and missing are in no order.

    >>> from understudy._core.randomness import streams
    >>> day = {"type": "integer", "bins": 1, "constraints": {"minimum": 0, "maximum": 99}}
    >>> schema = Schema.from_dict({"fields": [{"name": "from", **day}, {"name": "to", **day}],
    ...     "dependencies": [{"lower": "from", "upper": "to"}]})
    >>> drawn = draw_in_order(schema, [np.zeros(1000, dtype=np.uint8)] * 2, streams(1).get("decode"))
    >>> bool((drawn[0] <= drawn[1]).all())
    True
    """
    at = {name: a for a, name in enumerate(schema.names)}
    edges = [(at[one.lower], at[one.upper]) for one in schema.dependencies if isinstance(one, InOrder)]
    edges = [(a, b) for a, b in edges if schema.fields[a].form.timezone == schema.fields[b].form.timezone]
    found: dict[int, Values] = {}
    for part in _parts(edges):
        involved = sorted({a for edge in part for a in edge})
        drawn = {a: _Drawn.of(schema, a, np.asarray(columns[a]), rng) for a in involved}
        _mend(drawn, part, rng)
        found |= {a: one.values for a, one in drawn.items() if one.bins is not None}
    return found


@dataclass(eq=False)
class _Drawn:
    """One column: its values so far, and which of them are in an order at all."""

    bins: Bins | None
    codes: npt.NDArray[np.int64]
    values: Values
    ordered: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, schema: Schema, a: int, codes: npt.NDArray[Any], rng: Rng) -> _Drawn:
        field = schema.fields[a]
        main = np.minimum(codes, field.n_main - 1).astype(np.int64)
        if field.bins is None:
            own = np.array([category.value for category in field.categories[: field.n_main]])
            return cls(None, main, own[main], codes < field.n_main)
        return cls(field.bins, main, field.bins.values(draw_points(field.bins, main, rng)), codes < field.n_main)

    def again(self, rows: npt.NDArray[np.int64], rng: Rng) -> None:
        """Draw some rows anew."""
        if self.bins is not None:
            self.values[rows] = self.bins.values(draw_points(self.bins, self.codes[rows], rng))

    def ends(self, rows: npt.NDArray[np.int64]) -> tuple[Values, Values]:
        """The smallest and the largest value that each row may have."""
        if self.bins is None:
            return self.values[rows], self.values[rows]
        first, last = self.bins.grid
        return self.bins.values(first[self.codes[rows]]), self.bins.values(last[self.codes[rows]])

    def between(self, rows: npt.NDArray[np.int64], low: Values, high: Values, of: int, rng: Rng) -> None:
        """Draw some rows anew from what lies between, in their bins; the nearest point if nothing does.

        As the smallest of so many numbers is drawn: those that must follow need room as well.
        """
        if self.bins is None:
            return
        first, last = (ends[self.codes[rows]] for ends in self.bins.grid)
        unit = self.bins.form.step if self.bins.whole else 1 / 10.0**self.bins.decimals
        lowest = np.clip(np.ceil(low / unit - 1e-6), first, last).astype(np.int64)
        lowest = np.clip(np.where(self.bins.values(lowest) < low, lowest + 1, lowest), first, last)
        highest = np.clip(np.floor(high / unit + 1e-6), lowest, last).astype(np.int64)
        span = (highest - lowest + 1).astype(np.float64)
        smallest = 1 - rng.random(len(rows)) ** (1 / of)
        points = np.minimum(lowest + (smallest * span).astype(np.int64), highest)
        self.values[rows] = self.bins.values(points)


def _mend(drawn: dict[int, _Drawn], edges: Sequence[Edge], rng: Rng) -> None:
    """Put the values of columns that are in some order with each other into it."""
    rows = np.arange(len(next(iter(drawn.values())).codes))
    for _ in range(_TRIES if len(drawn) == 2 else _TRIES_OF_MANY):
        broken = _broken(drawn, edges, rows)
        for a, column in drawn.items():  # those that stand as they should keep their values
            column.again(rows[np.any([one for edge, one in zip(edges, broken, strict=True) if a in edge], axis=0)], rng)
        rows = rows[np.any(broken, axis=0)]
        if not len(rows):
            return
    rows = rows[np.any(_broken(drawn, edges, rows), axis=0)]
    if len(rows):
        _one_by_one(drawn, edges, rows, rng)


def _broken(drawn: dict[int, _Drawn], edges: Sequence[Edge], rows: npt.NDArray[np.int64]) -> list[Flags]:
    """For each edge, which rows are not in its order."""
    found = []
    for lower, upper in ((drawn[a], drawn[b]) for a, b in edges):
        found.append(lower.ordered[rows] & upper.ordered[rows] & (lower.values[rows] > upper.values[rows]))
    return found


def _one_by_one(drawn: dict[int, _Drawn], edges: Sequence[Edge], rows: npt.NDArray[np.int64], rng: Rng) -> None:
    """The smaller columns first, each above those before it and below what the bins of later ones leave."""
    order = _smaller_first(sorted(drawn), edges)
    most: dict[int, Values] = {}
    follow = dict.fromkeys(order, 1)  # how many are in a row from here on
    for a in reversed(order):
        most[a] = drawn[a].ends(rows)[1].astype(np.float64)
        for other in (b for lower, b in edges if lower == a and b in most):
            follow[a] = max(follow[a], follow[other] + 1)
            most[a] = np.where(drawn[other].ordered[rows], np.minimum(most[a], most[other]), most[a])
    for a in order:
        least = drawn[a].ends(rows)[0].astype(np.float64)
        for other in (lower for lower, b in edges if b == a):
            before = drawn[other].ordered[rows] & (order.index(other) < order.index(a))
            least = np.where(before, np.maximum(least, drawn[other].values[rows]), least)
        drawn[a].between(rows, least, most[a], follow[a], rng)


def _smaller_first(columns: Sequence[int], edges: Sequence[Edge]) -> list[int]:
    """Each column after those that are never larger; around a circle in any order.

    >>> _smaller_first([0, 1, 2], [(2, 0), (0, 1)])
    [2, 0, 1]
    """
    left, order = list(columns), []
    while left:
        free = [a for a in left if not any(b == a and lower in left for lower, b in edges)]
        order.append(free[0] if free else left[0])
        left.remove(order[-1])
    return order


def _parts(edges: Sequence[Edge]) -> list[list[Edge]]:
    """Edges that hang together.

    >>> _parts([(0, 1), (2, 3), (1, 4)])
    [[(0, 1), (1, 4)], [(2, 3)]]
    """
    found: list[list[Edge]] = []
    for edge in edges:
        touching = [part for part in found if any(set(edge) & set(other) for other in part)]
        joined = [*(other for part in touching for other in part), edge]
        found = [part for part in found if part not in touching]
        found.insert(0, joined)
    return sorted(found)
