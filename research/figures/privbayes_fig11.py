"""PrivBayes, Figure 11: whether errors come from the choice of the network or from the noise in its tables."""

from __future__ import annotations

from itertools import product
from typing import Any

from research._experiment import Experiment, Run, Scale
from research.figures._budgets import EPSILON, EPSILONS
from research.figures._tuning import DATASETS, PANELS, TASKS

_OURS, _NETWORK, _MARGINAL = "PrivBayes", "BestNetwork", "BestMarginal"
_NOISELESS: dict[str, dict[str, Any]] = {
    _OURS: {},
    _NETWORK: {"noiseless": "selection"},
    _MARGINAL: {"noiseless": "tables"},
}


def _runs(scale: Scale) -> list[Run]:
    return [
        Run(
            series=series,
            x=epsilon,
            seed=seed,
            task=task.task,
            params=task.params("", epsilon, **noiseless),
            group=task.group,
        )
        for seed, task, epsilon, (series, noiseless) in product(range(scale.seeds), TASKS, EPSILONS, _NOISELESS.items())
    ]


EXPERIMENT = Experiment(
    name="privbayes-fig11",
    paper="PrivBayes",
    where="Figure 11",
    title="Source of error",
    x=EPSILON,
    datasets=DATASETS,
    runs=_runs,
    panels=PANELS,
    labels={_OURS: "PrivBayes, as printed"},
    quick_seeds=5,
)
