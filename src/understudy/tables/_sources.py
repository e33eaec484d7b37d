"""Anything that holds a table, opened once and seen as named columns that arrive in batches."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

import pyarrow as pa

from understudy._core.errors import TableError
from understudy._core.files import is_folder
from understudy.databases import (
    FileAddress,
    FileDatabase,
    PostgresTable,
    SQLiteTable,
    is_server,
    open_duckdb,
    refuse_other_schemes,
    server_address,
    table_in_file,
)
from understudy.tables._columnar import checked, open_columnar
from understudy.tables._csv import csv_batches, read_header
from understudy.tables._databases import postgres_batches, sqlite_batches
from understudy.tables._files import FileKind, FileMark, TableFile, open_file
from understudy.tables._frames import collected, pandas_column, polars_column
from understudy.tables._hive import path_keys, with_keys
from understudy.tables._objects import Column
from understudy.tables._partitions import Partitions, find_files, sort_of, without_marks
from understudy.tables._relations import Relation, arrow_batches, offered_stream
from understudy.tables._spark_frames import SparkFrame, is_spark_frame

Kind: TypeAlias = Literal["pandas", "polars", "pyarrow", "duckdb", "sqlite", "postgres", "spark"]
_ROWS = 1 << 17


class Batches(Protocol):
    """Reads some columns in batches; where the source is `columnar`, of so many rows at most."""

    def __call__(self, wanted: Sequence[str], rows: int = _ROWS) -> Iterator[list[Column]]: ...


@dataclass(frozen=True, kw_only=True, eq=False)
class Source:
    """A table to read, opened: what it is, and its columns in batches, as often as they are asked for.

    A file stays open as long as its source is there, so that all that is read of it is read of one file. A LazyFrame
    has been collected. A stream of Arrow batches, which is gone once it was read, can be asked for them once. Unless a
    source is `repeatable`, what is known of a row by its place holds for one reading only.

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
    repeatable: bool = False
    """Whether each reading gives the same rows in the same order, whichever columns are read: as files and tables in
    memory do. A query does not, run again: nobody promises an order. What does not is read once where order matters."""
    once: bool = False
    """Whether it is gone once it was read, as a stream is."""
    types: Mapping[str, str] = field(default_factory=dict, repr=False)
    """What sort of cells each column holds, where that is known before they are read."""
    refuse_changed: Callable[[], None] = field(default=lambda: None, repr=False)
    """Raises TableError if what is read is no longer what it was when the source was opened, as far as can be told."""
    mark: FileMark | None = None
    """By what a file is known again."""
    folder: Path | None = None
    """The folder, if all that it holds is the table."""
    title: str | None = None
    """What a table in a database is called there."""
    server: PostgresTable | None = field(default=None, repr=False)
    """The table on its server, if it is on one: rows need not leave it to be counted."""
    files: tuple[Path, ...] = ()
    """The files, in the order in which they are read."""
    frame: Any = field(default=None, repr=False)
    """The DataFrame, if it is Spark's: it lies with the cluster, and can be counted there."""


def open_source(source: Any) -> Source:
    """Opens what holds a table: a path, a dataframe, an Arrow table or stream. A source that is open stays as it is.

    A path may lead to a folder, or have marks such as `*` in it: then all files that it leads to are one table. Of a
    file, the names of its columns are read and no rows. Tables in databases are `clinic.duckdb?table=visits`, the same
    with a file of SQLite, and `postgresql://user@host/clinic?table=visits`.

    >>> open_source(pa.table({"a": [1, 2]})).names
    ('a',)
    """
    if isinstance(source, Source):
        return source
    if isinstance(source, str | os.PathLike):
        if is_server(source):
            return _postgres(str(source))
        refuse_other_schemes(source)
        if (named := table_in_file(source)) is not None:
            return _file(*open_file(named[0]), table=named[1], named=True)
        files = find_files(source)
        return _file(*open_file(Path(source))) if files is None else _partitions(files, Path(source))
    if isinstance(source, pa.Table | pa.RecordBatch):
        return _arrow_table(pa.table(source) if isinstance(source, pa.RecordBatch) else source)
    if isinstance(source, pa.RecordBatchReader):
        return _arrow_stream(source)
    home = type(source).__module__.partition(".")[0]
    if home == "pandas" and type(source).__name__ == "DataFrame":
        return _pandas(source)
    if home == "polars" and type(source).__name__ in ("DataFrame", "LazyFrame"):
        return _polars(source if type(source).__name__ == "DataFrame" else collected(source))
    if home in ("duckdb", "_duckdb") and type(source).__name__ == "DuckDBPyRelation":
        return _relation(source)
    if is_spark_frame(source):
        frame = SparkFrame(source)
        return Source(kind="spark", names=frame.names, batches=frame.batches, frame=source)
    if (offered := offered_stream(source)) is not None:
        return _arrow_stream(offered)
    raise TableError(
        f"cannot read a table from {type(source).__name__}. Give a path to a CSV, Parquet or Arrow file or to a folder "
        "of them, a DuckDB or SQLite file with ?table=name, the address of a PostgreSQL table, a pandas, polars or "
        "pyarrow table, a Spark DataFrame, a DuckDB relation or an Arrow stream."
    )


def _relation(found: Any, **more: Any) -> Source:
    relation = Relation(found)
    return Source(kind="duckdb", names=relation.names, batches=relation.batches, **more)


