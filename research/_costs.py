"""What an experiment costs: CPU time, measured by line in whichever form was run, and told of both forms."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from research._experiment import Experiment, Run
from research._outcome import Outcome


@dataclass(frozen=True, kw_only=True)
class Cost:
    """Runs and CPU seconds of both forms."""

    quick_runs: int
    full_runs: int
    quick_seconds: float | None
    full_seconds: float | None
    quick_at_most: bool = False
    """Whether the quick form costs less: its runs are lighter than those of the full one, which was timed."""
    full_at_least: bool = False
    """Whether the full form costs more: its runs are heavier than those that were timed, or some lines were not."""


def cost_of(experiment: Experiment, outcome: Outcome | None = None) -> Cost:
    """The cost of an experiment: by its outcome if there is one, else by what was recorded.

    >>> from research import EXPERIMENTS
    >>> cost = cost_of(EXPERIMENTS["privbayes-fig12"])
    >>> cost.quick_runs < cost.full_runs
    True
    """
    quick, full = (experiment.runs(experiment.scale(quick=form)) for form in (True, False))
    known = _recorded().get(experiment.name, {"quick": None, "full": None})
    if outcome is not None:
        known = {"quick": _seconds(quick, outcome), "full": _seconds(full, outcome)}
        missed = {run.line for run in full} - set(outcome.seconds)
        known |= {"at_most": experiment.quick_lighter and not outcome.quick}
        known |= {"at_least": bool(missed) or (experiment.quick_lighter and outcome.quick)}
    return Cost(
        quick_runs=len(quick),
        full_runs=len(full),
        quick_seconds=known["quick"],
        full_seconds=known["full"],
        quick_at_most=known.get("at_most", False),
        full_at_least=known.get("at_least", False),
    )


def _seconds(runs: Sequence[Run], outcome: Outcome) -> float | None:
    """What these runs take if each takes what runs of its line took; those of lines that were not run count nothing."""
    if not outcome.seconds:
        return None
    each = {(run.task, repr(run.params), run.seed): outcome.seconds.get(run.line, 0.0) for run in runs}
    return sum(each.values())


def in_words(seconds: float | None) -> str:
    """A time as people say it.

    >>> in_words(30), in_words(150), in_words(9000), in_words(400_000), in_words(None)
    ('30 s', '2.5 min', '2.5 h', '4.6 days', '?')
    """
    if seconds is None:
        return "?"
    for limit, size, unit in ((60, 1, "s"), (3600, 60, "min"), (86_400, 3600, "h")):
        if seconds < limit:
            return f"{seconds / size:.0f} {unit}" if size == 1 else f"{seconds / size:.1f} {unit}"
    return f"{seconds / 86_400:.1f} days"


@cache
def _recorded() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(files(__package__).joinpath("costs.json").read_text(encoding="utf-8"))
    return found
