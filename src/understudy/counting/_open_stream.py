"""From a source to the streaming engine: the first pass checks every cell, and counts, before anything is charged."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np

from understudy.counting._batch import Axes
from understudy.counting._known import KnownTables, first_tables
from understudy.counting._memory import MemoryCounter
from understudy.counting._open_passes import open_passes
from understudy.counting._opening import Opening
from understudy.counting._pass_counter import PassCounter
from understudy.counting._room import refuse_units, room_for_rows, room_for_tables
from understudy.counting._row_batches import BatchPasses, RowBatches, SourceBatches, TableBatches
from understudy.counting._rows import Rows
from understudy.counting._spill import Spill
from understudy.counting._tally import TablesTally
from understudy.counting._threads import n_threads
from understudy.counting._units import Weights
from understudy.counting._view import View
from understudy.schema import Codes, Domain
from understudy.tables import CodeReader, Sieve, Source, Table, open_source

_ROWS_SUPPOSED = 1 << 20  # for plans of the first pass, where nobody knows how many there are
_READING = "reading the table"
_NOTHING = np.empty(0, dtype=np.uint8)


def open_stream(rows: Table | Any, opening: Opening) -> PassCounter:
    """The engine: goes over a source in batches as often as it must, and holds none of its rows."""
    if opening.schema is None:
        return open_passes(_passes(TableBatches(rows, opening.weights), opening, rows.n), opening, n_rows=rows.n)
    source = open_source(rows)
    return _First(source, CodeReader(source, opening.schema, _unit(opening)), opening).stream(())


def open_holding(rows: Table | Any, opening: Opening) -> PassCounter | MemoryCounter:
    """Holds the rows of a source as long as there is room for them, and streams them if there is not."""
    if opening.schema is None:
        return MemoryCounter(rows, weights=opening.weights, threads=opening.threads)
    source = open_source(rows)
    reader = CodeReader(source, opening.schema, _unit(opening))
    first, held, size = _First(source, reader, opening), deque[list[Codes]](), 0
    room = room_for_rows(opening.memory)
    for batch in first.batches:
        held.append(batch)
        size += sum(column.nbytes for column in batch)
        if room is not None and 2 * size > room:
            return first.stream(_taken(held))
    columns = []
    for a in range(len(opening.schema.fields)):
        columns.append(np.concatenate([batch[a] for batch in held]))
        for batch in held:
            batch[a] = _NOTHING  # of all columns one at most is held twice
    table, weights = opening.counted(Table(opening.schema.domain, tuple(columns)), reader.units())
    return MemoryCounter(table, weights=weights, threads=opening.threads)


def _taken(held: deque[list[Codes]]) -> Iterator[list[Codes]]:
    """Each batch once, so that nobody holds it longer than it is needed."""
    while held:
        yield held.popleft()


def _unit(opening: Opening) -> str | None:
    return None if opening.unit is None else opening.unit.column


class _First:
    """The first pass over a source."""

    def __init__(self, source: Source, reader: CodeReader, opening: Opening) -> None:
        self._source, self._reader, self._opening = source, reader, opening
        self.batches = self._told(reader.first())
        assert opening.schema is not None
        self._domain: Domain = opening.schema.domain

    def stream(self, before: Any) -> PassCounter:
        """Take in what came before and all that is to come."""
        opening, reader = self._opening, self._reader
        sieve = None if opening.declared is None else opening.declared.sieve()
        spill = None if reader.repeatable else Spill()
        counts = _FirstCounts(self._domain, opening, self._source.n_rows) if opening.unit is None else None
        left, n, units = [], 0, opening.unit is not None
        if units:
            refuse_units(self._source.n_rows or 0, opening.memory)
        for batch in chain(before, self.batches):
            columns, flags = _sifted(sieve, batch)
            if units:
                refuse_units(reader.n, opening.memory)
                left.append(flags)
            n += len(columns[0])
            if spill is not None:
                spill.append(columns)
            if counts is not None:
                counts.add(Rows(tuple(columns), len(columns[0])))
        opening.checked(reader.n)
        if sieve is not None:
            sieve.raise_faults()
        weights = self._weights(left)
        batches = SourceBatches(
            self._domain,
            reader if spill is None else spill,
            declared=opening.declared if spill is None else None,
            weights=weights,
            parts=1 if opening.unit is None else opening.unit.parts,
        )
        passes = _passes(batches, opening, n)
        if counts is None:  # what rows count is known only after all were read
            return open_passes(passes, opening, n_rows=n)
        return open_passes(passes, opening, n_rows=n, n=counts.n, known=counts.known())

    def _weights(self, left: list[Any]) -> Weights | None:
        units = self._reader.units()
        if self._opening.unit is None or units is None:
            return None
        return self._opening.unit.weights(units[np.concatenate(left)])

    def _told(self, batches: Iterator[list[Codes]]) -> Iterator[list[Codes]]:
        progress, total = self._opening.progress, self._source.n_rows
        for batch in batches:
            yield batch
            if progress is not None:  # where nobody knows how many there are, the bar has no end
                progress(_READING, self._reader.n, total or 2 * self._reader.n)


def _sifted(sieve: Sieve | None, batch: list[Codes]) -> tuple[list[Codes], Any]:
    if sieve is None:
        return batch, np.ones(len(batch[0]), dtype=np.bool_)
    return sieve.take(batch)


class _FirstCounts:
    """The tables of the first pass."""

    def __init__(self, domain: Domain, opening: Opening, n_rows: int | None) -> None:
        self.domain, self.n = domain, 0
        self._marginals = first_tables(domain, room_for_tables(opening.memory))
        self._tally = TablesTally(
            self._marginals,
            Axes.of(domain),
            n_rows=n_rows or _ROWS_SUPPOSED,
            weighted=False,
            threads=n_threads(opening.threads),
        )

    def add(self, rows: Rows) -> None:
        self.n += rows.n
        self._tally.add(rows)

    def known(self) -> KnownTables:
        return KnownTables.of(self.domain, self._marginals, self._tally.finish())


def _passes(batches: RowBatches, opening: Opening, n_rows: int) -> BatchPasses:
    threads = n_threads(opening.threads)
    return BatchPasses(origin=batches, view=View.of(batches.domain), n_rows=n_rows, threads=threads)
