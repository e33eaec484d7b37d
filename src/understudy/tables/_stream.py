"""A table as codes, batch by batch: for what is done to rows one after the other, whatever their number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from understudy._core.errors import TableError
from understudy.schema import Codes, Schema
from understudy.tables._columns import column_faults
from understudy.tables._encode import ColumnEncoder
from understudy.tables._objects import Column
from understudy.tables._read import sentences
from understudy.tables._sources import Source

_ROWS = 1 << 17


class CodeBatch(NamedTuple):
    """Some rows: a column of codes for each field, and the columns that were asked for as they are."""

    codes: list[Codes]
    beside: list[Column]


def code_batches(
    source: Source, schema: Schema, *, beside: Sequence[str] = (), rows: int = _ROWS
) -> Iterator[CodeBatch]:
    """The rows as codes, in batches; columns of the table that nobody asked for are left out.

    A cell that has no code gets 0 for the time being, and the end of the table raises TableError with every fault: so
    keep nothing of the batches unless all of them came.

    >>> import pyarrow as pa
    >>> from understudy.tables import open_source
    >>> schema = Schema.from_dict({"fields": [{"name": "sex", "categories": ["F", "M"]}]})
    >>> table = open_source(pa.table({"id": [7, 8], "sex": ["M", "F"]}))
    >>> [(batch.codes[0].tolist(), batch.beside[0].to_pylist()) for batch in code_batches(table, schema, beside=["id"])]
    [([1, 0], [7, 8])]
    """
    faults = column_faults(source.names, replace(schema, properties={**schema.properties, "fieldsMatch": "subset"}))
    if faults:
        raise TableError(*faults)
    encoders = [ColumnEncoder(field) for field in schema.fields]
    wanted = [*schema.names, *(name for name in beside if name not in schema.names)]
    places = [wanted.index(name) for name in beside]
    for columns in source.batches(wanted, rows):
        codes = [encoder.encode(column) for encoder, column in zip(encoders, columns, strict=False)]
        yield CodeBatch(codes, [columns[i] for i in places])
    if encoders[0].rows == 0:
        raise TableError("the table has a header but no rows. There is nothing to publish.")
    if found := [sentence for encoder in encoders for sentence in sentences(encoder)]:
        raise TableError(*found)
