"""Rows with weights as a model: against its whole joint distribution, saved and loaded, drawn, with error bars."""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.models.random_networks import brute_marginal, condition
from tests.models.random_rows import random_rows, rows_joint
from tests.models.test_model_contract import marginals, some_evidence
from understudy._core.errors import UserError
from understudy._core.randomness import Streams
from understudy.models import DrawsItself, HasNetwork, Parts, RowsModel, TreeMeasurement, WeightedRows, Within
from understudy.schema import Attribute, Domain, Marginal

models = st.builds(
    lambda seed, sizes: random_rows(seed, tuple(sizes)),
    st.integers(0, 10**6),
    st.lists(st.integers(1, 6), min_size=2, max_size=4),
)


@given(models, st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_marginals_and_evidence_are_those_of_the_joint_distribution(model, seed):
    rng, full = np.random.default_rng(seed), rows_joint(model)
    evidence = some_evidence(model.domain, rng, full)
    for marginal in marginals(model.domain, rng):
        found = model.marginal(marginal, errors=False).probabilities
        assert found == pytest.approx(brute_marginal(full, marginal, model.domain), abs=1e-9)
        given_ = model.marginal(marginal, evidence=evidence, errors=False).probabilities
        assert given_ == pytest.approx(brute_marginal(condition(full, evidence), marginal, model.domain), abs=1e-9)


@given(models, st.integers(0, 10**6), st.booleans())
@settings(max_examples=15, deadline=None)
def test_rows_under_evidence_have_merged_values_spelt_out(model, seed, independent):
    rng, full = np.random.default_rng(seed), rows_joint(model)
    evidence = some_evidence(model.domain, rng, full)
    [columns] = model.sample_codes(5000, streams=Streams(seed), evidence=evidence, independent=independent)
    found = np.zeros(full.shape)
    np.add.at(found, tuple(columns), 1 / 5000)
    wanted = condition(full, evidence)
    assert found[wanted == 0].sum() == 0
    assert (np.abs(found - wanted) <= 5 * np.sqrt(wanted / 5000) + 5 / 5000).all()


@given(models)
@settings(max_examples=20, deadline=None)
def test_saved_rows_come_back_the_same(model):
    parts = model.to_parts()
    assert all(array.dtype in (np.float64, np.int64) for array in parts.arrays.values())
    again = RowsModel.from_parts(Parts(json.loads(json.dumps(parts.document)), parts.arrays), model.domain)
    assert np.array_equal(again.rows.columns, model.rows.columns)
    assert np.array_equal(again.rows.weights, model.rows.weights)
    assert again.to_parts().document == parts.document
    mine, theirs = (next(one.sample_codes(50, streams=Streams(1))) for one in (model, again))
    assert all(np.array_equal(a, b) for a, b in zip(mine, theirs, strict=True))


def test_many_columns_take_several_words():
    sizes = (60_000,) * 9
    rng = np.random.default_rng(1)
    columns = rng.integers(0, 60_000, (9, 5)).astype(np.uint16)
    rows = WeightedRows.of(sizes, columns, np.ones(5))
    assert rows.packed().shape == (3, 5)
    assert np.array_equal(WeightedRows.unpacked(sizes, rows.packed(), rows.weights).columns, rows.columns)


@pytest.mark.parametrize(
    "change",
    [
        {"rows": 0},
        {"rows": 1 << 40},
        {"rows": 3},
        {"rows": "8"},
        {"n": -1},
        {"merged": []},
        {"measurements": []},
        {"merged": [{"attribute": 1, "size": 1 << 40}]},
    ],
)
def test_rows_that_nobody_wrote_are_refused(change):
    model = random_rows(4, (3, 4, 2))
    assert any(rare is not None for rare in model.within)
    parts = model.to_parts()
    document = {**json.loads(json.dumps(parts.document)), **change}
    with pytest.raises((ValueError, TypeError, LookupError)):
        RowsModel.from_parts(Parts(document, parts.arrays), model.domain)


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        *(("weight-00000", bad) for bad in (np.nan, -0.1, 1e300, 0.9)),
        *(("rows-00000", bad) for bad in (-1, 1 << 60)),
        *(("measured-00000", bad) for bad in (np.nan, 1e300)),
    ],
)
def test_numbers_that_are_none_of_rows_are_refused(name, bad):
    model = random_rows(4, (3, 4, 2))
    parts = model.to_parts()
    array = parts.arrays[name].copy()
    array.flat[0] = bad
    with pytest.raises(ValueError):
        RowsModel.from_parts(Parts(parts.document, {**parts.arrays, name: array}), model.domain)


@pytest.mark.parametrize(
    ("columns", "weights"),
    [([[0, 2]], [0.5, 0.5]), ([[0, 1]], [0.5, 0.4]), ([[0, 1]], [1.5, -0.5]), ([[]], []), ([[0], [0]], [1.0])],
)
def test_rows_that_are_none_are_refused(columns, weights):
    with pytest.raises(ValueError):
        WeightedRows((2,), np.array(columns, dtype=np.uint16), np.array(weights))


