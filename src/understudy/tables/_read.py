"""Reading a table into codes, and checking it against its schema. What is found here is private to the holder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from understudy._core.errors import TableError
from understudy.schema import BrokenRows, Codes, Field, Schema
from understudy.tables._columns import column_faults
from understudy.tables._crowded import CellsSeen, has_wide_cells
from understudy.tables._dependency_checks import DependencyCheck, DependencyReader
from understudy.tables._encode import ColumnEncoder, Problem
from understudy.tables._nearly import on_nearly
from understudy.tables._sources import Source, open_source
from understudy.tables._table import Table, code_type
from understudy.tables._units import UnitReader

Progress: TypeAlias = Callable[[int], None]
PRIVATE = "computed from the real table: do not publish"
_LEAST_ROWS, _MOST_ROWS, _BATCHES = 1 << 13, 1 << 17, 16


def read_table(source: Any, schema: Schema, *, progress: Progress | None = None, show_values: bool = False) -> Table:
    """The table as codes of the schema's domain, read in batches.

    Args:
        source: a path to a CSV (also gzipped), Parquet or Arrow file, or a pandas, polars or pyarrow table.
        schema: what is declared about its columns.
        progress: called with the number of rows read so far.
        show_values: name offending values in error messages. They are private.

    Raises:
        TableError: with every fault found: which column, how many rows, the first row numbers.

    >>> schema = Schema.from_dict({"fields": [{"name": "sex", "categories": ["F", "M"]}]})
    >>> read_table(pa.table({"sex": ["M", "F", "M"]}), schema).columns[0].tolist()
    [1, 0, 1]
    """
    encoders = [ColumnEncoder(field, show_values=show_values) for field in schema.fields]
    return _whole(_read_columns(open_source(source), schema, encoders, progress), encoders, schema)


def read_units(source: Any, schema: Schema, unit: str) -> tuple[Table, npt.NDArray[np.int64]]:
    """The table as codes, and for each row the number of the unit that a column beside the schema's names.

    Raises:
        TableError: with every fault found; rows without a unit are among them.

    >>> schema = Schema.from_dict({"fields": [{"name": "sex", "categories": ["F", "M"]}]})
    >>> read_units(pa.table({"sex": ["M", "F", "M"], "patient": [7, 8, 7]}), schema, "patient")[1].tolist()
    [0, 1, 0]
    """
    encoders, units = [ColumnEncoder(field) for field in schema.fields], UnitReader(unit, missing=schema.missing_values)
    columns = _read_columns(open_source(source), schema, encoders, None, units)
    table = _whole(columns, encoders, schema, units.faults())
    return table, units.codes()


def _whole(
    columns: Sequence[_Column], encoders: Sequence[ColumnEncoder], schema: Schema, others: Sequence[str] = ()
) -> Table:
    if encoders[0].rows == 0:
        raise TableError("the table has a header but no rows. There is nothing to publish.")
    _raise([*(s for encoder in encoders for s in sentences(encoder)), *others])
    return Table(schema.domain, tuple(codes.whole() for codes in columns))


def _read_columns(
    opened: Source,
    schema: Schema,
    encoders: Sequence[ColumnEncoder],
    progress: Progress | None,
    units: UnitReader | None = None,
) -> list[_Column]:
    _raise(column_faults(opened.names, schema) if units is None else units.column_faults(opened.names, schema))
    found = [_Column(code_type(field.size), opened.n_rows) for field in schema.fields]
    names = [*schema.names, *(() if units is None else (units.name,))]
    every, cells = range(len(names)), 0
    # Values take ten times the memory of codes: where it costs nothing, a small part of one column is read at a time.
    for places in [[i] for i in every] if opened.columnar else [list(every)]:
        for columns in opened.batches([names[i] for i in places], rows_at_once(opened.n_rows)):
            for i, column in zip(places, columns, strict=True):
                if i < len(encoders):
                    found[i].append(encoders[i].encode(column))
                elif units is not None:
                    units.append(column)
                cells += len(column)
            if progress:
                progress(cells // len(names))
    opened.refuse_changed()
    return found


def rows_at_once(n_rows: int | None) -> int:
    """Rows of a batch of a table with so many rows.

    >>> rows_at_once(50_000), rows_at_once(10**6), rows_at_once(10**9)
    (8192, 62500, 131072)
    """
    return min(_MOST_ROWS, max(_LEAST_ROWS, (n_rows or 0) // _BATCHES))


@dataclass(frozen=True, kw_only=True)
class ColumnCheck:
    """What was found in one column.

    >>> schema = Schema.from_dict({"fields": [{"name": "sex", "categories": ["F", "M"]}]})
    >>> check_table(pa.table({"sex": ["M", "F"]}), schema).columns[0].ok
    True
    """

    name: str
    problems: tuple[Problem, ...]
    faults: tuple[str, ...]
    unused: tuple[str, ...]
    remarks: tuple[str, ...] = ()
    """What is no fault, and costs the column its values."""

    @property
    def ok(self) -> bool:
        """Whether every value has a code."""
        return not self.problems


@dataclass(frozen=True, kw_only=True)
class CheckReport:
    """How well a table fits its schema. Private to the holder: it tells of rows of the table.

    >>> schema = Schema.from_dict({"fields": [{"name": "sex", "categories": ["F", "M"]}]})
    >>> report = check_table(pa.table({"sex": ["M", "X", "M"]}), schema)
    >>> report.ok, report.columns[0].unused
    (False, ('F',))
    >>> report
    CheckReport(rows=3, columns=1, faults=1, private)
    >>> print(report.faults[0])
    column 'sex': 1 value is not among its 2 categories (row 2). Add it to categories, or set outside: other.
    """

    n_rows: int
    columns: tuple[ColumnCheck, ...]
    table_faults: tuple[str, ...] = ()
    dependencies: tuple[DependencyCheck, ...] = ()
    """One for each declared dependency whose columns are there."""
    broken_rows: BrokenRows = "refuse"

    def __repr__(self) -> str:
        return f"CheckReport(rows={self.n_rows}, columns={len(self.columns)}, faults={len(self.faults)}, private)"

    @property
    def ok(self) -> bool:
        """Whether the table can be published with this schema."""
        refused = self.broken_rows == "refuse" and any(one.broken for one in self.dependencies)
        return not self.table_faults and all(column.ok for column in self.columns) and not refused

    @property
    def faults(self) -> tuple[str, ...]:
        """Every fault as a sentence."""
        columns = (fault for column in self.columns for fault in column.faults)
        return (*self.table_faults, *columns, *(self.broken if self.broken_rows == "refuse" else ()))

    @property
    def broken(self) -> tuple[str, ...]:
        """A sentence for each dependency that rows break: a fault, unless the schema says what becomes of them."""
        return tuple(sentence for one in self.dependencies if (sentence := one.sentence(self.broken_rows)))

    def to_dict(self) -> dict[str, Any]:
        """The report, ready for JSON."""
        return {
            "private": PRIVATE,
            "ok": self.ok,
            "rows": self.n_rows,
            "faults": list(self.table_faults),
            "columns": [
                {
                    "name": column.name,
                    "ok": column.ok,
                    "problems": [_problem_dict(problem) for problem in column.problems],
                    "faults": list(column.faults),
                    "unused": list(column.unused),
                    "remarks": list(column.remarks),
                }
                for column in self.columns
            ],
            "dependencies": [one.to_dict() for one in self.dependencies],
            "broken_rows": self.broken_rows,
        }


def check_table(
    source: Any,
    schema: Schema,
    *,
    grid: Schema | None = None,
    unit: str | None = None,
    progress: Progress | None = None,
    show_values: bool = False,
) -> CheckReport:
    """What does not fit, column by column; raises only if the source cannot be read at all.

    `grid`: the same schema with the cells that rows are counted in, on which declared dependencies are judged, and
    where rows that all lie within a few of these are remarked on.
    `unit` names the column beside the schema's that tells units apart; each row must have a value there.

    >>> schema = Schema.from_dict({"fields": [{"name": "sex", "categories": ["F", "M"]}]})
    >>> check_table(pa.table({"sex": ["M", "F"]}), schema).ok
    True
    """
    opened = open_source(source)
    units = None if unit is None else UnitReader(unit, missing=schema.missing_values)
    faults = column_faults(opened.names, schema) if units is None else units.column_faults(opened.names, schema)
    if not opened.names or len(set(opened.names)) != len(opened.names):
        return CheckReport(n_rows=0, columns=(), table_faults=tuple(faults))
    there = set(opened.names)
    fields = [field for field in schema.fields if field.name in there and not field.lacks]
    faults += list(schema.incomplete)
    encoders = [ColumnEncoder(field, show_values=show_values) for field in fields]
    seen = [np.zeros(field.size, dtype=np.int64) for field in fields]
    wide = {
        field.name: CellsSeen(grid[field.name]) for field in fields if grid and has_wide_cells(field, grid[field.name])
    }
    rows, names = 0, [field.name for field in fields]
    rules = DependencyReader([(grid or schema)[name] for name in names], schema.dependencies)
    beside = [] if units is None or units.name not in there or units.name in schema.names else [units.name]
    for columns in _some_columns(opened, [*names, *beside]):
        for encoder, counts, column in zip(encoders, seen, columns, strict=False):
            counts += np.bincount(encoder.encode(column), minlength=len(counts))
            if encoder.schema_field.name in wide:
                wide[encoder.schema_field.name].see(column)
        rules.read(dict(zip(names, columns, strict=False)))
        if units is not None and beside:
            units.append(columns[-1])
        rows += len(columns[0])
        if progress:
            progress(rows)
    if rows == 0 and fields:
        faults.append("the table has a header but no rows.")
    elif units is not None and beside:
        faults += units.faults()
    return CheckReport(
        n_rows=rows,
        columns=tuple(
            _column_check(encoder, counts, wide.get(encoder.schema_field.name))
            for encoder, counts in zip(encoders, seen, strict=True)
        ),
        table_faults=tuple(faults),
        dependencies=rules.checks(),
        broken_rows=schema.broken_rows,
    )


def sentences(encoder: ColumnEncoder) -> list[str]:
    """A column's problems as sentences for its holder; values only where they were collected."""
    field, refusal = encoder.schema_field, encoder.refusal
    return [
        f"column '{field.name}' {refusal}" if refusal and problem.trouble == "wrong type" else _sentence(field, problem)
        for problem in encoder.problems.values()
    ]


