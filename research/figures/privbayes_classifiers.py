"""PrivBayes, Figures 16 to 19: four classifiers on each table against baselines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from research._experiment import Experiment, Panel, Run, Scale
from research.figures._budgets import BENCHMARKS, EPSILON, EPSILONS, ERROR, over_budgets
from research.svm import NO_PRIVACY, PAPER_TARGETS

OURS, PRINTED = "PrivBayes", "PrivBayes, as printed"
ERM, SINGLE, GENE = "PrivateERM", "PrivateERM (Single)", "PrivGene"
MAJORITY, BEST = "Majority", "NoPrivacy"
CURVED, BEST_CURVED = "PrivBayes, RBF kernel", "NoPrivacy, RBF kernel"
ERM_WIDE = "PrivateERM, a feature a value"
_METHODS = {
    OURS: "privbayes",
    PRINTED: "privbayes:postprocessing=printed",
    ERM: "private-erm",
    SINGLE: "private-erm-single",
    GENE: "privgene",
    MAJORITY: "majority",
}
_CURVE: Mapping[str, Any] = {"kernel": "rbf", "one_hot": True}  # what the authors' program has


def runs(scale: Scale, dataset: str, *, curved: int | None = None) -> list[Run]:
    """All lines of a figure; `curved` is how often the quick form repeats the dear RBF kernel."""
    few = Scale(seeds=min(curved or scale.seeds, scale.seeds), quick=True) if scale.quick else scale
    plain = {"dataset": dataset, "method": NO_PRIVACY, "epsilon": 1.0}
    flat = [(BEST, plain, scale.seeds), (BEST_CURVED, {**plain, **_CURVE}, few.seeds)]
    return [
        *over_budgets(scale, _METHODS, task="svm", dataset=dataset),
        *over_budgets(scale, {ERM_WIDE: _METHODS[ERM]}, task="svm", dataset=dataset, one_hot=True),
        *over_budgets(few, {CURVED: _METHODS[OURS]}, task="svm", dataset=dataset, **_CURVE),
        *(
            Run(series=line, x=epsilon, seed=seed, task="svm", params=params)
            for line, params, seeds in flat
            for seed in range(seeds)
            for epsilon in EPSILONS
        ),
    ]


def panels(base: str) -> tuple[Panel, ...]:
    """One for each of the four tasks, in the paper's order."""
    named = zip("abcd", PAPER_TARGETS[base], strict=True)
    return tuple(Panel(title=f"({letter}) Y = {task}", measure=task, y=ERROR) for letter, task in named)


def _figure(
    number: int,
    table: str,
    quick_seeds: int,
    *,
    curved: int | None = None,
) -> Experiment:
    dataset, base = BENCHMARKS[table], table.lower()
    return Experiment(
        name=f"privbayes-fig{number}",
        paper="PrivBayes",
        where=f"Figure {number}",
        title=f"Comparison to baselines: multiple SVM classifiers on {table}",
        x=EPSILON,
        datasets=(dataset,),
        runs=lambda scale: runs(scale, dataset, curved=curved),
        panels=panels(base),
        quick_seeds=quick_seeds,
    )


EXPERIMENTS = (
    _figure(16, "NLTCS", 5),
    _figure(17, "ACS", 5),
    _figure(18, "Adult", 3, curved=1),
    _figure(19, "BR2000", 4, curved=3),
)
