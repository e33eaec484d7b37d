"""What `plan` foretells, held against what runs then show: errors of columns and pairs, pairs kept, time and memory.

    python -m benchmarks.planning [--tables NAME …] [--epsilons E …] [--methods NAME …] [--seeds N …] [--times]

The plan knows the schema, the number of rows and the budget. A run is a rehearsal with a seed; `--times` publishes as a
process of its own instead, for CPU seconds and memory. Finished runs are kept in `.bench/planning`, line by line.
Assumptions about columns and relations were made on the tables that are marked; on the others nothing was.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

import understudy
from benchmarks._child import Limits, run_child
from benchmarks._data import ROOT
from benchmarks._flagship_runs import distances, our_code, source_of, table_of, tables_of
from benchmarks._ours import stack
from benchmarks.peers.setup import BENCH
from benchmarks.utility import independent
from understudy._core.randomness import Streams
from understudy.counting import open_counter
from understudy.methods import KEPT, Outlook
from understudy.models import DrawsRows
from understudy.privacy import Neighbours, make_budget
from understudy.rehearsal import RunStore, rehearse, sample_table

STORE = BENCH / "planning"
ASSUMED_ON = ("demo", "nltcs", "adult", "caravan")
TABLES = (*ASSUMED_ON, "br2000", "acs", "retail50", "military", "diamonds", "abortion", "loans")
EPSILONS, SEEDS = (0.1, 0.5, 1.0, 5.0), (11,)


@dataclass(frozen=True)
class Run:
    """A method on a table at an ε, with a seed; as a process of its own where `timed`."""

    table: str
    method: str
    epsilon: float
    seed: int
    timed: bool = False

    @property
    def key(self) -> str:
        kind = "time" if self.timed else "errors"
        return f"{self.table}|{self.method}|{self.epsilon:g}|{self.seed}|{kind}|{our_code()}"

    def do(self) -> dict[str, float]:
        """What came out."""
        return self._published() if self.timed else self._rehearsed()

    def _rehearsed(self) -> dict[str, float]:
        source = source_of(self.table)
        real = source.read()
        budget = make_budget(str(self.epsilon), "1e-9")
        model = rehearse(open_counter(real), self.method, budget, seed=self.seed, neighbours=Neighbours.ADD_REMOVE)
        if not isinstance(model, DrawsRows):
            raise SystemExit(f"{self.method} draws no rows")
        rows = sample_table(model, max(1, model.n), Streams(self.seed))
        pairs = tables_of(len(real.columns), 2)
        singles: list[tuple[int, ...]] = [(a,) for a in range(len(real.columns))]
        columns, off = distances(real, rows, singles), distances(real, rows, pairs)
        alone = independent_distances(self.table)
        kept = float((off <= KEPT * alone).mean()) * math.comb(len(real.columns), 2)
        return {
            "column": float(columns.mean()),
            "pair": float(off.mean()),
            "independent": float(alone.mean()),
            "kept": kept,
        }

    def _published(self) -> dict[str, float]:
        source = source_of(self.table)
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "understudy", "publish", source.table, "--schema", source.schema]
            command += ["--epsilon", self.epsilon, "--method", self.method, "--seed", self.seed]
            command += ["--out", Path(folder) / "release"]
            env = {"PYTHONPATH": str(ROOT / "src"), "PYTHONDONTWRITEBYTECODE": ""}
            child = run_child(command, limits=Limits(), env=env)
        if child.problem is not None:
            raise SystemExit(f"{self.table}: {child.problem}")
        return {"cpu": child.cpu, "clock": child.clock, "peak_mb": child.peak_mb}


@cache
def independent_distances(table: str) -> np.ndarray:
    """How far pairs are off in a table whose columns were shuffled, each on its own."""
    source = source_of(table)
    real = source.read()
    return distances(real, table_of(source, independent(stack(real))), tables_of(len(real.columns), 2))


def foretold(table: str, method: str, epsilons: tuple[float, ...]) -> dict[float, tuple[Outlook, float]]:
    """What the plan says at each ε, and how much memory in MB."""
    source = source_of(table)
    found = understudy.plan(schema=source.schema, rows=source.read().n, epsilon=epsilons, method=method)
    return {line.epsilon: (line, found.memory_bytes / 1e6) for line in found.outlook}


def main() -> None:
    """Do what is missing, and tell all of it as a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", nargs="+", default=TABLES)
    parser.add_argument("--methods", nargs="+", default=("adaptive",))
    parser.add_argument("--epsilons", nargs="+", type=float, default=EPSILONS)
    parser.add_argument("--seeds", nargs="+", type=int, default=SEEDS)
    parser.add_argument("--times", action="store_true", help="time and memory instead of errors")
    given = parser.parse_args()
    store = RunStore.open(STORE)
    lines = []
    for method in given.methods:
        for table in given.tables:
            plans = foretold(table, method, tuple(given.epsilons))
            for epsilon in given.epsilons:
                runs = [Run(table, method, epsilon, seed, given.times) for seed in given.seeds]
                for run in runs:
                    if run.key not in store.values:
                        store.add(run.key, {"table": table, "method": method}, run.do())
                values = [store.values[run.key] for run in runs]
                shown = {name: float(np.mean([one[name] for one in values])) for name in values[0]}
                tell = line_of_times if given.times else line_of_errors
                lines.append((table, tell(table, method, *plans[epsilon], shown)))
                print(lines[-1][1], flush=True)
    print(HEADS[given.times])
    print("\n".join(line for _, line in lines))


HEADS = {
    False: "| table | ε | column: foretold | shown | pair: foretold | shown | independent: foretold | shown | kept: "
    "foretold | shown |\n|---|---|---|---|---|---|---|---|---|---|",
    True: "| table | ε | CPU s: foretold | shown | ratio | MB: foretold | shown |\n|---|---|---|---|---|---|---|",
}


def _name(table: str, method: str) -> str:
    return table + ("\\*" if table in ASSUMED_ON else "") + ("" if method == "adaptive" else f", {method}")


def line_of_errors(table: str, method: str, line: Outlook, _: float, shown: dict[str, float]) -> str:
    """A row of the table of errors."""
    return (
        f"| {_name(table, method)} | {line.epsilon:g} | {line.column_error:.4f} | {shown['column']:.4f} "
        f"| {line.pair_error:.4f} [{line.pair_error_low:.4f}–{line.pair_error_high:.4f}] | {shown['pair']:.4f} "
        f"| {line.independent_error:.3f} | {shown['independent']:.3f} "
        f"| {line.pairs_kept} [{line.pairs_kept_low}–{line.pairs_kept_high}] of {line.pairs} | {shown['kept']:.0f} |"
    )


def line_of_times(table: str, method: str, line: Outlook, memory: float, shown: dict[str, float]) -> str:
    """A row of the table of times."""
    return (
        f"| {_name(table, method)} | {line.epsilon:g} | {line.seconds:.1f} | {shown['cpu']:.1f} "
        f"| {line.seconds / shown['cpu']:.2f} | {memory:.0f} | {shown['peak_mb']:.0f} |"
    )


if __name__ == "__main__":
    main()
