"""Parquet and Arrow files, batch by batch. They are not trusted: a few wrong bytes must end in a sentence.

Arrow takes what such a file says about itself at its word. An offset that points beyond its column is followed, and
the process dies. So every batch is checked in full before a cell of it is looked at, as Arrow's own page on security
asks. https://arrow.apache.org/docs/format/Security.html
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import pyarrow as pa

from understudy._core.errors import TableError
from understudy.tables._files import TableFile
from understudy.tables._plain import plain

_BUFFER, _BUFFERS = 1 << 18, 1 << 26  # of one column, and of all


class ColumnarFile(NamedTuple):
    """An opened Parquet or Arrow file: names, and rows if the file says how many it has."""

    file: TableFile
    kind: str
    names: tuple[str, ...]
    n_rows: int | None
    opened: Any
    schema: pa.Schema
    metadata: Mapping[bytes, bytes] = {}

    def batches(
        self, wanted: Sequence[str], rows: int, groups: Sequence[int] | None = None
    ) -> Iterator[list[pa.Array]]:
        """Some columns, in batches; of a Parquet file, of so many rows at most, and of some of its row groups."""
        parts = self._parquet(wanted, rows, groups) if self.kind == "parquet" else self._arrow(wanted)
        while True:
            with _refused(self.file, self.kind):
                batch = next(parts, None)
                if batch is None:
                    return
                columns = checked(batch, wanted)
            yield columns

    def _parquet(self, wanted: Sequence[str], rows: int, groups: Sequence[int] | None) -> Iterator[pa.RecordBatch]:
        found: Iterator[pa.RecordBatch] = self.opened.iter_batches(
            batch_size=rows,
            row_groups=None if groups is None else list(groups),
            columns=list(wanted),
            use_threads=len(wanted) > 1,
        )
        return found

    def _arrow(self, wanted: Sequence[str]) -> Iterator[pa.RecordBatch]:
        # Read, not mapped into memory: nobody can change the bytes between the check and the use of them.
        asked = set(wanted)
        fields = [i for i, name in enumerate(self.names) if name in asked]
        reader = _ipc_reader(self.file, pa.ipc.IpcReadOptions(included_fields=fields))
        if isinstance(reader, pa.ipc.RecordBatchStreamReader):
            yield from reader
        else:
            yield from (reader.get_batch(i) for i in range(reader.num_record_batches))


def open_columnar(file: TableFile, kind: str) -> ColumnarFile:
    """The names in a file, and what its rows can be read from."""
    with _refused(file, kind):
        if kind == "arrow":
            schema = _ipc_reader(file).schema
            return ColumnarFile(file, kind, tuple(schema.names), None, None, schema)
        opened = _parquet_file(file)
        found = opened.metadata
        schema = opened.schema_arrow
        return ColumnarFile(file, kind, tuple(schema.names), found.num_rows, opened, schema, found.metadata or {})


def checked(batch: pa.RecordBatch, wanted: Sequence[str]) -> list[pa.Array]:
    """These columns of a batch, all of whose offsets, indices and texts are sound."""
    batch.validate(full=True)
    columns = [batch.column(name) for name in wanted]
    for column in columns:
        if pa.types.is_timestamp(column.type):
            _ = column.type.tz  # a name of a time zone that is not UTF-8 is found here, where it is told
    return [plain(column) for column in columns]


@contextmanager
def _refused(file: TableFile, kind: str) -> Iterator[None]:
    """Whatever goes wrong inside is the file's fault: each wrong byte may surface as an error of another kind."""
    try:
        yield
    except MemoryError:
        raise TableError(
            f"{file.name} asks for more memory than there is: it is damaged, or holds more rows in one batch than fit."
        ) from None
    except Exception:
        raise TableError(
            f"{file.name} is damaged or cut off: it cannot be read as {kind.capitalize()}. Copy or write it again."
        ) from None


def _parquet_file(file: TableFile) -> Any:
    from pyarrow import parquet

    first = parquet.ParquetFile(file.handle, pre_buffer=False)
    texts = [field.name for field in first.schema_arrow if pa.types.is_string(field.type)]
    buffer = min(_BUFFER, max(1 << 13, _BUFFERS // max(1, len(first.schema_arrow))))
    # Reading ahead is done by another thread, and each thread keeps memory of its own. Without a buffer, all bytes of a
    # group of rows are held at once, and a file may have no other groups.
    return parquet.ParquetFile(
        file.handle, metadata=first.metadata, read_dictionary=texts, pre_buffer=False, buffer_size=buffer
    )


def _ipc_reader(file: TableFile, options: Any = None) -> Any:
    try:
        return pa.ipc.open_file(file.handle, options=options)
    except pa.ArrowInvalid:  # not the format of files, but that of streams
        return pa.ipc.open_stream(file.stream(), options=options)
