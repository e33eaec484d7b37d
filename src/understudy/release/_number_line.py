"""A column's numbers as pieces of a line, each evenly filled, and what follows from how much of all rows each holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from understudy.release._regions import Region, known_numbers
from understudy.schema import Bins, Field

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
_ROUNDING = 1e-12
_NEARLY = 1e-6  # of a step


@dataclass(frozen=True, eq=False)
class NumberLine:
    """Pieces in rising order: from value `low` to `high` in `count` equal steps, `part` of the rows with code `code`.

    >>> from understudy.schema import Schema
    >>> ages = Schema.from_dict({"fields": [{"name": "age", "type": "integer", "bins": 4,
    ...     "constraints": {"minimum": 0, "maximum": 99}}]})["age"]
    >>> line = number_line(ages, known_numbers(ages))
    >>> masses = line.masses(np.array([0.5, 0.5, 0.0, 0.0]))
    >>> line.mean(masses).item(), line.quantile(masses, np.array(0.5)).item()
    (24.5, 24.0)
    """

    code: Ints
    low: Floats
    high: Floats
    count: Floats
    part: Floats

    def masses(self, probabilities: Floats, parts: Floats | None = None) -> Floats:
        """What each piece holds if codes have these probabilities (on the last axis) and pieces these parts."""
        return np.asarray(np.clip(probabilities[..., self.code], 0.0, None) * (self.part if parts is None else parts))

    def mean(self, masses: Floats) -> Floats:
        """The mean; where nothing is held at all, not a number."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray((masses * self._middle).sum(axis=-1) / masses.sum(axis=-1))

    def variance(self, masses: Floats) -> Floats:
        """The mean square of the distance from the mean."""
        inside = self._step**2 * (self.count**2 - 1) / 12
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = self.mean(masses)
            square = inside + (self._middle - mean[..., None]) ** 2
            return np.asarray((masses * square).sum(axis=-1) / masses.sum(axis=-1))

    def quantile(self, masses: Floats, level: Floats) -> Floats:
        """The smallest value up to which at least this share of the rows lies; `level` goes with leading axes."""
        sums = np.cumsum(masses, axis=-1)
        total = sums[..., -1:]
        wanted = np.clip(level, 0.0, 1.0)[..., None] * total * (1 - _ROUNDING)
        # what is asked for lies in the first piece by the end of which there is enough; none is for an empty one
        enough = (sums >= wanted) & (masses > 0)
        at = np.where(enough.any(axis=-1), enough.argmax(axis=-1), _last(masses > 0))
        mass, before = (np.take_along_axis(x, at[..., None], axis=-1)[..., 0] for x in (masses, sums - masses))
        with np.errstate(invalid="ignore", divide="ignore"):
            place = np.ceil((wanted[..., 0] - before) / mass * self.count[at] * (1 - _ROUNDING))
        steps = np.clip(np.nan_to_num(place), 1, self.count[at]) - 1
        return np.asarray(np.where(total[..., 0] > 0, self.low[at] + steps * self._step[at], np.nan))

    def share_up_to(self, masses: Floats, value: Floats, *, below: bool = False) -> Floats:
        """The share of rows up to a value; `below`: without the value itself."""
        steps = (np.asarray(value)[..., None] - self.low) / self._step
        points = np.ceil(steps - _NEARLY) if below else np.floor(steps + _NEARLY) + 1
        part = np.clip(points / self.count, 0.0, 1.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray((masses * part).sum(axis=-1) / masses.sum(axis=-1))

    @property
    def ends(self) -> tuple[float, float]:
        """The smallest and the largest number of all."""
        return float(self.low.min()), float(self.high.max())

    @property
    def _step(self) -> Floats:
        """The distance of two values of a piece; of a single value any small one."""
        single = 1e-9 * np.maximum(np.abs(self.low), 1.0)
        return np.where(self.count > 1, (self.high - self.low) / np.maximum(self.count - 1, 1), single)

    @property
    def _middle(self) -> Floats:
        return (self.low + self.high) / 2


def number_line(field: Field, region: Region) -> NumberLine:
    """The numbers of a column that a region allows; there may be none.

    Dates are days and moments microseconds since 1970, as everywhere inside; names in order are their positions.
    """
    numbers = region.within(known_numbers(field))
    codes = sorted(numbers.codes)
    if field.type == "string":
        values = np.array(codes, dtype=np.float64)
    else:
        own = [*field.categories, *field.special]
        first = 0 if field.bins is None else field.n_main
        values = np.array([float(own[code - first].value) for code in codes], dtype=np.float64)
    ones = np.ones(len(codes))
    line = NumberLine(np.array(codes, dtype=np.int64), values, values, ones, ones)
    if field.bins is not None:
        line = _beside(line, _bins_line(field.bins, numbers))
    return line


def _bins_line(bins: Bins, region: Region) -> NumberLine:
    first, last, ends = bins.pieces
    parts = np.diff(ends, prepend=0.0)
    code = np.searchsorted(bins.grid[0], first, side="right") - 1 if bins.shape is not None else np.arange(bins.count)
    found = []
    for low, high in region.spans:
        bottom, top = np.maximum(first, low), np.minimum(last, high)
        kept = bottom <= top
        share = parts[kept] * (top - bottom + 1)[kept] / (last - first + 1)[kept]
        values = [bins.values(points[kept]).astype(np.float64) for points in (bottom, top)]
        found.append(NumberLine(code[kept], values[0], values[1], (top - bottom + 1.0)[kept], share))
    line = NumberLine(np.zeros(0, dtype=np.int64), *(np.zeros(0) for _ in range(4)))
    for more in found:
        line = _beside(line, more)
    return line


def _beside(one: NumberLine, other: NumberLine) -> NumberLine:
    columns = [
        np.concatenate([getattr(one, name), getattr(other, name)]) for name in ("code", "low", "high", "count", "part")
    ]
    order = np.argsort(columns[1], kind="stable")
    return NumberLine(*(column[order] for column in columns))


def _last(held: npt.NDArray[np.bool_]) -> Ints:
    """The place of the last that holds something, or 0."""
    return np.asarray(held.shape[-1] - 1 - held[..., ::-1].argmax(axis=-1))
