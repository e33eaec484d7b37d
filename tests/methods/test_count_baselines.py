"""The papers' baselines for count queries: Laplace, Fourier, Contingency, MWEM; and what they ask of a curator."""

from __future__ import annotations

from collections import Counter as Tally
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from math import exp

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import understudy as us
from understudy._core.errors import BudgetExceeded, InternalError, OptionError, UserError
from understudy._core.randomness import Streams
from understudy.counting import MemoryCounter
from understudy.methods import BASELINES, MWEM, Contingency, Fourier, Laplace, read_method
from understudy.methods._count_tables import count_cells
from understudy.methods._weights import Reader, Weights
from understudy.models import DrawsRows, JointModel, NoisyJoint, TablesModel, all_sums, read_marginal
from understudy.privacy import (
    ADD_REMOVE,
    REPLACE_ONE,
    FarthestGuess,
    NoiseLevel,
    NoisyCell,
    NoisyParities,
    PrivacyTerms,
    count_parities,
    make_budget,
    make_noise,
    open_curator,
    walsh_hadamard,
)
from understudy.privacy._choice_questions import distance_sensitivity
from understudy.privacy._parities import as_measured, coefficients_of, from_measured
from understudy.schema import Attribute, Domain, Level, Marginal, project, recode
from understudy.tables import Table

MIXED = (3, 2, 1, 5)
BINARY = (2, 2, 2, 2, 2)
ALL = [
    Laplace(ways=2),
    Fourier(ways=2),
    Contingency(),
    Contingency(clip="table"),
    MWEM(ways=2, round_epsilon=0.1),
    MWEM(queries="cells"),
]
NAMES = ["laplace:ways=2", "fourier:ways=2", "contingency", "mwem:ways=2:round_epsilon=100"]


def domain_of(sizes):
    coarser = {5: (Level(groups=(0, 0, 1, 1, 1)),)}
    return Domain(tuple(Attribute(name=f"x{i}", size=s, coarser=coarser.get(s, ())) for i, s in enumerate(sizes)))


def table_of(sizes=MIXED, n=400, seed=1):
    rng = np.random.default_rng(seed)
    common = rng.random(n)
    return Table(
        domain_of(sizes),
        tuple(np.minimum((size * (0.6 * common + 0.4 * rng.random(n)) ** 2).astype(int), size - 1) for size in sizes),
    )


def curator_of(table, epsilon="1", *, delta=None, neighbours=REPLACE_ONE, seed=3, noiseless=None):
    return open_curator(
        MemoryCounter(table, threads=1),
        budget=make_budget(epsilon, delta),
        neighbours=neighbours,
        noise=make_noise(seed=seed),
        noiseless=noiseless,
    )


def true_marginal(table, marginal):
    return MemoryCounter(table, threads=1).count([marginal])[0] / table.n


@pytest.mark.parametrize("sizes", [MIXED, BINARY, (4,), (1, 1)], ids=str)
@pytest.mark.parametrize("neighbours", [REPLACE_ONE, ADD_REMOVE])
@pytest.mark.parametrize(
    "method", [Laplace(ways=2), Fourier(ways=2), Contingency(), Contingency(clip="table")], ids=lambda m: m.name
)
def test_with_a_huge_budget_answers_are_the_true_marginals(sizes, neighbours, method):
    table = table_of(sizes)
    learnt = method.fit(curator_of(table, "1e6", neighbours=neighbours))
    for way in (1, 2):
        for group in combinations(reversed(range(len(sizes))), min(way, len(sizes))):
            marginal = Marginal.of(*group)
            np.testing.assert_allclose(
                learnt.marginal(marginal).probabilities, true_marginal(table, marginal), atol=1e-12
            )


