"""Parities asked together: exact ratios of probabilities on neighbours of tiny tables, and twins that are caught."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from tests.audit_tools import epsilon_lower_bound
from tests.privacy.small import PlainCounter, binary
from tests.privacy.test_together import both_relations, log_probability, worst_loss
from tests.privacy.test_unit import Seen
from understudy.privacy import (
    ADD_REMOVE,
    REPLACE_ONE,
    AddTogether,
    NoiseLevel,
    NoisyParities,
    ParitiesTogether,
    PrivacyTerms,
    PrivacyUnit,
    make_budget,
    make_noise,
    open_curator,
    parities_sensitivity,
)
from understudy.schema import Attribute, Domain, Marginal

pytestmark = pytest.mark.one_in(3)

DOMAIN = Domain((Attribute(name="a", size=2), Attribute(name="b", size=3)))
CELLS = list(product(range(2), range(3)))
BOTH = (Marginal.of(0), Marginal.of(1), Marginal.of(0, 1))  # 1 + 3 + 3 coefficients
HALF = Fraction(1, 2)


def opened(rows, neighbours=REPLACE_ONE, *, bound=1, delta=None, seed=1, domain=DOMAIN, **options):
    return open_curator(
        PlainCounter(domain, rows),
        budget=make_budget(1, delta),
        neighbours=neighbours,
        unit=PrivacyUnit("one patient", max_rows=bound),
        noise=make_noise(seed=seed),
        **options,
    )


def neighbouring(neighbours, bound):
    """Tables of up to three rows of which one unit's rows differ, and how."""
    others = [(), (CELLS[1],)]
    units = [list(rows) for size in range(1, bound + 1) for rows in product(CELLS, repeat=size)]
    for rest in others:
        for unit in units:
            if neighbours is ADD_REMOVE:
                if rest:
                    yield [*unit, *rest], list(rest)
            else:
                yield from (([*unit, *rest], [*new, *rest]) for new in units)


def moves(neighbours, bound, *, charged_for=None):
    """How far the measured numbers of neighbours are apart, each way once, and the mechanism."""
    pairs, known = list(neighbouring(neighbours, bound)), {}
    for rows in {tuple(sorted(rows)) for pair in pairs for rows in pair}:
        known[rows] = Seen(ParitiesTogether(marginals=BOTH))
        opened(rows, neighbours, bound=charged_for or bound).ask(known[rows], share=HALF)
    [mechanism] = {asked.price_.mechanism for asked in known.values()}  # fixed from public facts
    found = set()
    for pair in pairs:
        counted = zip(*(known[tuple(sorted(rows))].counted.tables for rows in pair), strict=True)
        found.add(tuple(tuple(map(int, a - b)) for a, b in counted))
    return found, mechanism


@both_relations
@pytest.mark.parametrize("bound", [1, 2])
def test_no_neighbour_moves_parities_further_than_is_paid_for(neighbours, bound):
    moved, mechanism = moves(neighbours, bound)
    assert isinstance(mechanism, AddTogether)
    assert not mechanism.balanced
    assert all(len(number) == 1 for move in moved for number in move)
    assert loss(mechanism, moved) == pytest.approx(0.5)  # the bound holds, and is met


def loss(mechanism, moved, law=log_probability):
    """Of some noise for each move: none, as far as the move, back again, and beyond."""
    worst = 0.0
    for move in moved:
        for times in (-2, -1, 0, 1, 2):
            here = [tuple(times * x for x in number) for number in move]
            there = [tuple((times + 1) * x for x in number) for number in move]
            worst = max(worst, abs(law(mechanism, here) - law(mechanism, there)))
    return worst


@both_relations
def test_noise_that_ignores_the_rows_of_a_unit_is_caught(neighbours):
    moved, mechanism = moves(neighbours, 2, charged_for=1)
    assert loss(mechanism, moved) > 0.9


@both_relations
def test_noise_that_forgets_that_parities_move_at_once_is_caught(neighbours):
    """As if each had the whole share to itself."""

    def apart(mechanism, noise):
        return sum(log_probability(mechanism, (z,)) for z in noise)

    moved, mechanism = moves(neighbours, 1)
    assert loss(mechanism, moved, apart) > 1.9


def test_coefficients_that_a_replaced_row_moves_by_two_are_caught_if_charged_for_one():
    """Where the number of rows is private, coefficients themselves are measured, and not numbers of odd records."""
    terms = PrivacyTerms(budget=make_budget(1), unit=PrivacyUnit("one patient", max_rows=2))
    assert parities_sensitivity(terms, 1).l1 == 4
    moved, mechanism = moves(REPLACE_ONE, 2)
    cheap = AddTogether(2 * mechanism.decay, False, mechanism.levels, mechanism.noise)
    assert loss(cheap, moved) > 0.9


def test_worst_losses_are_found_by_the_wider_search_as_well():
    domain, marginals = binary(2), [Marginal.of(0), Marginal.of(0, 1)]
    asked = Seen(ParitiesTogether(marginals=marginals))
    opened([(0, 0)], domain=domain).ask(asked, share=HALF)
    assert worst_loss(asked.price_.mechanism, {((1,), (-1,)), ((0,), (1,))}) == pytest.approx(0.5)


