"""A first schema, guessed from a table, with remarks on ranges that are too wide for its rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from understudy import tables
from understudy.numbers import fine_schema
from understudy.schema import Schema


def draft_schema(
    source: Any,
    *,
    sdv: str | Path | Mapping[str, Any] | None = None,
    name: str | None = None,
    unit: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> Schema:
    """A schema to review: types, categories, ranges and missing values as the table has them.

    Every field is marked `origin: draft`, and `save` writes remarks above each that say what was guessed. Columns that
    tell people apart, or are the same in every row, are left out. With `sdv`, types and date formats come from SDV
    metadata and only the values from the table. The column that tells units apart, `unit`, is left out: it is never
    published. A range that is far wider than where rows lie is remarked on.

    >>> import pyarrow as pa
    >>> schema = draft_schema(pa.table({"sex": ["F", "M", "F"], "age": ["31", "?", "58"]}))
    >>> schema.draft_fields, schema["age"].type, schema["age"].missing_allowed
    (('sex', 'age'), 'integer', True)
    """
    return tables.draft_schema(source, sdv=sdv, name=name, unit=unit, progress=progress, grid=fine_schema)