def _sentence(field: Field, problem: Problem) -> str:
    one = problem.count == 1
    values = f"{problem.count:,} value{'' if one else 's'}"
    more = ", …" if problem.count > len(problem.rows) else ""
    rows = f"row{'' if one else 's'} {', '.join(map(str, problem.rows))}{more}"
    shown = f": {', '.join(map(repr, problem.values))}" if problem.values else ""
    where = f" ({rows}{shown})" if problem.rows else ""  # rows of a database have no numbers
    it = "it" if one else "them"
    if problem.trouble == "missing":
        return (
            f"column '{field.name}': {values} {'is' if one else 'are'} missing where none may be{where}. "
            "Set constraints: {required: false} to give missing a code of its own, or fill the cells."
        )
    if problem.trouble == "wrong type":
        said = f"column '{field.name}': {values} cannot be read as {_expected(field)}{where}."
        said += on_nearly(field, problem.near, problem.count)
        return said if problem.near == problem.count else f"{said} {_advice(field)}"
    if field.bins:
        low, high = field.form.text(field.bins.minimum), field.form.text(field.bins.maximum)
        return (
            f"column '{field.name}': {values} {'lies' if one else 'lie'} outside the declared {low}–{high}{where}. "
            f"Widen the range, declare {it} special, or set outside: clip or outside: other."
        )
    fit = "It" if one else f"{problem.near:,} of them"
    near = f" {fit} would fit but for spaces or capitals." if problem.near else ""
    listed = "its one category" if len(field.categories) == 1 else f"its {len(field.categories):,} categories"
    return (
        f"column '{field.name}': {values} {'is' if one else 'are'} not among {listed}"
        f"{where}.{near} Add {it} to categories, or set outside: other."
    )


