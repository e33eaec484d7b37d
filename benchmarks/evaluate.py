"""Evaluation of Adult's two- and three-way tables, against the same by pandas `crosstab`.

Ours starts from two dataframes as a user has them: reading them by their schema, making the two references and
measuring both of these too are in its time. Pandas is given whole-number codes, gets no references, and its
distances must be ours to 1e-12. A quick run lets it do a spread-out few of the tables and multiplies.

The second line is `evaluate` as a whole, which also finds associations, answers range queries, computes SDMetrics'
measures and drills the worst tables down. There pandas does both references too, but still nothing beyond the tables.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks._data import schema_path
from benchmarks._made import mixed_table
from benchmarks._ours import fit, load_table
from benchmarks._report import Line, Options, Stopwatch, faster, main
from understudy import evaluate
from understudy._core.randomness import Streams, streams
from understudy.evaluation import (
    MeasureResult,
    Pair,
    draw_independent_columns,
    make_references,
    measure_tables,
    pair_of_codes,
    read_pair,
)
from understudy.schema import Schema
from understudy.tables import Table, decode_batch, to_kind

FASTER, SECONDS = 50, 60
QUICK_TABLES, REPEATS = 24, 3
WAYS = (2, 3)


def run(options: Options) -> list[Line]:
    return [*against_crosstab(quick=options.quick), wide(quick=options.quick)]


def against_crosstab(*, quick: bool) -> list[Line]:
    """All pairs and triples of Adult's columns, real against one synthetic table."""
    real = load_table("adult")
    schema = Schema.load(schema_path("adult"))
    drawn = next(fit(real, epsilon=1.0, seed=1).sample_codes(real.n, streams=Streams(1), batch_rows=real.n))
    synthetic = Table(real.domain, tuple(drawn))
    frames = [_frame(schema, table) for table in (real, synthetic)]
    ours = _best(lambda: _evaluate(*frames, schema))
    whole = _best(lambda: evaluate(*frames, schema, classifiers=False))
    found = _distances(_evaluate(*frames, schema))
    groups = sorted(found)
    few = groups[:: max(1, len(groups) // QUICK_TABLES)] if quick else groups
    theirs = _crosstab_seconds(_codes(schema, real), _codes(schema, synthetic), few, found) * len(groups) / len(few)
    task = f"evaluate all {len(groups)} 2- and 3-way tables of Adult, references included"
    everything = "all of evaluate on Adult but classifiers: tables, associations, ranges, SDMetrics' measures"
    return [
        faster(task, ours, theirs, target=FASTER, what="pandas crosstab, no references"),
        faster(everything, whole, 2 * theirs, target=FASTER, what="pandas crosstab of the tables, references too"),
    ]


def wide(*, quick: bool) -> Line:
    """A table of the size the report has to bear, three of its columns with 1,300 values; by the wall clock."""
    pair = _wide_pair(10_000 if quick else 100_000)
    references = make_references(pair)
    measure_tables(pair, references, ways=(1,))  # compiles
    start = time.perf_counter()
    found = measure_tables(pair, references)
    seconds = time.perf_counter() - start
    task = f"evaluate 1- to 3-way tables, {pair.real.n:,} × {len(pair.domain)} ({found[-1].scope})"
    return Line(task, f"{seconds:.3g} s", target=f"at most {SECONDS} s", met=seconds <= SECONDS)


def _evaluate(real: Any, synthetic: Any, schema: Schema) -> list[MeasureResult]:
    pair = read_pair(real, synthetic, schema)
    return measure_tables(pair, make_references(pair), ways=WAYS)


def _frame(schema: Schema, table: Table) -> Any:
    """The table as a user would have it, as a dataframe of values."""
    batch = decode_batch(schema, table.columns, streams(1).get("decode"))
    return to_kind(batch, "pandas", schema=schema)


def _codes(schema: Schema, table: Table) -> Any:
    import pandas as pd

    return pd.DataFrame(
        {name: column.astype(np.int64) for name, column in zip(schema.names, table.columns, strict=True)}
    )


def _distances(results: Sequence[MeasureResult]) -> dict[tuple[str, ...], float]:
    """Names of the columns → distance."""
    found = {}
    for one in results:
        details = one.details.to_pydict()
        names = zip(*(details[key] for key in details if key.startswith("column_")), strict=True)
        found.update(zip(names, details["distance"], strict=True))
    return found


def _crosstab_seconds(
    real: Any, synthetic: Any, groups: Sequence[tuple[str, ...]], ours: dict[tuple[str, ...], float]
) -> float:
    """CPU seconds of pandas, and a check that it finds the same."""
    with Stopwatch() as watch:
        theirs = [_crosstab_distance(real, synthetic, group) for group in groups]
    for group, distance in zip(groups, theirs, strict=True):
        if abs(distance - ours[group]) > 1e-12:
            raise AssertionError(f"our distance differs from that of crosstab for {group}")
    return watch.seconds


def _crosstab_distance(real: Any, synthetic: Any, group: tuple[str, ...]) -> float:
    import pandas as pd

    *rows, last = group
    one, two = (
        pd.crosstab([frame[name] for name in rows], frame[last], normalize="all") for frame in (real, synthetic)
    )
    one, two = one.align(two, fill_value=0.0)
    return float(np.abs(one.fillna(0.0).to_numpy() - two.fillna(0.0).to_numpy()).sum()) / 2


def _wide_pair(n: int) -> Pair:
    columns, content = mixed_table(n, seed=12)
    schema = Schema.from_dict(content)
    real = Table(schema.domain, tuple(columns))
    return pair_of_codes(schema, real, [draw_independent_columns(real, streams(2).get("wide"))])


def _best(work: Callable[[], object]) -> float:
    """CPU seconds of the fastest of a few runs, after one that compiles."""
    work()
    seconds = []
    for _ in range(REPEATS):
        with Stopwatch() as watch:
            work()
        seconds.append(watch.seconds)
    return min(seconds)


if __name__ == "__main__":
    main(run)
