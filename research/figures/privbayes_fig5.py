"""PrivBayes, Figure 5: α-way marginals of Adult under four encodings."""

from __future__ import annotations

from research._experiment import Experiment
from research.figures import _encodings
from research.figures._budgets import EPSILON

EXPERIMENT = Experiment(
    name="privbayes-fig5",
    paper="PrivBayes",
    where="Figure 5",
    title="Comparison among encodings: α-way marginals on Adult",
    x=EPSILON,
    datasets=("adult_privbayes16",),
    runs=lambda scale: _encodings.count_runs(scale, "adult_privbayes16"),
    panels=_encodings.COUNT_PANELS,
    claims=_encodings.count_claims("Adult"),
    quick_seeds=8,
    remarks=_encodings.COUNT_REMARKS,
)
