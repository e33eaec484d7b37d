"""Wide tables: the CPU time and memory of a whole publication, against 500 NumPy passes over the same table.

A pass over the table counts 3-way tables of all rows with `ravel_multi_index` and `bincount`, enough of them to read
every column once: that is what we hold ourselves against. Passes that count a single one, and so read three columns
only, are timed beside it for whoever means those. What is published goes from a Parquet file to a release folder with a
synthetic Parquet file. Each run is a process of its own, and another one makes the table. Memory is the peak of what is
resident, above what was when publishing began: by then the process has published 2,000 rows of the same columns, so
that everything is imported and its kernels are loaded, and has given back all memory it does not use.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks._data import ROOT
from benchmarks._made import Narrow, binary_table, mixed_table
from benchmarks._numpy import PASSES, three_column_passes, whole_table_passes
from benchmarks._ours import STRICT
from benchmarks._report import Line, Options, Stopwatch, main

Maker = Callable[[int], tuple[list[Narrow], dict[str, Any]]]
CASES: dict[str, tuple[str, int, Maker]] = {
    "binary100": ("1,000,000 × 100 binary, automatic degree", 1_000_000, lambda n: binary_table(n, 100, seed=11)),
    "mixed48": ("50,000 × 48 mixed, three of 1,300 values", 50_000, lambda n: mixed_table(n, seed=12)),
    "binary500": ("100,000 × 500 binary, automatic degree", 100_000, lambda n: binary_table(n, 500, seed=13)),
}
EPSILON, TIMES_TABLE = 1.0, 4


def run(options: Options) -> list[Line]:
    lines: list[Line] = []
    for case in CASES:
        command = [sys.executable, "-m", "benchmarks.scale", "--case", case]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            lines.append(Line(f"publish {CASES[case][0]}", f"failed: {last}", met=False))
            continue
        lines.extend(_lines(case, json.loads(done.stdout.strip().splitlines()[-1])))
    return lines


def _lines(case: str, found: dict[str, float]) -> list[Line]:
    label, asked = CASES[case][0], case != "binary500"
    memory = found["peak_mb"] / found["table_mb"]
    ours = f"{found['publish']:.3g} CPU s (reading {found['read']:.2g}, fitting {found['fit']:.3g})"
    times = [
        Line(
            f"publish {label}: CPU time",
            ours,
            f"{PASSES} NumPy passes over {what}: {found[key]:.3g} CPU s",
            found[key] / found["publish"],
            "at least 1×" if asked and key == "whole" else "",
            found[key] >= found["publish"] if asked and key == "whole" else None,
        )
        for key, what in (("whole", "every column"), ("three", "three columns only"))
    ]
    return [
        *times,
        Line(
            f"publish {label}: memory",
            f"{found['peak_mb']:.3g} MB at the peak above a warm start, {memory:.2g} × the table",
            f"table {found['table_mb']:.3g} MB as codes",
            None,
            f"under {TIMES_TABLE} × the table" if asked else "",
            memory < TIMES_TABLE if asked else None,
        ),
    ]


def make_files(case: str, folder: Path) -> None:
    """The table of a case as a Parquet file, its first rows as another, and what is declared about it."""
    _, n, make = CASES[case]
    columns, declared = make(n)
    names = [field["name"] for field in declared["fields"]]
    pq.write_table(pa.table(columns, names=names), folder / "table.parquet")
    pq.write_table(pa.table([column[:2000] for column in columns], names=names), folder / "small.parquet")
    made = {"schema": declared, "table_mb": sum(column.nbytes for column in columns) / 1e6}
    (folder / "made.json").write_text(json.dumps(made))


def one_case(case: str) -> dict[str, float]:
    """Publish a made table, and time NumPy on it."""
    import understudy as us
    from understudy.tables import read_table

    with tempfile.TemporaryDirectory() as folder:
        # elsewhere, for this process would use the memory again that making the table took
        subprocess.run([sys.executable, "-m", "benchmarks.scale", "--make", case, folder], cwd=ROOT, check=True)
        small, source = Path(folder, "small.parquet"), Path(folder, "table.parquet")
        made = json.loads(Path(folder, "made.json").read_text())
        schema, table_mb = us.Schema.from_dict(made["schema"]), made["table_mb"]
        run = {"schema": schema, "method": "privbayes", "seed": 1, **STRICT}
        # compiles and loads all kernels: the same columns, few rows, so few that a large ε keeps the tables alike
        us.publish(small, epsilon=50, out=Path(folder, "first"), max_candidates=64, **run)
        before = reset_peak()
        with Stopwatch() as publish:
            us.publish(source, epsilon=EPSILON, out=Path(folder, "release"), **run)
        peak = peak_mb() - before
        with Stopwatch() as read:
            table = read_table(source, schema)
        with Stopwatch() as fit:
            us.PrivBayes(epsilon=EPSILON, seed=1, **STRICT).fit(source, schema)
        sizes = [attribute.size for attribute in table.domain]
        three, whole = three_column_passes(table.columns, sizes), whole_table_passes(table.columns, sizes)
    return {
        "publish": publish.seconds,
        "read": read.seconds,
        "fit": fit.seconds - read.seconds,
        "three": three,
        "whole": whole,
        "peak_mb": peak,
        "table_mb": table_mb,
    }


def reset_peak() -> float:
    """Give back unused memory and forget this process's memory peak (Linux); what it holds now, in MB."""
    gc.collect()
    pa.default_memory_pool().release_unused()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
    Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS")


def peak_mb() -> float:
    """The memory peak since `reset_peak`, in MB."""
    return _status("VmHWM")


def _status(key: str) -> float:
    for line in Path(f"/proc/{os.getpid()}/status").read_text().splitlines():
        if line.startswith(key):
            return int(line.split()[1]) * 1024 / 1e6
    raise OSError(f"this system does not tell {key}")


if __name__ == "__main__":
    if "--make" in sys.argv:
        make_files(sys.argv[-2], Path(sys.argv[-1]))
    elif "--case" in sys.argv:
        print(json.dumps(one_case(sys.argv[sys.argv.index("--case") + 1])))
    else:
        main(run)
