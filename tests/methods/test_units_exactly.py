"""Whole runs at the level of a unit, by exact computation: what everything that comes out says about one person's rows.

As in `test_whole_runs_exactly`, and for every method: tables differ in one unit of up to k rows, which is replaced by
another of up to k rows, or is there or not. Units may have different numbers of rows, so that nothing that follows from
the number of rows may show without being paid for.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement, permutations
from math import inf

import numpy as np
import pytest

from tests.gaussian import gaussian_cost
from tests.methods import test_baselines_exactly as baselines
from tests.methods import test_whole_runs_exactly as whole_runs
from tests.methods.test_baselines_exactly import MIXED, Readers
from tests.methods.test_whole_runs_exactly import (
    BINARY,
    GAUSSIAN,
    ONE_ROW,
    PURE,
    TAXONOMY,
    TINY,
    Runs,
    log_ratios,
)
from understudy._core.errors import OptionError
from understudy._core.randomness import Streams
from understudy.counting import UnitRule
from understudy.methods import BASELINES, METHODS, MWEM, Adaptive, Independent, PrivBayes, Uniform, flaw_of
from understudy.privacy import ADD_REMOVE, REPLACE_ONE, PrivacyTerms, PrivacyUnit, Sensitivity

pytestmark = pytest.mark.one_in(3)

SMALL = Fraction(1, 100)
# the method, its domain, how many different units are looked at, the bounds k
CASES = {
    "independent": (Independent(), MIXED, 8, (2, 3)),
    "uniform": (Uniform(), MIXED, 8, (2, 3)),
    "privbayes by F": (PrivBayes(theta=SMALL, score="F"), BINARY, 8, (2, 3)),
    "privbayes by R": (PrivBayes(theta=SMALL, score="R"), TAXONOMY, 4, (2,)),
    "privbayes, degree given": (PrivBayes(k=1, score="R"), MIXED, 6, (2, 3)),
    "privbayes, vanilla": (PrivBayes(k=1, encoding="vanilla"), MIXED, 6, (2,)),
    "privbayes, binary": (PrivBayes(k=1, encoding="binary"), MIXED, 3, (2,)),
    "privbayes, gray": (PrivBayes(k=1, encoding="gray"), MIXED, 3, (2,)),
    "auto": (METHODS["auto"](), MIXED, 6, (2,)),
    "laplace": (*baselines.CASES["laplace"][:2], 8, (2, 3)),
    "fourier": (*baselines.CASES["fourier"][:2], 8, (2, 3)),
    "contingency": (*baselines.CASES["contingency"][:2], 8, (2, 3)),
    "contingency, clipped once": (*baselines.CASES["contingency, clipped once"][:2], 8, (2, 3)),
    "mwem": (*baselines.CASES["mwem"][:2], 4, (2,)),
    "mwem by cells": (*baselines.CASES["mwem by cells"][:2], 4, (2,)),
    "priview": (*baselines.CASES["priview"][:2], 8, (2, 3)),
    "jtree": (*baselines.CASES["jtree"][:2], 4, (2,)),
    "jtree, two pairs": (*baselines.CASES["jtree, two pairs"][:2], 6, (2,)),
    "hpprivbayes": (*whole_runs.CASES["one sensitive column depends on another"][:2], 5, (2,)),
    "hpprivbayes, levels": (*whole_runs.CASES["coarse levels"][:2], 4, (2,)),
    "hpprivbayes, rare values": (*whole_runs.CASES["rare values"][:2], 5, (2,)),
    "privabn": (*whole_runs.CASES["blocks"][:2], 8, (2, 3)),
    "privabn, other sizes": (*whole_runs.CASES["blocks of other sizes"][:2], 4, (2,)),
    "privabn, greedy": (*whole_runs.CASES["parents one by one"][:2], 5, (2,)),
    "privabn, drawn": (*whole_runs.CASES["drawn parents"][:2], 5, (2,)),
    "adaptive": (Adaptive(rounds=2), MIXED, 3, (2,)),
    "adaptive, binary": (Adaptive(rounds=2), BINARY, 3, (2,)),
}
SLOW = pytest.mark.slow
# Gray codes split values otherwise than binary ones, and ask and pay alike: left to the slow suite.
# Of the longest and of forms of a method that another stands for, the price of a unit that comes or goes is enough for
# the fast one.
LONG = ("auto", "privbayes, binary", "mwem by cells", "contingency, clipped once", "privabn, other sizes")
NAMED = [pytest.param(case, marks=SLOW if case in ("privbayes, gray", *LONG) else ()) for case in CASES]
EACH = [
    pytest.param(case, bound, marks=SLOW if case == "privbayes, gray" else ())
    for case, (*_, bounds) in CASES.items()
    for bound in bounds
]
each = pytest.mark.parametrize(("case", "bound"), EACH)
relations = pytest.mark.parametrize("neighbours", [REPLACE_ONE, ADD_REMOVE], ids=["replaced", "comes or goes"])


def some(things, number):
    """A few of them, spread evenly."""
    return [things[i] for i in np.linspace(0, len(things) - 1, min(number, len(things))).astype(int)]


def person(bound):
    return PrivacyUnit("one person", max_rows=bound, column="person")


class UnitRuns(Runs):
    """Runs on tables that differ in one unit; by default the run knows its bound."""

    def __init__(self, case, bound, *, unit=None, **more):
        method, domain, self.most, _ = CASES[case]
        if isinstance(method, MWEM) and more.get("budget") is GAUSSIAN:
            method = MWEM(ways=method.ways, queries=method.queries, round_epsilon=Fraction(5))
        super().__init__(method, domain, unit=person(bound) if unit is None else unit, **more)
        self.bound, self.readers = bound, Readers(method, self.terms)

    def blocks(self):
        """Rows that one unit may have, none among them: the farthest from each other first, then some of all others."""
        first, last = self.records[0], self.records[-1]
        extreme = [(), (first,) * self.bound, (last,) * self.bound, (first,), (last,)]
        every = [
            rows
            for size in range(1, self.bound + 1)
            for rows in combinations_with_replacement(self.records, size)
            if rows not in extreme
        ]
        drawn = np.random.default_rng(0).choice(len(every), min(self.most, len(every)), replace=False)
        return [*extreme, *(every[i] for i in drawn)]

    def pairs(self, of_equal_size=False):
        """Transcripts of two neighbours, in both directions."""
        rest = self.records[len(self.records) // 2]
        for rows in self.blocks():
            for other in self.blocks():
                # a unit is replaced by another, with any number of rows, or it is there or not
                if rows == other or (of_equal_size and len(rows) != len(other)):
                    continue
                if self.neighbours is REPLACE_ONE or () in (rows, other):
                    yield self.of((rest, *rows)), self.of((rest, *other))

    def loss(self, here, there):
        """The most that is told of the difference; infinite where something shows that nobody paid for."""
        if here.keys() != there.keys() or not self.readers.see_no_difference(here, there):
            return inf
        scales = [[[scale for _, scale in found[key][1]] for key in here] for found in (here, there)]
        if scales[0] != scales[1]:
            return inf
        if self.budget is GAUSSIAN:
            return gaussian_cost(here, there)
        return max(loss for loss, _ in log_ratios(here, there))

    def worst(self, *, of_equal_size=False):
        return max(self.loss(here, there) for here, there in self.pairs(of_equal_size))

    def tell_more_than(self, limit, *, of_equal_size=False):
        """Whether some pair does; looked for no further than that."""
        return any(self.loss(here, there) > limit for here, there in self.pairs(of_equal_size))


class WeighedRuns(UnitRuns):
    """Runs on tables whose rows are weighed: a row that counts for w parts is w rows of one part each."""

    def __init__(self, case, bound, **more):
        unit = PrivacyUnit("one person", max_rows=bound, column="person", bounding="weigh")
        super().__init__(case, bound, unit=unit, rows_told=400 * unit.parts, **more)

    def blocks(self):
        """Rows that one unit may have: here more than the bound, and none only where it may come or go."""
        first, last = self.records[0], self.records[-1]
        none = [] if self.terms.public_rows else [()]
        return [*none, (first,) * 3, (last,), (first, last), (last, first, last, last)]

    def of(self, rows):
        """The first row is somebody else's."""
        rule = UnitRule(column="person", max_rows=self.bound, parts=self.unit.parts, coins=Streams(1))
        weights = rule.weights(np.minimum(np.arange(len(rows)), 1))
        return super().of([row for row, weight in zip(rows, weights, strict=True) for _ in range(weight)])


