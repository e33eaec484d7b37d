"""HPPrivBayes, Figure 6: how the ratio of budgets of group A and group B matters."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

from research._experiment import Claim, Experiment, Finding, Panel, Results, Run, Scale, Verdict
from research._rules import NOTHING, Beats, Decided
from research.figures._budgets import EPSILON
from research.figures._hp import (
    ACCURACY,
    AS_PRINTED,
    AS_REPAIRED,
    BUDGETS,
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
_LEAST, _MOST = f"r = {RATIOS[0]}", f"r = {RATIOS[-1]}"
_NOISE = "noise"


def _runs(scale: Scale) -> list[Run]:
    runs = []
    for form, line in _FORMS.items():
        ratios = {label: word(line, r=r) for label, r in _LABELS.items()}
        runs += over(scale, ratios, task="radial", group=form, **classification(scale))
    noise = {label: word(PRINTED, r=r) for label, r in _LABELS.items()}
    runs += over(Scale(seeds=1, quick=scale.quick), noise, task="printed noise", group=_NOISE)
    return sorted(runs, key=lambda run: run.seed)


def _range(results: Results, form: str, label: str) -> tuple[float, float]:
    """How much a line's mean changes along the axis, from its least to its largest, and the standard error of that."""
    xs = results.xs(ACCURACY, label, form)
    means = {x: results.mean(ACCURACY, label, x, form) for x in xs}
    ends = (min(means, key=lambda x: means[x]), max(means, key=lambda x: means[x]))
    errors = [results.standard_error(ACCURACY, label, x, form) for x in ends]
    return means[ends[1]] - means[ends[0]], sqrt(sum(error**2 for error in errors))


def _fluctuates(form: str) -> Callable[[Results], Finding]:
    def decide(results: Results) -> Finding:
        found = {label: _range(results, form, label) for label in _LABELS if results.xs(ACCURACY, label, form)}
        if len(found) < len(_LABELS):
            return NOTHING
        why = "; ".join(f"{label}: {width:.3f} ± {error:.3f}" for label, (width, error) in found.items()) + "."
        gap = found[_LEAST][0] - found[_MOST][0]
        error = sqrt(found[_LEAST][1] ** 2 + found[_MOST][1] ** 2)
        widths = [width for width, _ in found.values()]
        right = sum(a > b for i, a in enumerate(widths) for b in widths[i + 1 :])
        verdict: Verdict = "not reproduced"
        if gap > 2 * error and right >= 8:
            verdict = "reproduced"
        elif gap < -2 * error:
            verdict = "contradicted"
        return Finding(verdict=verdict, why=why)

    return decide


def _matters(form: str) -> Callable[[Results], Finding]:
    def decide(results: Results) -> Finding:
        apart, alike, said = 0, 0, []
        for x in BUDGETS:
            means = {
                label: results.mean(ACCURACY, label, x, form)
                for label in _LABELS
                if results.values(ACCURACY, label, x, form)
            }
            if len(means) < 2:
                return NOTHING
            ends = [pick(means, key=lambda label: means[label]) for pick in (min, max)]
            error = sqrt(sum(results.standard_error(ACCURACY, label, x, form) ** 2 for label in ends))
            gap = means[ends[1]] - means[ends[0]]
            apart += gap >= 0.01 and gap > 3 * error
            alike += gap < 0.01
            said.append(f"ε = {x:g}: {gap:.3f} ({ends[1]} over {ends[0]})")
        verdict: Verdict = "not reproduced"
        if apart > len(BUDGETS) / 2:
            verdict = "reproduced"
        elif alike > len(BUDGETS) / 2:
            verdict = "contradicted"
        return Finding(verdict=verdict, why=f"clearly apart at {apart} of {len(BUDGETS)}: " + "; ".join(said) + ".")

    return decide


def _almost_no_noise(results: Results) -> Finding:
    if not results.values("B", _LEAST, BUDGETS[-1], _NOISE):
        return NOTHING
    a, b, least = (results.mean(name, _LEAST, BUDGETS[-1], _NOISE) for name in ("A", "B", "B least"))
    why = f"at ε = 1, in records a cell: A {a:.0f}, B {b:.0f} on average and {least:.0f} at least."
    verdict: Verdict = "contradicted" if b >= a else "reproduced" if b <= a / 10 else "not reproduced"
    return Finding(verdict=verdict, why=why)


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
    claims=(
        *(
            Claim(
                sentence="The smaller r, the more the accuracy changes with the total budget.",
                rule=Decided(
                    text="Take each line's range: its largest mean over the budgets less its smallest. Reproduced "
                    f"if the range of '{_LEAST}' exceeds that of '{_MOST}' by more than 2 standard errors and at "
                    "least 8 of the 10 pairs of lines are in that order; contradicted if it falls below it by more "
                    "than that; otherwise not reproduced.",
                    by=_fluctuates(form),
                ),
                form=form,
            )
            for form in _FORMS
        ),
        *(
            Claim(
                sentence="The value of r has a significant effect.",
                rule=Decided(
                    text="At every budget, compare the r with the highest mean accuracy with the r with the lowest. "
                    "Reproduced if at over half of the budgets they are 1 percentage point and 3 standard errors "
                    "apart or more; contradicted if at over half of them they are less than 1 point apart; "
                    "otherwise not reproduced.",
                    by=_matters(form),
                ),
                form=form,
            )
            for form in _FORMS
        ),
        *(
            Claim(
                sentence="A small r overprotects group A and makes the table as a whole less usable.",
                rule=Beats(ours=(_MOST,), others=(_LEAST,), measures=(ACCURACY,), groups=(form,), higher=True),
                form=form,
            )
            for form in _FORMS
        ),
        Claim(
            sentence="With a small r, much noise goes into group A and almost none into group B.",
            rule=Decided(
                text="Compare the mean size of the noise of a cell in the two groups at r = 1/6, as Algorithms 5 "
                "and 6 scale it. Reproduced if that of B is a tenth of that of A or less; contradicted if it is as "
                "large or larger; otherwise not reproduced.",
                by=_almost_no_noise,
            ),
            form=AS_PRINTED,
        ),
    ),
)
