"""PrivABN: its errors beside PrivBayes by the paper's own measures, its time beside all candidates, and wide tables.

Errors are the paper's L2 error: 200 random α-way queries, in shares (`research.tasks.mean_errors`). "All candidates"
is PrivBayes without drawn candidates at PrivABN's own degree. Beyond a degree of 3 that takes hours, so the time of
degrees up to 3 is measured and carried on by the number of candidates; a candidate of a higher degree costs more, so
the result is low. The wide case publishes from a Parquet file to a folder, in a process of its own; pairwise counts are
ours.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from itertools import combinations
from math import comb
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from research.tasks import QUERIES, mean_errors

from benchmarks._data import ROOT
from benchmarks._made import binary_table
from benchmarks._ours import STRICT, fit, load_table
from benchmarks._report import Line, Options, Stopwatch, main
from benchmarks.scale import peak_mb, reset_peak
from understudy._core.randomness import Streams, streams
from understudy.counting import MemoryCounter
from understudy.evaluation import choose_groups
from understudy.methods import PrivABN, PrivBayes, label_method, read_method
from understudy.models import NetworkModel
from understudy.privacy import make_budget
from understudy.rehearsal import rehearse, sample_table
from understudy.schema import Marginal
from understudy.tables import read_table

WAYS = {"retail50": (4, 6, 8), "nltcs": (3, 7, 12), "acs": (3, 7, 12)}
EPSILONS = (0.1, 1.0)
SEEDS, QUICK_SEEDS = 10, 2
WIDE_ROWS, WIDE_COLUMNS = 100_000, 500
PAIRS_TIMES, TABLE_TIMES = 20, 4
EVERYTHING = 50_000_000


def run(options: Options) -> list[Line]:
    seeds = QUICK_SEEDS if options.quick else SEEDS
    lines = [line for name in WAYS for epsilon in EPSILONS for line in errors(name, epsilon, seeds)]
    lines += variants("nltcs", 1.0, seeds)
    lines.append(all_candidates(options.quick))
    return [*lines, *wide()]


def l2_errors(name: str, word: str, epsilon: float, seeds: int) -> list[float]:
    """The paper's L2 error of a method, on average over seeds, for each α."""
    method, table = read_method(word), load_table(name)
    counter, asked = MemoryCounter(table), {way: queries(len(table.domain), way) for way in WAYS[name]}
    truth = {way: [counts / counter.n for counts in counter.count(asked[way])] for way in asked}
    found = []
    for seed in range(seeds):
        model = rehearse(counter, method, make_budget(epsilon), seed=seed)
        assert isinstance(model, NetworkModel)
        made = MemoryCounter(sample_table(model, table.n, Streams(seed)))
        answers = {way: [counts / made.n for counts in made.count(asked[way])] for way in asked}
        found.append([mean_errors(truth[way], answers[way])[1] for way in asked])
    return [float(error) for error in np.mean(found, axis=0)]


def queries(columns: int, way: int) -> list[Marginal]:
    """The same for all methods and seeds."""
    coins = streams(0).get("evaluate", "queries", str(way))
    return [Marginal.of(*group) for group in choose_groups(columns, way, QUERIES, coins).groups]


def errors(name: str, epsilon: float, seeds: int) -> list[Line]:
    """PrivABN beside PrivBayes, as both come; asked for on Retail only."""
    ours, theirs = (l2_errors(name, word, epsilon, seeds) for word in ("privabn", "privbayes"))
    asked = name == "retail50"
    return [
        Line(
            f"privabn, {name}, ε = {epsilon:g}: L2 error of {way}-way queries, {seeds} seeds",
            f"{mine:.4f}",
            f"privbayes {other:.4f}",
            other / mine,
            "below privbayes" if asked else "",
            mine < other if asked else None,
        )
        for way, mine, other in zip(WAYS[name], ours, theirs, strict=True)
    ]


def variants(name: str, epsilon: float, seeds: int) -> list[Line]:
    """The other sound variants, and the printed form, which is not private."""
    ours = l2_errors(name, "privabn", epsilon, seeds)[0]
    words = ["privabn:variant=drawn", "privabn:variant=greedy", "privabn-as-printed"]
    found = []
    for word in words:
        other = l2_errors(name, word, epsilon, seeds)[0]
        label = label_method(read_method(word))
        task = f"privabn beside {label}, {name}, ε = {epsilon:g}: L2 error of {WAYS[name][0]}-way queries"
        found.append(Line(task, f"{ours:.4f}", f"{other:.4f}", other / ours))
    return found


