"""HPPrivBayes, Figure 5: how far α-way marginals are off."""

from __future__ import annotations

from research._experiment import Experiment, Panel, Run, Scale
from research.figures._budgets import DISTANCE, EPSILON
from research.figures._hp import (
    DATASET,
    EACH,
    EQUAL,
    OURS,
    PRINTED,
    REPAIRED,
    REPAIRED_USEFUL,
    RESTATED,
    USEFUL,
    lines,
    over,
)

_LINES = (PRINTED, EQUAL, RESTATED, EACH, REPAIRED, OURS, REPAIRED_USEFUL, USEFUL)
_PRINTED = (PRINTED, RESTATED, EQUAL, EACH)
_FORMS = (REPAIRED, OURS, REPAIRED_USEFUL, USEFUL)
_LARGEST = "mean of the largest difference"


def _runs(scale: Scale) -> list[Run]:
    return over(scale, lines(*_LINES), task="cells", ways=[2, 3])


EXPERIMENT = Experiment(
    name="hpprivbayes-fig5",
    paper="HPPrivBayes",
    where="Figure 5",
    title="α-way marginals: average variation distance",
    x=EPSILON,
    log_x=False,
    datasets=(DATASET,),
    runs=_runs,
    panels=(
        Panel(title="(a) 2-way", measure="Q2", y=DISTANCE, series=_PRINTED),
        Panel(title="(b) 3-way", measure="Q3", y=DISTANCE, series=_PRINTED),
        Panel(title="(c) 2-way, author's measure", measure="M2", y=_LARGEST, series=_PRINTED),
        Panel(title="(d) 3-way, author's measure", measure="M3", y=_LARGEST, series=_PRINTED),
        Panel(title="(e) 2-way, our forms", measure="Q2", y=DISTANCE, series=_FORMS),
        Panel(title="(f) 3-way, our forms", measure="Q3", y=DISTANCE, series=_FORMS),
    ),
    columns=2,
    quick_seeds=5,
    full_seeds=20,
)