@both_relations
def test_answers_are_coefficients_again_and_noise_is_as_foretold(neighbours):
    domain = binary(4)
    marginals = [Marginal.of(*places) for ways in (1, 2) for places in combinations(range(4), ways)]
    rows = [(0, 0, 1, 1)] * 30 + [(0, 1, 1, 0)] * 10
    true = {0: 40, 1: 20, 2: -40, 3: -20}
    question = ParitiesTogether(marginals=marginals)
    errors = []
    for seed in range(150):
        curator = opened(rows, neighbours, domain=domain, seed=seed)
        found = curator.ask(question, share=Fraction(1))
        errors.append([float(found[a].coefficients[0]) - true[a] for a in range(4)])
    level = question.level(domain, curator.terms, Fraction(1))
    assert found[0].noise == level
    foretold = level.variance * (4 if neighbours is REPLACE_ONE else 1)  # half a coefficient is measured there
    assert np.mean(np.square(errors)) == pytest.approx(foretold, rel=0.25)
    apart = curator.terms.budget.noise_for(Fraction(1), parities_sensitivity(curator.terms, 10))
    assert level.variance < apart.variance / 4


def test_the_law_of_two_parities_is_that_of_the_proof():
    """P[z] ∝ e^(−λ·max|z|), by 4,000 draws against exact probabilities."""
    asked = Seen(ParitiesTogether(marginals=[Marginal.of(0), Marginal.of(0, 1)]))
    opened([(0, 0), (1, 1), (1, 0)], domain=binary(2)).ask(asked, share=Fraction(1))
    noise, trials = make_noise(seed=3), 4000
    exact = [int(one[0]) for one in asked.counted.tables]
    drawn = [asked.price_.mechanism(asked.counted, noise) for _ in range(trials)]
    seen = np.array([[int(one[0]) - count for one, count in zip(pair, exact, strict=True)] for pair in drawn])
    decay, reach = float(asked.price_.mechanism.decay), 60
    weights = {t: (1 if t == 0 else 8 * t) * math.exp(-decay * t) for t in range(reach)}
    sizes = np.abs(seen).max(axis=1)
    for t in range(5):
        expected = weights[t] / sum(weights.values())
        assert (sizes == t).mean() == pytest.approx(expected, abs=4 * math.sqrt(expected / trials))
    corners = (np.abs(seen) == 1).all(axis=1).sum() / (sizes == 1).sum()
    assert corners == pytest.approx(0.5, abs=0.08)  # 4 of the 8 pairs of size 1


def proved_epsilon(neighbours, trials, *, factor):
    """What the event proves that both numbers come out as they are in the first of two neighbours."""
    here, there = [(0, 0), (1, 1), (1, 1)], [(0, 0), (1, 1)] + [(0, 1)] * (neighbours is REPLACE_ONE)
    hits, told = [], None
    for rows in (here, there):
        asked, noise = Seen(ParitiesTogether(marginals=[Marginal.of(0), Marginal.of(0, 1)])), make_noise(seed=len(hits))
        options = {"budget": make_budget(factor), "neighbours": neighbours, "noise": noise}
        open_curator(PlainCounter(binary(2), rows), **options).ask(asked, share=Fraction(1))
        told = told or [one.tolist() for one in asked.counted.tables]
        drawn = (asked.price_.mechanism(asked.counted, noise) for _ in range(trials))
        hits.append(sum([one.tolist() for one in found] == told for found in drawn))
    return epsilon_lower_bound(*hits, trials)


@pytest.mark.one_in(2)
@both_relations
@pytest.mark.parametrize(("factor", "most"), [(1, 1.0), (3, 3.0)], ids=["sound", "a third of the noise"])
def test_an_audit_proves_no_more_than_epsilon(neighbours, factor, most):
    proved = proved_epsilon(neighbours, 800, factor=factor)
    assert proved <= most
    if factor > 1:
        assert proved > 1  # caught, had epsilon 1 been promised


@both_relations
def test_with_a_delta_and_for_one_number_parities_are_asked_as_ever(neighbours):
    for marginals, delta in ((BOTH, "1e-6"), ((Marginal.of(0),), None)):
        ours, plain = (
            opened(CELLS * 5, neighbours, delta=delta).ask(question(marginals=marginals), share=HALF)
            for question in (ParitiesTogether, NoisyParities)
        )
        assert [(p.noise, p.coefficients.tolist()) for p in ours] == [(p.noise, p.coefficients.tolist()) for p in plain]
    assert ours[0].noise == NoiseLevel(kind="laplace", scale=Fraction(2))


def test_a_diagnostic_gets_exact_numbers_and_nothing_costs_nothing():
    curator = opened(CELLS, noiseless="tables")
    found = curator.ask(ParitiesTogether(marginals=BOTH), share=HALF)
    assert [p.coefficients.reshape(-1).tolist() for p in found] == [[0], [2, 2, -2], [0, 0, 0]]
    curator = opened(CELLS)
    assert curator.ask(ParitiesTogether(marginals=[]), share=HALF) == []
    assert curator.share_left == 1


def test_what_a_change_of_values_costs():
    for neighbours, times in ((REPLACE_ONE, 1), (ADD_REMOVE, 2)):
        curator = opened(CELLS, neighbours)
        curator.ask(ParitiesTogether(marginals=BOTH), share=HALF)
        assert curator.protection.of_attribute(0) == curator.protection.of_attributes([0, 1]) == times * HALF
        [charge] = curator.charges
        assert (charge.mechanism, charge.n_tables, charge.epsilon) == ("K-norm noise", 3, HALF)
