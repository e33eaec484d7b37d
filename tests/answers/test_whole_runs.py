"""Whole runs of every strategy by exact computation, on tiny tables and on every neighbour of them.

As in `tests/methods/test_whole_runs_exactly.py`: noisy numbers are fixed beforehand, choices and tests are played
through one by one. What readers get must be a function of those, and what those say about one record stays within the
budget.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
import pytest

from tests.gaussian import gaussian_cost
from tests.methods.test_whole_runs_exactly import GAUSSIAN, PURE, TINY, log_ratios, transcripts
from tests.privacy.test_linear_questions import first_above
from understudy._core.randomness import Streams
from understudy.answers import Answering, AnswerSettings, LinearQuery, answer_workload, make_workload, read_lines
from understudy.methods import read_method
from understudy.privacy import ADD_REMOVE, REPLACE_ONE, AboveThreshold
from understudy.schema import Schema

pytestmark = pytest.mark.one_in(3)

SCHEMA = Schema.from_dict(
    {"fields": [{"name": "a", "categories": ["x", "y"]}, {"name": "b", "categories": ["u", "v", "w"]}]}
)
WEIGHTED = LinearQuery(columns=("b", "a"), weights=np.array([[0.2, 1.0, 0.5, 0.0, 0.25, 1.0]]))
WORKLOAD = make_workload(read_lines(["table(a, b)", "b=u/v", "a=y"]), SCHEMA, [WEIGHTED])
FEW = make_workload(read_lines(["table(a)"]), SCHEMA, [WEIGHTED])
RECORDS = list(product(range(2), range(3)))
PMW = AnswerSettings(strategy="pmw", threshold=Fraction(1, 5), updates=2)
CASES = {
    "tables": (AnswerSettings(strategy="tables"), 4),
    "direct": (AnswerSettings(strategy="direct"), 4),
    "rounds": (AnswerSettings(strategy="rounds"), 1),
    "pmw": (PMW, 1),
    "auto": (AnswerSettings(), 3),
}
SLOW = pytest.mark.slow


@pytest.fixture(autouse=True)
def played_tests(monkeypatch):
    """A test for the first above a threshold has one of its outcomes, by its exact distribution."""

    def play(self, counted, source):
        chances = np.array(first_above(counted.tables[0], self))
        place = source._choose(chances / chances.sum())
        return [np.array([-1 if place == len(chances) - 1 else place])]

    monkeypatch.setattr(AboveThreshold, "__call__", play)


@pytest.fixture(autouse=True)
def fewer_rounds(monkeypatch):
    """Rounds multiply transcripts: two columns have three each, and the fit takes a few steps."""
    from understudy.answers import _fitting, _online, _rounds

    monkeypatch.setattr(_rounds, "_ROUNDS_A_COLUMN", {True: 2, False: 2})
    monkeypatch.setattr(_rounds, "_MOST_ROUNDS", 2)
    monkeypatch.setattr(_rounds, "STEPS", 3)
    monkeypatch.setattr(_rounds, "_STEPS_A_ROUND", 3)
    monkeypatch.setattr(_online, "_STEPS", 2)
    monkeypatch.setattr(_fitting, "_HALVINGS", 6)


class Runs:
    """Transcripts of a strategy on each table, remembered."""

    def __init__(self, settings, neighbours, budget):
        self._settings, self._neighbours, self._budget, self._known = settings, neighbours, budget, {}

    def of(self, rows):
        key = tuple(sorted(rows))
        if key not in self._known:
            single = [3] if self._neighbours is ADD_REMOVE else []
            workload = FEW if self._settings is PMW else WORKLOAD  # each query multiplies the transcripts of tests
            self._known[key] = transcripts(
                lambda curator: answer_workload(curator, workload, self._settings),
                SCHEMA.domain,
                key,
                self._neighbours,
                self._budget,
                single,
            )
        return self._known[key]

    def pairs(self, most):
        every = list(combinations_with_replacement(RECORDS, 2))
        for rows in [every[i] for i in np.random.default_rng(0).choice(len(every), most, replace=False)]:
            for new in RECORDS:
                if self._neighbours is ADD_REMOVE:
                    yield self.of(rows), self.of((*rows, new))
                elif new != rows[0]:
                    yield self.of(rows), self.of((new, *rows[1:]))


def told(answered):
    """All that readers get."""
    model = answered.to_model()
    return (
        answered.n,
        answered.shares.tobytes(),
        answered.low.tobytes(),
        answered.high.tobytes(),
        answered.how,
        answered.strategy,
        answered.because,
        answered.notes,
        answered.steps,
        model.network.nodes,
        [table.tobytes() for table in model.conditionals],
    )


def same_to_readers(here, there):
    return all(told(here[key][3]) == told(there[key][3]) for key in here)


RELATIONS = {"replaced": REPLACE_ONE, "comes or goes": ADD_REMOVE}
# the longest; with a delta, `pmw` is looked at under the other relation
LEFT_OUT = (("replaced", "auto"), ("comes or goes", "auto"), ("replaced", "pmw"))


@pytest.mark.one_in(9)
@pytest.mark.parametrize(
    ("case", "neighbours"),
    [
        pytest.param(case, relation, marks=SLOW if (said, case) in LEFT_OUT else (), id=f"{said}-{case}")
        for said, relation in RELATIONS.items()
        for case in CASES
    ],
)
def test_a_row_costs_epsilon_and_shows_nowhere_else(case, neighbours):
    settings, most = CASES[case]
    worst = 0.0
    for here, there in Runs(settings, neighbours, PURE).pairs(most):
        assert same_to_readers(here, there)
        for pair in ((here, there), (there, here)):
            for loss, curator in log_ratios(*pair):
                assert curator.share_left >= 0
                worst = max(worst, loss)
    assert 0.25 * float(PURE.epsilon) < worst <= float(PURE.epsilon) + TINY


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("case", "neighbours"),
    [
        pytest.param(
            case, relation, marks=SLOW if (said, case) == ("comes or goes", "pmw") else (), id=f"{said}-{case}"
        )
        for said, relation in RELATIONS.items()
        for case in ("tables", "direct", "rounds", "pmw")
    ],
)
@pytest.mark.filterwarnings("ignore:delta is not below")
def test_with_a_delta_a_run_costs_mu_squared(case, neighbours):
    settings, most = CASES[case]
    worst = 0.0
    for here, there in Runs(settings, neighbours, GAUSSIAN).pairs(most):
        worst = max(worst, gaussian_cost(here, there), gaussian_cost(there, here))
    assert 0.1 * float(GAUSSIAN.mu_squared) < worst <= float(GAUSSIAN.mu_squared) + TINY


@pytest.mark.parametrize("method", ["independent", pytest.param("privbayes", marks=pytest.mark.slow)])
@pytest.mark.parametrize("neighbours", [REPLACE_ONE, ADD_REMOVE], ids=["replaced", "comes or goes"])
@pytest.mark.parametrize("strategy", ["direct", "rounds", pytest.param("pmw", marks=SLOW)])
def test_a_start_is_paid_for_out_of_the_same_budget(strategy, neighbours, method):
    settings = PMW if strategy == "pmw" else AnswerSettings(strategy=strategy)

    def run(curator):
        answering = Answering(FEW, settings, start=read_method(method), start_share=Fraction(1, 3))
        answering.fit(curator, streams=Streams(1))
        return answering.answered

    def of(*rows):
        return transcripts(run, SCHEMA.domain, rows, neighbours, PURE, [3] if neighbours is ADD_REMOVE else [])

    worst, rows = 0.0, ((0, 0), (1, 2))
    here = of(*rows)
    for new in ((1, 1), (0, 2)):
        there = of(*rows, new) if neighbours is ADD_REMOVE else of(new, *rows[1:])
        assert same_to_readers(here, there)
        for pair in ((here, there), (there, here)):
            worst = max(worst, *(loss for loss, _ in log_ratios(*pair)))
    assert 0.25 * float(PURE.epsilon) < worst <= float(PURE.epsilon) + TINY


@pytest.mark.slow
def test_corrections_that_are_not_paid_for_are_caught(monkeypatch):
    """The same check where each correction spends all that there is, as if only the last one counted."""
    from understudy.answers import _online

    honest = _online._Online.__init__

    def spend_twice(self, curator, workload, state, settings):
        honest(self, curator, workload, state, settings)
        self._share = curator.share_left  # for each of the corrections
        curator._run.accountant.pay = lambda *_: None

    monkeypatch.setattr(_online._Online, "__init__", spend_twice)
    worst = 0.0
    for here, there in Runs(PMW, REPLACE_ONE, PURE).pairs(2):
        worst = max(worst, *(loss for loss, _ in log_ratios(here, there)))
    assert worst > 1.1 * float(PURE.epsilon)
