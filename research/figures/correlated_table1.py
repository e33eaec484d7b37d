"""Correlated release, Table 1: the attack Count(m) − Count(m − 1), on exact and noisy counts, and by linked rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from research._experiment import Experiment, Panel, Run, Scale

EPSILONS = (0.1, 0.2, 0.5, 1.0, 2.0)
_LINKED = 11
TRIALS = 1_000_000
SUCCESS = "success"
_EXACT, _ALONE, _LINKS, _GROUPS = (
    "exact counts",
    "noise for a row",
    f"noise for a row, {_LINKED} linked rows",
    f"noise for {_LINKED} rows, {_LINKED} linked rows",
)
LIMIT = "no attack can exceed, at this ε"
_LINES: Mapping[str, dict[str, Any]] = {
    _EXACT: {"linked": 1, "rows": 1},
    _ALONE: {"linked": 1, "rows": 1},
    _LINKS: {"linked": _LINKED, "rows": 1},
    _GROUPS: {"linked": _LINKED, "rows": _LINKED},
}


def _runs(scale: Scale) -> list[Run]:
    found = []
    for epsilon in EPSILONS:
        for series, params in _LINES.items():
            own = {**params, "epsilon": None if series == _EXACT else epsilon, "trials": TRIALS}
            found.append(Run(series=series, x=epsilon, seed=0, task="correlated attack", params=own))
        found.append(Run(series=LIMIT, x=epsilon, seed=0, task="correlated attack limit", params={"epsilon": epsilon}))
    return found


EXPERIMENT = Experiment(
    name="correlated-table1",
    paper="Correlated release",
    where="Table 1",
    title="How often the attack Count(m) − Count(m − 1) tells a person's value",
    x="ε of the two counts",
    datasets=(),
    runs=_runs,
    panels=(Panel(title="a million trials a point", measure=SUCCESS, y="share of right guesses", most=1.0),),
    quick_seeds=1,
    full_seeds=1,
)
