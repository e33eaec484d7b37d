"""Applying a plan to a large Parquet file, against reading and writing the same columns unchanged.

20 columns of 2 to 12 values, and a key that is a whole number. Unchanged is what pyarrow does by itself: batches read
and written again with the same compression, with the key if ours has one. Ours is the whole of `apply` but the record:
checks, codes, exact draws from the operating system's generator, digests, pseudonyms, and rows put in their order.
Memory is the peak of the whole process of the command line, beside that at two million rows, as many as are held at a
time; it may grow by what tells whether a key comes twice: 16 bytes a row, and half as much again while they are sorted.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from benchmarks._report import Line, Options, main
from understudy._core.errors import UnderstudyWarning
from understudy.randomize import Plan, apply, plan
from understudy.schema import Schema

ROWS, QUICK_ROWS, FEW_ROWS = 10_000_000, 3_000_000, 2_000_000
SIZES = (2, 2, 3, 4, 5, 2, 6, 8, 3, 2, 10, 4, 2, 3, 5, 7, 2, 4, 12, 3)
GROUP, BATCH, REPEATS = 1 << 20, 1 << 17, 3
SHARE = 1 / 3
BYTES_A_ROW = 32
SECRET = "a secret for the benchmark alone"


def run(options: Options) -> list[Line]:
    warnings.simplefilter("ignore", UnderstudyWarning)  # nothing is recorded here
    rows = QUICK_ROWS if options.quick else ROWS
    schema = Schema.from_dict(
        {
            "name": "party",
            "fields": [
                {"name": f"c{i:02}", "categories": [f"value {j}" for j in range(size)]} for i, size in enumerate(SIZES)
            ],
        }
    )
    plans = {"default blocks": plan(schema, epsilon=8), "each column by itself": plan(schema, epsilon=8, separate=True)}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table, few = folder / "table.parquet", folder / "few.parquet"
        make_table(table, rows)
        make_table(few, FEW_ROWS)
        for key in (False, True):  # compiles
            ours(few, next(iter(plans.values())), folder, key=key)
        lines = []
        for key in (False, True):
            clean = fastest(lambda key=key: unchanged(table, schema.names, folder / "same.parquet", key=key))
            lines += [speed(table, made, folder, what, key=key, rows=rows, clean=clean) for what, made in plans.items()]
        return [*lines, memory(table, few, plans["default blocks"], folder, rows)]


def speed(
    table: Path, made: Plan, folder: Path, what: str, *, key: bool, rows: int, clean: tuple[float, float]
) -> Line:
    """One line: CPU and wall seconds of ours, beside those of the unchanged file."""
    cpu, wall = fastest(lambda: ours(table, made, folder, key=key))
    ratio = clean[0] / cpu
    return Line(
        f"apply, {rows:,} rows × {len(SIZES)} columns, {what}{', with pseudonyms' if key else ''}",
        f"{cpu:.3g} CPU s, {wall:.3g} s by the wall; {len(made.blocks)} blocks",
        f"read and written unchanged: {clean[0]:.3g} CPU s, {clean[1]:.3g} s",
        ratio,
        "at least 0.333×",
        ratio >= SHARE,
    )


def memory(table: Path, few: Path, made: Plan, folder: Path, rows: int) -> Line:
    """Peak memory of the command line, with a key."""
    made.save(folder / "party.plan.yaml")
    (folder / "secret").write_text(SECRET)
    peaks = [peak_of(source, folder) for source in (few, table)]
    allowed = peaks[0] + BYTES_A_ROW * (rows - FEW_ROWS) / 1e6
    return Line(
        f"apply, {rows:,} rows × {len(SIZES)} columns, with pseudonyms: peak memory",
        f"{peaks[1]:.0f} MB",
        f"{FEW_ROWS:,} rows: {peaks[0]:.0f} MB",
        None,
        f"at most {BYTES_A_ROW} bytes a row more",
        peaks[1] <= allowed,
    )


def ours(table: Path, made: Plan, folder: Path, *, key: bool) -> None:
    keyed: dict[str, Any] = {"key": "id", "secret": SECRET} if key else {}
    apply(table, made, out=folder / "sent.parquet", record=False, overwrite=True, **keyed)


def unchanged(table: Path, names: tuple[str, ...], out: Path, *, key: bool) -> None:
    source = parquet.ParquetFile(table)
    columns = [*names, *(["id"] if key else [])]
    kept = pa.schema([source.schema_arrow.field(name) for name in columns])
    with parquet.ParquetWriter(out, kept, compression="zstd") as writer:
        for batch in source.iter_batches(batch_size=BATCH, columns=columns):
            writer.write_batch(batch.select(columns), row_group_size=GROUP)


def fastest(work: Callable[[], None]) -> tuple[float, float]:
    """CPU and wall seconds, the least of a few runs."""
    found = []
    for _ in range(REPEATS):
        cpu, wall = time.process_time(), time.perf_counter()
        work()
        found.append((time.process_time() - cpu, time.perf_counter() - wall))
    return min(cpu for cpu, _ in found), min(wall for _, wall in found)


_WATCH = """
import os, sys
process = os.posix_spawn(sys.executable, [sys.executable, *sys.argv[1:]], os.environ)
_, status, used = os.wait4(process, 0)
print(used.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def peak_of(table: Path, folder: Path) -> float:
    """Peak MB of one run of the command line, started by a process that is small: a child's peak includes its own."""
    out = folder / f"sent-{table.name}"
    words = ["randomize", "apply", table, "--plan", folder / "party.plan.yaml", "--key", "id", "-o", out]
    command = [sys.executable, "-c", _WATCH, "-m", "understudy", *map(str, words), "--secret-file", folder / "secret"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(done.stdout.splitlines()[-1]) * 1024 / 1e6


def make_table(path: Path, rows: int) -> None:
    """Columns of skewed values, and keys in no order."""
    draws = np.random.default_rng(1)
    labels = [pa.array([f"value {j}" for j in range(size)]) for size in SIZES]
    kinds = [(f"c{i:02}", pa.dictionary(pa.uint8(), pa.string())) for i in range(len(SIZES))]
    with parquet.ParquetWriter(path, pa.schema([("id", pa.int64()), *kinds]), compression="zstd") as writer:
        for start in range(0, rows, GROUP):
            n = min(GROUP, rows - start)
            columns = [pa.array(np.arange(start, start + n) * 7919 % 1_000_000_007)]
            for size, names in zip(SIZES, labels, strict=True):
                shares = np.cumsum(1 / np.arange(1, size + 1))
                codes = np.searchsorted(shares[:-1] / shares[-1], draws.random(n)).astype(np.uint8)
                columns.append(pa.DictionaryArray.from_arrays(pa.array(codes), names))
            writer.write_batch(pa.record_batch(columns, schema=writer.schema), row_group_size=GROUP)


if __name__ == "__main__":
    main(run)
