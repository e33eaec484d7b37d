"""How far answers are off: `answer` beside the synthetic table of PrivBayes at the same ε, and beside Laplace.

Narrow workloads ask about three or four of Adult's columns: 200 random conjunctions of ranges for each pair, triple and
quadruple of them. Linear queries are the correlated-release paper's: 10,000 of them, with weights drawn evenly between
0 and 1 for each cell of a reduced domain. Laplace answers each with ε/10,000, clipped to between 0 and 1; a uniform
histogram, which costs nothing, stands beside it. Errors are means of |answer − truth| as shares of the rows (eq. 23 of
the paper). The strategy is the one that `auto` chooses.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise
from math import prod

import numpy as np
import numpy.typing as npt

from benchmarks._ours import fit, load_table
from benchmarks._report import Line, Options, Stopwatch, main
from understudy._core.randomness import Streams
from understudy.answers import LinearQuery, Workload, answer_workload, make_workload
from understudy.counting import MemoryCounter
from understudy.privacy import LinearQueries, PrivacyUnit, make_budget, make_noise, open_curator
from understudy.rehearsal import sample_table
from understudy.schema import Domain, Marginal, Schema
from understudy.tables import Table

Floats = npt.NDArray[np.float64]

ADULT = "adult_privbayes16"
NARROW = (
    ("age", "sex", "income"),
    ("age", "education", "sex", "income"),
    ("age", "education", "occupation", "hours-per-week"),
)
REDUCED = ("age", "education", "sex", "income")
EPSILONS, ALL_EPSILONS = (0.1, 0.4, 1.0), tuple(k / 10 for k in range(1, 11))
RANGES, LINEAR, GROUP = 200, 10_000, 10
SEEDS, QUICK_SEEDS = 5, 1


def run(options: Options) -> list[Line]:
    seeds = range(QUICK_SEEDS if options.quick else SEEDS)
    table = load_table(ADULT)
    lines = [narrow(table, columns, epsilon, seeds) for columns in NARROW for epsilon in EPSILONS]
    asked = linear_workload(table.domain)
    lines += [linear(table, asked, epsilon, seeds, 1) for epsilon in ALL_EPSILONS]
    lines += [linear(table, asked, epsilon, seeds, GROUP) for epsilon in (0.1, 1.0)]
    return [*lines, speed(table, asked)]


def narrow(table: Table, columns: tuple[str, ...], epsilon: float, seeds: range) -> Line:
    """A workload about few columns, beside a table about all of them."""
    workload = range_workload(table.domain, columns)
    truth, found = exact(table, workload), [ours(table, workload, epsilon, seed) for seed in seeds]
    error = mean_error([shares for shares, _ in found], truth)
    rows = [sample_table(fit(table, epsilon=epsilon, seed=seed), table.n, Streams(seed)) for seed in seeds]
    other = mean_error([exact(synthetic, workload) for synthetic in rows], truth)
    return Line(
        f"answers to {len(workload):,} range queries about {', '.join(columns)} of Adult, ε = {epsilon:g}: mean error, "
        f"{len(seeds)} seeds",
        f"{error:.5f} ({_strategies(found)})",
        f"synthetic table of PrivBayes: {other:.5f}",
        other / error,
        "below the synthetic table's",
        error < other,
    )


def linear(table: Table, workload: Workload, epsilon: float, seeds: range, rows: int) -> Line:
    """The paper's workload, beside Laplace with a part of ε for each query; for one row, or any ten."""
    truth, found = exact(table, workload), [ours(table, workload, epsilon, seed, rows) for seed in seeds]
    error = mean_error([shares for shares, _ in found], truth)
    scale = rows * LINEAR / (epsilon * table.n)
    rng = Streams(1).get("laplace")
    alone = mean_error([np.clip(truth + rng.laplace(0, scale, LINEAR), 0, 1) for _ in seeds], truth)
    even = mean_error([uniform_answers(workload)], truth)
    unit = "" if rows == 1 else f", any {rows} rows protected"
    return Line(
        f"answers to {LINEAR:,} random linear queries about {', '.join(REDUCED)} of Adult, ε = {epsilon:g}{unit}: mean "
        f"error, {len(seeds)} seeds",
        f"{error:.5f} ({_strategies(found)})",
        f"Laplace: {alone:.4f}; uniform: {even:.4f}",
        alone / error,
        "below Laplace's and uniform's",
        error < min(alone, even),
    )


