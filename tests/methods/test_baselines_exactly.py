"""The papers' baselines by exact computation: whole runs on tiny tables, and on every neighbour of them.

As in `test_whole_runs_exactly`: noisy answers are fixed beforehand and choices are played through. Whatever is returned
must be a function of those answers; what the answers say about one record is compared with the budget.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from tests.gaussian import delta_between, gaussian_cost
from tests.methods.test_whole_runs_exactly import GAUSSIAN, PURE, TINY, Runs, attribute, log_ratios
from tests.privacy.small import PlainCounter
from understudy.methods import MWEM, Contingency, Fourier, JTree, Laplace, PrivBayes, PriView
from understudy.models import NetworkModel
from understudy.privacy import ADD_REMOVE, REPLACE_ONE, make_budget, open_curator
from understudy.schema import Domain, Marginal

pytestmark = pytest.mark.one_in(3)

BINARY = Domain(tuple(attribute(name, 2) for name in "abc"))
MIXED = Domain((attribute("a", 2), attribute("b", 3), attribute("c", 2)))
PAIR = Domain((attribute("a", 2), attribute("b", 3)))
ONE = Fraction(1)

# the method, its domain, and how many tables of two rows are looked at
CASES = {
    "laplace": (Laplace(ways=2), MIXED, 6),
    "fourier": (Fourier(ways=2), MIXED, 6),
    "contingency": (Contingency(), MIXED, 6),
    "contingency, clipped once": (Contingency(clip="table"), MIXED, 6),
    "mwem": (MWEM(ways=2, round_epsilon=ONE), MIXED, 1),
    "mwem by cells": (MWEM(ways=1, round_epsilon=ONE, queries="cells"), PAIR, 1),
    "mwem as printed": (
        MWEM(ways=1, round_epsilon=ONE, queries="cells", replay=False, result="average"),
        PAIR,
        1,
    ),
    "priview": (PriView(view_size=2), BINARY, 8),
    "jtree": (JTree(theta=Fraction(1, 100)), MIXED, 1),
    "jtree, two pairs": (JTree(theta=Fraction(1, 100), pairs=2), BINARY, 3),
    "privbayes as printed": (PrivBayes(theta=Fraction(1, 100), postprocessing="printed"), MIXED, 1),
}
cases = pytest.mark.parametrize("case", CASES)
# forms that another of the same method stands for: one test of each is enough for the fast suite
LONG = ("mwem by cells", "mwem as printed", "jtree, two pairs")
fewer_cases = pytest.mark.parametrize(
    "case", [pytest.param(case, marks=pytest.mark.slow if case in LONG else ()) for case in CASES]
)


def told(model, method, terms):
    """All that readers get of a model."""
    asked = [Marginal.of(*columns) for way in (1, 2) for columns in combinations(range(len(model.domain)), way)]
    answers = [model.marginal(m, errors=False).probabilities.tolist() for m in asked]
    nodes = model.network.nodes if isinstance(model, NetworkModel) else ()
    described = method.describe(model.domain, model.n, terms)
    return model.n, answers, nodes, described, method.remarks(model, model.n)


class Readers:
    """What readers get after each transcript, worked out once a table."""

    def __init__(self, method, terms):
        self._said, self._known = (method, terms), {}

    def of(self, transcripts):
        if id(transcripts) not in self._known:
            self._known[id(transcripts)] = {key: told(found[3], *self._said) for key, found in transcripts.items()}
        return self._known[id(transcripts)]

    def see_no_difference(self, here, there):
        return self.of(here) == self.of(there)


@pytest.mark.one_in(6)
@fewer_cases
@pytest.mark.parametrize("neighbours", [REPLACE_ONE, ADD_REMOVE], ids=["replaced", "changed under add/remove"])
def test_a_changed_row_costs_what_is_stated_and_shows_nowhere_else(case, neighbours):
    method, domain, most = CASES[case]
    runs = Runs(method, domain, neighbours=neighbours)
    readers = Readers(method, runs.terms)
    whole = float(PURE.epsilon) * (1 if neighbours is REPLACE_ONE else 2)
    worst = 0.0
    for one, other, here, there in runs.changes(2, most):
        assert readers.see_no_difference(here, there)
        for loss, curator in log_ratios(here, there):
            assert loss <= float(curator.protection.between(one, other)) + TINY
            assert curator.share_left >= 0
            worst = max(worst, loss)
    assert 0.3 * whole < worst <= whole + TINY


@pytest.mark.one_in(6)
@cases
def test_a_row_that_comes_or_goes_costs_epsilon_and_shows_nowhere_else(case):
    method, domain, most = CASES[case]
    runs = Runs(method, domain, neighbours=ADD_REMOVE)
    readers = Readers(method, runs.terms)
    worst = 0.0
    for here, there in runs.arrivals(2, most):
        assert readers.see_no_difference(here, there)
        for (loss, _), (back, _) in zip(log_ratios(here, there), log_ratios(there, here), strict=True):
            worst = max(worst, loss, back)
    assert 0.5 * float(PURE.epsilon) < worst <= float(PURE.epsilon) + TINY


@pytest.mark.one_in(8)
@fewer_cases
@pytest.mark.parametrize("neighbours", [REPLACE_ONE, ADD_REMOVE], ids=["replaced", "comes or goes"])
@pytest.mark.filterwarnings("ignore:delta is not below")
def test_with_a_delta_a_run_costs_mu_squared(case, neighbours):
    method, domain, most = CASES[case]
    if isinstance(method, MWEM):
        method = MWEM(ways=method.ways, queries=method.queries, round_epsilon=Fraction(5))
    runs = Runs(method, domain, neighbours=neighbours, budget=GAUSSIAN)
    readers = Readers(method, runs.terms)
    pairs = runs.arrivals(2, most) if neighbours is ADD_REMOVE else (pair for _, _, *pair in runs.changes(2, most))
    worst = 0.0
    for here, there in pairs:
        assert readers.see_no_difference(here, there)
        worst = max(worst, gaussian_cost(here, there), gaussian_cost(there, here))
        for pair in ((here, there), (there, here)):
            assert delta_between(*pair, float(GAUSSIAN.epsilon)) <= float(GAUSSIAN.delta) * (1 + TINY)
    assert 0.25 * float(GAUSSIAN.mu_squared) < worst <= float(GAUSSIAN.mu_squared) + TINY


class FarOff:
    """Noise that says there is one row, and thousands more or less in every cell: possible where n is private."""

    name, private = "far off", False

    def permute_and_flip(self, scores, rate):
        return 0

    def laplace(self, counts, scale):
        return np.full(counts.shape, 1 if scale == 50 else 5000) * (1 - 2 * (np.indices(counts.shape).sum(axis=0) % 2))


@pytest.mark.parametrize("queries", ["tables", "cells"])
def test_answers_far_from_any_probability_do_not_break_mwem(queries):
    """A run that broke off there would be paid for and lost."""
    counter = PlainCounter(MIXED, [(0, 1, 1), (1, 2, 0)])
    curator = open_curator(counter, budget=make_budget(1), neighbours=ADD_REMOVE, noise=FarOff())
    model = MWEM(ways=2, round_epsilon=Fraction(1, 4), queries=queries).fit(curator)
    assert model.n == 1
    assert model.marginal(Marginal.of(0)).probabilities.sum() == pytest.approx(1)
