"""One pass of the streaming engine over a Parquet file, against DuckDB streaming the same columns to Arrow.

A pass reads, encodes and counts all 560 3-way tables of 16 columns; DuckDB reads and hands over. CPU seconds of the
whole process, the least of a few runs each, in turns. Integers are codes as they stand; numbers are binned, half of
them whole; texts are looked up among their categories.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks._report import Line, Options, Stopwatch, main
from benchmarks.counting import MIXED, make_table
from understudy.counting import open_counter
from understudy.schema import Marginal, Schema

ROWS, QUICK_ROWS, REPEATS = 10_000_000, 2_000_000, 3
MOST, MOST_TEXTS = 2.5, 4.0
_BATCH, _GROUP, _WITHIN = 1 << 17, 1 << 20, 97


def run(options: Options) -> list[Line]:
    rows = QUICK_ROWS if options.quick else ROWS
    codes = make_table(rows, MIXED).columns
    lines = []
    for kind, most in (("integers", MOST), ("numbers", MOST), ("texts", MOST_TEXTS)):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, f"{kind}.parquet")
            pq.write_table(pa.table(_CELLS[kind](codes)), path, row_group_size=_GROUP)
            lines.append(one_pass(kind, path, rows, most))
    return lines


def one_pass(kind: str, path: Path, rows: int, most: float) -> Line:
    """All 3-way tables in one pass over a file."""
    counter = open_counter(path, schema_of(kind), engine="stream")
    asked = [Marginal.of(*some) for some in combinations(range(len(MIXED)), 3)]
    ours, theirs = [], []
    for _ in range(REPEATS):
        with Stopwatch() as watch:
            _duckdb_stream(path)
        theirs.append(watch.seconds)
        fresh = open_counter(path, schema_of(kind), engine="stream") if ours else counter  # tables are remembered
        with Stopwatch() as watch:
            fresh.count(asked)
        ours.append(watch.seconds)
    ratio = min(ours) / min(theirs)
    return Line(
        f"a pass that counts {len(asked)} tables over {rows:,} × {len(MIXED)} {kind} ({path.stat().st_size >> 20} MB)",
        f"{min(ours):.3g} CPU s: {ratio:.2f} times as many",
        f"DuckDB, to Arrow: {min(theirs):.3g} CPU s",
        1 / ratio,
        f"at most {most:g} times as many",
        ratio <= most,
    )


def _duckdb_stream(path: Path) -> None:
    import duckdb

    with duckdb.connect() as base:
        for _ in base.from_parquet(str(path)).to_arrow_reader(_BATCH):
            pass


def _integers(codes: tuple[Any, ...]) -> dict[str, Any]:
    return {f"x{i}": column.astype(np.int32) for i, column in enumerate(codes)}


def _numbers(codes: tuple[Any, ...]) -> dict[str, Any]:
    rng = np.random.default_rng(5)
    made: dict[str, Any] = {}
    for i, column in enumerate(codes):
        if i % 2:
            made[f"x{i}"] = np.round(column + rng.random(len(column)), 2)
        else:
            made[f"x{i}"] = column.astype(np.int32) * _WITHIN + rng.integers(0, _WITHIN, len(column), dtype=np.int32)
    return made


def texts(codes: tuple[Any, ...]) -> dict[str, Any]:
    """Columns of categories, as texts."""
    return {
        f"x{i}": pa.DictionaryArray.from_arrays(pa.array(column), pa.array(_values(size))).cast(pa.string())
        for i, (column, size) in enumerate(zip(codes, MIXED, strict=True))
    }


_CELLS: Mapping[str, Callable[[tuple[Any, ...]], dict[str, Any]]] = {
    "integers": _integers,
    "numbers": _numbers,
    "texts": texts,
}


def _values(size: int) -> list[str]:
    return [f"value {value} of {size}" for value in range(size)]


def schema_of(kind: str) -> Schema:
    """What is declared of the columns."""
    return Schema.from_dict({"fields": [_field(kind, i, size) for i, size in enumerate(MIXED)]})


def _field(kind: str, i: int, size: int) -> dict[str, Any]:
    if kind == "integers":
        return {"name": f"x{i}", "type": "integer", "categories": list(range(size))}
    if kind == "texts":
        return {"name": f"x{i}", "categories": _values(size)}
    type_, most = ("number", size) if i % 2 else ("integer", _WITHIN * size - 1)
    return {"name": f"x{i}", "type": type_, "constraints": {"minimum": 0, "maximum": most}, "bins": size}


if __name__ == "__main__":
    main(run)
