"""PrivBayes, Figure 12: α-way marginals of NLTCS against baselines."""

from __future__ import annotations

from understudy.experiments._experiment import Experiment, Run, Scale
from understudy.experiments.figures._alpha_way import JOINT, REMARKS, claims, panels, runs
from understudy.experiments.figures._common import EPSILON


def _runs(scale: Scale) -> list[Run]:
    return runs(scale, "nltcs", (3, 4), joint=True)


EXPERIMENT = Experiment(
    name="privbayes-fig12",
    paper="PrivBayes",
    where="Figure 12",
    title="Comparison to baselines: α-way marginals on NLTCS",
    x=EPSILON,
    datasets=("nltcs",),
    runs=_runs,
    panels=panels(3, 4),
    claims=claims("NLTCS", ("Q3", "Q4"), joint=True),
    remarks=(*REMARKS, *JOINT),
)
