"""Synthetic rows as a dataframe of the library asked for.

Column types follow from the schema alone, unless `types` has those of a table that its holder fitted a model on.
Libraries choose a column's type by its values, so one missing cell can show in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from understudy._core.errors import OptionError
from understudy.schema import Field, Schema
from understudy.tables._remembered import in_remembered_types, may_be_empty, texts_of, whole_ends
from understudy.tables._sources import Kind


def to_kind(
    table: pa.Table | pa.RecordBatch,
    kind: Kind,
    *,
    schema: Schema,
    compact: bool = False,
    types: Mapping[str, Any] | None = None,
) -> Any:
    """Decoded rows as a dataframe of the kind asked for: "pandas", "polars" or "pyarrow".

    In pandas, whole numbers and booleans are nullable (`Int64`, `boolean`) where the field allows an empty cell,
    whether or not these rows have one; dates are `datetime64`. With `compact`, declared categories of texts are a
    categorical type (`category` in pandas, in order where the schema says so; `Enum` in polars), and whole numbers have
    the smallest type that holds their domain (`Int8`): by the schema alone, too. Else
    `types`, those of a pandas DataFrame, are given to columns that they fit.

    >>> schema = Schema.from_dict({"fields": [{"name": "a", "type": "integer", "categories": [1, 2]},
    ...     {"name": "b", "type": "integer", "categories": [1, 2], "constraints": {"required": False}}]})
    >>> [str(t) for t in to_kind(pa.table({"a": [1, 2], "b": [1, 2]}), "pandas", schema=schema).dtypes]
    ['int64', 'Int64']
    >>> compact = to_kind(pa.table({"a": [1, 2], "b": [1, None]}), "pandas", schema=schema, compact=True)
    >>> [str(t) for t in compact.dtypes]
    ['int8', 'Int8']

    Types follow from the schema, not from the rows that are there:

    >>> texts = Schema.from_dict({"fields": [{"name": "a", "categories": ["x"], "constraints": {"required": False}}]})
    >>> some, none = (pa.table({"a": pa.array([cell], pa.string())}) for cell in ("x", None))
    >>> to_kind(some, "pandas", schema=texts).a.dtype == to_kind(none, "pandas", schema=texts).a.dtype
    True
    """
    table = pa.table(table) if isinstance(table, pa.RecordBatch) else table
    if kind == "pyarrow":
        return table
    if kind == "polars":
        polars = _library("polars")
        frame = polars.from_arrow(table)
        return frame.with_columns(**_polars_types(polars, frame, schema)) if compact else frame
    if kind == "pandas":
        frame = _pandas(table, schema)
        if compact:
            return frame.astype(_pandas_types(_library("pandas"), schema))
        return in_remembered_types(frame, types, schema) if types else frame
    raise OptionError(f"kind must be pandas, polars or pyarrow; got {kind!r}.")


def _pandas(table: pa.Table, schema: Schema) -> Any:
    pandas = _library("pandas")
    texts = pandas.Series(["a text"]).dtype
    nullable = {pa.int64(): pandas.Int64Dtype(), pa.bool_(): pandas.BooleanDtype()}
    columns = {}
    for name, column in zip(table.schema.names, table.columns, strict=True):
        if pa.types.is_date(column.type):
            columns[name] = column.cast(pa.timestamp("s")).to_pandas()
        else:
            found = column.to_pandas(types_mapper=nullable.get if may_be_empty(schema[name]) else None)
            # of a column of texts without any, pandas cannot tell that they would be
            columns[name] = found.astype(texts) if column.type == pa.string() else found
    frame = pandas.DataFrame(columns)
    return frame if len(columns) else frame.reindex(range(table.num_rows))


def _pandas_types(pandas: Any, schema: Schema) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for field in schema.fields:
        if field.type == "string" and field.categories:
            found[field.name] = pandas.CategoricalDtype(texts_of(field), ordered=field.ordered)
        elif (bits := _bits(field)) is not None:
            found[field.name] = f"{'Int' if may_be_empty(field) else 'int'}{bits}"
    return found


def _polars_types(polars: Any, frame: Any, schema: Schema) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for field in schema.fields:
        if field.type == "string" and field.categories:
            found[field.name] = frame[field.name].cast(polars.Enum(texts_of(field)))
        elif (bits := _bits(field)) is not None:
            found[field.name] = frame[field.name].cast(getattr(polars, f"Int{bits}"))
    return found


def _bits(field: Field) -> int | None:
    """Bits of the smallest type that holds every whole number of a domain; None for columns of something else."""
    if field.type not in ("integer", "year"):
        return None
    ends = whole_ends(field)
    return next(bits for bits in (8, 16, 32, 64) if all(-(2 ** (bits - 1)) <= end < 2 ** (bits - 1) for end in ends))


def _library(name: str) -> Any:
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError:
        raise OptionError(f"{name} is not installed. Install it, or ask for kind='pyarrow'.") from None
