"""Reading a table that need not fit its schema: a cell without a code is counted, not refused.

For comparing tables, never for publishing one. What is found here is private to the holder.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from understudy._core.errors import TableError
from understudy.schema import Codes, Field, Schema
from understudy.tables._columns import column_faults
from understudy.tables._encode import ColumnEncoder
from understudy.tables._read import Progress, rows_at_once
from understudy.tables._sources import Kind, open_source
from understudy.tables._values import ValueReader, Values


@dataclass(frozen=True, kw_only=True)
class ColumnFaults:
    """How many cells of a column have no code in the schema, and why.

    >>> ColumnFaults(name="age", missing=2, outside=1).total
    3
    """

    name: str
    missing: int = 0
    """Missing where the schema allows none."""
    outside: int = 0
    """Outside the declared range, or not among the categories."""
    wrong_type: int = 0
    """Not to be read as the declared type."""

    @property
    def total(self) -> int:
        """All of them."""
        return self.missing + self.outside + self.wrong_type


@dataclass(frozen=True, kw_only=True)
class LooseTable:
    """A table as codes of its schema and two more for each field: `field.size` missing, `field.size + 1` outside.

    >>> import pyarrow as pa
    >>> schema = Schema.from_dict({"fields": [{"name": "sex", "categories": ["F", "M"]}]})
    >>> read_loosely(pa.table({"sex": ["M", None, "x"]}), schema).columns[0].tolist()
    [1, 2, 3]
    """

    kind: Kind | str
    """What it was read from: pandas, polars, pyarrow, csv, parquet or arrow."""
    n: int
    columns: tuple[Codes, ...]
    faults: tuple[ColumnFaults, ...]
    extra: tuple[str, ...]
    """Columns that the schema does not have. They were not read."""
    values: tuple[Values, ...] | None = None
    """The columns as values, where these were asked for."""
    n_all: int | None = None
    """The number of all rows, where these are some of them; the faults are of all."""


def read_loosely(source: Any, schema: Schema, *, values: bool = False, progress: Progress | None = None) -> LooseTable:
    """The table as codes, whatever its cells hold.

    Args:
        source: a path to a CSV (also gzipped), Parquet or Arrow file, or a pandas, polars or pyarrow table.
        schema: what is declared about its columns. Columns that it does not have are left out.
        values: keep the values beside the codes. They take some ten times the memory.
        progress: called with the number of rows read so far.

    Raises:
        TableError: if the table cannot be read, has no rows, or lacks columns of the schema; it names all of them.

    >>> import pyarrow as pa
    >>> schema = Schema.from_dict({"fields": [{"name": "sex", "categories": ["F", "M"]}]})
    >>> loose = read_loosely(pa.table({"id": [7, 8], "sex": ["M", "x"]}), schema)
    >>> loose.faults[0].outside, loose.extra
    (1, ('id',))
    """
    schema.domain  # noqa: B018 - a draft field without a domain is the first thing to say
    opened = open_source(source)
    lenient = replace(schema, properties={**schema.properties, "fieldsMatch": "subset"})
    if faults := column_faults(opened.names, lenient):
        raise TableError(*faults)
    declared = set(schema.names)
    encoders = [ColumnEncoder(field) for field in schema.fields]
    chunks: list[list[Codes]] = [[] for _ in encoders]
    readers = [ValueReader(field) for field in schema.fields] if values else []
    every, cells = range(len(encoders)), 0
    # As in read_table: values take ten times the memory of codes, so not all of them are held at once.
    for places in [[i] for i in every] if opened.columnar else [list(every)]:
        for columns in opened.batches([schema.names[i] for i in places], rows_at_once(opened.n_rows)):
            for i, column in zip(places, columns, strict=True):
                chunks[i].append(encoders[i].encode_loosely(column))
                if values:
                    readers[i].add(column)
                cells += len(column)
            if progress:
                progress(cells // len(encoders))
    rows = encoders[0].rows
    if rows == 0:
        raise TableError("the table has a header but no rows. There is nothing to compare.")
    return LooseTable(
        kind=opened.kind,
        n=rows,
        columns=tuple(np.concatenate(chunk) for chunk in chunks),
        faults=tuple(column_faults_of(encoder) for encoder in encoders),
        extra=tuple(name for name in opened.names if name not in declared),
        values=tuple(reader.values() for reader in readers) if values else None,
    )


def column_faults_of(encoder: ColumnEncoder) -> ColumnFaults:
    """What an encoder found in its column."""
    counts = {trouble.replace(" ", "_"): problem.count for trouble, problem in encoder.problems.items()}
    return ColumnFaults(name=encoder.schema_field.name, **counts)


def missing_label(field: Field) -> str:
    """What the code of cells missing where none may be is called: a label the field does not have.

    >>> missing_label(Schema.from_dict({"fields": [{"name": "a", "categories": ["x", "missing"]}]})["a"])
    '(missing)'
    """
    return _unused("missing", field.labels)


def outside_label(field: Field) -> str:
    """What the code of cells that no code of the field fits is called: a label the field does not have.

    >>> outside_label(Schema.from_dict({"fields": [{"name": "a", "type": "boolean"}]})["a"])
    'outside the schema'
    """
    return _unused("outside the schema", field.labels)


def _unused(word: str, taken: tuple[str, ...]) -> str:
    while word in taken:
        word = f"({word})"
    return word
