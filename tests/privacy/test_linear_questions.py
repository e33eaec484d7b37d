"""Linear queries and the first above a threshold, by exact computation on all neighbours of tiny tables."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from math import exp, log
from statistics import NormalDist

import numpy as np
import pytest

from tests.privacy.small import PlainCounter
from tests.privacy.test_unit import Seen
from understudy._core.errors import InternalError, OptionError
from understudy.privacy import (
    ADD_REMOVE,
    REPLACE_ONE,
    AboveThreshold,
    Counted,
    FirstAbove,
    LinearQueries,
    NoiseLevel,
    NoisyLinear,
    PrivacyTerms,
    PrivacyUnit,
    QuantileOfErrors,
    WorstTable,
    make_budget,
    make_noise,
    open_curator,
    row_sensitivity,
)
from understudy.schema import Attribute, Domain, Marginal

DOMAIN = Domain((Attribute(name="a", size=2), Attribute(name="b", size=2)))
CELLS = list(product(range(2), repeat=2))
WHOLE, FIRST = Marginal.of(0, 1), Marginal.of(0)
DENSE = LinearQueries.dense(WHOLE, DOMAIN, np.array([[0, 1, 2, 3], [3, 0, 0, 3], [1, 1, 1, 1]]), 3)
COUNTS = LinearQueries.products(FIRST, DOMAIN, [np.array([[1, 0], [1, 1]])], [1, 1])
ODD = LinearQueries.dense(WHOLE, DOMAIN, np.array([[0, 1000, 2000, 2999]]), 2999)  # no grid holds it
TABLE = LinearQueries.cells(WHOLE, DOMAIN)
BATCHES = {"weights": [DENSE], "counts": [COUNTS], "both": [COUNTS, DENSE], "odd": [ODD], "cells": [TABLE]}
FAR = {name: np.arange(sum(map(len, batches))) % 3 / 1.0 for name, batches in BATCHES.items()}
both_relations = pytest.mark.parametrize("neighbours", [REPLACE_ONE, ADD_REMOVE], ids=str)
either_budget = pytest.mark.parametrize("delta", [None, "1e-6"])
one_or_two = pytest.mark.parametrize("bound", [1, 2])


@cache
def pairs(neighbours, bound):
    """All neighbours among tables of up to three rows: rows of a unit are replaced, or added, or removed."""
    tables = [table for n in (1, 2, 3) for table in combinations_with_replacement(CELLS, n)]
    found = []
    for one, other in product(tables, repeat=2):
        moved = np.array([one.count(cell) - other.count(cell) for cell in CELLS])
        gone, come = int(np.maximum(moved, 0).sum()), int(np.maximum(-moved, 0).sum())
        # a unit of several rows may be replaced by one that has more of them, or fewer
        alike = {ADD_REMOVE: min(gone, come) == 0, REPLACE_ONE: gone == come or bound > 1}[neighbours]
        if alike and 0 < max(gone, come) <= bound:
            found.append((one, other))
    return found


def seen(question, rows, neighbours, bound, delta):
    curator = open_curator(
        PlainCounter(DOMAIN, rows),
        budget=make_budget(1, delta),
        neighbours=neighbours,
        unit=PrivacyUnit("one patient", max_rows=bound),
        noise=make_noise(seed=1),
    )
    found = Seen(question)
    curator.ask(found, share=Fraction(1, 2))
    return found, float(curator.budget.price(Fraction(1, 2)))


def worst_cost(question, neighbours, bound, delta, cost, *, charged_for=None):
    known = {}
    for table in {table for pair in pairs(neighbours, bound) for table in pair}:
        known[table] = seen(question, table, neighbours, charged_for or bound, delta)
    allowed = next(iter(known.values()))[1]
    return max(cost(known[one][0], known[other][0]) for one, other in pairs(neighbours, bound)), allowed


def cost_of_noise(pure):
    def cost(one, other):
        scale = float(one.price_.mechanism.noise.scale)
        moved = np.abs(one.counted.tables[0] - other.counted.tables[0]).astype(float)
        return (moved / scale).sum() if pure else (moved**2 / (2 * scale)).sum()

    return cost


@pytest.mark.one_in(4)
@both_relations
@either_budget
@one_or_two
@pytest.mark.parametrize("name", BATCHES)
def test_no_neighbour_moves_noisy_answers_further_than_is_paid_for(name, neighbours, delta, bound):
    question = NoisyLinear(queries=BATCHES[name])
    worst, allowed = worst_cost(question, neighbours, bound, delta, cost_of_noise(delta is None))
    assert worst <= allowed * (1 + 1e-9)
    if name == "cells" and delta is None:
        assert worst == pytest.approx(allowed)  # the bound is met: no noise is wasted


@both_relations
@pytest.mark.parametrize("name", ["weights", "cells"])
def test_answers_that_ignore_the_rows_of_a_unit_are_caught(name, neighbours):
    question = NoisyLinear(queries=BATCHES[name])
    worst, allowed = worst_cost(question, neighbours, 2, None, cost_of_noise(True), charged_for=1)
    assert worst > 1.2 * allowed


@pytest.mark.one_in(4)
@both_relations
@either_budget
@one_or_two
@pytest.mark.parametrize("name", BATCHES)
@pytest.mark.parametrize("last", [False, True], ids=["least", "largest"])
def test_no_neighbour_moves_a_quantile_of_errors_further_than_is_paid_for(name, neighbours, delta, bound, last):
    rank = sum(map(len, BATCHES[name])) if last else 1
    question = QuantileOfErrors(queries=BATCHES[name], guesses=FAR[name], rank=rank)
    worst, allowed = worst_cost(question, neighbours, bound, delta, cost_of_noise(delta is None))
    assert 0 < worst <= allowed * (1 + 1e-9)


def tails(scale, at_least):
    """P[noise ≥ k] of a discrete Laplace, for each k."""
    ratio = exp(-1 / scale)
    return np.where(
        at_least > 0,
        ratio ** np.maximum(at_least, 0.0) / (1 + ratio),
        1 - ratio ** (1 - np.minimum(at_least, 0.0)) / (1 + ratio),
    )


def first_above(numbers, mechanism):
    """The exact distribution of AboveThreshold: each place, and none."""
    narrow, wide = float(mechanism.threshold_noise.scale), float(mechanism.noise.scale)
    reach = int(45 * narrow) + 2 if mechanism.threshold_noise.kind != "none" else 0
    shifts = np.arange(-reach, reach + 1)
    still = np.exp(-np.abs(shifts) / narrow) * np.tanh(0.5 / narrow) if reach else np.ones(1)
    found = []
    for number in numbers:
        above = tails(wide, mechanism.threshold + shifts - int(number))
        found.append(float((still * above).sum()))
        still = still * (1 - above)
    return [*found, float(still.sum())]


def cost_of_first_above(one, other):
    here, there = (_distribution(tuple(s.counted.tables[0].tolist()), s.price_.mechanism) for s in (one, other))
    return max(abs(log(p / q)) for p, q in zip(here, there, strict=True))


@cache
def _distribution(numbers, mechanism):
    return first_above(numbers, mechanism)


@pytest.mark.one_in(4)
@both_relations
@one_or_two
@pytest.mark.parametrize("name", ["weights", "counts", "cells"])
@pytest.mark.parametrize("threshold", [0, 1, 3])
def test_the_first_above_costs_its_share_of_epsilon(name, neighbours, bound, threshold):
    question = FirstAbove(queries=BATCHES[name], guesses=FAR[name], threshold=Fraction(threshold))
    worst, allowed = worst_cost(question, neighbours, bound, None, cost_of_first_above)
    assert 0.2 * allowed < worst <= allowed * (1 + 1e-9)


def test_the_first_above_with_a_delta_costs_no_more_than_a_coin_of_its_epsilon():
    question = FirstAbove(queries=[TABLE], guesses=FAR["cells"], threshold=Fraction(1))
    worst, allowed = worst_cost(question, REPLACE_ONE, 1, "1e-6", cost_of_first_above)
    assert 0.1 * allowed < (2 * NormalDist().inv_cdf(1 / (1 + exp(-worst)))) ** 2 <= allowed * (1 + 1e-9)


def test_a_threshold_without_noise_is_caught():
    """Row 8 of the review: without noise in the threshold, each number below it costs by itself."""
    sound = AboveThreshold.for_epsilon(Fraction(1), Fraction(1), threshold=3)
    broken = AboveThreshold(3, NoiseLevel(kind="none", scale=Fraction(0)), sound.noise)
    many = 200
    below, nearer = np.zeros(many, dtype=np.int64), np.ones(many, dtype=np.int64)
    losses = {
        name: max(abs(log(p / q)) for p, q in zip(first_above(below, m), first_above(nearer, m), strict=True))
        for name, m in {"sound": sound, "broken": broken}.items()
    }
    assert losses["sound"] <= 1 + 1e-9
    assert losses["broken"] > 4
    assert not broken.private
    curator = open_curator(PlainCounter(DOMAIN, [(0, 1)] * 3), budget=make_budget(1))
    with pytest.raises(InternalError, match="was to answer in a run that promises privacy"):
        curator.ask(_Broken(queries=[TABLE], guesses=FAR["cells"], threshold=Fraction(1)), share=Fraction(1))


class _Broken(FirstAbove):
    def price(self, facts, share):
        from dataclasses import replace

        usual = super().price(facts, share)
        none = NoiseLevel(kind="none", scale=Fraction(0))
        return replace(usual, mechanism=replace(usual.mechanism, threshold_noise=none))


@pytest.mark.parametrize("size", [3, 600])
def test_the_mechanism_draws_from_the_distribution_that_was_proven(size):
    """5,000 draws beside the exact one, and beside one with half of the noise, which they must not fit."""
    numbers = np.zeros(size, dtype=np.int64)
    numbers[-1], numbers[1] = 9, 2
    mechanism = AboveThreshold.for_epsilon(Fraction(1), Fraction(1), threshold=12)
    noise, trials = make_noise(seed=3), 5000
    drawn = np.zeros(size + 1)
    for _ in range(trials):
        [[place]] = mechanism(Counted([numbers]), noise)
        drawn[place] += 1  # −1 is the last
    distance = {}
    for name, m in {
        "right": mechanism,
        "half": AboveThreshold.for_epsilon(Fraction(2), Fraction(1), threshold=12),
    }.items():
        exact = first_above(numbers, m)
        distance[name] = np.abs(np.cumsum(exact) - np.cumsum(drawn / trials)).max()
    assert distance["right"] < 1.95 / trials**0.5  # Kolmogorov, one in a thousand
    assert distance["half"] > 1.95 / trials**0.5


@both_relations
@one_or_two
def test_no_neighbour_moves_the_choice_of_a_table_further_than_is_paid_for(neighbours, bound):
    question = WorstTable(
        marginals=(FIRST, Marginal.of(1), WHOLE),
        guesses=np.array([1, 0, 0, 2, 1, 0, 0, 1]),
        weights=(64, 32, 64),
        penalties=(0, 1, 2),
    )

    def cost(one, other):
        from tests.privacy.test_selection import flip_distribution

        values = [s.counted.tables[0] / s.counted.scale for s in (one, other)]
        here, there = (flip_distribution(list(v), float(one.price_.mechanism.rate)) for v in values)
        return max(abs(log(p / q)) for p, q in zip(here, there, strict=True))

    worst, allowed = worst_cost(question, neighbours, bound, None, cost)
    assert 0.3 * allowed < worst <= allowed * (1 + 1e-9)


def naive(batch, table):
    """Sums cell by cell, in fractions."""
    found = []
    for q, parts in enumerate(batch.denominators.tolist()):
        total = Fraction(0)
        for place, cell in enumerate(product(*(range(size) for size in batch.shape))):
            if batch.is_cells:
                weight = Fraction(int(place == q))
            elif batch.by_cell is not None:
                weight = Fraction(int(batch.by_cell[q, place]), parts)
            else:
                weight = Fraction(1, parts)
                for axis, code in enumerate(cell):
                    weight *= int(batch.by_axis[axis][q, code])
            total += weight * int(table[cell])
        found.append(total)
    return found


@pytest.mark.parametrize("seed", range(5))
def test_all_forms_of_queries_sum_exactly(seed):
    rng = np.random.default_rng(seed)
    domain = Domain(tuple(Attribute(name=f"a{i}", size=size) for i, size in enumerate((3, 1, 4, 2))))
    marginal, shape = Marginal.of(0, 1, 2, 3), (3, 1, 4, 2)
    table = rng.integers(0, 1 << (42 if seed == 4 else 10), shape)  # the last does not fit doubles
    batches = [
        LinearQueries.cells(marginal, domain),
        LinearQueries.dense(marginal, domain, rng.integers(0, 1001, (7, 24)), 1000),
        LinearQueries.products(marginal, domain, [rng.integers(0, 11, (7, size)) for size in shape], [10**4] * 7),
    ]
    for batch in batches:
        exact = naive(batch, table)
        pairs_of = zip(batch.totals(table).tolist(), batch.denominators.tolist(), strict=True)
        assert [Fraction(total, parts) for total, parts in pairs_of] == exact
        assert batch.answers(table / 7.0) == pytest.approx([float(x / 7) for x in exact])
        assert batch.squares.shape == (len(batch),)
        some = np.array([len(batch) - 1, 0])
        chosen = batch.chosen(some)
        assert naive(chosen, table) == [exact[i] for i in some]
        values = rng.random(len(batch))
        assert float((batch.push(values) * table).sum()) == pytest.approx(float(values @ batch.answers(table)))


def test_bounds_for_many_queries_hold_cell_by_cell():
    weights = DENSE.by_cell / DENSE.denominators[:, None]
    moved = [np.abs(weights[:, i] - weights[:, j]) for i in range(4) for j in range(4)]
    bound = row_sensitivity([DENSE], 2)
    assert max(m.sum() for m in moved) <= bound.l1
    assert max((m**2).sum() for m in moved) <= bound.l2_squared
    assert max(weights.sum(axis=0)) <= row_sensitivity([DENSE], 1).l1


@pytest.mark.parametrize("weights", [[[1.5, 0]], [[-0.1, 0]], [[float("nan"), 0]], [0.5, 1]])
def test_weights_outside_0_and_1_are_refused(weights):
    with pytest.raises(OptionError, match="between 0 and 1"):
        LinearQueries.weighted(FIRST, DOMAIN, np.array(weights))


def test_weights_of_other_shapes_are_refused():
    with pytest.raises(OptionError, match="a row of 2 whole numbers"):
        LinearQueries.dense(FIRST, DOMAIN, np.array([[1, 1, 1]]), 1)
    with pytest.raises(OptionError, match="between 0 and 1"):
        LinearQueries.products(FIRST, DOMAIN, [np.array([[2, 0]])], [1])
    with pytest.raises(InternalError, match="one weight for each place"):
        LinearQueries.products(FIRST, DOMAIN, [np.array([[1, 0, 1]])], [1])


@pytest.mark.parametrize(
    "question",
    [
        FirstAbove(queries=[TABLE], guesses=np.zeros(3), threshold=Fraction(1)),
        FirstAbove(queries=[TABLE], guesses=np.full(4, np.inf), threshold=Fraction(1)),
        QuantileOfErrors(queries=[TABLE], guesses=np.zeros(4), rank=5),
        NoisyLinear(queries=[]),
        WorstTable(marginals=(FIRST,), guesses=np.zeros(3, dtype=np.int64), weights=(64,), penalties=(0,)),
        WorstTable(marginals=(FIRST,), guesses=np.zeros(2, dtype=np.int64), weights=(65,), penalties=(0,)),
        WorstTable(marginals=(FIRST,), guesses=np.full(2, 1 << 61), weights=(64,), penalties=(0,)),
    ],
)
def test_questions_that_make_no_sense_cost_nothing(question):
    curator = open_curator(PlainCounter(DOMAIN, [(0, 1)] * 3), budget=make_budget(1))
    with pytest.raises(InternalError):
        curator.ask(question, share=Fraction(1, 2))
    assert curator.share_left == 1


def test_a_pure_step_with_a_delta_gets_the_epsilon_whose_coin_costs_its_share():
    terms = PrivacyTerms(budget=make_budget(1, "1e-6"))
    epsilon = float(terms.budget.pure_epsilon(Fraction(1, 3)))
    coin = (2 * NormalDist().inv_cdf(1 / (1 + exp(-epsilon)))) ** 2
    assert coin == pytest.approx(float(terms.budget.price(Fraction(1, 3))), rel=1e-9)
    assert make_budget(1).pure_epsilon(Fraction(1, 3)) == Fraction(1, 3)
