"""How else values may lie inside bins: what noise may have done to a histogram that was found, and any shape else.

Nobody measured where values lie inside declared bins. They count as spread evenly, and an interval reckons with shapes
that fall or rise, e^(θ·place) with any θ that is usual.
"""

from __future__ import annotations

import re
from dataclasses import replace
from math import sqrt
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from understudy._core.randomness import Streams
from understudy.models import REPLICATES
from understudy.release._statement import Statement
from understudy.schema import Field, Shape

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]

_PIECES = 8
"""Pieces of a declared bin."""
_SLOPE = 2.0
"""Deviation of θ, once for all bins of a column together, as densities fall over many, and once for each."""
_TILT = 1.5
"""The same for what is too little to be seen piece by piece, from its first piece to its last."""
_NOISE = re.compile(r"(scale b|variance σ²) = ([0-9.e+-]+) per cell")


def noise_variance(statement: Statement, what: str) -> float | None:
    """Variance of the noise in each cell of what was charged under this name; None if there was no such thing.

    >>> from understudy.release import ChargeLine
    >>> line = ChargeLine(what="rows", mechanism="…", cost=None, unit="epsilon", noise="scale b = 3 per cell")
    >>> noise_variance(Statement.example(charges=(line,)), "rows")
    18.0
    """
    for charge in statement.charges:
        found = _NOISE.match(charge.noise) if charge.what == what else None
        if found is not None:
            size = float(found[2])
            return 2 * size**2 if found[1] == "scale b" else size
    return None


def spelled_out(field: Field) -> Field:
    """The field with declared bins as several pieces each, evenly filled, so that they can be filled otherwise.

    >>> from understudy.schema import Schema
    >>> ages = Schema.from_dict({"fields": [{"name": "age", "type": "integer", "bins": 2,
    ...     "constraints": {"minimum": 0, "maximum": 5}}]})["age"]
    >>> spelled_out(ages).bins.shape.starts
    (0, 1, 2, 3, 4, 5)
    """
    bins = field.bins
    if bins is None or bins.shape is not None:
        return field
    first, last = bins.grid
    if (first > last).any() or (first == last).all():
        return field
    starts = np.unique(
        np.concatenate(
            [np.linspace(a, b + 1, _PIECES + 1)[:-1].astype(np.int64) for a, b in zip(first, last, strict=True)]
        )
    )
    shares = np.diff(np.append(starts, last[-1] + 1)).astype(np.float64)
    shape = Shape(starts=tuple(starts.tolist()), shares=tuple(shares.tolist()))
    return replace(field, bins=replace(bins, shape=shape))


def redrawn_fields(field: Field, variance: float | None) -> list[Field]:
    """The field with other shapes inside its bins, one for each replicate; none if there is nothing to be unsure of.

    Bins that were found hold counts with noise of this variance; of declared ones nothing is known inside.
    """
    bins, declared = spelled_out(field).bins, field.bins is None or field.bins.shape is None
    if bins is None or bins.shape is None or not (declared or variance):
        return []
    shares, rng = np.array(bins.shape.shares), Streams(0).get("error bars", "histogram", field.name)
    bin_of = np.searchsorted(bins.grid[0], bins.pieces[0], side="right") - 1
    sd = 0.0 if declared else sqrt(variance or 0.0)
    groups, slope = (bin_of, _SLOPE) if declared else (_groups(shares, bin_of, sd), _TILT)
    place = _place(groups)
    fields = []
    for _ in range(REPLICATES):
        slopes = rng.normal(0.0, slope) + rng.normal(0.0, slope, groups[-1] + 1)
        noisy = shares * np.exp(slopes[groups] * place)
        held = np.bincount(groups, weights=noisy)
        moved = np.maximum(held + rng.normal(0.0, 1.0, len(held)) * sd, 0.0)
        noisy = noisy * (moved / np.where(held > 0, held, 1.0))[groups]
        fields.append(replace(field, bins=replace(bins, shape=replace(bins.shape, shares=tuple(noisy.tolist())))))
    return fields


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
