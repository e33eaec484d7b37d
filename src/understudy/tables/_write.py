"""Writing tables, streaming and all or nothing: the file appears under its name only once it is whole."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from understudy._core.drafts import draft_of
from understudy._core.errors import OutputError
from understudy._core.formats import endings_in_words, format_of
from understudy.schema import Schema


class TableWriter(Protocol):
    """Takes batches of decoded rows."""

    def write(self, batch: pa.RecordBatch) -> None:
        """Append these rows."""
        ...


@contextmanager
def open_writer(
    path: str | Path,
    schema: Schema,
    *,
    metadata: Mapping[str, str] | None = None,
    delimiter: str = ",",
    coded: bool = False,
) -> Iterator[TableWriter]:
    """A writer for `.csv`, `.csv.gz` or `.parquet`. Nothing is left behind if the block fails or is interrupted.

    `metadata` goes into the file's own metadata where the format has any (Parquet); `delimiter` stands between the
    cells of a CSV. With `coded`, columns of texts come as codes with a dictionary (Parquet); what is read is the same.

    CSV holds dates in their format, booleans in their own texts and the first of `missingValues` for missing.

    >>> import tempfile
    >>> schema = Schema.from_dict({"fields": [{"name": "day", "type": "date", "format": "%d.%m.%Y",
    ...     "constraints": {"minimum": "2020-01-01", "maximum": "2020-12-31"}}]})
    >>> target = Path(tempfile.mkdtemp()) / "days.csv"
    >>> with open_writer(target, schema) as writer:
    ...     writer.write(pa.record_batch([pa.array([18262], pa.int32()).cast(pa.date32())], names=["day"]))
    >>> target.read_text()
    'day\\n01.01.2020\\n'
    """
    path = Path(path)
    make = _maker(path)
    with ExitStack() as stack:
        with _os_errors_explained(path):
            draft = stack.enter_context(draft_of(path))
            writer = make(draft, schema, metadata or {}, delimiter, **({"coded": True} if coded else {}))
        try:
            yield _Guarded(writer, path)
        except BaseException:
            with suppress(Exception):  # the first error is the one to tell
                writer.close()
            raise
        with _os_errors_explained(path):
            writer.close()
            os.replace(draft, path)


@contextmanager
def _os_errors_explained(path: Path) -> Iterator[None]:
    """Failures of the operating system as a sentence."""
    try:
        yield
    except OSError as error:
        raise _failed(path, error) from None


class _Guarded:
    def __init__(self, writer: TableWriter, path: Path) -> None:
        self._writer, self._path = writer, path

    def write(self, batch: pa.RecordBatch) -> None:
        with _os_errors_explained(self._path):
            self._writer.write(batch)


def _maker(path: Path) -> Any:
    """The class that writes files of this name."""
    format = format_of(path.name)
    if format is None:
        raise OutputError(f"cannot tell the format of '{path.name}'. End the name in {endings_in_words()}.")
    module, name = format.writer
    return getattr(import_module(module), name)


def _failed(path: Path, error: OSError) -> OutputError:
    if isinstance(error, FileNotFoundError):
        return OutputError(f"cannot write {path.name}: there is no folder {path.parent}. Make it first.")
    reason = error.strerror or str(error).partition("]")[2].strip() or "the write failed"
    advice = " Free some space or choose another folder." if error.errno == 28 else ""
    return OutputError(f"cannot write {path.name}: {reason}. Nothing was left behind.{advice}")
