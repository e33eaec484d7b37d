"""A real table and the synthetic ones to hold against it, as codes of one domain. Private to the holder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from understudy._core.errors import OptionError, TableError
from understudy._core.randomness import streams
from understudy.counting import Counter, open_counter
from understudy.evaluation._whole import SOME_ROWS, too_large, whole_counter
from understudy.schema import Attribute, Domain, Field, Level, Schema
from understudy.tables import (
    ColumnFaults,
    LooseStream,
    LooseTable,
    Source,
    Table,
    Values,
    missing_label,
    open_source,
    outside_label,
    read_loosely,
)

Progress: TypeAlias = Callable[[str, int, int], None]


@dataclass(frozen=True, kw_only=True)
class TableFaults:
    """What was found in one table on the way in: cells without a code, column by column, and columns left out.

    >>> TableFaults(n_rows=2, columns=(ColumnFaults(name="sex", outside=1),), extra=("id",)).columns[0].total
    1
    """

    n_rows: int
    columns: tuple[ColumnFaults, ...]
    extra: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class PairFaults:
    """What was found in the real table and in each synthetic one. Private: it tells of the real table.

    >>> real = TableFaults(n_rows=2, columns=(), extra=())
    >>> PairFaults(real=real, synthetic=(real,)).synthetic[0].n_rows
    2
    """

    real: TableFaults
    synthetic: tuple[TableFaults, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Pair:
    """A real table and one or more synthetic ones, as codes of one domain that has a code for every cell of theirs.

    It is the schema's domain, and for a field where some table needs it a code "missing" or "outside the schema" more,
    after those of the field. The first synthetic table is the one the report is about; more of them give intervals.

    >>> schema = Schema.from_dict({"fields": [{"name": "sex", "categories": ["F", "M"]}]})
    >>> real, fake = (Table(schema.domain, (np.array(codes),)) for codes in ([0, 1], [1]))
    >>> pair = pair_of_codes(schema, real, [fake])
    >>> pair.names, pair.first.n, pair.extended
    (('sex',), 1, False)
    """

    schema: Schema
    domain: Domain
    real: Table
    synthetic: tuple[Table, ...]
    labels: tuple[tuple[str, ...], ...]
    faults: PairFaults
    kind: str = "pyarrow"
    """What the real table was read from: pandas, polars, pyarrow, csv, parquet or arrow."""
    values: tuple[tuple[Values, ...], ...] | None = None
    """The columns as values, first of the real table and then of each synthetic one; None if codes are all there is."""
    whole: tuple[Counter, ...] | None = None
    """Where tables were streamed: counts of all rows, of the real table and of each synthetic one. The tables beside
    are some of their rows."""

    @property
    def first(self) -> Table:
        """The first synthetic table."""
        return self.synthetic[0]

    @property
    def names(self) -> tuple[str, ...]:
        """Column names."""
        return self.schema.names

    def without_last(self) -> Pair:
        """The same without the last of several synthetic tables."""
        return replace(
            self,
            synthetic=self.synthetic[:-1],
            faults=replace(self.faults, synthetic=self.faults.synthetic[:-1]),
            values=None if self.values is None else self.values[:-1],
            whole=None if self.whole is None else self.whole[:-1],
        )

    @cached_property
    def extended(self) -> bool:
        """Whether some field has more codes than the schema gives it."""
        return any(a.size != field.size for a, field in zip(self.domain, self.schema.fields, strict=True))


def read_pair(
    real: Any,
    synthetic: Any,
    schema: Schema,
    *,
    last_called: str | None = None,
    memory: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Pair:
    """Reads a real table and one or more synthetic ones so that they can be compared.

    A cell that has no code in the schema is no error here: it counts as "missing" or as "outside the schema", and is
    noted in `faults`. Columns that the schema does not have are left out.

    Args:
        real: a path to a CSV (also gzipped), Parquet or Arrow file, or a pandas, polars or pyarrow table.
        synthetic: the same, or a list of such.
        schema: what is declared about the columns.
        last_called: what errors call the last of the synthetic tables, if it is none ("held-out table").
        memory: bytes to stay below; None for what the machine has. Tables that do not fit are streamed: `whole` counts
            all of their rows, and the tables of the pair are some of them, drawn by `seed`.
        progress: called with what is being done, how much of it is done, and how much there is.

    Raises:
        TableError: if a table cannot be read, has no rows, or lacks columns of the schema; it names all of them.

    >>> import pyarrow as pa
    >>> schema = Schema.from_dict({"fields": [{"name": "sex", "categories": ["F", "M"]}]})
    >>> pair = read_pair(pa.table({"sex": ["M", "F", "M"]}), pa.table({"sex": ["M", "X"]}), schema)
    >>> pair.labels, pair.real.columns[0].tolist(), pair.first.columns[0].tolist()
    ((('F', 'M', 'outside the schema'),), [1, 0, 1], [1, 2])
    """
    given = list(synthetic) if isinstance(synthetic, list | tuple) else [synthetic]
    if not given:
        raise OptionError("no synthetic table was given. Give at least one.")
    n = len(given) - (last_called is not None)
    sides = ["real table"] + ["synthetic table" + (f" {i}" if n > 1 else "") for i in range(1, n + 1)]
    sides += [] if last_called is None else [last_called]
    tables: list[LooseTable] = []
    passes: list[LooseStream | None] = []
    faults: list[str] = []
    sources = _opened(sides, [real, *given], schema)
    streamed = too_large(sources, schema, memory)
    for i, (side, source) in enumerate(zip(sides, sources, strict=True)):
        if progress is not None:
            progress("reading the tables", i, len(sides))
        try:
            stream = LooseStream(source, schema) if streamed and not source.once else None
            if stream is None:
                tables.append(read_loosely(source, schema, values=True))
            else:
                tables.append(stream.sample(SOME_ROWS, streams(seed).get("evaluate", "some rows", str(i))))
            passes.append(stream)
        except TableError as error:
            faults += [f"{side}: {fault}" for fault in error.faults]
    if faults:
        raise TableError(*faults)
    pair = _join(tables, schema)
    return pair if not streamed else replace(pair, whole=_counters(pair, passes, memory))


def _opened(sides: Sequence[str], given: Sequence[Any], schema: Schema) -> list[Source]:
    schema.domain  # noqa: B018 - a draft field without a domain is the first thing to say
    found, faults = [], []
    for side, source in zip(sides, given, strict=True):
        try:
            found.append(open_source(source))
        except TableError as error:
            faults += [f"{side}: {fault}" for fault in error.faults]
    if faults:
        raise TableError(*faults)
    return found


def _counters(pair: Pair, passes: Sequence[LooseStream | None], memory: int | None) -> tuple[Counter, ...]:
    return tuple(
        open_counter(table) if stream is None else whole_counter(stream, pair.domain, memory)
        for stream, table in zip(passes, (pair.real, *pair.synthetic), strict=True)
    )


def pair_of_codes(schema: Schema, real: Table, synthetic: Sequence[Table]) -> Pair:
    """A pair of tables that are codes of the schema's domain already, such as a model's samples.

    >>> schema = Schema.from_dict({"fields": [{"name": "sex", "categories": ["F", "M"]}]})
    >>> table = Table(schema.domain, (np.array([0, 1]),))
    >>> pair_of_codes(schema, table, [table]).labels
    (('F', 'M'),)
    """
    if not synthetic:
        raise OptionError("no synthetic table was given. Give at least one.")
    faults = [
        TableFaults(n_rows=table.n, columns=tuple(ColumnFaults(name=name) for name in schema.names), extra=())
        for table in (real, *synthetic)
    ]
    return Pair(
        schema=schema,
        domain=schema.domain,
        real=real,
        synthetic=tuple(synthetic),
        labels=tuple(field.labels for field in schema.fields),
        faults=PairFaults(real=faults[0], synthetic=tuple(faults[1:])),
    )


def _join(tables: list[LooseTable], schema: Schema) -> Pair:
    attributes: list[Attribute] = []
    labels: list[tuple[str, ...]] = []
    columns: list[list[npt.NDArray[Any]]] = [[] for _ in tables]
    for i, field in enumerate(schema.fields):
        found = [table.faults[i] for table in tables]
        missing = any(f.missing for f in found)
        outside = any(f.total > f.missing for f in found)
        attributes.append(_extended(field, missing + outside))
        labels.append(
            field.labels + (missing_label(field),) * missing + (outside_label(field),) * outside,
        )
        for table, kept in zip(tables, columns, strict=True):
            kept.append(_moved(table.columns[i], field.size) if outside and not missing else table.columns[i])
    domain = Domain(tuple(attributes))
    real, *synthetic = (Table(domain, tuple(kept)) for kept in columns)
    faults = [TableFaults(n_rows=table.n_all or table.n, columns=table.faults, extra=table.extra) for table in tables]
    return Pair(
        schema=schema,
        domain=domain,
        real=real,
        synthetic=tuple(synthetic),
        labels=tuple(labels),
        faults=PairFaults(real=faults[0], synthetic=tuple(faults[1:])),
        kind=tables[0].kind,
        values=tuple(table.values for table in tables if table.values is not None),
    )


def _moved(codes: npt.NDArray[Any], size: int) -> npt.NDArray[Any]:
    """ "Outside" without a "missing" before it."""
    return np.where(codes == size + 1, size, codes)


def _extended(field: Field, more: int) -> Attribute:
    """The field's attribute with more codes, each apart from all others at every level."""
    attribute = field.attribute
    if not more:
        return attribute
    coarser = tuple(Level(groups=(*level.groups, *range(level.size, level.size + more))) for level in attribute.coarser)
    return replace(attribute, size=attribute.size + more, coarser=coarser)
