"""From what was seen of a column to a drafted field and the comments that say what was guessed."""

from __future__ import annotations

import math
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from understudy.schema import Form

if TYPE_CHECKING:
    from understudy.tables._draft import Column

_FEW_INTEGERS = 20
_FEW_NUMBERS = 10
_ENOUGH_ROWS = 20
DISTINCT_LIMIT = 10_000
MISSING_WORDS = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "?", "-", ".")


def describe(column: Column) -> tuple[dict[str, Any], list[str]]:
    """The drafted field and its comments."""
    raw: dict[str, Any] = {"name": column.name}
    notes: list[str] = []
    types = list(column.types or [])
    if column.rows == column.empty:
        notes.append("Every cell is missing: remove the column, or say what it may hold.")
        return raw | {"type": types[0][0] if len(types) == 1 else "string", "origin": "draft"}, notes
    kind, pattern = types[0] if types else ("string", None)
    raw["type"] = kind
    if pattern:
        raw["format"] = pattern
    words = [w for w in MISSING_WORDS if w and w in column.values] if kind not in ("string", "boolean") else []
    if kind == "boolean":
        notes += _boolean(column, raw)
    elif kind == "string":
        notes += _string(column, raw)
    elif kind in ("integer", "number"):
        notes += _number(column, raw, words)
    else:
        notes += _moment(column, raw, (kind, pattern))
    if words:
        raw["missingValues"] = ["", *words]
        notes.append("missingValues was guessed: these texts stand where values do not.")
    if column.empty or words:
        raw.setdefault("constraints", {})["required"] = False
        notes.append("Cells are missing, so missing has a code of its own.")
    if column.all_distinct and column.rows >= _ENOUGH_ROWS and kind in ("string", "integer"):
        notes.insert(
            0, "Every value differs: this looks like an identifier. Drop it: remove the column from the table."
        )
    return raw | {"origin": "draft"}, notes


def _boolean(column: Column, raw: dict[str, Any]) -> list[str]:
    seen = [str(v) for v in column.values if isinstance(v, str)]
    for key, word in (("trueValues", "true"), ("falseValues", "false")):
        texts = [text for text in seen if text.lower() == word]
        if texts and texts != [word]:
            raw[key] = texts
    return ["Guessed: true or false."]


def _string(column: Column, raw: dict[str, Any]) -> list[str]:
    if column.overflow:
        return [
            f"More than {DISTINCT_LIMIT:,} different texts: drop the column, or group its values and list the groups."
        ]
    if column.all_distinct and column.rows >= _ENOUGH_ROWS:
        return ["No categories were written down."]
    raw["categories"] = sorted(str(v) for v in column.values)
    return ["Guessed: categories, as the table has them."]


def _number(column: Column, raw: dict[str, Any], words: list[str]) -> list[str]:
    kind = raw["type"]
    form = Form(type=kind)
    low, high = column.ranges[kind, None]
    few = _FEW_INTEGERS if kind == "integer" else _FEW_NUMBERS
    if not column.overflow and len(column.values) - len(words) <= few and all(map(math.isfinite, (low, high))):
        texts = [v for v in column.values if v not in words]
        raw["categories"] = sorted({form.parse(v) for v in texts if math.isfinite(float(v))})
        raw["categoriesOrdered"] = True
        return ["Guessed: type and categories, as the table has them."]
    if kind == "integer" and "year" in column.name.lower() and low >= 1800 and high <= 2200:
        raw["type"] = "year"
    step = 10.0 ** math.floor(math.log10(max(high - low, 1e-12)) - 1)
    step = max(step, 1.0) if kind == "integer" else step
    bottom, top = math.floor(low / step) * step, math.ceil(high / step) * step
    digits = max(0, -math.floor(math.log10(step)))
    whole = kind == "integer"
    raw["constraints"] = {
        "minimum": round(bottom) if whole else round(bottom, digits),
        "maximum": round(top) if whole else round(top, digits),
    }
    raw["bins"] = 16 if not whole else min(16, round(top) - round(bottom) + 1)
    if not whole:
        raw["decimals"] = max(column.decimals, digits)
    return ["Guessed: type, range (the table's own ends, rounded outwards) and bins."]


def _moment(column: Column, raw: dict[str, Any], key: tuple[str, str | None]) -> list[str]:
    kind, pattern = key
    low, high = (int(end) for end in column.ranges[key])
    day = 1 if kind == "date" else 24 * 3600 * 10**6
    first = date(1970, 1, 1) + timedelta(days=low // day)
    last = date(1970, 1, 1) + timedelta(days=high // day)
    # Whole years where there are several, else whole months: rounder ends tell less.
    if last.year - first.year >= 2:
        first, last = date(first.year, 1, 1), date(last.year, 12, 31)
    else:
        following = date(last.year + last.month // 12, last.month % 12 + 1, 1)
        first, last = first.replace(day=1), following - timedelta(days=1)
    clock = "T23:59:59" if kind == "datetime" else ""
    raw["constraints"] = {
        "minimum": first.isoformat() + ("T00:00:00" if clock else ""),
        "maximum": last.isoformat() + clock,
    }
    raw["bins"] = 16
    notes = ["Guessed: type, format, range (the table's own ends, rounded outwards) and bins."]
    if pattern and pattern.startswith("%d/%m") and any(p and p.startswith("%m/%d") for _, p in column.types or []):
        notes.append("Day and month could be the other way round (%m/%d/%Y): the table fits both.")
    return notes
