"""How good each single column is, in a word, and what is off about it. Private to the holder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, sqrt

from understudy.charts import percent
from understudy.evaluation._measure import TABLES_GROUP
from understudy.evaluation._numbers import LIMITS, NumberColumn, Spike
from understudy.evaluation._rating import CLOSE, FAIR, FAR, Tone, graded, worst_of
from understudy.evaluation._result import MeasureResult
from understudy.evaluation._verdict import BY_CHANCE, HANDFUL, MARGIN, points

# Not the quantiles: of a column with few values they jump though next to nothing has changed.
# The mean is told first: it is what is quoted most.
_RATED = ("mean", "KS", "Wasserstein", "deviation", "spikes")
_MEAN_PARTS = (0.1, 0.3)
"""Errors of a mean as a part of it, where chance has not made them: in a column whose deviation is many times its mean,
a tenth of a deviation is a large part."""
_SHARE_PARTS = (0.02, 0.06)
"""Errors of all shares, and of a single one, beyond chance."""
_STANDARD_ERRORS = 3
"""An error of a mean up to so many standard errors can be chance."""
_WORST_FIRST = {FAR: 0, FAIR: 1, CLOSE: 2}


@dataclass(frozen=True)
class ColumnRating:
    """How good one column is by itself, and all that is off about it.

    >>> ColumnRating("age", CLOSE).why
    ''
    """

    name: str
    tone: Tone
    why: str = ""
    is_number: bool = False
    off: float = 0.0
    """How far its distribution is off, by which columns of one word are put in order."""

    @property
    def place(self) -> tuple[int, float]:
        """What columns are sorted by, worst first, wherever they are named, drawn or listed.

        >>> [one.name for one in sorted([ColumnRating("a", CLOSE), ColumnRating("b", FAR)], key=lambda one: one.place)]
        ['b', 'a']
        """
        return _WORST_FIRST[self.tone], -self.off if isfinite(self.off) else 0.0


def rate_number(column: NumberColumn) -> ColumnRating:
    """By raw values: the worst of what is off about them, beyond what chance would make of a fresh sample."""
    parts = _mean_as_part(column)
    tones = {name: _rated(name, column) for name in _RATED}
    tones["mean"] = worst_of((parts, tones["mean"]))
    why = {_why(name, column): tone for name, tone in tones.items() if tone is not CLOSE}  # two may be told alike
    worst = worst_of((CLOSE, *tones.values()))
    gone = [spike for spike in column.spikes if spike.lost]
    if gone:  # few rows, but whoever counts them finds something else
        worst = worst_of((worst, FAIR))
        why.setdefault(_share_of(max(gone, key=lambda one: one.error)), FAIR)
    return ColumnRating(column.name, worst, _listed(list(why)), is_number=True, off=column.errors["KS"].value)


def _listed(reasons: Sequence[str]) -> str:
    """All that is off, in one text."""
    return ", and ".join([", ".join(reasons[:-1]), *reasons[-1:]] if len(reasons) > 1 else reasons)


def rate_columns(results: Sequence[MeasureResult]) -> list[ColumnRating]:
    """Every column: numbers by raw values, all others, and numbers of which only bins are known, by their shares."""
    numbers = [rate_number(column) for known in results for column in known.numbers]
    done = {rating.name for rating in numbers}
    return numbers + [rating for rating in _by_shares(results) if rating.name not in done]


def _by_shares(results: Sequence[MeasureResult]) -> list[ColumnRating]:
    single = next((known for known in results if known.group == TABLES_GROUP and known.width == 1), None)
    if single is None or single.details is None:
        return []
    found = []
    for line in single.details.to_pylist():
        off, chance = line["distance"], max(line["fresh_sample"] or 0.0, line["by_chance"])
        tone = CLOSE if off <= MARGIN * chance else graded(off - chance, *_SHARE_PARTS)
        why = "" if tone is CLOSE else f"shares off by {points(off)} points"
        one = graded(line["one_share"], *_SHARE_PARTS)
        if worst_of((one, tone)) is not tone:
            tone, why = one, f"one share off by {points(line['one_share'])} points"
        found.append(ColumnRating(line["column_1"], tone, why, off=off))
    return found


def _rated(name: str, column: NumberColumn) -> Tone:
    """By one error."""
    fair, far = LIMITS[name]
    error = column.errors[name]
    if name == "deviation" and column.apart < HANDFUL:
        return _of_a_handful(column)
    # a heavy tail, of which fresh samples have more or less, excuses no deviation that is off by nearly half
    excused = min(BY_CHANCE * error.fresh_sample, 2 * fair if name == "deviation" else float("inf"))
    if not isfinite(error.value) or error.value <= excused:
        return CLOSE
    tone = graded(error.value, fair, far)
    return FAIR if name == "deviation" and tone is FAR and _by_few_rows(column, far) else tone


def _by_few_rows(column: NumberColumn, far: float) -> bool:
    """Whether a handful of rows, which another sample would hardly have, makes all of a deviation's error."""
    real, made = column.without_few
    return real > 0 and abs(made / real - 1) <= far


