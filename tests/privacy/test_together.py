"""Tables asked together: exact ratios of probabilities on all neighbours of tiny tables, and twins that are caught."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product

import numpy as np
import pytest

from tests.audit_tools import epsilon_lower_bound
from tests.privacy.small import PlainCounter, binary
from tests.privacy.test_lattice_noise import norm, points
from tests.privacy.test_unit import Seen
from understudy._core.errors import BudgetExceeded
from understudy.models._uncertainty import redraw
from understudy.privacy import (
    ADD_REMOVE,
    REPLACE_ONE,
    AddTogether,
    Measurement,
    NoiseLevel,
    NoisyTables,
    Price,
    PrivacyTerms,
    PrivacyUnit,
    TablesTogether,
    make_budget,
    make_noise,
    measure_together,
    open_curator,
    together_shares,
)
from understudy.privacy._lattice_moments import together_levels
from understudy.privacy._lattice_noise import Ball
from understudy.schema import Attribute, Domain, Marginal

pytestmark = pytest.mark.one_in(3)

DOMAIN = Domain((Attribute(name="a", size=2), Attribute(name="b", size=3)))
CELLS = list(product(range(2), range(3)))
ONE_WAYS = (Marginal.of(0), Marginal.of(1))
QUESTIONS = {"columns": ONE_WAYS, "pair": (Marginal.of(0, 1),), "all": (*ONE_WAYS, Marginal.of(0, 1))}
both_relations = pytest.mark.parametrize("neighbours", [REPLACE_ONE, ADD_REMOVE], ids=str)
HALF = Fraction(1, 2)


@cache
def pairs(neighbours, bound):
    """All neighbours among tables of up to three rows: rows of a unit are replaced, or added, or removed."""
    tables = [table for n in (1, 2, 3) for table in combinations_with_replacement(CELLS, n)]
    found = []
    for one, other in product(tables, repeat=2):
        moved = np.array([one.count(cell) - other.count(cell) for cell in CELLS])
        gone, come = int(np.maximum(moved, 0).sum()), int(np.maximum(-moved, 0).sum())
        alike = {ADD_REMOVE: min(gone, come) == 0, REPLACE_ONE: gone == come or bound > 1}[neighbours]
        if alike and 0 < max(gone, come) <= bound:
            found.append((one, other))
    return found


def opened(rows, neighbours=REPLACE_ONE, *, bound=1, delta=None, seed=1, **options):
    return open_curator(
        PlainCounter(DOMAIN, rows),
        budget=make_budget(1, delta),
        neighbours=neighbours,
        unit=PrivacyUnit("one patient", max_rows=bound),
        noise=make_noise(seed=seed),
        **options,
    )


def seen(question, rows, neighbours, bound):
    found = Seen(question)
    opened(rows, neighbours, bound=bound).ask(found, share=HALF)
    return found


def moves(question, neighbours, bound, *, charged_for=None):
    """How neighbours differ, each way once, and the mechanism that stands between them."""
    known = {
        table: seen(question, table, neighbours, charged_for or bound)
        for table in {table for pair in pairs(neighbours, bound) for table in pair}
    }
    [mechanism] = {found.price_.mechanism for found in known.values()}  # fixed from public facts
    found = set()
    for one, other in pairs(neighbours, bound):
        counted = zip(known[one].counted.tables, known[other].counted.tables, strict=True)
        found.add(tuple(tuple(map(int, (a - b).reshape(-1))) for a, b in counted))
    return found, mechanism


def log_probability(mechanism, noise):
    """Up to a constant, as the proof has it; minus infinity for noise that cannot be."""
    if mechanism.balanced and any(sum(z) for z in noise):
        return -math.inf
    return -float(mechanism.decay) * float(max(norm(z, mechanism.balanced) for z in noise))


def worst_loss(mechanism, moved, law=log_probability):
    """Most that an output near the counts says about which of two neighbours was there."""
    worst = 0.0
    for move in moved:
        noise = [[(0,) * len(d), d, tuple(-x for x in d), tuple(3 * x for x in d)] for d in move]
        small = [points(len(d), 1, mechanism.balanced)[:7] for d in move]
        tried = itertools.chain(product(*noise), product(*small))
        for z in tried:
            shifted = [tuple(x + y for x, y in zip(one, d, strict=True)) for one, d in zip(z, move, strict=True)]
            here, there = law(mechanism, z), law(mechanism, shifted)
            if max(here, there) > -math.inf:
                worst = max(worst, abs(here - there))
    return worst


@pytest.mark.one_in(9)
@both_relations
@pytest.mark.parametrize("bound", [1, 2])
@pytest.mark.parametrize("name", ["columns", "all"])
def test_no_neighbour_moves_tables_further_than_is_paid_for(name, neighbours, bound):
    moved, mechanism = moves(TablesTogether(marginals=QUESTIONS[name]), neighbours, bound)
    assert isinstance(mechanism, AddTogether)
    assert mechanism.balanced == (neighbours is REPLACE_ONE and bound == 1)
    assert worst_loss(mechanism, moved) == pytest.approx(0.5)  # the bound holds, and is met: no noise is wasted


def test_a_single_table_of_a_public_total_keeps_it_and_its_share():
    moved, mechanism = moves(TablesTogether(marginals=QUESTIONS["pair"]), REPLACE_ONE, 1)
    assert mechanism.balanced
    assert worst_loss(mechanism, moved) == pytest.approx(0.5)
    [noisy] = opened(CELLS[:5]).ask(TablesTogether(marginals=QUESTIONS["pair"]), share=HALF)
    assert noisy.counts.shape == (2, 3)
    assert noisy.counts.sum() == 5


@both_relations
def test_noise_that_ignores_the_rows_of_a_unit_is_caught(neighbours):
    moved, mechanism = moves(TablesTogether(marginals=ONE_WAYS), neighbours, 2, charged_for=1)
    assert worst_loss(mechanism, moved) > 0.9


@both_relations
def test_noise_whose_norm_forgets_that_tables_move_at_once_is_caught(neighbours):
    """As if each table had the whole share to itself: norms add up, and so does the loss."""

    def apart(mechanism, noise):
        parts = [log_probability(mechanism, (z,)) for z in noise]
        return sum(parts)

    moved, mechanism = moves(TablesTogether(marginals=ONE_WAYS), neighbours, 1)
    assert worst_loss(mechanism, moved, apart) == pytest.approx(1.0)


@pytest.mark.slow
@pytest.mark.one_in(2)
@both_relations
def test_a_radius_that_forgets_a_table_is_caught(neighbours):
    """Its weight leaves out the ball of the second table, in which noise is drawn all the same."""

    def forgetful(mechanism, noise):
        if log_probability(mechanism, noise) == -math.inf:
            return -math.inf
        least = math.ceil(max(norm(z, mechanism.balanced) for z in noise))
        decay, ball = float(mechanism.decay), Ball(len(noise[1]), mechanism.balanced)
        return math.log(sum(math.exp(-decay * t) / ball.size(t) for t in range(least, least + 400)))

    moved, mechanism = moves(TablesTogether(marginals=ONE_WAYS), neighbours, 1)
    assert worst_loss(mechanism, moved, forgetful) > 1


class Balanced(TablesTogether):
    """Wrong on purpose: noise that keeps totals, which are private here."""

    __slots__ = ()

    def price(self, facts, share):
        sound = super().price(facts, share)
        wrong = AddTogether(sound.mechanism.decay, True, sound.mechanism.levels, sound.mechanism.noise)
        return Price(mechanism=wrong, sensitivity=sound.sensitivity, touches=sound.touches)


def test_balanced_noise_where_the_number_of_rows_is_private_is_caught():
    moved, mechanism = moves(Balanced(marginals=ONE_WAYS), ADD_REMOVE, 1)
    assert worst_loss(mechanism, moved) == math.inf
    assert proved_epsilon(Balanced, ADD_REMOVE, 200, lambda tables: tables[0].sum() == 3) > 2
    assert proved_epsilon(TablesTogether, ADD_REMOVE, 200, lambda tables: tables[0].sum() == 3) < 1


def proved_epsilon(question, neighbours, trials, event, *, factor=1):
    """What an event proves, for tables of three rows that differ in the last."""
    here, there = [(0, 0), (1, 1), (1, 2)], [(0, 0), (1, 1)] + [(0, 0)] * (neighbours is REPLACE_ONE)
    hits = []
    for rows in (here, there):
        asked, noise = Seen(question(marginals=ONE_WAYS)), make_noise(seed=len(hits))
        options = {"budget": make_budget(factor), "neighbours": neighbours, "noise": noise}
        open_curator(PlainCounter(DOMAIN, rows), **options).ask(asked, share=Fraction(1))
        drawn = (asked.price_.mechanism(asked.counted, noise) for _ in range(trials))
        hits.append(sum(bool(event(tables)) for tables in drawn))
    return epsilon_lower_bound(*hits, trials)


@pytest.mark.slow
@pytest.mark.parametrize("neighbours", [REPLACE_ONE, ADD_REMOVE])
@pytest.mark.parametrize(("factor", "low", "high"), [(1, 0.4, 1.0), (2, 1.0, 2.0)], ids=["sound", "half the noise"])
def test_an_audit_proves_no_more_than_epsilon_and_catches_half_the_noise(neighbours, factor, low, high):
    def event(tables):
        return tables[0][1] >= 2 and tables[1][2] >= 1

    assert low < proved_epsilon(TablesTogether, neighbours, 2500, event, factor=factor) <= high


@both_relations
def test_with_a_delta_tables_are_asked_as_ever(neighbours):
    rows = CELLS * 5
    ours, plain = (
        opened(rows, neighbours, delta="1e-6").ask(question(marginals=ONE_WAYS, what="both"), share=HALF)
        for question in (TablesTogether, NoisyTables)
    )
    assert [(m.noise, m.counts.tolist()) for m in ours] == [(m.noise, m.counts.tolist()) for m in plain]


def test_one_table_of_a_private_total_gets_laplace_noise():
    [noisy] = opened(CELLS, ADD_REMOVE).ask(TablesTogether(marginals=[ONE_WAYS[1]]), share=HALF)
    assert noisy.noise == NoiseLevel(kind="laplace", scale=Fraction(2))


@pytest.mark.parametrize("stage", ["all", "tables"])
def test_a_diagnostic_gets_exact_counts(stage):
    curator = opened(CELLS, noiseless=stage)
    tables = curator.ask(TablesTogether(marginals=ONE_WAYS), share=HALF)
    assert [m.counts.tolist() for m in tables] == [[3, 3], [2, 2, 2]]
    assert curator.protection is None


def test_no_tables_cost_nothing():
    curator = opened(CELLS)
    assert curator.ask(TablesTogether(marginals=[]), share=HALF) == []
    assert curator.share_left == 1


@both_relations
def test_the_charge_and_the_noise_are_those_foretold(neighbours):
    question, curator = TablesTogether(marginals=ONE_WAYS, what="columns"), opened(CELLS, neighbours)
    tables = curator.ask(question, share=HALF)
    assert [m.noise for m in tables] == question.levels(DOMAIN, curator.terms, HALF)
    [charge] = curator.charges
    assert (charge.what, charge.mechanism, charge.n_tables, charge.epsilon) == ("columns", "K-norm noise", 2, HALF)
    variances = [m.noise.variance for m in tables]
    assert charge.noise.variance == pytest.approx((2 * variances[0] + 3 * variances[1]) / 5)
    assert variances[0] < curator.terms.table_noise(HALF / 2).variance


def test_what_a_change_of_values_costs():
    """All of the share for each column, once or twice: a table moves, whichever column it is of."""
    for neighbours, times in ((REPLACE_ONE, 1), (ADD_REMOVE, 2)):
        curator = opened(CELLS, neighbours)
        curator.ask(TablesTogether(marginals=ONE_WAYS), share=HALF)
        assert curator.protection.of_attribute(0) == curator.protection.of_attribute(1) == times * HALF
        assert curator.protection.of_attributes([0, 1]) == times * HALF


def test_a_promise_counts_the_whole_share_against_each_column():
    curator = opened(CELLS)
    curator.promise([0], Fraction(1, 3))
    with pytest.raises(BudgetExceeded):
        curator.ask(TablesTogether(marginals=ONE_WAYS), share=HALF)
    curator.ask(TablesTogether(marginals=[ONE_WAYS[1]]), share=HALF)  # looks at the other column alone
    assert curator.protection.of_attribute(0) == 0
    assert curator.protection.of_attribute(1) == HALF


def test_weighed_rows_keep_their_total_at_sixty_times_the_noise():
    terms = PrivacyTerms(
        budget=make_budget(1), unit=PrivacyUnit("one patient", max_rows=1, column="id", bounding="weigh")
    )
    plain = PrivacyTerms(budget=make_budget(1))
    question = TablesTogether(marginals=ONE_WAYS)
    for weighed, whole in zip(*(question.levels(DOMAIN, t, Fraction(1, 9)) for t in (terms, plain)), strict=True):
        assert weighed.kind == whole.kind == "balanced"
        assert weighed.mean_abs == pytest.approx(60 * whole.mean_abs, rel=1e-2)


def test_error_bars_redraw_balanced_noise_that_sums_to_nothing():
    level = NoiseLevel(kind="balanced", scale=Fraction(9), shape=Fraction(3, 4))
    measured = Measurement(marginal=Marginal.of(0), counts=np.array([5, 7, 8]), noise=level)
    rng = np.random.default_rng(1)
    drawn = np.array([redraw(np.array([5.0, 7.0, 8.0]), measured, rng) for _ in range(4000)])
    assert drawn.sum(axis=1) == pytest.approx(20)
    assert drawn.var(axis=0) == pytest.approx([9] * 3, rel=0.1)


def test_many_tables_and_wide_ones_are_drawn():
    curator = open_curator(PlainCounter(binary(40), [(0,) * 40] * 3), budget=make_budget(1), noise=make_noise(seed=2))
    tables = curator.ask(TablesTogether(marginals=[Marginal.of(a) for a in range(40)]), share=HALF)
    assert {int(m.counts.sum()) for m in tables} == {3}
    wide = Domain((Attribute(name="code", size=1300), Attribute(name="place", size=40)))
    curator = open_curator(PlainCounter(wide, [(7, 1)] * 5), budget=make_budget(1), noise=make_noise(seed=2))
    code, place = curator.ask(TablesTogether(marginals=[Marginal.of(0), Marginal.of(1)]), share=HALF)
    assert code.counts.sum() == place.counts.sum() == 5
    seen_size = np.abs(code.counts - np.where(np.arange(1300) == 7, 5, 0)).mean()
    assert seen_size == pytest.approx(code.noise.mean_abs, rel=0.15)


SIZES = [[2] * 6, [2, 2, 40, 2], [16, 7, 16, 14, 6, 5, 2, 16, 41, 2], [2, 300], [3], [1, 2], [5, 4, 3, 2, 5, 9, 30, 31]]


def set_partitions(places):
    if not places:
        yield []
        return
    first, *rest = places
    for groups in set_partitions(rest):
        yield [[first], *groups]
        for i, group in enumerate(groups):
            yield [*groups[:i], [first, *group], *groups[i + 1 :]]


def foretold_error(cells, balanced, groups):
    """The sum over tables of half their summed error at ε = 1, by the levels that curators state."""
    return sum(
        cells[place] * level.mean_abs / 2
        for places, part in groups
        for place, level in zip(
            places, together_levels([cells[p] for p in places], part / 10, balanced=balanced), strict=True
        )
    )


@pytest.mark.parametrize("balanced", [True, False], ids=["balanced", "free"])
@pytest.mark.parametrize("cells", SIZES, ids=str)
def test_groups_hold_each_table_once_and_lose_to_no_plain_way(cells, balanced):
    groups = together_shares(cells, balanced=balanced)
    assert sorted(place for places, _ in groups for place in places) == list(range(len(cells)))
    assert sum(part for _, part in groups) == 1
    assert all(part > 0 for _, part in groups)
    ours = foretold_error(cells, balanced, groups)
    m = len(cells)
    assert ours <= 1.02 * foretold_error(cells, balanced, [(list(range(m)), Fraction(1))])
    assert ours <= 1.02 * foretold_error(cells, balanced, [([place], Fraction(1, m)) for place in range(m)])


@pytest.mark.parametrize("cells", [cells for cells in SIZES if len(cells) <= 8], ids=str)
def test_no_other_grouping_has_smaller_roots(cells):
    n = [size - 1 for size in cells]

    def roots(groups):
        return sum(math.sqrt((1 + sum(n[i] for i in g)) * sum(n[i] / (n[i] + 1) for i in g)) for g in groups)

    best = min(map(roots, set_partitions(list(range(len(cells))))))
    assert roots([places for places, _ in together_shares(cells, balanced=True)]) == pytest.approx(best)


def test_a_table_whose_error_counts_more_gets_more():
    plain, heavier = (together_shares([2, 300], balanced=True, weights=weights) for weights in (None, [100.0, 1.0]))
    [(small, more), _], [(same, less), _] = heavier, plain
    assert small == same == [0]
    assert more > less


@both_relations
def test_tables_measured_in_groups_come_back_in_order_for_the_whole_share(neighbours):
    domain = Domain(tuple(Attribute(name=f"a{size}{i}", size=size) for i, size in enumerate([40, 2, 3, 2])))
    marginals = [Marginal.of(a) for a in range(4)]
    for delta in (None, "1e-6"):
        curator = open_curator(
            PlainCounter(domain, [(7, 1, 2, 0)] * 50),
            budget=make_budget(50, delta),
            neighbours=neighbours,
            noise=make_noise(seed=3),
        )
        found = measure_together(curator, marginals, share=HALF)
        assert curator.share_left == HALF
        assert [m.marginal for m in found] == marginals
        assert [int(m.counts.argmax()) for m in found] == [7, 1, 2, 0]
    assert measure_together(curator, [], share=HALF) == []
