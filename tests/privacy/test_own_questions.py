"""What a curator refuses of questions, scores and accountants that somebody wrote: slips that would cost privacy."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import log

import numpy as np
import pytest

from tests.privacy.small import PlainCounter, binary
from tests.privacy.test_selection import flip_distribution
from understudy._core.errors import InternalError
from understudy.models import WeightedRScore
from understudy.privacy import (
    ADD_REMOVE,
    REPLACE_ONE,
    AddNoise,
    BestCandidate,
    Candidate,
    Counted,
    FarthestGuess,
    NoiseLevel,
    NoisyTables,
    Price,
    PureBudget,
    make_budget,
    make_noise,
    open_curator,
)
from understudy.privacy._question import PrivateRows
from understudy.schema import Attribute, Axis, Domain, Marginal, Part, Recoding, recode

HALF = Fraction(1, 2)
ROWS = [(0, 0), (0, 1), (1, 1), (1, 1)]
PAIRS = [Candidate(0, (Axis(1),)), Candidate(1, (Axis(0),)), Candidate(0, ())]
NO_NOISE = NoiseLevel(kind="none", scale=Fraction(0))


@dataclass(frozen=True)
class Bare:
    """A question that forgets its noise, or counts what is no whole number."""

    counted: object = None
    noise: NoiseLevel = NO_NOISE
    what: str = "bare"

    def free_answer(self, facts):
        return None

    def price(self, facts, share):
        return Price(mechanism=AddNoise(self.noise), sensitivity=Fraction(1))

    def count(self, rows, facts):
        return Counted(rows.count([Marginal.of(0)]) if self.counted is None else [np.array(self.counted)])

    def answer(self, noisy, price, facts):
        return noisy[0].tolist()


@pytest.mark.parametrize("noise", [None, make_noise(seed=1)], ids=["private", "seeded"])
def test_no_question_gets_exact_counts_out_of_a_run_that_promises_privacy(noise):
    counter = PlainCounter(binary(2), ROWS)
    curator = open_curator(counter, budget=make_budget(1), noise=noise)
    with pytest.raises(InternalError, match="bare: 'exact counts' was to answer in a run that promises privacy"):
        curator.ask(Bare(), share=HALF)
    assert (counter.n_tables, curator.charges, curator.share_left) == (0, (), 1)


@pytest.mark.parametrize("opened", [{"noiseless": "tables"}, {"no_guarantee": True}], ids=str)
def test_runs_without_a_guarantee_give_them_out(opened):
    curator = open_curator(PlainCounter(binary(2), ROWS), budget=make_budget(1), **opened)
    assert curator.ask(Bare(), share=HALF) == [2, 2]
    assert not curator.guarantee
    assert curator.protection is None


@pytest.mark.parametrize("counted", [[0.99], [1.0], np.array([1], dtype=np.uint64), np.array([1], dtype=object)])
def test_what_is_counted_is_whole_numbers(counted):
    """A mean of sensitivity 1/n, taken down to an integer, would move by 1: n times as far as its noise is for."""
    curator = open_curator(PlainCounter(binary(2), ROWS), budget=make_budget(1))
    level = NoiseLevel(kind="laplace", scale=Fraction(1, 4))
    with pytest.raises(InternalError, match="whole numbers"):
        curator.ask(Bare(counted, level), share=HALF)
    assert curator.share_left == HALF  # it had looked at rows by then


class Generous(Bare):
    """One that looks at an attribute and gives back what was promised of it."""

    def price(self, facts, share):
        mechanism = facts.noise_for(share, facts.terms.table_sensitivity)
        return Price(mechanism=mechanism, sensitivity=Fraction(2), touches=((frozenset({0}), -share),))


def test_no_question_makes_a_promise_larger():
    counter = PlainCounter(binary(2), ROWS)
    curator = open_curator(counter, budget=make_budget(1))
    curator.promise([0], Fraction(1, 10))
    with pytest.raises(InternalError, match="must not be below 0"):
        curator.ask(Generous(), share=HALF)
    assert (counter.n_tables, curator.charges) == (0, ())


class OtherChoice(PureBudget):
    """An accountant whose choices have no rate."""

    def choice(self, rate):
        return Uniform()


class Uniform:
    """Private, and no use."""

    name, private, noise, rate = "a coin", True, None, None

    def __call__(self, counted, source):
        return [np.array([0])]


@pytest.mark.parametrize("neighbours", [REPLACE_ONE, ADD_REMOVE])
@pytest.mark.parametrize(
    "question",
    [
        BestCandidate(candidates=PAIRS, score=WeightedRScore(weighted_child=0, factors=(Fraction(1), HALF))),
        FarthestGuess(marginals=[Marginal.of(0), Marginal.of(1)], guesses=np.array([1, 0, 0, 2])),
    ],
    ids=["best", "farthest"],
)
def test_a_choice_without_a_rate_costs_a_change_all_that_its_share_allows(question, neighbours):
    budget = OtherChoice(epsilon=Fraction(1))
    curator = open_curator(PlainCounter(binary(2), ROWS), budget=budget, neighbours=neighbours)
    curator.ask(question, share=HALF)
    twice = 1 if neighbours is REPLACE_ONE else 2
    assert curator.protection.of_attribute(0) == twice * HALF
    assert curator.protection.between((0, 0), (1, 1)) == twice * HALF


@pytest.mark.parametrize("far", [-(2**63), -(2**63) + 1, 2**63 - 1, 2**62])
@pytest.mark.parametrize("by", ["tables", "cells"])
def test_a_guess_whose_distance_would_wrap_around_is_refused(far, by):
    """At −2⁶³ + 1 one row more took the distance from −2⁶³ to 2⁶³ − 1, where 1 was charged for."""
    counter = PlainCounter(binary(2), ROWS)
    curator = open_curator(counter, budget=make_budget(1), neighbours=ADD_REMOVE)
    guesses = np.array([far, 0, 0, 0])
    with pytest.raises(InternalError, match="would not fit 64 bits"):
        curator.ask(FarthestGuess(marginals=[Marginal.of(0), Marginal.of(1)], guesses=guesses, by=by), share=HALF)
    assert (counter.n_tables, curator.charges) == (0, ())


@dataclass(frozen=True)
class Times:
    """Rows in which both agree, some times over; one name for all."""

    factor: int
    name: str = "agreement"

    def scale(self, n):
        return self.factor

    def __call__(self, tables, n):
        return self.factor * sum(tables[:, i, i] for i in range(min(tables.shape[1:])))

    def difference_sensitivity(self, n, shapes, neighbours):
        return Fraction(2)


class Unhashable(Times):
    """One that cannot be told from another."""

    __hash__ = None


@pytest.mark.parametrize("kind", [Times, Unhashable])
def test_scores_of_one_name_are_not_mixed_up(kind):
    """A remembered score of scale 1000 that is read on a scale of 1 moves 1000 times as far as was charged."""
    rows = PrivateRows(PlainCounter(binary(2), ROWS))
    for factor in (1000, 1, 1000):
        counted = rows.scores(PAIRS, kind(factor))
        assert (counted.tables[0] / counted.scale).tolist() == [3, 3, 2]


def test_a_share_may_be_a_whole_number():
    curator = open_curator(PlainCounter(binary(2), ROWS), budget=make_budget(1))
    [noisy] = curator.ask(NoisyTables(marginals=[Marginal.of(0)]), share=1)
    assert noisy.noise.scale == 2
    assert curator.share_left == 0


TERNARY = Domain((Attribute(name="a", size=3), Attribute(name="b", size=2)))
TURNED = Recoding(
    source=TERNARY,
    target=TERNARY,
    parts=(Part(source=0, lookup=(2, 0, 1)), Part(source=1, lookup=(0, 1))),
    pieces=((0,), (1,)),
    back=((1, 2, 0), (0, 1)),
)


def test_weights_of_a_child_are_those_of_its_values_in_the_table_itself():
    """Through a view that turns the codes, a change was stated at 1/16 of ε and cost 9/64."""
    score = WeightedRScore(weighted_child=0, factors=(Fraction(1), Fraction(1, 8), Fraction(1, 8)))
    candidates = [Candidate(0, (Axis(1),)), Candidate(0, ())]
    rest = [(2, 1)] * 3
    for one, other in product(product(range(3), range(2)), repeat=2):
        chances = []
        for row in (one, other):
            curator = open_curator(PlainCounter(TERNARY, [row, *rest]), budget=make_budget(1), noise=make_noise(seed=1))
            view = curator.recoded(TURNED)
            view.ask(BestCandidate(candidates=candidates, score=score), share=HALF)
            counted = PrivateRows(PlainCounter(TERNARY, [row, *rest])).recoded(TURNED).scores(candidates, score)
            rate = float(curator.charges[0].rate)
            chances.append(flip_distribution(list(counted.tables[0] / counted.scale), rate))
        cost = max(abs(log(x / y)) for x, y in zip(*chances, strict=True))
        assert cost <= float(curator.protection.between(one, other)) * (1 + 1e-9)


def test_weights_of_a_part_of_an_attribute_say_nothing_of_the_whole():
    domain = Domain((Attribute(name="a", size=4), Attribute(name="b", size=2)))
    curator = open_curator(PlainCounter(domain, [(3, 1), (0, 0)]), budget=make_budget(1), noise=make_noise(seed=1))
    view = curator.recoded(recode(domain, "binary"))
    score = WeightedRScore(weighted_child=0, factors=(Fraction(1, 8), Fraction(1, 4)))
    view.ask(BestCandidate(candidates=[Candidate(0, (Axis(1),)), Candidate(0, (Axis(2),))], score=score), share=HALF)
    assert curator.protection.of_attribute(0) == HALF
    assert all(curator.protection.between((x, 0), (y, 0)) == HALF for x in range(4) for y in range(4) if x != y)
