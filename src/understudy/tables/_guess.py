"""From what was seen of a column to a drafted field and the comments that say what was guessed."""

from __future__ import annotations

import math
import re
from calendar import monthrange
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from understudy.schema import Form, Schema, format_number
from understudy.tables._texts import as_texts

if TYPE_CHECKING:
    from understudy.tables._draft import Column

_FEW_INTEGERS = 20
_FEW_NUMBERS = 10
_ENOUGH_ROWS = 20
_HEAP = 0.3
DISTINCT_LIMIT = 10_000
_SHORT_YEAR = re.compile(r"[0-9]{1,2}([./-])[0-9]{1,2}\1[0-9]{2}([ T].*)?")
_OFFSET = re.compile(r":[0-9.]+ ?(Z|[+-][0-9]{2}:?[0-9]{2})$")
_ANY = {"fields": [{"name": "any", "categories": ["any"]}]}
MISSING_WORDS = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "?", "-", ".")


def describe(column: Column) -> tuple[dict[str, Any], list[str]]:
    """The drafted field and its comments."""
    raw: dict[str, Any] = {"name": column.name}
    notes: list[str] = []
    types = list(column.types or [])
    if column.rows == column.empty:
        notes.append("Every cell is missing: remove the column, or say what it may hold.")
        return raw | {"type": types[0][0] if len(types) == 1 else "string", "origin": "draft"}, notes
    # Without a range there was no value to see: only infinities, or words for missing.
    types = [key for key in types if key[0] == "string" or key in column.ranges]
    kind, pattern = types[0] if types else ("string", None)
    raw["type"] = kind
    if pattern:
        raw["format"] = pattern
    words = [w for w in MISSING_WORDS if w and w in column.values] if kind != "string" else []
    if kind == "boolean":
        notes += _boolean(column, raw)
    elif kind == "string":
        notes += _string(column, raw)
        notes += _why_text(column)
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
    present = column.rows - column.empty
    if column.rows >= _ENOUGH_ROWS and kind in ("string", "integer"):
        if column.all_distinct:
            notes.insert(
                0, "Every value differs: this looks like an identifier. Drop it: remove the column from the table."
            )
        elif 2 * column.distinct > present:
            notes.insert(
                0, "More than half of the values differ: nearly an identifier. Drop it, or coarsen it to fewer values."
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
    texts = as_texts(pa.array(list(column.values), column.kind), Schema.from_dict(_ANY)["any"])[0].to_pylist()
    categories = sorted({text for text in texts if text is not None})
    if not categories:
        return ["Its bytes are no UTF-8 text: drop the column, or convert it."]
    raw["categories"] = categories
    return ["Guessed: categories, as the table has them."]


def _why_text(column: Column) -> list[str]:
    """Why a column that looks like another type is drafted as texts."""
    if column.too_big and not column.types:
        return ["Its numbers are too large to be read as numbers without loss, so they are texts here."]
    texts = [v for v in column.values if isinstance(v, str) and v not in MISSING_WORDS]
    if texts and all(_SHORT_YEAR.fullmatch(text) for text in texts):
        return [
            "These look like dates with two-digit years, which leave the century open: texts here. Write years with "
            "four digits in the table, then draft again."
        ]
    return []


def _number(column: Column, raw: dict[str, Any], words: list[str]) -> list[str]:
    kind = raw["type"]
    form = Form(type=kind)
    low, high = column.ranges[kind, None]
    few = _FEW_INTEGERS if kind == "integer" else _FEW_NUMBERS
    if not column.overflow and len(column.values) - len(words) <= few and all(map(math.isfinite, (low, high))):
        texts = [v for v in column.values if v not in words]
        raw["categories"] = sorted({form.parse(v) for v in texts if math.isfinite(float(v))})
        raw["categoriesOrdered"] = True
        if kind == "number" and column.same_decimals and column.decimals and pa.types.is_string(column.kind):
            raw["decimals"] = column.decimals
        return ["Guessed: type and categories, as the table has them."]
    if kind == "integer" and "year" in column.name.lower() and low >= 1800 and high <= 2200:
        raw["type"] = "year"
    width = 10.0 ** math.floor(math.log10(max(high - low, 1e-12)) - 1)
    whole = kind == "integer"
    if whole:  # in whole numbers throughout: floats cannot tell large ones apart
        step = max(round(width), 1)
        ends = max(int(low) // step * step, -(2**63)), min(-(-int(high) // step) * step, 2**63 - 1)
        raw["constraints"] = {"minimum": ends[0], "maximum": ends[1]}
        raw["bins"] = min(16, ends[1] - ends[0] + 1)
    else:
        digits = max(0, -math.floor(math.log10(width)))
        bottom, top = math.floor(low / width) * width, math.ceil(high / width) * width
        raw["constraints"] = {"minimum": round(bottom, digits), "maximum": round(top, digits)}
        raw["bins"] = 16
        raw["decimals"] = max(column.decimals, digits)
    notes = ["Guessed: type, range (the table's own ends, rounded outwards) and bins."]
    return [*notes, *_heaped(column, raw, low)]


def _heaped(column: Column, raw: dict[str, Any], low: float) -> list[str]:
    """Advice on a value that very many rows share, such as the 0 of an amount that most people do not have."""
    present = column.rows - column.empty
    if column.heap is None or column.rows < _ENOUGH_ROWS or column.heap_rows < _HEAP * present:
        return []
    if column.heap.as_py() in MISSING_WORDS:
        return []
    value = float(column.heap.as_py())
    share, shown = f"{column.heap_rows / present:.0%} of the values are", format_number(value)
    if value > low:
        return [
            f"{share} {shown}: give it a bin of its own with bins: {{edges: […]}}, or its neighbours will share it."
        ]
    above = format_number(round(value + 10.0 ** -raw.get("decimals", 0), 6))
    return [
        f"{share} {shown}, and would be spread over the lowest bin. Set minimum: {above} and special: [{shown}], so "
        "that it has a code of its own."
    ]


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
        first, last = first.replace(day=1), last.replace(day=monthrange(last.year, last.month)[1])
    fine = key in column.inexact or "%f" in (pattern or "")  # there may be fractions of a second
    clock = ("T23:59:59.999999" if fine else "T23:59:59") if kind == "datetime" else ""
    raw["constraints"] = {
        "minimum": first.isoformat() + ("T00:00:00" if clock else ""),
        "maximum": last.isoformat() + clock,
    }
    raw["bins"] = 16
    if column.zone and kind == "datetime":
        raw["timezone"] = column.zone
    notes = ["Guessed: type, format, range (the table's own ends, rounded outwards) and bins."]
    if key in column.inexact:
        shape = pattern or ("%Y-%m-%d" if kind == "date" else "%Y-%m-%dT%H:%M:%S")
        notes.append(f"Some cells are written in another way; synthetic ones will all be written {shape}.")
        if any(isinstance(v, str) and _OFFSET.search(v) for v in column.values):
            notes.append("Some cells have a time zone: they are converted to UTC, or to a timezone that you declare.")
    if pattern and pattern.startswith("%d/%m") and any(p and p.startswith("%m/%d") for _, p in column.types or []):
        notes.append("Day and month could be the other way round (%m/%d/%Y): the table fits both.")
    return notes
