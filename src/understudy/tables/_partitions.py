"""Many files that are one table: found by a folder or a pattern, held against each other, read one after the other."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from understudy._core.errors import TableError
from understudy._core.files import can_name_a_file, is_file, is_folder
from understudy.tables._files import FileMark, changed, gone
from understudy.tables._objects import Column

_ROWS = 1 << 17
_SHOWN = 5


def find_files(given: str | os.PathLike[str]) -> list[Path] | None:
    """The files that a folder holds or a pattern names, in the order of their names; None for anything else.

    Names that begin with a dot or an underscore are left out, as all that write folders of files keep notes there.

    >>> find_files("people.csv") is None
    True
    """
    path = Path(given)
    if not can_name_a_file(path) or is_file(path):
        return None
    if is_folder(path):
        found = [Path(home, name) for home, _, names in os.walk(path) for name in names]
        start = len(path.parts)
        nothing = f"the folder {path} holds no files with a table. Name the folder that they are in, or a file."
    elif glob.has_magic(str(path)):
        found = [Path(name) for name in glob.glob(str(path), recursive=True)]
        found = [name for name in found if is_file(name)]
        start = len(without_marks(path).parts)
        nothing = f"no file is called {path}. Look at the pattern, and put quotes around it in a shell."
    else:
        return None
    listed = sorted(name for name in found if not any(part[0] in "._" for part in name.parts[start:]))
    if not listed:
        raise TableError(nothing)
    return listed


def without_marks(path: Path) -> Path:
    """The part of a pattern that is a plain folder; of a folder, all of it.

    >>> str(without_marks(Path("visits/year=*/*.parquet")))
    'visits'
    """
    plain = []
    for part in path.parts:
        if glob.has_magic(part):
            break
        plain.append(part)
    return Path(*plain)


def sort_of(kind: pa.DataType) -> str:
    """What sort of cells a type of Arrow holds: enough to tell tables apart, and not the width of a number.

    >>> sort_of(pa.int8()), sort_of(pa.float64()), sort_of(pa.dictionary(pa.int8(), pa.string())), sort_of(pa.null())
    ('numbers', 'numbers', 'texts', 'nothing')
    """
    if pa.types.is_dictionary(kind):
        return sort_of(kind.value_type)
    if pa.types.is_null(kind):
        return "nothing"
    if pa.types.is_boolean(kind):
        return "true or false"
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return "numbers"
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return "texts"
    if pa.types.is_temporal(kind):
        return "moments"
    return str(kind)


class OneFile(Protocol):
    """What must be known of one of the files."""

    @property
    def kind(self) -> Any: ...
    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def n_rows(self) -> int | None: ...
    @property
    def n_bytes(self) -> int | None: ...
    @property
    def delimiter(self) -> str: ...
    @property
    def types(self) -> Mapping[str, str]: ...
    @property
    def mark(self) -> FileMark | None: ...
    def batches(self, wanted: Sequence[str], rows: int = _ROWS) -> Iterator[list[Column]]: ...
    def refuse_changed(self) -> None: ...


@dataclass(frozen=True)
class _Noted:
    """What is kept of a file that was looked at and closed again."""

    path: Path
    n_rows: int | None
    n_bytes: int
    mark: FileMark


class Partitions:
    """Files of one kind with the same columns, each open only while it is read, and known again by its mark."""

    def __init__(self, files: Sequence[Path], open_one: Callable[[Path], OneFile]) -> None:
        self._open_one = open_one
        self.first = open_one(files[0])
        self._notes: list[_Noted] = []
        for path in files:
            one = self.first if path == files[0] else open_one(path)
            _refuse_another(one, path, self.first, files[0])
            if one.mark is not None:
                self._notes.append(_Noted(path, one.n_rows, one.n_bytes or 0, one.mark))

    @property
    def n_rows(self) -> int | None:
        """Rows of all files, if each says how many it has."""
        rows = [note.n_rows for note in self._notes]
        return None if None in rows else sum(n for n in rows if n is not None)

    @property
    def n_bytes(self) -> int:
        """Bytes of all files."""
        return sum(note.n_bytes for note in self._notes)

    def batches(self, wanted: Sequence[str], rows: int = _ROWS) -> Iterator[list[Column]]:
        """These columns of one file after the other."""
        for note in self._notes:
            one = self._known(note)
            yield from one.batches(wanted, rows)
            one.refuse_changed()

    def refuse_changed(self) -> None:
        """Raise TableError if any of the files is gone, or is not what it was."""
        for note in self._notes:
            try:
                same = note.mark.fits(os.stat(note.path))
            except OSError:
                raise gone(str(note.path)) from None
            if not same:
                raise changed(str(note.path))

    def _known(self, note: _Noted) -> OneFile:
        if not is_file(note.path):
            raise gone(str(note.path))
        one = self._open_one(note.path)
        if one.mark != note.mark:
            raise changed(str(note.path))
        return one


def _refuse_another(one: OneFile, path: Path, first: OneFile, other: Path) -> None:
    """Refuse a file that is not of the same table as the first; of its names, only what the first has is told."""
    if one.kind != first.kind:
        raise TableError(
            f"{path} is of another kind than {other}: {one.kind} and {first.kind}. Name files of one kind, with a "
            f"pattern such as '*{path.suffix or path.name}' or '*{other.suffix or other.name}'."
        )
    missing = [name for name in first.names if name not in one.names]
    if 2 * len(missing) > len(first.names):
        raise TableError(
            f"{path} has hardly a column in common with {other}, so they are not parts of one table. Does its first "
            "line name the columns? Each file needs its own header."
        )
    if missing or len(one.names) != len(first.names):
        listed = ", ".join(f"'{name}'" for name in missing[:_SHOWN]) + (", …" if len(missing) > _SHOWN else "")
        lacks = f"it lacks {listed}" if missing else f"it has {len(one.names)}, and {len(first.names)} were expected"
        raise TableError(f"{path} has other columns than {other}: {lacks}. Parts of one table have the same columns.")
    for name, sort in first.types.items():
        found = one.types.get(name, sort)
        if found != sort and "nothing" not in (found, sort):
            raise TableError(
                f"{path}: column '{name}' holds {found}, and in {other} it holds {sort}. Parts of one table hold the "
                "same in a column: write them anew with one type."
            )
