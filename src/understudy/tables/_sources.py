"""Anything that holds a table, seen as named columns that arrive in batches."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
import pyarrow as pa

from understudy._core.errors import TableError
from understudy.tables._csv import csv_batches, open_bytes, read_header, unreadable
from understudy.tables._objects import Column, Mixed, column_of_objects

Kind: TypeAlias = Literal["pandas", "polars", "pyarrow"]
FileKind: TypeAlias = Literal["csv", "parquet", "arrow"]
_ROWS = 1 << 17
_POLARS_OBJECTS = ("Object", "Int128", "UInt128")  # pointers, and numbers that Arrow has no type for


class Batches(Protocol):
    """Reads some columns in batches; where the source is `columnar`, of so many rows at most."""

    def __call__(self, wanted: Sequence[str], rows: int = _ROWS) -> Iterator[list[Column]]: ...


@dataclass(frozen=True, kw_only=True)
class Source:
    """A table to read: its column names, how many rows it has if that is known, and its columns in batches.

    `columnar`: reading the columns one after the other costs no more than reading them together.
    """

    kind: Kind | FileKind
    names: tuple[str, ...]
    n_rows: int | None
    batches: Batches
    columnar: bool = False


def kind_of(source: Any) -> Kind | FileKind:
    """What a source is: a file's kind by its first bytes, or the library of a dataframe.

    >>> kind_of(pa.table({"a": [1]}))
    'pyarrow'
    """
    if isinstance(source, str | os.PathLike):
        return _file_kind(Path(source))
    if isinstance(source, pa.Table | pa.RecordBatch | pa.RecordBatchReader):
        return "pyarrow"
    home = type(source).__module__.partition(".")[0]
    if home == "pandas" and type(source).__name__ == "DataFrame":
        return "pandas"
    if home == "polars" and type(source).__name__ in ("DataFrame", "LazyFrame"):
        return "polars"
    raise TableError(
        f"cannot read a table from {type(source).__name__}. Give a path to a CSV, Parquet or Arrow file, or a pandas, "
        "polars or pyarrow table."
    )


def open_source(source: Any) -> Source:
    """Opens a source without reading its rows.

    >>> open_source(pa.table({"a": [1, 2]})).names
    ('a',)
    """
    kind = kind_of(source)
    if kind == "pandas":
        return _pandas(source)
    if kind == "polars":
        return _polars(source)
    if kind == "pyarrow":
        return _pyarrow(source)
    return _file(Path(source), kind)


def column_names(source: Any) -> tuple[str, ...]:
    """The column names of a source, in its order, without reading its rows.

    >>> column_names(pa.table({"b": [1], "a": [2]}))
    ('b', 'a')
    """
    return open_source(source).names


def delimiter_of(source: Any) -> str:
    """What stands between the cells of a CSV file; a comma for anything else.

    >>> delimiter_of(pa.table({"a": [1]}))
    ','
    """
    if not isinstance(source, str | os.PathLike) or _file_kind(Path(source)) != "csv":
        return ","
    return read_header(Path(source)).delimiter


def _file_kind(path: Path) -> FileKind:
    if path.is_dir():
        raise TableError(f"{path} is a folder. Give the file that holds the table.")
    with open_bytes(path) as stream:
        try:
            start = bytes(stream.read(8))
        except OSError as error:
            raise unreadable(path, error) from None
    if start.startswith(b"PAR1"):
        return "parquet"
    if start.startswith((b"ARROW1", b"\xff\xff\xff\xff")):
        return "arrow"
    if start.startswith(b"PK\x03\x04"):
        raise TableError(f"{path.name} is a spreadsheet or a zip archive. Save the table as CSV UTF-8 or Parquet.")
    return "csv"


def _file(path: Path, kind: str) -> Source:
    if kind == "csv":
        header = read_header(path)
        return Source(
            kind="csv",
            names=header.names,
            n_rows=None,
            batches=lambda wanted, rows=_ROWS: csv_batches(path, header, wanted),
        )
    damaged = f"{path.name} is damaged or cut off: it cannot be read as {kind.capitalize()}."
    try:
        opened = _parquet(path) if kind == "parquet" else _ipc(path)
    except (pa.ArrowInvalid, OSError):
        raise TableError(damaged) from None

    def batches(wanted: Sequence[str], rows: int = _ROWS) -> Iterator[list[Column]]:
        parts = opened.batches(wanted, rows)
        while True:
            try:
                part = next(parts, None)
            except (pa.ArrowInvalid, OSError):
                raise TableError(damaged) from None
            if part is None:
                return
            yield part

    return replace(opened, batches=batches)


def _parquet(path: Path) -> Source:
    from pyarrow import parquet

    schema = parquet.read_schema(path)
    texts = [field.name for field in schema if pa.types.is_string(field.type)]
    # Reading ahead is done by another thread, and each thread keeps memory of its own.
    file = parquet.ParquetFile(path, read_dictionary=texts, pre_buffer=False)

    def batches(wanted: Sequence[str], rows: int = _ROWS) -> Iterator[list[Column]]:
        for batch in file.iter_batches(batch_size=rows, columns=list(wanted), use_threads=len(wanted) > 1):
            yield [batch.column(name) for name in wanted]

    n_rows = file.metadata.num_rows
    return Source(kind="parquet", names=tuple(schema.names), n_rows=n_rows, batches=batches, columnar=True)


def _ipc(path: Path) -> Source:
    mapped = pa.memory_map(str(path))
    try:
        opened = pa.ipc.open_file(mapped)
        parts = (opened.get_batch(i) for i in range(opened.num_record_batches))
    except pa.ArrowInvalid:
        mapped.seek(0)
        opened = pa.ipc.open_stream(mapped)
        parts = iter(opened)
    schema = opened.schema
    return Source(
        kind="arrow",
        names=tuple(schema.names),
        n_rows=None,
        batches=lambda wanted, rows=_ROWS: ([batch.column(name) for name in wanted] for batch in parts),
    )


def _pyarrow(source: Any) -> Source:
    if isinstance(source, pa.RecordBatch):
        source = pa.table(source)
    n_rows = source.num_rows if isinstance(source, pa.Table) else None

    def batches(wanted: Sequence[str], rows: int = _ROWS) -> Iterator[list[Column]]:
        parts = source.select(list(wanted)).to_batches(rows) if isinstance(source, pa.Table) else source
        for batch in parts:
            yield [batch.column(name) for name in wanted]

    return Source(
        kind="pyarrow",
        names=tuple(source.schema.names),
        n_rows=n_rows,
        batches=batches,
        columnar=isinstance(source, pa.Table),
    )


def _polars(frame: Any) -> Source:
    if type(frame).__name__ == "LazyFrame":
        frame = frame.collect()
    names = tuple(frame.columns)

    def batches(wanted: Sequence[str], rows: int = _ROWS) -> Iterator[list[Column]]:
        for start in range(0, frame.height, rows):
            yield [_polars_column(frame[name][start : start + rows]) for name in wanted]

    return Source(kind="polars", names=names, n_rows=frame.height, batches=batches, columnar=True)


def _polars_column(series: Any) -> Column:
    if str(series.dtype) in _POLARS_OBJECTS:
        return column_of_objects(series.to_list())
    return _one_array(series.to_arrow())


def _pandas(frame: Any) -> Source:
    if frame.columns.nlevels > 1:
        raise TableError("the dataframe has columns of several levels. Flatten them to one name a column.")
    names = tuple(str(name) for name in frame.columns)
    positions = {name: i for i, name in enumerate(names)}

    def batches(wanted: Sequence[str], rows: int = _ROWS) -> Iterator[list[Column]]:
        for start in range(0, len(frame), rows):
            yield [_pandas_column(frame.iloc[start : start + rows, positions[name]]) for name in wanted]

    return Source(kind="pandas", names=names, n_rows=len(frame), batches=batches, columnar=True)


def _pandas_column(series: Any) -> Column:
    if series.dtype.name == "category":
        return _pandas_category(series)
    if series.dtype.name != "object":
        try:
            array = pa.array(series, from_pandas=True)
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
            array = None
        if array is not None and not isinstance(array, pa.ExtensionArray):
            return _one_array(array)
    return column_of_objects(series.to_list(), lambda: np.asarray(series.isna(), dtype=bool))


def _pandas_category(series: Any) -> Column:
    codes, categories = series.cat.codes.to_numpy(), series.cat.categories
    values = _pandas_column(categories)
    if isinstance(values, Mixed):
        return column_of_objects(series.to_list(), lambda: codes < 0)
    return pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), values)


def _one_array(column: Any) -> pa.Array:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
