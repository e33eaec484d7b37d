"""A first schema, guessed from a table. What it holds was read off private rows: it is marked draft until reviewed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from understudy._core.errors import TableError, did_you_mean
from understudy.schema import Field, Schema, build_field, import_sdv, zone_exists
from understudy.tables._guess import DISTINCT_LIMIT, MISSING_WORDS, describe
from understudy.tables._moments import has_zone
from understudy.tables._objects import Column as ArrayOrMixed
from understudy.tables._objects import Mixed
from understudy.tables._parse import Parsed, parse, strange
from understudy.tables._read import Progress
from understudy.tables._sources import open_source
from understudy.tables._write_csv import moment_texts

_PROBE = 50
_DAYS = ("%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d-%m-%Y", "%Y/%m/%d")
_CANDIDATES: tuple[tuple[str, str | None], ...] = (
    ("boolean", None),
    ("date", "%Y%m%d"),
    ("integer", None),
    ("number", None),
    ("date", None),
    *(("date", pattern) for pattern in _DAYS),
    ("datetime", None),
    *(
        ("datetime", f"%Y-%m-%d{mark}{clock}{zone}")
        for mark in " T"
        for clock in ("%H:%M:%S", "%H:%M", "%H:%M:%S.%f")
        for zone in ("", "Z")
    ),
    *(("datetime", f"{pattern} {clock}") for pattern in _DAYS for clock in ("%H:%M:%S", "%H:%M")),
)
_BITS = {pa.lib.Type_TIMESTAMP: pa.int64(), pa.lib.Type_DATE64: pa.int64(), pa.lib.Type_DATE32: pa.int32()}
_FIRST_YEAR, _LAST_YEAR = 1000, 9999
_BIGGEST = 10.0**15


def draft_schema(
    source: Any, *, sdv: str | Path | Mapping[str, Any] | None = None, name: str | None = None,
    unit: str | None = None, progress: Progress | None = None,
) -> Schema:  # fmt: skip
    """A schema to review: types, categories, ranges, bins and missing values as the table has them.

    Every field is marked `origin: draft`, and `save` writes a comment above each that says what was guessed. With
    `sdv`, types and date formats come from SDV metadata and only the values from the table. The column that tells
    units apart, `unit`, is left out: it is never published.

    >>> schema = draft_schema(pa.table({"sex": ["F", "M", "F"], "age": ["31", "", "58"]}))
    >>> schema.draft_fields, schema["age"].type, schema["age"].missing_allowed
    (('sex', 'age'), 'integer', True)
    """
    opened = open_source(source)
    if not opened.names:
        raise TableError("the table has no columns. There is nothing to draft a schema from.")
    if len(set(opened.names)) != len(opened.names) or not all(opened.names):
        raise TableError("every column needs a name, and names must differ. Correct the header first.")
    if unit is not None and unit not in opened.names:
        raise TableError(f"the table has no column '{unit}' to tell units apart. {did_you_mean(unit, opened.names)}")
    hints = _hints(sdv)
    columns = [Column(name=column, hint=hints.get(column)) for column in opened.names if column != unit]
    if not columns:
        raise TableError("the table has no column but that which tells units apart, so there is nothing to publish.")
    rows = 0
    for batch in opened.batches([column.name for column in columns]):
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
    title = name or (_title(opened.path) if opened.path else "table")
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
    heap: pa.Scalar | None = None
    heap_rows: int = 0
    decimals: int = 0
    same_decimals: bool = True
    types: list[tuple[str, str | None]] | None = None
    kind: pa.DataType | None = None
    zone: str | None = None
    too_big: bool = False
    inexact: set[tuple[str, str | None]] = field(default_factory=set)
    ranges: dict[tuple[str, str | None], tuple[float, float]] = field(default_factory=dict)

    @property
    def distinct(self) -> int:
        """Number of different values (for long columns, of each batch added up)."""
        return self.distinct_bound if self.overflow else len(self.values)

    @property
    def all_distinct(self) -> bool:
        """Whether no value was seen twice (within a batch, for long columns)."""
        return self.distinct == self.rows - self.empty

    def see(self, array: ArrayOrMixed) -> None:
        """Take in the next batch."""
        if isinstance(array, Mixed):
            array = array.texts()
        if pa.types.is_dictionary(array.type):
            array = array.dictionary_decode()
        if pa.types.is_string_view(array.type) or pa.types.is_large_string(array.type):
            array = array.cast(pa.string())
        if held := strange(array.type):
            raise TableError(f"column '{self.name}' {held}")
        self.kind = array.type
        if has_zone(array.type):
            self.zone = array.type.tz if zone_exists(array.type.tz) else "UTC"
        if pa.types.is_floating(array.type):
            array = pc.if_else(pc.is_nan(array), pa.scalar(None, array.type), array)
        textual = pa.types.is_string(array.type) or pa.types.is_null(array.type)
        absent = pc.fill_null(pc.equal(array, ""), True) if pa.types.is_string(array.type) else pc.is_null(array)
        present = array.filter(pc.invert(absent))
        self.rows += len(array)
        self.empty += len(array) - len(present)
        counted = pc.value_counts(present)
        uniques = counted.field("values")
        self.distinct_bound += len(uniques)
        self._heap(uniques, counted.field("counts"))
        if not self.overflow:
            # Moments as numbers: Python has none beyond the year 9999, or of nanoseconds.
            bits = _BITS.get(array.type.id, array.type)
            self.values |= dict.fromkeys(uniques.view(bits).to_pylist())
            self.overflow = len(self.values) > DISTINCT_LIMIT
        if self.types is None:
            self.types = [self.hint] if self.hint else list(_CANDIDATES) if textual else _typed(array.type)
        self._narrow(uniques)

    def _heap(self, uniques: pa.Array, counts: pa.Array) -> None:
        """Counts the rows of one value: the most frequent of the first batch."""
        if not len(uniques):
            return
        if self.heap is None:
            self.heap = uniques[int(np.argmax(counts.to_numpy()))]
        if self.heap.type == uniques.type:
            self.heap_rows += pc.sum(counts.filter(pc.equal(uniques, self.heap))).as_py() or 0

    def _narrow(self, uniques: pa.Array) -> None:
        kept = []
        for candidate in self.types or []:
            probe = _probe(self.name, candidate, self.zone)
            if candidate[0] == "string" or (self._fits(uniques[:_PROBE], probe) and self._fits(uniques, probe)):
                kept.append(candidate)
        # A format that gives every text back is better than one that only reads them.
        self.types = [c for c in kept if c not in self.inexact] + [c for c in kept if c in self.inexact]
        if any(kind == "number" for kind, _ in kept):
            digits = _decimals(uniques)
            self.same_decimals &= len(digits) <= 1 and (not self.decimals or digits <= {self.decimals})
            self.decimals = max(self.decimals, *digits, 0)

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
        if probe.type in ("date", "datetime") and not self._written_back(uniques, parsed, probe):
            return False
        values = parsed.values[~parsed.missing]
        if probe.type in ("integer", "number") and self._too_big(values, probe):
            return False
        if len(values) and np.isfinite(values).any():
            values = values[np.isfinite(values)]
            key = (probe.type, probe.form.format)
            low, high = self.ranges.get(key, (np.inf, -np.inf))
            self.ranges[key] = (min(low, values.min().item()), max(high, values.max().item()))
        return True

    def _too_big(self, values: Any, probe: Field) -> bool:
        """Whether some number is beyond what a field of this type can hold."""
        if probe.type == "integer":
            beyond = (values >= 2**63 - 1) | (values <= -(2**63))  # where they stand that do not fit
        else:
            beyond = np.isfinite(values) & (np.abs(values) > _BIGGEST)
        self.too_big |= bool(beyond.any())
        return bool(beyond.any())

    def _written_back(self, uniques: pa.Array, parsed: Parsed, probe: Field) -> bool:
        """Whether to keep a format: its years are plausible. Notes if it would write some text in another way."""
        kind = pa.date32() if probe.type == "date" else pa.timestamp("us")
        days = parsed.values if probe.type == "date" else parsed.values // (24 * 3600 * 10**6)
        years = days[~parsed.missing].astype("datetime64[D]").astype("datetime64[Y]").astype(np.int64) + 1970
        if len(years) and (years.min() < _FIRST_YEAR or years.max() > _LAST_YEAR):
            return False
        if not pa.types.is_string(uniques.type):
            return True
        values = parsed.values.astype(np.int32) if probe.type == "date" else parsed.values
        texts = moment_texts(pa.array(values, mask=parsed.missing).cast(kind), probe)
        key = (probe.type, probe.form.format)
        if key not in self.inexact and pc.all(pc.equal(texts, uniques)).as_py() is False:
            self.inexact.add(key)
        # Every format reads ISO texts as well, slowly: what looks like ISO is left to ISO itself.
        iso = key in self.inexact and key[1] and pc.any(pc.match_substring_regex(uniques, "^[0-9]{4}-[0-9]")).as_py()
        return not iso


def _typed(kind: pa.DataType) -> list[tuple[str, str | None]]:
    if pa.types.is_boolean(kind):
        return [("boolean", None)]
    if pa.types.is_integer(kind):
        return [("integer", None)]
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return [("integer", None), ("number", None)]
    if has_zone(kind):
        return [("datetime", None)]
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return [("date", None), ("datetime", None)]
    return []


def _title(path: Path) -> str:
    """What the file is called, without its ending; bytes of it that are no text are left out."""
    return os.fsencode(path.name.split(".")[0]).decode(errors="ignore") or "table"


def _probe(name: str, candidate: tuple[str, str | None], zone: str | None) -> Field:
    kind, pattern = candidate
    raw: dict[str, Any] = {"name": name, "type": kind, "origin": "draft"}
    if kind == "boolean":
        raw |= {"trueValues": ["true", "True", "TRUE"], "falseValues": ["false", "False", "FALSE"]}
    if pattern:
        raw["format"] = pattern
    if zone and kind == "datetime":
        raw["timezone"] = zone
    faults: list[str] = []
    probe = build_field(raw, position=1, missing=MISSING_WORDS if kind != "string" else ("",), faults=faults)
    if probe is None:
        raise TableError(*faults)
    return probe


def _decimals(uniques: pa.Array) -> set[int]:
    """How many digits the texts have after the point."""
    texts = uniques[:DISTINCT_LIMIT].cast(pa.string()).to_pylist()
    return {min(len(t.partition(".")[2]), 6) for t in texts if t and "e" not in t.lower() and t not in MISSING_WORDS}


def _hints(sdv: str | Path | Mapping[str, Any] | None) -> dict[str, tuple[str, str | None]]:
    return {} if sdv is None else {f.name: (f.type, f.form.format) for f in import_sdv(sdv).fields}
