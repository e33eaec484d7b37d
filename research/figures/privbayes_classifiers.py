"""PrivBayes, Figures 16 to 19: four classifiers on each table against baselines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from research._experiment import Experiment, Panel, Run, Scale
from research.figures._budgets import BENCHMARKS, EPSILON, EPSILONS, ERROR, over_budgets
from research.svm import NO_PRIVACY, PAPER_TARGETS

OURS, PRINTED = "PrivBayes", "PrivBayes, as printed"
ERM, SINGLE, GENE = "PrivateERM", "PrivateERM (Single)", "PrivGene, reconstructed"
MAJORITY, BEST = "Majority", "NoPrivacy"
CURVED, BEST_CURVED = "PrivBayes, as printed, RBF kernel", "NoPrivacy, RBF kernel"
ERM_WIDE, SINGLE_WIDE = "PrivateERM, a feature a value", "PrivateERM (Single), a feature a value"
_METHODS = {
    OURS: "privbayes",
    ERM: "private-erm",
    SINGLE: "private-erm-single",
    GENE: "privgene",
    MAJORITY: "majority",
}
_PRINTED_WORD = "privbayes:postprocessing=printed"
_WIDE = {ERM_WIDE: _METHODS[ERM], SINGLE_WIDE: _METHODS[SINGLE]}
_CURVE: Mapping[str, Any] = {"kernel": "rbf", "one_hot": True}  # what the authors' program has
_CURVED_AT = (0.05, 0.4, 1.6)
_ALL_ROWS = 100_000  # more than any of the tables has
CHEAP = ("NLTCS", "ACS")
"""Where rows repeat so often that machines with an RBF kernel are trained in the quick form too."""


def runs(scale: Scale, dataset: str) -> list[Run]:
    """All lines of a figure. As printed, each row is drawn by itself.

    The RBF kernel is dear: the quick form has it for three budgets, and not at all where few rows are alike.
    """
    common: dict[str, Any] = {"task": "svm", "dataset": dataset}
    plain = {"dataset": dataset, "method": NO_PRIVACY, "epsilon": 1.0}
    curved = not scale.quick or dataset in {BENCHMARKS[table] for table in CHEAP}
    flat = {BEST: plain} | ({BEST_CURVED: {**plain, **_CURVE, "most": _ALL_ROWS}} if curved else {})
    at = () if not curved else _CURVED_AT if scale.quick else EPSILONS
    found = [
        *over_budgets(scale, _METHODS, **common),
        *over_budgets(scale, {PRINTED: _PRINTED_WORD}, **common, independent=True),
        *over_budgets(scale, _WIDE, **common, one_hot=True),
        *over_budgets(scale, {CURVED: _PRINTED_WORD}, **common, **_CURVE, independent=True, epsilons=at),
        *(
            Run(series=line, x=epsilon, seed=seed, task="svm", params=params)
            for line, params in flat.items()
            for seed in range(scale.seeds)
            for epsilon in EPSILONS
        ),
    ]
    return sorted(found, key=lambda run: run.seed)


_PUBLISHED = (PRINTED, ERM_WIDE, SINGLE_WIDE, GENE, MAJORITY, BEST)
_OTHERS = (OURS, ERM, SINGLE, BEST, CURVED, BEST_CURVED)


def panels(table: str) -> tuple[Panel, ...]:
    """One for each of the four tasks, in the paper's order, and the same with other forms of the methods."""
    others = _OTHERS if table in CHEAP else _OTHERS[:-2]
    return tuple(
        Panel(title=f"({letter}) Y = {task}{words}", measure=task, y=ERROR, series=lines)
        for letters, words, lines in (("abcd", "", _PUBLISHED), ("efgh", ", other forms", others))
        for letter, task in zip(letters, PAPER_TARGETS[table.lower()], strict=True)
    )


def _figure(number: int, table: str) -> Experiment:
    dataset = BENCHMARKS[table]
    return Experiment(
        name=f"privbayes-fig{number}",
        paper="PrivBayes",
        where=f"Figure {number}",
        title=f"Comparison to baselines: multiple SVM classifiers on {table}",
        x=EPSILON,
        datasets=(dataset,),
        runs=lambda scale: runs(scale, dataset),
        panels=panels(table),
        quick_words="radial kernels at three budgets" if table in CHEAP else "no radial kernels",
        quick_seeds=5,
    )


EXPERIMENTS = (
    _figure(16, "NLTCS"),
    _figure(17, "ACS"),
    _figure(18, "Adult"),
    _figure(19, "BR2000"),
)