def test_rows_of_another_domain_are_refused():
    rows = WeightedRows((2,), np.array([[0, 1]], dtype=np.uint16), np.array([0.5, 0.5]))
    three = Domain((Attribute(name="a", size=3),))
    with pytest.raises(ValueError, match="other numbers of values"):
        RowsModel(three, 9, rows=rows)
    merged = Within(np.array([0, 1, 1]), np.array([1.0, 0.5, 0.5]))
    assert RowsModel(three, 9, rows=rows, within=[merged]).marginal(Marginal.of(0)).probabilities.tolist() == [
        0.5,
        0.25,
        0.25,
    ]
    wrong = TreeMeasurement(marginal=(0,), values=np.ones(3), variance=1.0, interaction=False)
    with pytest.raises(ValueError, match="sizes of the model"):
        RowsModel(three, 9, rows=rows, within=[merged], measurements=[wrong])


def test_evidence_that_no_row_fits_is_refused_with_a_sentence():
    rows = WeightedRows((2, 2), np.array([[0, 1], [0, 1]], dtype=np.uint16), np.array([0.5, 0.5]))
    model = RowsModel(Domain(tuple(Attribute(name=name, size=2) for name in "ab")), 9, rows=rows)
    never = {0: np.array([1.0, 0.0]), 1: np.array([0.0, 1.0])}
    with pytest.raises(UserError, match="on 'a', 'b' has probability 0"):
        model.marginal(Marginal.of(0), evidence=never)
    with pytest.raises(UserError, match="probability 0"):
        next(model.sample_codes(3, streams=Streams(1), evidence=never))
    tiny = {0: np.array([1e-300, 0.0]), 1: np.array([1e-300, 1.0])}  # scaled by the largest, so nothing vanishes
    assert model.marginal(Marginal.of(0), evidence=tiny).probabilities.tolist() == [1.0, 0.0]


def related(n=3000, seed=2):
    """Rows of six columns that hang together, all measured well."""
    rng = np.random.default_rng(seed)
    hidden = rng.integers(0, 3, n)
    columns = np.array(
        [(hidden + rng.integers(0, 3, n) * (rng.random(n) < 0.5)) % 4 for _ in range(6)], dtype=np.uint16
    )
    return WeightedRows.of((4,) * 6, columns, rng.random(n))


def test_drawn_rows_have_tables_nearer_to_the_model_than_chance():
    rows = related()
    domain = Domain(tuple(Attribute(name=str(a), size=4) for a in range(6)))
    model = RowsModel(domain, 1500, rows=rows)

    def gap(**options):
        [columns] = model.sample_codes(1500, streams=Streams(5), **options)
        found = 0.0
        for a, b in combinations(range(6), 2):
            table = np.zeros((4, 4))
            np.add.at(table, (columns[a], columns[b]), 1 / 1500)
            found += float(np.abs(table - model.marginal(Marginal.of(a, b)).probabilities).sum())
        return found

    assert gap() < 0.5 * gap(independent=True)
    few = next(model.sample_codes(200, streams=Streams(5)))
    assert all(len(column) == 200 for column in few)


def test_errors_are_about_as_large_as_noise_makes_them():
    """A column of two values, measured with a standard deviation of 20 rows of 1,000: its share is off by 0.02."""
    rows = related(4000)
    domain = Domain(tuple(Attribute(name=str(a), size=4) for a in range(6)))
    table = RowsModel(domain, 1000, rows=rows).marginal(Marginal.of(0)).probabilities * 1000
    noisy = TreeMeasurement(marginal=(0,), values=table, variance=400.0, interaction=False)
    found = RowsModel(domain, 1000, rows=rows, measurements=[noisy]).marginal(Marginal.of(0))
    assert found.standard_error is not None
    assert (found.standard_error > 0.008).all()
    assert (found.standard_error < 0.03).all()
    assert (found.low <= found.probabilities).all()
    exact = TreeMeasurement(marginal=(0,), values=table, variance=0.0, interaction=False)
    assert RowsModel(domain, 1000, rows=rows, measurements=[exact]).marginal(Marginal.of(0)).standard_error is None


def test_errors_of_very_many_rows_are_told_by_some_of_them(monkeypatch):
    rows, domain = related(4000), Domain(tuple(Attribute(name=str(a), size=4) for a in range(6)))
    noisy = TreeMeasurement(marginal=(0,), values=np.full(4, 250.0), variance=400.0, interaction=False)
    exact = RowsModel(domain, 1000, rows=rows, measurements=[noisy]).marginal(Marginal.of(0))
    monkeypatch.setattr("understudy.models._rows_errors._MOST_ROWS", 100)
    model = RowsModel(domain, 1000, rows=rows, measurements=[noisy])
    rough = model.marginal(Marginal.of(0))
    assert rough.probabilities.tolist() == exact.probabilities.tolist()
    assert rough.standard_error == pytest.approx(exact.standard_error, rel=0.7)
    left_out = int(np.setdiff1d(np.arange(len(rows)), model._redrawn.rows)[0])
    only = {a: np.eye(4)[rows.columns[a, left_out]] for a in range(6)}
    assert model.marginal(Marginal.of(0), evidence=only).standard_error is None


def test_it_draws_itself_and_is_no_network():
    model = random_rows(5, (3, 4, 2))
    assert isinstance(model, DrawsItself)
    assert not isinstance(model, HasNetwork)
    assert "bits" in model.to_svg(title="people")
