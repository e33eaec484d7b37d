"""Whether rows are held in memory or streamed: by their number, where it is known, and the room there is."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

from understudy._core.errors import OptionError, UnderstudyWarning
from understudy.counting._counter import Counter
from understudy.counting._known import all_pairs_first
from understudy.counting._memory import MemoryCounter
from understudy.counting._open_database import n_checks
from understudy.counting._open_stream import open_holding, open_stream
from understudy.counting._opening import Opening
from understudy.counting._room import MOST_CELLS_SPREAD, bytes_of_rows, most_bytes, room_for_rows, room_for_tables
from understudy.counting._servers import DATABASE, n_queries
from understudy.counting._spark import open_spark
from understudy.databases import PostgresTable
from understudy.schema import Domain, Schema
from understudy.tables import Source, Table, open_source, read_table, read_units

_MOST_PACKED = 40  # times as many bytes as a packed file has may be in it, and hardly more


def open_memory(rows: Table | Any, opening: Opening) -> MemoryCounter:
    """The engine: reads a source whole, and counts its codes in memory."""
    schema, unit = opening.schema, opening.unit
    if schema is None:
        return MemoryCounter(rows, weights=opening.weights, threads=opening.threads)
    source = open_source(rows)
    if opening.memory is not None and source.n_rows is not None:
        why = does_not_fit(schema.domain, source.n_rows, opening.memory, units=unit is not None)
        if why is not None:
            raise OptionError(f"{why} Leave the engine to be chosen, name the engine stream, or raise the ceiling.")
    table, units = (read_table(source, schema), None) if unit is None else read_units(source, schema, unit.column)
    table, weights = opening.counted(table, units)
    return MemoryCounter(table, weights=weights, threads=opening.threads)


def open_fitting(rows: Table | Any, opening: Opening) -> Counter:
    """In memory if the rows fit there, else streamed; which of the two, and why, is told if it is the latter."""
    schema = opening.schema
    if schema is None:
        return open_memory(rows, opening)
    source = open_source(rows)
    if source.frame is not None:
        return open_spark(source, opening)
    room, units = room_for_rows(opening.memory), opening.unit is not None
    if source.n_rows is not None:
        why = does_not_fit(schema.domain, source.n_rows, opening.memory, units=units)
        if why is None:
            return open_memory(source, opening)
        warnings.warn(f"{why} {_streamed(source)}", UnderstudyWarning, stacklevel=3)
        return open_stream(source, opening)
    if room is None or (source.n_bytes is not None and _MOST_PACKED * source.n_bytes < room):
        return open_memory(source, opening)
    counter = open_holding(source, opening)
    if not isinstance(counter, MemoryCounter):
        warnings.warn(
            f"the table does not fit into the {room >> 20:,} MB that there are for rows. {_streamed(source)}",
            UnderstudyWarning,
            stacklevel=3,
        )
    return counter


def _streamed(source: Source) -> str:
    if source.repeatable:
        return "So it is streamed: read again for each round of counting."
    return "So it is streamed: read once, and its codes are kept in a temporary file for each round of counting."


@dataclass(frozen=True, kw_only=True)
class CountingPlan:
    """How rows would be counted, from public figures."""

    engine: str
    because: str
    pairs_first: bool
    """Whether the first pass counts all pairs of columns."""
    most_bytes: int | None
    """What the run takes at most; None where rows are held, so that methods tell."""
    pairs_at_once: bool
    """Whether one later pass would, if the columns have no more values by then than they are declared with."""
    queries: tuple[int, int, int] | None = None
    """Where a server counts: how many queries check all cells, and how many count all pairs and all triples."""


def plan_counting(
    domain: Domain,
    n_rows: int,
    *,
    later: Domain | None = None,
    engine: str = "auto",
    memory: int | None = None,
    units: bool = False,
    server: PostgresTable | None = None,
    schema: Schema | None = None,
) -> CountingPlan:
    """How so many rows of a domain would be counted; `later` is what it is mapped to after the first pass.

    Of a table on a server, whose cells a schema describes, the queries are told too.

    >>> from understudy.schema import Attribute
    >>> plan_counting(Domain((Attribute(name="a", size=2),)), 10**9, memory=2 << 30).engine
    'stream'
    """
    why = does_not_fit(domain, n_rows, memory, units=units)
    if engine == "memory" and memory is not None and why is not None:
        raise OptionError(f"{why} Leave the engine to be chosen, name the engine stream, or raise the ceiling.")
    cells = min(room_for_tables(memory), MOST_CELLS_SPREAD) if engine == "spark" else room_for_tables(memory)
    first, then = (all_pairs_first(one, cells) for one in (domain, later or domain))
    if engine == "auto":
        engine = "memory" if why is None else "stream"
    if engine == DATABASE:
        stays = "the rows are on a server, and stay there."
        return CountingPlan(
            engine=engine,
            because=stays,
            pairs_first=False,
            pairs_at_once=True,
            most_bytes=most_bytes(memory, 0, units=False),
            queries=None if server is None or schema is None else _queries(server, schema, later or domain),
        )
    because = "" if engine == "memory" else (why if engine == "stream" else None) or "It was asked for."
    held = None if engine == "memory" else most_bytes(memory, n_rows, units=units)
    return CountingPlan(engine=engine, because=because, pairs_first=first, pairs_at_once=then, most_bytes=held)


def _queries(server: PostgresTable, schema: Schema, later: Domain) -> tuple[int, int, int]:
    return n_checks(server, schema), n_queries(later), n_queries(later, 3)


def does_not_fit(domain: Domain, n_rows: int, ceiling: int | None, *, units: bool) -> str | None:
    """Why rows cannot be held in memory, as a sentence; None if they can.

    >>> from understudy.schema import Attribute
    >>> does_not_fit(Domain((Attribute(name="a", size=2),)), 10**9, 2 << 30, units=False)
    'the table takes some 1,907 MB in memory, and there are 896 MB for rows.'
    """
    room, needed = room_for_rows(ceiling), bytes_of_rows(domain, n_rows, units=units)
    if room is None or needed <= room:
        return None
    return f"the table takes some {needed >> 20:,} MB in memory, and there are {room >> 20:,} MB for rows."