def all_candidates(quick: bool) -> Line:
    """The time of a fit on Retail, beside PrivBayes over all candidates at the same degree."""
    table = load_table("retail50")
    d = len(table.domain)
    fit(table, epsilon=1.0, seed=1, method=PrivABN())  # compiles
    with Stopwatch() as ours:
        model = fit(table, epsilon=1.0, seed=0, method=PrivABN())
    measured = 2 if quick else 3
    with Stopwatch() as all_of_them:
        fit(table, epsilon=1.0, seed=0, method=PrivBayes(k=measured, score="R", max_candidates=EVERYTHING))
    degree = model.network.degree
    theirs = all_of_them.seconds * comb(d + 1, degree + 2) / comb(d + 1, measured + 2)
    told = "" if degree == measured else f", carried on from degree {measured}: {all_of_them.seconds:.3g} CPU s"
    return Line(
        f"privabn, retail50, ε = 1: fit of degree {degree}",
        f"{ours.seconds:.3g} CPU s",
        f"privbayes over all candidates {theirs:.3g} CPU s{told}",
        theirs / ours.seconds,
        "at least 10×",
        theirs >= 10 * ours.seconds,
    )


def wide() -> list[Line]:
    """100,000 × 500 binary, in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.privabn", "--wide"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    task = f"privabn, {WIDE_ROWS:,} × {WIDE_COLUMNS} binary, ε = 1"
    if done.returncode:
        return [Line(task, f"failed: {(done.stderr.strip().splitlines() or ['no message'])[-1]}", met=False)]
    found = json.loads(done.stdout.strip().splitlines()[-1])
    allowed = PAIRS_TIMES * found["pairs"]
    memory = found["peak_mb"] / found["table_mb"]
    return [
        Line(
            f"{task}: fit",
            f"{found['fit']:.3g} CPU s",
            f"{PAIRS_TIMES} × all pairwise counts: {allowed:.3g} CPU s",
            allowed / found["fit"],
            "at least 1×",
            found["fit"] <= allowed,
        ),
        Line(
            f"{task}: memory of the whole publication",
            f"{found['peak_mb']:.0f} MB above start, {memory:.2g} × the table",
            f"table {found['table_mb']:.3g} MB as codes",
            None,
            f"under {TABLE_TIMES} × the table",
            memory < TABLE_TIMES,
        ),
    ]


def one_wide() -> dict[str, float]:
    """Publish the wide table and count its pairs."""
    import understudy as us

    with tempfile.TemporaryDirectory() as folder:
        small, source = Path(folder, "small.parquet"), Path(folder, "table.parquet")
        columns, declared = binary_table(WIDE_ROWS, WIDE_COLUMNS, seed=13)
        names = [field["name"] for field in declared["fields"]]
        pq.write_table(pa.table(columns, names=names), source)
        pq.write_table(pa.table([column[:2000] for column in columns], names=names), small)
        table_mb = sum(column.nbytes for column in columns) / 1e6
        del columns
        schema = us.Schema.from_dict(declared)
        us.publish(
            small, schema=schema, epsilon=50, out=Path(folder, "first"), seed=1, method="privabn", **STRICT
        )  # compiles
        before = reset_peak()
        us.publish(source, schema=schema, epsilon=1, out=Path(folder, "release"), seed=1, method="privabn", **STRICT)
        peak = peak_mb() - before
        table = read_table(source, schema)
    counter = MemoryCounter(table)
    marginals = [Marginal.of(a, b) for a, b in combinations(range(WIDE_COLUMNS), 2)]
    counter.count(marginals[:100])
    with Stopwatch() as pairs:
        counter.count(marginals)
    with Stopwatch() as fitting:
        fit(table, epsilon=1.0, seed=1, method=PrivABN())
    return {"fit": fitting.seconds, "pairs": pairs.seconds, "peak_mb": peak, "table_mb": table_mb}


if __name__ == "__main__":
    if "--wide" in sys.argv:
        print(json.dumps(one_wide()))
    else:
        main(run)
