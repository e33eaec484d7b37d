"""A file with a table in it, opened once: whatever reads it, and however often, reads the same handle."""

from __future__ import annotations

import os
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal, TypeAlias

import pyarrow as pa

from understudy._core.errors import TableError
from understudy._core.files import can_name_a_file, exists, is_file, is_folder
from understudy.databases import FileDatabase, database_kind

FileKind: TypeAlias = Literal["csv", "parquet", "arrow"]
_GZIP = b"\x1f\x8b"
_END = 1 << 16


@dataclass(frozen=True, slots=True)
class FileMark:
    """By what a file is known again: where it is on the disk, its size, when it was written, and how it ends.

    A Parquet file ends with its footer, which tells where all else is.
    """

    device: int
    inode: int
    n_bytes: int
    written: int
    end: bytes

    @classmethod
    def of(cls, found: os.stat_result, handle: Any) -> FileMark:
        """The mark of a file that is open."""
        size = min(found.st_size, handle.size())
        end = handle.read_at(min(size, _END), max(0, size - _END))
        return cls(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, blake2b(end, digest_size=16).digest())

    def fits(self, found: os.stat_result) -> bool:
        """Whether a file may be the one, by what can be told without opening it."""
        known = self.device, self.inode, self.n_bytes, self.written
        return known == (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


def gone(name: str) -> TableError:
    """The error for a file that is there no more."""
    return TableError(f"{name} is gone: it was there when reading began. Put it back, and start again.")


def changed(name: str) -> TableError:
    """The error for a file that is not what it was."""
    return TableError(
        f"{name} changed while it was read: what was counted before and after would be of two tables. Start again once "
        "nobody writes to it."
    )


@dataclass(frozen=True, eq=False)
class TableFile:
    """An open file. It is closed when nothing refers to it any more."""

    path: Path
    handle: Any
    """Arrow's own: it can be read from many places at a time."""
    n_bytes: int
    packed: bool
    """Whether its bytes are gzipped."""
    mark: FileMark
    """By what it is known again."""
    label: str | None = None
    """What it is called where its name alone would not do, as in a folder of many."""

    @property
    def name(self) -> str:
        """The file's name, without its folder."""
        return self.path.name if self.label is None else self.label

    def refuse_changed(self) -> None:
        """Raise TableError if the file is gone, or is not what it was when it was opened."""
        try:
            now = FileMark.of(os.stat(self.path), self.handle)
        except OSError:
            raise gone(self.name) from None
        if now != self.mark:
            raise changed(self.name)

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
        return TableError(
            f"cannot read {self.name}: {error.strerror or 'it is damaged or cut off. Copy or write it again'}."
        )


def open_file(path: Path, label: str | None = None) -> tuple[TableFile, FileKind | FileDatabase]:
    """The file, opened, and its kind by its first bytes."""
    if not can_name_a_file(path):
        raise TableError(f"there is no file {str(path)!r}: no file can have this name.")
    if is_folder(path):
        raise TableError(f"{path} is a folder, where a file is expected.")
    if exists(path) and not is_file(path):
        raise TableError(f"{path} is a pipe or a device, which can be read once only. Write its rows to a file first.")
    try:
        handle = pa.OSFile(os.fsencode(path))  # as bytes: a name need not be UTF-8
        n_bytes = handle.size()
        packed = handle.read(2) == _GZIP
        mark = FileMark.of(os.fstat(handle.fileno()), handle)
    except FileNotFoundError:
        raise TableError(f"there is no file {path}.") from None
    except OSError as error:
        raise TableError(
            f"cannot read {label or path.name}: {error.strerror or 'it is damaged or cut off. Copy or write it again'}."
        ) from None
    file = TableFile(path, handle, n_bytes, packed, mark, label)
    return file, _kind(file)


def _kind(file: TableFile) -> FileKind | FileDatabase:
    with file.stream() as stream:
        start = file.read(stream, 16)
    if (database := database_kind(start)) is not None and not file.packed:
        return database
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
