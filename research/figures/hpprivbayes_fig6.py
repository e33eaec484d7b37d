"""HPPrivBayes, Figure 6: how the ratio of budgets of group A and group B matters."""

from __future__ import annotations

from itertools import product

from research._experiment import Experiment, Panel, Run, Scale
from research.figures._budgets import EPSILON
from research.figures._hp import (
    ACCURACY,
    AS_PRINTED,
    AS_REPAIRED,
    DATASET,
    PRINTED,
    QUICK_WORDS,
    RATIOS,
    REPAIRED,
    classification,
    over,
    word,
)

_FORMS = {AS_PRINTED: PRINTED, AS_REPAIRED: REPAIRED}
_LABELS = {f"r = {r}": r for r in RATIOS}
_NOISE = "noise"
_TESTED = {"author's way of testing": "own accuracy", "tested on real rows": ACCURACY}


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
    panels=tuple(
        Panel(title=f"({letter}) {form}, {words}", measure=measure, y=ACCURACY, group=form, most=1.0)
        for letter, (form, (words, measure)) in zip("abcd", product(_FORMS, _TESTED.items()), strict=True)
    ),
    quick_words=QUICK_WORDS,
    quick_lighter=True,
    quick_seeds=5,
    full_seeds=20,
)
