"""How else values may lie inside bins: what noise may have done to a histogram that was found, and any shape else.

Nobody measured where values lie inside declared bins. They count as spread evenly, and an interval reckons with shapes
that fall or rise, e^(θ·place) with any θ that is usual.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from math import sqrt
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from understudy._core.randomness import Streams
from understudy.models import REPLICATES
from understudy.numbers import VALUE_BY_VALUE
from understudy.release._cut_pieces import Astray, Cut
from understudy.release._regions import Span
from understudy.release._statement import Statement
from understudy.schema import Bins, Field, Shape

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]

_PIECES = 8
"""Pieces of a declared bin."""
_SLOPE = 2.0
"""Deviation of θ, once for all bins of a column together, as densities fall over many, and once for each."""
_TILT = 1.5
"""The same for what is too little to be seen piece by piece, from its first piece to its last."""
_LEAN = 0.5
"""How far rows of a group may lean to one end of a bin in any case: the deviation of θ, from its first row to its last.
"""
_LEAST_PART = 0.1
"""A group's part of a bin counts as that much of all rows' at least: below, noise tells."""
_ALL_AGAIN = 0.499
"""Noise of both looks as a part of that of the first, where the second was at every level: half, but for rounding."""
_NOISE = re.compile(r"(scale b|variance σ²) = ([0-9.e+-]+) per cell")


def noise_variance(statement: Statement, what: str) -> float | None:
    """Variance of the noise in each cell of what was charged under this name; None if there was no such thing.

    >>> from understudy.release import ChargeLine
    >>> line = ChargeLine(what="rows", mechanism="…", cost=None, unit="epsilon", noise="scale b = 3 per cell")
    >>> noise_variance(Statement.example(charges=(line,)), "rows")
    18.0
    """
    return next(iter(_variances(statement, what)), None)


def fine_noise(statement: Statement) -> tuple[float, float] | None:
    """Variance of the noise in a cell of fine histograms: of a cell looked at once, and of one at every look."""
    found = _variances(statement, VALUE_BY_VALUE)
    return (found[0], 1 / sum(1 / max(one, 1e-9) for one in found)) if found else None


def _variances(statement: Statement, what: str) -> list[float]:
    found = [_NOISE.match(charge.noise) for charge in statement.charges if charge.what == what]
    sizes = [(one[1], float(one[2])) for one in found if one is not None]
    return [2 * size**2 if kind == "scale b" else size for kind, size in sizes]


def spelled_out(field: Field) -> Field:
    """The field with bins that have no shape in several evenly filled pieces, so that they can be filled otherwise.

    Declared bins have none, but for `inside: auto`, and then those have none in which nothing was seen.

    >>> from understudy.schema import Schema
    >>> ages = Schema.from_dict({"fields": [{"name": "age", "type": "integer", "bins": 2,
    ...     "constraints": {"minimum": 0, "maximum": 5}}]})["age"]
    >>> spelled_out(ages).bins.shape.starts
    (0, 1, 2, 3, 4, 5)
    """
    bins = field.bins
    if bins is None:
        return field
    first, last = bins.grid
    unknown = _without_shape(bins)
    if (first > last).any() or (first == last)[unknown].all():
        return field
    spelled = [np.linspace(first[b], last[b] + 1, _PIECES + 1)[:-1].astype(np.int64) for b in np.flatnonzero(unknown)]
    known = () if bins.shape is None else bins.shape.starts
    starts = np.unique(np.concatenate([np.array(known, dtype=np.int64), *spelled]))
    shares = np.diff(np.append(starts, last[-1] + 1)).astype(np.float64)
    if bins.shape is not None:  # beside counts of rows, one row for each bin of which nothing is known
        of = np.searchsorted(first, starts, side="right") - 1
        given = dict(zip(bins.shape.starts, bins.shape.shares, strict=True))
        even = shares / np.bincount(of, weights=shares)[of]
        shares = np.where(unknown[of], even, [given.get(start, 0.0) for start in starts.tolist()])
    stretches = () if bins.shape is None else bins.shape.stretches
    shape = Shape(starts=tuple(starts.tolist()), shares=tuple(shares.tolist()), stretches=stretches)
    return replace(field, bins=replace(bins, shape=shape))


def _without_shape(bins: Bins) -> Bools:
    """Bins of which nothing is known inside."""
    if bins.shape is None:
        return np.ones(bins.count, dtype=np.bool_)
    of = np.searchsorted(bins.grid[0], np.array(bins.shape.starts), side="right") - 1
    return np.asarray(np.bincount(of, weights=bins.shape.shares, minlength=bins.count) <= 0)


def redrawn_fields(
    field: Field,
    noise: tuple[float, float] | None,
    spans: Sequence[Span] = (),
    leans: Floats | None = None,
    *,
    shares_alone: bool = False,
) -> list[Field]:
    """The field with other shapes inside its bins, one for each replicate; none if there is nothing to be unsure of.

    Bins that were found hold counts with noise (`fine_noise`); of declared ones nothing is known inside. What a
    condition cuts out of cells (`spans`) may be any part of them; out of pieces, see `rows_astray`, which also reckons
    with all or nothing of a found cell: where `shares_alone` are asked for, such cells stay as they are. Rows that
    fulfil conditions on other columns may lie otherwise than all rows do: as far as `leans` tells for each bin.
    """
    whole, declared = spelled_out(field).bins, field.bins is None or field.bins.shape is None
    if whole is None or whole.shape is None or not (declared or noise):
        return []
    shares, rng = np.array(whole.shape.shares), Streams(0).get("error bars", "histogram", field.name)
    bin_of = np.searchsorted(whole.grid[0], whole.pieces[0], side="right") - 1
    deviations = (0.0, 0.0) if declared or noise is None else (sqrt(noise[0]), sqrt(noise[1]))
    groups = bin_of if declared else _groups(shares, bin_of, deviations[0])
    unknown = np.ones(bin_of[-1] + 1, dtype=np.bool_) if field.bins is None else _without_shape(field.bins)
    unseen = unknown[bin_of[np.searchsorted(groups, np.arange(groups[-1] + 1))]]  # group by group
    slope, sd = np.where(unseen, _SLOPE, _TILT), np.where(unseen, 0.0, deviations[0])
    place, cut = _place(groups), cut_field(field, spans)
    bins, others = cut.field.bins, Streams(0).get("error bars", "cuts", field.name)
    leaning = None if leans is None or declared else (leans, _ranks(cut.shares, bin_of[cut.whole]))
    fields = []
    for _ in range(REPLICATES):
        slopes = slope * rng.normal(0.0, 1.0) + slope * rng.normal(0.0, 1.0, groups[-1] + 1)
        noisy = shares * np.exp(slopes[groups] * place)
        held = np.bincount(groups, weights=noisy)
        moved = np.maximum(held + rng.normal(0.0, 1.0, len(held)) * sd, 0.0)
        noisy = noisy * (moved / np.where(held > 0, held, 1.0))[groups]
        factor = np.divide(noisy, shares, out=np.ones(len(shares)), where=shares > 0)
        drawn = cut.shares * factor[cut.whole]
        if declared or not shares_alone:
            drawn = cut.redrawn(drawn, others)
        if leaning is not None:
            tilts = rng.normal(0.0, 1.0, len(leaning[0])) * leaning[0]
            drawn = drawn * np.exp(tilts[bin_of[cut.whole]] * leaning[1])
        fields.append(replace(field, bins=_with_shares(bins, drawn)))
    return fields


def rows_astray(field: Field, noise: tuple[float, float] | None, spans: Sequence[Span]) -> Astray | None:
    """How much less and how much more of each bin may lie in some stretches, as rows at single values may hide.

    None where no histogram was found.
    """
    bins = spelled_out(field).bins
    if field.bins is None or field.bins.shape is None or bins is None or bins.shape is None or noise is None:
        return None
    bin_of = np.searchsorted(bins.grid[0], bins.pieces[0], side="right") - 1
    groups, cut = _groups(np.array(bins.shape.shares), bin_of, sqrt(noise[0])), cut_field(field, spans)
    return cut.astray(groups[cut.whole], hiding_noise(noise))


def hiding_noise(noise: tuple[float, float]) -> float:
    """The deviation of the noise in which rows at single values may hide, of what `fine_noise` tells.

    Levels that the second look left out have the noise of the first, and nobody told which. So both looks count only if
    it left out none, as where it had no less noise.

    >>> hiding_noise((100.0, 50.0)), hiding_noise((100.0, 36.0)), hiding_noise((100.0, 100.0))
    (7.07..., 10.0, 10.0)
    """
    once, both = noise
    return sqrt(both if both >= _ALL_AGAIN * once else once)


def cut_field(field: Field, spans: Sequence[Span]) -> Cut:
    """The field's pieces, divided where a condition begins and ends."""
    return Cut.of(spelled_out(field), spans, declared=field.bins is None or field.bins.shape is None)


