"""A file with a table in it, opened once: whatever reads it, and however often, reads the same handle."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import pyarrow as pa

from understudy._core.errors import TableError
from understudy._core.files import can_name_a_file, exists, is_file, is_folder

FileKind: TypeAlias = Literal["csv", "parquet", "arrow"]
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True, eq=False)
class TableFile:
    """An open file. It is closed when nothing refers to it any more."""

    path: Path
    handle: Any
    """Arrow's own: it can be read from many places at a time."""
    n_bytes: int
    packed: bool
    """Whether its bytes are gzipped."""

    @property
    def name(self) -> str:
        """The file's name, without its folder."""
        return self.path.name

    def stream(self) -> Any:
        """Its bytes from the start, unpacked."""
        stream = self.handle.get_stream(0, self.n_bytes)
        return pa.CompressedInputStream(stream, "gzip") if self.packed else stream

    def read(self, stream: Any, size: int) -> bytes:
        """The next bytes of one of its streams."""
        try:
            data: bytes = stream.read(size)
        except OSError as error:
            raise self.unreadable(error) from None
        return data

    def unreadable(self, error: OSError) -> TableError:
        """The error for what the operating system or the unpacker cannot read."""
        return TableError(f"cannot read {self.name}: {error.strerror or 'it is damaged or cut off'}.")


def open_file(path: Path) -> tuple[TableFile, FileKind]:
    """The file, opened, and its kind by its first bytes."""
    if not can_name_a_file(path):
        raise TableError(f"there is no file {str(path)!r}: no file can have this name.")
    if is_folder(path):
        raise TableError(f"{path} is a folder. Give the file that holds the table.")
    if exists(path) and not is_file(path):
        raise TableError(f"{path} is a pipe or a device, which can be read once only. Write its rows to a file first.")
    try:
        handle = pa.OSFile(os.fsencode(path))  # as bytes: a name need not be UTF-8
        n_bytes = handle.size()
        packed = handle.read(2) == _GZIP
    except FileNotFoundError:
        raise TableError(f"there is no file {path}.") from None
    except OSError as error:
        raise TableError(f"cannot read {path.name}: {error.strerror or 'it is damaged or cut off'}.") from None
    file = TableFile(path, handle, n_bytes, packed)
    return file, _kind(file)


def _kind(file: TableFile) -> FileKind:
    with file.stream() as stream:
        start = file.read(stream, 8)
    found: FileKind = "csv"
    if start.startswith(b"PAR1"):
        found = "parquet"
    elif start.startswith((b"ARROW1", b"\xff\xff\xff\xff")):
        found = "arrow"
    elif start.startswith(b"PK\x03\x04"):
        raise TableError(f"{file.name} is a spreadsheet or a zip archive. Save the table as CSV UTF-8 or Parquet.")
    if file.packed and found != "csv":
        raise TableError(f"{file.name} is a gzipped {found.capitalize()} file. Unpack it first.")
    return found
