"""Files cut into parts that can be read each by itself, on any machine that sees the files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from understudy._core.errors import TableError
from understudy._core.files import is_file
from understudy.tables._columnar import open_columnar
from understudy.tables._csv import csv_batches, read_header
from understudy.tables._files import TableFile, changed, open_file
from understudy.tables._hive import path_keys, with_keys
from understudy.tables._objects import Column

_LEAST_ROWS, _LEAST_BYTES = 1 << 19, 1 << 24


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePart:
    """A file, or some row groups of one."""

    path: str
    n_bytes: int
    end: bytes
    """Of the file's last bytes, as in its mark: by this it is known again."""
    groups: tuple[int, ...] | None = None


def cut_files(files: Sequence[Path], most: int) -> list[tuple[FilePart, ...]]:
    """The files in their order, cut into at most so many portions that are worth a task each.

    A Parquet file is cut between its row groups, any other is one piece.

    >>> cut_files([], 4)
    []
    """
    pieces = [piece for path in files for piece in _pieces(path)]
    total = sum(cost for cost, _ in pieces)
    # one more than would do: a portion is full once it has its share, so that the last may be small
    share = max(1.0, total / max(1, most - 1))
    portions: list[tuple[FilePart, ...]] = []
    held: list[FilePart] = []
    weight = 0.0
    for cost, piece in pieces:
        held.append(piece)
        weight += cost
        if weight >= share:
            portions.append(tuple(held))
            held, weight = [], 0.0
    return [*portions, tuple(held)] if held else portions


def _pieces(path: Path) -> Iterator[tuple[float, FilePart]]:
    """What a file can be cut into, and how much of a task's least worth each is."""
    file, kind = open_file(path, label=str(path))
    whole = FilePart(path=str(path.absolute()), n_bytes=file.n_bytes, end=file.mark.end)
    if kind != "parquet":
        yield file.n_bytes / _LEAST_BYTES, whole
        return
    found = open_columnar(file, kind).opened.metadata
    for group in range(found.num_row_groups):
        rows = found.row_group(group).num_rows
        piece = FilePart(path=whole.path, n_bytes=whole.n_bytes, end=whole.end, groups=(group,))
        yield rows / _LEAST_ROWS, piece


def read_parts(parts: Sequence[FilePart], wanted: Sequence[str], rows: int) -> Iterator[list[Column]]:
    """These columns of one part after the other; each must be what it was when it was cut."""
    for part in parts:
        if not is_file(Path(part.path)):
            raise TableError(unseen(part.path))
        file, kind = open_file(Path(part.path), label=part.path)
        if (file.n_bytes, file.mark.end) != (part.n_bytes, part.end):
            raise changed(part.path)
        yield from _read(file, kind, part, wanted, rows)


def _read(file: TableFile, kind: str, part: FilePart, wanted: Sequence[str], rows: int) -> Iterator[list[Column]]:
    keys = path_keys(Path(part.path))  # of all folders, but only of columns that the file has not
    if kind == "csv":
        header = read_header(file)
        return with_keys(lambda some, n: csv_batches(file, header, some), header.names, keys, wanted, rows)
    opened = open_columnar(file, kind)
    return with_keys(lambda some, n: opened.batches(some, n, part.groups), opened.names, keys, wanted, rows)


def unseen(path: str) -> str:
    """What to say of a file that a machine of the cluster does not have.

    >>> unseen("a.parquet")[:44]
    'a.parquet is not there on a machine of the c'
    """
    return (
        f"{path} is not there on a machine of the cluster, or is gone. Each must see the files under the same path: "
        "put them on storage that all share, or read them with Spark and give the DataFrame."
    )
