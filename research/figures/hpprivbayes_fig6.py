"""HPPrivBayes, Figure 6: how the ratio of budgets of group A and group B matters."""

from __future__ import annotations

from research._experiment import Experiment, Panel, Run, Scale
from research.figures._budgets import EPSILON
from research.figures._hp import (
    ACCURACY,
    AS_PRINTED,
    AS_REPAIRED,
    DATASET,
    PRINTED,
    RATIOS,
    REPAIRED,
    classification,
    over,
    word,
)

_FORMS = {AS_PRINTED: PRINTED, AS_REPAIRED: REPAIRED}
_LABELS = {f"r = {r}": r for r in RATIOS}
_NOISE = "noise"


def _runs(scale: Scale) -> list[Run]:
    runs = []
    for form, line in _FORMS.items():
        ratios = {label: word(line, r=r) for label, r in _LABELS.items()}
        runs += over(scale, ratios, task="radial", group=form, **classification(scale))
    noise = {label: word(PRINTED, r=r) for label, r in _LABELS.items()}
    runs += over(Scale(seeds=1, quick=scale.quick), noise, task="printed noise", group=_NOISE)
    return sorted(runs, key=lambda run: run.seed)


EXPERIMENT = Experiment(
    name="hpprivbayes-fig6",
    paper="HPPrivBayes",
    where="Figure 6",
    title="SVM with radial kernel at several r = L2/L3: accuracy",
    x=EPSILON,
    log_x=False,
    datasets=(DATASET,),
    runs=_runs,
    panels=(
        *(Panel(title=f"HPPrivBayes {form}", measure=ACCURACY, y=ACCURACY, group=form, most=1.0) for form in _FORMS),
        *(
            Panel(title=f"{form}, author's way of testing", measure="own accuracy", y=ACCURACY, group=form, most=1.0)
            for form in _FORMS
        ),
    ),
    quick_seeds=20,
    full_seeds=20,
)
