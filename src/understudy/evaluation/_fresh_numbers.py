"""What chance does to a column of numbers: several fresh samples of it, summed up. Private to the holder.

One fresh sample says little of a column with a heavy tail, whose deviation rests on a few rows: it has them or not. So
errors are the median of those of several samples.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np
import numpy.typing as npt

from understudy._core.randomness import Rng
from understudy.evaluation._number_errors import Told
from understudy.evaluation._numbers import ERRORS
from understudy.evaluation._supports import Support

Floats = npt.NDArray[np.float64]
_SAMPLES = 51
_FEWEST = 11
_ROWS = 5_000_000
"""So many rows are drawn at most; of a long column, samples differ little."""


@dataclass(frozen=True)
class Chance:
    """What fresh samples of a column show.

    >>> Chance({"mean": 0.01}, {"0": 0.02}).errors["mean"]
    0.01
    """

    errors: Mapping[str, float]
    """The median of each error."""
    spikes: Mapping[str, float]
    """The median error of each frequent value's share."""


def chance_of(
    values: Floats,
    counts: npt.NDArray[np.int64],
    *,
    rows: int,
    shares: Mapping[str, float],
    all_rows: int,
    scale: float,
    rng: Rng,
) -> Chance:
    """Draws fresh samples of a column and sums up how far they are off.

    Args:
        values: that occur in it, in their order.
        counts: how often each does.
        rows: how many numbers a sample has.
        shares: of frequent, special and missing values, of all rows.
        all_rows: how many rows a sample has, those without a number among them.
        scale: what lengths are measured in.
        rng: what samples are drawn by.

    >>> from understudy._core.randomness import streams
    >>> some, rng = (np.array([1.0, 2.0]), np.array([50, 50])), streams(0).get("example")
    >>> found = chance_of(*some, rows=100, shares={"1": 0.5, "2": 0.5}, all_rows=100, scale=0.5, rng=rng)
    >>> 0.01 < found.errors["KS"] < 0.06
    True
    """
    samples = max(_FEWEST, min(_SAMPLES, _ROWS // max(all_rows, 1)))
    own = counts > 0
    names = [name for name in ERRORS if name != "spikes"]
    found: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(samples):
        told = _sample(values[own], counts[own], rows, scale, rng)
        for name in names:
            found[name].append(told.error(name, 0, 1))
    errors = {name: _median(found[name]) for name in names}
    parts = np.array([*shares.values(), max(0.0, 1 - sum(shares.values()))])
    off = np.abs(rng.multinomial(all_rows, parts / parts.sum(), size=samples) / max(all_rows, 1) - parts)[:, :-1]
    errors["spikes"] = float(np.median(off.max(axis=1, initial=0.0)))
    spikes = dict(zip(shares, np.median(off, axis=0).tolist(), strict=True))
    return Chance(errors, spikes)


def _sample(values: Floats, counts: npt.NDArray[np.int64], rows: int, scale: float, rng: Rng) -> Told:
    """One, beside the column itself."""
    drawn = rng.multinomial(rows, counts / counts.sum()) if len(counts) else counts
    support = Support(values, np.stack([counts, drawn]))
    return Told(support, [support.figures(0), support.figures(1)], {}, scale)


def _median(values: Sequence[float]) -> float:
    known = [value for value in values if isfinite(value)]
    return float(np.median(known)) if known else float("nan")
