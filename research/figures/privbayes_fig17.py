"""PrivBayes, Figure 17: four classifiers on ACS against baselines."""

from __future__ import annotations

from research._experiment import Experiment, Run, Scale
from research.figures._budgets import EPSILON
from research.figures._classifiers import REMARKS, claims, panels, runs


def _runs(scale: Scale) -> list[Run]:
    return runs(scale, "acs")


EXPERIMENT = Experiment(
    name="privbayes-fig17",
    paper="PrivBayes",
    where="Figure 17",
    title="Comparison to baselines: multiple SVM classifiers on ACS",
    x=EPSILON,
    datasets=("acs",),
    runs=_runs,
    panels=panels("acs"),
    claims=claims("ACS", "acs"),
    quick_seeds=5,
    remarks=REMARKS,
)
