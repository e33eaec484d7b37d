"""PrivBayes, Figures 12 to 15: α-way marginals against baselines."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from research._experiment import Experiment, Panel, Run, Scale
from research.figures._budgets import BENCHMARKS, DISTANCE, EPSILON, EPSILONS, over_budgets

OURS, PRINTED = "PrivBayes", "PrivBayes, as printed"
LAPLACE, FOURIER = "Laplace", "Fourier"
CONTINGENCY, CONTINGENCY_WHOLE = "Contingency", "Contingency, clipped whole"
MWEM, MWEM_TABLES = "MWEM", "MWEM, whole tables"
MWEM_PRINTED = MWEM
UNIFORM = "Uniform"
DEGREE = "degree"
"""A group of runs without a panel."""
FORMS = {OURS: "privbayes", PRINTED: "privbayes:postprocessing=printed"}


def panels(first: int, second: int) -> tuple[Panel, ...]:
    """The paper's two panels."""
    return (
        Panel(title=f"(a) Q{first}", measure=f"Q{first}", y=DISTANCE, log_y=True),
        Panel(title=f"(b) Q{second}", measure=f"Q{second}", y=DISTANCE, log_y=True),
    )


def runs(
    scale: Scale,
    dataset: str,
    ways: Sequence[int],
    *,
    thin: Scale | None = None,
    epsilons: Sequence[float] = EPSILONS,
    joint: bool = False,
) -> list[Run]:
    """All lines of a figure. A method that is made for one α is run once for each, with the whole budget.

    `joint` adds what needs a cell for each possible row, and the degree of the networks; `thin` and `epsilons` are for
    what is dear.
    """
    few = thin or scale
    found = over_budgets(scale, FORMS, task="marginals", dataset=dataset, ways=list(ways))
    for way in ways:
        words = {LAPLACE: f"laplace:ways={way}", FOURIER: f"fourier:ways={way}"}
        found += over_budgets(few, words, task="marginals", dataset=dataset, ways=[way])
    if joint:
        words = {CONTINGENCY: "contingency", CONTINGENCY_WHOLE: "contingency:clip=table"}
        found += over_budgets(few, words, task="marginals", dataset=dataset, ways=list(ways), epsilons=epsilons)
        for way in ways:
            words = {MWEM: f"mwem:ways={way}:queries=cells", MWEM_TABLES: f"mwem:ways={way}:queries=tables"}
            found += over_budgets(few, words, task="marginals", dataset=dataset, ways=[way], epsilons=epsilons)
    once = Scale(seeds=1, quick=scale.quick)  # neither of these has any chance in it
    found += over_budgets(once, {UNIFORM: "uniform"}, task="marginals", dataset=dataset, ways=list(ways))
    if joint:
        found += over_budgets(once, {OURS: FORMS[OURS]}, task="network", dataset=dataset, group=DEGREE)
    return found


_FEW_EPSILONS = (0.05, 0.1, 0.4, 1.6)


def _acs_runs(scale: Scale) -> list[Run]:
    """With 2²³ possible rows, the quick form runs baselines once, and Contingency and MWEM at four budgets."""
    thin = Scale(seeds=1, quick=True) if scale.quick else scale
    return runs(scale, "acs", (3, 4), thin=thin, epsilons=_FEW_EPSILONS if scale.quick else EPSILONS, joint=True)


def _figure(
    number: int,
    table: str,
    ways: tuple[int, int],
    *,
    joint: bool = False,
    quick_seeds: int = 3,
    own_runs: Callable[[Scale], list[Run]] | None = None,
) -> Experiment:
    dataset = BENCHMARKS[table]
    return Experiment(
        name=f"privbayes-fig{number}",
        paper="PrivBayes",
        where=f"Figure {number}",
        title=f"Comparison to baselines: α-way marginals on {table}",
        x=EPSILON,
        datasets=(dataset,),
        runs=own_runs or (lambda scale: runs(scale, dataset, ways, joint=joint)),
        panels=panels(*ways),
        quick_seeds=quick_seeds,
    )


EXPERIMENTS = (
    _figure(12, "NLTCS", (3, 4), joint=True, quick_seeds=5),
    _figure(13, "ACS", (3, 4), joint=True, own_runs=_acs_runs),
    _figure(14, "Adult", (2, 3)),
    _figure(15, "BR2000", (2, 3)),
)
