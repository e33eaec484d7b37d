"""The default release against peers, at equal ε, δ and neighbours: error over all 3-way tables, CPU and memory.

Every run is a process of its own, from reading the table to writing the synthetic one: its CPU seconds are those of all
of it, imports included, for everybody. Finished runs are kept in `.bench/flagship`, line by line, so
that it can be stopped and taken up again; a run that gave nothing within its limits is kept as such, and told.

python -m benchmarks.flagship [--tables NAME …] [--methods NAME …] [--epsilons E …] [--seeds N …] [--promise strict]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks._flagship_runs import CONTENDERS, FIELD, REFERENCES, STRICT, Run, source_of
from benchmarks._report import Line, write_lines
from benchmarks._unseen import TITLES as UNSEEN
from benchmarks.peers.setup import BENCH
from understudy.rehearsal import RunStore

STORE, TABLE = BENCH / "flagship", BENCH / "flagship.md"
EPSILONS = (0.1, 0.4, 1.6)
TARGETS = {
    "adult_privbayes16": (0.105, 0.056, 0.032),
    "nltcs": (0.035, 0.011, 0.0047),
    "br2000_privbayes16": (0.075, 0.035, 0.020),
    "acs": (0.022, 0.0095, 0.0065),
    "retail50": (0.0073, 0.0028, 0.0017),
    "demo": (0.040,),
}
TITLES = {
    "adult_privbayes16": "Adult, 15 mixed columns",
    "nltcs": "NLTCS, 16 binary",
    "br2000_privbayes16": "BR2000, 14 mixed",
    "acs": "ACS, 23 binary",
    "retail50": "Retail, 50 binary",
    "demo": "the demo, 2-way",
}
SEEDS = (101, 102, 103, 104, 105)  # that nothing was tuned on
PEER_SEEDS = (101,)
REFERENCE = "adaptive"
REFERENCE_LABELS = {
    "fresh-sample": "no release: real rows drawn anew",
    "shuffled": "no release: every column shuffled on its own",
}
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
        seeds = self.seeds or (PEER_SEEDS if method in (*CONTENDERS, *REFERENCES) else SEEDS)
        for epsilon in self.epsilons or budgets_of(table):
            for seed in seeds[:1] if self.quick else seeds:
                yield Run(table, method, epsilon, seed, promise)


def budgets_of(table: str) -> tuple[float, ...]:
    """The demo is judged at its own ε."""
    return (1.0,) if table == "demo" else EPSILONS


def run(asked: Asked) -> list[Line]:
    """Do what is missing, and tell all of it."""
    store = RunStore.open(STORE)
    wanted = list(asked.runs())
    for one in wanted:
        if (asked.fresh or one.key not in store.values) and not asked.stored:
            do(one, store)
    found = [cell for cell in cells_of(wanted, store) if cell.values or cell.problem]
    TABLE.write_text(as_table(found) + "\n")
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


@dataclass(frozen=True)
class Cell:
    """The runs of a method on a table at an ε under a promise."""

    table: str
    method: str
    promise: str
    epsilon: float
    values: tuple[dict[str, float], ...]
    problem: str | None

    @property
    def error(self) -> str:
        """The name of the error that decides: that of the widest tables."""
        return f"{source_of(self.table).width}-way"

    def mean(self, name: str) -> float:
        return float(np.mean([one[name] for one in self.values]))

    def median(self, name: str) -> float:
        """For time: the first run after a change compiles, and must not weigh on the others."""
        return float(np.median([one[name] for one in self.values]))

    def spread(self, name: str) -> str:
        """The mean with its standard error, where there are seeds enough for one."""
        values = [one[name] for one in self.values]
        error = f" ± {np.std(values, ddof=1) / np.sqrt(len(values)):.4f}" if len(values) > 1 else ""
        return f"{np.mean(values):.4f}{error}"


def cells_of(runs: Sequence[Run], store: RunStore) -> list[Cell]:
    """The runs by what they have in common, in their order."""
    groups: dict[tuple[str, str, str, float], list[Run]] = {}
    for one in runs:
        groups.setdefault((one.table, one.method, one.promise, one.epsilon), []).append(one)
    cells = []
    for (table, method, promise, epsilon), some in groups.items():
        known = [one.key for one in some if one.key in store.values]
        whole = tuple(store.values[key] for key in known if not store.facts[key].get("problem"))
        problems = [str(store.facts[key]["problem"]) for key in known if store.facts[key].get("problem")]
        cells.append(Cell(table, method, promise, epsilon, whole, problems[0] if problems else None))
    return cells


def beside(cell: Cell, cells: Sequence[Cell]) -> Cell | None:
    """Ours that it is put beside: on the same table, at the same ε, under the same promise."""
    return next(
        (
            other
            for other in cells
            if other.method == REFERENCE
            and other.values
            and (other.table, other.promise, other.epsilon) == (cell.table, cell.promise, cell.epsilon)
        ),
        None,
    )


def line_of(cell: Cell, cells: Sequence[Cell]) -> Line:
    """A line of the results: what was asked of ours, or a peer beside it."""
    runs = f"{len(cell.values)} seed{'' if len(cell.values) == 1 else 's'}"
    task = f"{title(cell.table)}, ε = {cell.epsilon:g} ({cell.promise})"
    if not cell.values:
        return Line(task, "", f"{label(cell)}: {cell.problem}")
    used = "" if cell.method in REFERENCES else f", {cell.median('cpu'):.3g} CPU s, {cell.median('peak_mb'):,.0f} MB"
    told = f"{cell.error} {cell.spread(cell.error)}{used} ({runs})"
    if cell.method == REFERENCE:
        target = target_of(cell)
        met = None if target is None else cell.mean(cell.error) <= target
        return Line(task, told, "", None, "" if target is None else f"at most {target:g}", met)
    ours = beside(cell, cells)
    ratio = None if ours is None else cell.mean(cell.error) / ours.mean(cell.error)
    return Line(task, "" if ours is None else ours.spread(cell.error), f"{label(cell)}: {told}", ratio)


def target_of(cell: Cell) -> float | None:
    """What the error should be at most; under the stricter promise nothing is asked in figures."""
    targets = dict(zip(budgets_of(cell.table), TARGETS.get(cell.table, ()), strict=False))
    return targets.get(cell.epsilon) if cell.promise == FIELD else None


def as_table(cells: Sequence[Cell]) -> str:
    """Markdown: a row for each method on each table under each promise, errors at each ε and their ratios to ours."""
    header = ("table", "method", *(f"ε = {e:g}" for e in EPSILONS), "CPU s", "MB")
    rows, before = [header, ("---", "---", *("--:",) * (len(EPSILONS) + 2))], ""
    for promise in dict.fromkeys(cell.promise for cell in cells):
        for table in dict.fromkeys(cell.table for cell in cells):
            here = [cell for cell in cells if (cell.table, cell.promise) == (table, promise)]
            for method in dict.fromkeys(cell.method for cell in here):
                mine = [cell for cell in here if cell.method == method]
                about = f"{title(table)}; {promise}"
                rows.append(("" if about == before else about, label(mine[0]), *row_of(mine, here)))
                before = about
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def row_of(mine: Sequence[Cell], here: Sequence[Cell]) -> tuple[str, ...]:
    """Errors at each ε (the demo's own in the middle), and the range of CPU seconds and the most memory."""
    by = {cell.epsilon: cell for cell in mine}
    wanted = (None, 1.0, None) if mine[0].table == "demo" else EPSILONS
    errors = [told(by.get(epsilon), here) if epsilon is not None else "" for epsilon in wanted]
    whole = [cell for cell in mine if cell.values]
    if not whole or mine[0].method in REFERENCES:
        return (*errors, "", "")
    seconds = [cell.median("cpu") for cell in whole]
    span = f"{min(seconds):.3g}" if len(seconds) == 1 else f"{min(seconds):.3g} to {max(seconds):.3g}"
    return (*errors, span, f"{max(cell.median('peak_mb') for cell in whole):,.0f}")


def told(cell: Cell | None, here: Sequence[Cell]) -> str:
    """An error, with how many times ours it is."""
    if cell is None:
        return "not run"
    if not cell.values:
        return str(cell.problem)
    ours = beside(cell, here)
    if ours is None or ours is cell:
        return cell.spread(cell.error)
    return f"{cell.spread(cell.error)} ({cell.mean(cell.error) / ours.mean(cell.error):.2f}×)"


def title(table: str) -> str:
    return (TITLES | UNSEEN).get(table, table)


def label(cell: Cell) -> str:
    if cell.method in REFERENCES:
        return REFERENCE_LABELS[cell.method]
    return CONTENDERS[cell.method].label if cell.method in CONTENDERS else f"**{cell.method}**"


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
    parser.add_argument("--json", type=Path, help="write the lines to this file too")
    given = {name: tuple(v) if isinstance(v, list) else v for name, v in vars(parser.parse_args()).items()}
    asked = Asked(**given)
    lines = run(asked)
    print(TABLE.read_text())
    if asked.json is not None:
        write_lines(asked.json, lines)


if __name__ == "__main__":
    main()
