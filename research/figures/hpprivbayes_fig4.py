"""HPPrivBayes, Figure 4: accuracy of a machine with radial kernel that tells who has a degree."""

from __future__ import annotations

from math import sqrt

from research._experiment import Claim, Experiment, Finding, Panel, Results, Run, Scale, Verdict
from research._rules import NOTHING, Beats, Decided, Near, Trend
from research.figures._budgets import EPSILON
from research.figures._hp import (
    ACCURACY,
    AS_PRINTED,
    AS_REPAIRED,
    AS_USEFUL,
    BUDGETS,
    DATASET,
    EACH,
    EQUAL,
    OURS,
    PRINTED,
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
_PAIRS = ((PRINTED, RESTATED, AS_PRINTED), (REPAIRED, OURS, AS_REPAIRED), (REPAIRED_USEFUL, USEFUL, AS_USEFUL))


def _runs(scale: Scale) -> list[Run]:
    return over(scale, lines(*_LINES), task="radial", **classification(scale))


def _well_below(ours: str, theirs: str) -> Decided:
    def decide(results: Results) -> Finding:
        gaps = {}
        for line in (ours, theirs):
            for x in results.xs(ACCURACY, line):
                if results.values(ACCURACY, UNTOUCHED, x):
                    gaps[line, x] = results.mean(ACCURACY, UNTOUCHED, x) - results.mean(ACCURACY, line, x)
        if not gaps:
            return NOTHING
        low, high = (pick(gaps, key=lambda place: gaps[place]) for pick in (min, max))
        why = "; ".join(f"{word} {gaps[p]:.3f} ({p[0]}, ε = {p[1]:g})" for word, p in (("least", low), ("most", high)))
        far = sum(gap >= 0.02 for gap in gaps.values())
        verdict: Verdict = "not reproduced"
        if far == len(gaps):
            verdict = "reproduced"
        elif far < len(gaps) / 2:
            verdict = "contradicted"
        return Finding(verdict=verdict, why=f"2 points or more at {far} of {len(gaps)}: {why}.")

    return Decided(
        text=f"Compare the means of '{ours}' and '{theirs}' with that of the original data at every budget. "
        "Reproduced if all lie 2 percentage points or more below; contradicted if fewer than half do; otherwise not "
        "reproduced.",
        by=decide,
    )


def _weak_when_strict(line: str) -> Decided:
    def decide(results: Results) -> Finding:
        short = {
            x: results.mean(ACCURACY, UNTOUCHED, x) - results.mean(ACCURACY, line, x) for x in (BUDGETS[0], BUDGETS[-1])
        }
        strict, loose = short.values()
        reach = 2 * sqrt(sum(results.standard_error(ACCURACY, line, x) ** 2 for x in short))
        verdict: Verdict = "not reproduced"
        if strict > 0 and strict >= 2 * loose:
            verdict = "reproduced"
        elif loose - strict > reach:
            verdict = "contradicted"
        why = "Short of the original data by " + ", ".join(f"{gap:.3f} at ε = {x:g}" for x, gap in short.items()) + "."
        return Finding(verdict=verdict, why=why)

    return Decided(
        text=f"Take the accuracy of the original data less that of '{line}'. Reproduced if at ε = {BUDGETS[0]:g} it is "
        f"at least twice that at ε = {BUDGETS[-1]:g}; contradicted if smaller by more than 2 standard errors; "
        "otherwise not reproduced.",
        by=decide,
    )


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
        Panel(title="Tested on real rows", measure=ACCURACY, y=ACCURACY, most=1.0),
        Panel(title="Tested on synthetic rows (author's way)", measure="own accuracy", y=ACCURACY, most=1.0),
    ),
    quick_seeds=20,
    full_seeds=20,
    claims=(
        *(
            Claim(
                sentence="The classification accuracy of HPPrivBayes is higher than that of PrivBayes.",
                rule=Beats(ours=(ours,), others=(theirs,), measures=(ACCURACY,), higher=True),
                form=form,
            )
            for ours, theirs, form in _PAIRS
        ),
        *(
            Claim(
                sentence="HPPrivBayes gets better results than PrivBayes in all experiments with all budgets (here: "
                "classification, against PrivBayes with whatever degree).",
                rule=Beats(ours=(ours,), others=(RESTATED, OURS, USEFUL), measures=(ACCURACY,), higher=True),
                form=form,
            )
            for ours, form in ((PRINTED, AS_PRINTED), (REPAIRED, AS_REPAIRED))
        ),
        Claim(
            sentence="HPPrivBayes' allocation of the budget to groups and values improves the accuracy.",
            rule=Beats(ours=(PRINTED,), others=(EQUAL,), measures=(ACCURACY,), higher=True),
            form=AS_PRINTED,
        ),
        Claim(
            sentence="HPPrivBayes' construction of the network improves the accuracy.",
            rule=Beats(ours=(EQUAL,), others=(EACH,), measures=(ACCURACY,), higher=True),
            form=AS_PRINTED,
        ),
        *(
            Claim(
                sentence="The accuracy of both is well below that of the original data.",
                rule=_well_below(ours, theirs),
                form=form,
            )
            for ours, theirs, form in _PAIRS
        ),
        *(
            Claim(
                sentence="The accuracy of both rises with ε.",
                rule=Trend(series=(ours, theirs), measures=(ACCURACY,), rises=True),
                form=form,
            )
            for ours, theirs, form in _PAIRS
        ),
        *(
            Claim(
                sentence="At ε = 0.2 and 0.4 PrivBayes and HPPrivBayes are close to each other.",
                rule=Near(first=ours, second=theirs, measures=(ACCURACY,), factor=1.02, xs=BUDGETS[:2]),
                form=form,
            )
            for ours, theirs, form in _PAIRS
        ),
        *(
            Claim(
                sentence="HPPrivBayes keeps data usable especially with a loose budget, and does not work very well "
                "when ε is small.",
                rule=_weak_when_strict(ours),
                form=form,
            )
            for ours, _, form in _PAIRS
        ),
    ),
)
