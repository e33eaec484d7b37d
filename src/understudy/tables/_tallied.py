"""Columns of which only values and how often each occurs are known, as in a database: their codes, their faults."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from understudy.databases import PostgresTable, literal, quoted
from understudy.schema import Field
from understudy.tables._databases import as_column
from understudy.tables._encode import MARKS, ColumnEncoder, Problem
from understudy.tables._plain import plain
from understudy.tables._read import sentences


@dataclass(frozen=True, eq=False, kw_only=True)
class ValueCodes:
    """The values that occur in a column: as the server writes each, its code or mark, and its number of rows."""

    keys: tuple[str | None, ...]
    marks: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]
    refusal: str | None = None
    """Why no cell of its type can be read, if so."""


def read_values(server: PostgresTable, field: Field, most: int) -> ValueCodes | None:
    """The values of a column that occur, encoded as cells are; None if there are more than `most`."""
    column = server.columns[field.name]
    cell, table = column.exact, server.source
    found = server.ask(
        f"SELECT {cell} AS v, {cell}::text AS k, count(*) AS n FROM {table} GROUP BY {cell} LIMIT {most + 1}"
    )
    if len(found) > most:
        return None
    encoder = ColumnEncoder(field)
    cells = as_column(plain(found["v"].combine_chunks()), column.arrives)
    marks, indices = encoder.marks(cells)
    return ValueCodes(
        keys=tuple(found["k"].to_pylist()),
        marks=marks if indices is None else marks[indices],
        counts=found["n"].to_numpy().astype(np.int64),
        refusal=encoder.refusal,
    )


def faults_of(field: Field, counts: Mapping[int, int], *, refusal: str | None = None, near: int = 0) -> list[str]:
    """What is wrong with a column, from the number of cells by code or mark: the sentences of reading it.

    >>> from understudy.schema import Schema
    >>> sex = Schema.from_dict({"fields": [{"name": "sex", "categories": ["F", "M"]}]})["sex"]
    >>> faults_of(sex, {0: 3, -3: 1})[0][:58]
    "column 'sex': 1 value is missing where none may be. Set co"
    """
    encoder = ColumnEncoder(field)
    encoder.refusal = refusal
    for mark, trouble in MARKS.items():
        if counts.get(mark, 0):
            encoder.problems[trouble] = Problem(
                trouble=trouble, count=counts[mark], rows=(), near=near if trouble == "outside" else 0
            )
    return sentences(encoder)


def near_categories(server: PostgresTable, field: Field) -> int:
    """Cells of a column of texts that are no category, but would be were it not for spaces or capitals.

    The server counts them: what they hold, which nobody declared, does not leave it for the sake of a hint.
    """
    if field.type != "string":
        return 0
    known = [text for text in (str(category.value) for category in field.categories) if "\0" not in text]
    alike = {text.strip().lower() for text in known}
    fits = [text for text in (*known, *field.missing_texts) if "\0" not in text]
    any_script = server.ask("SELECT 1 AS one FROM pg_collation WHERE collname = 'und-x-icu'").num_rows > 0
    cell = f"{server.columns[field.name].place}::text"
    plainly = f"{cell} COLLATE {quoted('und-x-icu' if any_script else 'C')}"
    plainly = rf"lower(regexp_replace({plainly}, '^\s+|\s+$', '', 'g')) COLLATE "
    found = server.ask(
        f'SELECT count(*) AS n FROM {server.source} WHERE ({cell} COLLATE "C") NOT IN ({_listed(fits)}) '
        f'AND ({plainly}"C") IN ({_listed(alike)})'
    )
    return int(found["n"][0].as_py())


def _listed(texts: Iterable[str]) -> str:
    return ",".join(map(literal, sorted(texts)))
