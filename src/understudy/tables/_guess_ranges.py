"""Drafted domains of numbers and moments: a range with bins to be found, or categories where there are few values."""

from __future__ import annotations

import math
import re
from calendar import monthrange
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from understudy.schema import bins_over, format_number
from understudy.tables._candidates import Candidate, probe
from understudy.tables._identifiers import words_of
from understudy.tables._parse import parse
from understudy.tables._ranges import generous, known_range, tails
from understudy.tables._seen import Column, Ends
from understudy.tables._sentinels import days_apart, numbers_apart

_FEW_INTEGERS = 20
_FEW_NUMBERS = 10
_BIGGEST = Fraction(10**15)
_BIGGEST_WHOLE = Fraction(10**18)
_OFFSET = re.compile(r":[0-9.]+ ?(Z|[+-][0-9]{2}:?[0-9]{2})$")
_FAR = 7
"""Sentinels from here on are such even where there are few values: -1 beside 0 and 1 need not be one."""
RANGE = "range. Its ends were read off rows and rounded outwards: replace them by what is possible."
HEAVY = "range. A few values lie far beyond the rest, so it is generous. Replace it by what is possible."
CLOCK = (
    "hour of day and weekday are not kept: moments come out evenly inside stretches of hours or days. Where they "
    "matter, give the table columns of their own for them."
)
_SOME_DAYS = 4
NAMED = "range, as the column's name has it. Correct it if the name misleads."


def guess_numbers(column: Column, candidate: Candidate, raw: dict[str, Any]) -> list[str]:
    """Fill in the domain of a column of numbers; the remarks on it."""
    ends = column.ends[candidate]
    special = numbers_apart(ends)
    low, high = _without(ends, special)
    named = known_range(words_of(column.name), low, high)
    few = _few(column, candidate, ends)
    by_name = named is not None and candidate.kind == "integer" and few == list(range(int(low), int(high) + 1))
    if few and not by_name and (candidate.kind == "number" or not any(abs(value) >= _FAR for value in special)):
        return _as_categories(column, candidate, raw, few)
    if candidate.kind == "integer" and "year" in column.name.lower() and low >= 1800 and high <= 2200:
        raw["type"] = "year"
    sample = _sample(column, candidate)
    below, above = (side and raw["type"] != "year" for side in tails(sample[(sample >= low) & (sample <= high)]))
    limits = named or generous(Fraction(low), Fraction(high), heavy_below=below, heavy_above=above)
    digits = 0 if candidate.kind == "integer" else _digits(column, limits)
    bottom, top = _beside(_bounded(limits, candidate.kind), special, Fraction(1, 10**digits))
    raw["constraints"] = {"minimum": _written(bottom, digits), "maximum": _written(top, digits)}
    raw["bins"] = bins_over(raw["type"], bottom, top)
    if candidate.kind == "number":
        raw["decimals"] = digits
    if special:
        raw["special"] = [_written(Fraction(value), 6) for value in special]
    notes = [NAMED if named else HEAVY if below or above else RANGE]
    if candidate.group:
        notes.append(f"'{candidate.group}' parts thousands; synthetic numbers are written without it.")
    return (
        notes + _on_digits(column, candidate, digits) + _on_special([format_number(float(value)) for value in special])
    )


def _as_categories(column: Column, candidate: Candidate, raw: dict[str, Any], values: list[Any]) -> list[str]:
    raw |= {"categories": values, "categoriesOrdered": True}
    if candidate.kind == "number" and len(column.digits) == 1 and column.decimals and pa.types.is_string(column.kind):
        raw["decimals"] = column.decimals
    return ["type and categories, as rows have them. Add those that are possible."]


