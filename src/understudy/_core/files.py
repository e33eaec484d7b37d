"""Files that are written whole or not at all, and what to say when they cannot be."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from understudy._core.drafts import draft_of
from understudy._core.errors import OutputError

NOTHING_LEFT = "Nothing was left behind."
_FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", -1), errno.EFBIG)


def can_name_a_file(path: str | os.PathLike[str]) -> bool:
    """Whether any file could have this name: no empty text, none with a NUL, none with half a character.

    >>> can_name_a_file("budget.db"), can_name_a_file("no\\0name"), can_name_a_file("\\ud800")
    (True, False, False)
    """
    try:
        name = os.fsencode(path)
    except ValueError:
        return False
    return bool(name) and b"\0" not in name


def is_file(path: Path) -> bool:
    """Whether there is such a file. Never raises, as pathlib's own does where a name is too long for any file.

    >>> is_file(Path("x" * 5000)), is_file(Path("no\\0name"))
    (False, False)
    """
    return os.path.isfile(path)


def is_folder(path: Path) -> bool:
    """Whether there is such a folder.

    >>> is_folder(Path("x" * 5000)), is_folder(Path())
    (False, True)
    """
    return os.path.isdir(path)


def exists(path: Path) -> bool:
    """Whether there is anything of that name.

    >>> exists(Path("x" * 5000)), exists(Path())
    (False, True)
    """
    return os.path.exists(path)


def write_bytes(path: Path, data: bytes, *, left: str = NOTHING_LEFT) -> None:
    """Write a file whole or not at all; `left` says what there is if it cannot be written.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_bytes(Path(folder, "a.txt"), b"all of it")
    ...     Path(folder, "a.txt").read_bytes()
    b'all of it'
    """
    with as_output_error(path, left=left), draft_of(path) as draft:
        with draft.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)


@contextmanager
def parents_made(path: Path) -> Iterator[None]:
    """Make the folders that lead to a file. Those that were missing are gone again if the block fails.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as home:
    ...     with parents_made(Path(home, "outbox", "hospital.parquet")):
    ...         os.listdir(home)
    ['outbox']
    """
    missing = [folder for folder in path.absolute().parents if not folder.exists()]
    made: list[Path] = []
    try:
        for folder in reversed(missing):
            folder.mkdir(exist_ok=True)
            made.append(folder)
        yield
    except BaseException:
        for folder in reversed(made):
            with suppress(OSError):  # somebody else put something into it
                folder.rmdir()
        raise


@contextmanager
def as_output_error(out: Path, *, left: str = NOTHING_LEFT) -> Iterator[None]:
    """Turn the operating system's refusals into a sentence about `out`, with what is `left` of the work.

    >>> with as_output_error(Path("release")):
    ...     raise OSError(errno.ENOSPC, "no space")
    Traceback (most recent call last):
    understudy._core.errors.OutputError: cannot write 'release': the disk is full. Nothing was left behind. Free \
some space or choose another place.
    """
    try:
        yield
    except OSError as error:
        reason = {
            errno.ENOSPC: "the disk is full",
            getattr(errno, "EDQUOT", -1): "the disk quota is used up",
            errno.EFBIG: "a file became larger than this system allows",
            errno.EACCES: "permission denied",
            errno.EPERM: "permission denied",
            errno.EROFS: "the disk is read-only",
            errno.ENOENT: "there is no such folder",
            errno.EISDIR: "it is a folder",
            errno.ENOTDIR: "a part of the path is a file",
            errno.ENAMETOOLONG: "the name is too long",
        }.get(error.errno or 0, error.strerror or type(error).__name__)
        advice = "Free some space or choose another place." if error.errno in _FULL else "Choose another place."
        told = OutputError(f"cannot write '{out}': {reason}. {left} {advice}")
        for note in getattr(error, "__notes__", []):
            told.add_note(note)
        raise told from error
