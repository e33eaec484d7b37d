"""Values of a field in one inner form, whatever they were written as.

| type | inner form |
|---|---|
| string | text |
| integer, year | whole number |
| number | float |
| boolean | 0 or 1 |
| date | days since 1970-01-01 |
| datetime | microseconds since 1970-01-01T00:00:00 on the clock of the field's time zone (UTC where it has none) |
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any, Literal, TypeAlias, get_args
from zoneinfo import ZoneInfo

from understudy.schema._limits import MAX_DIGITS, shown
from understudy.schema._written import written_text

FieldType: TypeAlias = Literal["string", "integer", "number", "boolean", "date", "datetime", "year"]
Value: TypeAlias = str | int | float
FIELD_TYPES: tuple[str, ...] = get_args(FieldType)
RANGE_TYPES = frozenset({"integer", "number", "date", "datetime", "year"})

_DAY0 = date(1970, 1, 1)
_TIME0 = datetime(1970, 1, 1)
_MICRO = timedelta(microseconds=1)
_STEPS = (
    ("f", 1),
    ("S", 10**6),
    ("T", 10**6),
    ("M", 60 * 10**6),
    ("R", 60 * 10**6),
    ("H", 3600 * 10**6),
    ("I", 3600 * 10**6),
)
_INT64 = range(-(2**63), 2**63)


class NoSuchDayError(ValueError):
    """A date of the right form, such as 2023-02-30."""


@dataclass(frozen=True, kw_only=True)
class Form:
    """How values of one field are written: its type, and its format, marks and true/false texts.

    >>> Form(type="date", format="%d/%m/%Y").parse("31/12/1970")
    364
    >>> Form(type="date", format="%d/%m/%Y").text(364)
    '31/12/1970'
    """

    type: FieldType
    format: str | None = None
    decimal_char: str = "."
    group_char: str = ""
    true_values: tuple[str, ...] = ("true", "True", "TRUE", "1")
    false_values: tuple[str, ...] = ("false", "False", "FALSE", "0")
    timezone: str | None = None

    @property
    def step(self) -> int:
        """Grid on which values are drawn: 1, but for a datetime the smallest unit its format shows (seconds in ISO)."""
        if self.type != "datetime":
            return 1
        if self.format is None:
            return 10**6
        shown = set(directives(self.format))
        return next((step for letter, step in _STEPS if letter in shown), 24 * 3600 * 10**6)

    @property
    def grouped(self) -> str:
        """A pattern of numbers whose marks for thousands stand where they belong: before each three digits."""
        mark, point = re.escape(self.group_char), re.escape(self.decimal_char)
        return rf"^\s*[+-]?[0-9]{{1,3}}({mark}[0-9]{{3}})+({point}[0-9]*)?([eE][+-]?[0-9]+)?\s*$"

    def parse(self, written: Any) -> Value:
        """The inner form of one value. Raises ValueError with what was expected."""
        if isinstance(written, Mapping | list | tuple | set | frozenset):
            raise ValueError(f"{shown(written)} is not a single value")
        if self.type == "string":
            return written_text(written)
        if self.type == "boolean":
            return self._boolean(written)
        if self.type in ("date", "datetime"):
            return self._moment(written)
        return self._number(written)

    def text(self, value: Value) -> str:
        """An inner value as the text a table holds."""
        if self.type == "boolean":
            return self.true_values[0] if value else self.false_values[0]
        if self.type == "date":
            day = _DAY0 + timedelta(days=int(value))
            return day.strftime(self.format) if self.format else day.isoformat()
        if self.type == "datetime":
            moment = _TIME0 + int(value) * _MICRO
            return moment.strftime(self.format) if self.format else moment.isoformat()
        if self.type == "number":
            return format_number(float(value)).replace(".", self.decimal_char)
        return str(value)

    def _boolean(self, written: Any) -> int:
        if written is True or written is False:
            return int(written)
        text = written_text(written)
        if text in self.true_values:
            return 1
        if text in self.false_values:
            return 0
        raise ValueError(f"{shown(written)} is neither one of trueValues nor of falseValues")

    def _number(self, written: Any) -> int | float:
        exact = self.exact(written)
        if self.type == "number":
            return float(exact)
        if exact.denominator != 1:
            raise ValueError(f"{shown(written)} is not a whole number")
        if int(exact) not in _INT64:
            raise ValueError(f"{shown(written)} does not fit 64 bits: from -2^63 to 2^63 - 1. Use larger units")
        return int(exact)

    def exact(self, written: Any) -> Fraction:
        """A number, or the inner form of a date, with nothing rounded."""
        if self.type in ("date", "datetime"):
            return Fraction(self._moment(written))
        text = written_text(written).strip()
        if isinstance(written, bool):
            raise ValueError(f"{shown(text)} is not a number")
        if len(text) > 2 * MAX_DIGITS:
            raise ValueError(f"{shown(text)} has more than {2 * MAX_DIGITS} characters, too many for a number")
        if isinstance(written, str):
            if self.group_char and self.group_char in text:
                if not re.search(self.grouped, text):
                    raise ValueError(
                        f"{shown(text)} is not a number: '{self.group_char}' may part groups of three digits"
                    )
                text = text.replace(self.group_char, "")
            text = text.replace(self.decimal_char, ".")
        try:
            number = Decimal(text)
        except InvalidOperation:
            raise ValueError(f"{shown(text)} is not a number") from None
        if not number.is_finite() or not math.isfinite(float(number)) or number.adjusted() < -400:
            raise ValueError(f"{shown(text)} is not a finite number")
        return Fraction(number) if number else Fraction(0)  # 0e999999999 would be written out

    def _moment(self, written: Any) -> int:
        moment = self._datetime(written)
        if moment.tzinfo is not None:
            try:
                moment = moment.astimezone(ZoneInfo(self.timezone) if self.timezone else UTC).replace(tzinfo=None)
            except OverflowError:
                raise ValueError(f"'{moment.isoformat()}' lies beyond the years 1 to 9999") from None
        if self.type == "date":
            if moment.time() != datetime.min.time():
                raise ValueError(f"'{moment.isoformat()}' has a time of day: a date was expected")
            return (moment.date() - _DAY0).days
        return (moment - _TIME0) // _MICRO

    def _datetime(self, written: Any) -> datetime:
        if isinstance(written, datetime):
            return written
        if isinstance(written, date):
            return datetime(written.year, written.month, written.day)
        text = written_text(written).strip()
        if self.format:
            try:
                return datetime.strptime(text, self.format)
            except (ValueError, re.error):
                pass  # limits in a schema may be written in ISO form whatever the column's format is
        try:
            return datetime.fromisoformat(text)
        except ValueError:
            shape = self.format or ("YYYY-MM-DD" if self.type == "date" else "YYYY-MM-DDThh:mm:ss")
            if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
                raise NoSuchDayError(f"{shown(text)} is a day that does not exist") from None
            raise ValueError(f"{shown(text)} is not a {self.type} of the form {shape}") from None


def directives(pattern: str) -> list[str]:
    """The letters after each % of a date pattern.

    >>> directives("%d/%m/%Y 100%%")
    ['d', 'm', 'Y', '%']
    """
    return re.findall(r"%(.)", pattern)


def format_fault(form: Form) -> str | None:
    """What is wrong with a date pattern, if anything: it must carry the whole date, so that values can be read back.

    >>> format_fault(Form(type="date", format="%m/%Y"))
    "format '%m/%Y' does not hold the whole date (day, month, four-digit year), so it cannot be read back"
    """
    if form.format is None:
        return None
    probes = [datetime(1999, 11, 23), datetime(2001, 2, 3)]
    if form.type == "datetime":
        size = form.step * _MICRO
        probes = [
            p + (timedelta(hours=h, minutes=21, seconds=43, microseconds=12) // size) * size
            for p in probes
            for h in (5, 20)
        ]
    try:
        same = all(datetime.strptime(p.strftime(form.format), form.format) == p for p in probes)
    except (ValueError, re.error):  # the second of a directive that is given twice
        return f"format '{form.format}' is not a pattern such as %Y-%m-%d (letters as in Python's strptime)"
    if not same or "y" in directives(form.format):
        return (
            f"format '{form.format}' does not hold the whole date (day, month, four-digit year), "
            "so it cannot be read back"
        )
    return None


def zone_exists(name: str) -> bool:
    """Whether this is the name of a time zone, such as Europe/Paris.

    >>> zone_exists("Europe/Paris"), zone_exists("+02:00"), zone_exists("../etc")
    (True, False, False)
    """
    try:
        ZoneInfo(name)
    except (OSError, ValueError, KeyError):  # of a folder, of a path, of a name that is not there
        return False
    return True


def format_number(value: float) -> str:
    """The shortest text that reads back as this number, with no needless `.0`.

    >>> format_number(5.0), format_number(0.1), format_number(1e22)
    ('5', '0.1', '1e+22')
    """
    return str(int(value)) if value.is_integer() and abs(value) < 1e16 else repr(value)


def decimals_of(exact: Fraction) -> int:
    """Digits after the point of a decimal number (0 for one that has no finite decimal form).

    >>> decimals_of(Fraction("1.25")), decimals_of(Fraction(3))
    (2, 0)
    """
    for digits in range(16):
        if exact.denominator != 0 and (exact * 10**digits).denominator == 1:
            return digits
    return 0