def _of_a_handful(column: NumberColumn) -> Tone:
    """The deviation of a column in which next to all rows have one value: by whether so many others can be chance. How
    many rows have it is told by shares and distances."""
    varies = column.real.deviation == 0 < column.synthetic.deviation
    return FAIR if varies or _standard_errors(column) > _STANDARD_ERRORS else CLOSE


def _mean_as_part(column: NumberColumn) -> Tone:
    """The error of a mean as a part of it, if it is beyond some standard errors."""
    real, made = column.real, column.synthetic
    if not _has_part(column) or _standard_errors(column) <= _STANDARD_ERRORS:
        return CLOSE
    return graded(abs(made.mean - real.mean) / abs(real.mean), *_MEAN_PARTS)


def _standard_errors(column: NumberColumn) -> float:
    """By how many standard errors of a fresh sample the mean is off; 0 where nobody can say."""
    real, made = column.real, column.synthetic
    off = abs(made.mean - real.mean)
    if not isfinite(off) or not isfinite(real.deviation):
        return 0.0
    return off / real.deviation * sqrt(made.rows) if real.deviation else float("inf") if off else 0.0


def _mean_became(column: NumberColumn) -> str:
    told = f"mean {column.text(column.real.mean)} became {column.text(column.synthetic.mean)}"
    return f"{told}, {_signed(column.synthetic.mean / column.real.mean - 1)}" if _has_part(column) else told


def _signed(part: float) -> str:
    """A change as a part of the whole, in percent."""
    return f"{'−' if part < 0 else '+'}{percent(round(abs(part), 2) or abs(part))}"


def _has_part(column: NumberColumn) -> bool:
    """Whether an error of the mean can be told as a part of it."""
    return column.ratios and column.text_type != "year" and bool(column.real.mean) and isfinite(column.real.mean)


def _why(name: str, column: NumberColumn) -> str:
    real, made = column.real, column.synthetic
    if name == "deviation":
        return f"deviation {column.length(real.deviation)} became {column.length(made.deviation)}"
    if name == "spikes":
        return _share_of(max(column.spikes, key=lambda one: one.error))
    if name == "KS" and column.difference:
        return f"median {column.text(real.median)} became {column.text(made.median)}"
    if name == "KS":
        return f"distribution off by {points(column.errors['KS'].value)} points"
    if name == "mean" or column.errors["mean"].value > column.errors["Wasserstein"].value / 2:
        return _mean_became(column)
    ends = {"p05": "5 %", "p25": "25 %", "p75": "75 %", "p95": "95 %"}
    end = max(ends, key=lambda one: abs(float(getattr(real, one)) - float(getattr(made, one))))
    return f"{ends[end]} quantile {column.text(getattr(real, end))} became {column.text(getattr(made, end))}"


def _share_of(spike: Spike) -> str:
    return f"share of {spike.value}: {percent(spike.real)} became {percent(spike.synthetic)}"