def test_every_method_that_promises_something_is_here():
    named = {CASES[case][0].name for case in CASES}
    sound = {name for name, kind in {**METHODS, **BASELINES}.items() if flaw_of(kind()) is None}
    assert named == sound


@pytest.mark.one_in(10)
@pytest.mark.parametrize(
    ("case", "bound", "neighbours"),
    [
        pytest.param(
            case,
            bound,
            neighbours,
            marks=SLOW if case == "privbayes, gray" or (case in LONG and neighbours is REPLACE_ONE) else (),
            id=f"{said}-{case}-{bound}",
        )
        for neighbours, said in ((REPLACE_ONE, "replaced"), (ADD_REMOVE, "comes or goes"))
        for case, (*_, bounds) in CASES.items()
        for bound in bounds
    ],
)
def test_a_unit_costs_epsilon_and_shows_nowhere_else(case, bound, neighbours):
    runs = UnitRuns(case, bound, neighbours=neighbours)
    assert not runs.terms.public_rows  # so that a unit may be replaced by one with more rows
    worst = runs.worst()
    assert 0.45 * float(PURE.epsilon) < worst <= float(PURE.epsilon) + TINY


@pytest.mark.slow
@each
@relations
@pytest.mark.filterwarnings("ignore:delta is not below")
def test_with_a_delta_a_unit_costs_mu_squared(case, bound, neighbours):
    worst = UnitRuns(case, bound, neighbours=neighbours, budget=GAUSSIAN).worst()
    assert 0.25 * float(GAUSSIAN.mu_squared) < worst <= float(GAUSSIAN.mu_squared) + TINY


