"""Answers on tables large enough to be right: close to the truth, honest about it, and within the budget."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from understudy._core.errors import BudgetExceeded, InternalError, OptionError
from understudy._core.randomness import Streams
from understudy.answers import (
    Answering,
    AnswerSettings,
    LinearQuery,
    State,
    answer_workload,
    make_workload,
    plan_tables,
    read_lines,
)
from understudy.answers import _answering as choosing
from understudy.counting import open_counter
from understudy.methods import Independent, Laplace, PrivABNAsPrinted, PrivBayes
from understudy.privacy import ADD_REMOVE, REPLACE_ONE, PrivacyTerms, PrivacyUnit, make_budget, make_noise, open_curator
from understudy.schema import Marginal, Schema
from understudy.tables import Table

N = 4000
SIZES = {"a": 3, "b": 4, "c": 2, "d": 5}
SCHEMA = Schema.from_dict(
    {"fields": [{"name": name, "categories": [f"{name}{i}" for i in range(size)]} for name, size in SIZES.items()]}
)
TEXTS = ["table(a, b)", "table(b, c)", "a=a0/a1, c=c1", "d=d0/d3, a=a2", "c=c0"]
STRATEGIES = ["tables", "direct", "rounds", "pmw"]


def rows():
    rng = np.random.default_rng(1)
    a = rng.integers(0, 3, N)
    b = (a + rng.integers(0, 2, N)) % 4
    c = (rng.random(N) < 0.1 + 0.2 * b).astype(np.int64)
    d = np.minimum(rng.poisson(1 + a), 4)
    return Table(SCHEMA.domain, (a, b, c, d))


COUNTER = open_counter(rows())
WORKLOAD = make_workload(read_lines(TEXTS), SCHEMA)


def curator(epsilon=1, delta=None, *, seed=1, neighbours=REPLACE_ONE, max_rows=1):
    return open_curator(
        COUNTER,
        budget=make_budget(epsilon, delta),
        neighbours=neighbours,
        unit=PrivacyUnit("one person", max_rows=max_rows),
        noise=make_noise(seed=seed),
    )


def truth(workload):
    found = [b.totals(COUNTER.count([b.marginal])[0]) / b.denominators / N for b in workload.batches]
    return workload.in_order(found)


@pytest.mark.one_in(9)
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("neighbours", [REPLACE_ONE, ADD_REMOVE], ids=str)
@pytest.mark.parametrize(
    ("delta", "max_rows"),
    [(None, 1), *(pytest.param(*terms, marks=pytest.mark.slow) for terms in (("1e-9", 1), (None, 3), ("1e-9", 3)))],
)
def test_every_strategy_answers_well_under_all_terms(strategy, neighbours, delta, max_rows):
    asked = curator(3, delta, neighbours=neighbours, max_rows=max_rows)
    settings = AnswerSettings(strategy=strategy, updates=30)
    found = answer_workload(asked, WORKLOAD, settings)
    assert found.strategy == strategy
    assert asked.share_left >= 0
    assert strategy == "pmw" or asked.share_left == 0
    known = ~np.isnan(found.shares)
    assert known.sum() >= (len(WORKLOAD) if strategy != "pmw" else 1)
    off = np.abs(found.shares - truth(WORKLOAD))[known]
    assert off.mean() < 0.1 * max_rows
    assert ((found.low <= found.shares) & (found.shares <= found.high))[known].all()


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["tables", "direct", "rounds"])
def test_intervals_hold_what_they_say_over_many_runs(strategy):
    held = []
    for seed in range(8):
        found = answer_workload(curator(1, seed=seed), WORKLOAD, AnswerSettings(strategy=strategy))
        held.append(np.mean((found.low <= truth(WORKLOAD)) & (truth(WORKLOAD) <= found.high)))
    assert np.mean(held) > 0.93


@pytest.mark.one_in(2)
@pytest.mark.parametrize("strategy", ["tables", "rounds"])
def test_more_budget_answers_better(strategy):
    errors = [
        np.abs(answer_workload(curator(epsilon), WORKLOAD, AnswerSettings(strategy=strategy)).shares - truth(WORKLOAD))
        for epsilon in (0.02, 0.2, 2)
    ]
    assert [error.mean() for error in errors] == sorted((error.mean() for error in errors), reverse=True)


def test_queries_below_the_threshold_are_answered_by_the_model_and_the_rest_refused_when_corrections_are_gone():
    texts = ["a=a0", "a=a0/a1", "c=c1", "d=d0", "d=d1", "d=d2"]
    workload = make_workload(read_lines(texts), SCHEMA)
    found = answer_workload(curator(5), workload, AnswerSettings(strategy="pmw", threshold=Fraction(1, 20), updates=2))
    assert found.how[:2] == ("model", "model")  # a is about uniform
    assert found.how.count("measured") == 2
    assert found.refused == found.how.count("refused") > 0
    first = found.how.index("refused")
    assert set(found.how[first:]) == {"refused"}
    assert np.isnan(found.shares[first:]).all()
    assert "were refused" in found.notes[0]
    enough = answer_workload(curator(5), workload, AnswerSettings(strategy="pmw", threshold=Fraction(1, 20), updates=6))
    assert enough.refused == 0
    assert np.abs(enough.shares - truth(workload)).max() < 0.2


def test_auto_chooses_by_what_noise_would_do():
    whole = make_workload(read_lines(["table(a, b, c, d)"]), SCHEMA)
    chosen = []
    for epsilon in (Fraction(1, 1000), Fraction(50)):
        found = answer_workload(curator(epsilon), whole)
        chosen.append(found.strategy)
        assert "expected error" in found.because
    assert chosen == ["rounds", "tables"]
    single = make_workload(read_lines(["a=a0, b=b0/b1/b2, c=c1"]), SCHEMA)
    assert answer_workload(curator(5), single).strategy == "direct"
    weighted = LinearQuery(columns=("a", "b"), weights=np.random.default_rng(2).random((20, 12)))
    assert answer_workload(curator(Fraction(1, 2)), make_workload([], SCHEMA, [weighted])).strategy == "tables"


def test_the_plan_is_made_of_public_quantities_and_answers_every_table():
    terms = PrivacyTerms(budget=make_budget(1))
    plan = plan_tables(WORKLOAD, terms)
    assert sum(plan.shares) <= 1
    for marginal in WORKLOAD.marginals:
        assert plan.marginals[plan.source_of(marginal)].refines(marginal)
    half = plan_tables(WORKLOAD, terms, Fraction(1, 2))
    assert half.error == pytest.approx(2 * plan.error, rel=0.05)
    assert plan_tables(WORKLOAD, PrivacyTerms(budget=make_budget(1, "1e-9"))).error > plan.error


def test_many_tables_are_planned_without_trying_all_pairs(monkeypatch):
    from understudy.answers import _planning

    monkeypatch.setattr(_planning, "_MOST_JOINED", 2)
    plan = plan_tables(WORKLOAD, PrivacyTerms(budget=make_budget(1)))
    assert Marginal.of(2) not in plan.marginals  # inside others
    for marginal in WORKLOAD.marginals:
        assert plan.marginals[plan.source_of(marginal)].refines(marginal)


def test_tables_that_do_not_fit_the_model_stand_on_their_own():
    pairs = [f"table({x}, {y})" for x in SIZES for y in SIZES if x < y]
    workload = make_workload(read_lines(pairs), SCHEMA)
    small = State(SCHEMA.domain, most_cells=30)
    found = answer_workload(curator(50, "1e-9"), workload, AnswerSettings(strategy="tables"), start=small)
    if any("did not fit" in note for note in found.notes):
        assert np.abs(found.shares - truth(workload)).max() < 0.05
    rounds = answer_workload(curator(50), workload, AnswerSettings(strategy="rounds"), start=small)
    assert np.abs(rounds.shares - truth(workload)).mean() < 0.05


@pytest.mark.parametrize("strategy", ["tables", "direct", "rounds", "auto"])
@pytest.mark.parametrize("delta", [None, "1e-9"])
def test_a_single_query_about_a_single_column_is_answered(strategy, delta):
    """With one table to choose from the choice is free: what was meant for it must not be left over in each round."""
    workload = make_workload(read_lines(["c=c1"]), SCHEMA)
    asked = curator(1, delta, neighbours=ADD_REMOVE)
    found = answer_workload(asked, workload, AnswerSettings(strategy=strategy, updates=30))
    assert found.shares == pytest.approx(truth(workload), abs=0.05)
    assert len(asked.charges) < 60


def test_rounds_stop_where_no_table_fits():
    workload = make_workload(read_lines(["table(a, b)"]), SCHEMA)
    tiny = State(SCHEMA.domain, most_cells=4)
    found = answer_workload(curator(5), workload, AnswerSettings(strategy="rounds"), start=tiny)
    assert len(found.shares) == 12


def test_a_start_from_a_model_knows_all_columns_and_is_paid_for():
    asked = curator(4)
    method = Answering(WORKLOAD, AnswerSettings(strategy="rounds"), start=PrivBayes(), start_share=Fraction(1, 2))
    method.check(SCHEMA.domain, asked.terms)
    model = method.fit(asked, streams=Streams(1))
    assert asked.charges[0].what == "start: a model learnt by privbayes"
    assert asked.charges[0].share == Fraction(1, 2)
    assert asked.charges[0].epsilon == 2
    assert asked.share_left == 0
    assert method.answered.state.touched == frozenset(range(4))
    assert asked.protection.of_attribute(3) >= 2
    assert np.abs(method.answered.shares - truth(WORKLOAD)).mean() < 0.03
    exact = COUNTER.count([Marginal.of(0, 3)])[0] / N
    assert np.abs(model.marginal(Marginal.of(0, 3)).probabilities - exact).sum() < 0.5


def test_a_part_of_a_budget_cannot_be_overspent():
    asked = curator(4)
    part = asked.part(Fraction(1, 4), what="a part")
    assert part.budget.epsilon == 1
    assert asked.share_left == Fraction(3, 4)
    Independent().fit(part, streams=Streams(1))
    assert part.share_left >= 0
    with pytest.raises(BudgetExceeded):
        asked.part(Fraction(7, 8), what="too much")
    part = curator(4, "1e-9").part(Fraction(1, 4), what="a part")
    assert part.budget.mu_squared * 4 == pytest.approx(make_budget(4, "1e-9").mu_squared)


@pytest.mark.parametrize("method", [Laplace(), PrivABNAsPrinted()])
def test_methods_that_are_no_start_are_refused_before_the_charge(method):
    answering = Answering(WORKLOAD, AnswerSettings(), start=method)
    with pytest.raises(OptionError, match="answers cannot start from"):
        answering.check(SCHEMA.domain, PrivacyTerms(budget=make_budget(1)))


def test_noise_beyond_all_counts_is_refused_before_the_charge():
    with pytest.raises(OptionError, match="larger than any count"):
        Answering(WORKLOAD, AnswerSettings()).check(SCHEMA.domain, PrivacyTerms(budget=make_budget("0.00000000000001")))


def test_answers_are_not_there_before_they_are_found():
    method = Answering(WORKLOAD, AnswerSettings())
    with pytest.raises(InternalError, match="before there were any"):
        method.describe(SCHEMA.domain, N, PrivacyTerms(budget=make_budget(1)))
    with pytest.raises(InternalError, match="no plan"):
        method.plan(SCHEMA.domain, N, PrivacyTerms(budget=make_budget(1)))


def test_a_threshold_of_its_own_is_one_that_noise_seldom_reaches():
    usual = choosing.online_settings(curator(1), WORKLOAD, AnswerSettings(strategy="pmw"))
    strict = choosing.online_settings(curator(100), WORKLOAD, AnswerSettings(strategy="pmw"))
    assert 0 < strict.threshold < usual.threshold < 1


def test_ten_thousand_linear_queries_are_answered_better_than_each_on_its_own():
    weights = np.random.default_rng(3).random((10_000, 24))
    workload = make_workload([], SCHEMA, [LinearQuery(columns=("a", "b", "c"), weights=weights)])
    found = answer_workload(curator(Fraction(1, 10)), workload)
    alone = np.random.default_rng(4).laplace(0, 10_000 / (0.1 * N), 10_000)  # ε/10,000 for each
    assert np.abs(found.shares - truth(workload)).mean() < 0.05 < np.abs(np.clip(0.5 + alone, 0, 1) - 0.5).mean()
