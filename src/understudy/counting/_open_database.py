"""From a table on a server to the engine that counts there: every cell is checked by the server before any charge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

import numpy as np

from understudy._core.errors import OptionError, TableError
from understudy.counting._batch import Ints
from understudy.counting._counter import Counts
from understudy.counting._known import KnownTables
from understudy.counting._open_passes import open_passes
from understudy.counting._opening import Opening
from understudy.counting._pass_counter import PassCounter
from understudy.counting._sql_codes import MISSING, SqlCode, code_of, looked_up, no_value
from understudy.counting._sql_passes import Grouped, SqlPasses, group_by
from understudy.counting._sql_rules import rows_that_count
from understudy.counting._view import View
from understudy.databases import PostgresTable
from understudy.schema import Field, Marginal, Schema
from understudy.tables import Source, Table, column_faults, faults_of, near_categories, open_source, read_values

MOST_VALUES = 50_000
"""Values of a column that are asked for, where they cannot be encoded by what is declared alone."""
_MOST_CELLS = 1 << 16
_READING = "checking the table in its database"


def open_database(rows: Table | Any, opening: Opening) -> PassCounter:
    """The engine: a server counts its own rows, and only cells of tables leave it."""
    source = None if opening.schema is None else open_source(rows)
    if source is None or source.server is None or opening.schema is None:
        raise OptionError("the engine database counts rows on a PostgreSQL server, and these are on none.")
    if opening.unit is not None:
        _needs_rows("the rows of a unit are bounded one by one, which needs the rows themselves")
    if opening.declared is not None and opening.declared.mends:
        # Whether or not some row breaks it: a refusal that depends on that would tell what mending is to hide.
        _needs_rows("rows that break what the schema declares are mended one by one (brokenRows: mend)")
    return _First(source, source.server, opening.schema, opening).counter()


def n_checks(server: PostgresTable, schema: Schema) -> int:
    """Queries over a table that check all of its cells, and count each column."""
    places = [(place, field) for place, field in enumerate(schema.fields) if field.name in server.columns]
    declared = [field for place, field in places if code_of(field, server.columns[field.name], place) is not None]
    return len(places) - len(declared) + len(list(_portions(declared)))


def _needs_rows(why: str) -> NoReturn:
    raise OptionError(
        f"this cannot be counted inside the database: {why}. If the rows may leave their server, add --pull --engine "
        "stream (pull=True, engine='stream')."
    )


class _First:
    """The first pass: a query or a few for all columns."""

    def __init__(self, source: Source, server: PostgresTable, schema: Schema, opening: Opening) -> None:
        self._server, self._schema, self._opening = server, schema, opening
        self._faults: dict[str, list[str]] = {}
        self._codes: dict[str, SqlCode] = {}
        self._counts: dict[str, Counts] = {}
        self._done, self._n_rows = 0, 0
        if faults := column_faults(source.names, schema):
            raise TableError(*faults)

    def counter(self) -> PassCounter:
        """Check all cells, then what is declared of rows; the counter if nothing is wrong."""
        declared = []
        for place, field in enumerate(self._schema.fields):
            code = code_of(field, self._server.columns[field.name], place)
            if code is None:
                self._by_values(field, place)
            else:
                self._codes[field.name] = code
                declared.append(field)
        for fields in _portions(declared):
            self._by_codes(fields)
        n_rows = self._n_rows
        if n_rows == 0:
            raise TableError("the table has a header but no rows. There is nothing to publish.")
        if faults := [fault for field in self._schema.fields for fault in self._faults.get(field.name, ())]:
            raise TableError(*faults)
        self._opening.checked(n_rows)
        codes = tuple(self._settled(field, place) for place, field in enumerate(self._schema.fields))
        passes = SqlPasses(
            server=self._server,
            table=self._server.source,
            codes=codes,
            view=View.of(self._schema.domain),
            n_rows=n_rows,
        )
        passes = rows_that_count(passes, self._opening.declared, _needs_rows)
        columns = [Marginal.of(a) for a in range(len(codes))]
        tables = [self._counts[field.name] for field in self._schema.fields]
        if passes.where:
            tables = passes.tables(columns, lambda done: None)
        known = KnownTables.of(self._schema.domain, columns, tables)
        return open_passes(passes, self._opening, n_rows=n_rows, n=int(tables[0].sum()), known=known)

    def _settled(self, field: Field, place: int) -> SqlCode:
        """The code of a column, for cells that were all found to have one."""
        return (
            code_of(field, self._server.columns[field.name], place, self._counts[field.name]) or self._codes[field.name]
        )

    def _by_values(self, field: Field, place: int) -> None:
        """Encode the values that occur here, and tell the server the code of each."""
        found = read_values(self._server, field, MOST_VALUES)
        if found is None:
            _needs_rows(
                f"column '{field.name}' has more than {MOST_VALUES:,} different values, each of which has to be read "
                f"here as a {field.type}"
            )
        column = self._server.columns[field.name]
        codes = dict(zip(found.keys, found.marks.tolist(), strict=True))
        missing = codes.pop(None, no_value(field)[1])
        keys = {key: code for key, code in codes.items() if key is not None}
        self._codes[field.name] = looked_up(column.exact, keys, str(missing), place, type=column.cell_type)
        self._note(field, found.marks, found.counts, refusal=found.refusal)

    def _by_codes(self, fields: Sequence[Field]) -> None:
        """Codes and marks of some columns, from one query."""
        parts = [
            Grouped(_shifted(self._codes[field.name]), np.arange(field.size - MISSING), field.size - MISSING)
            for field in fields
        ]
        classes, counts = group_by(self._server, self._server.source, parts)
        for field, found in zip(fields, classes, strict=True):
            self._note(field, found + MISSING, counts)

    def _note(self, field: Field, marks: Ints, counts: Counts, refusal: str | None = None) -> None:
        tally = np.bincount(marks - MISSING, counts, field.size - MISSING).astype(np.int64)
        self._counts[field.name] = tally[-MISSING:]
        self._n_rows = int(counts.sum())
        bad = {mark: int(tally[mark - MISSING]) for mark in range(MISSING, 0)}
        if any(bad.values()):
            textual = self._server.columns[field.name].cell_type == "text"
            near = near_categories(self._server, field) if textual and bad[-2] else 0
            self._faults[field.name] = faults_of(field, bad, refusal=refusal, near=near)
        self._done += 1
        if self._opening.progress is not None:
            self._opening.progress(_READING, self._done, len(self._schema.fields))


def _shifted(code: SqlCode) -> SqlCode:
    """With marks from 0 on."""
    return SqlCode(code=f"({code.code})+{-MISSING}", joins=code.joins)


def _portions(fields: Sequence[Field]) -> Iterator[list[Field]]:
    """Columns that are checked by one query: as many as have few cells together."""
    portion: list[Field] = []
    cells = 1
    for field in sorted(fields, key=lambda field: field.size):
        more = field.size - MISSING
        if portion and cells * more > _MOST_CELLS:
            yield portion
            portion, cells = [], 1
        portion.append(field)
        cells *= more
    if portion:
        yield portion
