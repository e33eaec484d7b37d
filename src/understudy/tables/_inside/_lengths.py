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

The table may tell nothing: with a bin or two r and g fit whatever k is, and where noise hides how bins go together, a
model has them as if lengths did not matter. So a part of the table may be so, r_i·g_j wherever the order can be kept,
and where k explains the table no better than that alone, columns are put in order and no more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from understudy.tables._inside._grids import Floats, Grid
from understudy.tables._inside._kernels import place_points

_GROWTH = 2**0.5
_FINEST = 4096
"""The shortest lengths that are told apart, as parts of the widest bin."""
_ROUNDS, _FITS, _MEANS = 60, 20, 32
_RESTS = (0.0, 0.003, 0.01, 0.03, 0.1, 0.3)
"""How much of the table may be as if lengths did not matter, beside an exponential: where it begins."""
_GAIN = 0.004
"""Least mean log-likelihood of a row beyond that of a table in which lengths do not matter."""
_LEAST = 1e-12

CUTS: Floats = np.concatenate([np.arange(32) / 32, 1 - 0.5 ** np.arange(6, 13), [1.0]])
"""Strata of a bin: even ones, and narrow ones near its end, from where short lengths reach into the next."""


@dataclass(frozen=True, eq=False)
class Length:
    """How much more frequent lengths from one end to the next are than between independent values in the same bins.

    Ends are in units that both columns share, and the mean in those of values.
    """

    ends: Floats
    weights: Floats
    mean: float


def fit_length(lower: Grid, upper: Grid, table: Floats) -> Length | None:
    """How far apart two columns lie whose bins go together so; None where that tells nothing of it.

    >>> from understudy.schema import Schema
    >>> day = {"type": "integer", "bins": 10, "constraints": {"minimum": 0, "maximum": 999}}
    >>> grid = Grid.of(Schema.from_dict({"fields": [{"name": "from", **day}]})["from"])
    >>> round(fit_length(grid, grid, 0.9 * np.eye(10) + 0.1 * np.eye(10, k=1)).mean)  # one in ten goes on
    10
    """
    ends = cells_of_lengths(lower, upper)
    parts = np.stack([np.tensordot(np.diff(CUTS), one, axes=1) for one in length_parts(lower, upper, ends)])
    possible: npt.NDArray[np.bool_] = np.any(parts > 0, axis=2)
    table = np.where(possible, table, 0.0)
    if table.sum() <= 0:
        return None
    table = table / table.sum()
    parts = np.concatenate([parts, possible[:, :, np.newaxis]], axis=2)
    middle = (ends[:-1] + ends[1:] - 1) / 2
    means = np.geomspace(max(ends[1], 1.0) / 2, ends[-1], _MEANS)
    candidates = [np.append(np.exp(-middle / mean), rest) for mean in means for rest in _RESTS]
    weights = max(candidates, key=lambda one: _likelihood(table, parts, one))
    for _ in range(_ROUNDS):
        together = parts @ weights
        seen = np.einsum("ij,ijc->c", table / np.maximum(together, _LEAST**2), parts)
        expected = np.einsum("ij,ijc->c", _outer(table, together), parts)
        weights = weights * np.where(expected > 0, seen / np.maximum(expected, _LEAST**2), 1.0)
        weights = np.maximum(weights / weights.max(), _LEAST)
    nothing = np.append(np.zeros(len(middle)), 1.0)
    if _likelihood(table, parts, weights) < _likelihood(table, parts, nothing) + _GAIN:
        return None
    parts, weights = parts[:, :, :-1], weights[:-1] + weights[-1]
    shares = weights * np.einsum("ij,ijc->c", table / np.maximum(parts @ weights, _LEAST**2), parts)
    return Length(ends, weights, float(shares @ middle / shares.sum() * lower.unit / shared_units(lower, upper)[0]))


def cells_of_lengths(lower: Grid, upper: Grid) -> Floats:
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


def length_parts(lower: Grid, upper: Grid, ends: Floats) -> Iterator[Floats]:
    """For each bin of the lower column: which part of each bin of the upper one lies so far above each stratum of it.

    One bin after the other, as all of them may take gigabytes: strata, bins of the upper column, cells of lengths.
    """
    of_lower, of_upper = shared_units(lower, upper)
    middle = (CUTS[:-1] + CUTS[1:]) / 2
    points, begins = np.empty(len(middle), dtype=np.int64), np.arange(upper.count)[:, np.newaxis]
    for b in range(lower.count):
        place_points(np.full(len(middle), b), middle, lower.pieces, points)
        below = upper.held_below(np.ceil((points[:, np.newaxis] * float(of_lower) + ends) / of_upper))
        yield np.diff(np.clip(below[:, np.newaxis, :] - begins, 0.0, 1.0), axis=2)


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
