"""PrivBayes, Figure 19: four classifiers on BR2000 against baselines."""

from __future__ import annotations

from research._experiment import Experiment, Run, Scale
from research.figures._budgets import EPSILON
from research.figures._classifiers import REMARKS, claims, panels, runs


def _runs(scale: Scale) -> list[Run]:
    return runs(scale, "br2000_privbayes16", curved=3)


EXPERIMENT = Experiment(
    name="privbayes-fig19",
    paper="PrivBayes",
    where="Figure 19",
    title="Comparison to baselines: multiple SVM classifiers on BR2000",
    x=EPSILON,
    datasets=("br2000_privbayes16",),
    runs=_runs,
    panels=panels("br2000"),
    claims=claims("BR2000", "br2000"),
    quick_seeds=4,
    remarks=(*REMARKS, "The quick form runs the RBF kernel with three seeds only."),
)
