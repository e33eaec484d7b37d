"""PrivBayes, Figure 7: classifiers of Adult under four encodings."""

from __future__ import annotations

from understudy.experiments._experiment import Experiment
from understudy.experiments.figures import _encodings
from understudy.experiments.figures._budgets import EPSILON

EXPERIMENT = Experiment(
    name="privbayes-fig7",
    paper="PrivBayes",
    where="Figure 7",
    title="Comparison among encodings: multiple SVM classifiers on Adult",
    x=EPSILON,
    datasets=("adult_privbayes16",),
    runs=lambda scale: _encodings.class_runs(scale, "adult_privbayes16"),
    panels=_encodings.class_panels("adult"),
    claims=(*_encodings.class_claims("Adult", "adult"), *_encodings.adult_claims()),
    quick_seeds=3,
)
