"""A party's own tables: unbiased, with the variance that the formula says, and no more revealed than was promised."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest

from understudy._core.randomness import Streams
from understudy.privacy import Measurement, NoiseLevel, make_budget, make_noise, open_curator
from understudy.randomize import Block, Inbox, Matrix, PartyColumns, Plan, Response, TransitionMatrix, UnmixedCounts
from understudy.randomize._own import as_it_is
from understudy.randomize._own_tables import OwnTables
from understudy.schema import Marginal, Schema
from understudy.tables import Table

FLIP = Response(2, Fraction(3, 4))
UNEVEN = Matrix.of([["0.9", "0.1"], ["0.25", "0.75"]])
NO_NOISE = NoiseLevel(kind="none", scale=Fraction(0))


def schema(**sizes: int) -> Schema:
    return Schema.from_dict(
        {"fields": [{"name": n, "categories": [f"{n}{code}" for code in range(size)]} for n, size in sizes.items()]}
    )


def keys(people: list[int]) -> np.ndarray:
    return np.array([[person, 0] for person in people], dtype=np.uint64)


def own_columns(codes: list[int], people: list[int], *more: list[int]) -> PartyColumns:
    declared = schema(**{"child": 2, **{f"own{i}": 2 for i, _ in enumerate(more)}})
    columns = tuple(np.array(column) for column in (codes, *more))
    return PartyColumns(as_it_is("insurer", declared), Table(declared.domain, columns), keys(people))


def sent_columns(codes: tuple[int, ...], people: list[int], matrix: TransitionMatrix) -> PartyColumns:
    declared = schema(parent=2)
    plan = Plan(party="hospital", schema=declared, blocks=(Block(columns=("parent",), sizes=(2,), matrix=matrix),))
    return PartyColumns(plan, Table(declared.domain, (np.array(codes),)), keys(people))


def tables_of(child: list[int], published: tuple[int, ...], matrix: TransitionMatrix = FLIP) -> OwnTables:
    people = list(range(len(child)))
    inbox = Inbox([own_columns(child, people), sent_columns(published, people, matrix)])
    return OwnTables(UnmixedCounts(inbox), frozenset({0}), [Marginal.of(1, 0)])


@pytest.mark.parametrize("matrix", [FLIP, UNEVEN], ids=["even", "uneven"])
def test_un_mixed_counts_are_unbiased_and_have_the_stated_variance(matrix: TransitionMatrix) -> None:
    """Over every way in which four rows' parents can be published, with noise of variance 7 in each cell."""
    child, parent = [0, 0, 1, 1], [0, 1, 1, 0]
    truth = np.zeros((2, 2))
    np.add.at(truth, (parent, child), 1)
    noise = NoiseLevel(kind="gaussian", scale=Fraction(7))
    mean, square, stated = np.zeros((2, 2)), np.zeros((2, 2)), np.zeros((2, 2))
    for published in product(range(2), repeat=4):
        chance = float(np.prod([float(matrix.probability(true, p)) for true, p in zip(parent, published, strict=True)]))
        tables = tables_of(child, published, matrix)
        [layout] = [family.layout for family in tables._families]
        one = layout.published(tables.count(tables.marginals)[0])
        mean += chance * one.unmixed().counts
        square += chance * one.unmixed().counts ** 2
        stated += chance * (one.unmixed().variance + one.variance_from(float(noise.variance)))
    q = matrix.inverse
    central = float(noise.variance) * (q**2).sum(axis=0)[:, None]  # of Σ_m Q[m, l]·noise[m, k], the child left alone
    assert np.allclose(mean, truth)
    assert np.allclose(stated, square - truth**2 + central)


def test_the_distribution_of_a_noisy_un_mixed_table_is_what_the_formula_says() -> None:
    """Seeded noise, played many times: mean and variance of every un-mixed cell for one published column."""
    tables = tables_of([0, 0, 1, 1, 1], (0, 1, 1, 0, 1))
    [layout] = [family.layout for family in tables._families]
    exact = layout.published(tables.count(tables.marginals)[0])
    noise = make_noise(seed=5)
    counted = np.repeat(exact.table[None].astype(np.int64), 20_000, axis=0)
    noisy = noise.laplace(counted.ravel(), Fraction(4)).reshape(counted.shape)
    inverse = FLIP.inverse
    played = np.einsum("rmk,ml->rlk", noisy.astype(float), inverse)
    level = NoiseLevel(kind="laplace", scale=Fraction(4))
    stated = exact.variance_from(float(level.variance))
    assert np.allclose(played.mean(axis=0), exact.unmixed().counts, atol=5 * np.sqrt(stated.max() / 20_000))
    assert np.allclose(played.var(axis=0), stated, rtol=0.06)


