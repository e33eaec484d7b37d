"""HPPrivBayes: options, groups, budgets, who depends on whom, and the structure as printed."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.methods.test_structure_exactly import RECORDS, RememberedCounts, datasets, replace_pairs, softmax
from understudy import BudgetExceeded, OptionError
from understudy._core.randomness import Streams
from understudy.counting import MemoryCounter
from understudy.methods import HPPrivBayes, HPPrivBayesAsPrinted, describe_method, read_method, usual_methods
from understudy.methods._attach import parent_sets
from understudy.methods._groups import make_levels, named_sensitivities, read_split
from understudy.methods._hp_as_printed import choose_network, order_by_information, pairwise_information
from understudy.privacy import (
    ADD_REMOVE,
    REPLACE_ONE,
    NoisyTables,
    PrivacyTerms,
    PureBudget,
    TableStep,
    make_budget,
    make_noise,
    open_curator,
)
from understudy.schema import Attribute, Domain, Marginal
from understudy.tables import Table

HIGH = Fraction(1)


def people(n=400, *, sensitive=("ill",), sizes=(2, 3, 2, 4), weights=None, seed=5):
    names = ["sex", "age", "job", "ill"][: len(sizes)]
    rng = np.random.default_rng(seed)
    attributes = tuple(
        Attribute(
            name=name,
            size=size,
            sensitivity=HIGH if name in sensitive else Fraction(0),
            weights=weights if name == "ill" and weights else (),
        )
        for name, size in zip(names, sizes, strict=True)
    )
    return Table(Domain(attributes), tuple(rng.integers(0, size, n).astype(np.uint8) for size in sizes))


def run(method, table=None, *, epsilon=1, delta=None, neighbours=REPLACE_ONE, **how):
    table = people() if table is None else table
    curator = open_curator(
        MemoryCounter(table, threads=1),
        budget=make_budget(epsilon, delta),
        neighbours=neighbours,
        noise=make_noise(seed=3),
        **how,
    )
    method.check(curator.domain, PrivacyTerms(budget=curator.budget, neighbours=neighbours))
    return curator, method.fit(curator, streams=Streams(1))


# -- what a run does ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("neighbours", [REPLACE_ONE, ADD_REMOVE])
@pytest.mark.parametrize("delta", [None, "1e-9"])
@pytest.mark.parametrize("weights", ["declared", "rare", "equal"])
def test_the_whole_budget_is_spent_and_sensitive_columns_are_nobodys_parents(neighbours, delta, weights):
    table = people(weights=(Fraction(3), Fraction(1), Fraction(1), Fraction(2)))
    curator, model = run(HPPrivBayes(weights=weights, theta=1), table, neighbours=neighbours, delta=delta)
    assert curator.share_left == 0
    assert model.network.nodes[-1].child == 3
    assert all(3 not in [axis.attribute for axis in node.parents] for node in model.network.nodes)
    unequal = [m for m in model.measurements if m.factors]
    assert bool(unequal) == (weights != "equal")
    assert all(3 in m.marginal.attributes for m in unequal)


def test_only_its_own_steps_look_at_a_sensitive_column():
    curator, _ = run(HPPrivBayes())
    seen = [step for step in curator.protection.steps if 3 in step.attributes]
    assert 1 <= len(seen) <= 2
    assert curator.protection.promised([3]) == Fraction(1, 4)
    assert curator.protection.of_attribute(3) <= Fraction(1, 4) < curator.protection.of_attribute(0)


def test_sensitive_columns_of_one_level_may_depend_on_each_other_within_their_allowance():
    table = people(sensitive=("job", "ill"))
    curator, model = run(HPPrivBayes(theta=1), table, epsilon=20)
    assert [node.child for node in model.network.nodes[2:]] == [2, 3]
    protection = curator.protection
    assert protection.promised([2, 3]) == protection.promised([2]) == 20 * Fraction(1, 4)
    assert protection.promised([3]) == 20 * Fraction(1, 8)  # the last one is nobody's parent
    assert protection.of_attributes([2, 3]) <= 20 * Fraction(1, 4)


def test_companions_join_by_private_choice_and_are_protected_as_well():
    rng = np.random.default_rng(1)
    ill = rng.integers(0, 2, 2000).astype(np.uint8)
    flipped = np.where(rng.random(2000) < 0.05, 1 - ill, ill).astype(np.uint8)
    others = [rng.integers(0, 2, 2000).astype(np.uint8) for _ in range(2)]
    domain = Domain(tuple(Attribute(name=name, size=2) for name in ("a", "twin", "b", "ill")))
    table = Table(domain, (others[0], flipped, others[1], ill))
    curator, model = run(HPPrivBayes(sensitive="ill", companions=1), table, epsilon=4)
    assert [node.child for node in model.network.nodes][-2:] == [1, 3]
    assert max(curator.protection.of_attribute(a) for a in (1, 3)) <= 4 * Fraction(1, 4)
    assert curator.share_left == 0


def test_a_declared_weight_of_an_ordinary_column_makes_its_noise_unequal_too():
    domain = Domain((
        Attribute(name="a", size=2, weights=(Fraction(1), Fraction(4))),
        Attribute(name="b", size=2),
        Attribute(name="s", size=2, sensitivity=HIGH),
    ))  # fmt: skip
    rng = np.random.default_rng(0)
    table = Table(domain, tuple(rng.integers(0, 2, 500).astype(np.uint8) for _ in range(3)))
    curator, _ = run(HPPrivBayes(), table)
    common, heavy = curator.protection.of_values(0)
    assert common == heavy  # two values: a change is from one to the other
    [step] = [s for s in curator.protection.steps if isinstance(s, TableStep) and s.attributes == {0, 1}]
    assert step.weight(0, 0) == 4 * step.weight(0, 1)


def test_diagnostics_and_plans_run():
    _, model = run(HPPrivBayes(), noiseless="all")
    assert all(m.noise.kind == "none" for m in model.measurements)
    plan = HPPrivBayes().plan(people().domain, 1000, PrivacyTerms(budget=make_budget(1)))
    assert [attribute.name for attribute in plan.attributes] == ["sex", "age", "job", "ill"]
    assert sum(plan.shares.values()) == pytest.approx(1)
    printed = HPPrivBayesAsPrinted().plan(people().domain, 1000, PrivacyTerms(budget=make_budget(1)))
    assert "no guarantee" in printed.notes[0]


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("k", [None, 2])
def test_a_sensitive_column_finds_parents_in_a_very_wide_table(size, k):
    domain = Domain(tuple(Attribute(name=f"c{i}", size=size) for i in range(900)))
    coins = Streams(1).get("coins")
    sets = parent_sets(domain, 7, [a for a in range(900) if a != 7], cells=40, k=k, limit=50, coins=coins)
    assert 40 <= len(sets) <= 50
    assert {size ** len(parents) <= 40 // size or k is not None for parents in sets} == {True}


@settings(max_examples=25)
@given(st.data())
def test_any_declared_policy_keeps_its_promises(data):
    d = data.draw(st.integers(2, 5))
    sensitivities = data.draw(st.lists(st.sampled_from([0, 0.25, 0.5, 1]), min_size=d, max_size=d))
    if len(set(sensitivities)) < 2:
        sensitivities = [0] * (d - 1) + [1]
    attributes = []
    for i, u in enumerate(sensitivities):
        size = data.draw(st.integers(1, 4))
        weights = tuple(Fraction(w) for w in data.draw(st.lists(st.integers(1, 5), min_size=size, max_size=size)))
        attributes.append(Attribute(name=str(i), size=size, sensitivity=Fraction(str(u)), weights=weights))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    table = Table(Domain(tuple(attributes)), tuple(rng.integers(0, a.size, 60).astype(np.uint8) for a in attributes))
    r = Fraction(data.draw(st.integers(1, 9)), data.draw(st.integers(1, 9)))
    curator, _ = run(HPPrivBayes(r=r, theta=Fraction(1, 4)), table, epsilon=data.draw(st.sampled_from([1, 30])))
    protection, whole = curator.protection, curator.budget.epsilon
    assert curator.share_left == 0
    least = min(sensitivities)
    for u in set(sensitivities) - {least}:
        group = [i for i, v in enumerate(sensitivities) if v >= u]
        allowance = whole * (1 - Fraction(str(u)) / (1 + r))
        assert protection.promised(group) <= allowance
        assert sum(step.several for step in protection.steps if step.attributes & set(group)) <= allowance
        assert all(protection.of_attribute(i) <= protection.promised([i]) <= allowance for i in group)


# -- the structure as printed and as repaired (row 14 of the soundness review) --------------------------------------


class ScriptedExponential:
    name, private = "scripted", False

    def __init__(self, script):
        self.script, self.steps = list(script), []

    def exponential(self, scores, rate):
        weights = softmax([exp(-float(rate * int(scores.max() - s))) for s in scores])
        choice = self.script.pop(0) if self.script else 0
        self.steps.append((len(weights), weights[choice]))
        return choice


def published_networks(records, k):
    counter, found, open_scripts = RememberedCounts(records), {}, [()]
    while open_scripts:
        script = open_scripts.pop()
        noise = ScriptedExponential(script)
        curator = open_curator(counter, budget=PureBudget(epsilon=HIGH), noise=noise, no_guarantee=True)
        nodes = choose_network(curator, order_by_information(pairwise_information(curator)), k, HIGH)
        played = list(script) + [0] * (len(noise.steps) - len(script))
        for depth in range(len(script), len(noise.steps)):
            open_scripts += [(*played[:depth], other) for other in range(1, noise.steps[depth][0])]
        network = frozenset(nodes)
        found[network] = found.get(network, 0.0) + np.prod([p for _, p in noise.steps])
    assert sum(found.values()) == pytest.approx(1)
    return found


@cache
def all_printed(k):
    return {rows: published_networks([RECORDS[i] for i in rows], k) for rows in datasets(4)}


@pytest.mark.slow
def test_row_14_the_printed_order_makes_4080_pairs_of_tables_tell_apart_for_certain():
    found = all_printed(1)
    pairs = list(replace_pairs(4))
    assert len(set(pairs)) == 6720
    assert sum(found[one].keys() != found[other].keys() for one, other in set(pairs)) == 4080


@pytest.mark.slow
def test_row_14_the_repaired_structure_has_no_such_pair_and_keeps_its_epsilon():
    from tests.methods.test_protection_exactly import losses

    domain = Domain(tuple(Attribute(name=n, size=2, sensitivity=HIGH if n == "c" else Fraction(0)) for n in "abc"))
    worst = max(abs(choices) for *_, choices, _ in losses(domain, 2, HPPrivBayes(k=1)))  # it asserts equal supports
    assert 0 < worst <= 2 * Fraction(1, 4) * Fraction(3, 10)  # ε = 2; a quarter is for c, and 3/10 of that for choices


# -- bad input ---------------------------------------------------------------------------------------------------------


def check(**options):
    HPPrivBayes(**options).check(people().domain, PrivacyTerms(budget=make_budget(1)))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"sensitive": "illl"}, "no column 'illl' to call sensitive. Did you mean 'ill'"),
        ({"sensitive": "sex,agee"}, "no column 'agee'"),
        ({"L1": 0.3, "L2": 0.3, "L3": 0.3}, "must add up to 1. They come to 0.9"),
        ({"L1": 0.5, "L2": 0.6}, "each must be above 0"),
        ({"r": 0}, "'r' parameter of HPPrivBayes must be a number above 0. Got 0"),
        ({"r": -1}, "'r' parameter of HPPrivBayes must be a number above 0"),
        ({"L2": 0.2, "L3": 0.5, "r": 1}, "r is L2/L3, which is 0.4 here"),
        ({"L1": 1}, "above 0 and below 1"),
        ({"sensitive": ["sex", "age", "job"]}, "every column is declared equally sensitive"),
        ({"weights": "random"}, "must be one of declared, rare, equal"),
        ({"companions": 3}, "3 ordinary columns"),
        ({"companions": -1}, "whole number of at least 0"),
        ({"k": -1}, "'k' parameter"),
        ({"theta": 0}, "'theta' parameter"),
        ({"max_candidates": 0}, "'max_candidates' parameter"),
        ({"score": "Q"}, "'score' parameter"),
    ],
)
def test_bad_input_is_told(options, sentence):
    with pytest.raises(OptionError) as told:
        check(**options)
    assert sentence in str(told.value)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"mi_threshold": -1}, "'mi_threshold' parameter"),
        ({"k": -1}, "'k' parameter"),
        ({"r": 0}, "'r' parameter of HPPrivBayesAsPrinted must be a number above 0"),
        ({"sensitive": ["sex"]}, "2 are named"),
    ],
)
def test_bad_input_is_told_as_printed(options, sentence):
    with pytest.raises(OptionError, match=sentence):
        HPPrivBayesAsPrinted(**options).check(people().domain, PrivacyTerms(budget=make_budget(1)))


def test_a_table_without_sensitive_columns_is_refused_and_left_out_of_comparisons():
    domain = people(sensitive=()).domain
    with pytest.raises(OptionError, match="no column is declared sensitive"):
        HPPrivBayes().check(domain, PrivacyTerms(budget=make_budget(1)))
    assert "hpprivbayes" not in usual_methods(domain)
    assert "hpprivbayes" in usual_methods(people().domain)
    one = Domain((Attribute(name="a", size=2, sensitivity=HIGH),))
    with pytest.raises(OptionError, match="one column"):
        HPPrivBayes().check(one, PrivacyTerms(budget=make_budget(1)))


def test_companions_need_pure_epsilon_and_the_printed_form_needs_what_the_paper_has():
    with pytest.raises(OptionError, match="pure epsilon"):
        HPPrivBayes(companions=1).check(people().domain, PrivacyTerms(budget=make_budget(1, "1e-9")))
    for budget, neighbours in ((make_budget(1, "1e-9"), REPLACE_ONE), (make_budget(1), ADD_REMOVE)):
        with pytest.raises(OptionError, match="pure epsilon and replace-one"):
            HPPrivBayesAsPrinted().check(people().domain, PrivacyTerms(budget=budget, neighbours=neighbours))
    wide = Domain(tuple(Attribute(name=str(i), size=2, sensitivity=Fraction(i == 0)) for i in range(60)))
    with pytest.raises(OptionError, match="smaller k"):
        HPPrivBayesAsPrinted(k=5).check(wide, PrivacyTerms(budget=make_budget(1)))


def test_options_are_read_from_a_word_and_written_as_one():
    method = read_method("hpprivbayes:sensitive=sex,job:r=1/4:companions=1")
    assert method == HPPrivBayes(sensitive=("sex", "job"), r=Fraction(1, 4), companions=1)
    assert describe_method(method) == "hpprivbayes:sensitive=sex,job:r=1/4:companions=1"


def test_the_paper_s_shares_come_out_as_given():
    split = read_split(0.2, 0.2, 0.6, None)
    assert (split.network, split.ratio) == (Fraction(1, 5), Fraction(1, 3))
    assert read_split(None, 0.2, 0.6, None) == split
    levels = make_levels(people().domain, named_sensitivities(people().domain, []), split.ratio)
    assert [level.share for level in levels] == [Fraction(3, 4), Fraction(1, 4)]


def test_a_promise_is_enforced_at_the_curator_s_door():
    table = people()
    curator = open_curator(MemoryCounter(table), budget=make_budget(1), noise=make_noise(seed=1))
    curator.promise([3], Fraction(1, 10))
    curator.ask(NoisyTables(marginals=[Marginal.of(0, 1)]), share=Fraction(1, 2))
    with pytest.raises(BudgetExceeded, match="promised less"):
        curator.ask(NoisyTables(marginals=[Marginal.of(0, 3)]), share=Fraction(1, 5))
    curator.ask(NoisyTables(marginals=[Marginal.of(0, 3)]), share=Fraction(1, 10))
    with pytest.raises(BudgetExceeded):
        curator.ask(NoisyTables(marginals=[Marginal.of(3)]), share=Fraction(1, 100))
    assert curator.protection.promised([3]) == Fraction(1, 10)
