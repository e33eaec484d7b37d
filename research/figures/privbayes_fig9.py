"""PrivBayes, Figure 9: the share β of the budget that goes into the choice of the network."""

from __future__ import annotations

from research._experiment import Experiment, Run, Scale
from research.figures import _tuning

_EPSILONS = (0.1, 0.4, 1.6)
_BETAS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_QUICK = (0.05, 0.1, 0.3, 0.5, 0.7, 0.9)
_DEGREES = "degree"


def _options(beta: float) -> str:
    return "" if beta == 0.3 else f":beta={beta:g}"


def _runs(scale: Scale) -> list[Run]:
    degree = Run(
        series="PrivBayes",
        x=_BETAS[-1],
        seed=0,
        task="network",
        params={"dataset": "acs", "method": f"privbayes:beta={_BETAS[-1]:g}", "epsilon": _EPSILONS[0]},
        group=_DEGREES,
    )
    return [*_tuning.tuning_runs(scale, _QUICK if scale.quick else _BETAS, _EPSILONS, _options), degree]


EXPERIMENT = Experiment(
    name="privbayes-fig9",
    paper="PrivBayes",
    where="Figure 9",
    title="Choice of β",
    x="β",
    datasets=_tuning.DATASETS,
    runs=_runs,
    panels=_tuning.PANELS,
    log_x=False,
    quick_words=f"{len(_QUICK)} values of β instead of {len(_BETAS)}",
    quick_seeds=5,
)
