"""PrivBayes, Figures 5 to 8: four encodings, by α-way marginals and by classifiers."""

from __future__ import annotations

from research._experiment import Experiment, Panel, Run, Scale
from research.figures._budgets import BENCHMARKS, DISTANCE, EPSILON, EPSILONS, ERROR, over_budgets
from research.svm import PAPER_TARGETS

BINARY, GRAY, VANILLA, HIERARCHICAL = "Binary-F", "Gray-F", "Vanilla-R", "Hierarchical-R"
_OWN = {
    BINARY: "privbayes:encoding=binary",
    GRAY: "privbayes:encoding=gray",
    VANILLA: "privbayes:encoding=vanilla",
    HIERARCHICAL: "privbayes",
}
_METHODS = {line: f"{word}:postprocessing=printed" for line, word in _OWN.items()}
OWN = "own post-processing"
"""A group of runs without a panel: the same lines, with this package's post-processing."""
_DRAWN = (HIERARCHICAL, VANILLA, BINARY, GRAY)  # of lines that meet the later lie on top
_QUERIES = ("Q2", "Q3")
_REFERENCE = "reference"


def _count_runs(scale: Scale, dataset: str) -> list[Run]:
    """The lines of Figures 5 and 6, as printed, and with this package's post-processing, which is not drawn."""
    printed = over_budgets(scale, _METHODS, task="marginals", dataset=dataset, ways=[2, 3], independent=True)
    return printed + over_budgets(scale, _OWN, task="marginals", dataset=dataset, ways=[2, 3], group=OWN)


def _class_runs(scale: Scale, dataset: str) -> list[Run]:
    """The lines of Figures 7 and 8, as printed, and what always answering the commoner value costs: not drawn."""
    reference = [
        Run(
            series="Majority",
            x=EPSILONS[-1],
            seed=seed,
            task="svm",
            params={"dataset": dataset, "method": "majority", "epsilon": EPSILONS[-1]},
            group=_REFERENCE,
        )
        for seed in range(scale.seeds)
    ]
    return over_budgets(scale, _METHODS, task="svm", dataset=dataset, independent=True) + reference


_COUNT_PANELS = tuple(
    Panel(title=f"({letter}) {query}", measure=query, y=DISTANCE, series=_DRAWN)
    for letter, query in zip("ab", _QUERIES, strict=True)
)


def _class_panels(base: str) -> tuple[Panel, ...]:
    """One for each of the four tasks."""
    named = zip("abcd", PAPER_TARGETS[base], strict=True)
    return tuple(Panel(title=f"({letter}) Y = {task}", measure=task, y=ERROR, series=_DRAWN) for letter, task in named)


def _counts(number: int, table: str, quick_seeds: int) -> Experiment:
    dataset = BENCHMARKS[table]
    return Experiment(
        name=f"privbayes-fig{number}",
        paper="PrivBayes",
        where=f"Figure {number}",
        title=f"Comparison among encodings: α-way marginals on {table}",
        x=EPSILON,
        datasets=(dataset,),
        runs=lambda scale: _count_runs(scale, dataset),
        panels=_COUNT_PANELS,
        quick_seeds=quick_seeds,
    )


def _classes(number: int, table: str, quick_seeds: int) -> Experiment:
    dataset, base = BENCHMARKS[table], table.lower()
    return Experiment(
        name=f"privbayes-fig{number}",
        paper="PrivBayes",
        where=f"Figure {number}",
        title=f"Comparison among encodings: multiple SVM classifiers on {table}",
        x=EPSILON,
        datasets=(dataset,),
        runs=lambda scale: _class_runs(scale, dataset),
        panels=_class_panels(base),
        quick_seeds=quick_seeds,
    )


EXPERIMENTS = (
    _counts(5, "Adult", 5),
    _counts(6, "BR2000", 5),
    _classes(7, "Adult", 5),
    _classes(8, "BR2000", 5),
)
