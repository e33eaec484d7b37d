"""The methods that look for no relations, and how methods and their options are found by name."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from understudy._core.errors import OptionError
from understudy._core.randomness import Streams
from understudy.counting import MemoryCounter
from understudy.methods import (
    METHODS,
    Independent,
    PrivBayes,
    Uniform,
    describe_method,
    method_named,
    read_method,
    read_method_options,
)
from understudy.privacy import ADD_REMOVE, REPLACE_ONE, PrivacyTerms, make_budget, make_noise, open_curator
from understudy.schema import Attribute, Domain, Level, Marginal
from understudy.tables import Table

SIZES = (2, 5, 3)
COARSER = {5: (Level(groups=(0, 0, 1, 1, 1)),)}
DOMAIN = Domain(tuple(Attribute(name=f"x{i}", size=s, coarser=COARSER.get(s, ())) for i, s in enumerate(SIZES)))


def table_of(n=500, seed=1):
    rng = np.random.default_rng(seed)
    return Table(DOMAIN, tuple(rng.binomial(size - 1, 0.3, n) for size in SIZES))


def curator_of(table, epsilon=1, *, delta=None, neighbours=REPLACE_ONE, seed=3, noiseless=None):
    return open_curator(
        MemoryCounter(table, threads=1),
        budget=make_budget(epsilon, delta),
        neighbours=neighbours,
        noise=make_noise(seed=seed),
        noiseless=noiseless,
    )


@pytest.mark.parametrize("neighbours", [REPLACE_ONE, ADD_REMOVE])
@pytest.mark.parametrize("delta", [None, "1e-9"])
def test_independent_spends_the_whole_budget_on_one_table_a_column(neighbours, delta):
    curator = curator_of(table_of(), delta=delta, neighbours=neighbours)
    model = Independent().fit(curator)
    assert [m.marginal for m in model.measurements] == [Marginal.of(a) for a in range(3)]
    assert curator.share_left == 0
    rows = Fraction(0) if neighbours is REPLACE_ONE else Fraction(1, 50)
    assert curator.charges[-1].share == 1 - rows
    assert curator.charges[-1].n_tables == 3
    expected = curator.budget.noise_for((1 - rows) / 3, neighbours.table_sensitivity)
    assert {m.noise for m in model.measurements} == {expected}


@pytest.mark.slow
def test_independent_adds_noise_of_scale_2d_over_epsilon_to_each_count():
    """A row moves two cells of each table, so b = 2 / (ε/d); and E|noise| = 2q / (1 − q²), where q = e^(−1/b)."""
    table, epsilon = table_of(n=200), 2
    truth = [count.astype(float) for count in MemoryCounter(table).count([Marginal.of(a) for a in range(3)])]
    off = []
    for seed in range(400):
        model = Independent().fit(curator_of(table, epsilon, seed=seed))
        off += [np.abs(m.counts - t).mean() for m, t in zip(model.measurements, truth, strict=True)]
    q = np.exp(-epsilon / (2 * 3))
    expected = 2 * q / (1 - q * q)
    assert np.mean(off) == pytest.approx(expected, rel=0.08)
    assert np.mean(off) != pytest.approx(0.7 * expected, rel=0.08)


def test_without_noise_independent_has_the_true_columns_and_no_relations():
    table = table_of()
    model = Independent().fit(curator_of(table, noiseless="all"))
    truth = [np.bincount(column, minlength=size) / table.n for column, size in zip(table.columns, SIZES, strict=True)]
    for found, expected in zip(model.conditionals, truth, strict=True):
        assert found.tolist() == pytest.approx(expected.tolist())
    joint = model.marginal(Marginal.of(0, 1, 2)).probabilities
    for cell in product(*(range(size) for size in SIZES)):
        assert joint[cell] == pytest.approx(np.prod([truth[a][code] for a, code in enumerate(cell)]))


def test_independent_is_privbayes_without_parents():
    table = table_of()
    one = Independent().fit(curator_of(table, "0.3", seed=9))
    other = PrivBayes(k=0).fit(curator_of(table, "0.3", seed=9), streams=Streams(9))
    by_child = {node.child: t for node, t in zip(other.network.nodes, other.conditionals, strict=True)}
    assert all(c.tolist() == by_child[a].tolist() for a, c in enumerate(one.conditionals))


def test_tables_of_independent_have_no_negative_cell_and_sum_to_one_at_any_budget():
    model = Independent().fit(curator_of(table_of(n=20), "0.01"))
    assert all((c >= 0).all() and c.sum() == pytest.approx(1) for c in model.conditionals)


@pytest.mark.parametrize("delta", [None, "1e-9"])
def test_a_plan_for_independent_foretells_noise_and_shares(delta):
    budget = make_budget(1, delta)
    plan = Independent().plan(DOMAIN, 1000, PrivacyTerms(budget=budget, neighbours=ADD_REMOVE))
    noise = budget.noise_for(Fraction(49, 50) / 3, ADD_REMOVE.table_sensitivity).mean_abs
    assert plan.noise_mean == noise
    assert plan.shares == {"rows": 0.02, "tables": 0.98}
    assert [a.expected_error for a in plan.attributes] == [min(1.0, size * noise / 2000) for size in SIZES]
    assert (plan.method, plan.score, plan.coarsened, plan.drawn) == ("independent", None, (), False)
    assert plan.to_dict()["method"] == "independent"


def test_independent_is_refused_where_noise_drowns_every_count():
    with pytest.raises(OptionError, match="Raise epsilon"):
        Independent().check(DOMAIN, PrivacyTerms(budget=make_budget("1e-18")))


class Blind:
    """A counter that knows its number of rows and gives nothing else away."""

    domain = DOMAIN
    n = 77

    def count(self, marginals):
        raise AssertionError("rows were counted")

    def recoded(self, recoding):
        raise AssertionError("rows were recoded")


def test_uniform_reads_no_row_and_charges_nothing():
    curator = open_curator(Blind(), budget=make_budget(1), noise=make_noise(seed=1))
    model = Uniform().fit(curator)
    assert (curator.charges, curator.share_left, model.n, model.measurements) == ((), 1, 77, ())


def test_uniform_gives_the_same_model_for_every_table_of_three_rows_and_two_columns():
    domain = Domain((Attribute(name="a", size=2), Attribute(name="b", size=3)))
    rows = list(product(range(2), range(3)))
    found = set()
    for chosen in product(rows, repeat=3):
        table = Table(domain, tuple(np.array([row[a] for row in chosen]) for a in range(2)))
        model = Uniform().fit(curator_of(table))
        found.add((model.n, tuple(tuple(c.tolist()) for c in model.conditionals)))
    assert found == {(3, ((0.5, 0.5), (1 / 3,) * 3))}


def test_under_add_remove_uniform_asks_for_a_noisy_number_of_rows_and_nothing_else():
    curator = open_curator(Blind(), budget=make_budget(1), neighbours=ADD_REMOVE, noise=make_noise(seed=1))
    Uniform().fit(curator)
    assert [(charge.what, charge.share) for charge in curator.charges] == [("rows", 1)]


def test_uniform_says_what_the_budget_is_used_for():
    budget = make_budget(1)
    assert Uniform().describe(DOMAIN, 9, PrivacyTerms(budget=budget)) == {
        "budget": "not used, but for bins that are found"
    }
    assert "rows" in str(Uniform().describe(DOMAIN, 9, PrivacyTerms(budget=budget, neighbours=ADD_REMOVE))["budget"])
    plan = Uniform().plan(DOMAIN, 9, PrivacyTerms(budget=budget))
    assert [a.expected_error for a in plan.attributes] == [None] * 3
    assert (plan.shares, plan.noise_mean) == ({}, 0)


NEEDED = {"hpprivbayes": {"sensitive": DOMAIN[0].name}}  # options without which a method means nothing here


@pytest.mark.parametrize("name", METHODS)
def test_every_registered_method_keeps_the_contract(name):
    """One suite for all: it checks, plans, describes and fits, spends no more than it has, and can be sampled from."""
    method, budget = method_named(name, **NEEDED.get(name, {})), make_budget(1)
    assert method.name == name
    assert type(method).__doc__.strip().splitlines()[0].endswith(".")
    for neighbours in (REPLACE_ONE, ADD_REMOVE):
        method.check(DOMAIN, PrivacyTerms(budget=budget, neighbours=neighbours))
        assert method.plan(DOMAIN, 500, PrivacyTerms(budget=budget, neighbours=neighbours)).method == name
        curator = curator_of(table_of(), neighbours=neighbours)
        model = method.fit(curator, streams=Streams(1))
        assert curator.share_left >= 0
        assert isinstance(
            method.describe(model.domain, model.n, PrivacyTerms(budget=budget, neighbours=neighbours)), dict
        )
        assert all(sentence.endswith(".") for sentence in method.remarks(model, model.n))
        columns = next(iter(model.sample_codes(50, streams=Streams(1))))
        assert Table(DOMAIN, tuple(columns)).n == 50


@pytest.mark.parametrize("name", METHODS)
def test_a_method_survives_being_written_down(name):
    assert read_method(describe_method(method_named(name))) == method_named(name)


@pytest.mark.parametrize(
    "method", [PrivBayes(k=0), PrivBayes(score="R", theta=Fraction(1, 3), beta=0.25), PrivBayes(max_candidates=9)]
)
def test_a_method_with_options_survives_being_written_down(method):
    assert read_method(describe_method(method)) == method


def test_options_are_read_in_the_types_of_the_fields():
    found = read_method_options("privbayes", ["k=2", "theta=4.5", "score=F", "max-candidates=1e3"])
    assert found == {"k": 2, "theta": Fraction(9, 2), "score": "F", "max_candidates": 1000}
    assert read_method_options("privbayes", ["k=none"]) == {"k": None}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("privbayes:k", "name=value"),
        ("privbayes:=2", "name=value"),
        ("privbayes:k=two", "whole number"),
        ("privbayes:k=2:k=3", "twice"),
        ("privbayes:kk=2", "Did you mean 'k'"),
        ("privbayes:beta=much", "a number above 0 and below 1. Got 'much'"),
        ("privbayes:score=Q", "must be one of"),
        ("independent:k=2", "has no option 'k'. It has none."),
        ("unifrom", "Did you mean 'uniform'"),
        ("", "there is no method ''"),
    ],
)
def test_words_that_name_no_method_are_refused(text, said):
    with pytest.raises(OptionError, match=said):
        read_method(text)


@pytest.mark.parametrize("option", ["most_cells", "max_cell", "max_cells"])
def test_what_is_suggested_instead_of_an_option_is_taken(option: str) -> None:
    """The default method has none of it: whoever follows the advice must get further."""
    with pytest.raises(OptionError, match=r"max_cells'.* '?adaptive.*--method adaptive") as refused:
        method_named("auto", **{option: 400})
    assert "Known" not in str(refused.value)
    assert method_named("adaptive", max_cells=400)
