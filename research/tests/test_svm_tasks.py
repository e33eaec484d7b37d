"""The papers' classification tasks, the machines trained for them, and what the experiments ask for."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from research._data import load
from research.svm import (
    CLASSIFIERS,
    PAPER_TARGETS,
    Examples,
    FeatureMap,
    LinearClassifier,
    SvmTarget,
    draw_rows,
    education_accuracy,
    misclassification,
    numeric_columns,
    split,
    svm_errors,
    svm_targets,
    train_svm,
)
from understudy._core.errors import OptionError, UserError
from understudy.schema import Attribute, Domain, Schema
from understudy.tables import Table

DATA = Path(os.environ.get("UNDERSTUDY_DATA") or Path(__file__).parents[2] / ".." / "shared" / "data")
YES = SvmTarget(name="y", column=0, positive=frozenset({1}), numeric=frozenset({3}))
needs_data = pytest.mark.skipif(not (DATA / "nltcs.csv").is_file(), reason="no benchmark data: set UNDERSTUDY_DATA")


def made_table(n, seed):
    """The answer follows columns 1 and 3, with some noise."""
    rng = np.random.default_rng(seed)
    sizes = (2, 2, 3, 8)
    domain = Domain(tuple(Attribute(name=f"c{i}", size=size) for i, size in enumerate(sizes)))
    columns = [rng.integers(size, size=n) for size in sizes]
    columns[0] = ((2 * columns[1] + columns[3] + rng.normal(0, 1.5, n)) > 4.5).astype(np.int64)
    return Table(domain, tuple(columns))


# Features and machines --------------------------------------------------------------------------------------------


def objective(weights, rows, sign):
    return weights @ weights / 2 + np.maximum(0, 1 - sign * (rows @ weights)).sum()


def test_merged_rows_give_the_machine_of_the_rows_themselves():
    table = made_table(700, 0)
    encode, merged = FeatureMap(table.domain, YES), Examples.of(table, YES)
    truth = encode.truth(table)
    apart = Examples(encode(table), truth.astype(np.float64), (~truth).astype(np.float64))
    assert len(merged.yes) < 60
    assert merged.n == apart.n == 700
    assert np.allclose(train_svm(merged), train_svm(apart), atol=1e-6)


def test_the_machine_is_the_one_that_scikit_learn_finds():
    svm = pytest.importorskip("sklearn.svm")
    table = made_table(400, 1)
    encode = FeatureMap(table.domain, YES)
    rows, sign = encode(table), np.where(encode.truth(table), 1.0, -1.0)
    theirs = svm.LinearSVC(loss="hinge", C=1, fit_intercept=False, max_iter=200_000, tol=1e-8, random_state=0)
    best = objective(theirs.fit(rows, sign).coef_[0], rows, sign)
    ours = objective(train_svm(Examples.of(table, YES)), rows, sign)
    assert ours <= best + 400 / 800
    assert ours >= best - 0.01


def test_keys_of_wide_rows_do_not_overflow():
    sizes = (2, *(1 << 16 for _ in range(6)))
    domain = Domain(tuple(Attribute(name=f"c{i}", size=size) for i, size in enumerate(sizes)))
    columns = tuple(np.array([0, size - 1, size - 1, 0]) for size in sizes)
    target = SvmTarget(name="y", column=0, positive=frozenset({1}), numeric=frozenset(range(1, 7)))
    merged = Examples.of(Table(domain, columns), target)
    assert merged.yes.tolist() == [0, 2]
    assert merged.no.tolist() == [2, 0]


def test_numbers_of_a_row():
    table = Table(made_table(1, 0).domain, (np.array([1]), np.array([0]), np.array([2]), np.array([7])))
    assert FeatureMap(table.domain, YES)(table).tolist() == [[-1, 0, 0, 1, 0.875, 1]]
    assert FeatureMap(table.domain, YES).width == 6
    published = FeatureMap(table.domain, replace(YES, one_hot=True))
    assert published(table).tolist() == [[1, 0, 0, 0, 1, 0.9375, 1]]
    assert published.width == 7


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_rows_of_one_class_give_a_constant_answer(kernel):
    table = made_table(200, 2)
    all_no = Table(table.domain, (np.zeros(200, dtype=int), *table.columns[1:]))
    share = float(FeatureMap(table.domain, YES).truth(table).mean())
    assert misclassification(all_no, table, YES, kernel=kernel) == pytest.approx(share)


def test_both_kernels_learn_what_is_there_and_others_are_refused():
    train, test = split(made_table(2000, 3), 0)
    constant = misclassification(Table(train.domain, (train.columns[0] * 0, *train.columns[1:])), test, YES)
    for kernel in ("linear", "rbf"):
        assert misclassification(train, test, YES, kernel=kernel) < 0.7 * constant
    with pytest.raises(OptionError, match="Did you mean 'linear'"):
        misclassification(train, test, YES, kernel="liner")


def test_a_machine_with_a_radial_kernel_has_all_rows_where_it_may():
    train, test = split(made_table(2000, 3), 0)
    every, more, few = (misclassification(train, test, YES, kernel="rbf", most=most) for most in (train.n, 10**6, 12))
    assert every == more < few


def test_a_split_is_a_seeded_partition():
    table = made_table(101, 4)
    train, test = split(table, 7)
    again, _ = split(table, 7)
    other, _ = split(table, 8)
    assert (train.n, test.n) == (81, 20)
    assert np.array_equal(train.columns[3], again.columns[3])
    assert not np.array_equal(train.columns[3], other.columns[3])
    both = np.concatenate([np.column_stack(part.columns) for part in (train, test)])
    assert sorted(map(tuple, both)) == sorted(map(tuple, np.column_stack(table.columns)))


def test_synthetic_rows_are_as_many_and_seeded():
    table = made_table(300, 5)
    one, two = (draw_rows(table, "privbayes:k=1", 5.0, seed=3) for _ in range(2))
    assert one.n == 300
    assert all(np.array_equal(a, b) for a, b in zip(one.columns, two.columns, strict=True))


def test_rows_that_are_drawn_one_by_one_have_more_chance_in_them():
    table = made_table(300, 5)
    drawn = {
        independent: [draw_rows(table, "uniform", 5.0, seed, independent=independent).columns[0] for seed in range(8)]
        for independent in (False, True)
    }
    least, most = (np.std([column.sum() for column in drawn[independent]]) for independent in (False, True))
    assert least < 1 < most


# Targets ----------------------------------------------------------------------------------------------------------

SCHEMA = Schema.from_dict(
    {"fields": [{"name": "a", "categories": ["x", "y"]}, {"name": "b", "categories": ["0", "1"]}]}
)


def test_a_missing_file_is_named_with_where_it_was_looked_for(tmp_path):
    with pytest.raises(UserError, match=r"nltcs\.schema\.json, which is not in .*UNDERSTUDY_DATA"):
        svm_targets("nltcs", SCHEMA, tmp_path)


def test_a_table_without_tasks_is_refused():
    with pytest.raises(OptionError, match="no classification tasks on data set 'retail50'"):
        svm_targets("retail50", SCHEMA, Path())


def test_targets_about_other_columns_are_refused(tmp_path):
    described = {
        "svm_targets": dict.fromkeys(PAPER_TARGETS["nltcs"], 0),
        "attributes": [{"name": "z", "values": ["0"]}],
    }
    (tmp_path / "nltcs.schema.json").write_text(json.dumps(described))
    with pytest.raises(UserError, match="about column 'z', but column 0 of the table is 'a'"):
        svm_targets("nltcs", SCHEMA, tmp_path)


def test_bins_of_another_number_are_refused(tmp_path):
    entry = {"col": "a", "positive": "bins 0..3 of 16"}
    described = {
        "svm_targets": dict.fromkeys(PAPER_TARGETS["nltcs"], entry),
        "attributes": [{"name": "a", "values": []}],
    }
    (tmp_path / "nltcs.schema.json").write_text(json.dumps(described))
    with pytest.raises(UserError, match=r"expected a list of values, or 'bins i\.\.j of 2'"):
        svm_targets("nltcs", SCHEMA, tmp_path)


@needs_data
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("nltcs", {"outside": (15, {1}), "money": (2, {1}), "bathing": (10, {1}), "traveling": (3, {1})}),
        ("acs", {"dwell": (3, {1}), "mortgage": (4, {1}), "multigen": (9, {1}), "school": (18, {1})}),
        (
            "adult_privbayes16",
            {"gender": (9, {1}), "salary": (14, {1}), "education": (3, set(range(9, 16))), "marital": (5, {0})},
        ),
        ("br2000_privbayes16", {"religion": (7, {0}), "car": (1, {0}), "child": (3, {0}), "age": (4, {0, 1, 2, 3})}),
    ],
)
def test_the_papers_four_tasks_in_the_codes_of_the_table(name, expected):
    data = load(name, DATA)
    found = svm_targets(name, data.schema, DATA)
    assert {target.name: (target.column, set(target.positive)) for target in found} == expected
    for target in found:
        share = FeatureMap(data.table.domain, target).truth(data.table).mean()
        assert 0.05 < share < 0.95


@needs_data
def test_raw_tables_have_the_same_tasks_as_coded_ones():
    for base in ("adult", "br2000"):
        raw = Schema.load(DATA / f"{base}.schema.yaml")
        coded = Schema.load(DATA / f"{base}_privbayes16.schema.yaml")
        assert svm_targets(base, raw, DATA) == svm_targets(f"{base}_privbayes16", coded, DATA)
        assert numeric_columns(raw) == numeric_columns(coded)


@needs_data
def test_the_numbers_of_adult_are_its_continuous_columns():
    schema = load("adult_privbayes16", DATA).schema
    names = {schema.fields[i].name for i in numeric_columns(schema)}
    assert names == {"age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"}


# What experiments ask for -----------------------------------------------------------------------------------------


@needs_data
@pytest.mark.parametrize("method", ["no-privacy", "privbayes:k=1", *CLASSIFIERS])
def test_errors_of_each_method_on_nltcs(method):
    errors = svm_errors("nltcs", method, 1.6, 1, DATA)
    assert list(errors) == list(PAPER_TARGETS["nltcs"])
    assert all(0.1 < error < 0.52 for error in errors.values())
    if method != "majority":
        constant = svm_errors("nltcs", "majority", 1.6, 1, DATA)
        assert errors["outside"] < constant["outside"] - 0.1
    assert errors == svm_errors("nltcs", method, 1.6, 1, DATA)


@needs_data
def test_the_single_form_spends_on_one_task_what_the_other_splits_over_four():
    assert svm_errors("nltcs", "private-erm", 1.6, 2, DATA) == svm_errors("nltcs", "private-erm-single", 0.4, 2, DATA)


@needs_data
def test_some_tasks_can_be_asked_for_and_cost_the_same():
    whole = svm_errors("nltcs", "private-erm", 1.6, 2, DATA)
    assert svm_errors("nltcs", "private-erm", 1.6, 2, DATA, targets=["money"]) == {"money": whole["money"]}
    with pytest.raises(OptionError, match=r"no classification task 'mony'\. Did you mean 'money'"):
        svm_errors("nltcs", "majority", 1.6, 2, DATA, targets=["mony"])


@pytest.mark.slow
@needs_data
def test_education_is_told_from_real_rows():
    train, test = split(load("adult_hp14", DATA).table, 0, training=2 / 3)
    assert education_accuracy(train, test, seed=0) > 0.9


def test_a_constant_classifier_is_wrong_where_the_answer_differs():
    table = made_table(400, 6)
    always = LinearClassifier(YES, np.array([0.0, 0, 0, 0, 0, 1]))
    assert always.error(table) == pytest.approx(1 - FeatureMap(table.domain, YES).truth(table).mean())
