"""Whatever comes out of the runs, every rule of every experiment says what it means for its claim, and why."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from functools import cache
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from research import EXPERIMENTS, Experiment, Results, Run
from research._experiment import Verdict
from research.svm import PAPER_TARGETS
from research.tasks import MOST_ASKED, PARAMETERS, PRINTED_AMPLIFICATION

VERDICTS = set(get_args(Verdict))


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
Value = Callable[[Run, str], float]
EACH = pytest.mark.parametrize("experiment", [one for one in EXPERIMENTS.values() if one.claims], ids=lambda e: e.name)


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
def runs_of(name: str, seeds: int) -> list[Run]:
    experiment = EXPERIMENTS[name]
    return experiment.runs(experiment.scale(quick=True, seeds=seeds))


def results_of(experiment: Experiment, value: Value, *, seeds: int = 2, keep: Callable[[Run], bool] = bool) -> Results:
    """Results of an experiment's own runs, as far as they are kept, in which every value is made up."""
    kept = [run for run in runs_of(experiment.name, seeds) if keep(run)]
    return Results.of([(run, {measure: value(run, measure) for measure in measures_of(run)}) for run in kept])


def check(experiment: Experiment, results: Results) -> None:
    for claim in experiment.claims:
        found = claim.rule.decide(results)
        assert found.verdict in VERDICTS, claim.sentence
        assert found.why.strip(), claim.sentence
        assert "nan" not in found.why, claim.sentence


@EACH
@pytest.mark.parametrize("seeds", [1, 2])
@pytest.mark.parametrize("constant", [0.0, 1.0, 1e-300])
def test_every_rule_decides_where_all_values_are_the_same(experiment: Experiment, constant: float, seeds: int) -> None:
    check(experiment, results_of(experiment, lambda run, measure: constant, seeds=seeds))


@EACH
def test_every_rule_decides_where_nothing_was_run(experiment: Experiment) -> None:
    for claim in experiment.claims:
        assert claim.rule.decide(Results()).verdict == "not reproduced", claim.sentence
    check(experiment, Results())


@EACH
def test_every_rule_decides_where_a_line_is_missing(experiment: Experiment) -> None:
    for left_out in dict.fromkeys((run.group, run.series) for run in runs_of(experiment.name, 1)):

        def kept(run: Run, left_out: tuple[str, str] = left_out) -> bool:
            return (run.group, run.series) != left_out

        check(experiment, results_of(experiment, lambda run, measure: run.x, seeds=1, keep=kept))


@EACH
def test_every_rule_decides_where_one_line_is_zero(experiment: Experiment) -> None:
    for zero in dict.fromkeys(run.series for run in runs_of(experiment.name, 1)):

        def value(run: Run, measure: str, zero: str = zero) -> float:
            return 0.0 if run.series == zero else 1.0 + run.x

        check(experiment, results_of(experiment, value, seeds=1))


@EACH
@settings(max_examples=10)
@given(
    seed=st.integers(0, 2**32), seeds=st.sampled_from([1, 3]), zeros=st.sampled_from([0.0, 0.5]), kept=st.floats(0, 1)
)
def test_every_rule_decides_whatever_the_values_are(
    experiment: Experiment, seed: int, seeds: int, zeros: float, kept: float
) -> None:
    coins = random.Random(seed)

    def value(run: Run, measure: str) -> float:
        return 0.0 if coins.random() < zeros else coins.choice([coins.random(), 10 ** coins.uniform(-12, 12)])

    check(experiment, results_of(experiment, value, seeds=seeds))
    check(experiment, results_of(experiment, value, seeds=seeds, keep=lambda run: coins.random() < kept))


@EACH
def test_every_rule_says_in_words_what_each_verdict_takes(experiment: Experiment) -> None:
    for claim in experiment.claims:
        words = claim.rule.text.lower()
        assert "reproduced if" in words, claim.sentence
        assert "contradicted if" in words, claim.sentence
        assert "not reproduced" in words, claim.sentence
