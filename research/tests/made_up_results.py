"""Results that are made up: the points of an experiment's own runs, with values that a test chooses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from random import Random

from research import EXPERIMENTS, Results, Run
from research._experiment import Scale
from research.sentences import SENTENCES, together
from research.svm import PAPER_TARGETS
from research.tasks import MOST_ASKED, PARAMETERS, PRINTED_AMPLIFICATION

NAMED = {sentence.name: sentence for sentence in SENTENCES}
Value = Callable[[Run, str, float], float]


def numbered(*words: str) -> tuple[str, ...]:
    """What is said of every parameter of PRAM-BN's Table II."""
    return tuple(f"{word} {number}" for word in words for number in range(1, PARAMETERS + 1))


MEASURES: Mapping[str, tuple[str, ...]] = {
    "network": ("information", "degree", "cpu_seconds"),
    "sizes": ("rows", "columns", "domain", "bits"),
    "pairs": ("pairs", "days"),
    "pairs of a run": ("pairs of a run",),
    "missed parents": ("missed", "sets"),
    "audit": ("proved", "claimed", "hits", "other hits"),
    "loss on a star": ("loss",),
    "loss of a threshold": ("loss",),
    "loss of real records": ("median loss", "worst loss", "beyond"),
    "radial": ("accuracy", "own accuracy"),
    "printed noise": ("A", "B", "B least"),
    "pram parameters": (*numbered("mean", "gap", "sd", "off"), "covered"),
    "pram beside": numbered("mean", "gap", "sd", "se"),
    "pram amplification": (
        *(f"{word} {name}" for word in ("gamma", "printed", "K*") for name in PRINTED_AMPLIFICATION),
        "epsilon",
        "clear",
    ),
    "pram estimates": tuple(f"{word}{b}{c}" for word in ("", "likely ", "off ", "sd ") for b in "01" for c in "01"),
    "pram largest p": ("p*",),
    "pram order of factors": ("bias",),
    "pram marginal matrix": ("bias",),
    "pram structure": ("links in error", "extra", "missing", "KL", "links"),
    "correlated sensitivities": (
        *(f"CS {n}" for n in range(1, MOST_ASKED + 1)),
        "smaller",
        "smaller where somebody matches",
        "nobody matches",
        "independent is global",
        "apart is global",
        "group over printed",
    ),
    "correlated attack": ("success",),
    "correlated attack limit": ("success",),
    "correlated free rounds": ("loss",),
    "correlated wrong quantity": ("loss", "correlation"),
    "correlated tuned queries": ("proved", "claimed"),
    "correlated answers about nobody": ("proved", "claimed"),
}


def measures_of(run: Run) -> tuple[str, ...]:
    """What a run's task says, by its parameters."""
    if run.task in ("marginals", "cells"):
        kinds = "Q" if run.task == "marginals" else "QM"
        return tuple(f"{kind}{way}" for way in run.params["ways"] for kind in kinds)
    if run.task.startswith("queries"):
        return tuple(f"{kind} {way}-way" for way in run.params["ways"] for kind in ("L1", "L2"))
    if run.task == "correlated answers":
        rounds = ("corrections", "spent", "mass", "distance", "first distance") if "threshold" in run.params else ()
        return ("deviation", "accuracy", *rounds)
    if run.task == "svm":
        return tuple(run.params.get("targets") or PAPER_TARGETS[run.params["dataset"].removesuffix("_privbayes16")])
    return MEASURES[run.task]


@cache
def _points(name: str, seeds: int) -> list[tuple[Run, str, float, float]]:
    """Every value of an experiment's quick runs: its run, measure and place, and a number around 0 that differs.

    Seeds come in pairs with opposite numbers, so that they change no mean.
    """
    coins, numbers, found = Random(name), {}, []
    for run in EXPERIMENTS[name].runs(Scale(seeds=seeds, quick=True)):
        for measure in measures_of(run):
            place = run.place(measure)
            size = numbers.setdefault((run.group, run.series, place, run.seed // 2), coins.uniform(0.5, 1))
            found.append((run, *place, size * (-1) ** run.seed))
    return found


def made_up(name: str, value: Value, *, spread: float = 1e-3, seeds: int = 6) -> Results:
    """Results of an experiment's quick runs: each value as said, and a share of it more or less.

    >>> made_up("privabn-table3", lambda run, measure, x: 2.0, spread=0).mean("rows", "NLTCS", 1.0)
    2.0
    """
    return Results.gather(
        ((run.group, run.series, measure, x), run.seed, value(run, measure, x) * (1 + spread * number))
        for run, measure, x, number in _points(name, seeds)
    )


def verdict_of(name: str, value: Value, *, spread: float = 1e-3, seeds: int = 6) -> str:
    """The verdict of a sentence where every value of its experiments is as said."""
    sentence = NAMED[name]
    found = {test.experiment: made_up(test.experiment, value, spread=spread, seeds=seeds) for test in sentence.tests}
    decisions = [test.rule.decide(found[test.experiment], sentence.strength) for test in sentence.tests]
    return together(decisions, sentence.of_tables)
