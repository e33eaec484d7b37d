"""The papers' α-way task, put to peers: the mean total variation distance of all α-way tables, and CPU time.

Everybody gets the same codes and the same declared domains, and publishes as many rows as it was given; the tables are
counted from those rows. Ours is run under three promises, so that each peer stands beside ours under its own: ratios
are theirs over ours, in time and in error. A peer's runs are kept in `.bench/results`. Beside the lines for the
results, this writes the table that `run.py` puts into docs/research/peers.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from benchmarks._data import Codes, Encoded, load
from benchmarks._metrics import frequencies
from benchmarks._ours import publish
from benchmarks._peers import run_peer, why_absent
from benchmarks._report import ALPHA_WAY_TABLE, Line, Options, main

EPSILONS = (0.2, 1.0)
WIDTHS = {"nltcs": (3, 4), "adult_privbayes16": (2, 3)}
TITLES = {"nltcs": "NLTCS", "adult_privbayes16": "Adult"}
SEEDS = 3
MOST = 5  # seeds that are looked for in the store
STRICT, PURE, LOOSE = "pure ε, replace-one", "pure ε, add/remove", "(ε, δ = 1e-9), add/remove"
PROMISES: dict[str, dict[str, Any]] = {
    STRICT: {},
    PURE: {"neighbours": "add-remove"},
    LOOSE: {"neighbours": "add-remove", "delta": "1e-9"},
}


@dataclass(frozen=True)
class Contender:
    """A peer's method, the seeds it is given, its promise, and ours that it stands beside."""

    peer: str
    label: str
    settings: dict[str, object]
    seeds: int
    promise: str
    beside: str


CONTENDERS = (
    Contender(
        "datasynthesizer", "DataSynthesizer 0.1.13, degree 2", {"degree": 2}, 1, "pure ε, add/remove in part", STRICT
    ),
    Contender("dpmm", "dpmm 0.1.9, PrivBayes", {"degree": 2}, 1, LOOSE, LOOSE),
    Contender("dpmm", "dpmm 0.1.9, MST", {"method": "mst"}, 1, LOOSE, LOOSE),
    Contender("smartnoise", "smartnoise-synth 1.0.8, MST", {"method": "mst"}, SEEDS, LOOSE, LOOSE),
    Contender("smartnoise", "smartnoise-synth 1.0.8, MWEM", {"method": "mwem"}, 1, PURE, PURE),
    Contender("mbi", "mbi 2.0.0, MST written with it", {"method": "mst"}, SEEDS, LOOSE, LOOSE),
)


@dataclass
class Found:
    """What one method did on one table: a row of errors (one a width) for each run at each ε; CPU seconds of all."""

    errors: dict[float, list[tuple[float, ...]]] = field(default_factory=lambda: {e: [] for e in EPSILONS})
    seconds: dict[float, list[float]] = field(default_factory=lambda: {e: [] for e in EPSILONS})
    absent: dict[float, str] = field(default_factory=dict)

    def add(self, epsilon: float, seconds: float, errors: tuple[float, ...]) -> None:
        """One more run."""
        self.errors[epsilon].append(errors)
        self.seconds[epsilon].append(seconds)

    @property
    def at(self) -> list[float]:
        """The budgets it was run at."""
        return [epsilon for epsilon in EPSILONS if self.seconds[epsilon]]

    def cpu(self, at: Sequence[float] = EPSILONS) -> float:
        """CPU seconds of a run, averaged over runs and then over those budgets, since larger ones take longer."""
        return float(np.mean([np.mean(self.seconds[epsilon]) for epsilon in at]))

    def mean(self, epsilon: float) -> np.ndarray:
        """Errors at that ε, averaged over runs."""
        return np.mean(self.errors[epsilon], axis=0)


class Task:
    """All α-way tables of one table, counted once."""

    def __init__(self, table: Encoded, widths: Sequence[int]) -> None:
        self.table, self.widths = table, widths
        columns = range(len(table.sizes))
        self._real = [[(m, frequencies(table.codes, table.sizes, m)) for m in combinations(columns, k)] for k in widths]

    def errors(self, synthetic: Codes) -> tuple[float, ...]:
        """Half the L1 distance to the real shares, averaged over the tables of each width."""
        sizes = self.table.sizes
        gaps = [[np.abs(real - frequencies(synthetic, sizes, m)).sum() / 2 for m, real in some] for some in self._real]
        return tuple(float(np.mean(some)) for some in gaps)


def run(options: Options) -> list[Line]:
    lines, rows = [], []
    for name, widths in WIDTHS.items():
        task = Task(load(name), widths)
        ours = {promise: run_ours(task, promise, options) for promise in PROMISES}
        theirs = [(contender, run_theirs(task, contender, options)) for contender in CONTENDERS]
        rows += [our_row(task, promise, found) for promise, found in ours.items()]
        rows += [their_row(task, contender, found, ours[contender.beside]) for contender, found in theirs]
        for contender, found in theirs:
            lines += lines_of(task, contender, found, ours[contender.beside])
    ALPHA_WAY_TABLE.parent.mkdir(exist_ok=True)
    ALPHA_WAY_TABLE.write_text(as_table(rows) + "\n")
    return lines


