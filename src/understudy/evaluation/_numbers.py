"""What became of one column of numbers or dates: values as an analyst meets them, in no bins. Private to the holder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import isfinite
from typing import Any

from understudy.charts import plain
from understudy.evaluation._group_means import GroupMean
from understudy.evaluation._ties import Tie
from understudy.evaluation._verdict import BY_CHANCE

DAY = 86_400_000_000  # dates and moments are microseconds inside
_START = datetime(1970, 1, 1, tzinfo=UTC)
_TELLING = 10
"""A figure is written with digits enough to see this part of a deviation."""
FREQUENT = 0.02
"""The least share of a value that is looked at by itself."""
MISSING = "missing"
ERRORS = ("KS", "Wasserstein", "mean", "median", "deviation", "quantiles", "spikes")
LIMITS: Mapping[str, tuple[float, float]] = {
    "KS": (0.05, 0.15),
    "Wasserstein": (0.1, 0.3),
    "mean": (0.1, 0.3),
    "median": (0.1, 0.3),
    "deviation": (0.2, 0.5),
    "quantiles": (0.1, 0.3),
    "spikes": (0.03, 0.1),
}
"""Up to the first an error is close to real, up to the second to be used with care: shares, and for Wasserstein
distance, mean, median and quantiles standard deviations of the real column."""


@dataclass(frozen=True)
class Figures:
    """What pandas would say of a column: `describe()`, but for the quantiles. NaN where there is nothing to say it of.

    >>> Figures(rows=2, mean=1.5, deviation=0.7, p05=1.0, p25=1.2, median=1.5, p75=1.7, p95=2.0).mean
    1.5
    """

    rows: int
    """Cells that hold a number: no missing ones, and no special values that are codes (−1, 999)."""
    mean: float
    deviation: float
    p05: float
    p25: float
    median: float
    p75: float
    p95: float


@dataclass(frozen=True)
class Spike:
    """A value that many rows have, or a special or missing one: its share of all rows.

    >>> Spike("0", real=0.82, synthetic=0.05, fresh_sample=0.81).error
    0.77
    """

    value: str
    real: float
    synthetic: float
    fresh_sample: float
    binned: float | None = None
    by_chance: float = 0.0
    """How far off the shares of fresh samples are: the median."""

    @property
    def error(self) -> float:
        """How far off the synthetic table's share is."""
        return round(abs(self.real - self.synthetic), 12)

    @property
    def frequent(self) -> bool:
        """Whether it is a number that many rows of either table have.

        >>> [Spike(*of, fresh_sample=0.03).frequent for of in (("0", 0.03, 0.01), ("9", 0.01, 0.01))]
        [True, False]
        """
        return self.value != MISSING and max(self.real, self.synthetic) >= FREQUENT

    @property
    def lost(self) -> bool:
        """Whether a frequent value has less than half of its share, or more than twice it, beyond what chance does.

        >>> [Spike("0", real=0.026, synthetic=s, fresh_sample=0.025).lost for s in (0.0003, 0.02, 0.06)]
        [True, False, True]
        """
        off = not self.real / 2 <= self.synthetic <= 2 * self.real
        return off and self.real >= FREQUENT and self.error > BY_CHANCE * self.by_chance


@dataclass(frozen=True)
class Error:
    """How far a figure of the synthetic column is off, and where it was lost.

    `fresh_sample` is the median of what several fresh samples show, `binning` what real values lose that go through the
    release's bins and are drawn back as a release draws them: noise of a histogram inside bins is part of it. `noise`
    is how far the synthetic values are from these. The latter two are None where it is not known which bins a table was
    made with.

    >>> Error(0.3, fresh_sample=0.01, binning=0.28, noise=0.05).value
    0.3
    """

    value: float
    fresh_sample: float
    binning: float | None = None
    noise: float | None = None


@dataclass(frozen=True)
class Bars:
    """Shares of all rows in stretches of equal length, from the least to the largest value shown; and beyond these.

    >>> Bars((0.0, 5.0, 10.0), (0.5, 0.4), (0.4, 0.4), above=(0.1, 0.2)).edges[-1]
    10.0
    """

    edges: tuple[float, ...]
    real: tuple[float, ...]
    synthetic: tuple[float, ...]
    below: tuple[float, float] = (0.0, 0.0)
    above: tuple[float, float] = (0.0, 0.0)
    step: float = 0.0
    """Between possible values, half of which edges lie beside them; 0 for numbers with a fraction."""


