"""Synthetic rows as a dataframe of the library asked for.

Column types follow from the schema alone. They are never those of the private table: libraries choose a column's type
by its values, so one missing cell can show in it.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from understudy._core.errors import OptionError
from understudy.schema import Field, Schema
from understudy.tables._sources import Kind


def to_kind(table: pa.Table | pa.RecordBatch, kind: Kind, *, schema: Schema) -> Any:
    """Decoded rows as a dataframe of the kind asked for: "pandas", "polars" or "pyarrow".

    In pandas, whole numbers and booleans are nullable (`Int64`, `boolean`) where the field allows an empty cell,
    whether or not these rows have one; dates are `datetime64`.

    >>> schema = Schema.from_dict({"fields": [{"name": "a", "type": "integer", "categories": [1, 2]},
    ...     {"name": "b", "type": "integer", "categories": [1, 2], "constraints": {"required": False}}]})
    >>> [str(t) for t in to_kind(pa.table({"a": [1, 2], "b": [1, 2]}), "pandas", schema=schema).dtypes]
    ['int64', 'Int64']
    """
    table = pa.table(table) if isinstance(table, pa.RecordBatch) else table
    if kind == "pyarrow":
        return table
    if kind == "polars":
        return _library("polars").from_arrow(table)
    if kind == "pandas":
        return _pandas(table, schema)
    raise OptionError(f"kind must be pandas, polars or pyarrow; got {kind!r}.")


def _pandas(table: pa.Table, schema: Schema) -> Any:
    pandas = _library("pandas")
    nullable = {pa.int64(): pandas.Int64Dtype(), pa.bool_(): pandas.BooleanDtype()}
    columns = {}
    for name, column in zip(table.schema.names, table.columns, strict=True):
        if pa.types.is_date(column.type):
            columns[name] = column.cast(pa.timestamp("s")).to_pandas()
        else:
            columns[name] = column.to_pandas(types_mapper=nullable.get if _may_be_empty(schema[name]) else None)
    frame = pandas.DataFrame(columns)
    return frame if len(columns) else frame.reindex(range(table.num_rows))


def _may_be_empty(field: Field) -> bool:
    """Whether some code of the field decodes to an empty cell."""
    return field.missing_allowed or (field.outside == "other" and field.type != "string")


def _library(name: str) -> Any:
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError:
        raise OptionError(f"{name} is not installed. Install it, or ask for kind='pyarrow'.") from None