def guess_moments(column: Column, candidate: Candidate, raw: dict[str, Any]) -> list[str]:
    """Fill in the domain of a column of dates or datetimes; the remarks on it."""
    datetimes = candidate.kind == "datetime"
    ends = column.ends[candidate]
    special = days_apart(ends, datetimes=datetimes)
    low, high = _without(ends, special)
    unit = 24 * 3600 * 10**6 if datetimes else 1
    first, last = _whole_periods(_day(low // unit), _day(high // unit))
    fine = candidate in column.inexact or "%f" in (candidate.format or "")  # there may be fractions of a second
    clock = ("T23:59:59.999999" if fine else "T23:59:59") if datetimes else ""
    raw["constraints"] = {
        "minimum": first.isoformat() + ("T00:00:00" if clock else ""),
        "maximum": last.isoformat() + clock,
    }
    raw["bins"] = "auto"
    if column.zone and datetimes:
        raw["timezone"] = column.zone
    elif (candidate.format or "").endswith("Z"):  # as ISO writes UTC
        raw["timezone"] = "UTC"
    texts = [_moment_text(value, datetimes) for value in special]
    if texts:
        raw["special"] = texts
    long = [CLOCK] if datetimes and high - low > _SOME_DAYS * unit else []
    return [RANGE, *_on_special(texts), *_on_format(column, candidate), *long]


def _few(column: Column, candidate: Candidate, ends: Ends) -> list[int | float] | None:
    """The values, where they are few; the whole numbers between them too, where most of these were seen."""
    whole = candidate.kind == "integer"
    low, high = ends.low, ends.high
    if column.overflow or column.distinct > (_FEW_INTEGERS if whole else _FEW_NUMBERS):
        return None
    seen = sorted({_number(v, candidate) for v in column.values if math.isfinite(_number(v, candidate))})
    if whole and high - low + 1 <= min(2 * len(seen), 2 * _FEW_INTEGERS):
        return list(range(int(low), int(high) + 1))
    return seen


def _number(value: Any, candidate: Candidate) -> int | float:
    if isinstance(value, str):
        text = value.strip().replace(candidate.group, "") if candidate.group else value.strip()
        value = (
            Fraction(text.replace(candidate.decimal, "."))
            if candidate.kind == "integer"
            else text.replace(candidate.decimal, ".")
        )
    return int(value) if candidate.kind == "integer" else float(value)


def _without(ends: Ends, special: tuple[Any, ...]) -> tuple[Any, Any]:
    low = next(value for value, _ in ends.lowest if value not in special)
    return low, next(value for value, _ in ends.highest if value not in special)


def _sample(column: Column, candidate: Candidate) -> npt.NDArray[np.float64]:
    """Values of the first rows."""
    parts = []
    like = probe(candidate, column.zone)
    for array in column.sample:
        parsed = parse(array, like)
        values = parsed.values[~(parsed.missing | parsed.wrong)].astype(np.float64)
        parts.append(values[np.isfinite(values)])
    return np.concatenate(parts) if parts else np.zeros(0)


def _digits(column: Column, limits: tuple[Fraction, Fraction]) -> int:
    """Digits after the point: those seen, enough for the range, and no more than numbers of its size can have."""
    span = float(limits[1] - limits[0]) or 1.0
    needed = max(0, 2 - math.floor(math.log10(span)))
    most = 14 - math.floor(math.log10(max(abs(float(end)) for end in limits) or 1.0))
    return max(0, min(max(column.decimals, needed if not column.digits or span < 1 else 0), most, 15))


def _on_digits(column: Column, candidate: Candidate, digits: int) -> list[str]:
    """What to say of cells that have more digits after the point than are guessed; zeros are no more, as in 129.0."""
    if candidate.kind == "integer" or not column.digits or max(column.digits) <= digits:
        return []
    if digits == 0:
        return ["decimals: nearly all cells are whole numbers. A few are not, and are read as the nearest one."]
    return ["decimals: as many as nearly all cells have. A few have more, and are read as the nearest number."]


def on_thousands(column: Column, raw: dict[str, Any], *, commas: bool) -> list[str]:
    """What to say of numbers whose point may part thousands; `commas` if another column has decimal commas.

    >>> column = Column(name="amount", kind=pa.string(), values=dict.fromkeys(["3.456", "12.100"]), digits={3: 2})
    >>> on_thousands(column, {"type": "number"}, commas=False)[0][:58]
    'all cells have three digits after the point: if it parts t'
    """
    if raw.get("type") != "number" or raw.get("decimalChar", ".") != "." or raw.get("groupChar"):
        return []
    if not pa.types.is_string(column.kind) or 3 not in column.digits or not set(column.digits) <= {0, 3}:
        return []
    if not commas and (
        len(column.digits) > 1 or any(str(text).lstrip(" +-").startswith("0") for text in column.values)
    ):
        return []  # thousands are not written 0.456
    seen = "all cells have" if len(column.digits) == 1 else "all cells with a point have"
    why = ", and another column has decimal commas" if commas else ""
    return [
        f"{seen} three digits after the point{why}: if it parts thousands (1.234 for 1234), write type: integer and "
        "groupChar: '.', without decimals, and a range of such numbers."
    ]


def _bounded(limits: tuple[Fraction, Fraction], kind: str) -> tuple[Fraction, Fraction]:
    most = _BIGGEST_WHOLE if kind == "integer" else _BIGGEST
    return max(limits[0], -most), min(limits[1], most)


def _beside(limits: tuple[Fraction, Fraction], special: tuple[Any, ...], step: Fraction) -> tuple[Fraction, Fraction]:
    """The range without the special values: rounding may have reached them."""
    low, high = limits
    middle = (low + high) / 2
    for value in map(Fraction, special):
        if value <= middle:
            low = max(low, value + step) if low <= value else low
        elif high >= value:
            high = value - step
    return low, high


def _written(value: Fraction, digits: int) -> int | float:
    return int(value) if value.denominator == 1 else round(float(value), max(digits, 1))


def _on_special(texts: list[str]) -> list[str]:
    if not texts:
        return []
    one = len(texts) == 1
    shown, stand, them = " and ".join(texts), "stands" if one else "stand", "it" if one else "them"
    return [
        f"{shown} {stand} apart from the other values, so {'it is' if one else 'they are'} special. Give {them} a "
        f"label, or drop {them} and widen the range."
    ]


def _whole_periods(first: date, last: date) -> tuple[date, date]:
    """Whole decades where there are many years, whole years where there are several, else whole months."""
    if last.year - first.year >= 20:
        return date(max(1000, first.year // 10 * 10), 1, 1), date(min(9999, last.year // 10 * 10 + 9), 12, 31)
    if last.year - first.year >= 2:
        return date(first.year, 1, 1), date(last.year, 12, 31)
    return first.replace(day=1), last.replace(day=monthrange(last.year, last.month)[1])


def _day(days: int) -> date:
    return date(1970, 1, 1) + timedelta(days=int(days))


def _moment_text(value: int, datetimes: bool) -> str:
    if not datetimes:
        return _day(value).isoformat()
    return (datetime(1970, 1, 1) + timedelta(microseconds=int(value))).isoformat()


def _on_format(column: Column, candidate: Candidate) -> list[str]:
    notes = []
    if candidate in column.inexact:
        shape = candidate.format or ("%Y-%m-%d" if candidate.kind == "date" else "%Y-%m-%dT%H:%M:%S")
        notes.append(f"some cells are written in another way; synthetic ones will all be written {shape}.")
        if any(isinstance(v, str) and _zoned(v) for v in column.values):
            notes.append("some cells have a time zone: they are converted to UTC, or to a timezone that you declare.")
    swapped = {"%d/%m": "%m/%d", "%d-%m": "%m-%d"}.get((candidate.format or "")[:5])
    if swapped and any((one.format or "").startswith(swapped) for one in column.types or []):
        notes.append(f"day and month could be the other way round ({swapped}): the table fits both.")
    return notes


def _zoned(text: str) -> bool:
    return _OFFSET.search(text) is not None
