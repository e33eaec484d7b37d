"""Correlated release, Figure 2: corrections against the threshold T, and what they cost by the paper's own ε₀."""

from __future__ import annotations

from functools import partial

from research._experiment import Claim, Experiment, Finding, Panel, Results, Run, Scale, Verdict
from research._rules import Decided, Trend
from research.figures._correlated import DATASET, FITTED, FORMS, MENDED, PRINTED, THRESHOLDS, along_thresholds

_CORRECTIONS, _SPENT = "corrections", "spent"
_FIRST, _LAST = 9_928, 62  # the paper's numbers
_NEAR, _TIMES = 0.05, 2.0


def _runs(scale: Scale) -> list[Run]:
    return along_thresholds(scale.seeds)


def _all_corrected(results: Results, line: str) -> Finding:
    found = results.mean(_CORRECTIONS, line, THRESHOLDS[0])
    verdict: Verdict = "not reproduced"
    if abs(found - _FIRST) <= _NEAR * _FIRST:
        verdict = "reproduced"
    elif found < _FIRST / 2:
        verdict = "contradicted"
    return Finding(verdict=verdict, why=f"{found:,.0f} corrections at T = {THRESHOLDS[0]:g}.")


def _few_left(results: Results, line: str) -> Finding:
    found = results.mean(_CORRECTIONS, line, THRESHOLDS[-1])
    verdict: Verdict = "not reproduced"
    if _LAST / _TIMES <= found <= _LAST * _TIMES:
        verdict = "reproduced"
    elif found == 0 or found > 10 * _LAST:
        verdict = "contradicted"
    return Finding(verdict=verdict, why=f"{found:,.1f} corrections at T = {THRESHOLDS[-1]:g}.")


def _affordable(results: Results, line: str) -> Finding:
    spent = {threshold: results.mean(_SPENT, line, threshold) for threshold in THRESHOLDS}
    over = [threshold for threshold, cost in spent.items() if cost > 1]
    verdict: Verdict = "not reproduced"
    if not over:
        verdict = "reproduced"
    elif len(over) > len(spent) / 2:
        verdict = "contradicted"
    worst = max(spent, key=lambda threshold: spent[threshold])
    return Finding(
        verdict=verdict,
        why=f"more than ε at {len(over)} of {len(spent)} thresholds; {spent[worst]:.0f} times ε at T = {worst:g}, "
        f"{spent[0.3]:.2f} at 0.3.",
    )


EXPERIMENT = Experiment(
    name="correlated-fig2",
    paper="Correlated release",
    where="Figure 2",
    title="Corrections of the histogram during 10,000 queries on Adult, ε = 1, μ = 0.7, ϑ₀ = 0.6",
    x="T",
    datasets=(DATASET,),
    runs=_runs,
    panels=(
        Panel(title="(a) corrections", measure=_CORRECTIONS, y="corrections"),
        Panel(
            title="(b) their cost by the paper's own ε₀",
            measure=_SPENT,
            y="times ε",
            log_y=True,
            level=1.0,
            level_words="ε, times",
        ),
    ),
    claims=(
        *(
            Claim(
                sentence="The number of corrections decreased with the growth in T.",
                rule=Trend(series=(line,), measures=(_CORRECTIONS,)),
                form=FORMS[line],
            )
            for line in (PRINTED, MENDED)
        ),
        *(
            Claim(
                sentence="When T was small, the number of all update rounds was 9,928.",
                rule=Decided(
                    text=f"Count corrections at the smallest threshold, T = {THRESHOLDS[0]:g}. Reproduced if they are "
                    f"within {100 * _NEAR:g} % of {_FIRST:,}; contradicted if fewer than half of that; otherwise not "
                    "reproduced.",
                    by=partial(_all_corrected, line=line),
                ),
                form=FORMS[line],
            )
            for line in (PRINTED, MENDED, FITTED)
        ),
        *(
            Claim(
                sentence="When T increased to 1, the number dropped to 62.",
                rule=Decided(
                    text=f"Count corrections at T = 1. Reproduced if they are within a factor of {_TIMES:g} of "
                    f"{_LAST}; contradicted if there are none, or more than ten times as many; otherwise not "
                    "reproduced.",
                    by=partial(_few_left, line=line),
                ),
                form=FORMS[line],
            )
            for line in (PRINTED, MENDED, FITTED)
        ),
        *(
            Claim(
                sentence="The privacy budget is only consumed in the iterative round of corrections, in which the "
                "privacy analysis is severely constrained.",
                rule=Decided(
                    text="Multiply the number of corrections by the paper's own budget of one, ε₀ = ε·μ·ϑ₀/log N. "
                    "Reproduced if that is no more than ε at every threshold; contradicted if it is more at over half "
                    "of them; otherwise not reproduced.",
                    by=partial(_affordable, line=line),
                ),
                form=FORMS[line],
            )
            for line in (PRINTED, MENDED)
        ),
    ),
    quick_seeds=5,
    full_seeds=50,
)
