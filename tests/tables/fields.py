"""Random fields for Hypothesis: every type, with and without special, other and missing codes."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

_texts = st.text(st.characters(codec="utf-8", exclude_categories=("Cs",), exclude_characters="\x00"), max_size=6)


@st.composite
def field_dicts(draw: Any, name: str = "x") -> dict[str, Any]:
    """A field of the schema file that has a public domain."""
    kind = draw(st.sampled_from(["string", "integer", "number", "boolean", "date", "datetime", "year"]))
    field: dict[str, Any] = {"name": name, "type": kind, "constraints": {}}
    field |= draw(_DOMAINS[kind]())
    if draw(st.booleans()):
        field["constraints"] = {**field["constraints"], "required": False}
    if draw(st.booleans()):
        field["outside"] = "other"
    elif "categories" not in field and kind not in ("string", "boolean") and draw(st.booleans()):
        field["outside"] = "clip"
    return field


@st.composite
def _string(draw: Any) -> dict[str, Any]:
    return {
        "categories": draw(st.lists(_texts.filter(bool), min_size=1, max_size=8, unique=True)),
        "categoriesOrdered": draw(st.booleans()),
    }


@st.composite
def _whole(draw: Any, low: int, high: int) -> dict[str, Any]:
    if draw(st.booleans()):
        return {"categories": draw(st.lists(st.integers(low, high), min_size=1, max_size=8, unique=True))}
    start = draw(st.integers(low, high))
    width = draw(st.integers(0, 300))
    field: dict[str, Any] = {"constraints": {"minimum": start, "maximum": start + width}}
    if draw(st.booleans()):
        field["bins"] = {
            "count": draw(st.integers(1, min(20, width + 1))),
            "closed": draw(st.sampled_from(["left", "right"])),
        }
    if draw(st.booleans()):
        field["special"] = draw(
            st.lists(st.integers(1, 99).map(lambda i: start - i), min_size=1, max_size=2, unique=True)
        )
    return field


@st.composite
def _number(draw: Any) -> dict[str, Any]:
    digits = draw(st.integers(0, 4))
    start = Decimal(draw(st.integers(-(10**6), 10**6))).scaleb(-digits)
    width = Decimal(draw(st.integers(1, 10**6))).scaleb(-digits)
    field: dict[str, Any] = {"constraints": {"minimum": float(start), "maximum": float(start + width)}}
    field["bins"] = {"count": draw(st.integers(1, 20)), "closed": draw(st.sampled_from(["left", "right"]))}
    if draw(st.booleans()):
        field["special"] = [float(start) - 1.2345678]
    if draw(st.booleans()):
        field["decimalChar"] = ","
    return field


@st.composite
def _date(draw: Any) -> dict[str, Any]:
    start = draw(st.dates(date(1900, 1, 1), date(2050, 1, 1)))
    days = draw(st.integers(0, 4000))
    field: dict[str, Any] = {
        "constraints": {"minimum": start.isoformat(), "maximum": (start + timedelta(days=days)).isoformat()},
        "format": draw(st.sampled_from(["default", "%d/%m/%Y", "%Y%m%d", "%d %B %Y", '%d, "%m" %Y'])),
    }
    if draw(st.booleans()):
        field["bins"] = draw(st.integers(1, min(20, days + 1)))
    if draw(st.booleans()):
        field["special"] = ["1800-01-01"]
    return field


@st.composite
def _datetime(draw: Any) -> dict[str, Any]:
    start = draw(st.datetimes(datetime(1900, 1, 1), datetime(2050, 1, 1))).replace(microsecond=0)
    end = start + timedelta(days=draw(st.integers(30, 4000)))
    patterns = ["default", "%Y-%m-%d %H:%M", "%d/%m/%Y %H:%M:%S", "%Y-%m-%dT%H:%M:%S.%f", "%d/%m/%Y %I %p"]
    return {
        "constraints": {"minimum": start.isoformat(), "maximum": end.isoformat()},
        "format": draw(st.sampled_from(patterns)),
        "bins": {"count": draw(st.integers(1, 20)), "closed": draw(st.sampled_from(["left", "right"]))},
    }


@st.composite
def _boolean(draw: Any) -> dict[str, Any]:
    return draw(st.sampled_from([{}, {"trueValues": ["yes", "y"], "falseValues": ["no, never"]}]))


_DOMAINS: dict[str, Any] = {
    "string": _string,
    "integer": lambda: _whole(-(10**12), 10**12),
    "year": lambda: _whole(1000, 3000),
    "number": _number,
    "date": _date,
    "datetime": _datetime,
    "boolean": _boolean,
}
