"""What a column may turn out to be: types with their formats, from the strictest to the loosest."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import pyarrow as pa

from understudy._core.errors import TableError
from understudy.schema import Field, build_field
from understudy.tables._moments import has_zone


class Candidate(NamedTuple):
    """A type, the pattern of its dates, and the marks of its numbers.

    >>> Candidate("number", decimal=",").raw("price")
    {'name': 'price', 'type': 'number', 'decimalChar': ','}
    """

    kind: str
    format: str | None = None
    decimal: str = "."
    group: str = ""

    def raw(self, name: str) -> dict[str, Any]:
        """A field of this type as a schema file has it, without a domain."""
        raw: dict[str, Any] = {"name": name, "type": self.kind}
        if self.format:
            raw["format"] = self.format
        if self.decimal != ".":
            raw["decimalChar"] = self.decimal
        if self.group:
            raw["groupChar"] = self.group
        return raw


_DAYS = (
    "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d", "%Y.%m.%d", "%d %b %Y", "%d-%b-%Y",
    "%d%b%Y", "%b %d, %Y", "%b %d %Y", "%d %B %Y", "%B %d, %Y",
)  # fmt: skip


def _moments(*clocks: str) -> list[str]:
    return [f"%Y-%m-%d{mark}{clock}{zone}" for mark in " T" for clock in clocks for zone in ("", "Z")]


_CLOCKS = ("%H:%M:%S", "%H:%M", "%I:%M:%S %p", "%I:%M %p")
OF_TEXTS: tuple[Candidate, ...] = (
    Candidate("boolean"),
    Candidate("date", "%Y%m%d"),
    Candidate("integer"),
    Candidate("number"),
    Candidate("integer", group=","),
    Candidate("number", group=","),
    Candidate("number", decimal=","),
    Candidate("number", decimal=",", group="."),
    Candidate("date"),
    *(Candidate("date", pattern) for pattern in _DAYS),
    *(Candidate("date", f"%Y-%m-%d{mark}{midnight}") for mark in " T" for midnight in ("00:00:00", "00:00")),
    *(Candidate("datetime", pattern) for pattern in _moments("%H:00:00", "%H:%M:00")),
    Candidate("datetime"),
    *(Candidate("datetime", pattern) for pattern in _moments("%H:%M:%S", "%H:%M", "%H:%M:%S.%f")),
    *(Candidate("datetime", f"{pattern} {clock}") for pattern in _DAYS for clock in _CLOCKS),
)
"""Every candidate for a column of texts. What is read by none of them is a text."""


def of_arrow(kind: pa.DataType) -> list[Candidate]:
    """Candidates for a column that has a type already.

    >>> [candidate.kind for candidate in of_arrow(pa.float64())]
    ['integer', 'number']
    """
    if pa.types.is_boolean(kind):
        return [Candidate("boolean")]
    if pa.types.is_integer(kind):
        return [Candidate("integer")]
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return [Candidate("integer"), Candidate("number")]
    if has_zone(kind):
        return [Candidate("datetime")]
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return [Candidate("date"), Candidate("datetime")]
    return []


@lru_cache(maxsize=1024)
def probe(candidate: Candidate, zone: str | None) -> Field:
    """A field that reads cells as the candidate would; it has no domain yet."""
    raw = candidate.raw("probe") | {"origin": "draft"}
    if candidate.kind == "boolean":
        raw |= {"trueValues": ["true", "True", "TRUE"], "falseValues": ["false", "False", "FALSE"]}
    if zone and candidate.kind == "datetime":
        raw["timezone"] = zone
    faults: list[str] = []
    built = build_field(raw, position=1, missing=("",), faults=faults)
    if built is None:
        raise TableError(*faults)
    return built
