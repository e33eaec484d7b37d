"""Values inside bins that keep a declared order: drawn again where they do not, as far as the bins allow it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from understudy._core.randomness import Rng
from understudy.schema import Bins, Codes, Edge, Field, Schema, order_edges, smaller_first
from understudy.tables._kernels import Orders, Pieces, keep_order, place_points

Ints: TypeAlias = npt.NDArray[np.int64]
Values: TypeAlias = npt.NDArray[Any]

_TRIES = 8  # of two values in one bin all but one in 256 are in order by then
_LARGEST = 1 << 62


def draw_points(bins: Bins, codes: npt.NDArray[Any], rng: Rng) -> Ints:
    """A grid point for each code: evenly over its bin, or as the bins' shape has it."""
    return points_at(bins, codes, rng.random(len(codes)))


def points_at(bins: Bins, codes: npt.NDArray[Any], parts: npt.NDArray[np.float64]) -> Ints:
    """The grid points below which lie such parts of what the bins of these codes hold."""
    points = np.empty(len(codes), dtype=np.int64)
    place_points(codes.astype(np.int64), parts, _pieces(bins), points)
    return points


def _pieces(bins: Bins) -> Pieces:
    first, last, ends = bins.pieces
    bin_at, guide_at, guide = bins.guide
    return Pieces(bin_at, first, last, np.append(0.0, ends[:-1]), ends, guide_at, guide)


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
    found: dict[int, Values] = {}
    for part in _parts(order_edges(schema)):
        involved = sorted({a for edge in part for a in edge})
        own = [(involved.index(a), involved.index(b)) for a, b in part]
        points = _draw_part([schema.fields[a] for a in involved], own, [columns[a] for a in involved], rng)
        for a, of in zip(involved, points, strict=True):
            bins = schema.fields[a].bins
            if bins is not None:
                found[a] = bins.values(of)
    return found


def _draw_part(fields: Sequence[Field], edges: Sequence[Edge], columns: Sequence[Codes], rng: Rng) -> Ints:
    """Grid points of columns that hang together by orders, a line for each."""
    grids = [_Grid.of(field) for field in fields]
    codes = np.empty((len(fields), len(columns[0])), dtype=np.int64)
    points, ordered = np.empty_like(codes), np.empty(codes.shape, dtype=np.bool_)
    for a, (field, column, grid) in enumerate(zip(fields, columns, grids, strict=True)):
        ordered[a] = column < field.n_main
        codes[a] = np.minimum(column, field.n_main - 1)
        place_points(codes[a], rng.random(len(column)), grid.pieces, points[a])
    before = np.cumsum([0, *(grid.ends.shape[1] for grid in grids)])
    codes += before[:-1, np.newaxis]
    state = rng.integers(0, 1 << 64, size=4, dtype=np.uint64)
    ends = np.concatenate([grid.ends for grid in grids], axis=1)
    pieces = _joined([grid.pieces for grid in grids])
    keep_order(points, codes, ordered, pieces, ends, _orders(grids, edges), _TRIES, state)
    return points


@dataclass(frozen=True, eq=False)
class _Grid:
    """The grid points that a column's codes stand for: those of a bin's pieces, or a category's own one."""

    unit: Fraction
    ends: Ints
    pieces: Pieces

    @classmethod
    def of(cls, field: Field) -> _Grid:
        if field.bins is not None:
            return cls(field.bins.unit, np.array(field.bins.grid), _pieces(field.bins))
        values = [Fraction(str(category.value)) for category in field.categories[: field.n_main]]
        unit = Fraction(1, lcm(*(value.denominator for value in values)))
        while max(abs(value / unit) for value in values) > _LARGEST:
            unit *= 10  # to the last digits that fit
        points = np.array([round(value / unit) for value in values], dtype=np.int64)
        each = np.arange(len(points) + 1)
        begin, end = each[:-1].astype(np.float64), each[1:].astype(np.float64)
        pieces = Pieces(each, points, points, begin, end, each, each[:-1])
        return cls(unit, np.array([points, points]), pieces)


def _joined(listed: Sequence[Pieces]) -> Pieces:
    """The pieces of several columns as those of one: bins, pieces and parts of the guide are numbered on."""
    found: list[Pieces] = []
    bins = pieces = parts = 0
    for one in listed:
        of_bins = one.bin_at[:-1] + pieces, one.first, one.last, one.begin + bins, one.end + bins
        found.append(Pieces(*of_bins, one.guide_at[:-1] + parts, one.guide + pieces))
        bins, pieces, parts = bins + len(one.bin_at) - 1, pieces + len(one.first), parts + len(one.guide)
    whole = Pieces(*(np.concatenate(arrays) for arrays in zip(*found, strict=True)))
    return whole._replace(bin_at=np.append(whole.bin_at, pieces), guide_at=np.append(whole.guide_at, parts))


def _orders(grids: Sequence[_Grid], edges: Sequence[Edge]) -> Orders:
    """The orders as `keep_order` takes them."""
    columns = smaller_first(range(len(grids)), edges)
    at = {a: i for i, a in enumerate(columns)}
    ratios = {(a, b): grids[a].unit / grids[b].unit for a, b in edges}
    scaled = [(a, b, ratio.numerator, ratio.denominator) for (a, b), ratio in ratios.items()]
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
        joined = [*(other for part in touching for other in part), edge]
        found = [part for part in found if part not in touching]
        found.insert(0, joined)
    return sorted(found)
