"""A first schema, guessed from a table. What it holds was read off private rows: it is marked draft until reviewed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from understudy._core.errors import TableError
from understudy.schema import Field, Schema, import_sdv
from understudy.schema._build import build_field
from understudy.tables._guess import DISTINCT_LIMIT, MISSING_WORDS, describe
from understudy.tables._objects import Column as ArrayOrMixed
from understudy.tables._objects import Mixed
from understudy.tables._parse import parse
from understudy.tables._read import Progress
from understudy.tables._sources import open_source

_PROBE = 50
_DAYS = ("%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d-%m-%Y", "%Y/%m/%d")
_CANDIDATES: tuple[tuple[str, str | None], ...] = (
    ("boolean", None),
    ("date", "%Y%m%d"),
    ("integer", None),
    ("number", None),
    ("date", None),
    *(("date", pattern) for pattern in _DAYS),
    ("datetime", "%Y-%m-%d %H:%M:%S"),
    ("datetime", "%Y-%m-%d %H:%M"),
    ("datetime", None),
    *(("datetime", f"{pattern} {clock}") for pattern in _DAYS for clock in ("%H:%M:%S", "%H:%M")),
)


def draft_schema(
    source: Any, *, sdv: str | Path | Mapping[str, Any] | None = None, name: str | None = None,
    progress: Progress | None = None,
) -> Schema:  # fmt: skip
    """A schema to review: types, categories, ranges, bins and missing values as the table has them.

    Every field is marked `origin: draft`, and `save` writes a comment above each that says what was guessed. With
    `sdv`, types and date formats come from SDV metadata and only the values from the table.

    >>> schema = draft_schema(pa.table({"sex": ["F", "M", "F"], "age": ["31", "", "58"]}))
    >>> schema.draft_fields, schema["age"].type, schema["age"].missing_allowed
    (('sex', 'age'), 'integer', True)
    """
    opened = open_source(source)
    if len(set(opened.names)) != len(opened.names) or not all(opened.names):
        raise TableError("every column needs a name, and names must differ. Correct the header first.")
    hints = _hints(sdv)
    columns = [Column(name=column, hint=hints.get(column)) for column in opened.names]
    rows = 0
    for batch in opened.batches(opened.names):
        for column, array in zip(columns, batch, strict=True):
            column.see(array)
        rows += len(batch[0])
        if progress:
            progress(rows)
    if rows == 0:
        raise TableError("the table has a header but no rows, so there is nothing to draft a schema from.")
    described = [describe(column) for column in columns]
    comments: dict[str, Any] = {c.name: notes for c, (_, notes) in zip(columns, described, strict=True)}
    comments[""] = [
        "A draft: every domain below was read off the table, which is private. Publishing from it would void the",
        "guarantee. Review each field against public knowledge, then set its origin to declared.",
    ]
    title = name or (Path(source).name.split(".")[0] if isinstance(source, str | Path) else "table")
    return Schema.from_dict(
        {"name": title, "missingValues": [""], "fields": [f for f, _ in described]}, comments=comments
    )


@dataclass
class Column:
    """What has been seen of one column."""

    name: str
    hint: tuple[str, str | None] | None = None
    rows: int = 0
    empty: int = 0
    values: dict[Any, None] = field(default_factory=dict)
    overflow: bool = False
    distinct_bound: int = 0
    decimals: int = 0
    types: list[tuple[str, str | None]] | None = None
    ranges: dict[tuple[str, str | None], tuple[float, float]] = field(default_factory=dict)

    @property
    def all_distinct(self) -> bool:
        """Whether no value was seen twice (within a batch, for long columns)."""
        seen = self.distinct_bound if self.overflow else len(self.values)
        return seen == self.rows - self.empty

    def see(self, array: ArrayOrMixed) -> None:
        """Take in the next batch."""
        if isinstance(array, Mixed):
            array = array.texts()
        if pa.types.is_dictionary(array.type):
            array = array.dictionary_decode()
        if pa.types.is_string_view(array.type) or pa.types.is_large_string(array.type):
            array = array.cast(pa.string())
        if pa.types.is_floating(array.type):
            array = pc.if_else(pc.is_nan(array), pa.scalar(None, array.type), array)
        textual = pa.types.is_string(array.type) or pa.types.is_null(array.type)
        absent = pc.fill_null(pc.equal(array, ""), True) if pa.types.is_string(array.type) else pc.is_null(array)
        present = array.filter(pc.invert(absent))
        self.rows += len(array)
        self.empty += len(array) - len(present)
        uniques = pc.unique(present)
        self.distinct_bound += len(uniques)
        if not self.overflow:
            self.values |= dict.fromkeys(uniques.to_pylist())
            self.overflow = len(self.values) > DISTINCT_LIMIT
        if self.types is None:
            self.types = [self.hint] if self.hint else list(_CANDIDATES) if textual else _typed(array.type)
        self._narrow(uniques)

    def _narrow(self, uniques: pa.Array) -> None:
        kept = []
        for candidate in self.types or []:
            probe = _probe(self.name, candidate)
            if candidate[0] == "string" or (self._fits(uniques[:_PROBE], probe) and self._fits(uniques, probe)):
                kept.append(candidate)
        self.types = kept
        if any(kind == "number" for kind, _ in kept):
            self.decimals = max(self.decimals, _decimals(uniques))

    def _fits(self, uniques: pa.Array, probe: Field) -> bool:
        parsed = parse(uniques, probe)
        if parsed.wrong.any():
            return False
        if probe.type == "date" and probe.form.format == "%Y%m%d" and pa.types.is_string(uniques.type):
            lengths = pc.all(pc.or_(pc.equal(pc.utf8_length(uniques), 8), pa.array(parsed.missing))).as_py()
            if lengths is False:
                return False
        numeric = probe.type in ("integer", "number") and pa.types.is_string(uniques.type)
        if numeric and pc.any(pc.match_substring_regex(uniques, "^[+-]?0[0-9]")).as_py():
            return False  # 01234 is a code, not a number: reading it as one would lose its zero
        values = parsed.values[~parsed.missing]
        if len(values) and np.isfinite(values).any():
            values = values[np.isfinite(values)]
            key = (probe.type, probe.form.format)
            low, high = self.ranges.get(key, (np.inf, -np.inf))
            self.ranges[key] = (min(low, values.min().item()), max(high, values.max().item()))
        return True


def _typed(kind: pa.DataType) -> list[tuple[str, str | None]]:
    if pa.types.is_boolean(kind):
        return [("boolean", None)]
    if pa.types.is_integer(kind):
        return [("integer", None)]
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return [("integer", None), ("number", None)]
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return [("date", None), ("datetime", None)]
    return []


def _probe(name: str, candidate: tuple[str, str | None]) -> Field:
    kind, pattern = candidate
    raw: dict[str, Any] = {"name": name, "type": kind, "origin": "draft"}
    if kind == "boolean":
        raw |= {"trueValues": ["true", "True", "TRUE"], "falseValues": ["false", "False", "FALSE"]}
    if pattern:
        raw["format"] = pattern
    faults: list[str] = []
    probe = build_field(raw, position=1, missing=MISSING_WORDS if kind != "string" else ("",), faults=faults)
    if probe is None:
        raise TableError(*faults)
    return probe


def _decimals(uniques: pa.Array) -> int:
    texts = uniques[:DISTINCT_LIMIT].cast(pa.string()).to_pylist()
    digits = [len(t.partition(".")[2]) for t in texts if t and "e" not in t.lower()]
    return min(max(digits, default=0), 6)


def _hints(sdv: str | Path | Mapping[str, Any] | None) -> dict[str, tuple[str, str | None]]:
    return {} if sdv is None else {f.name: (f.type, f.form.format) for f in import_sdv(sdv).fields}
