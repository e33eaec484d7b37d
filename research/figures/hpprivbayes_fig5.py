"""HPPrivBayes, Figure 5: how far α-way marginals are off."""

from __future__ import annotations

from research._experiment import Claim, Experiment, Panel, Run, Scale
from research._rules import Beats, Trend
from research.figures._budgets import DISTANCE, EPSILON
from research.figures._hp import (
    AS_PRINTED,
    AS_REPAIRED,
    AS_USEFUL,
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
_PAIRS = ((PRINTED, RESTATED, AS_PRINTED), (REPAIRED, OURS, AS_REPAIRED), (REPAIRED_USEFUL, USEFUL, AS_USEFUL))
_MEASURES = ("Q2", "Q3")
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
        Panel(title="(a) 2-way", measure="Q2", y=DISTANCE),
        Panel(title="(b) 3-way", measure="Q3", y=DISTANCE),
        Panel(title="2-way, author's measure", measure="M2", y=_LARGEST),
        Panel(title="3-way, author's measure", measure="M3", y=_LARGEST),
    ),
    quick_seeds=20,
    full_seeds=20,
    claims=(
        *(
            Claim(
                sentence="The average variation distance of HPPrivBayes' marginals is lower than that of PrivBayes'.",
                rule=Beats(ours=(ours,), others=(theirs,), measures=_MEASURES),
                form=form,
            )
            for ours, theirs, form in _PAIRS
        ),
        *(
            Claim(
                sentence="HPPrivBayes gets better results than PrivBayes in all experiments with all budgets (here: "
                "marginals, against PrivBayes with whatever degree).",
                rule=Beats(ours=(ours,), others=(RESTATED, OURS, USEFUL), measures=_MEASURES),
                form=form,
            )
            for ours, form in ((PRINTED, AS_PRINTED), (REPAIRED, AS_REPAIRED))
        ),
        Claim(
            sentence="HPPrivBayes' allocation of the budget to groups and values improves the marginals.",
            rule=Beats(ours=(PRINTED,), others=(EQUAL,), measures=_MEASURES),
            form=AS_PRINTED,
        ),
        Claim(
            sentence="HPPrivBayes' construction of the network improves the marginals.",
            rule=Beats(ours=(EQUAL,), others=(EACH,), measures=_MEASURES),
            form=AS_PRINTED,
        ),
        *(
            Claim(
                sentence="The distance of both falls as ε grows.",
                rule=Trend(series=(ours, theirs), measures=_MEASURES),
                form=form,
            )
            for ours, theirs, form in _PAIRS
        ),
    ),
)
