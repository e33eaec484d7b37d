"""PrivABN, Figure 2: the budget at which the L2 error of 3-way queries falls below 0.01."""

from __future__ import annotations

from research._experiment import Experiment, Panel, Run, Scale
from research.figures._budgets import EPSILON
from research.figures.privabn_lines import (
    FLOOR,
    L2,
    OURS,
    PRINTED,
    TABLES,
    with_and_without,
)

_EPSILONS = (*(round(0.05 + 0.025 * i, 3) for i in range(19)), 0.6, 0.7, 0.8, 0.9, 1.0)
_QUICK = (0.05, 0.1, 0.15, 0.2, 0.225, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.8, 1.0)
_MEASURE = "L2 3-way"
_BAR = 0.01
_CROSSES = {"NLTCS": 0.4, "ACS": 0.225}
_PARTS = {"as printed, network without noise": "selection", "as printed, tables without noise": "tables"}
_SHARPER = "as printed, with sensitivity 1/n"
"""Diagnostics at the budgets of the claims: which part of the printed form the error comes from."""
_MOST = {"nltcs": None, "acs": 12}


_AS_PRINTED = (OURS["as printed"], FLOOR["as printed"], *_PARTS, _SHARPER)
_REPAIRED = (OURS["repaired"], FLOOR["repaired"])


def _runs(scale: Scale) -> list[Run]:
    parts = [
        Run(
            series=series,
            x=_CROSSES[group],
            seed=seed,
            task="queries",
            params={
                "dataset": dataset,
                "method": PRINTED[dataset],
                "ways": [3],
                "epsilon": _CROSSES[group],
                "noiseless": noiseless,
            },
            group=group,
        )
        for seed in range(scale.seeds)
        for group, dataset in TABLES.items()
        for series, noiseless in _PARTS.items()
    ]
    sharper = [
        Run(
            series=_SHARPER,
            x=_CROSSES[group],
            seed=seed,
            task="queries, sharper choices",
            params={"dataset": dataset, "k": _MOST[dataset], "ways": [3], "epsilon": _CROSSES[group]},
            group=group,
        )
        for seed in range(scale.seeds)
        for group, dataset in TABLES.items()
    ]
    return with_and_without(scale, _QUICK if scale.quick else _EPSILONS, (3,)) + parts + sharper


EXPERIMENT = Experiment(
    name="privabn-fig2",
    paper="PrivABN",
    where="Figure 2",
    title="PrivABN: the budget that brings the L2 error of 3-way queries below 0.01",
    x=EPSILON,
    datasets=tuple(TABLES.values()),
    runs=_runs,
    panels=tuple(
        Panel(
            title=f"({letter}) {group}{words}",
            measure=_MEASURE,
            y=L2,
            group=group,
            level=_BAR,
            level_words="the paper's mark,",
            log_y=True,
            series=lines,
        )
        for lines, words, letters in ((_AS_PRINTED, "", "ab"), (_REPAIRED, ", our form", "cd"))
        for letter, group in zip(letters, TABLES, strict=True)
    ),
    note="Single points, at the budgets that the paper names: PrivABN as printed with a part of its noise left out or "
    "less",
    quick_words=f"{len(_QUICK)} budgets instead of {len(_EPSILONS)}",
    quick_seeds=5,
    log_x=False,
)
