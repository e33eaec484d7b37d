"""PrivABN: what it makes, what it refuses, what it never does."""

from __future__ import annotations

from fractions import Fraction
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import domains
from understudy._core.errors import InternalError, OptionError
from understudy._core.randomness import Streams
from understudy.counting import MemoryCounter
from understudy.methods import (
    Adaptive,
    Auto,
    HPPrivBayes,
    Independent,
    PrivABN,
    PrivABNAsPrinted,
    flaw_of,
    label_method,
    read_method,
)
from understudy.methods._block_shape import BlockShape, choose_shape, partners
from understudy.methods._blocks import grow_blocks
from understudy.methods._privabn_as_printed import ParentSets, fit_as_printed, information
from understudy.methods._privbayes import tables_to_measure
from understudy.models import Network, RScore
from understudy.privacy import ADD_REMOVE, REPLACE_ONE, PrivacyTerms, make_budget, make_noise, open_curator
from understudy.schema import Attribute, Domain, Level, Marginal
from understudy.tables import Table


def binary(d):
    return Domain(tuple(Attribute(name=f"x{i}", size=2) for i in range(d)))


def chain(d, n, *, seed=0, flip=0.1):
    """Each column is the one before with some values flipped."""
    rng = Streams(seed).get("chain")
    columns = [(rng.random(n) < 0.5).astype(np.uint8)]
    while len(columns) < d:
        columns.append(columns[-1] ^ (rng.random(n) < flip).astype(np.uint8))
    return Table(binary(d), tuple(columns))


def mixed(n=2000, *, seed=0):
    rng = Streams(seed).get("mixed")
    tree = (Level(groups=(0, 0, 1, 1, 2, 2, 3, 3)), Level(groups=(0, 0, 0, 0, 1, 1, 1, 1)))
    domain = Domain(
        (
            Attribute(name="age", size=8, coarser=tree),
            Attribute(name="sex", size=2),
            Attribute(name="place", size=500),
            Attribute(name="one", size=1),
            Attribute(name="job", size=5),
        )
    )
    return Table(domain, tuple(rng.integers(0, a.size, n).astype(np.uint16) for a in domain))


def curator_of(table, epsilon=1, *, seed=1, **options):
    return open_curator(MemoryCounter(table), budget=make_budget(epsilon), noise=make_noise(seed=seed), **options)


SOUND = [PrivABN(), PrivABN(variant="drawn"), PrivABN(variant="greedy"), PrivABN(variant="greedy", stop=True)]


@pytest.mark.parametrize("method", SOUND)
@pytest.mark.parametrize("table", [chain(8, 1500), mixed(), chain(1, 50), chain(2, 50), chain(3, 1)])
@pytest.mark.parametrize("neighbours", [REPLACE_ONE, ADD_REMOVE])
def test_every_variant_fits_any_table_and_spends_exactly_its_budget(method, table, neighbours):
    curator = curator_of(table, neighbours=neighbours)
    model = method.fit(curator, streams=Streams(1))
    assert curator.share_left == 0
    assert sum(charge.share for charge in curator.charges) == 1
    assert sorted(node.child for node in model.network.nodes) == list(range(len(table.domain)))
    assert all(conditional.sum(axis=-1) == pytest.approx(1) for conditional in model.conditionals)
    [columns] = model.sample_codes(40, streams=Streams(2))
    assert Table(table.domain, tuple(columns)).n == 40


@pytest.mark.parametrize("encoding", ["vanilla", "binary", "gray"])
def test_blocks_take_every_encoding(encoding):
    model = PrivABN(encoding=encoding).fit(curator_of(mixed()), streams=Streams(1))
    assert model.domain == mixed().domain


def test_the_same_seed_gives_the_same_model_with_a_delta_too():
    for delta in (None, "1e-9"):
        found = []
        for _ in range(2):
            budget = make_budget(1, delta)
            curator = open_curator(MemoryCounter(chain(8, 1500)), budget=budget, noise=make_noise(seed=3))
            found.append(PrivABN().fit(curator, streams=Streams(3)))
        assert found[0].network == found[1].network
        assert all((a == b).all() for a, b in zip(found[0].conditionals, found[1].conditionals, strict=True))


