"""HPPrivBayes, Figure 4: accuracy of a machine with radial kernel that tells who has a degree."""

from __future__ import annotations

from research._experiment import Experiment, Panel, Run, Scale
from research.figures._budgets import EPSILON
from research.figures._hp import (
    ACCURACY,
    DATASET,
    EACH,
    EQUAL,
    OURS,
    PRINTED,
    QUICK_WORDS,
    REPAIRED,
    REPAIRED_USEFUL,
    RESTATED,
    UNTOUCHED,
    USEFUL,
    classification,
    lines,
    over,
)

_LINES = (PRINTED, EQUAL, RESTATED, EACH, REPAIRED, OURS, REPAIRED_USEFUL, USEFUL, UNTOUCHED)
_PRINTED = (PRINTED, RESTATED, EQUAL, EACH, UNTOUCHED)
_FORMS = (REPAIRED, OURS, REPAIRED_USEFUL, USEFUL, UNTOUCHED)


def _runs(scale: Scale) -> list[Run]:
    return over(scale, lines(*_LINES), task="radial", **classification(scale))


EXPERIMENT = Experiment(
    name="hpprivbayes-fig4",
    paper="HPPrivBayes",
    where="Figure 4",
    title="SVM with radial kernel, education as target: accuracy",
    x=EPSILON,
    log_x=False,
    datasets=(DATASET,),
    runs=_runs,
    panels=(
        Panel(
            title="(a) as printed, author's way of testing",
            measure="own accuracy",
            y=ACCURACY,
            most=1.0,
            series=_PRINTED,
        ),
        Panel(title="(b) as printed, tested on real rows", measure=ACCURACY, y=ACCURACY, most=1.0, series=_PRINTED),
        Panel(title="(c) our forms, tested on real rows", measure=ACCURACY, y=ACCURACY, most=1.0, series=_FORMS),
    ),
    quick_words=QUICK_WORDS,
    quick_lighter=True,
    quick_seeds=5,
    full_seeds=20,
)
