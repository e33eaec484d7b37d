"""Whole runs by exact computation: what everything that comes out, choices and tables together, says about one record.

Noisy answers are fixed beforehand, choices are played through one by one, and the real methods run through the real
curator on tables of two rows and on their neighbours. So each transcript's exact probability ratio is known: under pure
ε it is compared with ε and with what is stated about the change, with a δ the δ of all transcripts
together, for several ε, with what is promised.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import exp, inf, log, sqrt

import numpy as np
import pytest

from tests.gaussian import gaussian_cost
from tests.methods.test_structure_exactly import flip_probabilities
from tests.privacy.small import PlainCounter
from understudy._core.randomness import Streams
from understudy.methods import HPPrivBayes, PrivABN
from understudy.methods._block_shape import BlockShape
from understudy.methods._blocks import grow_blocks
from understudy.models import RScore, WeightedRScore
from understudy.privacy import (
    ADD_REMOVE,
    REPLACE_ONE,
    Candidate,
    MeanStrength,
    PrivacyTerms,
    PrivacyUnit,
    PureBudget,
    make_budget,
    open_curator,
)
from understudy.schema import Attribute, Axis, Domain, Level

pytestmark = pytest.mark.one_in(3)

PURE = PureBudget(epsilon=Fraction(2))
GAUSSIAN = make_budget(10, "1e-3")
ONE_ROW = PrivacyUnit()
HIGH = Fraction(1)
TINY = 1e-9


class FixedAnswers:
    """Stands in for noise: plays back choices, answers every measurement the same, notes what was asked."""

    name, private = "fixed", False

    def __init__(self, script, single):
        self.script, self.single = list(script), list(single)
        self.choices, self.cells = [], []

    def _choose(self, probabilities):
        choice = self.script.pop(0) if self.script else 0
        self.choices.append((len(probabilities), float(probabilities[choice])))
        return choice

    def permute_and_flip(self, scores, rate):
        return self._choose(flip_probabilities(_weights(scores, rate)))

    def exponential(self, scores, rate):
        weights = np.array(_weights(scores, rate))
        return self._choose(weights / weights.sum())

    def several(self, scores, rate, number):
        """One choice after the other, among those left."""
        left = list(range(len(scores)))
        return np.array([left.pop(self.exponential(scores[left], rate)) for _ in range(number)])

    def laplace(self, counts, scale):
        self.cells += [(int(count), float(scale)) for count in np.ravel(counts)]
        if counts.shape == (1,):
            return np.array([self.single.pop(0) if self.single else 2])
        return (np.arange(counts.size) % 3 + 1).reshape(counts.shape)

    gaussian = laplace

    def gaussian_on_grid(self, numbers, squares, variance, grid):
        """Contrasts, as sums of counts over square roots; answers of a few deviations, in steps of the grid."""
        self.cells += [
            (int(number) / sqrt(square), float(variance))
            for number, square in zip(np.ravel(numbers), np.ravel(squares), strict=True)
        ]
        deviation = round(sqrt(variance) / float(grid))
        return (8 * deviation * (np.arange(numbers.size) % 3 - 1)).reshape(numbers.shape)

    def together(self, tables, decay, *, balanced):
        """Tables with one draw of noise are one thing that moves; answers are far above their noise, or less far."""
        flat = tuple(tuple(map(int, table.reshape(-1))) for table in tables)
        self.cells.append((Together(flat, balanced), float(1 / decay)))
        far = round(24 / decay)
        return [(far * (np.arange(table.size) % 3 + 1)).reshape(table.shape) for table in tables]


@dataclass(frozen=True)
class Together:
    """Tables that get their noise at once; their difference from others is the largest among all."""

    tables: tuple[tuple[int, ...], ...]
    balanced: bool

    def __sub__(self, other):
        pairs = zip(self.tables, other.tables, strict=True)
        moved = [[a - b for a, b in zip(*tables, strict=True)] for tables in pairs]
        if self.balanced and any(map(sum, moved)):
            return inf  # noise that keeps totals would show it
        return max(sum(map(abs, table)) for table in moved) / (2 if self.balanced else 1)


def _weights(scores, rate):
    return [exp(-float(rate * int(scores.max() - s))) for s in scores]


def transcripts(run, domain, rows, neighbours, budget, single, unit=ONE_ROW):
    """Choices made → (their probability, noisy cells with their scales, the curator, what the run returned)."""
    counter, found, open_scripts = PlainCounter(domain, rows), {}, [()]
    while open_scripts:
        script = open_scripts.pop()
        noise = FixedAnswers(script, single)
        curator = open_curator(counter, budget=budget, neighbours=neighbours, unit=unit, noise=noise)
        result = run(curator)
        played = [*script, *[0] * (len(noise.choices) - len(script))]
        for depth in range(len(script), len(noise.choices)):
            open_scripts += [(*played[:depth], other) for other in range(1, noise.choices[depth][0])]
        found[tuple(played)] = (float(np.prod([p for _, p in noise.choices])), noise.cells, curator, result)
    assert sum(p for p, *_ in found.values()) == pytest.approx(1)
    return found


class Runs:
    """Transcripts of a method on each table, remembered."""

    def __init__(
        self, method, domain, *, neighbours=REPLACE_ONE, budget=PURE, unit=ONE_ROW, rows_told=400, strength=10**6
    ):
        self.domain, self.neighbours, self.budget, self.unit = domain, neighbours, budget, unit
        self.terms = PrivacyTerms(budget=budget, neighbours=neighbours, unit=unit)
        self._run = lambda curator: method.fit(curator, streams=Streams(1))
        self._single = [
            *([] if self.terms.public_rows else [rows_told]),
            *([strength] if method.name == "privabn" else []),
        ]
        self._known = {}

    @property
    def records(self):
        return list(product(*(range(a.size) for a in self.domain)))

    def of(self, rows):
        key = tuple(sorted(rows))
        if key not in self._known:
            self._known[key] = transcripts(
                self._run, self.domain, key, self.neighbours, self.budget, self._single, self.unit
            )
        return self._known[key]

    def tables(self, n, most):
        every = list(combinations_with_replacement(self.records, n))
        if len(every) <= most:
            return every
        return [every[i] for i in np.random.default_rng(0).choice(len(every), most, replace=False)]

    def changes(self, n, most):
        """Pairs of tables of which one record's values differ: (r, r′, transcripts, transcripts)."""
        for rows in self.tables(n, most):
            for place, new in product(range(n), self.records):
                if rows[place] != new:
                    yield rows[place], new, self.of(rows), self.of((*rows[:place], new, *rows[place + 1 :]))

    def arrivals(self, n, most):
        for rows in self.tables(n, most):
            for new in self.records:
                yield self.of(rows), self.of((*rows, new))


