"""A round of tables counted inside PostgreSQL, against reading the rows from it and counting them here.

16 columns of 2 to 20 values, a quarter of them texts, the others numbers to be binned. CPU seconds of this process and
of the server's, which works alone (no parallel query), for the check of all cells and one round: all pairs, or all
triples, which the quick form has as well. The server is the project's own, started for the length of the run.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from scripts.start_postgres import server

from benchmarks._report import Line, Options, Stopwatch, main
from benchmarks.counting import MIXED, make_table
from understudy.counting import MOST_QUERIES, n_queries, open_counter
from understudy.schema import Marginal, Schema
from understudy.tables import Source, open_source

ROWS, QUICK_ROWS = 10_000_000, 500_000
_CHUNK, _WITHIN, _TICKS = 1_000_000, 97, os.sysconf("SC_CLK_TCK")


def run(options: Options) -> list[Line]:
    rows = QUICK_ROWS if options.quick else ROWS
    with server(max_parallel_workers_per_gather="0") as address:
        load(address, rows)
        source = open_source(f"{address}?table=visits")
        return [a_round(source, rows, width) for width in ((1, 2, 3) if options.quick else (1, 2))]


def load(address: str, rows: int) -> None:
    """Fill a table on the server, part by part."""
    from adbc_driver_postgresql import dbapi

    codes = make_table(rows, MIXED).columns
    with dbapi.connect(address, autocommit=True) as connection, connection.cursor() as cursor:
        for low in range(0, rows, _CHUNK):
            part = [column[low : low + _CHUNK] for column in codes]
            cursor.adbc_ingest("visits", pa.table(_cells(part)), mode="create_append")
        cursor.execute("VACUUM ANALYZE visits")


def a_round(source: Source, rows: int, width: int) -> Line:
    """All tables of so many columns, counted there and here."""
    asked = [Marginal.of(*some) for some in combinations(range(len(MIXED)), width)]
    wider = 0 if width == 1 else n_queries(SCHEMA.domain, width)  # single columns are counted while they are checked
    there, pulled = (measured(source, asked, **how) for how in ({}, {"engine": "memory", "pull": True}))
    assert all(np.array_equal(one, other) for one, other in zip(there.tables, pulled.tables, strict=True))
    fits = (there.seconds < pulled.seconds) == (wider <= MOST_QUERIES)
    return Line(
        f"check {rows:,} × {len(MIXED)} cells and count {len(asked)} tables, out of {wider} wider ones",
        f"in PostgreSQL: {there.seconds:.3g} CPU s",
        f"pulled: {pulled.seconds:.3g} CPU s",
        pulled.seconds / there.seconds,
        f"pulled beyond {MOST_QUERIES} wider tables, where that is allowed",
        fits,
    )


@dataclass(frozen=True, eq=False)
class Measured:
    """What a round took, here and on the server."""

    seconds: float
    tables: list[Any]


def measured(source: Source, asked: Sequence[Marginal], **how: Any) -> Measured:
    """The tables, and CPU seconds of both sides."""
    watch = Stopwatch()
    with _on_server(source) as spent, watch:
        tables = open_counter(source, SCHEMA, **{"engine": "database", **how}).count(asked)
    return Measured(watch.seconds + spent[0], tables)


@contextmanager
def _on_server(source: Source) -> Iterator[list[float]]:
    """CPU seconds of the server's process for this connection."""
    assert source.server is not None
    process = source.server.ask("SELECT pg_backend_pid() AS pid")["pid"][0].as_py()
    spent, before = [0.0], _seconds(process)
    yield spent
    spent[0] = _seconds(process) - before


def _seconds(process: int) -> float:
    times = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(times[11]) + int(times[12])) / _TICKS


def _cells(codes: Sequence[Any]) -> dict[str, Any]:
    rng = np.random.default_rng(5)
    made: dict[str, Any] = {}
    for i, (column, size) in enumerate(zip(codes, MIXED, strict=True)):
        if i % 4 == 0:
            made[f"x{i}"] = pa.DictionaryArray.from_arrays(pa.array(column), pa.array(_texts(size))).cast(pa.string())
        elif i % 2:
            made[f"x{i}"] = np.round(column + rng.random(len(column)), 2)
        else:
            made[f"x{i}"] = column.astype(np.int32) * _WITHIN + rng.integers(0, _WITHIN, len(column), dtype=np.int32)
    return made


def _texts(size: int) -> list[str]:
    return [f"value {value} of {size}" for value in range(size)]


def _field(i: int, size: int) -> dict[str, Any]:
    if i % 4 == 0:
        return {"name": f"x{i}", "categories": _texts(size)}
    kind, most = ("number", size) if i % 2 else ("integer", _WITHIN * size - 1)
    return {"name": f"x{i}", "type": kind, "constraints": {"minimum": 0, "maximum": most}, "bins": size}


SCHEMA = Schema.from_dict({"fields": [_field(i, size) for i, size in enumerate(MIXED)]})


if __name__ == "__main__":
    main(run)
