"""The default release against peers, at equal ε, δ and neighbours: error over all 3-way tables, CPU and memory.

Every run is a process of its own, from reading the table to writing the synthetic one: its CPU seconds are those of all
of it, imports included, for everybody. Finished runs are kept in `.bench/flagship`, line by line, so
that it can be stopped and taken up again; a run that gave nothing within its limits is kept as such, and told. Peers'
runs take hours, so that those which were made are part of the project, in `benchmarks/peers/runs.jsonl`: `--keep` puts
new ones there.

python -m benchmarks.flagship [--tables NAME …] [--methods NAME …] [--epsilons E …] [--seeds N …] [--promise strict]
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks._flagship_runs import CONTENDERS, FIELD, REFERENCES, STRICT, Run
from benchmarks._flagship_table import REFERENCE, TARGETS, as_brief, as_table, budgets_of, cells_of, line_of
from benchmarks._report import FLAGSHIP_BRIEF, FLAGSHIP_TABLE, Line, write_lines
from benchmarks._unseen import TITLES as UNSEEN
from benchmarks.peers.setup import BENCH
from understudy.rehearsal import RunStore

STORE = BENCH / "flagship"
KEPT = Path(__file__).parent / "peers" / "runs.jsonl"
SEEDS = (20, 21, 22, 23, 24)  # that nothing was tuned on, nor looked at before
PEER_SEEDS, ALL_PEER_SEEDS = (20,), (*SEEDS, 101)  # that a peer is run with; that a run in the store may have
OURS = (REFERENCE, "privbayes", "privabn", "independent")


@dataclass(frozen=True)
class Asked:
    """What to run, and what to do with runs that are in the store."""

    tables: tuple[str, ...] = (*TARGETS, *UNSEEN)
    methods: tuple[str, ...] = (*OURS, *CONTENDERS, *REFERENCES)
    epsilons: tuple[float, ...] | None = None
    seeds: tuple[int, ...] | None = None
    promise: str = "both"
    quick: bool = False
    fresh: bool = False
    stored: bool = False
    keep: bool = False
    json: Path | None = None

    def runs(self) -> Iterator[Run]:
        """Every run, the tables one after another; ours under both promises, a peer under the field's."""
        promises = {"field": (FIELD,), "strict": (STRICT,), "both": (FIELD, STRICT)}[self.promise]
        for table in self.tables:
            for promise in promises:
                for method in self.methods:
                    if promise == FIELD or method not in (*CONTENDERS, *REFERENCES):
                        yield from self._of(table, method, promise)

    def _of(self, table: str, method: str, promise: str) -> Iterator[Run]:
        of_peers = ALL_PEER_SEEDS if self.stored else PEER_SEEDS
        seeds = self.seeds or (of_peers if method in (*CONTENDERS, *REFERENCES) else SEEDS)
        for epsilon in self.epsilons or budgets_of(table):
            for seed in seeds[:1] if self.quick else seeds:
                yield Run(table, method, epsilon, seed, promise)


def run(asked: Asked) -> list[Line]:
    """Do what is missing, and tell all of it."""
    store = RunStore.open(STORE)
    take_up(store, KEPT)
    wanted = list(asked.runs())
    for one in wanted:
        if (asked.fresh or one.key not in store.values) and not asked.stored:
            do(one, store)
    if asked.keep:
        keep(store, KEPT)
    shown = list(replace(asked, stored=True).runs())
    found = [cell for cell in cells_of(shown, store) if cell.values or cell.problem]
    FLAGSHIP_TABLE.write_text(as_table(found) + "\n")
    FLAGSHIP_BRIEF.write_text(as_brief(found) + "\n")
    return [line_of(cell, found) for cell in found]


def do(one: Run, store: RunStore) -> None:
    """One run, into the store."""
    child, errors = one.do()
    values = {"cpu": child.cpu, "clock": child.clock, "peak_mb": child.peak_mb, **errors}
    facts = {"method": one.method, "table": one.table, "epsilon": one.epsilon, "seed": one.seed}
    store.add(one.key, {**facts, "promise": one.promise, "problem": child.problem}, values)
    told = child.problem or ", ".join(f"{name} {value:.4f}" for name, value in errors.items())
    print(f"{one.table} {one.method} ε = {one.epsilon:g} {one.promise} seed {one.seed}: {told}; ", end="")
    print(f"{child.cpu:.1f} CPU s, {child.peak_mb:.0f} MB", flush=True)


def take_up(store: RunStore, kept: Path) -> None:
    """Peers' runs that are part of the project, into a store that does not have them."""
    lines = kept.read_text(encoding="utf-8").splitlines() if kept.exists() else []
    for line in map(json.loads, lines):
        key, values = line.pop("key"), line.pop("values")
        if key not in store.values:
            store.add(key, line, values)


def keep(store: RunStore, kept: Path) -> None:
    """The peers' runs of a store, into the project's file: no run of ours, which other code would not repeat."""
    lines = [
        json.dumps({"key": key, **facts, "values": store.values[key]}, ensure_ascii=False)
        for key, facts in sorted(store.facts.items())
        if facts["method"] in CONTENDERS
    ]
    kept.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", nargs="+", default=(*TARGETS, *UNSEEN))
    parser.add_argument("--methods", nargs="+", default=(*OURS, *CONTENDERS, *REFERENCES))
    parser.add_argument("--epsilons", nargs="+", type=float)
    parser.add_argument("--seeds", nargs="+", type=int)
    parser.add_argument("--promise", choices=("field", "strict", "both"), default="both")
    parser.add_argument("--quick", action="store_true", help="one seed")
    parser.add_argument("--fresh", action="store_true", help="repeat runs that are in the store")
    parser.add_argument("--stored", action="store_true", help="run nothing: tell what is in the store")
    parser.add_argument("--keep", action="store_true", help="put the peers' runs into the project's file of them")
    parser.add_argument("--json", type=Path, help="write the lines to this file too")
    given = {name: tuple(v) if isinstance(v, list) else v for name, v in vars(parser.parse_args()).items()}
    asked = Asked(**given)
    lines = run(asked)
    print(FLAGSHIP_TABLE.read_text())
    if asked.json is not None:
        write_lines(asked.json, lines)


if __name__ == "__main__":
    main()
