"""PrivBayes, Figure 10: how useful (θ) a table must be."""

from __future__ import annotations

from research._experiment import Claim, Experiment, Run, Scale
from research.figures import _tuning

_EPSILONS = (0.1, 0.4, 1.6)
_THETAS = (1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0)


def _word(theta: float) -> str:
    return _tuning.PRINTED if theta == 4 else f"{_tuning.PRINTED}:theta={theta:g}"


def _runs(scale: Scale) -> list[Run]:
    return _tuning.tuning_runs(scale, _THETAS, _EPSILONS, _word)


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
    claims=(
        Claim(
            sentence="PrivBayes is near its best on a quite wide range of values of θ.",
            rule=_tuning.wide(lambda low, high: high >= 2 * low, "span a factor of 2 or more"),
        ),
        Claim(sentence="An appropriate θ lies in [3, 6].", rule=_tuning.best_within(3, 6)),
        Claim(sentence="θ = 4 is a satisfying default for a range of tasks.", rule=_tuning.good_default(4.0)),
        Claim(
            sentence="Counting queries want a large θ, classification a somewhat smaller one.",
            rule=_tuning.classifiers_prefer(larger=False),
        ),
    ),
)
