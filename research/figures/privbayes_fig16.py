"""PrivBayes, Figure 16: four classifiers on NLTCS against baselines."""

from __future__ import annotations

from research._experiment import Experiment, Run, Scale
from research.figures._budgets import EPSILON
from research.figures._classifiers import REMARKS, claims, panels, runs


def _runs(scale: Scale) -> list[Run]:
    return runs(scale, "nltcs")


EXPERIMENT = Experiment(
    name="privbayes-fig16",
    paper="PrivBayes",
    where="Figure 16",
    title="Comparison to baselines: multiple SVM classifiers on NLTCS",
    x=EPSILON,
    datasets=("nltcs",),
    runs=_runs,
    panels=panels("nltcs"),
    claims=claims("NLTCS", "nltcs", exceptions=True),
    quick_seeds=5,
    remarks=REMARKS,
)