@pytest.mark.one_in(4)
@pytest.mark.parametrize("case", NAMED)
@pytest.mark.parametrize("bound", [1, pytest.param(2, marks=SLOW)])
@relations
def test_a_unit_whose_rows_are_weighed_costs_epsilon(case, bound, neighbours):
    """However many rows it has. With a bound of 1 all units count for as much, so their number stays public."""
    runs = WeighedRuns(case, bound, neighbours=neighbours)
    assert runs.terms.public_rows == (bound == 1 and neighbours is REPLACE_ONE)
    worst = runs.worst()
    assert worst <= float(PURE.epsilon) + TINY
    assert worst > 0.3 * float(PURE.epsilon) or (case == "uniform" and runs.terms.public_rows)


@pytest.mark.parametrize("case", [case for case in NAMED if case.values != ("uniform",)])  # it looks at no row
@pytest.mark.parametrize("neighbours", [REPLACE_ONE, ADD_REMOVE], ids=["replaced", "comes or goes"])
def test_a_run_that_takes_a_unit_for_a_row_is_caught(case, neighbours):
    """Noise for one row where two belong to a person: also where both tables have as many rows."""
    runs = UnitRuns(case, 2, unit=person(1), neighbours=neighbours)
    assert runs.tell_more_than(1.01 * float(PURE.epsilon), of_equal_size=neighbours is REPLACE_ONE)


