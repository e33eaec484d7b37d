"""HPPrivBayes, Figure 3: the quality of networks, with the first node chosen by average mutual information or not."""

from __future__ import annotations

from research._experiment import Experiment, Panel, Run, Scale
from research.figures._hp import (
    DATASET,
    OURS,
    PRINTED,
    REPAIRED,
    RESTATED,
    word,
)

_DEGREES = (1, 2, 3, 4)
_LINES = (PRINTED, RESTATED, REPAIRED, OURS)
_MEASURE = "information"
_NOISY, _NOISELESS = "ε = 1", "without noise"
_GROUPS = {_NOISY: 1.0, _NOISELESS: 1e6}


def _runs(scale: Scale) -> list[Run]:
    return [
        Run(
            series=line,
            x=float(k),
            seed=seed,
            task="network",
            params={"dataset": DATASET, "method": word(line, k=k)["method"], "epsilon": epsilon},
            group=group,
        )
        for seed in range(scale.seeds)
        for group, epsilon in _GROUPS.items()
        for k in _DEGREES
        for line in _LINES
    ]


EXPERIMENT = Experiment(
    name="hpprivbayes-fig3",
    paper="HPPrivBayes",
    where="Figure 3",
    title="Network quality: sum of mutual information against the degree",
    x="k",
    log_x=False,
    datasets=(DATASET,),
    runs=_runs,
    panels=(
        Panel(title="(a) ε = 1", measure=_MEASURE, y="sum of mutual information (bits)", group=_NOISY),
        Panel(title="(b) without noise", measure=_MEASURE, y="sum of mutual information (bits)", group=_NOISELESS),
    ),
    quick_seeds=5,
    full_seeds=20,
)