def speed(table: Table, workload: Workload) -> Line:
    """CPU time of all of the paper's queries, after a first run that compiled."""
    ours(table, workload, 1.0, 0)
    with Stopwatch() as watch:
        ours(table, workload, 1.0, 1)
    return Line(f"answering {LINEAR:,} linear queries over 1,024 cells of Adult, ε = 1", f"{watch.seconds:.2f} CPU s")


def ours(table: Table, workload: Workload, epsilon: float, seed: int, rows: int = 1) -> tuple[Floats, str]:
    """Seeded answers, and the strategy that was chosen for them."""
    curator = open_curator(
        MemoryCounter(table),
        budget=make_budget(Fraction(str(epsilon))),
        unit=PrivacyUnit("any rows", max_rows=rows),
        noise=make_noise(seed=seed),
    )
    found = answer_workload(curator, workload)
    return found.shares, found.strategy


def exact(table: Table, workload: Workload) -> Floats:
    """What a table answers."""
    counter = MemoryCounter(table)
    tables = counter.count([batch.marginal for batch in workload.batches])
    found = [batch.answers(counts / counter.n) for batch, counts in zip(workload.batches, tables, strict=True)]
    return np.asarray(workload.in_order(found), dtype=np.float64)


def uniform_answers(workload: Workload) -> Floats:
    """What a histogram without any knowledge answers."""
    found = [batch.answers(np.full(batch.shape, 1 / prod(batch.shape))) for batch in workload.batches]
    return np.asarray(workload.in_order(found), dtype=np.float64)


def mean_error(found: list[Floats], truth: Floats) -> float:
    """Over queries and seeds."""
    return float(np.mean([np.abs(one - truth).mean() for one in found]))


def range_workload(domain: Domain, columns: tuple[str, ...]) -> Workload:
    """Random conjunctions of ranges about each pair, triple and quadruple of the columns."""
    rng, places = Streams(5).get("ranges", *columns), sorted(domain.index(name) for name in columns)
    batches = []
    for way in range(2, len(places) + 1):
        for scope in combinations(places, way):
            weights = []
            for a in scope:
                ends = np.sort(rng.integers(0, domain[a].size, (RANGES, 2)), axis=1)
                codes = np.arange(domain[a].size)
                weights.append(((codes >= ends[:, :1]) & (codes <= ends[:, 1:])).astype(np.uint8))
            batches.append(LinearQueries.products(Marginal.of(*scope), domain, weights, [1] * RANGES))
    starts = np.cumsum([0, *map(len, batches)])
    texts = tuple(f"range {i}" for i in range(int(starts[-1])))
    return Workload(
        schema=_schema(),
        names=texts,
        texts=texts,
        batches=tuple(batches),
        places=tuple(np.arange(low, high) for low, high in pairwise(starts)),
    )


def linear_workload(domain: Domain) -> Workload:
    """The paper's random linear queries."""
    cells = Marginal.of(*(domain.index(name) for name in REDUCED)).n_cells(domain)
    weights = Streams(6).get("weights").random((LINEAR, cells))
    return make_workload([], _schema(), [LinearQuery(columns=REDUCED, weights=weights)])


def _schema() -> Schema:
    from benchmarks._data import schema_path

    return Schema.load(schema_path(ADULT))


def _strategies(found: list[tuple[Floats, str]]) -> str:
    return ", ".join(sorted({strategy for _, strategy in found}))


if __name__ == "__main__":
    main(run)
