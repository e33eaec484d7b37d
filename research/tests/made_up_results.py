"""Results that are made up: the points of an experiment's own runs, with values that a test chooses."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from random import Random

from research import EXPERIMENTS, Results, Run
from research._experiment import Scale
from research.sentences import SENTENCES, together
from research.tests.test_every_rule import measures_of

NAMED = {sentence.name: sentence for sentence in SENTENCES}
Value = Callable[[Run, str, float], float]


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
    return together(decisions, sentence.strength)