def test_blocks_find_a_chain_and_measure_fewer_tables_than_there_are_columns():
    table = chain(12, 20_000)
    model = PrivABN().fit(curator_of(table, 2), streams=Streams(1))
    assert len(model.measurements) < len(table.domain) / 2
    [columns] = model.sample_codes(table.n, streams=Streams(1))
    agree = [[np.mean(made[i] == made[i + 1]) for i in range(11)] for made in (table.columns, columns)]
    errors = np.abs(np.subtract(*agree))
    assert np.mean(errors) < 0.02


def test_weak_relations_make_small_tables_that_share_nothing_and_no_choice_is_paid_for():
    rng = Streams(4).get("x")
    table = Table(binary(30), tuple((rng.random(2000) < 0.1).astype(np.uint8) for _ in range(30)))
    curator = curator_of(table, "0.1")
    model = PrivABN().fit(curator, streams=Streams(1))
    assert [charge.what for charge in curator.charges] == ["strength", "tables of the network"]
    held = [a for m in model.measurements for a in m.marginal.attributes]
    assert len(held) == len(set(held)) == 30


def shape_for(domain, n, strength, epsilon=1, **options):
    budget = make_budget(epsilon)
    asked = {"beta": Fraction(3, 10), "theta": Fraction(1), "share": Fraction(1), "sensitivity": Fraction(4)} | options
    return choose_shape(
        domain,
        n,
        budget,
        strength,
        noise_for=lambda share: budget.noise_for(share, REPLACE_ONE.table_sensitivity),
        **asked,
    )


@given(st.integers(1, 60), st.integers(1, 10**6), st.floats(0, 1), st.sampled_from(["0.001", "0.1", "1", "50"]))
def test_a_shape_comes_out_whatever_the_table(d, n, strength, epsilon):
    shape = shape_for(binary(d), n, strength, epsilon)
    assert 1 <= shape.shared <= shape.cells <= 1 << 16
    assert 0 <= shape.selection_share <= Fraction(3, 10)
    assert shape.n_tables >= 1


def test_stronger_relations_make_larger_tables():
    cells = [shape_for(binary(20), 20_000, strength).cells for strength in (0.0, 0.02, 0.1, 0.3)]
    assert cells == sorted(cells)
    assert cells[-1] > cells[0]


@st.composite
def shaped(draw):
    domain = draw(domains(most=9, smallest=1, levels=False))
    cells, shared = draw(st.integers(1, 64)), draw(st.integers(1, 16))
    shape = BlockShape(cells=cells, shared=min(shared, cells), selection_share=Fraction(1, 2), n_tables=1)
    return domain, shape, draw(st.none() | st.integers(0, 3))


@given(shaped(), st.integers(0, 5))
def test_blocks_make_a_network_whose_tables_keep_within_their_bounds(what, seed):
    domain, shape, k = what
    table = Table(domain, tuple(np.arange(12, dtype=np.uint8) % a.size for a in domain))
    nodes = grow_blocks(
        curator_of(table, seed=seed),
        shape=shape,
        score=RScore(),
        k=k,
        max_candidates=20,
        coins=Streams(seed).get("coins"),
    )
    network = Network(domain, nodes)  # which checks the order
    assert sorted(node.child for node in network.nodes) == list(range(len(domain)))
    for node in nodes:
        size = prod(node.marginal.shape(domain))
        assert size <= max(shape.cells, domain[node.child].size)
        assert k is None or len(node.parents) <= max(k, 0)
    assert tables_to_measure(nodes)


class Spy:
    """Notes what is chosen from, and always takes the first."""

    name, private = "spy", False

    def __init__(self):
        self.seen = []

    def permute_and_flip(self, scores, rate):
        self.seen.append(len(scores))
        return 0

    def laplace(self, counts, scale):
        return np.full(counts.shape, 40_000)


@pytest.mark.parametrize("method", SOUND)
def test_candidates_depend_on_coins_and_choices_not_on_rows(method):
    """Two tables that share no row: with the same answers of the mechanisms everything else comes out the same."""
    found = []
    for table in (chain(9, 3000, seed=1), Table(binary(9), tuple(np.zeros(3000, dtype=np.uint8) for _ in range(9)))):
        spy = Spy()
        curator = open_curator(MemoryCounter(table), budget=make_budget(1), noise=spy)
        found.append((method.fit(curator, streams=Streams(5)).network, tuple(spy.seen), curator.charges))
    assert found[0] == found[1]


