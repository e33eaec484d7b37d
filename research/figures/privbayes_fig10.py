"""PrivBayes, Figure 10: how useful (θ) a table must be."""

from __future__ import annotations

from research._experiment import Experiment, Run, Scale
from research.figures import _tuning

_EPSILONS = (0.1, 0.4, 1.6)
_THETAS = (1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0)


def _options(theta: float) -> str:
    return "" if theta == 4 else f":theta={theta:g}"


def _runs(scale: Scale) -> list[Run]:
    return _tuning.tuning_runs(scale, _THETAS, _EPSILONS, _options, printed=False)


EXPERIMENT = Experiment(
    name="privbayes-fig10",
    paper="PrivBayes",
    where="Figure 10",
    title="Choice of θ",
    x="θ",
    datasets=_tuning.DATASETS,
    runs=_runs,
    panels=_tuning.PANELS,
    quick_seeds=5,
)