def log_ratios(here, there):
    """For each transcript: the most that any output with these choices says, and its curator."""
    assert here.keys() == there.keys()  # nothing is possible under one table and impossible under the other
    for key, (p, cells, curator, _) in here.items():
        q, others, *_ = there[key]
        tables = 0.0
        for (count, scale), (other, same) in zip(cells, others, strict=True):
            assert scale == same  # scales come from public values and earlier outputs
            tables += abs(count - other) / scale
        yield log(p / q) + tables, curator


def attribute(name, size, **more):
    return Attribute(name=name, size=size, **more)


PAIRED = Level(groups=(0, 0, 1, 1))
# two sensitive ones of which the second may depend on the first, three values, weights
TWO = Domain(
    (
        attribute("a", 2),
        attribute("s", 2, sensitivity=HIGH, weights=(Fraction(1), Fraction(5))),
        attribute("t", 3, sensitivity=HIGH, weights=(Fraction(1), Fraction(2), Fraction(4))),
    )
)
# a taxonomy whose groups hold values of different weight, seen as parent in its coarser form
TAXONOMY = Domain(
    (
        attribute("a", 2),
        attribute("s", 4, sensitivity=HIGH, weights=tuple(map(Fraction, (3, 1, 2, 2))), coarser=(PAIRED,)),
        attribute("t", 2, sensitivity=HIGH),
    )
)
# weights on a column that is not sensitive, and two levels
FOUR = Domain(
    (
        attribute("a", 2),
        attribute("b", 2, weights=(Fraction(2), Fraction(1))),
        attribute("s", 2, sensitivity=Fraction(1, 2)),
        attribute("t", 2, sensitivity=HIGH),
    )
)
BINARY = Domain(tuple(attribute(name, 2) for name in "abc"))
MIXED = Domain((attribute("a", 4, coarser=(PAIRED,)), attribute("b", 2), attribute("c", 3)))

