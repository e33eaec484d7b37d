"""Anything that holds a table, opened once and seen as named columns that arrive in batches."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

import pyarrow as pa

from understudy._core.errors import TableError
from understudy.tables._columnar import checked, open_columnar
from understudy.tables._csv import csv_batches, read_header
from understudy.tables._files import FileKind, TableFile, open_file
from understudy.tables._frames import collected, pandas_column, polars_column
from understudy.tables._objects import Column

Kind: TypeAlias = Literal["pandas", "polars", "pyarrow"]
_ROWS = 1 << 17


class Batches(Protocol):
    """Reads some columns in batches; where the source is `columnar`, of so many rows at most."""

    def __call__(self, wanted: Sequence[str], rows: int = _ROWS) -> Iterator[list[Column]]: ...


@dataclass(frozen=True, kw_only=True, eq=False)
class Source:
    """A table to read, opened: what it is, and its columns in batches, as often as they are asked for.

    A file stays open as long as its source is there, so that all that is read of it is read of one file. A LazyFrame
    has been collected. A stream of Arrow batches, which is gone once it was read, can be asked for them once.

    >>> source = open_source(pa.table({"a": [1, 2]}))
    >>> source.kind, source.names, source.n_rows
    ('pyarrow', ('a',), 2)
    """

    kind: Kind | FileKind
    names: tuple[str, ...]
    batches: Batches
    n_rows: int | None = None
    """Number of rows, if that is known before they are read."""
    n_bytes: int | None = None
    """Size of the file, if it is one."""
    path: Path | None = None
    """Where the file is, if it is one."""
    delimiter: str = ","
    """What stands between the cells of a CSV file; a comma for anything else."""
    metadata: Mapping[bytes, bytes] = field(default_factory=dict, repr=False)
    """What a Parquet file says about itself beside its rows."""
    columnar: bool = False
    """Whether reading the columns one after the other costs no more than reading them together."""


def open_source(source: Any) -> Source:
    """Opens what holds a table: a path, a dataframe, an Arrow table or stream. A source that is open stays as it is.

    Of a file, the names of its columns are read and no rows.

    >>> open_source(pa.table({"a": [1, 2]})).names
    ('a',)
    """
    if isinstance(source, Source):
        return source
    if isinstance(source, str | os.PathLike):
        return _file(*open_file(Path(source)))
    if isinstance(source, pa.Table | pa.RecordBatch):
        return _arrow_table(pa.table(source) if isinstance(source, pa.RecordBatch) else source)
    if isinstance(source, pa.RecordBatchReader):
        return _arrow_stream(source)
    home = type(source).__module__.partition(".")[0]
    if home == "pandas" and type(source).__name__ == "DataFrame":
        return _pandas(source)
    if home == "polars" and type(source).__name__ in ("DataFrame", "LazyFrame"):
        return _polars(source if type(source).__name__ == "DataFrame" else collected(source))
    raise TableError(
        f"cannot read a table from {type(source).__name__}. Give a path to a CSV, Parquet or Arrow file, or a pandas, "
        "polars or pyarrow table."
    )


def _file(file: TableFile, kind: FileKind) -> Source:
    if kind == "csv":
        header = read_header(file)
        return Source(
            kind="csv",
            names=header.names,
            batches=lambda wanted, rows=_ROWS: csv_batches(file, header, wanted),
            n_bytes=file.n_bytes,
            path=file.path,
            delimiter=header.delimiter,
        )
    opened = open_columnar(file, kind)
    return Source(
        kind=kind,
        names=opened.names,
        batches=lambda wanted, rows=_ROWS: opened.batches(wanted, rows),
        n_rows=opened.n_rows,
        n_bytes=file.n_bytes,
        path=file.path,
        metadata=opened.metadata,
        columnar=kind == "parquet",
    )


def _arrow_table(table: pa.Table) -> Source:
    def batches(wanted: Sequence[str], rows: int = _ROWS) -> Iterator[list[Column]]:
        return _checked(table.select(list(wanted)).to_batches(rows), wanted)

    names = tuple(table.schema.names)
    return Source(kind="pyarrow", names=names, batches=batches, n_rows=table.num_rows, columnar=True)


def _arrow_stream(stream: pa.RecordBatchReader) -> Source:
    left = [stream]

    def batches(wanted: Sequence[str], rows: int = _ROWS) -> Iterator[list[Column]]:
        if not left:
            raise TableError("the stream of Arrow batches was read already. Give a table, or the stream anew.")
        return _checked(_with_clear_errors(left.pop()), wanted)

    return Source(kind="pyarrow", names=tuple(stream.schema.names), batches=batches)


def _with_clear_errors(stream: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
    """The batches; what goes wrong where they come from is its owner's to see, for messages may quote cells."""
    while True:
        try:
            batch = stream.read_next_batch()
        except StopIteration:
            return
        except Exception as error:
            raise TableError(
                f"the stream of Arrow batches broke off ({type(error).__name__}). Read it to its end to see why."
            ) from None
        yield batch


def _checked(parts: Iterable[pa.RecordBatch], wanted: Sequence[str]) -> Iterator[list[Column]]:
    for batch in parts:
        try:
            columns = checked(batch, wanted)
        except pa.ArrowException:
            raise TableError("the Arrow table is damaged: its columns do not hold what they say they do.") from None
        yield columns


def _polars(frame: Any) -> Source:
    def batches(wanted: Sequence[str], rows: int = _ROWS) -> Iterator[list[Column]]:
        for start in range(0, frame.height, rows):
            yield [polars_column(frame[name][start : start + rows]) for name in wanted]

    return Source(kind="polars", names=tuple(frame.columns), batches=batches, n_rows=frame.height, columnar=True)


def _pandas(frame: Any) -> Source:
    if frame.columns.nlevels > 1:
        raise TableError("the dataframe has columns of several levels. Flatten them to one name per column.")
    names = tuple(str(name) for name in frame.columns)
    positions = {name: i for i, name in enumerate(names)}

    def batches(wanted: Sequence[str], rows: int = _ROWS) -> Iterator[list[Column]]:
        for start in range(0, len(frame), rows):
            yield [pandas_column(frame.iloc[start : start + rows, positions[name]]) for name in wanted]

    return Source(kind="pandas", names=names, batches=batches, n_rows=len(frame), columnar=True)
