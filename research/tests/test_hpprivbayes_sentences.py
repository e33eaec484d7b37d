"""The HPPrivBayes paper's sentences: the rules of its own can come out each way."""

from __future__ import annotations

import numpy as np
import pytest

from research import EXPERIMENTS, Results
from research.sentences import SENTENCES

MEASURES = {
    "network": ("information",),
    "radial": ("accuracy", "own accuracy"),
    "cells": ("Q2", "Q3"),
    "printed noise": ("A", "B", "B least"),
}
SEEDS = 20
PATTERN = np.linspace(-1, 1, SEEDS)


def made_up(experiment, value, spread=lambda series, x: 0.001):
    """Values of every run at so many seeds: a mean, and a pattern over seeds that is the same for all lines."""
    points = {}
    for run in EXPERIMENTS[experiment].runs(EXPERIMENTS[experiment].scale(quick=True, seeds=1)):
        for measure in MEASURES[run.task]:
            mean = value(run.group, run.series, run.x)
            points[run.group, run.series, measure, run.x] = list(mean + spread(run.series, run.x) * PATTERN)
    return Results(points)


def verdict(name, results):
    [sentence] = [one for one in SENTENCES if one.name == name]
    test = sentence.tests[0]
    return test.rule.decide(results, sentence.strength).verdict


@pytest.mark.parametrize(("theirs", "ours", "said"), [(0.2, 0.01, "holds"), (0.01, 0.2, "fails")])
def test_whether_networks_are_unstable_is_told_by_their_spread(theirs, ours, said):
    def spread(series, x):
        return {"PrivBayes, plain": theirs, "HPPrivBayes as printed": ours}.get(series, 0.0)

    assert verdict("hpprivbayes-unstable", made_up("hpprivbayes-fig3", lambda *_: 5.0, spread)) == said


@pytest.mark.parametrize(("ahead", "said"), [(0.5, "holds"), (-0.5, "fails"), (0.0, "fails")])
def test_whether_networks_are_low_is_told_by_their_means_beside_their_spread(ahead, said):
    results = made_up("hpprivbayes-fig3", lambda group, series, x: 5.0 + ahead * series.endswith("as printed"))
    [sentence] = [one for one in SENTENCES if one.name == "hpprivbayes-unstable"]
    _, low = sentence.tests
    assert low.rule.decide(results, sentence.strength).verdict == said


@pytest.mark.parametrize(("short", "said"), [(0.1, "holds"), (-0.1, "fails"), (0.0, "undecided")])
def test_accuracy_is_reduced_where_it_is_clearly_below_that_of_the_original(short, said):
    results = made_up("hpprivbayes-fig4", lambda group, series, x: 0.9 - short * (series != "original data"))
    assert verdict("hpprivbayes-reduced", results) == said


def ratio(series):
    """1/6 to 1/2."""
    over, under = series.removeprefix("r = ").split("/")
    return int(over) / int(under)


@pytest.mark.parametrize(
    ("steep", "said"), [(lambda r: 0.5 - r, "holds"), (lambda r: r, "fails"), (lambda r: 0.2, "undecided")]
)
def test_which_ratio_fluctuates_most_is_told_by_ranges(steep, said):
    results = made_up("hpprivbayes-fig6", lambda group, series, x: 0.7 + steep(ratio(series)) * x)
    assert verdict("hpprivbayes-fluctuates", results) == said


@pytest.mark.parametrize(
    ("by", "spread", "said"), [(1 / 5, 0.001, "holds"), (0.0, 0.001, "undecided"), (1e-3, 0.05, "undecided")]
)
def test_the_ratio_matters_if_two_of_its_values_are_clearly_apart(by, spread, said):
    def wobble(series, x):
        return spread * (1 + 10 * ratio(series))

    results = made_up("hpprivbayes-fig6", lambda group, series, x: 0.8 + by * ratio(series), wobble)
    assert verdict("hpprivbayes-r-matters", results) == said


@pytest.mark.parametrize(("noise", "said"), [(1.0, "holds"), (50.0, "fails"), (100.0, "fails")])
def test_almost_no_noise_is_a_tenth(noise, said):
    values = {"A": 100.0, "B": noise, "B least": noise / 2}
    results = Results({("noise", "r = 1/6", name, 1.0): [value] for name, value in values.items()})
    assert verdict("hpprivbayes-noise", results) == said


@pytest.mark.parametrize(("rise", "said"), [(0.1, "holds"), (-0.1, "fails")])
def test_it_does_not_work_well_at_small_budgets_where_it_does_better_at_large_ones(rise, said):
    [sentence] = [one for one in SENTENCES if one.name == "hpprivbayes-in-all-experiments"]
    found = {}
    for test in sentence.tests:
        sign = 1 if test.experiment == "hpprivbayes-fig4" else -1
        results = made_up(test.experiment, lambda group, series, x, sign=sign: 0.8 + sign * rise * x)
        found[test.table] = test.rule.decide(results, sentence.strength).verdict
    assert {found[f"{what}, worse when ε is small"] for what in ("accuracy", "marginals")} == {said}