CASES = {
    "one sensitive column depends on another": (HPPrivBayes(k=1), TWO, 4),
    "coarse levels": (HPPrivBayes(theta=Fraction(1, 16)), TAXONOMY, 3),
    "two parents": (HPPrivBayes(k=2), FOUR, 1),
    "rare values": (HPPrivBayes(k=1, weights="rare"), TWO, 4),
    "companions": (HPPrivBayes(k=1, companions=1), FOUR, 1),
    "blocks": (PrivABN(theta=Fraction(1, 10)), BINARY, 36),
    "blocks of other sizes": (PrivABN(theta=Fraction(1, 10)), MIXED, 3),
    "parents one by one": (PrivABN(variant="greedy", k=2, stop=True), BINARY, 5),
    "parents one by one, levels": (PrivABN(variant="greedy", theta=Fraction(1, 100), stop=True), MIXED, 1),
    "drawn parents": (PrivABN(variant="drawn", k=1, max_candidates=2), BINARY, 5),
}
cases = pytest.mark.parametrize("case", CASES)
PRESENT = {REPLACE_ONE: "replaced", ADD_REMOVE: "changed under add/remove"}


LONG = ("companions", "parents one by one, levels")


@pytest.mark.one_in(9)
@pytest.mark.parametrize(
    ("case", "neighbours"),
    [
        pytest.param(
            case,
            neighbours,
            marks=pytest.mark.slow if case in LONG and neighbours is ADD_REMOVE else (),
            id=f"{said}-{case}",
        )
        for neighbours, said in PRESENT.items()
        for case in CASES
    ],
)
def test_no_transcript_says_more_than_is_stated_about_the_change(case, neighbours):
    method, domain, most = CASES[case]
    runs = Runs(method, domain, neighbours=neighbours)
    closest = 0.0
    for one, other, here, there in runs.changes(2, most):
        changed = [i for i in range(len(domain)) if one[i] != other[i]]
        for loss, curator in log_ratios(here, there):
            stated = curator.protection
            bound = stated.between(one, other)
            assert loss <= float(bound) + TINY
            assert bound <= stated.of_attributes(changed) <= stated.promised(changed)
            assert loss <= float(sum(stated.of_attribute(a) for a in changed)) + TINY  # "at most the sum"
            if len(changed) == 1:
                values = stated.of_values(changed[0])
                assert bound <= min(values[one[changed[0]]], values[other[changed[0]]])
            closest = max(closest, loss / float(bound))
    assert closest > 0.7


@cases
def test_a_row_that_is_there_or_not_costs_epsilon(case):
    method, domain, most = CASES[case]
    runs = Runs(method, domain, neighbours=ADD_REMOVE)
    worst = 0.0
    for here, there in runs.arrivals(1, most):
        for (loss, _), (back, _) in zip(log_ratios(here, there), log_ratios(there, here), strict=True):
            worst = max(worst, loss, back)
    assert 0.7 * float(PURE.epsilon) < worst <= float(PURE.epsilon) + TINY


@pytest.mark.parametrize("case", ["one sensitive column depends on another", "coarse levels", "blocks"])
@pytest.mark.parametrize("neighbours", PRESENT, ids=PRESENT.values())
@pytest.mark.filterwarnings("ignore:delta is not below")
def test_with_a_delta_promises_hold_for_all_transcripts_together(case, neighbours):
    method, domain, most = CASES[case]
    runs = Runs(method, domain, neighbours=neighbours, budget=GAUSSIAN)
    for one, other, here, there in runs.changes(2, most):
        changed = [i for i in range(len(domain)) if one[i] != other[i]]
        stated = next(iter(here.values()))[2].protection
        assert gaussian_cost(here, there) <= float(stated.promised(changed)) + TINY
    if neighbours is ADD_REMOVE:
        worst = max(max(gaussian_cost(a, b), gaussian_cost(b, a)) for a, b in runs.arrivals(1, most))
        assert 0.6 * float(GAUSSIAN.mu_squared) < worst <= float(GAUSSIAN.mu_squared) + TINY


