"""What commands share about files to write and numbers to read."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import typer

from understudy._core.addresses import looks_like_an_address
from understudy._core.errors import OptionError, OutputError
from understudy._core.files import exists, is_file, is_folder
from understudy._core.numbers import read_whole_number
from understudy.cli._interrupts import NOTHING


def read_rows(text: str) -> int:
    """A number of rows as people write it.

    >>> read_rows("1e6")
    1000000
    """
    try:
        return read_whole_number(text)
    except ValueError as error:
        raise typer.BadParameter(f"{error}.") from None


def refuse_target(out: Path, *, overwrite: bool, option: str = "--out", replaceable: bool = True) -> None:
    """Refuse a file to write that is there already, unless it is a plain file that may be replaced.

    `replaceable` says whether the command has an option to replace it, which the refusal then names.

    >>> refuse_target(Path("no-such-file.csv"), overwrite=False)
    """
    if out.name in ("", ".."):
        raise OptionError(f"'{out}' is not the name of a file. Give one with {option}.")
    if looks_like_an_address(out):
        raise OutputError(f"what {option} has is an address, and results are written to files. Name a file.")
    if is_folder(out):
        raise OutputError(f"'{out}' is a folder. Name a file.")
    if os.path.islink(out):
        raise OutputError(f"'{out}' is a link, and what it leads to is not replaced. Name the file itself.")
    if not exists(out):
        return
    if not is_file(out):
        raise OutputError(f"'{out}' is not a plain file (a pipe or a device), so it is not replaced. Name another.")
    if not overwrite:
        instead = ", or pass --overwrite to replace it" if replaceable else ""
        raise OutputError(f"the file '{out}' already exists. Choose another {option}{instead}.")


def completeness(out: Path, sentence: str) -> Callable[[], str]:
    """What to say of `out` if the run ends before it can: looked up then, so that nothing is denied or made up.

    >>> completeness(Path("no-such-folder"), "the release is complete.")()
    'nothing was written.'
    """
    before = _identity(out)
    return lambda: NOTHING if _identity(out) in (None, before) else sentence


def which_complete(files: Sequence[Path]) -> Callable[[], str]:
    """The same for a run that writes several files one after the other: those that are there by then are named.

    >>> which_complete([Path("no-such-file.csv"), Path("no-such-model.understudy")])()
    'nothing was written.'
    """
    before = {path: _identity(path) for path in files}

    def told() -> str:
        found = [str(path) for path in files if _identity(path) not in (None, before[path])]
        return f"complete: {', '.join(found)}; nothing else was written." if found else NOTHING

    return told


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
