"""PrivBayes, Figure 13: α-way marginals of ACS against baselines."""

from __future__ import annotations

from understudy.experiments._experiment import Experiment, Run, Scale
from understudy.experiments.figures._alpha_way import claims, panels, runs
from understudy.experiments.figures._common import EPSILON


def _runs(scale: Scale) -> list[Run]:
    return runs(scale, "acs", (3, 4), joint=True)


EXPERIMENT = Experiment(
    name="privbayes-fig13",
    paper="PrivBayes",
    where="Figure 13",
    title="Comparison to baselines: α-way marginals on ACS",
    x=EPSILON,
    datasets=("acs",),
    runs=_runs,
    panels=panels(3, 4),
    claims=claims("ACS", ("Q3", "Q4"), joint=True),
)
