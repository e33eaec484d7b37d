"""Dates and times of a column. Every cell is read on its own: no step asks about the others."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from understudy.schema import Field
from understudy.tables._numbers import Mask, bools, ints
from understudy.tables._zones import clock_at

Int64s: TypeAlias = npt.NDArray[np.int64]

_DAY = 24 * 3600 * 10**6
_WIDTHS = {"Y": 4, "m": 2, "d": 2, "H": 2, "M": 2, "S": 2}
_ISO_DATES = ("%Y-%m-%d",)
_ISO_TIMES = tuple(
    f"%Y-%m-%d{mark}%H:%M:%S{fraction}" for mark in "T " for fraction in ("", ".%3", ".%6")
)  # %3 and %6 are ours: so many digits of a second
_UNITS = {"s": (10**6, 1), "ms": (10**3, 1), "us": (1, 1), "ns": (1, 10**3)}


class _Piece(NamedTuple):
    letter: str
    start: int
    width: int
    text: bytes = b""


def is_moment(kind: pa.DataType) -> bool:
    """Whether a column of this type holds dates or dates with times.

    >>> is_moment(pa.date32()), is_moment(pa.time32("s"))
    (True, False)
    """
    return bool(pa.types.is_date(kind) or pa.types.is_timestamp(kind))


def moments_of_texts(texts: pa.Array, field: Field) -> tuple[Int64s, Mask]:
    """Days or microseconds since 1970, and which texts are no moments. Nulls come back as 0.

    A text that has the usual width of the field's format and is a date is read with others of its kind; the rest, such
    as dates that do not exist, one by one.

    >>> from understudy.schema import Schema
    >>> day = Schema.from_dict({"fields": [{"name": "d", "type": "date", "format": "%d/%m/%Y",
    ...     "constraints": {"minimum": "1970-01-01", "maximum": "1999-12-31"}}]})["d"]
    >>> values, wrong = moments_of_texts(pa.array(["02/01/1970", "3/1/1970", "31/02/1970"]), day)
    >>> values.tolist(), wrong.tolist()
    ([1, 2, 0], [False, False, True])
    """
    values, wrong = np.zeros(len(texts), dtype=np.int64), np.zeros(len(texts), dtype=bool)
    left = bools(pc.is_valid(texts))
    for pieces in _layouts(field.type, field.form.format):
        _read_fixed(texts, pieces, field.type == "date", values, left)
    rest = np.flatnonzero(left)
    for row, text in zip(rest.tolist(), texts.take(pa.array(rest)).to_pylist(), strict=True):
        try:
            values[row] = field.form.parse(text)
        except (ValueError, OverflowError):
            wrong[row] = True
    return values, wrong


def days_of_column(column: pa.Array) -> tuple[Int64s, Mask]:
    """Days since 1970 of a column of moments, and which have a time of day. Nulls come back as 0.

    >>> days_of_column(pa.array([86_400, 86_401], pa.timestamp("s")))[1].tolist()
    [False, True]
    """
    if pa.types.is_date32(column.type):
        return ints(column.cast(pa.int32())).astype(np.int64), np.zeros(len(column), dtype=bool)
    if has_zone(column.type):  # the day where it was recorded, not the day in Greenwich
        clock = clock_of_column(column, column.type.tz)
        finer = column.type.unit == "ns" and ints(column.cast(pa.int64())) % 1000 != 0
        return clock // _DAY, (clock % _DAY != 0) | finer
    times, a_day = 10**3, 24 * 3600 * 10**3  # date64 counts milliseconds
    if pa.types.is_timestamp(column.type):
        times, parts = _UNITS[column.type.unit]
        a_day = _DAY // times * parts
    raw = ints(column.cast(pa.int64()))
    return raw // a_day, raw % a_day != 0


def micros_of_column(column: pa.Array) -> Int64s:
    """Microseconds since 1970 of a column of moments; what is beyond 64 bits stands at their ends.

    >>> micros_of_column(pa.array([1, None], pa.timestamp("ms"))).tolist()
    [1000, 0]
    """
    if pa.types.is_date32(column.type):
        raw, times, parts = ints(column.cast(pa.int32())).astype(np.int64), _DAY, 1
    else:
        times, parts = _UNITS["ms" if pa.types.is_date64(column.type) else column.type.unit]
        raw = ints(column.cast(pa.int64()))
    most = (2**63 - 1) // times
    return np.clip(raw, -most, most) * times // parts


def has_zone(kind: pa.DataType) -> bool:
    """Whether a column of this type holds moments with a time zone.

    >>> has_zone(pa.timestamp("s", "UTC")), has_zone(pa.timestamp("s"))
    (True, False)
    """
    return bool(pa.types.is_timestamp(kind) and kind.tz is not None)


def clock_of_column(column: pa.Array, timezone: str) -> Int64s:
    """Microseconds since 1970 on the clock of a time zone, of a column of moments that have one.

    >>> clock_of_column(pa.array([0], pa.timestamp("s", "UTC")), "Europe/Paris").tolist()
    [3600000000]
    """
    return clock_at(micros_of_column(column), timezone)


@lru_cache(maxsize=256)
def _layouts(kind: str, pattern: str | None) -> tuple[tuple[_Piece, ...], ...]:
    """The fixed-width shapes in which a format is mostly written; none for a format with names of months and such."""
    if pattern is None:
        return tuple(_pieces(iso) for iso in (_ISO_DATES if kind == "date" else _ISO_TIMES + _ISO_DATES))
    letters = re.findall(r"%(.)", pattern)
    quick = set(letters) <= set(_WIDTHS) and len(set(letters)) == len(letters) and {"Y", "m", "d"} <= set(letters)
    return (_pieces(pattern),) if quick else ()


def _pieces(pattern: str) -> tuple[_Piece, ...]:
    pieces, start = [], 0
    for letter, text in re.findall(r"%(.)|([^%]+)", pattern):
        written = text.encode()
        width = len(written) or _WIDTHS.get(letter) or int(letter)
        pieces.append(_Piece(letter=letter, start=start, width=width, text=written))
        start += width
    return tuple(pieces)


def _read_fixed(texts: pa.Array, pieces: tuple[_Piece, ...], daily: bool, values: Int64s, left: Mask) -> None:
    """Reads the cells still left that have this shape and are moments: fills `values`, and clears them in `left`."""
    if not left.any():
        return
    _, where, data = texts.buffers()
    if data is None:  # every text is empty
        return
    width = pieces[-1].start + pieces[-1].width
    starts = np.frombuffer(where, dtype=np.int32)[texts.offset : texts.offset + len(texts) + 1]
    rows = np.flatnonzero(left & (np.diff(starts) == width))
    if not len(rows):
        return
    # One row for each character, so that the loops below run over neighbours in memory.
    cells = np.frombuffer(data, dtype=np.uint8)[starts[rows] + np.arange(width)[:, None]]
    found: dict[str, Any] = {}
    right = np.ones(len(rows), dtype=bool)
    for letter, start, size, text in pieces:
        number = np.zeros(len(rows), dtype=np.int64)
        for place in range(start, start + size):
            if text:
                right &= cells[place] == text[place - start]
                continue
            digit = cells[place] - np.uint8(ord("0"))  # wraps round, so that what is no digit is above 9
            right &= digit <= 9
            number = number * 10 + digit
        found[letter] = number
    days, exists = _days(found["Y"], found["m"], found["d"])
    clock, shown = _clock(found)
    right &= exists & shown & ((clock == 0) | (not daily))
    values[rows[right]] = (days if daily else days * _DAY + clock)[right]
    left[rows[right]] = False


def _days(year: Int64s, month: Int64s, day: Int64s) -> tuple[Int64s, Mask]:
    """Days since 1970, and which of the dates exist."""
    months = (year - 1970) * 12 + month - 1
    first, following = (
        m.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64) for m in (months, months + 1)
    )
    exists = (year >= 1) & (month >= 1) & (month <= 12) & (day >= 1) & (day <= following - first)
    return first + day - 1, exists


def _clock(found: dict[str, Any]) -> tuple[Any, Any]:
    """Microseconds since midnight, and which of the times exist."""
    hour, minute, second = (found.get(letter, 0) for letter in "HMS")
    fraction = found.get("3", 0) * 1000 + found.get("6", 0)
    exists = (hour < 24) & (minute < 60) & (second < 60)
    return ((hour * 60 + minute) * 60 + second) * 10**6 + fraction, exists
