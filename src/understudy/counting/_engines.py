"""The one place where a counting engine is chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, overload

from understudy._core.errors import OptionError, did_you_mean
from understudy.counting._counter import Counter
from understudy.counting._memory import MemoryCounter
from understudy.counting._opening import Opening, Progress
from understudy.counting._units import UnitRule, Weights
from understudy.schema import Schema
from understudy.tables import DeclaredRows, Table, read_table, read_units


class Engine(Protocol):
    """Opens a counter over a table of codes; or over a source, once every cell of it was read and found valid.

    >>> sorted(ENGINES)
    ['memory']
    """

    def __call__(self, rows: Table | Any, opening: Opening) -> Counter: ...


def open_memory(rows: Table | Any, opening: Opening) -> MemoryCounter:
    """The engine: reads a source whole, and counts its codes in memory."""
    schema, unit = opening.schema, opening.unit
    if schema is None:
        return MemoryCounter(rows, weights=opening.weights, threads=opening.threads)
    table, units = (read_table(rows, schema), None) if unit is None else read_units(rows, schema, unit.column)
    table, weights = opening.counted(table, units)
    return MemoryCounter(table, weights=weights, threads=opening.threads)


ENGINES: Mapping[str, Engine] = {
    "memory": open_memory,
}


@overload
def open_counter(
    rows: Table, *, weights: Weights | None = ..., engine: str = ..., threads: int | None = ...
) -> Counter: ...
@overload
def open_counter(
    rows: Any,
    schema: Schema,
    *,
    unit: UnitRule | None = ...,
    declared: DeclaredRows | None = ...,
    check_rows: Callable[[int], None] | None = ...,
    engine: str = ...,
    threads: int | None = ...,
    memory: int | None = ...,
    progress: Progress | None = ...,
) -> Counter: ...
def open_counter(rows: Table | Any, schema: Schema | None = None, *, engine: str = "memory", **told: Any) -> Counter:
    """A counter over rows: exact and sensitive, for a curator or for the holder's own eyes.

    Args:
        rows: a table of codes; or what a table can be read from: a file, a pandas, polars or pyarrow table.
        schema: what is declared about the columns, unless `rows` are codes already.
        engine: what counts.
        told: the fields of `Opening`: `unit`, `declared` and `check_rows` with a schema, `weights` without one,
            `threads`, `memory` and `progress` with either.

    Raises:
        TableError: with every fault of the rows: no counter is given out before all of them were read.

    >>> import pyarrow as pa
    >>> schema = Schema.from_dict({"fields": [{"name": "sex", "categories": ["f", "m"]}]})
    >>> open_counter(pa.table({"sex": ["f", "m", "m"]}), schema).n
    3
    """
    if engine not in ENGINES:
        raise OptionError(f"there is no counting engine '{engine}'. {did_you_mean(engine, ENGINES)}")
    return ENGINES[engine](rows, Opening(schema=schema, **told))
