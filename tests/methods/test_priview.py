"""PriView: covering designs, consistent views, and marginals of greatest entropy."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import understudy as us
from tests.privacy.small import binary
from understudy._core.errors import OptionError, UserError
from understudy.counting import MemoryCounter
from understudy.methods import BASELINES, METHODS, PriView, describe_method, read_method, usual_methods
from understudy.methods._covering import covering_design
from understudy.models._priview import RIPPLE_BELOW, consistent_views, greatest_entropy, intersections, ripple
from understudy.privacy import ADD_REMOVE, REPLACE_ONE, PrivacyTerms, make_budget, make_noise, open_curator
from understudy.schema import Attribute, Domain, Marginal
from understudy.tables import Table


def related(d=12, n=3_000, seed=1):
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, 2, n)]
    for _ in range(d - 1):
        columns.append(np.where(rng.random(n) < 0.6, columns[-1], rng.random(n) < 0.3).astype(np.int64))
    return Table(binary(d), tuple(columns))


def curator_of(table, epsilon=1, *, delta=None, neighbours=REPLACE_ONE, seed=3, noiseless=None):
    counter = MemoryCounter(table, threads=1)
    noise = make_noise(seed=seed)
    return open_curator(
        counter, budget=make_budget(epsilon, delta), neighbours=neighbours, noise=noise, noiseless=noiseless
    )


@pytest.mark.slow
@given(st.integers(1, 24), st.integers(3, 9), st.sampled_from([2, 3]))
def test_a_design_covers_all_pairs_or_triples_with_sets_that_are_small_enough(columns, size, strength):
    design = covering_design(columns, size, strength)
    assert all(len(block) <= size and block == tuple(sorted(set(block))) for block in design)
    wanted = set(combinations(range(columns), min(strength, columns)))
    assert wanted <= {part for block in design for part in combinations(block, min(strength, columns))}
    assert {column for block in design for column in block} == set(range(columns))


@pytest.mark.parametrize(("columns", "most"), [(16, 6), (32, 20), (50, 56), (57, 57)])
def test_designs_of_eight_columns_are_about_as_small_as_known_ones(columns, most):
    assert len(covering_design(columns, 8, 2)) <= most


def test_designs_are_always_the_same():
    assert covering_design(20, 8, 2) == covering_design.__wrapped__(20, 8, 2)


@pytest.mark.parametrize("neighbours", [REPLACE_ONE, ADD_REMOVE])
@pytest.mark.parametrize("delta", [None, "1e-9"])
def test_the_budget_goes_into_views_in_one_charge(neighbours, delta):
    curator = curator_of(related(), delta=delta, neighbours=neighbours)
    model = PriView().fit(curator)
    rows = Fraction(0) if neighbours is REPLACE_ONE else Fraction(1, 50)
    charge = curator.charges[-1]
    assert (charge.what, charge.share, charge.n_tables) == ("views", 1 - rows, len(model.views))
    assert len(curator.charges) == (1 if neighbours is REPLACE_ONE else 2)
    assert curator.share_left == 0
    assert charge.noise == curator.budget.noise_for((1 - rows) / len(model.views), neighbours.table_sensitivity)


def test_at_a_huge_epsilon_answers_inside_views_are_exact():
    table = related()
    model = PriView().fit(curator_of(table, 10**7))
    counter = MemoryCounter(table)
    for view in model.views:
        for part in (view[:3], view, view[::-1][:4]):
            [real] = counter.count([Marginal.of(*part)])
            assert model.marginal(Marginal.of(*part)).probabilities == pytest.approx(real / table.n, abs=1e-9)


@given(st.lists(st.floats(0.05, 0.95), min_size=4, max_size=8))
def test_the_greatest_entropy_of_independent_columns_is_their_product(ones):
    columns = tuple(range(len(ones)))
    pairs = list(combinations(columns, 2))
    tables = [np.outer([1 - ones[a], ones[a]], [1 - ones[b], ones[b]]) for a, b in pairs]
    joint = np.ones(())
    for p in ones:
        joint = np.multiply.outer(joint, [1 - p, p])
    assert greatest_entropy(columns, pairs, tables) == pytest.approx(joint, abs=1e-6)


@given(st.integers(0, 10_000))
def test_the_greatest_entropy_has_the_marginals_it_was_given(seed):
    rng = np.random.default_rng(seed)
    joint = rng.dirichlet(np.ones(16)).reshape(2, 2, 2, 2)
    parts = [(0, 1), (1, 2), (2, 3), (0, 3)]
    tables = [joint.sum(axis=tuple(set(range(4)) - set(part))) for part in parts]
    found = greatest_entropy((0, 1, 2, 3), parts, tables)
    for part, table in zip(parts, tables, strict=True):
        assert found.sum(axis=tuple(set(range(4)) - set(part))) == pytest.approx(table, abs=2e-3)
    entropies = [-(p[p > 0] * np.log(p[p > 0])).sum() for p in (found, joint)]
    assert entropies[0] > entropies[1] - 2e-3


def test_a_marginal_outside_views_is_a_distribution_that_agrees_with_them():
    table = related(d=20)
    model = PriView().fit(curator_of(table, 10**6))
    asked = (0, 3, 7, 11, 15, 19)
    found = model.marginal(Marginal.of(*asked)).probabilities
    assert found.shape == (2,) * 6
    assert found.sum() == pytest.approx(1)
    counter = MemoryCounter(table)
    for pair in combinations(asked, 2):
        [real] = counter.count([Marginal.of(*pair)])
        axes = tuple(i for i, column in enumerate(asked) if column not in pair)
        assert found.sum(axis=axes) == pytest.approx(real / table.n, abs=1e-3)


def test_axes_come_in_the_order_asked_for_and_evidence_is_heeded():
    model = PriView().fit(curator_of(related(d=20), 10))
    one = model.marginal(Marginal.of(3, 0, 12)).probabilities
    other = model.marginal(Marginal.of(0, 3, 12)).probabilities
    assert one == pytest.approx(other.transpose(1, 0, 2))
    given_it = model.marginal(Marginal.of(3, 0), evidence={12: np.array([0.0, 1.0])}).probabilities
    assert given_it == pytest.approx(one[:, :, 1] / one[:, :, 1].sum())


def test_twelve_columns_can_be_asked_and_twenty_one_cannot():
    model = PriView().fit(curator_of(related(d=24)))
    assert model.marginal(Marginal.of(*range(12))).probabilities.sum() == pytest.approx(1)
    with pytest.raises(UserError, match="20 is the most"):
        model.marginal(Marginal.of(*range(21)))


@pytest.mark.parametrize("epsilon", ["0.01", 1, 100])
def test_views_agree_with_each_other_on_all_they_share(epsilon):
    model = PriView(view_size=4).fit(curator_of(related(d=10), epsilon))
    for (one, first), (other, second) in combinations(zip(model.views, model.tables, strict=True), 2):
        shared = set(one) & set(other)
        sums = [
            table.sum(axis=tuple(i for i, column in enumerate(view) if column not in shared))
            for view, table in ((one, first), (other, second))
        ]
        assert sums[0] == pytest.approx(sums[1], abs=1e-6)
    assert all(table.sum() == pytest.approx(model.n) for table in model.tables)


def test_intersections_of_three_views_come_before_those_of_two():
    assert intersections([(0, 1, 2), (0, 1, 3), (0, 2, 3)]) == [(0,), (0, 1), (0, 2), (0, 3)]


@given(st.lists(st.integers(-30, 60), min_size=8, max_size=8))
def test_ripples_keep_the_total_and_leave_nothing_far_below_zero(counts):
    table = np.array(counts, dtype=float).reshape(2, 2, 2)
    table += (50 - table.sum()) / 8
    found = ripple(table)
    assert found.sum() == pytest.approx(50)
    assert found.min() >= RIPPLE_BELOW


def test_exact_views_are_left_as_they_are():
    table = related(d=6)
    views = [(0, 1, 2), (1, 2, 3), (3, 4, 5)]
    counts = MemoryCounter(table).count([Marginal.of(*view) for view in views])
    for exact, found in zip(counts, consistent_views(views, counts, table.n), strict=True):
        assert found == pytest.approx(exact)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"view_size": 1}, "from 2 to 16"),
        ({"view_size": 17}, "from 2 to 16"),
        ({"view_size": True}, "whole number"),
        ({"view_size": 2, "strength": 3}, "cannot hold any 3 together"),
        ({"strength": 4}, "from 2 to 3"),
        ({"strength": True}, "from 2 to 3"),
    ],
)
def test_bad_options_are_refused(options, said):
    with pytest.raises(OptionError, match=said):
        PriView(**options)


def test_columns_that_are_not_binary_and_too_many_are_refused():
    mixed = Domain((Attribute(name="sex", size=2), Attribute(name="age", size=9)))
    with pytest.raises(OptionError, match="1 of 2 columns have not two values \\('age'\\)"):
        PriView().check(mixed, PrivacyTerms(budget=make_budget(1)))
    with pytest.raises(OptionError, match="up to 60 columns"):
        PriView(strength=3).check(binary(61), PrivacyTerms(budget=make_budget(1)))
    with pytest.raises(OptionError, match="Raise epsilon"):
        PriView().check(binary(9), PrivacyTerms(budget=make_budget("1e-18")))


def test_it_is_a_baseline_that_compare_takes_by_name():
    assert "priview" in BASELINES
    assert "priview" not in METHODS
    assert "priview" not in usual_methods(binary(3))
    assert read_method(describe_method(PriView(view_size=6, strength=3))) == PriView(view_size=6, strength=3)
    with pytest.raises(us.OptionError, match="'priview' learns cannot be published"):
        us.plan("demo", epsilon=1, method="priview")


def test_a_comparison_on_a_small_binary_table():
    table = related(d=5, n=400)
    names = [f"a{i}" for i in range(5)]
    source = pa.table(
        {name: np.array(["no", "yes"])[column] for name, column in zip(names, table.columns, strict=True)}
    )
    schema = {"name": "t", "fields": [{"name": name, "categories": ["no", "yes"]} for name in names]}
    found = us.compare(source, schema=schema, methods=["priview", "jtree"], epsilons=[1, 100], seeds=1)
    errors = {
        (row["method"], row["epsilon"]): row["mean"] for row in found.rows_of_table() if row["measure"] == "2-way"
    }
    assert errors["priview", 100] < 0.01 < errors["priview", 1] < 0.5
    assert ("jtree", 1) in errors


def test_the_plan_and_the_statement_say_what_is_measured():
    budget = make_budget(1)
    plan = PriView().plan(binary(16), 1000, PrivacyTerms(budget=budget))
    assert plan.shares == {"rows": 0.0, "tables": 1.0}
    assert plan.noise_mean == budget.noise_for(Fraction(1, 6), REPLACE_ONE.table_sensitivity).mean_abs
    assert PriView().describe(binary(16), 1000, PrivacyTerms(budget=budget))["views"] == 6
    model = PriView().fit(curator_of(related()))
    assert all(sentence.endswith(".") for sentence in PriView().remarks(model, model.n))