def run_ours(task: Task, promise: str, options: Options) -> Found:
    """Our runs under one promise; the first compiles, and is not counted."""
    publish(task.table, epsilon=1.0, seed=0, **PROMISES[promise])
    found = Found()
    for epsilon in EPSILONS:
        for seed in range(1 if options.quick else SEEDS):
            seconds, codes = publish(task.table, epsilon=epsilon, seed=seed, **PROMISES[promise])
            found.add(epsilon, seconds, task.errors(codes))
    return found


def run_theirs(task: Task, contender: Contender, options: Options) -> Found:
    """A peer's runs: as many as it is given, and what more of them the store has."""
    found = Found()
    given = 1 if options.quick else contender.seeds
    for epsilon in EPSILONS:
        for seed in range(given if options.quick else MOST):
            made = run_peer(
                contender.peer,
                task.table,
                seed=seed,
                epsilon=epsilon,
                fresh=options.fresh and seed < given,
                stored=options.stored or seed >= given,
                **contender.settings,
            )
            if made is not None and made.synthetic is not None:
                found.add(epsilon, made.seconds, task.errors(made.synthetic))
        if not found.errors[epsilon]:
            found.absent[epsilon] = why_absent(
                contender.peer, task.table, seed=0, epsilon=epsilon, **contender.settings
            )
    return found


def lines_of(task: Task, contender: Contender, found: Found, ours: Found) -> list[Line]:
    """A line for the time, and one for the errors at each ε."""
    title, widths = TITLES[task.table.name], " / ".join(f"Q{k}" for k in task.widths)
    about = f"α-way, {title}"
    lines = []
    if found.at:
        theirs, mine = found.cpu(found.at), ours.cpu(found.at)
        budgets = " and ".join(f"{epsilon:g}" for epsilon in found.at)
        what = f"{contender.label}: {theirs:.3g} CPU s"
        lines.append(Line(f"{about}, ε = {budgets}: fit and sample", f"{mine:.3g} CPU s", what, theirs / mine))
    for epsilon in EPSILONS:
        errors, what, ratio = ours.mean(epsilon), f"{contender.label}: {found.absent.get(epsilon)}", None
        if found.errors[epsilon]:
            other = found.mean(epsilon)
            runs = len(found.errors[epsilon])
            seeds = f"{runs} seed{'s' if runs > 1 else ''}"
            what = f"{contender.label}: {_figures(other)} ({contender.promise}; {seeds})"
            ratio = float(other[-1] / errors[-1])
        lines.append(
            Line(
                f"{about}, ε = {epsilon:g}: mean {widths} distance ({contender.beside})", _figures(errors), what, ratio
            )
        )
    return lines


def our_row(task: Task, promise: str, found: Found) -> tuple[str, ...]:
    """A row of the page's table."""
    errors = [_figures(found.mean(epsilon)) for epsilon in EPSILONS]
    return (_title(task), "**understudy, PrivBayes**", promise, _runs(found), f"{found.cpu():.2g}", *errors)


def their_row(task: Task, contender: Contender, found: Found, ours: Found) -> tuple[str, ...]:
    """A row of the page's table, with ratios; a dash, or the reason, where there is nothing."""
    errors = []
    for epsilon in EPSILONS:
        if found.errors[epsilon]:
            mean = found.mean(epsilon)
            ratios = ", ".join(f"{r:.1f}×" if r >= 1.05 else f"{r:.2f}×" for r in mean / ours.mean(epsilon))
            errors.append(f"{_figures(mean)} ({ratios})")
        else:
            errors.append(found.absent[epsilon])
    cpu = f"{found.cpu(found.at):.3g} ({found.cpu(found.at) / ours.cpu(found.at):,.0f}×)" if found.at else ""
    return (_title(task), contender.label, contender.promise, _runs(found), cpu, *errors)


def as_table(rows: Sequence[tuple[str, ...]]) -> str:
    """Markdown; a table's name stands only in its first row."""
    header = ("table", "tool", "promise", "runs at each ε", "CPU s a run", *(f"error at ε = {e:g}" for e in EPSILONS))
    shown = [row if i == 0 or rows[i - 1][0] != row[0] else ("", *row[1:]) for i, row in enumerate(rows)]
    rule = ("---", "---", "---", "--:", "--:", "---", "---")
    return "\n".join("| " + " | ".join(row) + " |" for row in (header, rule, *shown))


def _title(task: Task) -> str:
    return f"{TITLES[task.table.name]}: {', '.join(f'Q{k}' for k in task.widths)}"


def _runs(found: Found) -> str:
    return ", ".join(str(len(found.errors[epsilon])) for epsilon in EPSILONS)


def _figures(errors: np.ndarray) -> str:
    return ", ".join(f"{error:.3f}" for error in errors)


if __name__ == "__main__":
    main(run)
