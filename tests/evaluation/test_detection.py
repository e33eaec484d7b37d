"""Telling real from synthetic rows: nothing to find where there is nothing, and the formulas of the paper."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from tests.evaluation.samples import SCHEMA, random_pair, random_table
from understudy.evaluation import make_references, pair_of_codes
from understudy.evaluation._detection import _tell_apart, measure_detection
from understudy.evaluation._scales import scales_of
from understudy.schema import Schema
from understudy.tables import Table


@pytest.mark.slow
def test_another_sample_of_the_same_distribution_cannot_be_told_apart() -> None:
    pair = pair_of_codes(SCHEMA, random_table(SCHEMA, 1200, seed=1), [random_table(SCHEMA, 600, seed=2)])
    for found in measure_detection(pair, make_references(pair)):
        if found.name == "pMSE ratio":
            assert 0.2 < found.value < 2.5
        else:
            assert 0.42 < found.value < 0.58
            assert found.score > 0.8


def test_what_differs_is_told_apart_and_named() -> None:
    real = random_table(SCHEMA, 1000, seed=1)
    shifted = random_table(SCHEMA, 500, seed=2)
    moved = Table(SCHEMA.domain, (np.zeros_like(shifted.columns[0]), *shifted.columns[1:]))
    pair = pair_of_codes(SCHEMA, real, [moved])
    logistic, boosting, ratio = measure_detection(pair, make_references(pair))
    assert logistic.worst is not None
    assert logistic.worst[0] == ("region",)
    assert "`region` gives it away most" in logistic.verdict
    assert logistic.value > 0.75
    assert boosting.value > 0.75
    assert ratio.fresh_sample is not None
    assert ratio.value > 10 > 3 > ratio.fresh_sample


@pytest.mark.slow
def test_trees_see_independent_columns_and_a_logistic_regression_does_not() -> None:
    pair, references = random_pair(n_real=1000, n_synthetic=500, strength=0.7)
    logistic, boosting, _ = measure_detection(pair, references)
    assert logistic.independent_columns is not None
    assert boosting.independent_columns is not None
    assert logistic.independent_columns < 0.6 < boosting.independent_columns


def test_pmse_and_its_expectation_are_those_of_the_formula() -> None:
    schema = Schema.from_dict({"fields": [{"name": "a", "categories": ["x", "y", "z"]}]})
    real = Table(schema.domain, (np.repeat([0, 1, 2], [50, 30, 20]),))
    other = Table(schema.domain, (np.repeat([0, 1, 2], [20, 40, 40]),))
    pair = pair_of_codes(schema, real, [other])
    found = _tell_apart("logistic", real, other, scales_of(pair), np.random.default_rng(0))
    inputs = np.eye(3)[np.concatenate([real.columns[0], other.columns[0]])][:, 1:]
    labels = np.repeat([0, 1], 100)
    chances = LogisticRegression(C=1e6).fit(inputs, labels).predict_proba(inputs)[:, 1]
    assert found.pmse == pytest.approx(np.mean((chances - 0.5) ** 2), rel=0.01)
    assert found.null == pytest.approx(2 * 0.5 * 0.5 / 200)


def test_constant_columns_and_few_rows() -> None:
    schema = Schema.from_dict({"fields": [{"name": "a", "categories": ["x", "y"]}]})
    same = Table(schema.domain, (np.zeros(60, dtype=int),))
    pair = pair_of_codes(schema, same, [same])
    assert [found.value for found in measure_detection(pair, make_references(pair))] == [0.5, 0.5, 0]
    one = Table(schema.domain, (np.zeros(1, dtype=int),))
    pair = pair_of_codes(schema, one, [one])
    assert all("at least 40 real" in found.verdict for found in measure_detection(pair, make_references(pair)))


def test_several_tables_give_an_interval() -> None:
    pair, references = random_pair(draws=2)
    assert all(found.interval is not None for found in measure_detection(pair, references, models=["logistic"]))


def test_what_bins_hide_is_said_where_there_are_bins() -> None:
    pair, references = random_pair()
    first = measure_detection(pair, references, models=["boosting"])[0]
    assert "Numbers are seen by their bins alone" in first.verdict
    words = Schema.from_dict({"fields": [{"name": name, "categories": ["x", "y"]} for name in "ab"]})
    pair, references = random_pair(schema=words)
    assert "bins" not in measure_detection(pair, references, models=["boosting"])[0].verdict
