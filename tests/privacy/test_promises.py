"""What a run promised about some attributes binds every later step, and exact counts leave in no run with a promise."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.privacy.small import MatchScore, PlainCounter, binary
from understudy._core.errors import BudgetExceeded, InternalError
from understudy.models import RScore
from understudy.privacy import (
    ADD_REMOVE,
    REPLACE_ONE,
    BestCandidate,
    Candidate,
    Counted,
    MeanStrength,
    NoisyTables,
    Price,
    PureBudget,
    make_noise,
    open_curator,
)
from understudy.schema import Attribute, Axis, Domain, Level, Marginal, Part, Recoding

BUDGET = PureBudget(epsilon=Fraction(1))
TENTH = Fraction(1, 10)
ROWS = [(0, 0, 0), (0, 1, 1), (1, 1, 0), (1, 0, 1)]
OTHERS = [Candidate(0, (Axis(1),)), Candidate(1, (Axis(0),))]


class RefusingLedger:
    """A ledger that must not be touched."""

    def charge(self, terms, **_entry):
        raise AssertionError("charged")


def curator_with_promise(share=TENTH):
    counter = PlainCounter(binary(3), ROWS)
    curator = open_curator(counter, budget=BUDGET)
    curator.promise([2], share)
    return curator, counter


STEPS = {
    "as a child": lambda c, share: c.ask(
        BestCandidate(candidates=[Candidate(2, (Axis(0),)), *OTHERS], score=MatchScore()), share=share
    ),
    "as a parent": lambda c, share: c.ask(
        BestCandidate(candidates=[Candidate(0, (Axis(2),)), *OTHERS], score=MatchScore()), share=share
    ),
    "in one of two tables": lambda c, share: c.ask(
        NoisyTables(marginals=[Marginal.of(0), Marginal.of(1, 2)]), share=2 * share
    ),
    "with unequal noise": lambda c, share: c.ask(
        NoisyTables(marginals=[Marginal.of(0, 2)], factors={0: (Fraction(1), Fraction(1, 2))}), share=share
    ),
    "in a strength": lambda c, share: c.ask(
        MeanStrength(groups=[OTHERS, [Candidate(1, (Axis(2),))]], score=RScore()), share=share
    ),
}


@pytest.mark.parametrize("step", STEPS)
def test_a_step_that_would_break_a_promise_is_refused_before_it_looks(step):
    curator, counter = curator_with_promise()
    with pytest.raises(BudgetExceeded):
        STEPS[step](curator, TENTH + Fraction(1, 1000))
    assert (counter.n_tables, curator.charges, curator.share_left) == (0, (), 1)
    STEPS[step](curator, TENTH)
    counted = counter.n_tables
    for again in STEPS.values():  # nothing is left for any of them
        with pytest.raises(BudgetExceeded):
            again(curator, Fraction(1, 1000))
    assert counter.n_tables == counted
    curator.ask(
        BestCandidate(candidates=OTHERS, score=MatchScore()), share=TENTH
    )  # steps that do not look at it are free to go on
    curator.ask(NoisyTables(marginals=[Marginal.of(0, 1)]), share=TENTH)


def test_a_promise_is_kept_through_views_and_coarser_levels():
    domain = Domain((Attribute(name="a", size=2), Attribute(name="b", size=3, coarser=(Level(groups=(0, 0, 1)),))))
    counter = PlainCounter(domain, [(0, 0), (1, 2)])
    curator = open_curator(counter, budget=BUDGET)
    curator.promise([1], TENTH)
    swapped = Recoding(
        source=domain,
        target=Domain((domain[1], domain[0])),
        parts=(Part(source=1, lookup=(0, 1, 2)), Part(source=0, lookup=(0, 1))),
        pieces=((1,), (0,)),
        back=((0, 1), (0, 1, 2)),
    )
    view = curator.recoded(swapped)
    with pytest.raises(BudgetExceeded):
        view.ask(NoisyTables(marginals=[Marginal((Axis(0, 1),))]), share=2 * TENTH)  # 'b' is the view's first attribute
    view.ask(NoisyTables(marginals=[Marginal.of(1)]), share=2 * TENTH)
    view.ask(NoisyTables(marginals=[Marginal((Axis(0, 1),))]), share=TENTH)
    with pytest.raises(BudgetExceeded):
        curator.ask(NoisyTables(marginals=[Marginal.of(1)]), share=Fraction(1, 1000))


def test_promises_come_first():
    curator, _ = curator_with_promise()
    curator.ask(NoisyTables(marginals=[Marginal.of(0)]), share=TENTH)
    with pytest.raises(InternalError, match="before anything is measured"):
        curator.promise([0], TENTH)


@pytest.mark.parametrize("neighbours", [REPLACE_ONE, ADD_REMOVE])
@pytest.mark.parametrize("noise", [None, make_noise(seed=1)], ids=["private", "seeded"])
@pytest.mark.parametrize("stage", [None, "all"])
def test_exact_counts_leave_in_no_run_that_was_not_opened_without_a_guarantee(neighbours, noise, stage):
    counter = PlainCounter(binary(3), ROWS)
    curator = open_curator(counter, budget=BUDGET, neighbours=neighbours, noise=noise, noiseless=stage)
    with pytest.raises(InternalError, match="promises privacy"):
        curator.reveal([Marginal.of(0)])
    assert (counter.n_tables, curator.charges) == (0, ())


def test_a_run_opened_without_a_guarantee_has_no_price_and_no_stated_protection():
    curator = open_curator(PlainCounter(binary(3), ROWS), budget=BUDGET, ledger=RefusingLedger(), no_guarantee=True)
    assert not curator.guarantee
    assert curator.ledger_entry is None
    [table] = curator.reveal([Marginal.of(0)])
    assert table.tolist() == [2, 2]
    assert [(charge.mechanism, charge.epsilon) for charge in curator.charges] == [("exact counts", None)]
    assert curator.protection is None
    assert not curator.recoded(_same(curator.domain)).guarantee  # no view of it has one either


def _same(domain):
    return Recoding(
        source=domain,
        target=domain,
        parts=tuple(Part(source=a, lookup=(0, 1)) for a in range(3)),
        pieces=tuple((a,) for a in range(3)),
        back=((0, 1),) * 3,
    )


class Vague:
    """A question that says neither what it looks at nor what a change costs."""

    what = "something"

    def free_answer(self, facts):
        return None

    def price(self, facts, share):
        sensitivity = facts.terms.table_sensitivity
        return Price(mechanism=facts.noise_for(share, sensitivity), sensitivity=sensitivity.l1)

    def count(self, rows, facts):
        return Counted(rows.count([Marginal.of(0)]))

    def answer(self, noisy, price, facts):
        return noisy


@pytest.mark.parametrize("neighbours", [REPLACE_ONE, ADD_REMOVE])
def test_a_question_that_says_nothing_of_attributes_counts_against_all_of_them(neighbours):
    curator = open_curator(
        PlainCounter(binary(3), ROWS), budget=BUDGET, neighbours=neighbours, noise=make_noise(seed=1)
    )
    curator.promise([2], TENTH)
    curator.ask(Vague(), share=TENTH)
    with pytest.raises(BudgetExceeded, match="promised less"):
        curator.ask(Vague(), share=Fraction(1, 1000))
    twice = 1 if neighbours is REPLACE_ONE else 2
    assert [curator.protection.of_attribute(a) for a in range(3)] == [twice * TENTH * BUDGET.epsilon] * 3


def test_tables_with_unequal_noise_are_asked_for_one_at_a_time():
    with pytest.raises(InternalError, match="one at a time"):
        NoisyTables(marginals=[Marginal.of(0), Marginal.of(1)], factors={0: (Fraction(1), Fraction(1, 2))})
