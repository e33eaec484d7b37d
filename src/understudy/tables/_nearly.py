"""Cells that cannot be read, but nearly can: what is wrong with them is told, rather than that something is."""

from __future__ import annotations

import re
from functools import lru_cache

from understudy.schema import Field

_OTHER_MARKS = re.compile(r"[+-]?([0-9]+[.,][0-9]+|[0-9]{1,3}([.,' \u00a0\u202f][0-9]{3})+([.,][0-9]+)?)")
_DIGITS = {"Y": "[0-9]{4}", "f": "[0-9]{1,6}", **dict.fromkeys("dmHMSI", "[0-9]{1,2}")}


def nearly(text: str, field: Field) -> bool:
    """Whether a text that a field cannot read is a number with other marks, or a day of its form that does not exist.

    >>> from understudy.schema import Schema
    >>> ends = {"minimum": "2023-01-01", "maximum": "2023-12-31"}
    >>> day = Schema.from_dict({"fields": [{"name": "day", "type": "date", "constraints": ends}]})["day"]
    >>> [nearly(text, day) for text in ("2023-02-30", "30.2.2023")]
    [True, False]
    """
    if field.type in ("integer", "number"):
        own = re.fullmatch(rf"[+-]?[0-9]+{re.escape(field.form.decimal_char)}[0-9]+", text.strip())
        return own is None and _OTHER_MARKS.fullmatch(text.strip()) is not None
    if field.type in ("date", "datetime"):
        return _shape(field.type, field.form.format).fullmatch(text.strip()) is not None
    return False


def on_nearly(field: Field, near: int, count: int) -> str:
    """What to say of so many cells that nearly can be read, beside advice on the others; empty if there are none."""
    if not near:
        return ""
    one = count == 1
    them = "It" if one else "They" if near == count else f"{near:,} of them"
    single = one or (near == 1 and near < count)
    if field.type in ("date", "datetime"):
        has = "has" if single else "have"
        return f" {them} {has} this form, but there is no such {_moment(field)}: correct the cells."
    return (
        f" {them} {'looks like a number' if single else 'look like numbers'} with other marks: say which part decimals "
        "(of type number) and thousands, such as decimalChar: ',' and groupChar: '.'."
    )


def _moment(field: Field) -> str:
    return "day" if field.type == "date" else "day or time"


@lru_cache
def _shape(kind: str, pattern: str | None) -> re.Pattern[str]:
    """What texts of a format look like, whichever digits they have; nothing fits a format with words in it."""
    if pattern is None:
        clock = "" if kind == "date" else "([T ][0-9]{2}:[0-9]{2}(:[0-9]{2})?)?"
        return re.compile(f"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}{clock}")
    parts = re.split(r"%(.)", pattern)
    if not all(letter in _DIGITS for letter in parts[1::2]):
        return re.compile(r"(?!)")
    return re.compile("".join(_DIGITS[part] if i % 2 else re.escape(part) for i, part in enumerate(parts)))
