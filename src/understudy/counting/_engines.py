"""The one place where a counting engine is chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, overload

from understudy._core.errors import OptionError, did_you_mean
from understudy.counting._choosing import open_fitting, open_memory
from understudy.counting._counter import Counter
from understudy.counting._open_database import open_database
from understudy.counting._open_stream import open_stream
from understudy.counting._opening import Opening, Progress
from understudy.counting._servers import DATABASE, on_server
from understudy.counting._spark import open_spark
from understudy.counting._units import UnitRule, Weights
from understudy.schema import Schema
from understudy.tables import DeclaredRows, Table, open_source


class Engine(Protocol):
    """Opens a counter over a table of codes; or over a source, once every cell of it was read and found valid.

    >>> sorted(ENGINES)
    ['database', 'memory', 'spark', 'stream']
    """

    def __call__(self, rows: Table | Any, opening: Opening) -> Counter: ...


ENGINES: Mapping[str, Engine] = {
    "memory": open_memory,
    "stream": open_stream,
    DATABASE: open_database,
    "spark": open_spark,
}
AUTO = "auto"


@overload
def open_counter(
    rows: Table,
    *,
    weights: Weights | None = ...,
    engine: str = ...,
    threads: int | None = ...,
    master: str | None = ...,
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
    pull: bool = ...,
    progress: Progress | None = ...,
    master: str | None = ...,
) -> Counter: ...
def open_counter(rows: Table | Any, schema: Schema | None = None, *, engine: str = "memory", **told: Any) -> Counter:
    """A counter over rows: exact and sensitive, for a curator or for the holder's own eyes.

    Args:
        rows: a table of codes; or what a table can be read from: a file, a pandas, polars or pyarrow table.
        schema: what is declared about the columns, unless `rows` are codes already.
        engine: what counts; "auto" for the memory engine if the rows fit, and else the streaming one; a DataFrame of
            Spark is counted where it lies.
        told: the fields of `Opening`: `unit`, `declared` and `check_rows` with a schema, `weights` without one,
            `threads`, `memory`, `progress` and `master` with either; `pull` says that rows may leave their server.

    Raises:
        TableError: with every fault of the rows: no counter is given out before all of them were read.

    >>> import pyarrow as pa
    >>> schema = Schema.from_dict({"fields": [{"name": "sex", "categories": ["f", "m"]}]})
    >>> open_counter(pa.table({"sex": ["f", "m", "m"]}), schema).n
    3
    """
    if engine not in (AUTO, *ENGINES):
        raise OptionError(f"there is no counting engine '{engine}'. {did_you_mean(engine, (AUTO, *ENGINES))}")
    opening = Opening(schema=schema, **told)
    if schema is None:
        return (open_fitting if engine == AUTO else ENGINES[engine])(rows, opening)
    source = open_source(rows)
    if on_server(source, schema.domain, engine=engine, pull=opening.pull, one_by_one=opening.one_by_one):
        return ENGINES[DATABASE](source, opening)
    return (open_fitting if engine == AUTO else ENGINES[engine])(source, opening)
