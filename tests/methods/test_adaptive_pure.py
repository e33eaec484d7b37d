"""Two-valued columns under pure ε: what is measured, what is made of it, and that no answer breaks a run."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from understudy.counting import MemoryCounter
from understudy.methods import Adaptive
from understudy.methods._adaptive_allot import allot, part_for_columns_first
from understudy.methods._adaptive_newton import ParityFit
from understudy.methods._adaptive_pure import uniform_threshold
from understudy.models import TreeModel
from understudy.privacy import ADD_REMOVE, REPLACE_ONE, PrivacyTerms, PrivacyUnit, make_budget, make_noise, open_curator
from understudy.schema import Attribute, Domain, Marginal
from understudy.tables import Table

relations = pytest.mark.parametrize("relation", [ADD_REMOVE, REPLACE_ONE])


def binary(d):
    return Domain(tuple(Attribute(name=str(i), size=2) for i in range(d)))


def made(d, n=6000, *, related=True, rare=0):
    """Columns that follow a common cause, or none; the last `rare` of them are ones in a hundredth of rows."""
    rng = np.random.default_rng(1)
    cause = rng.random(n) < 0.5
    common = d - rare
    columns = [np.where(rng.random(n) < (0.8 if related else 0.0), cause, rng.random(n) < 0.5) for _ in range(common)]
    columns += [rng.random(n) < 0.01 for _ in range(rare)]
    return Table(binary(d), tuple(column.astype(np.uint8) for column in columns))


def fitted(table, epsilon, relation=REPLACE_ONE, *, seed=3, method=None, **more):
    noise = more.pop("noise", None) or make_noise(seed=seed)
    counter = MemoryCounter(table, weights=more.pop("weights", None))
    curator = open_curator(counter, budget=make_budget(epsilon), neighbours=relation, noise=noise, **more)
    model = (method or Adaptive()).fit(curator)
    assert isinstance(model, TreeModel)
    assert curator.share_left == 0
    return model, curator


def error(model, table):
    """Over all pairs of the first columns, by total variation."""
    found = []
    for pair in combinations(range(min(6, len(table.domain))), 2):
        [real] = MemoryCounter(table).count([Marginal.of(*pair)])
        found.append(np.abs(model.marginal(Marginal.of(*pair)).probabilities - real / table.n).sum() / 2)
    return float(np.mean(found))


def alone(table):
    """What columns without noise and without relations have."""
    means = [float(np.mean(column)) for column in table.columns]
    found = []
    for a, b in combinations(range(min(6, len(means))), 2):
        [real] = MemoryCounter(table).count([Marginal.of(a, b)])
        guess = np.outer([1 - means[a], means[a]], [1 - means[b], means[b]])
        found.append(np.abs(guess - real / table.n).sum() / 2)
    return float(np.mean(found))


@relations
@pytest.mark.parametrize(("d", "max_cells"), [(2, None), (5, None), (9, 200)])
def test_relations_are_found_on_all_cells_and_on_a_tree(relation, d, max_cells):
    table = made(d)
    model, curator = fitted(table, "4", relation, method=Adaptive(max_cells=max_cells))
    assert error(model, table) < 0.3 * alone(table)
    assert {charge.mechanism for charge in curator.charges} <= {"K-norm noise", "discrete Laplace"}
    cells = [belief.size for belief in model.tree.beliefs]
    assert (max(cells) == 2**d) == (max_cells is None)


@pytest.mark.parametrize("d", [6, *(pytest.param(d, marks=pytest.mark.slow) for d in (12, 30))])
def test_columns_without_relations_come_out_about_as_good_as_on_their_own(d):
    table = made(d, related=False)
    for epsilon in ("0.1", "0.4"):
        ours = np.mean([error(fitted(table, epsilon, seed=seed)[0], table) for seed in range(2)])
        noise = (d + 1) / float(epsilon) / table.n / 2  # of a column, if all of the budget went to columns
        assert ours < alone(table) + 6 * noise


def test_pairs_of_rare_values_are_left_out():
    table = made(40, 20_000, rare=34)
    model, _ = fitted(table, "0.5")
    pairs = [measured.marginal for measured in model.measurements if len(measured.marginal) == 2]
    assert set(combinations(range(6), 2)) <= set(pairs)
    assert len(pairs) < 200  # of 780
    assert sum(max(pair) < 6 for pair in pairs) == 15


def test_named_pairs_are_measured_better():
    table = made(6)
    method = Adaptive(focus=("0", "1"))
    model, curator = fitted(table, "1", method=method)
    variances = {m.marginal: m.variance for m in model.measurements if len(m.marginal) == 2}
    assert variances[0, 1] < 0.5 * min(v for pair, v in variances.items() if pair != (0, 1))
    assert "focus" in method.describe(table.domain, table.n, curator.terms)


def test_weighed_rows_are_counted_in_rows():
    unit = PrivacyUnit("one patient", max_rows=2, column="patient", bounding="weigh")
    table = made(5)
    model, _ = fitted(table, "8", ADD_REMOVE, unit=unit, weights=np.full(table.n, unit.parts))
    assert abs(model.n / unit.parts - table.n) < 100
    assert error(model, table) < 0.3 * alone(table)


class Answers:
    """Noise that gives out one number for everything."""

    name, private = "answers", False

    def __init__(self, answer):
        self._answer = answer

    def laplace(self, counts, scale):
        return np.full(counts.shape, self._answer)

    def together(self, tables, decay, *, balanced):
        return [np.full(table.shape, self._answer) for table in tables]


@pytest.mark.one_in(16)
@pytest.mark.parametrize("answer", [0, 1, -100_000, 100_000, 1 << 60])
@pytest.mark.parametrize("epsilon", ["1e-6", "1", "5000"])
@relations
@pytest.mark.parametrize(("d", "max_cells"), [(2, None), (5, None), (6, 24)])
def test_answers_that_no_table_has_do_not_break_a_run(answer, epsilon, relation, d, max_cells):
    """A run that broke off there would be paid for and lost."""
    for n in (0, 3):
        if not n and relation is REPLACE_ONE:
            continue
        table = Table(binary(d), tuple(np.zeros(n, dtype=np.uint8) for _ in range(d)))
        model, _ = fitted(table, epsilon, relation, noise=Answers(answer), method=Adaptive(max_cells=max_cells))
        assert model.n >= 1
        assert model.marginal(Marginal.of(0, 1)).probabilities.sum() == pytest.approx(1)


@relations
def test_the_plan_says_what_columns_get_and_that_the_rest_waits(relation):
    terms = PrivacyTerms(budget=make_budget(1), neighbours=relation)
    plan = Adaptive().plan(binary(16), 10_000, terms)
    assert sum(plan.shares.values()) == pytest.approx(1)
    assert plan.shares["single columns"] == pytest.approx(part_for_columns_first(16) * (1 - plan.shares["rows"]))
    assert "depends on what came out" in plan.notes[0]
    assert "columns suggest" in Adaptive().describe(binary(16), 10_000, terms)["relations"]


def test_rounds_of_mixed_columns_wait_for_the_columns_under_pure_epsilon():
    mixed = Domain((*binary(3), Attribute(name="age", size=9)))
    pure, with_delta = (PrivacyTerms(budget=make_budget(1, delta)) for delta in (None, "1e-9"))
    assert "columns" in str(Adaptive().describe(mixed, 5000, pure)["rounds"])
    assert Adaptive(rounds=7).describe(mixed, 5000, pure)["rounds"] == 7
    assert isinstance(Adaptive().describe(mixed, 5000, with_delta)["rounds"], int)


def by_all_cells(fit, columns):
    """The same by gradient steps on all cells, slowly."""
    cells = np.array(list(product((0, 1), repeat=columns)))
    signs = np.array([np.prod(1 - 2 * cells[:, list(places)], axis=1) for places in fit.sets], dtype=float)
    theta = np.zeros(len(fit.sets))
    for _ in range(20_000):
        p = np.exp(theta @ signs)
        p /= p.sum()
        theta -= (fit.total * signs @ p - fit.values + fit.ridges * theta) / (2 * fit.total * len(theta))
    return p


def test_newton_finds_what_slow_steps_find():
    rng = np.random.default_rng(2)
    sets = [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]
    fit = ParityFit(sets, rng.uniform(-60, 60, 6), np.array([0.1, 0.1, 0.1, 20.0, 5.0, 60.0]), 100.0)
    assert np.exp(fit.logs(3)) == pytest.approx(by_all_cells(fit, 3), abs=1e-3)


@pytest.mark.parametrize("size", [1e3, 1e12])
def test_newton_ends_whatever_the_values_are(size):
    fit = ParityFit([(0,), (1,), (0, 1)], np.array([size, -size, size]), np.full(3, 1e-9), 10.0)
    assert np.exp(fit.logs(2)).sum() == pytest.approx(1)


def spending(number, part):
    return (number + 1) ** 2 * 1e-6 / part**2


def test_the_more_noise_the_fewer_pairs():
    means = np.linspace(0, 0.99, 12)
    numbers = [
        len(allot(means, 1e-6 * factor, lambda m, part, factor=factor: factor * spending(m, part)).pairs)
        for factor in (1e-3, 1.0, 1e3)
    ]
    assert numbers == sorted(numbers, reverse=True)
    assert numbers[0] == 66
    assert numbers[-1] < 66


def test_where_pairs_are_not_worth_it_columns_get_all():
    found = allot(np.full(10, 0.999), 1e-4, spending)
    assert found.part < 0.2


def test_relations_that_stand_out_of_uniform_noise():
    rng = np.random.default_rng(0)
    noise = np.abs(rng.uniform(-1, 1, 1000)) * np.sqrt(3)
    assert uniform_threshold(noise, 0.1) == np.inf
    assert uniform_threshold(np.append(noise, [2.0, 3.0]), 0.1) == 2.0
    assert uniform_threshold(np.zeros(0), 0.3) == np.inf


def test_a_first_part_is_a_fraction_of_the_budget():
    assert part_for_columns_first(2) == pytest.approx(0.586, abs=1e-3)
    assert Fraction(part_for_columns_first(600)) < Fraction(1, 10)
