"""PrivBayes, Figure 8: classifiers of BR2000 under four encodings."""

from __future__ import annotations

from research._experiment import Experiment
from research.figures import _encodings
from research.figures._budgets import EPSILON

EXPERIMENT = Experiment(
    name="privbayes-fig8",
    paper="PrivBayes",
    where="Figure 8",
    title="Comparison among encodings: multiple SVM classifiers on BR2000",
    x=EPSILON,
    datasets=("br2000_privbayes16",),
    runs=lambda scale: _encodings.class_runs(scale, "br2000_privbayes16"),
    panels=_encodings.class_panels("br2000"),
    claims=_encodings.class_claims("BR2000", "br2000"),
    quick_seeds=5,
)
