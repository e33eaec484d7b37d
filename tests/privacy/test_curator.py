"""The curator: what it gives out, what it charges, and what it refuses."""

import copy
import math
import pickle
from fractions import Fraction
from functools import cache
from itertools import combinations

import numpy as np
import pytest

from tests.audit_tools import categories_p_value, fit_p_value, gaussian_pmf, laplace_pmf
from tests.privacy.small import MatchScore, PlainCounter, binary
from tests.privacy.test_selection import exponential_distribution, flip_distribution
from understudy._core.errors import BudgetExceeded, InternalError, LedgerError, OptionError
from understudy.counting import open_counter
from understudy.privacy import (
    ADD_REMOVE,
    REPLACE_ONE,
    BestCandidate,
    Candidate,
    MemoryLedger,
    NoisyTables,
    PrivacyWarning,
    SQLiteLedger,
    make_budget,
    make_noise,
    open_curator,
    read_ledger,
)
from understudy.privacy._scoring import Scorer
from understudy.schema import Attribute, Axis, Domain, Level, Marginal, recode

pytestmark = pytest.mark.one_in(3)

ROWS = [(0, 0, 0), (0, 0, 1), (0, 1, 1), (1, 1, 1), (1, 1, 0), (1, 0, 0), (1, 1, 1), (0, 0, 0)]
PAIRS = [Candidate(0, (Axis(1),)), Candidate(0, (Axis(2),)), Candidate(1, (Axis(2),)), Candidate(2, (Axis(0),))]
HALF = Fraction(1, 2)


budget = cache(make_budget)  # the conversion to μ² takes twenty milliseconds, and some tests make thousands of curators


def curator(rows=ROWS, epsilon=1, delta=None, **options):
    options.setdefault("noise", make_noise(seed=1))
    return open_curator(PlainCounter(binary(3), rows), budget=budget(epsilon, delta), **options)


def matches(candidate, rows=ROWS):
    return sum(row[candidate.child] == row[candidate.parents[0].attribute] for row in rows)


# -- choosing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("delta", "distribution", "neighbours"),
    [
        (None, flip_distribution, REPLACE_ONE),
        ("1e-3", exponential_distribution, ADD_REMOVE),
        pytest.param(None, flip_distribution, ADD_REMOVE, marks=pytest.mark.slow),
        pytest.param("1e-3", exponential_distribution, REPLACE_ONE, marks=pytest.mark.slow),
    ],
)
def test_choices_follow_the_mechanism_at_the_rate_that_was_paid_for(delta, distribution, neighbours):
    noise = make_noise(seed=5)
    found, share = [0] * len(PAIRS), Fraction(1, 3)
    for _ in range(4_000):
        chosen = curator(epsilon=2, delta=delta, neighbours=neighbours, noise=noise)
        found[chosen.ask(BestCandidate(candidates=PAIRS, score=MatchScore()), share=share)] += 1
    rate = float(chosen.charges[0].rate)
    spread = 2 if neighbours is REPLACE_ONE else 1
    if delta is None:
        assert rate == pytest.approx(2 / 3 / spread)
    else:
        assert (rate * spread) ** 2 * math.pi / 8 == pytest.approx(float(chosen.budget.mu_squared) / 3)
    expected = distribution([matches(pair) for pair in PAIRS], rate)
    assert categories_p_value(found, expected) > 1e-4


def test_a_better_candidate_wins_when_the_budget_is_large():
    scores = [matches(pair) for pair in PAIRS]
    best = {i for i, score in enumerate(scores) if score == max(scores)}
    assert 0 < len(best) < len(PAIRS)
    assert curator(epsilon=10_000).ask(BestCandidate(candidates=PAIRS, score=MatchScore()), share=HALF) in best
    assert curator(noiseless="selection").ask(BestCandidate(candidates=PAIRS, score=MatchScore()), share=HALF) == min(
        best
    )


