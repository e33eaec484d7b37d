"""A workload as people write it: a CSV with a column `query`, a text with a query a line, or a list. Words only."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from understudy._core.errors import OptionError, did_you_mean

Kind: TypeAlias = Literal["count", "table"]
KINDS: tuple[Kind, ...] = ("count", "table")
_CALL = re.compile(r"^\s*(count|table)\s*\((.*)\)\s*$", re.IGNORECASE | re.DOTALL)
_COLUMNS = ("query", "name", "kind")
_MOST_BYTES = 1 << 28
EXAMPLE = "Write it like: age=20..39, sex=Female (a count), or table(age, sex) (all cells of a table)."


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One query as written, and where.

    >>> Line.of("table(age, sex)", where="line 1").kind
    'table'
    """

    kind: Kind
    text: str
    name: str
    where: str

    @classmethod
    def of(cls, text: str, *, where: str, name: str = "", kind: str = "") -> Line:
        """A query from its text; `kind` says what the text is, where it does not say so itself."""
        told = kind.strip().lower()
        if told not in ("", *KINDS):
            raise OptionError(f"{where}: there is no kind of query '{kind}'. {did_you_mean(told, KINDS)}")
        call = _CALL.match(text)
        if call is not None:
            said, text = call[1].lower(), call[2]
            if told and told != said:
                raise OptionError(f"{where}: the query says '{said}' and its kind '{told}'. Say one of them.")
            told = said
        return cls(kind="table" if told == "table" else "count", text=text.strip(), name=name.strip(), where=where)


def read_lines(queries: object) -> list[Line]:
    """The queries of a file, of a list of texts, or of a mapping from names to texts; a `Line` is taken as it is.

    >>> [line.text for line in read_lines(["age=20..39", "table(sex)"])]
    ['age=20..39', 'sex']
    >>> read_lines([])
    Traceback (most recent call last):
    understudy._core.errors.OptionError: the workload has no query. Write it like: age=20..39, sex=Female (a count), \
or table(age, sex) (all cells of a table).
    """
    if isinstance(queries, str | os.PathLike):
        found = _read_file(Path(queries))
    elif isinstance(queries, Mapping):
        found = [Line.of(str(text), where=f"query '{name}'", name=str(name)) for name, text in queries.items()]
    elif isinstance(queries, Sequence):
        found = [
            given if isinstance(given, Line) else Line.of(_text(given), where=f"query {number}")
            for number, given in enumerate(queries, 1)
        ]
    else:
        raise OptionError(
            "queries are a file, a list of texts or a mapping from names to texts. "
            f"Got {type(queries).__name__} instead."
        )
    if not found:
        raise OptionError(f"the workload has no query. {EXAMPLE}")
    return found


def _text(given: object) -> str:
    if not isinstance(given, str):
        raise OptionError(f"a query is text. Got {type(given).__name__} instead. {EXAMPLE}")
    return given


def _read_file(path: Path) -> list[Line]:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise OptionError(f"the workload '{path}' is larger than 256 MB. Split it.")
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise OptionError(f"the workload '{path}' cannot be read: {reason}.") from None
    except ValueError:
        raise OptionError(f"the workload '{path}' is not a text in UTF-8.") from None
    is_csv = path.name.lower().endswith(".csv")
    return list(_from_csv(text, path.name) if is_csv else _from_text(text, path.name))


def _from_text(text: str, name: str) -> Iterator[Line]:
    """A query a line; empty lines and those that begin with # are left out."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield Line.of(line, where=f"{name}, line {number}")


def _from_csv(text: str, name: str) -> Iterator[Line]:
    reader = csv.reader(io.StringIO(text), strict=True)
    try:
        header = [word.strip().lower() for word in next(reader, [])]
        for word in header:
            if word not in _COLUMNS:
                raise OptionError(f"{name}, line 1: there is no column '{word}'. {did_you_mean(word, _COLUMNS)}")
        if "query" not in header or len(set(header)) != len(header):
            raise OptionError(
                f"{name}, line 1: a workload needs one column 'query'; 'name' and 'kind' may stand beside."
            )
        for row in reader:
            if not any(cell.strip() for cell in row):
                continue
            where = f"{name}, line {reader.line_num}"
            if len(row) > len(header):
                raise OptionError(
                    f"{where}: {len(row)} cells, but {len(header)} columns. Put a query that contains commas in quotes."
                )
            given = dict(zip(header, row, strict=False))
            yield Line.of(given.get("query", ""), where=where, name=given.get("name", ""), kind=given.get("kind", ""))
    except csv.Error as error:
        raise OptionError(f"{name}, line {reader.line_num}: not a line of a CSV file ({error}).") from None
