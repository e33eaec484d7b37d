"""The one place where a counting engine is chosen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, overload

from understudy._core.errors import OptionError, did_you_mean
from understudy.counting._counter import Counter
from understudy.counting._memory import MemoryCounter
from understudy.counting._units import UnitRule, Weights
from understudy.schema import Schema
from understudy.tables import Table, read_table, read_units


class Engine(Protocol):
    """Opens a counter over a table of codes; or over a source, once every cell of it was read and found valid.

    >>> sorted(ENGINES)
    ['memory']
    """

    def __call__(
        self,
        rows: Table | Any,
        schema: Schema | None,
        *,
        unit: UnitRule | None,
        weights: Weights | None,
        threads: int | None,
    ) -> Counter: ...


def open_memory(
    rows: Table | Any,
    schema: Schema | None,
    *,
    unit: UnitRule | None,
    weights: Weights | None,
    threads: int | None,
) -> MemoryCounter:
    """The engine: reads a source whole, and counts its codes in memory."""
    if schema is not None and unit is None:
        rows = read_table(rows, schema)
    elif schema is not None and unit is not None:
        rows, weights = unit.bounded(*read_units(rows, schema, unit.column))
    return MemoryCounter(rows, weights=weights, threads=threads)


ENGINES: Mapping[str, Engine] = {
    "memory": open_memory,
}


@overload
def open_counter(
    rows: Table, *, weights: Weights | None = ..., engine: str = ..., threads: int | None = ...
) -> Counter: ...
@overload
def open_counter(
    rows: Any, schema: Schema, *, unit: UnitRule | None = ..., engine: str = ..., threads: int | None = ...
) -> Counter: ...
def open_counter(
    rows: Table | Any,
    schema: Schema | None = None,
    *,
    unit: UnitRule | None = None,
    weights: Weights | None = None,
    engine: str = "memory",
    threads: int | None = None,
) -> Counter:
    """A counter over rows: exact and sensitive, for a curator or for the holder's own eyes.

    Args:
        rows: a table of codes; or what a table can be read from: a file, a pandas, polars or pyarrow table.
        schema: what is declared about the columns, unless `rows` are codes already.
        unit: the column that tells units apart, and what their rows may count; only with a schema.
        weights: how many rows each row of a table of codes counts for; only without a schema.
        engine: what counts.
        threads: how many may count at a time; as many as there are processors by default.

    Raises:
        TableError: with every fault of the rows: no counter is given out before all of them were read.

    >>> import pyarrow as pa
    >>> schema = Schema.from_dict({"fields": [{"name": "sex", "categories": ["f", "m"]}]})
    >>> open_counter(pa.table({"sex": ["f", "m", "m"]}), schema).n
    3
    """
    if engine not in ENGINES:
        raise OptionError(f"there is no counting engine '{engine}'. {did_you_mean(engine, ENGINES)}")
    return ENGINES[engine](rows, schema, unit=unit, weights=weights, threads=threads)
