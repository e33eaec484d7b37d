"""JTree's audit against the exact chances of its event, and how an experiment's form is told."""

from __future__ import annotations

from math import comb, log

import numpy as np
import pytest

from research import EXPERIMENTS
from research._outcome import Outcome
from research.tasks.leaks import AUDITS, SHARE, epsilon_lower_bound, threshold_loss
from research.tasks.leaks._audit import open_audited
from understudy.methods import JTreeAsPrinted
from understudy.methods.printed import margins, noise_scale
from understudy.privacy import make_noise

JTREE, COLUMNS, MORE = AUDITS[10], 16, 9


def counts_of_passing(probability, pairs):
    """The chance of each number of pairs that pass, for each threshold."""
    return np.array([comb(pairs, c) * probability**c * (1 - probability) ** (pairs - c) for c in range(pairs + 1)])


def chance(table):
    """Of the audit's event, by integration: given the threshold, pairs pass independently of each other."""
    scale, half = noise_scale(table.domain, table.n, SHARE), COLUMNS // 2
    t = np.linspace(-40, 40, 4001) * scale
    weight = np.exp(-np.abs(t) / scale) / (2 * scale) * (t[1] - t[0])
    exact = margins(open_audited(table, make_noise(seed=0), no_guarantee=True), 0.2)
    counts = []
    for pair in ((0, 1), (half, half + 1)):
        tail = np.exp(-np.abs(t - exact[pair]) / scale) / 2
        counts.append(counts_of_passing(np.where(exact[pair] > t, 1 - tail, tail), comb(half, 2)))
    joint = (counts[0] * weight) @ counts[1].T
    first, second = np.indices(joint.shape)
    return float(joint[second - first >= MORE].sum())


@pytest.fixture(scope="module")
def chances():
    return [chance(table) for table in JTREE.tables()]


def test_jtrees_event_comes_as_often_as_the_integral_says(chances):
    trials = 3_000
    for hits, expected in zip(JTREE.hits(as_printed=True, trials=trials, seed=1), chances, strict=True):
        assert hits == pytest.approx(trials * expected, abs=5 * (trials * expected) ** 0.5)


def test_jtrees_event_refutes_the_whole_claim_with_the_fifth_that_its_test_gets(chances):
    assert pytest.approx(float(JTreeAsPrinted().beta)) == SHARE
    assert JTREE.claimed == 1.0 < log(chances[0] / chances[1])
    trials = JTREE.trials[0]
    assert epsilon_lower_bound(*(round(trials * one) for one in chances), trials) > 1.2  # not by luck


def test_the_test_of_jtree_exceeds_the_whole_claim_from_eight_columns_on():
    losses = {d: threshold_loss(d, SHARE) for d in (4, 6, 8, 16)}
    assert losses[4] < losses[6] < 0.5 < 1 < losses[8] < losses[16] == pytest.approx(5.08, abs=0.01)


def effort(name, **run):
    return Outcome(**{"name": name, "quick": True, "runs": 1, "cpu_seconds": 1.0, "code": "", **run}).effort(
        EXPERIMENTS[name]
    )


@pytest.mark.parametrize(
    ("name", "run", "told"),
    [
        ("privbayes-fig12", {"seeds": 5}, "quick form, 5 repetitions"),
        ("privbayes-fig12", {"seeds": 100}, "full form, 100 repetitions"),
        ("privbayes-fig18", {"seeds": 100}, "quick form (no radial kernels), 100 repetitions"),
        ("privbayes-fig16", {"seeds": 100, "quick": False}, "full form, 100 repetitions"),
        ("hpprivbayes-fig5", {"seeds": 20}, "full form, 20 repetitions"),
        ("hpprivbayes-fig5", {"seeds": 3}, "quick form, 3 repetitions"),
        (
            "hpprivbayes-fig4",
            {"seeds": 20},
            "quick form (1,500 training rows instead of 5,000), 20 repetitions",
        ),
        ("hpprivbayes-fig4", {"seeds": 20, "quick": False}, "full form, 20 repetitions"),
    ],
)
def test_a_quick_form_says_what_it_saves(name, run, told):
    assert effort(name, **run) == told


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_forms_differ_beside_repetitions_where_there_are_words_for_it_and_only_there(name):
    experiment = EXPERIMENTS[name]
    scales = [experiment.scale(quick=form, seeds=experiment.full_seeds) for form in (True, False)]
    quick, full = ([vars(run) for run in experiment.runs(scale)] for scale in scales)
    assert bool(experiment.quick_words) == (quick != full)
