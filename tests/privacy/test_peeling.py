"""Several choices without repeats: the exact distribution of whole orders, proposals against weights, and the price."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest

from tests.audit_tools import categories_p_value
from tests.privacy.small import PlainCounter, binary
from tests.privacy.test_selection import exponential_distribution
from tests.privacy.test_unit import Seen
from understudy._core.errors import InternalError, OptionError
from understudy._core.randomness import SeededBytes
from understudy.counting import MemoryCounter, pair_parities
from understudy.privacy import (
    ADD_REMOVE,
    REPLACE_ONE,
    ExactNoise,
    FarthestParities,
    PrivacyUnit,
    _peeling,
    make_budget,
    make_noise,
    open_curator,
)
from understudy.privacy._peeling import Left, choose_several
from understudy.privacy._selection import gaps_of
from understudy.privacy._word_stream import WordStream
from understudy.schema import Attribute, Domain, Marginal
from understudy.tables import Table

pytestmark = pytest.mark.one_in(3)

CASES = [
    ([0, 0, 0], "1", 2),
    ([3, 0, 1, 9], "0.5", 2),
    ([0, 2, 2, 5], "0.3", 3),
    ([-7, -9, -8, -7, -30], "0.7", 2),
    ([0, 10**15, 10**15 + 2], "1e-15", 2),
    ([0, 400, 399, -(10**12)], "0.7", 3),
    ([0, 1 << 61], "5", 2),
]
SHARE = Fraction(1, 2)


def peeled_distribution(scores, rate, number):
    """One choice after the other by the formula of the exponential mechanism: the probability of every order."""
    found = {}
    for order in itertools.permutations(range(len(scores)), number):
        left, chance = list(range(len(scores))), 1.0
        for chosen in order:
            chance *= exponential_distribution([scores[i] for i in left], rate)[left.index(chosen)]
            left.remove(chosen)
        found[order] = chance
    return found


def drawn(scores, rate, number, times=2_000, seed=4):
    noise = ExactNoise(SeededBytes(seed))
    array = np.array(scores, dtype=np.int64)
    return Counter(tuple(noise.several(array, Fraction(rate), number).tolist()) for _ in range(times))


def p_value(found, expected):
    """Orders that hardly ever come are put together."""
    often = [order for order, chance in expected.items() if chance > 3e-3]
    rest = 1 - sum(expected[order] for order in often)
    counts, chances = [found[order] for order in often], [expected[order] for order in often]
    if rest > 1e-4:
        counts, chances = [*counts, sum(found.values()) - sum(counts)], [*chances, rest]
    assert sum(counts) > 0.99 * sum(found.values())
    return categories_p_value(counts, [chance / sum(chances) for chance in chances]) if len(chances) > 1 else 1.0


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("scores", "rate", "number"), CASES)
def test_orders_have_their_exact_distribution(scores, rate, number):
    expected = peeled_distribution(scores, float(Fraction(rate)), number)
    assert p_value(drawn(scores, rate, number), expected) > 1e-4


def test_a_wrong_rate_and_repeats_that_are_not_excluded_are_noticed():
    scores, rate, number = CASES[1]
    found = drawn(scores, rate, number)
    assert p_value(found, peeled_distribution(scores, 0.65, number)) < 1e-4
    one = exponential_distribution(scores, 0.5)  # as if the second had not known of the first
    together = {(i, j): one[i] * one[j] for i in range(4) for j in range(4) if i != j}
    total = sum(together.values())
    assert p_value(found, {order: chance / total for order, chance in together.items()}) < 1e-4


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ["_WINDOW", "_FAR"])
def test_what_shares_a_bound_and_levels_laid_out_anew_change_nothing(name, monkeypatch):
    monkeypatch.setattr(_peeling, name, 1)
    scores, rate, number = [0, 1, 3, 4, 9], "0.8", 3
    assert p_value(drawn(scores, rate, number), peeled_distribution(scores, 0.8, number)) > 1e-4


@pytest.mark.parametrize("window", [0, 1, 3, 62])
@pytest.mark.parametrize("rate", ["1/1000", "7/10", "3", "1000", "1e30"])
def test_bounds_hold_and_what_is_proposed_and_kept_has_its_weight(window, rate, monkeypatch):
    """A candidate is proposed as often as its bound says: times the chance to be kept, that is its weight."""
    monkeypatch.setattr(_peeling, "_WINDOW", window)
    scores = np.array([5, 0, 5, -3, 100, 97, -(10**6), 99], dtype=np.int64)
    left, taken = Left(gaps_of(scores), Fraction(rate)), set()
    stream = WordStream(SeededBytes(3))
    for _ in range(len(scores)):
        best = max(int(scores[i]) for i in range(len(scores)) if i not in taken)
        seen = []
        for candidates, bound in left.proposals():
            for candidate in candidates.tolist():
                seen.append(candidate)
                weight = left._kept(candidate, bound, 128)
                assert weight.scaled(100)[1] <= (1 << 100) + 1
                below = math.log(weight.high) + weight.exponent * math.log(2) - bound * math.log(2)
                gap = Fraction(rate) * (int(scores.max()) - int(scores[candidate]))
                assert below == pytest.approx(-float(gap - left._best * Fraction(rate)), rel=1e-9, abs=1e-9)
        assert sorted(seen) == [i for i in range(len(scores)) if i not in taken]
        assert left._best <= int(scores.max()) - best
        taken.add(left.draw(stream))


def test_all_of_them_in_some_order_and_none_too_many():
    scores = np.array([1, 1 << 62, -(1 << 62), 7], dtype=np.int64)
    for rate in ("1e-30", "1", "1e40"):
        assert sorted(choose_several(scores, Fraction(rate), 4, WordStream(SeededBytes(1))).tolist()) == [0, 1, 2, 3]
    assert choose_several(scores, Fraction(1), 0, WordStream(SeededBytes(1))).tolist() == []
    with pytest.raises(InternalError, match="5 different"):
        choose_several(scores, Fraction(1), 5, WordStream(SeededBytes(1)))


# -- the question ---------------------------------------------------------------------------------------------------

ROWS = [(0, 0, 1)] * 6 + [(1, 0, 0)] * 3 + [(1, 1, 1)] * 2
FIRST, SECOND = np.array([0, 0, 1]), np.array([1, 2, 2])


def question(**more):
    given = {"first": FIRST, "second": SECOND, "guesses": np.array([10, -5, 0]), "number": 2, "scale": 10}
    return FarthestParities(**{**given, **more})


def opened(rows=ROWS, **more):
    budget = make_budget(1, "1e-3")
    return open_curator(PlainCounter(binary(3), rows), **{"budget": budget, "neighbours": ADD_REMOVE, **more})


def parity(rows, a, b):
    return sum(1 if row[a] == row[b] else -1 for row in rows)


@pytest.mark.filterwarnings("ignore:delta is not below")
@pytest.mark.parametrize("neighbours", [REPLACE_ONE, ADD_REMOVE], ids=str)
def test_distances_are_of_parities_in_parts_and_paid_for_one_by_one(neighbours):
    seen = Seen(question())
    curator = opened(neighbours=neighbours, noise=make_noise(seed=1))
    found = curator.ask(seen, share=SHARE)
    exact = [parity(ROWS, a, b) for a, b in zip(FIRST, SECOND, strict=True)]
    assert seen.counted.tables[0].tolist() == [abs(10 * c - g) for c, g in zip(exact, (10, -5, 0), strict=True)]
    assert seen.counted.scale == 10
    assert len(set(found.tolist())) == 2
    [charge] = curator.charges
    moved = 4 if neighbours is REPLACE_ONE else 2
    assert (charge.n_candidates, charge.sensitivity, charge.share) == (3, moved, SHARE)
    assert charge.mechanism == "exponential mechanism, 2 times"
    assert float(2 * math.pi / 8 * (charge.rate * moved) ** 2) == pytest.approx(float(charge.mu_squared), rel=1e-5)


@pytest.mark.filterwarnings("ignore:delta is not below")
def test_answers_follow_the_distribution_of_peeled_choices():
    noise, found = make_noise(seed=8), Counter()
    for _ in range(2_000):
        curator = opened(noise=noise)
        found[tuple(curator.ask(question(), share=Fraction(1)).tolist())] += 1
    rate = float(curator.charges[0].rate)
    scores = [abs(parity(ROWS, a, b) - g / 10) for a, b, g in zip(FIRST, SECOND, (10, -5, 0), strict=True)]
    assert p_value(found, peeled_distribution(scores, rate, 2)) > 1e-4
    assert p_value(found, peeled_distribution([10 * s for s in scores], rate, 2)) < 1e-4  # as if a part were a row


def hardest(one, two):
    """The largest μ that an event needs: events that are likelier under the one come first."""
    inverse, order = NormalDist().inv_cdf, np.argsort(-np.array(one) / np.array(two))
    masses = zip(np.cumsum(np.array(one)[order])[:-1], np.cumsum(np.array(two)[order])[:-1], strict=True)
    return max(inverse(p) - inverse(q) for p, q in masses if min(p, q) > 1e-12 and max(p, q) < 1 - 1e-12)


def neighbours_of(rows, relation, width):
    every = list(itertools.product((0, 1), repeat=width))
    return [[*rows, row] if relation is ADD_REMOVE else [*rows[:-1], row] for row in every]


def dearest(relation, number, width=3):
    """The largest μ² that an event needs, over what is paid: for all tables of two equal rows and their neighbours."""
    first, second = np.triu_indices(width, 1)
    asked = question(first=first, second=second, number=number, guesses=7 * (np.arange(len(first)) % 3 - 1))
    worst = 0.0
    for row in itertools.product((0, 1), repeat=width):
        distributions = []
        for some in [[row] * 2, *neighbours_of([row] * 2, relation, width)]:
            counter = PlainCounter(binary(width), some)
            more = {"neighbours": relation, "noise": make_noise(seed=1)}
            curator, seen = open_curator(counter, budget=make_budget(1, "1e-3"), **more), Seen(asked)
            curator.ask(seen, share=SHARE)
            scores = [int(score) / 10 for score in seen.counted.tables[0]]
            distributions.append(list(peeled_distribution(scores, float(curator.charges[0].rate), number).values()))
        paid = float(curator.charges[0].mu_squared)
        here, *others = distributions
        worst = max(worst, *(hardest(here, there) ** 2 / paid for there in others))
    return worst


@pytest.mark.filterwarnings("ignore:delta is not below")
@pytest.mark.parametrize("relation", [REPLACE_ONE, ADD_REMOVE], ids=str)
@pytest.mark.parametrize("number", [1, 2])
def test_no_event_tells_neighbours_apart_better_than_was_paid_for(relation, number):
    assert 0.1 < dearest(relation, number) <= 1 + 1e-6


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:delta is not below")
def test_a_price_of_one_choice_for_all_of_them_is_caught(monkeypatch):
    """As if choices without repeats cost no more than one."""
    price = FarthestParities.price
    assert dearest(ADD_REMOVE, 3, width=4) <= 1
    monkeypatch.setattr(FarthestParities, "price", lambda self, facts, share: price(self, facts, share * self.number))
    assert dearest(ADD_REMOVE, 3, width=4) > 1.5


@pytest.mark.filterwarnings("ignore:delta is not below")
def test_distances_charged_as_those_of_one_pair_are_caught(monkeypatch):
    """What moves is the difference of two distances, twice as far as one of them."""
    monkeypatch.setattr(
        "understudy.privacy._farthest_parities.distance_sensitivity",
        lambda by, neighbours: Fraction(neighbours.cells_of_row),
    )
    assert dearest(ADD_REMOVE, 2) > 1.5


@pytest.mark.filterwarnings("ignore:delta is not below")
def test_a_unit_of_several_rows_moves_distances_as_often():
    curator = opened(unit=PrivacyUnit("one patient", max_rows=3), noise=make_noise(seed=1))
    curator.measure_rows(share=Fraction(1, 10))
    curator.ask(question(), share=SHARE)
    assert curator.charges[-1].sensitivity == 6


def test_what_needs_no_choice_is_free_and_what_makes_no_sense_costs_nothing():
    curator = opened()
    assert curator.ask(question(number=3), share=SHARE).tolist() == [0, 1, 2]
    assert curator.ask(question(number=0), share=SHARE).tolist() == []
    for wrong in (
        {"number": 4},
        {"scale": 0},
        {"second": np.array([1, 2, 1])},
        {"second": np.array([1, 2])},
        {"guesses": np.array([0.5, 0, 0])},
        {"guesses": np.array([1 << 61, 0, 0])},
    ):
        with pytest.raises(InternalError):
            curator.ask(question(**wrong), share=SHARE)
    assert curator.share_left == 1
    with pytest.raises(OptionError, match="delta above 0"):
        opened(budget=make_budget(1)).ask(question(), share=SHARE)
    with pytest.raises(InternalError, match="64 bits"):
        opened().ask(question(scale=1 << 58), share=SHARE)


@pytest.mark.filterwarnings("ignore:delta is not below")
def test_a_diagnostic_takes_the_best_ones():
    curator = opened(noiseless="selection", noise=make_noise(seed=1))
    assert curator.ask(question(), share=SHARE).tolist() == [1, 0]
    assert not curator.charges[0].mu_squared


# -- parities of very many pairs ------------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
def test_parities_of_many_pairs_are_those_of_their_tables(weighted):
    rng = np.random.default_rng(2)
    sizes = [2, 3] * 3 + [2] * 44
    domain = Domain(tuple(Attribute(name=f"a{i}", size=size) for i, size in enumerate(sizes)))
    table = Table(domain, tuple(rng.integers(0, size, 130).astype(np.uint8) for size in sizes))
    counter = MemoryCounter(table, weights=rng.integers(1, 4, 130).astype(np.uint32) if weighted else None)
    two = np.array([a for a, size in enumerate(sizes) if size == 2])
    first, second = (two[side] for side in np.triu_indices(len(two), 1))
    assert len(first) > 1024
    tables = counter.count([Marginal.of(a, b) for a, b in zip(first.tolist(), second.tolist(), strict=True)])
    expected = [int(t[0, 0] + t[1, 1] - t[0, 1] - t[1, 0]) for t in tables]
    assert pair_parities(counter, first, second).tolist() == expected
    assert pair_parities(counter, second[:9], first[:9]).tolist() == expected[:9]
    assert pair_parities(counter, first[:0], second[:0]).size == 0
