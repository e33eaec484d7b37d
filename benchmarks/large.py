"""Large tables: sampled in partitions, and published in passes under a ceiling of 2 GB, from 1 to 100 million rows.

16 columns of 2 to 20 values, each depending on the one before. A model of 200,000 such rows is sampled by the command
line; every size is a number of the partitions, so all are parts of one table. Publishing counts, fits and draws a
thousand rows: what it takes beside the counting does not grow. Each run is a process of its own, whose CPU seconds
(start, imports and children included) and peak memory the kernel tells. The picture goes to `docs/images`.
"""

from __future__ import annotations

import json
import shutil
import sys
import warnings
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks._child import Child, Limits, run_child
from benchmarks._report import Line, Options, Stopwatch, main
from benchmarks.counting import MIXED
from benchmarks.peers.setup import BENCH

PART_ROWS = 1_000_000
SIZES, QUICK_SIZES = (1, 3, 10, 30, 100), (1, 10)
CEILING, MOST_WRITING, STRAIGHT, GROWTH = "2GB", 3.0, 1.25, 1.25
_MODEL_ROWS, _SEED = 200_000, 7
_LIMITS = Limits(cpu=4000, clock=40_000, memory_mb=6000)
PICTURE = Path(__file__).resolve().parents[1] / "docs" / "images" / "large-tables.svg"
FIGURES = BENCH / "large.json"


def run(options: Options) -> list[Line]:
    each, sizes = PART_ROWS, QUICK_SIZES if options.quick else SIZES
    home = BENCH / f"large-{max(sizes)}"
    home.mkdir(parents=True, exist_ok=True)
    lines = _sampled(home, each, max(sizes), fresh=options.fresh)
    runs = [published(home, parts) | {"rows": parts * each} for parts in sizes]
    if not options.quick:
        FIGURES.write_text(json.dumps(runs, indent=1))
        draw(runs)
    return [*lines, *_published_lines(runs)]


def _sampled(home: Path, each: int, parts: int, *, fresh: bool) -> list[Line]:
    """The table, sampled unless it is there; and what that took."""
    model, table = home / "model.understudy", home / "table.NOT-PRIVATE"
    if fresh or not model.exists():
        _make_model(model)
    if fresh or not table.exists():
        shutil.rmtree(table, ignore_errors=True)
        _sample(model, each, 1, home / "first")  # compiles
        few = _sample(model, each, 1, home / "few")
        used = _sample(model, each * parts, parts, home / "table")
        writing = _writing(sorted(table.iterdir())[0]) * parts
        told = {"cpu": used.cpu, "peak": used.peak_mb, "few": few.peak_mb, "writing": writing}
        (home / "sampled.json").write_text(json.dumps(told))
    told = json.loads((home / "sampled.json").read_text())
    size = sum(path.stat().st_size for path in table.iterdir()) / 1e9
    task, ratio = (
        f"sample {each * parts:,} × {len(MIXED)} in {parts} partitions ({size:.2g} GB)",
        told["cpu"] / told["writing"],
    )
    return [
        Line(
            task,
            f"{told['cpu']:.3g} CPU s: {ratio:.2f} times as many",
            f"pyarrow, writing the same: {told['writing']:.3g} CPU s",
            1 / ratio,
            f"at most {MOST_WRITING:g} times as many",
            ratio <= MOST_WRITING,
        ),
        Line(
            f"{task}: peak memory",
            f"{told['peak']:.0f} MB",
            f"{each:,} rows: {told['few']:.0f} MB",
            None,
            "does not grow with the rows",
            None,
        ),
    ]


def _sample(model: Path, rows: int, parts: int, out: Path) -> Child:
    shutil.rmtree(out.with_name(f"{out.name}.NOT-PRIVATE"), ignore_errors=True)
    words = ["sample", model, "-n", rows, "--partitions", parts, "--seed", _SEED, "-o", out]
    used = run_child([sys.executable, "-m", "understudy", *words], limits=_LIMITS)
    if used.problem:
        raise RuntimeError(f"understudy sample: {used.problem}")
    return used


def _writing(path: Path) -> float:
    """CPU seconds that pyarrow takes to write one of the files again, from memory."""
    table = pq.read_table(path)
    with Stopwatch() as watch:
        pq.write_table(table, path.parent.with_name("again.parquet"), compression="zstd")
    return watch.seconds