def test_partners_in_a_wide_table_are_drawn_by_coins():
    groups = partners(binary(400), 1000, Streams(1).get("coins"))
    assert len(groups) == 400
    assert {len(group) for group in groups} == {50}
    assert partners(binary(1), 1000, Streams(1).get("coins")) == []


def test_partners_of_many_values_are_seen_coarsely_or_not_at_all():
    domain = mixed().domain
    seen = {axis for group in partners(domain, 400, Streams(1).get("c")) for c in group for axis in c.parents}
    assert {axis.attribute for axis in seen} == {0, 1}
    assert {axis.level for axis in seen if axis.attribute == 0} == {1, 2}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"variant": "block"}, "variant"),
        ({"score": "Z"}, "score"),
        ({"score": "F"}, "blocks"),
        ({"encoding": "utf-8"}, "encoding"),
        ({"k": -1}, "'k'"),
        ({"k": True}, "'k'"),
        ({"max_candidates": 0}, "max_candidates"),
        ({"beta": 1}, "beta"),
        ({"theta": 0}, "theta"),
        ({"stop": True}, "greedy"),
    ],
)
def test_options_out_of_range_are_refused(options, words):
    with pytest.raises(OptionError, match=words):
        PrivABN(**options)


def test_a_budget_in_which_everything_drowns_is_refused():
    for method in SOUND:
        with pytest.raises(OptionError, match="noise"):
            method.check(binary(3), PrivacyTerms(budget=make_budget("1e-20")))


PRINTED = PrivABNAsPrinted()


@pytest.mark.parametrize(
    ("domain", "budget", "neighbours", "words"),
    [
        (mixed().domain, make_budget(1), REPLACE_ONE, "binary tables"),
        (binary(21), make_budget(1), REPLACE_ONE, r"2\^21 cells"),
        (binary(3), make_budget(1, "1e-9"), REPLACE_ONE, "pure epsilon"),
        (binary(3), make_budget(1), ADD_REMOVE, "replace-one"),
    ],
)
def test_as_printed_refuses_what_the_paper_does_not_cover(domain, budget, neighbours, words):
    with pytest.raises(OptionError, match=words):
        PRINTED.check(domain, PrivacyTerms(budget=budget, neighbours=neighbours))


def test_as_printed_takes_wide_tables_with_a_bound_on_parents():
    PrivABNAsPrinted(k=3).check(binary(50), PrivacyTerms(budget=make_budget(1)))
    with pytest.raises(OptionError, match="22"):
        PrivABNAsPrinted(k=23).check(binary(50), PrivacyTerms(budget=make_budget(1)))
    model = PrivABNAsPrinted(k=1).fit(curator_of(chain(6, 500), no_guarantee=True), streams=Streams(1))
    assert model.network.degree == 1


def test_as_printed_runs_to_the_complete_graph():
    curator = curator_of(chain(7, 2000), no_guarantee=True, noiseless="selection")
    model = PRINTED.fit(curator, streams=Streams(1))
    assert [len(node.parents) for node in model.network.nodes] == list(range(7))


def test_as_printed_needs_a_curator_that_promises_nothing():
    with pytest.raises(InternalError, match="promises privacy"):
        PRINTED.fit(curator_of(chain(3, 50)), streams=Streams(1))


def test_no_priv_abn_is_exact():
    table = chain(4, 3000)
    model = PRINTED.fit(curator_of(table, no_guarantee=True, noiseless="all"), streams=Streams(1))
    whole = model.marginal(Marginal.of(0, 1, 2, 3)).probabilities
    counted = MemoryCounter(table).count([Marginal.of(0, 1, 2, 3)])[0] / table.n
    assert whole == pytest.approx(counted, abs=1e-12)


def test_parent_sets_keep_the_best_of_each_size_and_hold_no_attribute_twice():
    curator = curator_of(chain(5, 3000), no_guarantee=True)
    sets = ParentSets(curator, most=3)
    for newest in (0, 1, 2, 3):
        sets.extend([4], newest)
    best = sets.best(4)
    assert [len(parents) for parents, _ in best] == [1, 2, 3]
    assert best[0][0] == {3}  # the column before it says most
    assert [value for _, value in best] == sorted(value for _, value in best)