def test_scores_equal_brute_force_for_mixed_sizes_levels_and_memory_limits():
    domain = Domain(
        (
            Attribute(name="a", size=2),
            Attribute(name="b", size=4, coarser=(Level(groups=(0, 0, 1, 1)),)),
            Attribute(name="c", size=3),
            Attribute(name="d", size=2),
        )
    )
    rng = np.random.default_rng(3)
    rows = [tuple(int(rng.integers(a.size)) for a in domain) for _ in range(60)]
    axes = [Axis(0), Axis(1), Axis(1, 1), Axis(2), Axis(3)]
    candidates = [
        Candidate(child, parents)
        for child in range(4)
        for k in range(3)
        for parents in combinations(axes, k)
        if len({child, *(p.attribute for p in parents)}) == k + 1
    ]

    class CellScore:
        """Different for every arrangement of child and parents, as long as parents stay in order."""

        name = "cells"

        def __call__(self, tables, n):
            child = np.arange(1, tables.shape[1] + 1)[:, None]
            return (tables**2 * child).sum(axis=(1, 2)) * 1000 + tables.max(axis=(1, 2))

    def brute(candidate):
        marginal = Marginal((Axis(candidate.child), *candidate.parents))
        table = PlainCounter(domain, rows).count([marginal])[0]
        return int(CellScore()(table.reshape(1, table.shape[0], -1), len(rows))[0])

    expected = [brute(candidate) for candidate in candidates]
    for cells_at_once in (1, 20, 10**6):
        scorer = Scorer(PlainCounter(domain, rows), cells_at_once=cells_at_once)
        assert scorer.scores(candidates, CellScore()).tolist() == expected


def test_a_score_seen_before_is_not_counted_again():
    counter = PlainCounter(binary(3), ROWS)
    scorer = Scorer(counter)
    first = scorer.scores(PAIRS, MatchScore())
    counted = counter.n_tables
    assert counted == 3  # one table serves 0|2 and 2|0
    assert (scorer.scores(PAIRS, MatchScore()) == first).all()
    assert counter.n_tables == counted
    forgetful = Scorer(counter, scores_kept=2)
    assert (forgetful.scores(PAIRS, MatchScore()) == first).all()
    assert (forgetful.scores(PAIRS, MatchScore()) == first).all()


def test_scores_of_different_names_are_kept_apart():
    class Other(MatchScore):
        def __call__(self, tables, n):
            return -super().__call__(tables, n)

    scorer = Scorer(PlainCounter(binary(3), ROWS))
    assert (scorer.scores(PAIRS, MatchScore()) == -scorer.scores(PAIRS, Other(name="other"))).all()


def test_one_candidate_is_no_choice_and_none_is_our_bug():
    one = curator()
    assert one.ask(BestCandidate(candidates=PAIRS[:1], score=MatchScore()), share=HALF) == 0
    assert one.charges == ()
    with pytest.raises(InternalError, match="nothing to choose"):
        one.ask(BestCandidate(candidates=[], score=MatchScore()), share=HALF)


def test_under_add_remove_the_true_number_of_rows_never_shapes_the_rate():
    asked = []

    class Watching(MatchScore):
        def difference_sensitivity(self, n, shapes, neighbours):
            asked.append((n, sorted(shapes)))
            return Fraction(1)

    for rows in (ROWS, ROWS[:-1]):
        curator(rows, neighbours=ADD_REMOVE).ask(BestCandidate(candidates=PAIRS, score=Watching()), share=HALF)
    assert asked[: len(asked) // 2] == asked[len(asked) // 2 :]
    curator(neighbours=REPLACE_ONE).ask(BestCandidate(candidates=PAIRS, score=Watching()), share=HALF)
    assert asked[-1] == (len(ROWS), [(2, 2)])


# -- measuring ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("neighbours", "delta", "scale"),
    [
        (REPLACE_ONE, None, Fraction(8)),
        (ADD_REMOVE, None, Fraction(4)),
        (REPLACE_ONE, "1e-9", 8),
        (ADD_REMOVE, "1e-9", 4),
    ],
)
def test_tables_get_the_noise_their_share_pays_for(neighbours, delta, scale):
    measured = curator(delta=delta, neighbours=neighbours)
    level = measured.noise_for(share=Fraction(1, 4))
    tables = measured.ask(NoisyTables(marginals=[Marginal.of(0), Marginal.of(1, 2)]), share=HALF)
    assert [table.noise for table in tables] == [level, level]
    if delta is None:
        assert (level.kind, level.scale) == ("laplace", scale)
    else:  # σ² = L2²/(share·μ²)
        assert (level.kind, level.scale) == ("gaussian", scale / measured.budget.mu_squared)
    charge = measured.charges[0]
    assert (charge.n_tables, charge.share, charge.noise) == (2, HALF, level)
    assert (charge.epsilon, charge.mu_squared) == (
        (HALF, None) if delta is None else (None, measured.budget.mu_squared / 2)
    )