def cut_shape(field: Field, spans: Sequence[Span]) -> Field:
    """The field as `redrawn_fields` has it, without noise."""
    spelled = spelled_out(field)
    return spelled if spelled.bins is None or spelled.bins.shape is None else cut_field(field, spans).field


def _with_shares(bins: Bins | None, shares: Floats) -> Bins | None:
    if bins is None or bins.shape is None:
        return bins
    return replace(bins, shape=replace(bins.shape, shares=tuple(shares.tolist())))


def leans_of(given: Floats, all_rows: Floats) -> Floats:
    """How far rows of a group may lean to one end of each bin: as far as their part of bins changes to the next one.

    Of bins with these probabilities, in the group and in all rows. A group that has the same part of all bins will not
    differ from all rows inside of them either.

    >>> leans_of(np.array([0.5, 0.3, 0.2]), np.array([0.25, 0.3, 0.45])).round(1).tolist()
    [0.8, 0.9, 0.9]
    """
    least = _LEAST_PART * np.maximum(all_rows, 1e-12)
    part = np.log((given + least) / (all_rows + least))
    steps = np.abs(np.diff(part))
    return np.asarray(np.minimum(np.hypot(np.maximum(np.append(steps, 0.0), np.append(0.0, steps)), _LEAN), _SLOPE))


