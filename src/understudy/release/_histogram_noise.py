"""What noise may have done to the histogram inside bins that were found (`bins: auto`)."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from understudy._core.randomness import Streams
from understudy.models import REPLICATES
from understudy.release._statement import Statement
from understudy.schema import Field

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


def redrawn_fields(field: Field, variance: float | None) -> list[Field]:
    """The field with the shape of its bins under fresh noise, one for each replicate; none if there is no shape.

    Every piece that holds rows is taken as one count with the noise of one cell. Where nothing was found, nothing is
    redrawn: rows too few to stand out from noise are not covered.
    """
    bins = field.bins
    if bins is None or bins.shape is None or not variance:
        return []
    shares, rng = np.array(bins.shape.shares), Streams(0).get("error bars", "histogram", field.name)
    found = []
    for _ in range(REPLICATES):
        noisy = np.where(shares > 0, np.maximum(shares + rng.normal(0.0, variance**0.5, len(shares)), 0.0), 0.0)
        found.append(replace(field, bins=replace(bins, shape=replace(bins.shape, shares=tuple(noisy.tolist())))))
    return found
