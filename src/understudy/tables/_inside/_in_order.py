"""Values inside bins that keep a declared order: drawn again where they do not, as far as the bins allow it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from understudy._core.randomness import Rng
from understudy.schema import Codes, Edge, Field, Schema, order_edges, smaller_first
from understudy.tables._inside._alongside import Alongside
from understudy.tables._inside._apart import Apart, new_state
from understudy.tables._inside._found import NOTHING, Inside, find_inside
from understudy.tables._inside._grids import Floats, Grid, Ints, joined
from understudy.tables._inside._kernels import Orders, Pieces, keep_order, place_points
from understudy.tables._inside._lengths import Length, shared_units

Values: TypeAlias = npt.NDArray[Any]

_AT_ONCE = 1 << 16
"""Rows that are drawn together: what is known of them stays in a processor's own memory."""
_ROUNDS, _TRIES = 24, 4
"""How often columns are drawn again from their bins at most, and then from what the bins of all leave them."""


@dataclass(frozen=True, eq=False)
class InOrderDraw:
    """How values of columns that a declared order names are drawn: possible ones, and in order where they can be.

    Where it is known how far apart two columns lie, they are drawn so. Rows whose values come out of order are drawn
    again a few times; then one column after the other, between what the others leave. Special values, "other" and
    missing are in no order.

    >>> from understudy._core.randomness import streams
    >>> day = {"type": "integer", "bins": 1, "constraints": {"minimum": 0, "maximum": 99}}
    >>> schema = Schema.from_dict({"fields": [{"name": "from", **day}, {"name": "to", **day}],
    ...     "dependencies": [{"lower": "from", "upper": "to"}]})
    >>> drawn = InOrderDraw.of(schema).values([np.zeros(1000, dtype=np.uint8)] * 2, streams(1).get("decode"))
    >>> bool((drawn[0] <= drawn[1]).all())
    True
    """

    schema: Schema
    parts: tuple[_Part, ...]

    @classmethod
    def of(cls, schema: Schema, inside: Inside = NOTHING, tilted: Schema | None = None) -> InOrderDraw:
        """For the orders of a schema, with what is known of values inside bins.

        `tilted` is the schema as the columns are drawn from, where conditions cut the bins of both.
        """
        drawn = tilted or inside.tilted(schema)
        parts = _parts(order_edges(schema))
        return cls(schema, tuple(_Part.of(schema.fields, drawn.fields, edges, inside) for edges in parts))

    @classmethod
    def as_in(cls, schema: Schema, columns: Sequence[Codes]) -> InOrderDraw:
        """The same, as far apart as the bins of these rows tell."""

        def together(lower: int, upper: int) -> Floats:
            shape = schema.fields[lower].size, schema.fields[upper].size
            pairs = np.ravel_multi_index([np.asarray(columns[a], dtype=np.int64) for a in (lower, upper)], shape)
            return np.bincount(pairs, minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64)

        return cls.of(schema, find_inside(schema, together))

    def values(self, columns: Sequence[Codes], rng: Rng) -> dict[int, Values]:
        """For each column in bins that an order names, its values."""
        found: dict[int, Values] = {}
        for part in self.parts:
            points = part.points([columns[a] for a in part.involved], rng)
            for a, of in zip(part.involved, points, strict=True):
                bins = self.schema.fields[a].bins
                if bins is not None:
                    found[a] = bins.values(of)
        return found


