"""PrivBayes, Figure 6: α-way marginals of BR2000 under four encodings."""

from __future__ import annotations

from research._experiment import Experiment
from research.figures import _encodings
from research.figures._budgets import EPSILON

EXPERIMENT = Experiment(
    name="privbayes-fig6",
    paper="PrivBayes",
    where="Figure 6",
    title="Comparison among encodings: α-way marginals on BR2000",
    x=EPSILON,
    datasets=("br2000_privbayes16",),
    runs=lambda scale: _encodings.count_runs(scale, "br2000_privbayes16"),
    panels=_encodings.COUNT_PANELS,
    claims=_encodings.count_claims("BR2000"),
    quick_seeds=8,
    remarks=_encodings.COUNT_REMARKS,
)