def _expected(field: Field) -> str:
    if field.type in ("date", "datetime"):
        shape = field.form.format or ("YYYY-MM-DD" if field.type == "date" else "YYYY-MM-DDThh:mm:ss")
        return f"a {field.type} of the form {shape}"
    return {"integer": "a whole number", "year": "a year", "number": "a number", "string": "text"}.get(
        field.type, "true or false"
    )


def _advice(field: Field) -> str:
    if field.type in ("date", "datetime"):
        return "Set format to the pattern the column uses, or list texts that mean missing in missingValues."
    if field.type == "boolean":
        return "List the column's texts in trueValues and falseValues."
    return "Correct the cells or the type, or list texts that mean missing in missingValues."


def _column_check(encoder: ColumnEncoder, counts: npt.NDArray[np.int64], wide: CellsSeen | None) -> ColumnCheck:
    field, problems = encoder.schema_field, dict(encoder.problems)
    lost = sum(problem.count for problem in problems.values())
    counts[0] -= lost  # cells without a code were counted as 0
    return ColumnCheck(
        name=field.name,
        problems=tuple(problems.values()),
        faults=tuple(sentences(encoder)),
        unused=tuple(field.labels[code] for code in np.flatnonzero(counts == 0) if code >= _yet_to_find(field)),
        remarks=() if wide is None else wide.remarks(),
    )


def _yet_to_find(field: Field) -> int:
    """How many of the first codes are bins for planning only, that no release will have: not those of single values."""
    if not field.automatic or field.bins is None:
        return 0
    first, last = field.bins.grid
    return 0 if (first == last).all() else field.n_main


def _problem_dict(problem: Problem) -> dict[str, Any]:
    found: dict[str, Any] = {"trouble": problem.trouble, "count": problem.count, "first_rows": list(problem.rows)}
    return found | ({"values": list(problem.values)} if problem.values else {})


class _Column:
    """The codes of one column, batch after batch: in their place at once where the number of rows is known."""

    def __init__(self, kind: np.dtype[np.unsignedinteger], n_rows: int | None) -> None:
        self._place: Codes = np.empty(n_rows or 0, dtype=kind)
        self._n = 0
        self._more: list[Codes] = []

    def append(self, codes: Codes) -> None:
        if self._n + len(codes) <= len(self._place) and not self._more:
            self._place[self._n : self._n + len(codes)] = codes
            self._n += len(codes)
        else:
            self._more.append(codes)

    def whole(self) -> Codes:
        """All codes. Lets go of the parts, so that of all columns one at most is held twice."""
        parts, self._more = [self._place[: self._n], *self._more], []
        return np.concatenate(parts) if len(parts) > 1 else parts[0]


def _some_columns(opened: Source, names: Sequence[str]) -> Iterator[list[pa.Array]]:
    return opened.batches(names) if names else iter(())


def _raise(faults: Sequence[str]) -> None:
    if faults:
        raise TableError(*faults)
