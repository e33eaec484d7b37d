"""Classifiers trained on synthetic rows: what they are fed with, what they find, and what is refused."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from tests.evaluation.samples import SCHEMA, random_pair, random_table
from understudy._core.errors import OptionError
from understudy.evaluation import Pair, make_references, pair_of_codes, tone_of
from understudy.evaluation._classify import CLASSIFIERS, _model, balanced_accuracy, measure_classification
from understudy.evaluation._learning import Features, area_under_curve
from understudy.evaluation._scales import scales_of
from understudy.evaluation._targets import default_targets
from understudy.schema import Schema
from understudy.tables import Table


def constant(pair: Pair, name: str) -> Table:
    """The real table with one column held fast."""
    at = pair.domain.index(name)
    return Table(pair.domain, tuple(c if i != at else np.zeros_like(c) for i, c in enumerate(pair.real.columns)))


def test_default_targets_have_few_categories_and_stand_late() -> None:
    assert default_targets(SCHEMA) == ("smoker", "grade", "region")
    assert default_targets(SCHEMA, limit=1) == ("smoker",)


def test_targets_that_a_dependency_gives_away_are_not_chosen() -> None:
    fields = [{"name": name, "categories": ["x", "y"]} for name in ("a", "b", "c")]
    fields[1]["constraints"] = {"required": False}
    given = {"missing": ["b"], "when": {"c": "x"}}
    assert default_targets(Schema.from_dict({"fields": fields, "dependencies": [given]})) == ("a",)
    assert default_targets(Schema.from_dict({"fields": fields[1:], "dependencies": [given]})) == ("c", "b")


def test_features_are_standardised_places_and_one_column_for_each_code_without_one() -> None:
    pair, _ = random_pair(n_real=2000)
    columns = range(len(pair.domain))
    features = Features.of(pair.real, scales_of(pair), columns)
    spread = features.one_hot(pair.real)
    assert spread.shape[1] == len(features.owners) == 3 + 1 + (1 + 2) + 1 + 1 + 2
    age = spread[:, features.owners == 2]
    placed = pair.real.columns[2] < 5
    assert age[placed, 0].mean() == pytest.approx(0, abs=1e-9)
    assert age[placed, 0].std() == pytest.approx(1)
    assert (age[~placed, 0] == 0).all()
    assert (age[:, 1:].sum(axis=1) == ~placed).all()
    compact = features.compact(pair.real)
    assert compact.shape == (2000, 6)
    assert features.categorical.tolist() == [True, False, False, False, False, True]
    assert len(np.unique(compact[:, 2])) == 7


@pytest.mark.parametrize("seed", range(5))
def test_the_area_under_the_curve_equals_scikit_learns(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth, scores = rng.random(60) < 0.3, rng.integers(0, 8, 60) / 8
    assert area_under_curve(truth, scores) == pytest.approx(roc_auc_score(truth, scores))


@pytest.mark.slow
def test_learning_from_it_is_worse_than_from_real_rows_and_better_than_from_independent_columns() -> None:
    pair, references = random_pair(n_real=800, n_synthetic=800, strength=0.35, draws=2)
    for found in measure_classification(pair, references, targets=["size", "smoker"]):
        assert found.fresh_sample is not None
        assert found.independent_columns is not None
        assert found.fresh_sample > found.value > found.independent_columns
        assert found.interval is not None
        assert found.details is not None
        for row in found.details.to_pylist():
            assert row["auc_fresh_sample"] > max(row["auc_independent_columns"], 0.5)
            assert row["error_fresh_sample"] < row["majority"]
        assert "160 real rows set aside" in found.scope


def test_held_out_rows_are_what_it_is_tested_on() -> None:
    pair, references = random_pair()
    held_out = random_table(SCHEMA, 77, seed=9)
    found, _ = measure_classification(pair, references, holdout=held_out, models=["svm"])
    assert "77 held-out real rows" in found.scope
    other = random_table(Schema.from_dict({"fields": [{"name": "a", "type": "boolean"}]}), 5, seed=1)
    with pytest.raises(OptionError, match="held-out rows"):
        measure_classification(pair, references, holdout=other)


def test_a_target_that_the_synthetic_table_holds_constant_is_guessed() -> None:
    pair, _ = random_pair()
    same = pair_of_codes(SCHEMA, pair.real, [constant(pair, "smoker")])
    for found in measure_classification(same, make_references(same), targets=["smoker"]):
        assert found.details is not None
        assert found.details.to_pylist()[0]["auc"] == 0.5
        assert found.value == 0.5
        assert tone_of(found).name != "close"


def test_a_machine_that_always_says_no_is_rated_by_what_it_knows() -> None:
    """One class in ten: to say no is right in nine of ten cases, and to know nothing."""
    rng = np.random.default_rng(5)
    schema = Schema.from_dict({"fields": [{"name": name, "type": "boolean"} for name in "abc"]})
    rare = rng.random(3000) < 0.1
    told = [np.where(rng.random(3000) < 0.95, rare, ~rare).astype(np.uint8) for _ in "ab"]
    real = Table(schema.domain, (*told, rare.astype(np.uint8)))
    unrelated = Table(schema.domain, (*told, rng.permutation(rare).astype(np.uint8)))
    pair = pair_of_codes(schema, real, [unrelated])
    ranked, told = measure_classification(pair, make_references(pair), targets=["c"], models=["svm"])
    assert told.details is not None
    assert told.details["error"][0].as_py() < 0.13  # which looked as if it had learnt
    assert told.value == 0.5
    assert tone_of(told).name == "far"
    assert tone_of(ranked).name in ("far", "unknown")


def test_where_real_rows_teach_nothing_nothing_is_rated() -> None:
    rng = np.random.default_rng(6)
    schema = Schema.from_dict({"fields": [{"name": name, "type": "boolean"} for name in "ab"]})
    real, fake = (Table(schema.domain, tuple(rng.integers(2, size=6000) for _ in "ab")) for _ in range(2))
    pair = pair_of_codes(schema, real, [fake])
    for found in measure_classification(pair, make_references(pair), targets=["b"], models=["svm"]):
        assert tone_of(found).name == "unknown"
        assert "not rated" in found.verdict


@pytest.mark.parametrize("seed", range(3))
def test_balanced_accuracy_equals_scikit_learns(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth, predicted = rng.integers(0, 4, 80), rng.integers(0, 4, 80)
    assert balanced_accuracy(truth, predicted) == pytest.approx(balanced_accuracy_score(truth, predicted))


def test_a_constant_target_is_refused_by_name_and_passed_over_by_default() -> None:
    pair, _ = random_pair()
    fixed = pair_of_codes(SCHEMA, constant(pair, "smoker"), [pair.first])
    references = make_references(fixed)
    with pytest.raises(OptionError, match="target 'smoker' is constant"):
        measure_classification(fixed, references, targets=["smoker"])
    found, _ = measure_classification(fixed, references, models=["svm"])
    assert found.details is not None
    assert "smoker" not in found.details["target"].to_pylist()


def with_few(rows: int) -> Pair:
    """Two columns that tell about each other, and one of which but a few rows have the second value."""
    rng = np.random.default_rng(5)
    schema = Schema.from_dict({"fields": [{"name": n, "categories": ["x", "y"]} for n in ("a", "b", "rare")]})
    a = rng.integers(0, 2, 2000)
    b = np.where(rng.random(2000) < 0.9, a, 1 - a)
    table = Table(schema.domain, (a, b, np.where(np.arange(2000) < rows, 1, 0)))
    return pair_of_codes(schema, table, [table])


@pytest.mark.parametrize(("rows", "targets"), [(2, ["b", "a"]), (60, ["b", "a"]), (400, ["rare", "b", "a"])])
def test_a_target_needs_rows_of_two_values_to_learn_from_and_to_test_on(rows: int, targets: list[str]) -> None:
    pair = with_few(rows)
    for found in measure_classification(pair, make_references(pair), models=["svm"]):
        assert found.details is not None
        assert sorted(found.details["target"].to_pylist()) == sorted(targets)
        assert ("`rare` left out: under 20 real rows of a second value" in found.scope) == ("rare" not in targets)


def test_a_named_target_with_one_value_to_test_on_is_left_out_of_all_averages_and_said_to_be() -> None:
    pair = with_few(1)
    found = measure_classification(pair, make_references(pair), targets=["rare", "a"])
    alone = measure_classification(pair, make_references(pair), targets=["a"])
    assert [one.value for one in found] == [one.value for one in alone]
    assert all("`rare` left out: no real rows of a second value" in one.scope for one in found)
    [nothing, _] = measure_classification(pair, make_references(pair), targets=["rare"], models=["svm"])
    assert "have the same value of what is to be predicted" in nothing.verdict


def test_a_target_that_real_rows_do_not_predict_is_in_no_average_and_said_to_be() -> None:
    """A machine may rank rows well below a coin toss, in either table: that is luck, and no loss."""
    rng = np.random.default_rng(5)
    schema = Schema.from_dict({"fields": [{"name": n, "categories": ["x", "y"]} for n in ("a", "b", "coin")]})
    a = rng.integers(0, 2, 4000)
    table = Table(schema.domain, (a, np.where(rng.random(4000) < 0.9, a, 1 - a), rng.integers(0, 2, 4000)))
    pair = pair_of_codes(schema, table, [table])
    references = make_references(pair)
    found = measure_classification(pair, references, targets=["coin", "a"], models=["svm"])
    for one, alone in zip(found, measure_classification(pair, references, targets=["a"], models=["svm"]), strict=True):
        assert (one.value, one.fresh_sample) == (alone.value, alone.fresh_sample)
        assert one.independent_columns == alone.independent_columns
        assert "`coin` left out: it learns no more than chance of it from real rows." in one.verdict
        assert "left out" not in alone.verdict
        assert one.details is not None
        assert set(one.details["target"].to_pylist()) == {"coin", "a"}
        assert one.worst is not None
        assert one.worst[0] == ("a",)


def test_unknown_names_are_refused_with_a_hint() -> None:
    pair, references = random_pair()
    with pytest.raises(OptionError, match="Did you mean 'smoker'"):
        measure_classification(pair, references, targets=["smokr"])
    with pytest.raises(OptionError, match="Did you mean 'svm'"):
        measure_classification(pair, references, models=["svn"])  # type: ignore[list-item]


def test_too_few_rows_and_no_target_say_so() -> None:
    pair, references = random_pair(n_real=1, n_synthetic=1)
    found = measure_classification(pair, references)
    assert [one.measured for one in found] == [False] * 2 * len(CLASSIFIERS)
    assert "at least 10 real rows" in found[0].verdict
    numbers = {"type": "integer", "constraints": {"minimum": 0, "maximum": 9}}
    ages = Schema.from_dict({"fields": [{"name": "a", **numbers}, {"name": "b", **numbers}]})
    pair, references = random_pair(schema=ages)
    assert "2 to 20 categories" in measure_classification(pair, references)[0].verdict


def test_without_scikit_learn_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    pair, references = random_pair()
    monkeypatch.setitem(sys.modules, "sklearn.svm", None)
    with pytest.raises(OptionError, match=r'pip install "understudy\[evaluate\]"'):
        measure_classification(pair, references)


def test_a_class_of_one_row_among_many_ends_no_report() -> None:
    """Boosted trees set rows aside to stop by, class by class, where there are more than ten thousand."""
    rng = np.random.default_rng(3)
    schema = Schema.from_dict({"fields": [{"name": n, "categories": ["x", "y", "z"]} for n in ("a", "b")]})
    first = rng.integers(0, 2, 14_000)
    second = np.where(rng.random(14_000) < 0.9, first, 1 - first)
    second[7] = 2
    table = Table(schema.domain, (first, second))
    pair = pair_of_codes(schema, table, [table])
    found = measure_classification(pair, make_references(pair), targets=("b",), models=("boosting",))
    assert found[0].value > 0.7


def with_a_rare_class(rows: int) -> Pair:
    """A class that two columns tell about, and besides some rows of a third at random."""
    rng = np.random.default_rng(8)
    n = 2500
    places = {"type": "integer", "constraints": {"minimum": 0, "maximum": 19}, "bins": 20}
    schema = Schema.from_dict(
        {"fields": [*({"name": name, **places} for name in "abc"), {"name": "class", "categories": ["x", "y", "z"]}]}
    )
    features = [rng.integers(0, 20, n) for _ in "abc"]
    told = rng.random(n) < np.where(features[0] + features[1] > 19, 0.8, 0.2)
    classes = np.where(told, 1, 0)
    classes[rng.choice(n, rows, replace=False)] = 2
    table = Table(schema.domain, (*features, classes))
    return pair_of_codes(schema, table, [table])


def test_boosted_trees_are_held_back_where_a_leaf_has_next_to_no_weight() -> None:
    """With rare classes they lost their way otherwise: of 4,856 people real rows taught 0.54, and 0.69 so."""
    pair = with_a_rare_class(10)
    trees, _ = _model("boosting", Features.of(pair.real, scales_of(pair), [0, 1, 2]), 1)
    assert trees.l2_regularization >= 1


def test_a_class_of_a_few_rows_is_in_no_average_and_said_to_be() -> None:
    pair = with_a_rare_class(60)
    for found in measure_classification(pair, make_references(pair), models=["svm"]):
        assert found.fresh_sample is not None
        assert found.fresh_sample > 0.7  # two thirds of it at most if the third class counted
        assert "values of fewer than 20 real rows, in either part, are in no average" in found.scope
    pair = with_a_rare_class(400)
    for found in measure_classification(pair, make_references(pair), models=["svm"]):
        assert "in no average" not in found.scope
