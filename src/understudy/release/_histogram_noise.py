"""What noise may have done to the histogram inside bins that were found (`bins: auto`)."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from understudy._core.randomness import Streams
from understudy.models import REPLICATES
from understudy.release._statement import Statement
from understudy.schema import Bins, Field

Floats: TypeAlias = npt.NDArray[np.float64]

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


def redrawn_fields(field: Field, variance: float | None, rows: Floats) -> list[Field]:
    """The field with the shape of its bins under fresh noise, one for each replicate; none if there is no shape.

    Every piece is taken as one count with the noise of one cell. A piece in which nothing was found may still hold
    what did not stand out from noise, or what `rows`, the number of rows of each code, says is missing from its bin.
    """
    bins = field.bins
    if bins is None or bins.shape is None or not variance:
        return []
    shares, rng = np.array(bins.shape.shares), Streams(0).get("error bars", "histogram", field.name)
    spread = _spread(bins, shares, rows[: bins.count], variance**0.5)
    found = []
    for _ in range(REPLICATES):
        noisy = np.maximum(shares + rng.normal(0.0, 1.0, len(shares)) * spread, 0.0)
        found.append(replace(field, bins=replace(bins, shape=replace(bins.shape, shares=tuple(noisy.tolist())))))
    return found


def _spread(bins: Bins, shares: Floats, rows: Floats, sd: float) -> Floats:
    """How far the count of each piece may be off."""
    bin_of = np.searchsorted(bins.grid[0], bins.pieces[0], side="right") - 1
    empty = shares <= 0
    hidden = np.maximum(rows - np.bincount(bin_of, weights=shares, minlength=bins.count), 0.0)
    places = np.maximum(np.bincount(bin_of, weights=empty, minlength=bins.count), 1.0)
    return np.where(empty, np.maximum(sd, hidden[bin_of]) / np.sqrt(places[bin_of]), sd)