def test_parent_sets_miss_a_pair_that_only_together_says_something():
    """With C = A xor B, a weak E and insertion order A, E, B the pair {A, B} is never looked at (review, §1.2)."""
    rng = Streams(2).get("x")
    a, b = (rng.random((2, 4000)) < 0.5).astype(np.uint8)
    c = a ^ b
    e = np.where(rng.random(4000) < 0.6, c, 1 - c).astype(np.uint8)
    curator = curator_of(Table(binary(4), (a, b, c, e)), no_guarantee=True)
    sets = ParentSets(curator, most=3)
    for newest in (0, 3, 1):
        sets.extend([2], newest)
    assert sets.best(2)[1][0] != {0, 1}


def test_information_is_zero_for_what_is_unrelated():
    assert information(np.array([[3, 6], [4, 8]])) == 0
    assert fit_as_printed(curator_of(chain(2, 40), no_guarantee=True), k=None, coins=Streams(1).get("x")).n == 40


def test_only_as_printed_is_labelled_as_without_a_guarantee():
    assert flaw_of(PrivABN()) is None
    assert "privabn.md" in flaw_of(PRINTED).where
    assert label_method(read_method("privabn-as-printed")) == "privabn-as-printed (no guarantee)"
    assert label_method(read_method("privabn:variant=greedy:stop=yes")) == "privabn:variant=greedy:stop=True"


def test_a_plan_tells_what_it_cannot_know():
    budget = make_budget(1)
    plan = PrivABN().plan(binary(50), 88_162, PrivacyTerms(budget=budget))
    assert plan.method == "privabn"
    assert "how strongly columns hang together" in plan.notes[0]
    assert sum(plan.shares.values()) == pytest.approx(1)
    assert PrivABN(variant="greedy").plan(binary(5), 900, PrivacyTerms(budget=budget)).method == "privabn"
    assert "no guarantee" in PRINTED.plan(binary(5), 900, PrivacyTerms(budget=budget)).notes[0]


def test_auto_chooses_by_public_values_and_says_why():
    budget = make_budget(1)
    ages = Domain((*binary(2), Attribute(name="age", size=9)))
    wide, why_wide = Auto().choose(binary(50), 88_162, budget)
    mixed, why_mixed = Auto().choose(ages, 9_000, budget)
    alone, _ = Auto().choose(binary(1), 88_162, budget)
    secret = Domain((Attribute(name="a", size=2), Attribute(name="b", size=2, sensitivity=Fraction(1))))
    declared, why = Auto().choose(secret, 100, budget)
    assert (wide, mixed, alone) == (Adaptive(), Adaptive(), Independent())
    assert declared == HPPrivBayes()
    assert "two values" in why_wide
    assert "overlap" in why_mixed
    assert "sensitive" in why


def test_auto_chooses_adaptive_wherever_there_is_a_delta_and_something_to_relate():
    budget = make_budget(1, "1e-9")
    ages = Domain((*binary(2), Attribute(name="age", size=9)))
    for domain, n in ((binary(50), 88_162), (ages, 9_000), (ages, 90_000), (ages, 1)):
        chosen, why = Auto().choose(domain, n, budget)
        assert chosen == Adaptive()
        assert "δ" in why
    secret = Domain((Attribute(name="a", size=2), Attribute(name="b", size=2, sensitivity=Fraction(1))))
    assert Auto().choose(secret, 100, budget)[0] == HPPrivBayes()
    assert Auto().choose(binary(1), 100, budget)[0] == Independent()


@pytest.mark.parametrize("neighbours", [REPLACE_ONE, ADD_REMOVE])
@pytest.mark.parametrize("sensitive", [0, 1])
def test_auto_fits_what_it_chose(neighbours, sensitive):
    domain = Domain((*binary(3), Attribute(name="b", size=2, sensitivity=Fraction(sensitive))))
    table = Table(domain, chain(4, 800).columns)
    curator = curator_of(table, neighbours=neighbours)
    model = Auto().fit(curator, streams=Streams(1))
    told = Auto().describe(domain, model.n, PrivacyTerms(budget=curator.budget, neighbours=neighbours))
    assert told["chosen"] == ("hpprivbayes" if sensitive else "adaptive")
    assert told["because"]