def test_without_noise_parameters_are_the_un_mixed_ratios() -> None:
    child, parent = [0, 1] * 400, (0, 0, 1, 1) * 200
    tables = tables_of(child, parent, Response(2, Fraction(1)))
    curator = open_curator(tables, budget=make_budget(1), noiseless="all")
    [found] = tables.measure(curator)
    assert np.allclose(found.probabilities, 0.5)
    assert np.allclose(found.errors, np.sqrt(0.25 / 400))


@pytest.mark.slow
def test_errors_cover_the_truth_as_often_as_they_should() -> None:
    """Standardised errors of 400 runs with randomising, noise and sampling in them: their mean square is about 1."""
    rng = Streams(3).get("people")
    noise, squares = make_noise(seed=4), []
    for _ in range(400):
        parent = rng.integers(2, size=2_000)
        child = (rng.random(2_000) < np.where(parent == 1, 0.7, 0.35)).astype(int)
        published = np.where(rng.random(2_000) < 0.75, parent, 1 - parent)
        tables = tables_of(child.tolist(), tuple(published.tolist()))
        [found] = tables.measure(open_curator(tables, budget=make_budget("0.2"), noise=noise))
        squares.append(((found.probabilities - [[0.65, 0.35], [0.3, 0.7]]) / found.errors) ** 2)
    assert 0.85 < float(np.mean(squares)) < 1.15


def test_what_is_revealed_is_bounded_by_the_sum_of_what_both_parties_promise() -> None:
    """Every joint outcome of published columns and noisy tables, for all neighbours: three people, one replaced.

    One person's whole record is replaced, at the hospital and at the insurer. The hospital promises ln 3 for its
    column, the insurer 1 for its table; noise is discrete Laplace, so the ratio of two outcomes of it depends on the
    L1 distance of the true tables alone, and its largest value is exp(distance/scale).
    """
    local, central = np.log(3.0), 1.0
    scale = 2 / central
    keep = {True: 0.75, False: 0.25}
    worst = 0.0
    records = list(product(range(2), repeat=2))

    @cache
    def counted(child: tuple[int, ...], published: tuple[int, ...]) -> np.ndarray:
        return tables_of(list(child), published).count([Marginal.of(1, 0)])[0]

    for rest in product(records, repeat=2):
        for before, after in product(records, repeat=2):
            one, other = [*rest, before], [*rest, after]
            for published in product(range(2), repeat=3):
                chances = [np.prod([keep[p == row[0]] for p, row in zip(published, rows, strict=True)])
                           for rows in (one, other)]  # fmt: skip
                first, second = (counted(tuple(row[1] for row in rows), published) for rows in (one, other))
                worst = max(worst, np.log(chances[0] / chances[1]) + float(np.abs(first - second).sum()) / scale)
    assert worst == pytest.approx(local + central)


def test_each_table_is_of_the_rows_that_its_parties_share() -> None:
    mine = own_columns([0, 1, 1, 0], [1, 2, 3, 4], [0, 0, 1, 1])
    theirs = sent_columns((0, 1, 1), [4, 2, 9], FLIP)
    inbox = Inbox([mine, theirs])
    tables = OwnTables(UnmixedCounts(inbox), frozenset({0, 1}), [Marginal.of(1), Marginal.of(2, 0)])
    assert [int(table.sum()) for table in tables.count(tables.marginals)] == [2, 4]
    assert tables.n == 4
    noiseless = open_curator(tables, budget=make_budget(1), noiseless="all")
    assert [one.n for one in tables.measure(noiseless)] == [4, 2]


def test_a_table_that_is_part_of_another_is_not_measured() -> None:
    mine = own_columns([0, 1, 1, 0], [1, 2, 3, 4], [0, 0, 1, 1])
    families = [Marginal.of(1), Marginal.of(1, 0)]
    tables = OwnTables(UnmixedCounts(Inbox([mine])), frozenset({0, 1}), families)
    assert tables.marginals == [Marginal.of(1, 0)]
    exact = open_curator(tables, budget=make_budget(1), noiseless="all")
    first, second = tables.measure(exact)
    assert first.probabilities.tolist() == [0.5, 0.5]
    assert second.probabilities.tolist() == [[0.5, 0.5], [0.5, 0.5]]


