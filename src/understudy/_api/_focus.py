"""The tables that matter most, read from a file: in the form of a workload, as `answer` has it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from understudy._core.errors import OptionError
from understudy.options import Tables

if TYPE_CHECKING:
    from understudy.answers import Line

_ENDINGS = (".csv", ".txt")
_JOINED = re.compile(r"""^[^'"]*\*[^'"]*$""")  # where names are in quotes, an asterisk may be part of one
_CONDITION = re.compile(r"[|=<>]")


def read_focus(given: Any) -> Any:
    """The tables of a file, each the names of its columns; whatever names no file as it is.

    A line is a table, `income, education` or `table(income, education)`; of a query with conditions, its columns. With
    `*` between names it is read as `--focus` reads text: `income*education, age*sex` are two tables.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "tables.txt"
    >>> _ = path.write_text("income, education\\ntable(age, sex | smoker=yes)\\n")
    >>> read_focus(path)
    (('income', 'education'), ('age', 'sex', 'smoker'))
    >>> _ = path.write_text("income*education\\nage * sex, sex*smoker\\n")
    >>> read_focus(path)
    (('income', 'education'), ('age', 'sex'), ('sex', 'smoker'))
    >>> read_focus(("income", "education"))
    ('income', 'education')
    """
    path = _file(given)
    if path is None:
        return given
    from understudy.answers import read_lines  # here, so that runs without a file load nothing for it

    return tuple(table for line in read_lines(path) for table in _tables(line))


def _file(given: Any) -> str | None:
    """The path, where a file is named; one beside other names is refused."""
    if isinstance(given, PathLike):
        return str(fspath(given))
    words = [given] if isinstance(given, str) else list(given) if isinstance(given, Iterable) else []
    files = [word for word in words if isinstance(word, str) and word.lower().endswith(_ENDINGS)]
    if files and len(words) > 1:
        raise OptionError(
            f"The 'focus' parameter names the file '{files[0]}' and more. Give one file of tables, or names of columns."
        )
    return files[0] if files else None


def _tables(line: Line) -> tuple[str | tuple[str, ...], ...]:
    if _JOINED.search(line.text) and not _CONDITION.search(line.text):
        return Tables().read(line.text)
    return (_columns(line),)


def _columns(line: Line) -> tuple[str, ...]:
    from understudy.release import parse_question, parse_terms

    try:
        if line.kind == "count" and "=" in line.text:
            return tuple(term.name for term in parse_terms(line.text))
        question = parse_question(line.text)
        return tuple(dict.fromkeys([*question.names, *(term.name for term in question.terms)]))
    except OptionError as error:
        raise OptionError(f"{line.where}: {error}") from None
