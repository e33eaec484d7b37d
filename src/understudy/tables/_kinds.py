"""Synthetic rows in the caller's own kind of dataframe, with the column types the caller had."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from understudy._core.errors import OptionError
from understudy.schema import Field, Schema
from understudy.tables._sources import Kind, open_source


@dataclass(frozen=True, kw_only=True)
class Layout:
    """What a dataframe looked like: its library, its columns in order, and the names of their types. No values.

    >>> layout_of(pa.table({"a": [1]})).kind
    'pyarrow'
    """

    kind: Kind
    names: tuple[str, ...]
    types: Mapping[str, Any]


def layout_of(source: Any) -> Layout:
    """The layout of a source; a file counts as a pandas dataframe without types of its own.

    >>> layout_of(pa.table({"b": [1], "a": ["x"]})).names
    ('b', 'a')
    """
    opened = open_source(source)
    if opened.kind not in ("pandas", "polars", "pyarrow"):
        return Layout(kind="pandas", names=opened.names, types={})
    return Layout(kind=opened.kind, names=opened.names, types=dict(zip(opened.names, opened.types, strict=True)))


def to_kind(
    table: pa.Table | pa.RecordBatch, kind: Kind, *, schema: Schema | None = None, like: Layout | None = None
) -> Any:
    """An Arrow table as a dataframe of the kind asked for.

    Args:
        table: decoded rows.
        kind: "pandas", "polars" or "pyarrow".
        schema: with `like`, gives categorical columns their declared categories (never those seen in private data).
        like: the layout to follow where it fits, such as categorical or narrow integer columns.

    >>> to_kind(pa.table({"a": [1, None]}), "pandas")["a"].dtype
    Int64Dtype()
    """
    table = pa.table(table) if isinstance(table, pa.RecordBatch) else table
    types = like.types if like is not None and like.kind == kind else {}
    if kind == "pyarrow":
        return _pyarrow(table, types)
    if kind == "pandas":
        return _pandas(table, schema, types)
    if kind == "polars":
        return _polars(table, schema, types)
    raise OptionError(f"kind must be pandas, polars or pyarrow; got {kind!r}.")


def _pyarrow(table: pa.Table, types: Mapping[str, Any]) -> pa.Table:
    for i, name in enumerate(table.schema.names):
        wanted = types.get(name)
        if wanted is None or wanted == table.schema.field(i).type:
            continue
        try:
            table = table.set_column(i, name, table.column(i).cast(wanted))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            continue  # a value does not fit the caller's type: keep ours
    return table


def _pandas(table: pa.Table, schema: Schema | None, types: Mapping[str, Any]) -> Any:
    pandas = _library("pandas")
    columns = {}
    for name, column in zip(table.schema.names, table.columns, strict=True):
        wanted = types.get(name)
        kind = column.type
        if isinstance(wanted, pandas.CategoricalDtype):
            columns[name] = _pandas_category(pandas, column, schema[name] if schema else None, wanted)
            continue
        if pa.types.is_integer(kind) and column.null_count:
            series = column.to_pandas(types_mapper={pa.int64(): pandas.Int64Dtype()}.get)
        elif pa.types.is_boolean(kind) and column.null_count:
            series = column.to_pandas(types_mapper={pa.bool_(): pandas.BooleanDtype()}.get)
        elif pa.types.is_date(kind):
            series = column.cast(pa.timestamp("s")).to_pandas()
        else:
            series = column.to_pandas()
        columns[name] = _pandas_like(pandas, series, wanted)
    frame = pandas.DataFrame(columns)
    return frame if len(columns) else frame.reindex(range(table.num_rows))


def _pandas_like(pandas: Any, series: Any, wanted: Any) -> Any:
    """The series with the caller's type where its values fit it and it is of the same family."""
    if wanted is None or wanted == series.dtype:
        return series
    api = pandas.api.types
    dates = api.is_datetime64_any_dtype(series.dtype)
    family = (
        (api.is_integer_dtype(wanted) and api.is_integer_dtype(series.dtype))
        or (api.is_float_dtype(wanted) and api.is_float_dtype(series.dtype))
        or (api.is_bool_dtype(wanted) and api.is_bool_dtype(series.dtype))
        or (api.is_datetime64_any_dtype(wanted) and dates)
        or (api.is_string_dtype(wanted) and not api.is_object_dtype(wanted) and not dates)
    )
    if api.is_object_dtype(wanted) and dates:
        return series.dt.date
    if not family and not api.is_object_dtype(wanted):
        return series
    try:
        if dates and getattr(wanted, "tz", None) is not None:
            return series.dt.tz_localize("UTC").astype(wanted)
        return series.astype(wanted)
    except (ValueError, TypeError, OverflowError):
        return series


def _pandas_category(pandas: Any, column: pa.ChunkedArray, field: Field | None, wanted: Any) -> Any:
    series = column.to_pandas()
    if field is None or field.bins is not None or field.type not in ("string", "integer", "number", "year"):
        return series
    known = [c.value for c in field.categories]
    if field.outside == "other" and field.type == "string":
        known.append(field.other_text)
    return series.astype(pandas.CategoricalDtype(known, ordered=field.ordered or bool(wanted.ordered)))


def _polars(table: pa.Table, schema: Schema | None, types: Mapping[str, Any]) -> Any:
    polars = _library("polars")
    frame = polars.from_arrow(table)
    for name in frame.columns:
        wanted = types.get(name)
        if wanted is None or wanted == frame[name].dtype:
            continue
        if isinstance(wanted, polars.Enum):
            field = schema[name] if schema else None
            if field is None or field.type != "string":
                continue
            known = [str(c.value) for c in field.categories] + [field.other_text] * (field.outside == "other")
            wanted = polars.Enum(known)
        try:
            frame = frame.with_columns(frame[name].cast(wanted))
        except polars.exceptions.PolarsError:
            continue
    return frame


def _library(name: str) -> Any:
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError:
        raise OptionError(f"{name} is not installed. Install it, or ask for kind='pyarrow'.") from None