@pytest.mark.slow
def test_blocks_keep_their_share_where_the_number_of_rows_is_public():
    """With two rows a whole run would leave all to coins; so the search is given its shape."""
    shape = BlockShape(cells=4, shared=2, selection_share=Fraction(1), n_tables=2)

    def grow(curator):
        return grow_blocks(
            curator, shape=shape, score=RScore(), k=None, max_candidates=8, coins=Streams(1).get("coins")
        )

    worst, networks = 0.0, set()
    records = list(product([0, 1], repeat=4))
    domain = Domain(tuple(attribute(name, 2) for name in "abcd"))
    known = {}
    for rows in list(combinations_with_replacement(records, 3))[::250]:
        for new in records:
            pair = [tuple(sorted(rows)), tuple(sorted((*rows[1:], new)))]
            for table in pair:
                if table not in known:
                    known[table] = transcripts(grow, domain, table, REPLACE_ONE, PURE, [])
            here, there = (known[table] for table in pair)
            networks.update(result for *_, result in here.values())
            worst = max(worst, *(loss for loss, _ in log_ratios(here, there)))
    assert len(networks) > 2
    assert 0.3 < worst <= float(PURE.epsilon) + TINY


class Noted:
    name, private = "noted", False

    def laplace(self, counts, scale):
        self.asked = int(counts[0]), scale
        return counts

    gaussian = laplace


@pytest.mark.parametrize("sizes", [(2, 2, 2), (3, 3)])
@pytest.mark.parametrize("budget", [PURE, GAUSSIAN], ids=["pure", "gaussian"])
def test_one_record_moves_the_strength_of_relations_no_further_than_is_paid_for(sizes, budget):
    domain = Domain(tuple(attribute(f"a{i}", size) for i, size in enumerate(sizes)))
    every, n = range(len(sizes)), 3
    groups = [[Candidate(a, (Axis(b),)) for b in every if b != a] for a in every]
    records = list(product(*map(range, sizes)))
    pure = budget is PURE

    def measured(rows, neighbours):
        noise = Noted()
        curator = open_curator(PlainCounter(domain, rows), budget=budget, neighbours=neighbours, noise=noise)
        curator.ask(MeanStrength(groups=groups, score=RScore()), share=Fraction(1))
        return *noise.asked, curator.protection

    def cost(one, other, scale):
        return Fraction(abs(one - other)) / scale if pure else Fraction((one - other) ** 2) / scale

    whole = budget.epsilon if pure else budget.mu_squared
    known = {rows: measured(rows, REPLACE_ONE) for rows in combinations_with_replacement(records, n)}
    alone = {rows: measured(rows, ADD_REMOVE) for k in (n - 1, n) for rows in combinations_with_replacement(records, k)}
    furthest = Fraction(0)
    for rows, (value, scale, stated) in known.items():
        for place, new in product(range(n), records):
            other, *_ = known[tuple(sorted((*rows[:place], new, *rows[place + 1 :])))]
            assert cost(value, other, scale) <= (stated.between(rows[place], new) if rows[place] != new else 0) <= whole
            furthest = max(furthest, cost(value, other, scale))
    for rows, (value, scale, _) in alone.items():
        for new in records if len(rows) < n else ():
            assert cost(value, alone[tuple(sorted((*rows, new)))][0], scale) <= whole
    assert furthest > Fraction(2, 5) * whole


def test_weights_of_many_denominators_are_rounded_and_stated_as_used():
    factors = tuple(Fraction(1, k) for k in (1, 31, 37, 41, 43, 47, 53, 59))
    score = WeightedRScore(weighted_child=0, factors=factors)
    assert all(used >= given for used, given in zip(score.factors, factors, strict=True))
    assert score.scale(10) == 2 * 10 * 64
    tables = np.zeros((1, 8, 2), dtype=np.int64)
    tables[0, 0, 0] = tables[0, 1, 1] = 50_000_000
    assert score(tables, 100_000_000)[0] > 0
