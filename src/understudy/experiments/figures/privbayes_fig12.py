"""PrivBayes, Figure 12: α-way marginals of NLTCS against baselines."""

from __future__ import annotations

from understudy.experiments._experiment import Claim, Experiment, Panel, Run, Scale
from understudy.experiments._rules import Beats
from understudy.experiments.figures._common import DISTANCE, EPSILON, over_budgets

_BASELINES = {"Uniform": "uniform"}


def _runs(scale: Scale) -> list[Run]:
    return over_budgets(scale, {"PrivBayes": "privbayes"} | _BASELINES, task="marginals", dataset="nltcs", ways=[3, 4])


EXPERIMENT = Experiment(
    name="privbayes-fig12",
    paper="PrivBayes",
    where="Figure 12",
    title="Comparison to baselines: α-way marginals on NLTCS",
    x=EPSILON,
    datasets=("nltcs",),
    runs=_runs,
    panels=(
        Panel(title="(a) Q3", measure="Q3", y=DISTANCE),
        Panel(title="(b) Q4", measure="Q4", y=DISTANCE),
    ),
    claims=(
        Claim(
            sentence="On NLTCS, PrivBayes clearly outperforms the baselines in all cases.",
            rule=Beats(ours=("PrivBayes",), others=tuple(_BASELINES), measures=("Q3", "Q4")),
        ),
    ),
)
