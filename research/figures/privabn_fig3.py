"""PrivABN, Figure 3: Retail, against PriView, PrivBayes and JTree."""

from __future__ import annotations

from functools import partial

from research._experiment import Claim, Experiment, Finding, Panel, Results, Run, Scale, Verdict
from research._rules import Beats, Decided, Near, times
from research.figures._privabn import CLEAR, FORMS, L2, OURS, PRINTED, Form

_WAYS = (4, 6, 8)
_GROUPS = {"ε = 0.1": 0.1, "ε = 1": 1.0}
_JTREE = {"as printed": "JTree as printed", "repaired": "JTree repaired"}
PRIVBAYES = "PrivBayes, as printed"
_INDEPENDENT = frozenset({PRIVBAYES})  # the other printed forms draw each row by itself without being told
_METHODS = {
    OURS["as printed"]: PRINTED["retail50"],
    OURS["repaired"]: "privabn",
    "PriView": "priview",
    PRIVBAYES: "privbayes:postprocessing=printed",
    "PrivBayes": "privbayes",
    _JTREE["as printed"]: "jtree-as-printed",
    _JTREE["repaired"]: "jtree",
}
_MUCH = 1.5


def _others(form: Form) -> tuple[str, ...]:
    return ("PriView", "PrivBayes", _JTREE[form])


def _runs(scale: Scale) -> list[Run]:
    return [
        Run(
            series=label,
            x=_WAYS[0],
            seed=seed,
            task="queries",
            params={
                "dataset": "retail50",
                "method": word,
                "epsilon": epsilon,
                "ways": list(_WAYS),
                **({"independent": True} if label in _INDEPENDENT else {}),
            },
            group=group,
            places={f"L2 {way}-way": (L2, float(way)) for way in _WAYS},
        )
        for seed in range(scale.seeds)
        for group, epsilon in _GROUPS.items()
        for label, word in _METHODS.items()
    ]


def _much_better(results: Results, form: Form) -> Finding:
    """Whether PrivBayes errs much more at the larger budget."""
    group = list(_GROUPS)[-1]
    ratios = [times(results.mean(L2, "PrivBayes", w, group), results.mean(L2, OURS[form], w, group)) for w in _WAYS]
    verdict: Verdict = "not reproduced"
    if min(ratios) >= _MUCH:
        verdict = "reproduced"
    elif max(ratios) < 1:
        verdict = "contradicted"
    listed = ", ".join(f"{ratio:.2f} (α = {way})" for ratio, way in zip(ratios, _WAYS, strict=True))
    return Finding(verdict=verdict, why=f"PrivBayes has so many times PrivABN's error at ε = 1: {listed}.")


def _range(results: Results, series: str, group: str) -> tuple[float, float]:
    """Largest mean over α less the smallest, and the standard error of that."""
    means = [results.mean(L2, series, way, group) for way in _WAYS]
    errors = [results.standard_error(L2, series, way, group) for way in _WAYS]
    low, high = means.index(min(means)), means.index(max(means))
    return means[high] - means[low], (errors[low] ** 2 + errors[high] ** 2) ** 0.5


def _steadier(results: Results, form: Form) -> Finding:
    """Whether the error varies less with α than the others' do."""
    won, lost, total, words = 0, 0, 0, []
    for group in _GROUPS:
        mine, error = _range(results, OURS[form], group)
        told = []
        for other in _others(form):
            theirs, their_error = _range(results, other, group)
            total += 1
            reach = CLEAR * (error**2 + their_error**2) ** 0.5
            won += theirs - mine > reach
            lost += mine - theirs > reach
            told.append(f"{other} {theirs:.4f}")
        words.append(f"{group}: {mine:.4f}, {', '.join(told)}")
    verdict: Verdict = "not reproduced"
    if won == total:
        verdict = "reproduced"
    elif lost > total / 2:
        verdict = "contradicted"
    return Finding(verdict=verdict, why=f"clearly smaller in {won} of {total} cases; {'; '.join(words)}.")


def _claims(form: Form) -> list[Claim]:
    small, large = _GROUPS
    return [
        Claim(
            sentence="On Retail at ε = 0.1, PrivABN is significantly better than PriView, PrivBayes and JTree.",
            rule=Beats(ours=(OURS[form],), others=_others(form), measures=(L2,), groups=(small,), won=1, clearly=True),
            form=form,
        ),
        Claim(
            sentence="At ε = 1 it is still better than the three.",
            rule=Beats(ours=(OURS[form],), others=_others(form), measures=(L2,), groups=(large,), won=1),
            form=form,
        ),
        Claim(
            sentence="At ε = 1 it hardly differs from JTree.",
            rule=Near(first=OURS[form], second=_JTREE[form], measures=(L2,), groups=(large,), factor=1.25),
            form=form,
        ),
        Claim(
            sentence="Its model is more accurate than that of JTree, as the errors at ε = 1 show.",
            rule=Beats(ours=(OURS[form],), others=(_JTREE[form],), measures=(L2,), groups=(large,), won=1),
            form=form,
        ),
        Claim(
            sentence="Its model is much more accurate than that of PrivBayes, as the errors at ε = 1 show.",
            rule=Decided(
                text=f"Reproduced if at ε = 1 the mean error of PrivBayes is at least {_MUCH:g} times that of "
                f"'{OURS[form]}' at every α; contradicted if at every α it is smaller; otherwise not reproduced.",
                by=partial(_much_better, form=form),
            ),
            form=form,
        ),
        Claim(
            sentence="With growing α its L2 error varies significantly less than the errors of the three others.",
            rule=Decided(
                text="Take the largest mean over α less the smallest, at each ε. Reproduced if that of "
                f"'{OURS[form]}' is below that of each of the others by more than {CLEAR:g} standard errors at both ε; "
                "contradicted if it is above by more than that in over half of the comparisons; otherwise not "
                "reproduced.",
                by=partial(_steadier, form=form),
            ),
            form=form,
        ),
    ]


EXPERIMENT = Experiment(
    name="privabn-fig3",
    paper="PrivABN",
    where="Figure 3",
    title="PrivABN on Retail: L2 error of α-way queries against PriView, PrivBayes and JTree",
    x="α",
    datasets=("retail50",),
    runs=_runs,
    panels=tuple(
        Panel(title=f"({letter}) {group}", measure=L2, y=L2, group=group, log_y=True)
        for letter, group in zip("ab", _GROUPS, strict=True)
    ),
    claims=tuple(claim for form in FORMS for claim in _claims(form)),
    quick_seeds=5,
    log_x=False,
)