@pytest.mark.parametrize("delta", [None, "1e-3"])
def test_measured_tables_are_the_counts_plus_that_noise(delta):
    rng = np.random.default_rng(2)
    rows = [tuple(int(x) for x in rng.integers(0, 2, 3)) for _ in range(50)]
    truth = PlainCounter(binary(3), rows).count([Marginal.of(2, 0, 1)])[0]
    noise = make_noise(seed=8)
    errors = []
    for _ in range(2_000):
        table = curator(rows, epsilon=3, delta=delta, noise=noise).ask(
            NoisyTables(marginals=[Marginal.of(2, 0, 1)]), share=Fraction(1)
        )[0]
        errors.append((table.counts - truth).reshape(-1))
    pmf = (laplace_pmf if delta is None else gaussian_pmf)(float(table.noise.scale))
    assert table.counts.shape == (2, 2, 2)
    assert not table.counts.flags.writeable
    assert fit_p_value(np.concatenate(errors), pmf) > 1e-4


def test_measuring_nothing_costs_nothing():
    free = curator()
    assert free.ask(NoisyTables(marginals=[]), share=HALF) == []
    assert free.share_left == 1


def test_rows_are_public_and_free_under_replace_one():
    open_rows = curator()
    assert open_rows.measure_rows(share=Fraction(1, 50)) == open_rows.rows == len(ROWS)
    assert open_rows.charges == ()


@pytest.mark.parametrize("delta", [None, "1e-3"])
def test_rows_are_noisy_charged_and_at_least_one_under_add_remove(delta):
    noise, share = make_noise(seed=6), Fraction(1, 4)
    seen = []
    for _ in range(400):
        hidden = curator(delta=delta, neighbours=ADD_REMOVE, noise=noise)
        with pytest.raises(InternalError, match="private until it is measured"):
            _ = hidden.rows
        seen.append(hidden.measure_rows(share=share))
        assert hidden.measure_rows(share=share) == hidden.rows == seen[-1]  # the second time is free
        assert [charge.what for charge in hidden.charges] == ["rows"]
        assert hidden.share_left == Fraction(3, 4)
    assert len(set(seen)) > 8
    assert min(seen) == 1  # at this noise some draws fall below and are lifted


# -- shares ------------------------------------------------------------------------------------------------------------


def test_more_than_the_whole_budget_is_refused_before_data_are_looked_at():
    counter = PlainCounter(binary(3), ROWS)
    spent = open_curator(counter, budget=make_budget(1), noise=make_noise(seed=1))
    spent.ask(NoisyTables(marginals=[Marginal.of(0)]), share=Fraction(2, 3))
    counted = counter.n_tables
    for ask in (
        lambda: spent.ask(NoisyTables(marginals=[Marginal.of(1)], what="second"), share=HALF),
        lambda: spent.ask(BestCandidate(candidates=PAIRS, score=MatchScore(), what="second"), share=HALF),
    ):
        with pytest.raises(BudgetExceeded, match="second asks for 1/2 of the run's budget, but 1/3 of it is left"):
            ask()
    assert counter.n_tables == counted
    for _ in range(3):
        spent.ask(NoisyTables(marginals=[Marginal.of(1)]), share=Fraction(1, 9))
    assert spent.share_left == 0
    assert sum(charge.epsilon for charge in spent.charges) == 1


@pytest.mark.parametrize("share", [0, Fraction(-1, 2), 0.5, "1/2"])
def test_a_share_that_is_no_positive_fraction_is_refused(share):
    for ask in (
        lambda: curator().ask(NoisyTables(marginals=[Marginal.of(0)]), share=share),
        lambda: curator().ask(BestCandidate(candidates=PAIRS, score=MatchScore()), share=share),
        lambda: curator(neighbours=ADD_REMOVE).measure_rows(share=share),
    ):
        with pytest.raises(OptionError, match="a share must be"):
            ask()


def test_a_step_that_fails_on_the_way_is_paid_for():
    class Broken(MatchScore):
        def __call__(self, tables, n):
            raise KeyboardInterrupt

    stopped = curator()
    with pytest.raises(KeyboardInterrupt):
        stopped.ask(BestCandidate(candidates=PAIRS, score=Broken()), share=HALF)
    assert stopped.share_left == HALF