def test_the_budget_is_divided_evenly_over_the_tables() -> None:
    mine = own_columns([0, 1, 1, 0], [1, 2, 3, 4], [0, 0, 1, 1])
    families = [Marginal.of(0), Marginal.of(1)]
    tables = OwnTables(UnmixedCounts(Inbox([mine])), frozenset({0, 1}), families)
    curator = open_curator(tables, budget=make_budget(1), noise=make_noise(seed=1))
    tables.measure(curator)
    [charge] = curator.charges
    assert (charge.n_tables, charge.epsilon, charge.noise.scale) == (2, 1, 4)


def test_parents_without_anybody_get_the_overall_distribution_and_the_largest_error() -> None:
    tables = tables_of([0, 1, 1, 1], (0, 0, 0, 0), Response(2, Fraction(1)))
    counts = np.array([[1, 3], [0, 0]])
    [found] = tables.learn([Measurement(marginal=tables.marginals[0], counts=counts, noise=NO_NOISE)])
    assert found.probabilities[1].tolist() == [0.25, 0.75]
    assert found.errors[1].tolist() == [0.5, 0.5]


@pytest.mark.parametrize("secret", [0, 1])
def test_exact_parameters_tell_what_a_lone_person_has(secret: int) -> None:
    """Why noise is needed: as the paper prints it, a parameter is 1 for the value of the only person behind it."""
    tables = tables_of([0, 1, 0, secret], (0, 0, 0, 1), Response(2, Fraction(1)))
    [found] = tables.measure(open_curator(tables, budget=make_budget(1), noiseless="all"))
    assert found.probabilities[1, secret] == pytest.approx(1)
    assert found.people.tolist() == pytest.approx([3, 1])


def test_a_parent_that_was_randomised_together_with_another_column_is_un_mixed_from_the_whole_block() -> None:
    """A matrix over two columns that no marginal matrix stands for; every outcome of three rows is played."""
    matrix = Matrix.of(
        [
            ["7/10", "1/10", "1/10", "1/10"],
            ["1/5", "3/5", "1/10", "1/10"],
            ["1/20", "1/4", "13/20", "1/20"],
            ["1/10", "1/10", "3/10", "1/2"],
        ]
    )
    declared = schema(parent=2, beside=2)
    block = Block(columns=("parent", "beside"), sizes=(2, 2), matrix=matrix)
    plan = Plan(party="hospital", schema=declared, blocks=(block,))
    people, child, true = [1, 2, 3], [0, 1, 1], [0, 3, 2]
    truth = np.zeros((2, 2))
    np.add.at(truth, (np.array(true) // 2, child), 1)
    mean, square, stated = np.zeros((2, 2)), np.zeros((2, 2)), np.zeros((2, 2))
    for cells in product(range(4), repeat=3):
        chance = float(np.prod([float(matrix.probability(t, c)) for t, c in zip(true, cells, strict=True)]))
        table = Table(declared.domain, (np.array(cells) // 2, np.array(cells) % 2))
        inbox = Inbox([own_columns(child, people), PartyColumns(plan, table, keys(people))])
        tables = OwnTables(UnmixedCounts(inbox), frozenset({0}), [Marginal.of(1, 0)])
        assert tables.marginals == [Marginal.of(1, 2, 0)]
        one = tables._families[0].layout.published(tables.count(tables.marginals)[0]).unmixed()
        mean, square = mean + chance * one.counts, square + chance * one.counts**2
        stated = stated + chance * one.variance
    assert np.allclose(mean, truth)
    assert np.allclose(stated, square - truth**2)


def test_a_cross_family_that_is_part_of_another_is_summed_out_of_it_with_its_noise() -> None:
    people = list(range(8))
    mine = own_columns([0, 1] * 4, people, [0, 0, 1, 1] * 2)
    inbox = Inbox([mine, sent_columns((0,) * 4 + (1,) * 4, people, FLIP)])
    families = [Marginal.of(2, 1), Marginal.of(2, 1, 0)]
    tables = OwnTables(UnmixedCounts(inbox), frozenset({0, 1}), families)
    assert tables.marginals == [Marginal.of(2, 1, 0)]
    counts = np.ones((2, 2, 2), dtype=np.int64)
    noise = NoiseLevel(kind="gaussian", scale=Fraction(1, 4))
    whole, part = (
        tables.learn([Measurement(marginal=tables.marginals[0], counts=counts, noise=level)])[0].errors
        for level in (noise, NO_NOISE)
    )
    # θ = 1/2 of 4 people, each cell the sum of two noisy ones: Var = ½·V/N² with V = 2·σ²·ΣQ²
    added = 2 * float(noise.variance) * float((FLIP.inverse[:, 0] ** 2).sum())
    assert whole.max() < 0.5
    assert np.allclose(np.sqrt(part**2 + 0.5 * added / 4**2), whole)
