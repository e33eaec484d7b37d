"""The engine for Spark: workers check and count their parts of the rows, the driver adds up. One job a pass."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from understudy._core.errors import TableError
from understudy._core.spark import open_session, refuse_another
from understudy._core.spark_jobs import MOST_PARTS, run_parts
from understudy.counting._batch import Ints
from understudy.counting._counter import Counts
from understudy.counting._known import KnownTables, first_tables
from understudy.counting._open_passes import open_passes
from understudy.counting._opening import Opening
from understudy.counting._packing import pack_weights, unpack_counts, unpack_texts
from understudy.counting._pass_counter import PassCounter
from understudy.counting._passes import Told
from understudy.counting._room import MOST_CELLS_SPREAD, room_for_tables
from understudy.counting._spark_work import (
    CellRows,
    Cells,
    Checked,
    CheckPart,
    CodeRows,
    CountPart,
    FileCells,
    FrameCells,
    PartWeight,
)
from understudy.counting._units import Weights
from understudy.counting._view import View
from understudy.schema import Domain, Marginal, Recoding
from understudy.tables import (
    CodeReader,
    Source,
    Table,
    UnitReader,
    cut_files,
    open_source,
    raise_broken_rows,
    raise_part_faults,
    read_table,
    read_units,
    selected,
)

_MOST_WEIGHTS = 1 << 26
"""Bytes of what rows count, packed: they travel with the work, to every worker."""
_READING = "reading the table"


class Session:
    """A Spark session, stopped with the last that holds it if it was started here."""

    def __init__(self, master: str | None) -> None:
        self.spark, started = open_session(master)
        if started:
            weakref.finalize(self, self.spark.stop)


@dataclass(frozen=True, eq=False, kw_only=True)
class Spread:
    """Rows that lie on a cluster."""

    frame: Callable[[Sequence[str]], Any]
    """The DataFrame whose partitions have these columns, or know where to find them."""
    cells: Cells
    refuse_changed: Callable[[], None]
    session: Session | None = None
    """Kept as long as the rows are needed."""


@dataclass(frozen=True, eq=False, kw_only=True)
class SparkPasses:
    """Passes over rows on a cluster: each is one job."""

    spread: Spread
    rows: CellRows | CodeRows
    view: View
    n_rows: int
    takes_more: bool = True

    @property
    def domain(self) -> Domain:
        """The domain of the rows, as recoded."""
        return self.view.domain

    @property
    def weighted(self) -> bool:
        """Whether rows have weights."""
        return self.rows.weighted

    def tables(self, marginals: Sequence[Marginal], told: Told) -> list[Counts]:
        """One table for each marginal, all from one job."""
        work = CountPart(rows=self.rows, view=self.view, marginals=tuple(marginals))
        shapes = [marginal.shape(self.domain) for marginal in marginals]
        return self._run(work, {a for marginal in marginals for a in marginal.attributes}, shapes, told)

    def ones_together(self, attributes: Ints, told: Told) -> Counts | None:
        """Rows with code 1 in both, for each pair of two-valued attributes, by popcounts on the workers."""
        if len(attributes) ** 2 > MOST_CELLS_SPREAD:
            return None
        work = CountPart(rows=self.rows, view=self.view, ones=attributes)
        [both] = self._run(work, set(attributes.tolist()), [(len(attributes),) * 2], told)
        return both

    def recoded(self, recoding: Recoding) -> SparkPasses:
        """The same rows under another encoding of their codes; workers map them as they come."""
        return replace(self, view=self.view.recoded(recoding))

    def _run(
        self, work: CountPart, attributes: set[int], shapes: Sequence[tuple[int, ...]], told: Told
    ) -> list[Counts]:
        self.spread.refuse_changed()
        columns = self.rows.columns(self.view.sources(attributes)) if isinstance(self.rows, CellRows) else []
        found = run_parts(self.spread.frame(columns), work)
        self.spread.refuse_changed()
        if any(counts is None for counts in found.values()) or not self.rows.complete(found):
            raise _changed()
        told(self.n_rows)
        return _summed(found.values(), shapes)


def open_spark(rows: Table | Any, opening: Opening) -> PassCounter:
    """The engine: a DataFrame of Spark is counted where it lies, files by workers that read them.

    Anything else is read here first, and its codes are sent: it is there to be compared with, and gains nothing.
    """
    if opening.schema is None:
        return _codes(rows, opening.weights, opening)
    source = open_source(rows)
    unit = None if opening.unit is None else opening.unit.column
    CodeReader(source, opening.schema, unit)  # refuses columns that do not fit the schema
    if source.frame is not None:
        refuse_another(source.frame.sparkSession, opening.master)
        _refuse_types(source, [*opening.schema.names, *(() if unit is None else (unit,))])
        return _First(_of_frame(source), opening).open()
    if source.files:
        return _First(_of_files(source, Session(opening.master)), opening).open()
    table, units = (
        (read_table(source, opening.schema), None) if unit is None else read_units(source, opening.schema, unit)
    )
    return _codes(*opening.counted(table, units), opening)


def _of_frame(source: Source) -> Spread:
    def frame(wanted: Sequence[str]) -> Any:
        return selected(source.frame, source.names, wanted).coalesce(MOST_PARTS)

    return Spread(frame=frame, cells=FrameCells(), refuse_changed=source.refuse_changed)


def _of_files(source: Source, session: Session) -> Spread:
    portions = tuple(cut_files(source.files, MOST_PARTS))

    def frame(wanted: Sequence[str]) -> Any:  # each partition holds one number: that of its portion
        return session.spark.range(0, len(portions), 1, max(1, len(portions)))

    return Spread(frame=frame, cells=FileCells(portions), refuse_changed=source.refuse_changed, session=session)


def _codes(table: Table, weights: Weights | None, opening: Opening) -> PassCounter:
    """Codes that are here already, sent to a cluster."""
    session = Session(opening.master)
    columns = {f"c{i}": pa.array(column.astype(np.int64)) for i, column in enumerate(table.columns)}
    if weights is not None:
        columns["weight"] = pa.array(weights.astype(np.int64))
    sent = session.spark.createDataFrame(pa.table(columns))
    spread = Spread(frame=lambda wanted: sent, cells=FrameCells(), refuse_changed=lambda: None, session=session)
    passes = SparkPasses(
        spread=spread,
        rows=CodeRows(domain=table.domain, weighted=weights is not None),
        view=View.of(table.domain),
        n_rows=table.n,
    )
    return open_passes(passes, opening, n_rows=table.n, cells_at_once=MOST_CELLS_SPREAD)


class _First:
    """The first pass: every cell is checked before anything is charged."""

    def __init__(self, spread: Spread, opening: Opening) -> None:
        assert opening.schema is not None
        self._spread, self._opening, self._schema = spread, opening, opening.schema
        self._unit = None if opening.unit is None else opening.unit.column

    def open(self) -> PassCounter:
        """The counter of the rows."""
        opening, schema = self._opening, self._schema
        marginals = first_tables(schema.domain, min(MOST_CELLS_SPREAD, room_for_tables(opening.memory)))
        found = self._check(tuple(marginals) if self._unit is None else ())
        parts = list(found.values())
        n = sum(part.n for part in parts)
        rows = CellRows(
            cells=self._spread.cells, schema=schema, declared=opening.declared, unit=self._unit,
            weights=self._weights(found), parts=1 if opening.unit is None else opening.unit.parts,
        )  # fmt: skip
        passes = SparkPasses(spread=self._spread, rows=rows, view=View.of(schema.domain), n_rows=n)
        if self._unit is not None:  # what rows count is known only after all were read
            return open_passes(passes, opening, n_rows=n, cells_at_once=MOST_CELLS_SPREAD)
        shapes = [marginal.shape(schema.domain) for marginal in marginals]
        known = KnownTables.of(schema.domain, marginals, _summed((part.counts for part in parts), shapes))
        return open_passes(passes, opening, n_rows=n, n=n, known=known, cells_at_once=MOST_CELLS_SPREAD)

    def _check(self, marginals: tuple[Marginal, ...]) -> dict[int, Checked]:
        """What was found in each part; raises whatever speaks against the rows."""
        opening, schema = self._opening, self._schema
        work = CheckPart(
            cells=self._spread.cells, schema=schema, declared=opening.declared, unit=self._unit, marginals=marginals
        )
        wanted = [*schema.names, *(() if self._unit is None else (self._unit,))]
        found: dict[int, Checked] = run_parts(self._spread.frame(wanted), work)
        self._spread.refuse_changed()
        self._units = self._whose(found.values())
        notes = [part.note for part in found.values()]
        raise_part_faults(schema, notes, self._units)
        n = sum(note.n for note in notes)
        opening.checked(n)
        if opening.declared is not None:
            raise_broken_rows(opening.declared, notes)
        if opening.progress is not None:
            opening.progress(_READING, n, n)
        return found

    def _whose(self, parts: Iterable[Checked]) -> UnitReader | None:
        if self._unit is None:
            return None
        units = UnitReader(self._unit, missing=self._schema.missing_values)
        for part in parts:
            for texts in unpack_texts(part.units):
                units.append(texts)
        return units

    def _weights(self, found: dict[int, Checked]) -> dict[int, PartWeight] | None:
        """What the rows of each part count, so that no unit counts for more than its bound; as in memory."""
        if self._units is None or self._opening.unit is None:
            return None
        left = [
            np.unpackbits(np.frombuffer(part.left, dtype=np.uint8), count=part.note.n).astype(np.bool_)
            for part in found.values()
        ]
        weights = self._opening.unit.weights(self._units.codes()[np.concatenate(left)])
        ends = np.cumsum([part.n for part in found.values()])
        shared = {
            number: PartWeight(n=part.n, mark=part.mark, columns=part.columns, weights=pack_weights(own))
            for (number, part), own in zip(found.items(), np.split(weights, ends[:-1]), strict=True)
        }
        if sum(len(one.weights) for one in shared.values()) > _MOST_WEIGHTS:
            raise TableError(
                f"what each of {len(weights):,} rows counts is too much to send to every worker. Leave out rows beyond "
                "the bound on units before, with Spark, or use the engine stream."
            )
        return shared


def _refuse_types(source: Source, wanted: Sequence[str]) -> None:
    """Refuse columns of a type that Spark cannot hand over."""
    from pyspark.sql.pandas.types import to_arrow_type

    faults = []
    for name, column in zip(source.names, source.frame.schema.fields, strict=True):
        try:
            to_arrow_type(column.dataType, timezone="UTC")
        except Exception:
            if name in wanted:
                faults.append(
                    f"column '{name}' is of Spark's type {column.dataType.simpleString()}, which cannot be encoded. "
                    "Cast it to a number, a text, a date or a boolean."
                )
    if faults:
        raise TableError(*faults)


def _summed(packed: Iterable[bytes], shapes: Sequence[tuple[int, ...]]) -> list[Counts]:
    total = [np.zeros(shape, dtype=np.int64) for shape in shapes]
    for part in packed:
        for table, counts in zip(total, unpack_counts(part, shapes), strict=True):
            table += counts
    return total


def _changed() -> TableError:
    return TableError(
        "the table is not what it was in the first pass: other rows came out of it, or the same in another order. "
        "Write the DataFrame to Parquet, and start again with that."
    )
