"""Counting on Spark, on this machine, against the streaming engine: the same Parquet file, the same tables.

Two passes: the first checks every cell and counts all pairs of 16 columns of texts, the second counts all 560 3-way
tables. Each way of counting is a process of its own, which first does the same with a smaller file, of a task for each
worker: Java is running then, and kernels are loaded. CPU seconds are those of all processes that it started, Java and
Spark's Python workers among them; seconds of the clock stand beside them, and depend on what else runs: of several
runs, those of one worker and of two in turns, the one with the least counts. The DataFrame is counted once.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import combinations
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks._data import ROOT
from benchmarks._report import Line, Options, main
from benchmarks.counting import MIXED, make_table
from benchmarks.streaming import schema_of, texts
from understudy.counting import open_counter
from understudy.schema import Marginal

ROWS, QUICK_ROWS, GROUP = 20_000_000, 2_000_000, 1 << 20
SMALL = 2 * GROUP
WAYS = {
    "stream": "the streaming engine",
    "local[1]": "Spark, local[1], its worker reads the file",
    "local[2]": "Spark, local[2], its workers read the file",
    "frame": "Spark, local[2], a DataFrame of the file",
}
REPEATS = 3
_TICK = os.sysconf("SC_CLK_TCK")


def run(options: Options) -> list[Line]:
    rows = QUICK_ROWS if options.quick else ROWS
    with tempfile.TemporaryDirectory() as folder:
        for name, n in (("table", rows), ("small", SMALL)):
            write_texts(Path(folder, f"{name}.parquet"), n)
        found = {way: _measured(way, folder) for way in WAYS}
        for way in ("local[1]", "local[2]"):  # in turns with those before: the machine may do more or less meanwhile
            found[way] = _better(found[way], _measured(way, folder))
    broken = [
        Line(f"count {rows:,} rows: {WAYS[way]}", f"failed: {one}", met=False)
        for way, one in found.items()
        if isinstance(one, str)
    ]
    told = {way: one for way, one in found.items() if not isinstance(one, str)}
    return [*broken, *(_lines(rows, told) if len(told) == len(WAYS) else ())]


def _lines(rows: int, found: dict[str, dict[str, float]]) -> list[Line]:
    stream, one, two = (found[way] for way in ("stream", "local[1]", "local[2]"))
    beside = f"the streaming engine: {_words(stream)}"
    lines = [
        Line(
            f"two passes over {rows:,} × {len(MIXED)} texts: {WAYS[way]}",
            _words(found[way]),
            beside,
            stream["cpu"] / found[way]["cpu"],
        )
        for way in ("local[2]", "frame")
    ]
    return [
        *lines,
        Line(
            "the same with a second worker", _words(two), f"with one: {_words(one)}", one["clock"] / two["clock"],
            "not slower by the clock", two["clock"] <= one["clock"],
        ),
        Line(
            f"starting, and the same with {SMALL:,} rows: {WAYS['local[2]']}", f"{two['start']:.3g} CPU s",
            f"the streaming engine: {stream['start']:.3g} CPU s",
        ),
    ]  # fmt: skip


def _words(one: dict[str, float]) -> str:
    return f"{one['cpu']:.3g} CPU s, {one['clock']:.3g} s by the clock (first pass {one['first']:.3g} CPU s)"


def _better(one: dict[str, float] | str, other: dict[str, float] | str) -> dict[str, float] | str:
    """The run with less time by the clock."""
    runs = [run for run in (one, other) if not isinstance(run, str)]
    return min(runs, key=lambda run: run["clock"], default=one)


def _measured(way: str, folder: str) -> dict[str, float] | str:
    command = [sys.executable, "-m", "benchmarks.spark", "--way", way, folder]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["no message"])[-1]
    found: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def write_texts(path: Path, rows: int) -> None:
    """A Parquet file of so many rows, made a row group at a time."""
    writer = None
    for low in range(0, rows, GROUP):
        table = pa.table(texts(make_table(min(GROUP, rows - low), MIXED, seed=low // GROUP).columns))
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table, row_group_size=GROUP)
    if writer is not None:
        writer.close()


def count_both(source: Callable[[str], Any], engine: str, repeats: int = REPEATS) -> dict[str, float]:
    """The seconds of two passes, once all that is needed is running; of the run with the least by the clock."""
    asked = [Marginal.of(*some) for some in combinations(range(len(MIXED)), 3)]

    def passes(name: str) -> float:
        counter = open_counter(source(name), schema_of("texts"), engine=engine)
        between = cpu_seconds()
        counter.count(asked)
        return between

    passes("small")
    before = cpu_seconds()
    runs = []
    for _ in range(repeats):
        start, clock = cpu_seconds(), time.monotonic()
        between = passes("table")
        end = cpu_seconds()
        runs.append({"first": between - start, "cpu": end - start, "clock": time.monotonic() - clock})
    return {"start": before, **min(runs, key=lambda run: run["clock"])}


def cpu_seconds() -> float:
    """Of this process and of all that it started, those that have ended included."""
    parents: dict[int, list[int]] = {}
    used: dict[int, float] = {}
    for folder in Path("/proc").iterdir():
        with suppress(OSError, ValueError):  # no process, or one that has just ended
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            number = int(folder.name)
            parents.setdefault(int(fields[1]), []).append(number)
            used[number] = sum(map(int, fields[11:15])) / _TICK
    found, left = 0.0, [os.getpid()]
    while left:
        one = left.pop()
        found += used.get(one, 0.0)
        left += parents.get(one, [])
    return found


def child(way: str, folder: str) -> None:
    """One way of counting, in a process of its own."""
    if way == "stream":
        found = count_both(lambda name: Path(folder, f"{name}.parquet"), "stream")
    else:
        from understudy._core.spark import open_session

        session, _ = open_session("local[2]" if way == "frame" else way)
        if way == "frame":
            found = count_both(lambda name: session.read.parquet(str(Path(folder, f"{name}.parquet"))), "auto", 1)
        else:
            found = count_both(lambda name: Path(folder, f"{name}.parquet"), "spark")
        session.stop()
    print(json.dumps(found))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--way"]:
        child(*sys.argv[2:])
    else:
        main(run)