@pytest.mark.one_in(4)
@pytest.mark.parametrize("sizes", [MIXED, BINARY], ids=str)
@pytest.mark.parametrize("queries", ["tables", "cells"])
def test_mwem_comes_near_the_truth_with_a_huge_budget(sizes, queries):
    table = table_of(sizes)
    rounds = 12 if queries == "tables" else 60
    learnt = MWEM(ways=2, queries=queries, round_epsilon=10**6 // rounds).fit(curator_of(table, 10**6))
    for group in combinations(range(len(sizes)), 2):
        marginal = Marginal.of(*group)
        distance = np.abs(learnt.marginal(marginal).probabilities - true_marginal(table, marginal)).sum() / 2
        assert distance < 0.02, group


def test_answers_at_coarser_levels_and_in_other_orders_are_sums():
    table = table_of()
    for method in (Laplace(ways=2), Fourier(ways=2), Contingency()):
        learnt = method.fit(curator_of(table, "1e6"))
        marginal = Marginal.of((3, 1), 0)
        np.testing.assert_allclose(learnt.marginal(marginal).probabilities, true_marginal(table, marginal), atol=1e-12)


@pytest.mark.parametrize("neighbours", [REPLACE_ONE, ADD_REMOVE])
@pytest.mark.parametrize("delta", [None, "1e-9"])
@pytest.mark.parametrize("method", ALL, ids=lambda m: f"{m.name}-{getattr(m, 'clip', '')}{getattr(m, 'queries', '')}")
def test_each_spends_its_whole_budget_and_no_more(method, delta, neighbours):
    curator = curator_of(table_of(), "0.3", delta=delta, neighbours=neighbours)
    learnt = method.fit(curator)
    assert curator.share_left == 0
    assert all(charge.private for charge in curator.charges)
    assert curator.protection is not None
    answer = learnt.marginal(Marginal.of(0, 1)).probabilities
    assert answer.shape == (3, 2)
    assert (answer >= 0).all()
    assert answer.sum() == pytest.approx(1)


@pytest.mark.parametrize("method", ALL, ids=lambda m: m.name)
@pytest.mark.parametrize("neighbours", [REPLACE_ONE, ADD_REMOVE])
def test_plan_statement_and_remarks_tell_what_a_run_does(method, neighbours):
    domain, budget = domain_of(MIXED), make_budget("0.3")
    method.check(domain, PrivacyTerms(budget=budget, neighbours=neighbours))
    plan = method.plan(domain, 400, PrivacyTerms(budget=budget, neighbours=neighbours))
    assert sum(plan.shares.values()) == pytest.approx(1)
    assert plan.method == method.name
    assert method.describe(domain, 400, PrivacyTerms(budget=budget, neighbours=neighbours))
    curator = curator_of(table_of(), "0.3", neighbours=neighbours)
    learnt = method.fit(curator)
    assert all(isinstance(remark, str) for remark in method.remarks(learnt, learnt.n))
    if method.name in ("laplace", "contingency"):
        assert plan.noise_mean == pytest.approx(curator.charges[-1].noise.mean_abs)


def test_the_foretold_noise_of_fourier_is_what_comes_out():
    table, method = table_of(BINARY), Fourier(ways=2)
    errors = []
    for seed in range(30):
        curator = curator_of(table, "1", seed=seed)
        blocks = [Marginal.of(0), Marginal.of(1), Marginal.of(0, 1)]
        a, b, ab = curator.ask(
            NoisyParities(
                marginals=[
                    *blocks,
                    *(Marginal.of(*g) for w in (1, 2) for g in combinations(range(5), w) if not set(g) <= {0, 1}),
                ]
            ),
            share=Fraction(1),
        )[:3]
        cell = (400 + a.coefficients[0] + b.coefficients[0] + ab.coefficients[0, 0]) / 4
        errors.append(abs(cell - 400 * true_marginal(table, Marginal.of(0, 1))[0, 0]))
    foretold = method.plan(table.domain, 400, PrivacyTerms(budget=make_budget(1))).noise_mean
    assert 0.5 * foretold < np.mean(errors) < 1.6 * foretold


# Sensitivity: all neighbours of tiny tables --------------------------------------------------------------------


def _records(sizes):
    return list(product(*(range(size) for size in sizes)))


def _table(sizes, records):
    return Table(domain_of(sizes), tuple(np.array([r[i] for r in records], dtype=int) for i in range(len(sizes))))


def _neighbours(sizes, n, neighbours):
    """All pairs of tables of n records that differ in one; under add/remove, of n and n − 1."""
    for rest in combinations_with_replacement(_records(sizes), n - 1):
        for record in _records(sizes):
            if neighbours is REPLACE_ONE:
                yield from (((record, *rest), (other, *rest)) for other in _records(sizes) if other > record)
            else:
                yield (record, *rest), rest


def _parities(table, blocks, neighbours):
    n = table.n if neighbours is REPLACE_ONE else None
    counts = MemoryCounter(table, threads=1).count(blocks)
    return np.concatenate([as_measured(coefficients_of(c), n).ravel() for c in counts])


@pytest.mark.one_in(2)
@pytest.mark.parametrize("neighbours", [REPLACE_ONE, ADD_REMOVE])
@pytest.mark.parametrize("sizes", [(2, 2, 2), (3, 2)], ids=str)
def test_one_record_moves_each_parity_by_at_most_one(sizes, neighbours):
    blocks = [Marginal.of(*g) for way in (1, 2) for g in combinations(range(len(sizes)), way)]
    m = sum(count_parities(block, domain_of(sizes)) for block in blocks)
    moves, totals = set(), set()
    for one, other in _neighbours(sizes, 2, neighbours):
        difference = _parities(_table(sizes, one), blocks, neighbours) - _parities(
            _table(sizes, other), blocks, neighbours
        )
        assert len(difference) == m
        moves.update(np.abs(difference).tolist())
        totals.add(int(np.abs(difference).sum()))
    assert max(moves) == 1  # reached, so less noise on a single coefficient would not do
    assert max(totals) <= m
    assert neighbours is REPLACE_ONE or totals == {m}  # reached by every record


def test_a_set_of_parities_can_turn_almost_whole_as_the_proof_says():
    ones = [sum(1 for _ in combinations(range(16), way)) for way in (1, 2, 3)]
    assert (sum(ones), ones[0] + ones[2]) == (696, 576)
    turned = {t: t + t * (16 - t) + t * (t - 1) * (t - 2) // 6 + t * (16 - t) * (15 - t) // 2 for t in range(1, 17)}
    assert max(turned.values()) == turned[16] == 576


@pytest.mark.one_in(2)
@pytest.mark.parametrize("neighbours", [REPLACE_ONE, ADD_REMOVE])
@pytest.mark.parametrize("by", ["tables", "cells"])
def test_one_record_moves_distances_from_a_guess_within_the_spread(by, neighbours):
    sizes = (2, 3)
    marginals = [Marginal.of(0), Marginal.of(1), Marginal.of(0, 1)]
    rng = np.random.default_rng(4)
    widest = 0
    for one, other in _neighbours(sizes, 2, neighbours):
        guesses = rng.integers(0, 3, 11)
        moved = _distances(_table(sizes, one), marginals, guesses, by) - _distances(
            _table(sizes, other), marginals, guesses, by
        )
        widest = max(widest, int(moved.max() - moved.min()))
    assert widest <= distance_sensitivity(by, neighbours)
    # tight, except that two tables never both move as far as they may, in opposite ways, in so small an example
    assert widest >= distance_sensitivity(by, neighbours) - 1


def _distances(table, marginals, guesses, by):
    counts = [c.ravel() for c in MemoryCounter(table, threads=1).count(marginals)]
    each = np.abs(np.concatenate(counts) - guesses)
    return each if by == "cells" else np.add.reduceat(each, np.cumsum([0, *map(len, counts[:-1])]))


# What the curator gives out ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_parities_have_discrete_laplace_noise_of_their_number_over_epsilon():
    table = _table((2, 2), [(0, 0), (0, 1), (1, 1)])
    blocks = [Marginal.of(0), Marginal.of(1), Marginal.of(0, 1)]
    found, curator = Tally(), curator_of(table, 4500)
    for _ in range(1500):
        first, *_ = curator.ask(NoisyParities(marginals=blocks), share=Fraction(1, 1500))
        assert first.noise == NoiseLevel(kind="laplace", scale=Fraction(1))  # 3 coefficients, ε = 3
        found[int(first.coefficients[0])] += 1
    assert set(found) <= set(range(-41, 45, 2))  # n − 2·odd: its noise is even
    weight = {x: exp(-abs(x)) * (1 - exp(-1)) / (1 + exp(-1)) for x in range(-2, 3)}
    for x, expected in weight.items():
        assert found[1 - 2 * x] / 1500 == pytest.approx(expected, abs=0.045)


def test_a_farther_table_is_chosen_likelier_by_exactly_the_rate():
    table = _table((2, 2), [(0, 0), (0, 0), (0, 1), (0, 1)])
    marginals = [Marginal.of(0), Marginal.of(1)]
    guesses = np.array([2, 2, 2, 2])  # distances 4 and 0
    curator = curator_of(table, 3000)
    chosen = Tally(
        curator.ask(FarthestGuess(marginals=marginals, guesses=guesses), share=Fraction(1, 3000)) for _ in range(3000)
    )
    # permute-and-flip at ε = 1: the nearer one wins if it comes first and its coin of exp(−4·ε/4) shows heads
    other = exp(-1) / 2
    assert chosen[1] / 3000 == pytest.approx(other, abs=0.03)


def test_a_cell_is_measured_with_sensitivity_one():
    curator = curator_of(table_of(), "1")
    count = curator.ask(NoisyCell(marginal=Marginal.of(0, 1), cell=3), share=Fraction(1, 4))
    assert curator.charges[0].noise.scale == 4
    assert isinstance(count, int)
    assert curator.share_left == Fraction(3, 4)
    exact = curator_of(table_of(), "1", noiseless="all").ask(
        NoisyCell(marginal=Marginal.of(0, 1), cell=3), share=Fraction(1, 4)
    )
    assert exact == round(400 * true_marginal(table_of(), Marginal.of(0, 1)).ravel()[3])


def test_questions_beyond_the_budget_are_refused_before_they_look():
    curator = curator_of(table_of(), "1")
    two = Fraction(2)
    with pytest.raises(BudgetExceeded):
        curator.ask(NoisyParities(marginals=[Marginal.of(0)]), share=two)
    with pytest.raises(BudgetExceeded):
        curator.ask(NoisyCell(marginal=Marginal.of(0), cell=0), share=two)
    with pytest.raises(BudgetExceeded):
        curator.ask(
            FarthestGuess(marginals=[Marginal.of(0), Marginal.of(1)], guesses=np.zeros(5, dtype=np.int64)), share=two
        )
    assert curator.charges == ()


def test_a_guess_must_have_a_whole_number_for_each_cell():
    curator = curator_of(table_of(), "1")
    for guess in (np.zeros(4, dtype=np.int64), np.zeros(5)):
        with pytest.raises(InternalError, match="one whole number"):
            curator.ask(FarthestGuess(marginals=[Marginal.of(0), Marginal.of(1)], guesses=guess), share=Fraction(1))


def test_a_single_candidate_and_no_parities_are_free():
    curator = curator_of(table_of(), "1")
    assert (
        curator.ask(FarthestGuess(marginals=[Marginal.of(0)], guesses=np.zeros(3, dtype=np.int64)), share=Fraction(1))
        == 0
    )
    assert curator.ask(NoisyParities(marginals=[Marginal.of(2)]), share=Fraction(1)) == []  # one value: no bits
    assert curator.charges == ()


def test_what_a_change_of_one_column_costs_is_known_for_every_question():
    curator = curator_of(table_of(BINARY), "1")
    curator.ask(NoisyParities(marginals=[Marginal.of(0), Marginal.of(1, 2)]), share=Fraction(1, 2))
    protection = curator.protection
    assert protection.of_attribute(0) == protection.of_attribute(1) == Fraction(1, 4)
    assert protection.of_attribute(4) == 0
    curator.ask(NoisyCell(marginal=Marginal.of(4), cell=0), share=Fraction(1, 4))
    curator.ask(
        FarthestGuess(marginals=[Marginal.of(3), Marginal.of(4)], guesses=np.zeros(4, dtype=np.int64)),
        share=Fraction(1, 4),
    )
    assert curator.protection.of_attribute(4) == Fraction(1, 2)
    assert curator.protection.of_attribute(3) == Fraction(1, 4)


def test_under_add_remove_a_changed_record_costs_parities_twice():
    curator = curator_of(table_of(BINARY), "1", neighbours=ADD_REMOVE)
    curator.ask(NoisyParities(marginals=[Marginal.of(0)]), share=Fraction(1, 2))
    assert curator.protection.of_attribute(0) == 1  # the coefficient moves by 2: two steps of ε/2


# Arithmetic ----------------------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(st.lists(st.integers(1, 6), min_size=1, max_size=3), st.integers(0, 2**32 - 1))
def test_coefficients_are_parities_of_the_binary_encoding(sizes, seed):
    rng = np.random.default_rng(seed)
    domain = domain_of(sizes)
    records = [tuple(int(rng.integers(size)) for size in sizes) for _ in range(20)]
    table = _table(sizes, records)
    found = coefficients_of(MemoryCounter(table, threads=1).count([Marginal.of(*range(len(sizes)))])[0])
    bits = np.array(recode(domain, "binary").encode(list(table.columns))).reshape(-1, 20)
    pieces = recode(domain, "binary").pieces
    for place in np.ndindex(found.shape):
        picked = [
            piece
            for a, index in enumerate(place)
            for at, piece in enumerate(reversed(pieces[a]))
            if (index + 1) >> at & 1
        ]
        odd = int((bits[picked].sum(axis=0) % 2).sum())
        assert found[place] == 20 - 2 * odd
    again = from_measured(as_measured(found, 20), 20)
    assert (again == found).all()


@settings(max_examples=30)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.integers(0, 2**32 - 1))
def test_every_marginal_can_be_read_from_the_sums(sizes, seed):
    domain = domain_of(sizes)
    table = np.random.default_rng(seed).random(sizes)
    sums = all_sums(table.reshape([s for s in sizes if s > 1]))
    whole = Marginal.of(*range(len(sizes)))
    for way in range(len(sizes) + 1):
        for group in combinations(range(len(sizes)), way):
            expected = project(table, whole, Marginal.of(*group), domain)
            np.testing.assert_allclose(read_marginal(sums, Marginal.of(*group), domain), expected, atol=1e-12)


def test_sums_of_a_long_table_are_those_of_a_short_one():
    table = np.random.default_rng(1).random((2,) * 15)
    domain = domain_of((2,) * 15)
    np.testing.assert_allclose(
        read_marginal(all_sums(table), Marginal.of(0, 9, 14), domain),
        table.sum(axis=tuple(a for a in range(15) if a not in (0, 9, 14))),
    )


def test_the_transform_is_its_own_inverse():
    table = np.random.default_rng(2).integers(0, 9, (4, 2, 8))
    assert (walsh_hadamard(walsh_hadamard(table)) == table.size * table).all()


@pytest.mark.parametrize("sizes", [(2,) * 15, (5, 1, 3, 40, 30)], ids=str)
def test_weights_learn_what_a_plain_update_learns(sizes):
    domain = domain_of(sizes)
    weights, plain = Weights(domain), np.full(sizes, 1 / np.prod(sizes))
    rng = np.random.default_rng(3)
    groups = [(0, 3), (2, 4), (0, 2, 3)]
    noted, values = [], []
    for group in groups:
        wanted = rng.dirichlet(np.ones(int(np.prod([sizes[a] for a in group])))).reshape([sizes[a] for a in group])
        values.append(wanted)
        noted.append(weights.note(Marginal.of(*group), wanted))
    weights.learn(noted, passes=2)
    for _ in range(2):
        for group, wanted in zip(groups, values, strict=True):
            others = tuple(a for a in range(len(sizes)) if a not in group)
            now = plain.sum(axis=others)
            plain *= np.expand_dims(np.exp((wanted - now) / 2), others)
            plain /= plain.sum()
    np.testing.assert_allclose(weights.table, plain.reshape(weights.table.shape), rtol=1e-9)
    marginals = [Marginal.of(*group) for group in combinations(range(len(sizes)), 2)]
    read = Reader(domain, marginals).read(weights.table)
    slow = [plain.sum(axis=tuple(a for a in range(len(sizes)) if a not in m.attributes)).ravel() for m in marginals]
    np.testing.assert_allclose(read, np.concatenate(slow), atol=1e-12)


@given(st.lists(st.integers(1, 5), min_size=1, max_size=5), st.integers(1, 5))
def test_cells_are_counted_without_listing_tables(sizes, ways):
    listed = sum(int(np.prod(group)) for group in combinations(sizes, min(ways, len(sizes))))
    assert count_cells(sizes, ways) == listed


# What the models can do ----------------------------------------------------------------------------------------


def test_tables_answer_narrow_marginals_from_one_fixed_table():
    learnt = Laplace(ways=2).fit(curator_of(table_of(), "0.5"))
    assert isinstance(learnt, TablesModel)
    held = learnt.tables[(0, 1)]
    np.testing.assert_allclose(learnt.marginal(Marginal.of(1)).probabilities, held.sum(axis=0))
    assert not isinstance(learnt, DrawsRows)


def test_tables_say_which_option_to_raise_and_refuse_conditions():
    learnt = Fourier(ways=2).fit(curator_of(table_of(), "0.5"))
    with pytest.raises(UserError, match=r"no table holds 'x0', 'x1', 'x3' together.*Raise the option 'ways'"):
        learnt.marginal(Marginal.of(0, 1, 3))
    with pytest.raises(UserError, match="under a condition"):
        learnt.marginal(Marginal.of(0), evidence={1: np.array([1.0, 0.0])})
    with pytest.raises(UserError, match="clip=table"):
        Contingency().fit(curator_of(table_of())).marginal(Marginal.of(0), evidence={1: np.array([1.0, 0.0])})


def test_a_joint_model_draws_rows_and_takes_conditions():
    table = table_of()
    learnt = Contingency(clip="table").fit(curator_of(table, "1e6"))
    assert isinstance(learnt, JointModel)
    assert isinstance(learnt, DrawsRows)
    batches = list(learnt.sample_codes(table.n, streams=Streams(1), batch_rows=150))
    assert [len(batch[0]) for batch in batches] == [150, 150, 100]
    drawn = Table(table.domain, tuple(np.concatenate(parts) for parts in zip(*batches, strict=True)))
    difference = true_marginal(drawn, Marginal.of(0, 3)) - true_marginal(table, Marginal.of(0, 3))
    assert np.abs(difference).sum() / 2 < 0.06
    given_one = next(learnt.sample_codes(50, streams=Streams(1), evidence={1: np.array([0.0, 1.0])}, independent=True))
    assert set(given_one[1].tolist()) == {1}
    asked = learnt.marginal(Marginal.of(0), evidence={1: np.array([0.0, 1.0])}).probabilities
    joint = true_marginal(table, Marginal.of(0, 1))[:, 1]
    np.testing.assert_allclose(asked, joint / joint.sum(), atol=1e-9)


def test_noise_cancels_where_marginals_are_clipped_and_not_where_the_table_is():
    rng = np.random.default_rng(5)
    table = Table(domain_of((2,) * 10), tuple((rng.random(500) < 0.1).astype(int) for _ in range(10)))
    errors = {}
    for clip in ("marginals", "table"):
        learnt = Contingency(clip=clip).fit(curator_of(table, "1"))
        errors[clip] = np.abs(
            learnt.marginal(Marginal.of(0, 1)).probabilities - true_marginal(table, Marginal.of(0, 1))
        ).sum()
    assert errors["marginals"] < errors["table"] / 2
    assert isinstance(Contingency().fit(curator_of(table)), NoisyJoint)


# Limits and options --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [Contingency(), MWEM()], ids=lambda m: m.name)
def test_a_domain_of_too_many_possible_rows_is_refused(method):
    with pytest.raises(OptionError, match=r"33,554,432 of them; at most 16,777,216.*'laplace' or 'fourier'"):
        method.check(domain_of((2,) * 25), PrivacyTerms(budget=make_budget(1)))
    with pytest.raises(OptionError, match=r"about 2\^100 of them"):
        method.check(domain_of((2,) * 100), PrivacyTerms(budget=make_budget(1)))


@pytest.mark.parametrize("method", [Laplace(ways=4), Fourier(ways=4)], ids=lambda m: m.name)
def test_too_many_tables_or_cells_are_refused(method):
    with pytest.raises(OptionError, match="ways=4 would measure"):
        method.check(domain_of((2,) * 60), PrivacyTerms(budget=make_budget(1)))
    with pytest.raises(OptionError, match="fewer ways or coarser columns"):
        method.check(domain_of((100,) * 5), PrivacyTerms(budget=make_budget(1)))


@pytest.mark.parametrize(
    "text",
    [
        "laplace:ways=0",
        "fourier:ways=-1",
        "mwem:ways=0",
        "mwem:round_epsilon=0",
        "mwem:queries=rows",
        "contingency:clip=x",
    ],
)
def test_options_out_of_range_are_refused(text):
    with pytest.raises(OptionError, match=r"parameter of \w+ must be"):
        read_method(text)


def test_too_many_rounds_are_refused():
    with pytest.raises(OptionError, match=r"2,000 rounds.*round_epsilon"):
        MWEM().check(domain_of(BINARY), PrivacyTerms(budget=make_budget(100)))


def test_the_baselines_are_offered_by_name():
    assert {"laplace", "fourier", "contingency", "mwem"} <= set(BASELINES)
    assert read_method("mwem:round_epsilon=0.1").rounds(make_budget("1.6")) == 16


def test_compare_runs_the_baselines():
    rows = table_of((2, 3, 2), n=200)
    source = pa.table({f"x{i}": [f"v{code}" for code in column] for i, column in enumerate(rows.columns)})
    schema = {"fields": [{"name": a.name, "categories": [f"v{c}" for c in range(a.size)]} for a in rows.domain]}
    found = us.compare(source, schema=schema, methods=NAMES, epsilons=[1000], seeds=1, ways=[2])
    means = dict(zip(found.table["method"].to_pylist(), found.table["mean"].to_pylist(), strict=True))
    assert set(means) == set(NAMES)
    assert max(means[name] for name in NAMES[:3]) < 0.02