@dataclass(frozen=True, kw_only=True)
class NumberColumn:
    """One column of numbers or dates, real and synthetic, value by value.

    >>> from understudy.evaluation import measure_raw_values, make_references, read_pair
    >>> import pyarrow as pa
    >>> from understudy.schema import Schema
    >>> schema = Schema.from_dict({"fields": [{"name": "age", "type": "integer", "bins": 2,
    ...     "constraints": {"minimum": 0, "maximum": 99}}]})
    >>> pair = read_pair(pa.table({"age": [20, 30, 40]}), pa.table({"age": [20, 30, 70]}), schema)
    >>> (age,) = measure_raw_values(pair, make_references(pair))[0].numbers
    >>> age.real.mean, age.synthetic.mean, age.errors["mean"].value
    (30.0, 40.0, 1.0)
    """

    name: str
    type: str
    real: Figures
    synthetic: Figures
    fresh_sample: Figures
    binned: Figures | None = None
    """Of the real values, put through the release's bins and drawn back, with no noise in how many are in each."""
    left_out: tuple[str, ...] = ()
    """Special values that are codes and no amounts: in no mean, their shares are among the spikes."""
    errors: Mapping[str, Error]
    spikes: tuple[Spike, ...] = ()
    without_few: tuple[float, float] = (float("nan"), float("nan"))
    """The real and the synthetic deviation without a handful of rows, the farthest from the mean."""
    apart: int = 0
    """How many real rows do not have its most frequent number."""
    ratios: bool = False
    """Whether an error can be told as a part of the mean: of amounts that are all on one side of 0."""
    groups: tuple[GroupMean, ...] = ()
    """For each column of categories the group in which its mean is most off."""
    ties: tuple[Tie, ...] = ()
    """Its clear correlations with numbers that come after it."""
    bars: Bars | None = None
    evenly: bool = False
    """Whether it has bins of several values, of which the release knows no more than their counts."""
    difference: bool = False
    """Whether it is no column but what lies between two that are declared to be in order, row by row."""
    unit: str = ""
    """What its values are in, where they are lengths of time."""

    @property
    def moments(self) -> bool:
        """Whether the values are dates or moments."""
        return self.type in ("date", "datetime")

    def text(self, value: float | None) -> str:
        """A value of the column as people write it."""
        return in_unit(shown(self.text_type, value, self.real.deviation), self.unit)

    @property
    def text_type(self) -> str:
        """What its values are written as: whole numbers that look like years as years, 1997 and not 1,997."""
        years = self.type == "integer" and not self.difference and not self.unit
        return "year" if years and is_years(self.real.p05, self.real.p95) else self.type

    def length(self, value: float | None) -> str:
        """A distance between two values as people write it: days for dates.

        >>> NumberColumn.length(NumberColumn.__new__(NumberColumn), None)
        '–'
        """
        if value is None or not isfinite(value):
            return "–"
        return f"{number_text(value / DAY)} days" if self.moments else in_unit(number_text(value), self.unit)

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON: dates as texts, their deviation in days."""
        sides = {"real": self.real, "synthetic": self.synthetic, "fresh_sample": self.fresh_sample}
        if self.binned is not None:
            sides["binned"] = self.binned
        return {
            "name": self.name,
            "type": self.type,
            "difference": self.difference,
            "unit": self.unit or None,
            "left_out": list(self.left_out),
            **{side: self._plain(figures) for side, figures in sides.items()},
            "errors": {name: vars(error) for name, error in self.errors.items()},
            "spikes": [vars(spike) for spike in self.spikes],
            "groups": [self._plain_group(group) for group in self.groups],
            "ties": [{**vars(tie), "lost": tie.lost} for tie in self.ties],
        }

    def _plain_group(self, group: GroupMean) -> dict[str, Any]:
        means = {side: getattr(group, side) for side in ("real", "synthetic")}
        written = {side: exact_moment(mean) if self.moments else mean for side, mean in means.items()}
        return {**vars(group), **written, "lost": group.lost}

    def _plain(self, figures: Figures) -> dict[str, Any]:
        found = dict(vars(figures))
        if self.moments:
            found = {
                key: value if key == "rows" else value / DAY if key == "deviation" else exact_moment(value)
                for key, value in found.items()
            }
        return found


def is_years(low: float, high: float) -> bool:
    """Whether whole numbers between these look like years.

    >>> is_years(1950, 2020), is_years(0, 2020)
    (True, False)
    """
    return low >= 1800 and high <= 2100


def shown(kind: str, value: float | None, deviation: float = 0.0) -> str:
    """A value of a column of this type; of a column of this deviation, with digits enough to see a tenth of it.

    >>> shown("integer", 1362.2), shown("date", 0.0), shown("year", 1994.0), shown("number", 0.61)
    ('1,362', '1970-01-01', '1994', '0.61')
    >>> shown("number", 44.97512, deviation=0.04), shown("number", 44.97512, deviation=9)
    ('44.975', '45')
    """
    if value is None or not isfinite(value):
        return "–"
    if kind in ("date", "datetime"):
        moment = exact_moment(value)
        return "–" if moment is None else moment[:10] if kind == "date" else moment[:16].replace("T", " ")
    return f"{value:.0f}" if kind == "year" else number_text(value, deviation)


def in_unit(text: str, unit: str) -> str:
    """A number with what it is in.

    >>> in_unit("7.2", "hours"), in_unit("7.2", ""), in_unit("–", "hours")
    ('7.2 hours', '7.2', '–')
    """
    return f"{text} {unit}" if unit and text != "–" else text


def number_text(value: float, deviation: float = 0.0) -> str:
    """A number of a few digits, whole ones in full.

    >>> number_text(40.0), number_text(1362.4), number_text(0.6), number_text(44.9751, deviation=0.04)
    ('40', '1,362', '0.6', '44.975')
    """
    if value == round(value) and abs(value) < 1e15:
        return f"{value:,.0f}"
    return plain(value, deviation / _TELLING if isfinite(deviation) else 0.0)


def exact_moment(microseconds: float) -> str | None:
    """A moment as ISO writes it; None where no calendar has it.

    >>> exact_moment(0.0), exact_moment(float("nan"))
    ('1970-01-01T00:00:00', None)
    """
    if not isfinite(microseconds):
        return None
    try:
        return (_START + timedelta(microseconds=microseconds)).replace(tzinfo=None).isoformat()
    except OverflowError:
        return None
