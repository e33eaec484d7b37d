"""PrivABN, Figure 1: errors with noise and without, by the number of columns in a query."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise

from research._experiment import Claim, Experiment, Finding, Panel, Results, Run, Scale, Verdict
from research._rules import Beats, Decided, times
from research.figures._budgets import EPSILON
from research.figures._privabn import (
    CLEAR,
    FLOOR,
    FORMS,
    OURS,
    TABLES,
    Approach,
    Form,
    with_and_without,
)

_EPSILONS = (0.001, 0.005, 0.01, 0.05, 0.1, 1.0)
_WAYS = (3, 7, 12)
_KINDS = ("L1", "L2")
_MEASURES = tuple(f"{kind} {way}-way" for kind in _KINDS for way in _WAYS)
_FEW = 2.0  # the factor within which errors "do not differ greatly"


def _runs(scale: Scale) -> list[Run]:
    return with_and_without(scale, _EPSILONS, _WAYS)


def _errs(results: Results, form: Form) -> Finding:
    """Whether the form without noise errs in every panel."""
    panels = [(group, measure) for group in TABLES for measure in _MEASURES]
    means = [results.mean(m, FLOOR[form], _EPSILONS[-1], g) for g, m in panels]
    errors = [results.standard_error(m, FLOOR[form], _EPSILONS[-1], g) for g, m in panels]
    above = sum(mean > CLEAR * error for mean, error in zip(means, errors, strict=True))
    verdict: Verdict = "reproduced" if above == len(panels) else "not reproduced" if above else "contradicted"
    why = f"above 0 in {above} of {len(panels)} panels; the errors run from {min(means):.4f} to {max(means):.4f}."
    return Finding(verdict=verdict, why=why)


def _curves(results: Results, form: Form, kind: str) -> Iterator[tuple[str, list[list[float]]]]:
    """Table by table, the curve of each α over ε."""
    for group in TABLES:
        yield (
            group,
            [[results.mean(f"{kind} {way}-way", OURS[form], x, group) for x in _EPSILONS] for way in _WAYS],
        )


def _same_turns(results: Results, form: Form) -> Finding:
    """Whether all α fall, and fall most at the same step."""
    same, other = 0, []
    for kind in _KINDS:
        for group, curves in _curves(results, form, kind):
            steps = [[a - b for a, b in pairwise(curve)] for curve in curves]
            turns = [_EPSILONS[step.index(max(step)) + 1] for step in steps]
            if len(set(turns)) == 1 and all(curve[-1] < curve[0] for curve in curves):
                same += 1
            else:
                other.append(f"{group}, {kind}: " + ", ".join(f"{x:g}" for x in turns))
    total = same + len(other)
    verdict: Verdict = "reproduced" if not other else "contradicted" if len(other) > total / 2 else "not reproduced"
    listed = f"; not so: {'; '.join(other)}" if other else ""
    return Finding(verdict=verdict, why=f"the steepest step ends at the same ε in {same} of {total} cases{listed}.")


def _alike(results: Results, form: Form, kind: str) -> Finding:
    """Whether errors of different α are within a factor of each other at every ε."""
    ratios = []
    for group, curves in _curves(results, form, kind):
        for i, x in enumerate(_EPSILONS):
            values = [curve[i] for curve in curves]
            ratios.append((times(max(values), min(values)), f"{group} at ε = {x:g}"))
    far = [ratio for ratio, _ in ratios if ratio > _FEW]
    worst, where = max(ratios)
    verdict: Verdict = "not reproduced"
    if len(far) <= len(ratios) / 10:
        verdict = "reproduced"
    elif len(far) > len(ratios) / 2:
        verdict = "contradicted"
    near = f"within a factor of {_FEW:g} at {len(ratios) - len(far)} of {len(ratios)} points"
    return Finding(verdict=verdict, why=f"{near}; the largest is {worst:.1f}, {where}.")


def _claims(form: Form) -> list[Claim]:
    alike = [
        Claim(
            sentence=f"The {kind} error hardly depends on α: PrivABN is robust.",
            rule=Decided(
                text=f"Compare the largest mean {kind} error of '{OURS[form]}' over α with the smallest, at every ε "
                f"on both tables. Reproduced if at 90 % of the points they are within a factor of {_FEW:g}; "
                "contradicted if at over half they are not; otherwise not reproduced.",
                by=partial(_alike, form=form, kind=kind),
            ),
            form=form,
        )
        for kind in _KINDS
    ]
    return [
        Claim(
            sentence="PrivABN needs only a very small budget: at ε = 0.05 it is very close to NoPrivABN.",
            rule=Approach(form=form, measures=_MEASURES, at=0.05, left=0.1),
            form=form,
        ),
        Claim(
            sentence="As ε grows, PrivABN's error gradually approaches NoPrivABN's.",
            rule=Approach(form=form, measures=_MEASURES, at=1.0, left=0.1, steadily=True),
            form=form,
        ),
        Claim(
            sentence="NoPrivABN itself has an error, from the network and from drawing rows.",
            rule=Decided(
                text=f"Reproduced if the mean of '{FLOOR[form]}' is above 0 by more than {CLEAR:g} standard errors in "
                "every panel; contradicted if in none; otherwise not reproduced.",
                by=partial(_errs, form=form),
            ),
            form=form,
        ),
        Claim(
            sentence="NoPrivABN's error is a lower bound of PrivABN's.",
            rule=Beats(ours=(FLOOR[form],), others=(OURS[form],), measures=_MEASURES, groups=tuple(TABLES)),
            form=form,
        ),
        Claim(
            sentence="The trend and the turning points are the same for every α.",
            rule=Decided(
                text=f"For each table and error, find the step of ε at which the mean of '{OURS[form]}' falls most. "
                "Reproduced if it is the same for the three α, and all three fall from end to end, in every case; "
                "contradicted if in over half of them it is not; otherwise not reproduced.",
                by=partial(_same_turns, form=form),
            ),
            form=form,
        ),
        *alike,
    ]


EXPERIMENT = Experiment(
    name="privabn-fig1",
    paper="PrivABN",
    where="Figure 1",
    title="PrivABN with noise and without: errors of α-way queries on NLTCS and ACS",
    x=EPSILON,
    datasets=tuple(TABLES.values()),
    runs=_runs,
    panels=tuple(
        Panel(
            title=f"{group}, {kind}, α = {way}", measure=f"{kind} {way}-way", y=f"{kind} error", group=group, log_y=True
        )
        for way in _WAYS
        for group in TABLES
        for kind in _KINDS
    ),
    claims=tuple(claim for form in FORMS for claim in _claims(form)),
    quick_seeds=5,
)
