"""The one place where a counting engine is chosen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, overload

from understudy._core.errors import OptionError, did_you_mean
from understudy.counting._counter import Counter
from understudy.counting._memory import open_memory
from understudy.schema import Schema
from understudy.tables import Table


class Engine(Protocol):
    """Opens a counter over a table of codes; or over a source, once every cell of it was read and found valid.

    >>> sorted(ENGINES)
    ['memory']
    """

    def __call__(self, rows: Table | Any, schema: Schema | None, *, threads: int | None) -> Counter: ...


ENGINES: Mapping[str, Engine] = {
    "memory": open_memory,
}


@overload
def open_counter(rows: Table, *, engine: str = ..., threads: int | None = ...) -> Counter: ...
@overload
def open_counter(rows: Any, schema: Schema, *, engine: str = ..., threads: int | None = ...) -> Counter: ...
def open_counter(
    rows: Table | Any, schema: Schema | None = None, *, engine: str = "memory", threads: int | None = None
) -> Counter:
    """A counter over rows: exact and sensitive, for a curator or for the holder's own eyes.

    Args:
        rows: a table of codes; or what a table can be read from: a file, a pandas, polars or pyarrow table.
        schema: what is declared about the columns, unless `rows` are codes already.
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
    return ENGINES[engine](rows, schema, threads=threads)
