"""Answers at the level of a unit, by exact computation: tables that differ in one unit of up to two rows.

As in `tests/methods/test_units_exactly.py`, over the workloads and strategies of `test_whole_runs`.
"""

from __future__ import annotations

from math import inf

import pytest

from tests.answers import test_whole_runs
from tests.answers.test_whole_runs import CASES, FEW, PMW, RECORDS, SCHEMA, WORKLOAD, same_to_readers
from tests.gaussian import gaussian_cost
from tests.methods.test_whole_runs_exactly import (
    GAUSSIAN,
    ONE_ROW,
    PURE,
    TINY,
    log_ratios,
    transcripts,
)
from understudy.answers import answer_workload
from understudy.privacy import ADD_REMOVE, REPLACE_ONE, PrivacyTerms, PrivacyUnit

pytestmark = pytest.mark.one_in(3)

played_tests, fewer_rounds = test_whole_runs.played_tests, test_whole_runs.fewer_rounds  # fixtures
PERSON = PrivacyUnit("one person", max_rows=2, column="person")
relations = pytest.mark.parametrize("neighbours", [REPLACE_ONE, ADD_REMOVE], ids=["replaced", "comes or goes"])


class UnitRuns:
    """Transcripts of a strategy on tables that differ in one unit, beside one row of somebody else."""

    def __init__(self, case, neighbours, budget, unit=PERSON):
        self._settings, self._neighbours, self._budget, self._unit = CASES[case][0], neighbours, budget, unit
        terms = PrivacyTerms(budget=budget, neighbours=neighbours, unit=unit)
        self._single, self._known = [] if terms.public_rows else [3], {}

    def of(self, rows):
        key = tuple(sorted((RECORDS[2], *rows)))
        if key not in self._known:
            workload = FEW if self._settings is PMW else WORKLOAD  # each query multiplies the transcripts of tests
            self._known[key] = transcripts(
                lambda curator: answer_workload(curator, workload, self._settings),
                SCHEMA.domain,
                key,
                self._neighbours,
                self._budget,
                self._single,
                self._unit,
            )
        return self._known[key]

    def loss(self, here, there):
        """The most that is told of the difference; infinite where something shows that nobody paid for."""
        if here.keys() != there.keys() or not same_to_readers(here, there):
            return inf
        if self._budget is GAUSSIAN:
            return gaussian_cost(here, there)
        return max(loss for loss, _ in log_ratios(here, there))

    def worst(self, *, of_equal_size=False):
        first, last = RECORDS[0], RECORDS[-1]
        blocks = [(), (first,), (first, first), (last, last), (first, RECORDS[4])]
        pairs = [
            (self.of(one), self.of(other))
            for one in blocks
            for other in blocks
            if one != other
            and (self._neighbours is REPLACE_ONE or () in (one, other))
            and (len(one) == len(other) or not of_equal_size)
        ]
        return max(self.loss(here, there) for here, there in pairs)


@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=pytest.mark.slow) if case in ("pmw", "auto") else case for case in CASES]
)
@relations
def test_a_unit_costs_epsilon_and_shows_nowhere_else(case, neighbours):
    worst = UnitRuns(case, neighbours, PURE).worst()
    assert 0.25 * float(PURE.epsilon) < worst <= float(PURE.epsilon) + TINY


@pytest.mark.parametrize("case", ["tables", "direct", "rounds", pytest.param("pmw", marks=pytest.mark.slow)])
@relations
@pytest.mark.filterwarnings("ignore:delta is not below")
def test_with_a_delta_a_unit_costs_mu_squared(case, neighbours):
    worst = UnitRuns(case, neighbours, GAUSSIAN).worst()
    assert 0.1 * float(GAUSSIAN.mu_squared) < worst <= float(GAUSSIAN.mu_squared) + TINY


@pytest.mark.parametrize("case", ["tables", "direct", "rounds"])
@relations
def test_a_run_that_takes_a_unit_for_a_row_is_caught(case, neighbours):
    runs = UnitRuns(case, neighbours, PURE, unit=ONE_ROW)
    assert runs.worst(of_equal_size=neighbours is REPLACE_ONE) > 1.01 * float(PURE.epsilon)


@pytest.mark.parametrize("case", ["tables", "direct"])
def test_a_run_that_takes_the_number_of_rows_for_public_is_caught(case, monkeypatch):
    monkeypatch.setattr(PrivacyTerms, "public_rows", property(lambda terms: terms.neighbours is REPLACE_ONE))
    assert UnitRuns(case, REPLACE_ONE, PURE).worst() == inf
