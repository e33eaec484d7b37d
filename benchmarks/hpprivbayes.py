"""What protecting some columns better buys: HPPrivBayes beside PrivBayes at the same protection of those columns.

HPPrivBayes at ε promises ε_B = ε/4 for changes of the sensitive column (r = 1/3). PrivBayes knows one ε: to promise
as much it must give ε_B to everything. A second comparison is kinder to PrivBayes: changing one column alone costs less
than ε in its releases too, though it cannot promise so beforehand. There its ε is raised until a release of it says as
much about the sensitive column, on average, as one of HPPrivBayes does.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from benchmarks._metrics import mean_distance, triples
from benchmarks._ours import load_table, sample, sizes, stack
from benchmarks._report import Line, Options, Stopwatch, main
from understudy._core.randomness import Streams
from understudy.counting import MemoryCounter
from understudy.methods import HPPrivBayes, Method, PrivBayes
from understudy.privacy import make_budget, make_noise, open_curator
from understudy.tables import Table

CASES = [
    (name, column, epsilon)
    for name, column in (("adult", "occupation"), ("adult_hp14", "occupation"), ("nltcs", "eating"))
    for epsilon in (0.2, 0.8, 1.6)
]
SEEDS, QUICK_SEEDS = 6, 2
TARGET = 1.25
KINDS = ("2-way without it", "3-way", "2-way with it", "of all 2-way")


def run(options: Options) -> list[Line]:
    lines = []
    for name, column, epsilon in CASES:
        table = load_table(name)
        names = [attribute.name for attribute in table.domain]
        sensitive = names.index(column) if column in names else 0
        lines += compare_one(name, table, sensitive, epsilon, QUICK_SEEDS if options.quick else SEEDS)
    lines += weighted_values(QUICK_SEEDS if options.quick else SEEDS)
    return lines


def compare_one(name: str, table: Table, sensitive: int, epsilon: float, n_seeds: int) -> list[Line]:
    """One table at one ε."""
    column = table.domain[sensitive].name
    with Stopwatch() as ours:
        hp, said = errors(table, HPPrivBayes(sensitive=(column,)), epsilon, sensitive, n_seeds)
    with Stopwatch() as theirs:
        plain, plain_said = errors(table, PrivBayes(), epsilon / 4, sensitive, n_seeds)
    alike = epsilon / 4
    for _ in range(3):  # what a release says grows nearly in proportion to ε
        _, reached = errors(table, PrivBayes(), alike, sensitive, 2, measure=False)
        alike = min(alike * said / reached, epsilon)
    kind, kind_said = errors(table, PrivBayes(), alike, sensitive, n_seeds)
    task = f"hpprivbayes, {name}, {column} sensitive, ε = {epsilon:g}, {n_seeds} seeds"
    lines = []
    for one, other in ((0, 1), (2, 3)):
        ratio = plain[other if one == 0 else one] / hp[other if one == 0 else one]
        asked = one == 0
        lines.append(
            Line(
                f"{task}: mean {KINDS[one]} and {KINDS[other]} distance",
                f"{hp[one]:.4f}, {hp[other]:.4f}",
                f"PrivBayes at ε = {epsilon / 4:g}: {plain[one]:.4f}, {plain[other]:.4f}; "
                f"at {alike:.2g}: {kind[one]:.4f}, {kind[other]:.4f}",
                ratio,
                f"at least {TARGET:g}×" if asked else "",
                bool(ratio >= TARGET) if asked else None,
            )
        )
    lines.append(
        Line(
            f"{task}: ε of changing {column} alone, promised and in the release",
            f"{epsilon / 4:g}, {said:.3g}; {ours.seconds / n_seeds:.2g} CPU s a run",
            f"PrivBayes at {epsilon / 4:g}: {epsilon / 4:g}, {plain_said:.3g}; {theirs.seconds / n_seeds:.2g} CPU s; "
            f"at {alike:.2g}: {alike:.2g}, {kind_said:.3g}",
        )
    )
    return lines


def errors(
    table: Table, method: Method, epsilon: float, sensitive: int, n_seeds: int, *, measure: bool = True
) -> tuple[np.ndarray, float]:
    """Mean distances of the four kinds of tables, and what a release says about the sensitive column."""
    real, sized = stack(table), sizes(table)
    everyone = list(combinations(range(len(sized)), 2))
    kinds = [
        [m for m in everyone if sensitive not in m],
        [m for m in triples(len(sized)) if sensitive not in m],
        [m for m in everyone if sensitive in m],
        everyone,
    ]
    found, said = [], []
    for seed in range(n_seeds):
        curator = open_curator(MemoryCounter(table), budget=make_budget(epsilon), noise=make_noise(seed=seed))
        model = method.fit(curator, streams=Streams(seed))
        said.append(float(curator.protection.of_attribute(sensitive)))
        if measure:
            synthetic = sample(model, table.n, seed=seed)
            found.append([mean_distance(real, synthetic, sized, kind) for kind in kinds])
    return np.mean(found, axis=0) if found else np.zeros(4), float(np.mean(said))


def weighted_values(n_seeds: int) -> list[Line]:
    """Under plain ε unequal noise only loses: what it costs the weighted column, and what it buys its rare values."""
    table = load_table("adult_hp14")
    column = "occupation"
    sensitive = [attribute.name for attribute in table.domain].index(column)
    lines = []
    for weights in ("equal", "rare"):
        method = HPPrivBayes(sensitive=(column,), weights=weights)  # type: ignore[arg-type]
        distances, _ = errors(table, method, 0.8, sensitive, n_seeds)
        curator = open_curator(MemoryCounter(table), budget=make_budget(0.8), noise=make_noise(seed=0))
        method.fit(curator, streams=Streams(0))
        values = [float(value) for value in curator.protection.of_values(sensitive)]
        lines.append(
            Line(
                f"hpprivbayes, adult_hp14, weights {weights}, ε = 0.8: mean 2-way distance with {column}",
                f"{distances[2]:.4f}",
                f"ε of changing it from or to a value: {min(values):.3g} to {max(values):.3g}; "
                f"2-way distance without it {distances[0]:.4f}",
            )
        )
    return lines


if __name__ == "__main__":
    main(run)