@dataclass(frozen=True, eq=False)
class _Part:
    """Columns that hang together by orders."""

    involved: tuple[int, ...]
    fields: tuple[Field, ...]
    edges: tuple[Edge, ...]
    own: tuple[Grid, ...]
    """As the columns lie, and below it as they are drawn beside each other."""
    grids: tuple[Grid, ...]
    pieces: Pieces
    ends: Ints
    orders: Orders
    first: Apart | Alongside | None
    """How columns are drawn at first, if not each by itself."""

    @classmethod
    def of(cls, known: Sequence[Field], drawn: Sequence[Field], edges: Sequence[Edge], inside: Inside) -> _Part:
        involved = tuple(sorted({a for edge in edges for a in edge}))
        at = {a: i for i, a in enumerate(involved)}
        fields = tuple(known[a] for a in involved)
        grids = tuple(Grid.of(drawn[a]) for a in involved)
        apart = {(at[a], at[b]): inside.lengths[a, b] for a, b in edges if (a, b) in inside.lengths}
        tables = {(at[a], at[b]): inside.tables[a, b] for a, b in edges if (a, b) in inside.tables}
        orders = _orders(grids, [(at[a], at[b]) for a, b in edges])
        return cls(
            involved,
            fields,
            tuple((at[a], at[b]) for a, b in edges),
            tuple(Grid.of(field) for field in fields),
            grids,
            joined([grid.pieces for grid in grids]),
            np.concatenate([grid.ends for grid in grids], axis=1),
            orders,
            _first(grids, apart, tables, orders.columns.tolist()),
        )

    def points(self, columns: Sequence[Codes], rng: Rng) -> Ints:
        """Grid points of the columns, a line for each."""
        n = len(columns[0])
        portions = [slice(start, start + _AT_ONCE) for start in range(0, max(n, 1), _AT_ONCE)]
        return np.concatenate([self._drawn([of[rows] for of in columns], rng) for rows in portions], axis=1)

    def _drawn(self, columns: Sequence[Codes], rng: Rng) -> Ints:
        codes = np.empty((len(columns), len(columns[0])), dtype=np.int64)
        points, ordered = np.empty_like(codes), np.empty(codes.shape, dtype=np.bool_)
        for a, (field, column) in enumerate(zip(self.fields, columns, strict=True)):
            ordered[a] = column < field.n_main
            codes[a] = np.minimum(column, field.n_main - 1)
        if self.first is not None:
            self.first.draw(codes, ordered, rng, points)
        else:
            for own, grid, point in zip(codes, self.grids, points, strict=True):
                place_points(own, rng.random(len(own)), grid.pieces, point)
        self._place_alone(codes, ordered, rng, points)
        codes += np.cumsum([0, *(grid.count for grid in self.grids[:-1])])[:, np.newaxis]
        keep_order(points, codes, ordered, self.pieces, self.ends, self.orders, _ROUNDS, _TRIES, new_state(rng))
        return points

    def _place_alone(self, codes: Ints, ordered: npt.NDArray[np.bool_], rng: Rng, points: Ints) -> None:
        """Columns beside none of those that they are in order with, as they lie: a tilt is for rows that are in one."""
        beside = np.zeros_like(ordered)
        for a, b in self.edges:
            beside[a] |= ordered[b]
            beside[b] |= ordered[a]
        for a, (own, grid) in enumerate(zip(self.own, self.grids, strict=True)):
            alone = () if np.array_equal(own.pieces.end, grid.pieces.end) else np.flatnonzero(~beside[a])
            if len(alone):
                placed = np.empty(len(alone), dtype=np.int64)
                place_points(codes[a, alone], rng.random(len(alone)), own.pieces, placed)
                points[a, alone] = placed


def _first(
    grids: Sequence[Grid], lengths: Mapping[Edge, Length], tables: Mapping[Edge, Floats], columns: Sequence[int]
) -> Apart | Alongside | None:
    if lengths:
        return Apart.of(grids, lengths, columns)
    return Alongside.of(grids, tables, columns) if tables else None


def _orders(grids: Sequence[Grid], edges: Sequence[Edge]) -> Orders:
    """The orders as `keep_order` takes them."""
    columns = smaller_first(range(len(grids)), edges)
    at = {a: i for i, a in enumerate(columns)}
    scaled = [(a, b, *shared_units(grids[a], grids[b])) for a, b in edges]
    forward = [one for one in scaled if at[one[0]] < at[one[1]]]  # around a circle not all are
    above = sorted(forward, key=lambda one: -at[one[0]])
    below = sorted(((b, a, of_b, of_a) for a, b, of_a, of_b in forward), key=lambda one: at[one[0]])
    edges_of, above_of, below_of = (np.array(lines, dtype=np.int64).reshape(-1, 4) for lines in (scaled, above, below))
    return Orders(edges_of, np.array(columns), above_of, below_of)


def _parts(edges: Sequence[Edge]) -> list[list[Edge]]:
    """Edges that hang together.

    >>> _parts([(0, 1), (2, 3), (1, 4)])
    [[(0, 1), (1, 4)], [(2, 3)]]
    """
    found: list[list[Edge]] = []
    for edge in edges:
        touching = [part for part in found if any(set(edge) & set(other) for other in part)]
        joined_ = [*(other for part in touching for other in part), edge]
        found = [part for part in found if part not in touching]
        found.insert(0, joined_)
    return sorted(found)