def _make_model(path: Path) -> None:
    import understudy as us

    rng = np.random.default_rng(_SEED)
    columns: list[Any] = []
    for i, size in enumerate(MIXED):
        given = np.zeros(_MODEL_ROWS, dtype=np.int64) if i == 0 else columns[-1]
        edges = np.cumsum(rng.dirichlet(np.full(size, 0.7), size=int(given.max()) + 1), axis=1)
        picked = (rng.random(_MODEL_ROWS)[:, None] > edges[given]).sum(axis=1)
        columns.append(np.minimum(picked, size - 1))
    table = pa.table({f"x{i}": column for i, column in enumerate(columns)})
    release = us.publish(table, schema=_schema(), epsilon=8, seed=_SEED, n=1000, out=path.with_name("of-model"))
    release.model.save(path)


def _schema() -> dict[str, Any]:
    fields = [{"name": f"x{i}", "type": "integer", "categories": list(range(size))} for i, size in enumerate(MIXED)]
    return {"name": "large", "fields": fields}


def published(home: Path, parts: int) -> dict[str, Any]:
    """Publish so many of the partitions, in a process of its own."""
    out = home / f"told-{parts}.json"
    used = run_child([sys.executable, "-m", "benchmarks.large", "--publish", home, parts, out], limits=_LIMITS)
    if used.problem:
        raise RuntimeError(f"publishing {parts} partitions: {used.problem}")
    found: dict[str, Any] = json.loads(out.read_text()) | {"cpu": used.cpu, "peak_mb": used.peak_mb}
    return found


def publish_here(home: Path, parts: int, out: Path) -> None:
    """The same in this process; how often the rows were gone over is written to `out`."""
    import understudy as us

    table = home / "table.NOT-PRIVATE"
    some = home / f"some-{parts}"
    shutil.rmtree(some, ignore_errors=True)
    some.mkdir()
    for path in sorted(table.iterdir())[:parts]:
        (some / path.name).symlink_to(path)
    told: dict[str, Any] = {"schema": _schema(), "epsilon": 1, "memory": CEILING, "engine": "stream"}
    stages: set[str] = set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plan = us.plan(some, rows=pq.read_metadata(next(iter(some.iterdir()))).num_rows * parts, **told)
        shutil.rmtree(home / "release", ignore_errors=True)
        us.publish(some, out=home / "release", n=1000, progress=lambda stage, *_: stages.add(stage), **told)
    passes = sum(stage == "reading the table" or stage.startswith("pass ") for stage in stages)
    out.write_text(json.dumps({"planned": plan.passes, "passes": passes, "bytes": plan.pass_bytes}))
    shutil.rmtree(some)


def _published_lines(runs: Sequence[dict[str, Any]]) -> list[Line]:
    first, last = runs[0], runs[-1]
    slopes = [(b["cpu"] - a["cpu"]) / (b["rows"] - a["rows"]) * 1e6 for a, b in pairwise(runs)]
    lines = [
        Line(
            f"publish {one['rows']:,} × {len(MIXED)} at ε = 1 under {CEILING}",
            f"{one['cpu']:.3g} CPU s, {one['passes']} pass{'es' if one['passes'] > 1 else ''}, {one['peak_mb']:.0f} MB",
            f"planned: {one['planned']} pass{'es' if one['planned'] > 1 else ''} over {one['bytes'] / 1e6:,.0f} MB",
            None,
            "within the passes planned, and 2,000 MB",
            one["passes"] <= one["planned"] and one["peak_mb"] <= 2000,
        )
        for one in runs
    ]
    straight = slopes[-1] / ((last["cpu"] - first["cpu"]) / (last["rows"] - first["rows"]) * 1e6)
    lines.append(
        Line(
            f"from {first['rows']:,} to {last['rows']:,} rows",
            f"{' / '.join(f'{slope:.3g}' for slope in slopes)} CPU s for a million rows more",
            "",
            None,
            f"a straight line: the last part at most {STRAIGHT:g} times as steep as all of it",
            straight <= STRAIGHT,
        )
    )
    return lines


def draw(runs: Sequence[dict[str, Any]]) -> None:
    """The picture of the page on large tables."""
    from understudy.charts import Series, lines

    rows = [one["rows"] for one in runs]
    chart = lines(
        [
            Series("CPU seconds", rows, [one["cpu"] for one in runs]),
            Series("peak MB", rows, [one["peak_mb"] for one in runs]),
        ],
        x_label="rows",
        y_label="CPU seconds; peak memory in MB",
        title="Publishing 16 columns in passes, under a ceiling of 2 GB",
        log_x=True,
        log_y=True,
        bands={"ceiling: 2,000 MB": 2000.0},
    )
    chart.save(PICTURE)


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] == "--publish":
        publish_here(Path(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
    else:
        main(run)
