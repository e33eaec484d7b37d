"""Sampling: 10 million Adult rows to Parquet by the command line, against pgmpy's forward sampling.

Ours counts everything: start-up, sampling, drawing inside bins, Parquet. pgmpy counts sampling alone, in memory, from
the same network in a BIF file. Memory is the whole process's peak, beside that at 1 million rows.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

from benchmarks._data import find, schema_path
from benchmarks._peers import run_sampler
from benchmarks._report import Line, Options, main

ROWS, QUICK_ROWS, FEW_ROWS, PGMPY_ROWS = 10_000_000, 3_000_000, 1_000_000, 200_000
FASTER, GROWTH = 20, 1.25


def run(options: Options) -> list[Line]:
    import understudy as us

    source = find("adult", ".csv.gz", ".csv")
    if source is None:
        raise FileNotFoundError("no table 'adult' in the data folder: set UNDERSTUDY_DATA")
    rows = QUICK_ROWS if options.quick else ROWS
    with tempfile.TemporaryDirectory() as folder:
        model, bif = Path(folder, "model.understudy"), Path(folder, "model.bif")
        fitted = us.PrivBayes(epsilon=1.0, seed=1, delta=0, neighbours="replace-one").fit(
            source, us.Schema.load(schema_path("adult"))
        )
        fitted.save(model)
        bif.write_text(fitted.model_.to_bif())
        _spend(["sample", model, "-n", 1000, "-o", Path(folder, "first.parquet")])  # compiles
        _, _, few_mb = _spend(["sample", model, "-n", FEW_ROWS, "-o", Path(folder, "few.parquet"), "--seed", 1])
        cpu, wall, peak_mb = _spend(["sample", model, "-n", rows, "-o", Path(folder, "big.parquet"), "--seed", 1])
        # a rehearsal's table says in its name that it is one
        size = next(Path(folder).glob("big*.parquet")).stat().st_size / 1e6
        peer = run_sampler(bif, rows=PGMPY_ROWS, seed=1)
    task = f"sample {rows:,} Adult rows to Parquet ({size:.0f} MB)"
    memory = Line(
        f"{task}: peak memory",
        f"{peak_mb:.0f} MB",
        f"{FEW_ROWS:,} rows: {few_mb:.0f} MB",
        None,
        f"constant: at most {GROWTH:g}×",
        peak_mb <= GROWTH * few_mb,
    )
    ours = (
        f"{1e6 * cpu / rows:.3g} CPU s a million rows ({rows / cpu / 1e6:.2f} M rows a CPU s, {wall:.3g} s by the wall)"
    )
    if peer is None:
        return [Line(task, ours, "pgmpy: left out"), memory]
    other = 1e6 * peer.cpu["sample"] / PGMPY_ROWS
    ratio = other / (1e6 * cpu / rows)
    theirs = f"pgmpy {peer.version}, {PGMPY_ROWS:,} rows in memory: {other:.3g} CPU s a million"
    return [Line(task, ours, theirs, ratio, f"at least {FASTER}×", ratio >= FASTER), memory]


def _spend(arguments: list[object]) -> tuple[float, float, float]:
    """CPU and wall seconds and peak MB of one run of the command line."""
    command = [sys.executable, "-m", "understudy", *(str(argument) for argument in arguments)]
    start = time.perf_counter()
    with open(os.devnull, "w") as nothing:
        process = os.posix_spawn(
            sys.executable,
            command,
            os.environ,
            file_actions=[(os.POSIX_SPAWN_DUP2, nothing.fileno(), 1)],
        )
        _, status, used = os.wait4(process, 0)
    if status:
        raise RuntimeError(f"`understudy {arguments[0]}` failed with status {os.waitstatus_to_exitcode(status)}")
    return used.ru_utime + used.ru_stime, time.perf_counter() - start, used.ru_maxrss * 1024 / 1e6


if __name__ == "__main__":
    main(run)
