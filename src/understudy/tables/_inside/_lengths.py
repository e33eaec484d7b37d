"""How far apart two columns in a declared order lie: found from how often their bins go together.

A stay of three days lies within bins of three weeks, and drawn independently inside them the two dates would be a week
apart. But how often a stay goes on into the next bin tells how long stays are: of those of d days in bins of w, d / w
do. So bins and stays are taken to go together as

    (bin i, value a, bin j, value b)  as often as  r_i · g_j · s_i(a) · s_j(b) · k(b − a),

where s is what is known of values inside each bin, and k says how much more frequent a length is than it would be if
the two were independent. k is constant on cells of lengths, each √2 times as long as the one before. With B_ijc, the
part of s_i × s_j that has a length of cell c, bins i and j go together r_i · g_j · Σ_c k_c·B_ijc as often. Of all
exponential k the one is taken that makes the model's table most likely; then k is improved, cell by cell, by
expectation maximisation. r and g follow by proportional fitting.

Where lengths are shorter than bins, their mean is all that the table tells, and they come out as exponential ones of
this mean do; longer ones come out as they are. It follows from a table that the model gives, so it costs nothing.

Where lengths depend on where they begin (a part of a whole grows with it), no k fits. So both ways are tried on the
table: what either makes of the values inside bins is held against s, and independent draws that are put in order are
kept where they leave both columns closer to it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from understudy.schema import Edge, Schema, order_edges
from understudy.tables._inside._grids import Floats, Grid
from understudy.tables._inside._kernels import place_points

_GROWTH = 2**0.5
_FINEST = 4096
"""The shortest lengths that are told apart, as parts of the widest bin."""
_MOST_BINS = 1 << 12
"""Of pairs of bins: more are so narrow that they need no look inside."""
_ROUNDS, _FITS, _MEANS = 60, 20, 32
_PLACES = 8
_LEAST = 1e-12

CUTS: Floats = np.concatenate([np.arange(32) / 32, 1 - 0.5 ** np.arange(6, 13), [1.0]])
"""Strata of a bin: even ones, and narrow ones near its end, from where short lengths reach into the next."""


@dataclass(frozen=True, eq=False)
class Length:
    """How much more frequent lengths from one end to the next are than between independent values in the same bins.

    Ends are in units that both columns share.
    """

    ends: Floats
    weights: Floats
    mean: float


TableOf = Callable[[int, int], Floats | None]
"""How often each code of one column goes with each of another; None where that cannot be told."""


def find_lengths(schema: Schema, table_of: TableOf) -> dict[Edge, Length]:
    """For each declared order, how far apart its columns lie, where bins leave that open.

    >>> day = {"type": "integer", "bins": 10, "constraints": {"minimum": 0, "maximum": 999}}
    >>> schema = Schema.from_dict({"fields": [{"name": "from", **day}, {"name": "to", **day}],
    ...     "dependencies": [{"lower": "from", "upper": "to"}]})
    >>> table = 0.9 * np.eye(10) + 0.1 * np.eye(10, k=1)  # one in ten goes on into the next hundred
    >>> round(find_lengths(schema, lambda lower, upper: table)[0, 1].mean)
    10
    """
    found = {}
    for lower, upper in order_edges(schema):
        low, high = Grid.of(schema.fields[lower]), Grid.of(schema.fields[upper])
        if low.count * high.count > _MOST_BINS or all((grid.ends[0] == grid.ends[1]).all() for grid in (low, high)):
            continue
        table = table_of(lower, upper)
        length = None if table is None else _fit(low, high, table[: low.count, : high.count])
        if length is not None:
            found[lower, upper] = length
    return found


def _fit(lower: Grid, upper: Grid, table: Floats) -> Length | None:
    ends = _cells(lower, upper)
    reached = parts_reached(lower, upper, ends)
    parts = np.einsum("s,sijc->ijc", np.diff(CUTS), np.diff(reached, axis=3))
    table = np.where(parts.any(axis=2), table, 0.0)
    if table.sum() <= 0:
        return None
    table = table / table.sum()
    middle = (ends[:-1] + ends[1:] - 1) / 2
    candidates = [np.exp(-middle / mean) for mean in np.geomspace(max(ends[1], 1.0) / 2, ends[-1], _MEANS)]
    weights = max(candidates, key=lambda one: _likelihood(table, parts, one))
    for _ in range(_ROUNDS):
        together = parts @ weights
        seen = np.einsum("ij,ijc->c", table / np.maximum(together, _LEAST**2), parts)
        expected = np.einsum("ij,ijc->c", _outer(table, together), parts)
        weights = weights * np.where(expected > 0, seen / np.maximum(expected, _LEAST**2), 1.0)
        weights = np.maximum(weights / weights.max(), _LEAST)
    if _moved(table, reached, weights) > _moved(table, reached, np.ones_like(weights)):
        return None
    shares = weights * np.einsum("ij,ijc->c", table / np.maximum(parts @ weights, _LEAST**2), parts)
    return Length(ends, weights, float(shares @ middle / shares.sum()))


def _moved(table: Floats, reached: Floats, weights: Floats) -> float:
    """How far values inside bins come out from where they are known to lie: distances of both columns, added up."""
    own = np.diff(CUTS)[:, np.newaxis, np.newaxis, np.newaxis] * np.diff(reached, axis=3) * weights
    own *= table[:, :, np.newaxis] / np.maximum(own.sum(axis=(0, 3)), _LEAST**2)[:, :, np.newaxis]
    of_lower = np.cumsum(own.sum(axis=(2, 3)), axis=0) - CUTS[1:, np.newaxis] * own.sum(axis=(0, 2, 3))
    wide = np.maximum(np.diff(reached, axis=3), _LEAST)
    at = np.arange(1, _PLACES) / _PLACES
    of_upper = [
        np.sum(own * np.clip((part - reached[..., :-1]) / wide, 0.0, 1.0), axis=(0, 1, 3))
        - part * own.sum(axis=(0, 1, 3))
        for part in at
    ]
    return float(np.abs(of_lower).max(axis=0).sum() + np.abs(of_upper).max(axis=0).sum())


def _cells(lower: Grid, upper: Grid) -> Floats:
    """Where cells of lengths begin, in shared units: the first at 0, with one unit or a small part of a bin."""
    of_lower, of_upper = shared_units(lower, upper)
    widths = [float((grid.ends[1] - grid.ends[0]).max() + 1) for grid in (lower, upper)]
    widest = max(widths[0] * of_lower, widths[1] * of_upper)
    longest = float(upper.ends[1][-1]) * of_upper - float(lower.ends[0][0]) * of_lower
    finest = max(1.0, float(min(of_lower, of_upper)), widest / _FINEST)
    ends = [0.0, np.floor(finest)]
    while ends[-1] <= longest:
        ends.append(max(np.ceil(ends[-1] * _GROWTH), ends[-1] + finest))
    return np.array(ends)


def shared_units(lower: Grid, upper: Grid) -> tuple[int, int]:
    """How many units that both share make one of each."""
    ratio = lower.unit / upper.unit
    return ratio.numerator, ratio.denominator


def parts_reached(lower: Grid, upper: Grid, ends: Floats) -> Floats:
    """For a stratum of a bin of the lower column: which part of a bin of the upper one lies less far above it."""
    of_lower, of_upper = shared_units(lower, upper)
    bins = np.arange(lower.count)
    middle = (CUTS[:-1] + CUTS[1:]) / 2
    points = np.empty((len(middle), lower.count), dtype=np.int64)
    for part, row in zip(middle, points, strict=True):
        place_points(bins, np.full(lower.count, part), lower.pieces, row)
    reached = upper.held_below(np.ceil((points[:, :, np.newaxis] * float(of_lower) + ends) / of_upper))
    return np.asarray(np.clip(reached[:, :, np.newaxis, :] - np.arange(upper.count)[:, np.newaxis], 0.0, 1.0))


def _outer(table: Floats, together: Floats) -> Floats:
    """r_i · g_j, with which rows and columns of a table have the sums of another: proportional fitting."""
    of_row, of_column = np.ones(len(table)), np.ones(table.shape[1])
    for _ in range(_FITS):
        of_row = table.sum(axis=1) / np.maximum(together @ of_column, _LEAST**2)
        of_column = table.sum(axis=0) / np.maximum(of_row @ together, _LEAST**2)
    return np.outer(of_row, of_column)


def _likelihood(table: Floats, parts: Floats, weights: Floats) -> float:
    together = parts @ weights
    expected = together * _outer(table, together)
    seen = table > 0
    return float(table[seen] @ np.log(np.maximum(expected[seen], _LEAST)))
