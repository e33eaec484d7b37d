"""The flagship benchmark's tables: runs by what they have in common, their errors, and their ratios to ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks._flagship_runs import CONTENDERS, FIELD, REFERENCES, Run, source_of
from benchmarks._report import Line
from benchmarks._unseen import TITLES as UNSEEN
from understudy.rehearsal import RunStore

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
REFERENCE = "adaptive"
BRIEFLY = ("mbi-aim", "mbi-mst", "dpsynth-swift")  # beside ours in docs/research/benchmarks.md
REFERENCE_LABELS = {
    "fresh-sample": "no release: real rows drawn anew",
    "shuffled": "no release: every column shuffled on its own",
}


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

    def all(self, name: str) -> list[float]:
        """That figure of every run that has it: of some early ones not everything is known."""
        return [one[name] for one in self.values if name in one]

    def mean(self, name: str) -> float:
        return float(np.mean(self.all(name)))

    def median(self, name: str) -> float:
        """For time: the first run after a change compiles, and must not weigh on the others."""
        return float(np.median(self.all(name)))

    def spread(self, name: str) -> str:
        """The mean with its standard error, where there are seeds enough for one."""
        values = self.all(name)
        error = f" ± {np.std(values, ddof=1) / np.sqrt(len(values)):.4f}" if len(values) > 1 else ""
        return f"{np.mean(values):.4f}{error}"


def budgets_of(table: str) -> tuple[float, ...]:
    """The demo is judged at its own ε."""
    return (1.0,) if table == "demo" else EPSILONS


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
    used = "" if cell.method in REFERENCES else f", {cell.median('cpu'):.3g} CPU s, {megabytes([cell])} MB"
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
    """Errors at each ε (the demo's own in the middle), CPU seconds and at least how many times ours, memory."""
    by = {cell.epsilon: cell for cell in mine}
    wanted = (None, 1.0, None) if mine[0].table == "demo" else EPSILONS
    errors = [told(by.get(epsilon), here) if epsilon is not None else "" for epsilon in wanted]
    whole = [cell for cell in mine if cell.values]
    if not whole or mine[0].method in REFERENCES:
        return (*errors, "", "")
    seconds = [cell.median("cpu") for cell in whole]
    span = short(min(seconds)) + (f" to {short(max(seconds))}" if len(seconds) > 1 else "")
    beside_ours = [(cell, beside(cell, here)) for cell in whole]
    slower = [cell.median("cpu") / ours.median("cpu") for cell, ours in beside_ours if ours and ours is not cell]
    span += f" (≥ {short(min(slower))}×)" if slower else ""
    return (*errors, span, megabytes(whole))


def short(figure: float) -> str:
    """Two digits, or all before the point."""
    return f"{figure:,.0f}" if figure >= 10 else f"{figure:.1f}"


def megabytes(cells: Sequence[Cell]) -> str:
    """The most memory that any of them takes, by the median of its runs."""
    known = [cell.median("peak_mb") for cell in cells if cell.all("peak_mb")]
    return f"{max(known):,.0f}" if known else "–"


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


def as_brief(cells: Sequence[Cell]) -> str:
    """Markdown: a row a table, our errors at its ε and how many times each of them a peer's is; time and memory."""
    names = [CONTENDERS[name].label.split(" (")[0] for name in BRIEFLY]
    order = ", ".join(("ours", *names))
    header = ("table", "ours", *names, f"CPU s: {order}", f"MB: {order}")
    rows = [header, ("---", *("--:",) * (len(header) - 1))]
    field = [cell for cell in cells if cell.promise == FIELD]
    for table in dict.fromkeys(cell.table for cell in field if cell.method == REFERENCE and cell.values):
        ours = {cell.epsilon: cell for cell in field if (cell.table, cell.method) == (table, REFERENCE)}
        theirs = [{c.epsilon: c for c in field if (c.table, c.method) == (table, name)} for name in BRIEFLY]
        own = " / ".join(f"{cell.mean(cell.error):#.3g}" for cell in ours.values() if cell.values)
        rows.append((title(table), own, *(times(ours, peer) for peer in theirs), *used(ours, theirs)))
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def times(ours: Mapping[float, Cell], peer: Mapping[float, Cell]) -> str:
    """How many times our error a peer's is, at each of our ε."""

    def one(epsilon: float) -> str:
        cell = peer.get(epsilon)
        if cell is None or not (cell.values or cell.problem):
            return "–"
        if not cell.values:
            return "none"
        return f"{cell.mean(cell.error) / ours[epsilon].mean(cell.error):.1f}×"

    told = [one(epsilon) for epsilon in ours]
    return "" if set(told) == {"–"} else " / ".join(told)


def used(ours: Mapping[float, Cell], theirs: Sequence[Mapping[float, Cell]]) -> tuple[str, str]:
    """CPU seconds (the median over all ε) and megabytes (the most), ours and then each peer's."""
    seconds, memory = [], []
    for who in (ours, *theirs):
        whole = [cell for cell in who.values() if cell.values]
        seconds.append(short(float(np.median([cell.median("cpu") for cell in whole]))) if whole else "–")
        memory.append(megabytes(whole))
    return " / ".join(seconds), " / ".join(memory)


def title(table: str) -> str:
    return (TITLES | UNSEEN).get(table, table)


def label(cell: Cell) -> str:
    if cell.method in REFERENCES:
        return REFERENCE_LABELS[cell.method]
    return CONTENDERS[cell.method].label if cell.method in CONTENDERS else f"**{cell.method}**"
