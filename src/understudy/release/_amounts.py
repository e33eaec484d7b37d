"""Numbers with what redrawn noise would have made of them, and figures made of these."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from math import hypot, isfinite
from typing import TypeAlias
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt

from understudy.models import STUDENT_95
from understudy.release._number_answer import Figure, Value
from understudy.schema import Field

Floats: TypeAlias = npt.NDArray[np.float64]
_DAY = 86_400 * 10**6


@dataclass(frozen=True, eq=False)
class Amount:
    """A number, and what it would have been under redrawn noise; None where that is not known.

    `astray` is how far below and above it the real one may lie, 19 times of 20, for what noise hid and no redrawn one
    shows.

    >>> two = Amount(2.0, np.array([1.0, 3.0]))
    >>> two.times(two).replicates.tolist(), two.error(0.0, 9.0)
    ([1.0, 9.0], 1.0)
    """

    value: float
    replicates: Floats | None
    astray: tuple[float, float] = (0.0, 0.0)

    def times(self, other: Amount) -> Amount:
        """The product, replicate by replicate."""
        if self.replicates is None or other.replicates is None:
            return Amount(self.value * other.value, None)
        below, above = (
            hypot(mine * other.value, its * self.value) for mine, its in zip(self.astray, other.astray, strict=True)
        )
        return Amount(self.value * other.value, self.replicates * other.replicates, (below, above))

    def of(self, function: Callable[[Floats], Floats]) -> Amount:
        """A function of the number that grows with it."""
        value = float(function(np.asarray(self.value)))
        low, high = (float(function(np.asarray(self.value + off))) for off in (-self.astray[0], self.astray[1]))
        return Amount(
            value, None if self.replicates is None else function(self.replicates), (value - low, high - value)
        )

    def error(self, low: float, high: float) -> float | None:
        """Root mean square of what redrawn noise changes; a replicate without an answer is off as far as can be."""
        if self.replicates is None:
            return None
        worst = low if self.value - low > high - self.value else high
        found = np.where(np.isfinite(self.replicates), self.replicates, worst if isfinite(worst) else self.value)
        return float(np.sqrt(np.mean((found - self.value) ** 2)))


@dataclass(frozen=True, eq=False)
class Scale:
    """How inner numbers of a column are given out: as numbers, dates, moments or names.

    >>> from understudy.schema import Schema
    >>> scale = scale_of(Schema.from_dict({"fields": [{"name": "day", "type": "date", "bins": 2,
    ...     "constraints": {"minimum": "2020-01-01", "maximum": "2020-12-31"}}]})["day"])
    >>> scale.value(18262.4), scale.unit
    (datetime.date(2020, 1, 1), 'days')
    """

    value: Callable[[float], Value]
    error: float | None = 1.0
    """What one inner unit is in units of the error; None: there is no measure of distance."""
    unit: str | None = None


NUMBERS = Scale(float)


def scale_of(field: Field, *, points: bool = False) -> Scale:
    """The scale of a column; `points`: for values that it can itself have, such as quantiles."""
    if field.type == "date":
        return Scale(lambda days: date(1970, 1, 1) + timedelta(days=round(days)), 1.0, "days")
    if field.type == "datetime":
        return Scale(lambda micros: _moment(field, micros), 1 / _DAY, "days")
    if field.type == "string":
        return Scale(lambda place: field.labels[round(place)], None)
    return Scale(lambda number: round(number)) if points and field.type != "number" else NUMBERS


def make_figure(
    statistic: str, amount: Amount, *, low: float, high: float, scale: Scale = NUMBERS, share: bool = False
) -> Figure:
    """A figure with its 95 % interval, cut to what is possible."""
    return with_error(statistic, amount, amount.error(low, high), low=low, high=high, scale=scale, share=share)


def with_error(
    statistic: str,
    amount: Amount,
    error: float | None,
    *,
    low: float,
    high: float,
    scale: Scale = NUMBERS,
    share: bool = False,
) -> Figure:
    """A figure from a number and the standard error of its noise, both in inner units."""
    value = amount.value
    figure = Figure(statistic=statistic, value=scale.value(value), unit=scale.unit, share=share)
    if error is None:
        return figure
    below, above = reaches(error, amount.astray)
    return replace(
        figure,
        standard_error=None if scale.error is None else max(below, above) / STUDENT_95 * scale.error,
        low=scale.value(max(low, value - below)),
        high=scale.value(min(high, value + above)),
    )


def reaches(error: float, astray: tuple[float, float]) -> tuple[float, float]:
    """How far below and above a number its 95 % interval goes.

    >>> [round(reach, 2) for reach in reaches(1.0, (0.0, 2.0))]
    [2.04, 2.86]
    """
    below, above = (hypot(STUDENT_95 * error, off) for off in astray)
    return below, above


def _moment(field: Field, micros: float) -> datetime:
    step = field.form.step
    moment = datetime(1970, 1, 1) + round(micros / step) * step * timedelta(microseconds=1)
    return moment.replace(tzinfo=ZoneInfo(field.form.timezone)) if field.form.timezone else moment