@pytest.mark.parametrize("case", ["independent", "privbayes, degree given", "fourier", "mwem", "privabn"])
def test_a_run_with_noise_for_rows_where_parts_of_them_are_counted_is_caught(case, monkeypatch):
    monkeypatch.setattr(PrivacyUnit, "counted", property(lambda unit: unit.max_rows))
    assert WeighedRuns(case, 1).tell_more_than(5 * float(PURE.epsilon))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("case", NAMED)
def test_a_run_that_takes_the_number_of_rows_for_public_is_caught(case, monkeypatch):
    monkeypatch.setattr(PrivacyTerms, "public_rows", property(lambda terms: terms.neighbours is REPLACE_ONE))
    runs = UnitRuns(case, 2, neighbours=REPLACE_ONE)
    assert runs.tell_more_than(1e300)  # without bound: the number itself is published
    assert runs.worst(of_equal_size=True) <= float(PURE.epsilon) + TINY  # else it is only right for units of one size


@pytest.mark.one_in(4)
@pytest.mark.parametrize("case", NAMED)
@relations
@pytest.mark.parametrize("budget", [PURE, pytest.param(GAUSSIAN, marks=SLOW)], ids=["pure", "gaussian"])
@pytest.mark.filterwarnings("ignore:delta is not below")
def test_a_unit_of_one_row_is_a_row(case, neighbours, budget):
    """The same transcripts with the same probabilities, noise and charges: one distribution, exactly."""
    told = [UnitRuns(case, 1, unit=unit, neighbours=neighbours, budget=budget) for unit in (ONE_ROW, person(1))]
    for rows in [(record, told[0].records[-1]) for record in some(told[0].records, 3)]:
        row, unit = (runs.of(rows) for runs in told)
        assert row.keys() == unit.keys()
        assert told[0].readers.of(row) == told[1].readers.of(unit)
        for key, (p, cells, curator, _) in row.items():
            q, others, other, _ = unit[key]
            assert (p, cells, curator.charges) == (q, others, other.charges)
            assert curator.share_left == other.share_left
            assert repr(curator.protection) == repr(other.protection)


def test_parities_counted_from_a_public_number_of_rows_are_caught(monkeypatch):
    """A coefficient moves by 2 where a row is replaced; its form that moves by 1 needs a public number of rows."""

    def of_public_rows(terms, number):
        return terms.of_unit(Sensitivity(l1=Fraction(number), l2_squared=Fraction(number)))

    monkeypatch.setattr("understudy.privacy._parities.parities_sensitivity", of_public_rows)
    assert UnitRuns("fourier", 2).tell_more_than(1.1 * float(PURE.epsilon))


def test_the_score_i_is_refused_where_units_have_several_rows():
    terms = PrivacyTerms(budget=PURE, unit=person(2))
    with pytest.raises(OptionError, match="the score I has no proven sensitivity where the number of rows is private"):
        PrivBayes(score="I").check(MIXED, terms)
    PrivBayes(score="I").check(MIXED, PrivacyTerms(budget=PURE, unit=person(1)))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("case", ["hpprivbayes", "hpprivbayes, levels", "hpprivbayes, rare values", "privabn", "jtree"])
@relations
def test_a_unit_whose_values_change_costs_what_is_stated(case, neighbours):
    """As many rows as before, with other values in some columns: the better protected ones among them, or not."""
    runs = UnitRuns(case, 2, neighbours=neighbours)
    rest, closest = runs.records[len(runs.records) // 2], 0.0
    for one, other in permutations(some(runs.records, 6), 2):
        changed = [i for i in range(len(runs.domain)) if one[i] != other[i]]
        for rows, others in [((one, one), (other, other)), ((one, rest), (other, rest)), ((one,), (other,))]:
            for loss, curator in log_ratios(runs.of((rest, *rows)), runs.of((rest, *others))):
                stated = curator.protection.between(one, other)
                assert loss <= float(stated) + TINY
                assert stated <= curator.protection.of_attributes(changed)
                closest = max(closest, loss / float(stated))
    assert closest > 0.5
