"""Correlated release, Table 1: the attack Count(m) − Count(m − 1), on exact and noisy counts, and by linked rows."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import Any

from research._experiment import Claim, Experiment, Finding, Panel, Results, Run, Scale, Verdict
from research._rules import Decided

_EPSILONS = (0.1, 0.2, 0.5, 1.0, 2.0)
_LINKED = 11
_TRIALS = 1_000_000
_SUCCESS = "success"
_EXACT, _ALONE, _LINKS, _GROUPS = (
    "exact counts",
    "noise for a row",
    f"noise for a row, {_LINKED} linked rows",
    f"noise for {_LINKED} rows, {_LINKED} linked rows",
)
_LIMIT = "no attack can exceed, at this ε"
_LINES: Mapping[str, dict[str, Any]] = {
    _EXACT: {"linked": 1, "rows": 1},
    _ALONE: {"linked": 1, "rows": 1},
    _LINKS: {"linked": _LINKED, "rows": 1},
    _GROUPS: {"linked": _LINKED, "rows": _LINKED},
}


def _runs(scale: Scale) -> list[Run]:
    found = []
    for epsilon in _EPSILONS:
        for series, params in _LINES.items():
            own = {**params, "epsilon": None if series == _EXACT else epsilon, "trials": _TRIALS}
            found.append(Run(series=series, x=epsilon, seed=0, task="correlated attack", params=own))
        found.append(Run(series=_LIMIT, x=epsilon, seed=0, task="correlated attack limit", params={"epsilon": epsilon}))
    return found


def _within(results: Results, line: str) -> Finding:
    """Whether an attacker is no better than the definition allows, at every ε."""
    found = {epsilon: results.mean(_SUCCESS, line, epsilon) for epsilon in _EPSILONS}
    limits = {epsilon: results.mean(_SUCCESS, _LIMIT, epsilon) for epsilon in _EPSILONS}
    over = [e for e in _EPSILONS if found[e] > limits[e] + 3 * sqrt(0.25 / _TRIALS)]
    verdict: Verdict = "contradicted" if over else "reproduced"
    return Finding(
        verdict=verdict,
        why=f"{found[1.0]:.3f} at ε = 1, where {limits[1.0]:.3f} is the limit; over it at {len(over)} of "
        f"{len(_EPSILONS)} budgets.",
    )


def _certain(results: Results) -> Finding:
    found = [results.mean(_SUCCESS, _EXACT, epsilon) for epsilon in _EPSILONS]
    verdict: Verdict = "reproduced" if min(found) == 1 else "contradicted"
    return Finding(verdict=verdict, why=f"right in {100 * min(found):g} % of the trials.")


def _worse_by_links(results: Results) -> Finding:
    alone = {epsilon: results.mean(_SUCCESS, _ALONE, epsilon) for epsilon in _EPSILONS}
    linked = {epsilon: results.mean(_SUCCESS, _LINKS, epsilon) for epsilon in _EPSILONS}
    more = [e for e in _EPSILONS if linked[e] > alone[e] + 3 * sqrt(0.5 / _TRIALS)]
    verdict: Verdict = "not reproduced"
    if len(more) == len(_EPSILONS):
        verdict = "reproduced"
    elif not more:
        verdict = "contradicted"
    return Finding(
        verdict=verdict,
        why=f"more often right at {len(more)} of {len(_EPSILONS)} budgets; {linked[1.0]:.3f} after {alone[1.0]:.3f} at "
        "ε = 1.",
    )


_PROTECTED = (
    "Let the attacker guess by the difference of two noisy counts, ε of them together, and compare how often that is "
    "right with e^ε/(1 + e^ε), which no attack on ε-differential privacy exceeds if both values are as likely. "
    "Contradicted if it is over that by three standard errors at some ε; reproduced if at none; "
    "not reproduced if it was not run."
)
_ZHAO = "Then the private information of Zhao in dataset D₁ is protected"
EXPERIMENT = Experiment(
    name="correlated-table1",
    paper="Correlated release",
    where="Table 1",
    title="How often the attack Count(m) − Count(m − 1) tells a person's value",
    x="ε of the two counts",
    datasets=(),
    runs=_runs,
    panels=(Panel(title="a million trials a point", measure=_SUCCESS, y="share of right guesses", most=1.0),),
    claims=(
        Claim(
            sentence="A hacker who knows the sorting position m of the user Zhao can acquire the private information "
            "by the attack method Count(m) − Count(m − 1).",
            rule=Decided(
                text="Let the attacker guess by exact counts. Reproduced if all guesses are right; contradicted if one "
                "is wrong; not reproduced if it was not run.",
                by=_certain,
            ),
        ),
        Claim(
            sentence=f"{_ZHAO} (f(n) = Count(n) + Noise, rows independent).",
            rule=Decided(text=_PROTECTED, by=lambda results: _within(results, _ALONE)),
        ),
        Claim(
            sentence="The correlation between individual records will reduce the individual privacy.",
            rule=Decided(
                text=f"Let {_LINKED} rows beside each other share the person's value, and the attacker count over all "
                "of them. Reproduced if guesses are right more often at every ε than for a single row, by three "
                "standard errors; contradicted if at none; otherwise not reproduced.",
                by=_worse_by_links,
            ),
        ),
        Claim(
            sentence=f"{_ZHAO}, if his records are linked.",
            rule=Decided(text=_PROTECTED, by=lambda results: _within(results, _LINKS)),
            form="noise for a row",
        ),
        Claim(
            sentence=f"{_ZHAO}, if his records are linked.",
            rule=Decided(text=_PROTECTED, by=lambda results: _within(results, _GROUPS)),
            form="repaired: noise for the declared bound",
        ),
    ),
    quick_seeds=1,
    full_seeds=1,
)