def _ranks(shares: Floats, bin_of: Ints) -> Floats:
    """Where the rows of a piece lie among those of its bin, from −½ to ½."""
    held = np.bincount(bin_of, weights=shares)[bin_of]
    before = held - _left_in_bin(shares, bin_of)
    return np.asarray((before + shares / 2) / np.where(held > 0, held, 1.0) - 0.5)


def _groups(shares: Floats, bin_of: Ints, sd: float) -> Ints:
    """Pieces of a bin that hold as much as noise does, together: a tail has many with less than a row each.

    >>> _groups(np.array([90.0, 4, 8, 3, 50]), np.array([0, 0, 0, 0, 1]), 10.0).tolist()
    [0, 1, 1, 1, 2]
    """
    groups, held = np.zeros(len(shares), dtype=np.int64), 0.0
    left = _left_in_bin(shares, bin_of)
    for i in range(1, len(shares)):
        held += float(shares[i - 1])
        full = held >= sd and left[i] >= sd
        new = bin_of[i] != bin_of[i - 1] or full
        groups[i], held = (groups[i - 1] + 1, 0.0) if new else (groups[i - 1], held)
    return groups


def _left_in_bin(shares: Floats, bin_of: Ints) -> Floats:
    """What a piece and those after it in its bin hold."""
    after = np.cumsum(shares[::-1])[::-1]
    beyond = np.append(after, 0.0)[np.searchsorted(bin_of, bin_of, side="right")]
    return np.asarray(after - beyond)


def _place(groups: Ints) -> Floats:
    """Where a piece lies in its group, from −½ to ½."""
    first = np.searchsorted(groups, groups)
    size = np.bincount(groups)[groups]
    return np.asarray((np.arange(len(groups)) - first + 0.5) / size - 0.5)