def _database(address: FileAddress) -> Source:
    size = address.path.stat().st_size
    if address.kind == "duckdb":
        opened = open_duckdb(address)
        return _relation(opened.relation, n_rows=opened.n_rows, n_bytes=size, title=opened.name)
    table = SQLiteTable(address)
    batches, title = partial(sqlite_batches, table), table.named.name
    return Source(kind="sqlite", names=table.names, batches=batches, n_rows=table.n_rows, n_bytes=size, title=title)


def _postgres(text: str) -> Source:
    table = PostgresTable(server_address(text))
    return Source(
        kind="postgres",
        names=table.names,
        batches=partial(postgres_batches, table),
        n_bytes=table.n_bytes(),
        title=table.named.name,
        server=table,
    )


def _file(file: TableFile, kind: FileKind | FileDatabase, *, table: str | None = None, named: bool = False) -> Source:
    """The table in a file; `table` names it in a database, and `named` says that it is to be one."""
    if kind == "duckdb" or kind == "sqlite":
        return _database(FileAddress(kind=kind, path=file.path, table=table))
    if named:
        raise TableError(f"{file.name} is no database of DuckDB or SQLite, so it has no table to name with ?table=.")
    if kind == "csv":
        header = read_header(file)
        return Source(
            kind="csv",
            names=header.names,
            batches=lambda wanted, rows=_ROWS: csv_batches(file, header, wanted),
            n_bytes=file.n_bytes,
            path=file.path,
            files=(file.path,),
            delimiter=header.delimiter,
            refuse_changed=file.refuse_changed,
            mark=file.mark,
            repeatable=True,
        )
    opened = open_columnar(file, kind)
    return Source(
        kind=kind,
        names=opened.names,
        batches=lambda wanted, rows=_ROWS: opened.batches(wanted, rows),
        n_rows=opened.n_rows,
        n_bytes=file.n_bytes,
        path=file.path,
        files=(file.path,),
        metadata=opened.metadata,
        columnar=kind == "parquet",
        types={name: sort_of(kind) for name, kind in zip(opened.names, opened.schema.types, strict=True)},
        refuse_changed=file.refuse_changed,
        mark=file.mark,
        repeatable=True,
    )


def _partitions(files: Sequence[Path], named: Path) -> Source:
    """Many files as one table: one after the other, each opened when its turn comes."""
    folder = named if is_folder(named) else None

    def open_one(path: Path) -> Source:
        one = _file(*open_file(path, label=str(path)))
        if one.mark is None and len(files) > 1:
            raise TableError(f"{path} is a database, which is no part of a table of many files. Name it by itself.")
        return _keyed(one, path_keys(path, without_marks(named)))

    if len(files) == 1:
        return replace(open_one(files[0]), folder=folder)
    parts = Partitions(files, open_one)
    return Source(
        kind=parts.first.kind,
        names=parts.first.names,
        batches=parts.batches,
        n_rows=parts.n_rows,
        n_bytes=parts.n_bytes,
        delimiter=parts.first.delimiter,
        types=parts.first.types,
        refuse_changed=parts.refuse_changed,
        repeatable=True,
        folder=folder,
        files=tuple(files),
    )


def _keyed(one: Source, keys: Mapping[str, str | None]) -> Source:
    """A file, with the columns that stand in the names of its folders."""
    keys = {name: value for name, value in keys.items() if name not in one.names}
    if not keys:
        return one

    def batches(wanted: Sequence[str], rows: int = _ROWS) -> Iterator[list[Column]]:
        return with_keys(one.batches, one.names, keys, wanted, rows)

    return replace(one, names=(*one.names, *keys), batches=batches, types={**one.types, **dict.fromkeys(keys, "texts")})


def _arrow_table(table: pa.Table) -> Source:
    def batches(wanted: Sequence[str], rows: int = _ROWS) -> Iterator[list[Column]]:
        return _checked(table.select(list(wanted)).to_batches(rows), wanted)

    names = tuple(table.schema.names)
    return Source(kind="pyarrow", names=names, batches=batches, n_rows=table.num_rows, columnar=True, repeatable=True)


def _arrow_stream(stream: pa.RecordBatchReader) -> Source:
    left = [stream]

    def batches(wanted: Sequence[str], rows: int = _ROWS) -> Iterator[list[Column]]:
        if not left:
            raise TableError("the stream of Arrow batches was read already. Give a table, or the stream anew.")
        return _checked(arrow_batches(left.pop(), "the stream of Arrow batches"), wanted)

    return Source(kind="pyarrow", names=tuple(stream.schema.names), batches=batches, once=True)


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

    names = tuple(frame.columns)
    return Source(kind="polars", names=names, batches=batches, n_rows=frame.height, columnar=True, repeatable=True)


def _pandas(frame: Any) -> Source:
    if frame.columns.nlevels > 1:
        raise TableError("the dataframe has columns of several levels. Flatten them to one name per column.")
    names = tuple(str(name) for name in frame.columns)
    positions = {name: i for i, name in enumerate(names)}

    def batches(wanted: Sequence[str], rows: int = _ROWS) -> Iterator[list[Column]]:
        for start in range(0, len(frame), rows):
            yield [pandas_column(frame.iloc[start : start + rows, positions[name]]) for name in wanted]

    return Source(kind="pandas", names=names, batches=batches, n_rows=len(frame), columnar=True, repeatable=True)
