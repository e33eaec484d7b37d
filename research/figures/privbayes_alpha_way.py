"""PrivBayes, Figures 12 to 15: α-way marginals against baselines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from research._experiment import Experiment, Panel, Run, Scale
from research.figures._budgets import BENCHMARKS, DISTANCE, EPSILON, EPSILONS, over_budgets

OURS, PRINTED = "PrivBayes", "PrivBayes, as printed"
LAPLACE, FOURIER = "Laplace", "Fourier"
CONTINGENCY, CONTINGENCY_WHOLE = "Contingency", "Contingency, clipped whole"
MWEM_PRINTED, MWEM_TABLES = "MWEM, as printed", "MWEM, whole tables"
UNIFORM = "Uniform"
DEGREE = "degree"
"""A group of runs without a panel."""
_PRINTED_MWEM = "queries=cells:replay=no:result=average"
_PRINTED_WORD = "privbayes:postprocessing=printed"
_PUBLISHED = (PRINTED, LAPLACE, FOURIER, CONTINGENCY_WHOLE, MWEM_PRINTED, UNIFORM)
_BOTH = (PRINTED, LAPLACE, FOURIER, UNIFORM, OURS)
_STRONGER = (PRINTED, OURS, CONTINGENCY, MWEM_TABLES)


def panels(first: int, second: int, *, joint: bool = False, replayed: bool = True) -> tuple[Panel, ...]:
    """The paper's two panels, and with `joint` two more of what is stronger than what the paper drew."""
    stronger = _STRONGER if replayed else _STRONGER[:-1]
    both = (f"Q{first}", f"Q{second}")
    if not joint:
        named = zip("ab", both, strict=True)
        return tuple(
            Panel(title=f"({letter}) {q}", measure=q, y=DISTANCE, log_y=True, series=_BOTH) for letter, q in named
        )
    drawn = [
        (q, words, lines) for words, lines in (("as published", _PUBLISHED), ("stronger forms", stronger)) for q in both
    ]
    return tuple(
        Panel(title=f"({letter}) {q}, {words}", measure=q, y=DISTANCE, log_y=True, series=lines)
        for letter, (q, words, lines) in zip("abcd", drawn, strict=True)
    )


def runs(
    scale: Scale,
    dataset: str,
    ways: Sequence[int],
    *,
    epsilons: Sequence[float] = EPSILONS,
    replayed: bool = True,
    joint: bool = False,
) -> list[Run]:
    """All lines of a figure. A method that is made for one α is run once for each, with the whole budget.

    `joint` adds what needs a cell for each possible row, at `epsilons`, and the degree of the networks; `replayed` is
    whether our MWEM, the dearest, is among it. As printed, each row is drawn by itself.
    """
    common: dict[str, Any] = {"task": "marginals", "dataset": dataset}
    every = list(ways)
    found = over_budgets(scale, {OURS: "privbayes"}, **common, ways=every)
    found += over_budgets(scale, {PRINTED: _PRINTED_WORD}, **common, ways=every, independent=True)
    for way in ways:
        words = {LAPLACE: f"laplace:ways={way}", FOURIER: f"fourier:ways={way}"}
        found += over_budgets(scale, words, **common, ways=[way])
    if joint:
        words = {CONTINGENCY: "contingency", CONTINGENCY_WHOLE: "contingency:clip=table"}
        found += over_budgets(scale, words, **common, ways=every, epsilons=epsilons)
        for way in ways:
            words = {MWEM_PRINTED: f"mwem:ways={way}:{_PRINTED_MWEM}"}
            words |= {MWEM_TABLES: f"mwem:ways={way}:queries=tables"} if replayed else {}
            found += over_budgets(scale, words, **common, ways=[way], epsilons=epsilons)
    once = Scale(seeds=1, quick=scale.quick)  # neither of these has any chance in it
    found += over_budgets(once, {UNIFORM: "uniform"}, **common, ways=every)
    if joint:
        found += over_budgets(once, {OURS: "privbayes"}, task="network", dataset=dataset, group=DEGREE)
    return sorted(found, key=lambda run: run.seed)


_FEW_EPSILONS = (0.05, 0.1, 0.4, 1.6)


_ACS_WORDS = "Contingency and MWEM as printed at four budgets"


def _acs_runs(scale: Scale) -> list[Run]:
    """With 2²³ possible rows, the quick form has Contingency and MWEM at four budgets, and MWEM only as printed."""
    if not scale.quick:
        return runs(scale, "acs", (3, 4), joint=True)
    return runs(scale, "acs", (3, 4), epsilons=_FEW_EPSILONS, replayed=False, joint=True)


def _figure(
    number: int,
    table: str,
    ways: tuple[int, int],
    *,
    joint: bool = False,
    own_runs: Callable[[Scale], list[Run]] | None = None,
    quick_words: str = "",
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
        panels=panels(*ways, joint=joint, replayed=own_runs is None),
        quick_words=quick_words,
        quick_seeds=5,
    )


EXPERIMENTS = (
    _figure(12, "NLTCS", (3, 4), joint=True),
    _figure(13, "ACS", (3, 4), joint=True, own_runs=_acs_runs, quick_words=_ACS_WORDS),
    _figure(14, "Adult", (2, 3)),
    _figure(15, "BR2000", (2, 3)),
)