def test_recoded_views_share_one_account():
    domain = Domain((Attribute(name="a", size=4), Attribute(name="b", size=2)))
    rows = [(i % 4, i % 2) for i in range(10)]
    whole = open_curator(
        PlainCounter(domain, rows), budget=make_budget(1), noise=make_noise(seed=1), noiseless="tables"
    )
    bits = whole.recoded(recode(domain, "binary"))
    assert [a.name for a in bits.domain] == ["a:0", "a:1", "b"]
    assert bits.ask(NoisyTables(marginals=[Marginal.of(1)]), share=HALF)[0].counts.tolist() == [5, 5]
    assert whole.share_left == bits.share_left == HALF
    with pytest.raises(BudgetExceeded):
        whole.ask(NoisyTables(marginals=[Marginal.of(0)]), share=Fraction(3, 4))


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_curator_cannot_be_copied(duplicate):
    with pytest.raises(TypeError, match="cannot be copied"):
        duplicate(curator())


# -- guarantees and ledgers --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stage", ["all", "selection", "tables"])
def test_diagnostics_are_exact_where_they_say_so_and_carry_no_guarantee(stage):
    shown = curator(noiseless=stage, noise=make_noise())
    assert not shown.guarantee
    table = shown.ask(NoisyTables(marginals=[Marginal.of(0)]), share=HALF)[0]
    shown.ask(BestCandidate(candidates=PAIRS, score=MatchScore()), share=HALF)
    tables, choice = shown.charges
    assert tables.private == (stage == "selection")
    assert choice.private == (stage == "tables")
    assert (table.noise.kind == "none") == (stage != "selection")
    if stage != "selection":
        assert table.counts.tolist() == [4, 4]


def test_exact_rows_under_add_remove_are_not_booked_as_private():
    shown = curator(noiseless="all", neighbours=ADD_REMOVE)
    assert shown.measure_rows(share=Fraction(1, 50)) == len(ROWS)
    assert not shown.charges[0].private
    with pytest.raises(OptionError, match="'noiseless' parameter must be"):
        curator(noiseless="some")


def test_the_whole_budget_is_charged_before_any_count_is_taken(tmp_path):
    path = tmp_path / "budget.db"
    counter = PlainCounter(binary(3), ROWS)
    ledger = SQLiteLedger(path, dataset="people", cap=1)
    made = open_curator(counter, budget=make_budget("2/3"), ledger=ledger, method="privbayes")
    assert made.guarantee
    assert counter.n_tables == 0
    assert read_ledger(path).accounts["people"].spent == Fraction(2, 3)
    assert made.ledger_entry == ledger.show()[-1]
    with pytest.raises(BudgetExceeded):
        open_curator(counter, budget=make_budget("2/3"), ledger=ledger)
    with pytest.raises(LedgerError, match="replace-one"):
        open_curator(counter, budget=make_budget("1/9"), ledger=ledger, neighbours=ADD_REMOVE)
    assert counter.n_tables == 0


@pytest.mark.parametrize("options", [{"noise": make_noise(seed=1)}, {"noiseless": "all", "noise": make_noise()}])
def test_rehearsals_and_diagnostics_never_touch_a_ledger(options):
    ledger = MemoryLedger(cap="1/1000")
    rehearsal = curator(ledger=ledger, **options)
    assert ledger.show() == ()
    assert rehearsal.ledger_entry is None
    assert not rehearsal.guarantee


def test_a_delta_of_one_over_rows_or_more_is_warned_about():
    with pytest.warns(PrivacyWarning, match="not below 1/rows"):
        curator(delta="1/8")
    curator(delta="1/9")  # warnings are errors here


def test_a_table_is_opened_charged_and_measured(tmp_path):
    from understudy.schema import Schema

    schema = Schema.from_dict(
        {"name": "people", "fields": [{"name": "sex", "type": "string", "categories": ["f", "m"]}]}
    )
    table = tmp_path / "people.csv"
    table.write_text("sex\nf\nm\nm\n")
    ledger = SQLiteLedger(tmp_path / "budget.db", dataset="people", cap=1)
    opened = open_curator(open_counter(table, schema), budget=make_budget(1), ledger=ledger)
    assert opened.rows == 3
    assert ledger.remaining() == 0
    with pytest.raises(BudgetExceeded):
        open_curator(open_counter(table, schema), budget=make_budget(1), ledger=ledger)


def test_a_table_that_does_not_load_costs_nothing(tmp_path):
    from understudy._core.errors import UserError
    from understudy.schema import Schema

    schema = Schema.from_dict(
        {"name": "people", "fields": [{"name": "sex", "type": "string", "categories": ["f", "m"]}]}
    )
    table = tmp_path / "people.csv"
    table.write_text("sex\nx\n")
    ledger = SQLiteLedger(tmp_path / "budget.db", dataset="people", cap=1)
    with pytest.raises(UserError):
        open_curator(open_counter(table, schema), budget=make_budget(1), ledger=ledger)
    assert ledger.remaining() == 1
