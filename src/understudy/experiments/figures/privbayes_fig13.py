"""PrivBayes, Figure 13: α-way marginals of ACS against baselines."""

from __future__ import annotations

from understudy.experiments._experiment import Experiment, Run, Scale
from understudy.experiments.figures._alpha_way import JOINT, REMARKS, claims, panels, runs, same_as_uniform
from understudy.experiments.figures._common import EPSILON, EPSILONS

_QUICK = (0.05, 0.1, 1.6)


def _runs(scale: Scale) -> list[Run]:
    thin = Scale(seeds=1, quick=True) if scale.quick else scale
    return runs(scale, "acs", (3, 4), thin=thin, epsilons=_QUICK if scale.quick else EPSILONS, joint=True)


EXPERIMENT = Experiment(
    name="privbayes-fig13",
    paper="PrivBayes",
    where="Figure 13",
    title="Comparison to baselines: α-way marginals on ACS",
    x=EPSILON,
    datasets=("acs",),
    runs=_runs,
    panels=panels(3, 4),
    claims=(*claims("ACS", ("Q3", "Q4"), joint=True), *same_as_uniform("ACS", ("Q3", "Q4"))),
    remarks=(
        *REMARKS,
        *JOINT,
        "The quick form runs the baselines once, and Contingency and MWEM, of 2²³ cells here, at three budgets.",
    ),
)
