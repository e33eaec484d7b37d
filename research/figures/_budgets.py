"""What several figures share: the papers' budgets, and runs over methods × budgets × seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from research._experiment import Run, Scale

EPSILONS = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6)
"""The budgets of the PrivBayes paper's figures."""
BENCHMARKS = {"NLTCS": "nltcs", "ACS": "acs", "Adult": "adult_privbayes16", "BR2000": "br2000_privbayes16"}
"""Its tables, with their files."""
EPSILON = "ε"
DISTANCE = "average variation distance"
ERROR = "misclassification rate"


def over_budgets(
    scale: Scale,
    methods: Mapping[str, str],
    *,
    task: str,
    dataset: str,
    epsilons: Sequence[float] = EPSILONS,
    group: str = "",
    **params: Any,
) -> list[Run]:
    """Runs of methods (label → word) at every budget, seeds outermost: broken off half-way, every line has points.

    >>> scale = Scale(seeds=2, quick=True)
    >>> len(over_budgets(scale, {"Uniform": "uniform"}, task="marginals", dataset="nltcs", ways=[3]))
    12
    """
    return [
        Run(
            series=label,
            x=epsilon,
            seed=seed,
            task=task,
            params={"dataset": dataset, "method": word, "epsilon": epsilon, **params},
            group=group,
        )
        for seed, epsilon, (label, word) in product(range(scale.seeds), epsilons, methods.items())
    ]
