"""Sampling from a published model and asking it."""

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tests.release.models import make_model
from understudy._core.errors import OptionError
from understudy.release import Answer, Statement, load_model, stamped_path, write_release
from understudy.schema import Marginal


def test_a_sample_has_as_many_rows_as_the_original_by_default(published):
    assert len(published.sample(seed=1)) == 1000


@pytest.mark.parametrize(("kind", "type_"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame), ("pyarrow", pa.Table)])
def test_a_sample_comes_as_the_kind_asked_for(published, kind, type_):
    table = published.sample(50, seed=1, kind=kind)
    assert isinstance(table, type_)
    assert table.shape == (50, 3)


def test_a_seed_repeats_a_sample_and_another_does_not(published):
    one, same, other = (published.sample(200, seed=seed, kind="pyarrow") for seed in (1, 1, 2))
    assert one.equals(same)
    assert not one.equals(other)


def test_no_rows_still_have_columns_with_types(published):
    empty = published.sample(0, kind="pyarrow")
    assert empty.num_rows == 0
    assert empty.schema == published.sample(1, kind="pyarrow").schema


@pytest.mark.parametrize("n", [-1, 1.5, "3", True])
def test_a_strange_number_of_rows_is_refused(published, n):
    with pytest.raises(OptionError, match="'n' parameter must be a whole number"):
        published.sample(n)


@pytest.mark.parametrize("encoding", ["hierarchical", "binary"])
@pytest.mark.parametrize(
    ("where", "holds"),
    [
        ({"sex": "Female"}, lambda t: (t["sex"] == "Female").all()),
        ("sex=Female", lambda t: (t["sex"] == "Female").all()),
        ({"age": (30, 44)}, lambda t: t["age"].between(30, 44).all() and t["age"].min() == 30 and t["age"].max() == 44),
        ("age=30..44, sex=Male", lambda t: t["age"].between(30, 44).all() and (t["sex"] == "Male").all()),
        ({"age": (90, None)}, lambda t: t["age"].between(90, 99).all()),
        ({"age": 37}, lambda t: (t["age"] == 37).all()),
        ({"age": [37, 61]}, lambda t: set(t["age"]) == {37, 61}),
        ("age=37/61/-1", lambda t: set(t["age"]) == {37, 61, -1}),
        ({"age": -1}, lambda t: (t["age"] == -1).all()),
        ({"age": None}, lambda t: t["age"].isna().all()),
        ("age=missing", lambda t: t["age"].isna().all()),
        ("age=20-39", lambda t: t["age"].between(20, 39).all() and t["age"].nunique() > 10),
        (
            {"marital status": ["single", "married/partner"]},
            lambda t: set(t["marital status"]) == {"single", "married/partner"},
        ),
        ("marital status=married/partner", lambda t: set(t["marital status"]) == {"married/partner"}),
        ("'marital status'=<=2 times", lambda t: set(t["marital status"]) == {"<=2 times"}),
    ],
)
def test_conditions_hold_in_every_row(encoding, where, holds):
    table = make_model(encoding=encoding).sample(2000, where=where, seed=3)
    assert len(table) == 2000
    assert holds(table)


def test_a_conditional_sample_follows_the_exact_conditional_distribution(published):
    table = published.sample(40_000, where={"age": (30, 44)}, seed=3)
    answer = published.query("sex | age=30..44")
    assert abs((table["sex"] == "Female").mean() - answer["Female"]) < 0.005


def test_two_values_in_one_bin_can_both_be_drawn_only_side_by_side(published):
    assert set(published.sample(50, where={"age": [21, 22]}, seed=1)["age"]) == {21, 22}
    with pytest.raises(OptionError, match="lies in two parts of the bin"):
        published.sample(10, where={"age": [21, 23]})


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ({"agee": 3}, "Did you mean 'age'"),
        ({"age": (1, 2, 3)}, "two ends"),
        ({"age": "30..40"}, r"a range is a tuple: \(30, 40\)"),
        ({"age": "..40"}, r"a range is a tuple: \(None, 40\)"),
        ({"age": []}, "empty"),
        ({"age": "old"}, "age"),
        ({"sex": None}, "no missing values"),
        (3, "where must be"),
    ],
)
def test_a_mistake_in_where_is_a_sentence(published, where, words):
    with pytest.raises(OptionError, match=words):
        published.sample(5, where=where)


def test_a_query_sums_to_one_and_has_an_interval_around_it(published):
    answer = published.query("sex, age")
    assert answer.probabilities.shape == (2, 7)
    assert answer.probabilities.sum() == pytest.approx(1)
    assert (answer.low <= answer.probabilities).all()
    assert (answer.probabilities <= answer.high).all()
    assert answer.labels[1] == ("0–19", "20–39", "40–59", "60–79", "80–99", "-1", "missing")


def test_a_query_equals_the_models_own_marginal(published):
    answer = published.query("age")
    expected = published.model.marginal(Marginal.of(1)).probabilities
    assert np.allclose(answer.probabilities, expected)


def test_a_range_weighs_a_bin_by_the_part_it_covers(published):
    half, whole = (published.query(f"age | age={ends}") for ends in ("0..9", "0..19"))
    assert half["0–19"] == whole["0–19"] == pytest.approx(1)
    mixed = published.query("age | age=10..39")
    plain = published.query("age")
    ratio = (plain["0–19"] / 2) / (plain["0–19"] / 2 + plain["20–39"])
    assert mixed["0–19"] == pytest.approx(ratio)


def test_column_names_may_differ_in_case(published):
    assert published.query("SEX | Age=30").columns == ("sex",)


def test_an_answer_prints_as_a_table_and_turns_into_json(published):
    answer = published.query("sex | age=30")
    lines = str(answer).splitlines()
    assert lines[0].split() == ["sex", "probability", "95%", "interval"]
    assert len(lines) == 4
    assert lines[3] == answer.notes[0]
    assert "the condition takes a part of a bin" in lines[3]
    assert answer.to_dict()["rows"][0]["sex"] == "Female"
    assert len(str(published.query("sex | age=20..39")).splitlines()) == 3
    with pytest.raises(KeyError):
        answer["Female", "x"]


def test_a_seeded_models_answer_carries_the_stamp():
    answer = make_model(seeded=True).query("sex")
    assert str(answer).startswith("NOT PRIVATE: seeded")
    assert answer.to_dict()["stamp"] == "NOT PRIVATE: seeded"


def test_sampling_in_batches_gives_all_rows(published):
    batches = list(published.sample_batches(1000, seed=1, batch_rows=300))
    assert [batch.num_rows for batch in batches] == [300, 300, 300, 100]


@pytest.mark.parametrize("encoding", ["hierarchical", "gray"])
def test_a_model_exports_to_bif_networkx_and_svg(tmp_path, encoding):
    published = make_model(encoding=encoding)
    assert published.to_bif().startswith("//") or published.to_bif().startswith("network")
    assert len(published.to_networkx().nodes) >= len(published.model.network.nodes)
    assert "stamp" not in published.to_networkx().graph
    published.draw(tmp_path / "network.svg")
    assert "<svg" in (tmp_path / "network.svg").read_text()


def test_a_model_exports_to_pgmpy(published):
    assert published.to_pgmpy().check_model()


def test_exports_of_a_model_without_a_guarantee_carry_the_stamp():
    published = make_model(seeded=True, diagnostic="best-network")
    stamp = published.statement.stamp
    assert published.to_bif().startswith(f"// {stamp}\n")
    assert published.to_networkx().graph["stamp"] == stamp
    assert stamp in published.to_svg()


def test_a_networkx_graph_has_the_labels_of_the_table(published):
    graph = published.to_networkx()
    for field in published.schema.fields:
        assert graph.nodes[field.name]["states"] == field.labels


@pytest.mark.parametrize(
    ("asked", "given"),
    [("a.csv", "a.NOT-PRIVATE.csv"), ("x/a.b.csv.gz", "x/a.b.NOT-PRIVATE.csv.gz"), ("A.PQ", "A.NOT-PRIVATE.PQ"),
     ("a.NOT-PRIVATE.csv", "a.NOT-PRIVATE.csv")],
)  # fmt: skip
def test_a_table_without_a_guarantee_is_named_so_once(asked, given):
    assert stamped_path(Path(asked), Statement.example(seeded=True)) == Path(given)
    assert stamped_path(Path(asked), Statement.example()) == Path(asked)


def test_numbers_of_numpy_are_numbers(published):
    rows = published.sample(np.int64(3), seed=np.int32(7), kind="pyarrow")
    assert rows == published.sample(3, seed=7, kind="pyarrow")


@pytest.mark.parametrize("seed", [-1, 1.5, "a", True])
def test_a_strange_seed_is_refused(published, seed):
    with pytest.raises(OptionError, match="'seed' parameter must be a whole number"):
        published.sample(3, seed=seed)


def test_a_query_that_is_no_text_and_a_path_that_is_none_are_told(published):
    with pytest.raises(OptionError, match="a query is text"):
        published.query(3)
    with pytest.raises(OptionError, match="name a model file"):
        load_model(None)


def test_nan_in_a_condition_means_missing(published):
    for missing in (float("nan"), np.float32("nan"), pd.NA, pd.NaT):
        rows = published.sample(50, where={"age": missing}, kind="pandas")
        assert rows["age"].isna().all()
    both = published.sample(50, where={"age": [None, float("nan")]}, kind="pandas")
    assert both["age"].isna().all()
    with pytest.raises(OptionError, match="end of the range is NaN"):
        published.sample(1, where={"age": (3, float("nan"))})


def test_a_python_range_lists_its_values(published):
    assert set(published.sample(200, where={"age": range(2, 4)})["age"]) == {2, 3}
    assert set(published.sample(400, where={"age": range(-1, 1)})["age"]) == {-1, 0}
    assert set(published.sample(50, where={"age": range(2, 99, 30)})["age"]) <= {2, 32, 62, 92}
    with pytest.raises(OptionError, match="too many"):
        published.sample(1, where={"age": range(0, 10**12, 2)})


def test_a_model_and_a_release_are_shown_in_one_line(published, tmp_path):
    assert repr(published) == "PublishedModel('people', rows=1000, epsilon=1, columns=3)"
    release = write_release(tmp_path / "r", published)
    assert repr(release) == f"Release('{tmp_path / 'r'}', dataset='people', rows=1000, epsilon=1)"


def answer_of(probabilities, labels=None):
    labels = labels or tuple(f"v{i}" for i in range(len(probabilities)))
    return Answer(question="a", columns=("a",), labels=(labels,), probabilities=np.array(probabilities))


def test_a_long_answer_shows_the_most_probable_and_counts_the_rest():
    probabilities = np.arange(1, 201) / np.arange(1, 201).sum()
    answer = answer_of(probabilities)
    lines = str(answer).splitlines()
    assert len(lines) == 52
    assert lines[1].startswith("v199 ")
    assert lines[-1].startswith(f"… and 150 less probable ones, {probabilities[:150].sum():.1%} together.")
    assert len(answer.to_dict()["rows"]) == 200


def test_a_small_probability_is_not_shown_as_nought():
    assert "0.0030%" in str(answer_of([0.00003, 0.99997]))
    assert "99.9970%" in str(answer_of([0.00003, 0.99997]))
    assert "100.0%" in str(answer_of([0.0, 1.0]))


def test_a_line_break_in_a_category_is_shown_escaped():
    lines = str(answer_of([0.5, 0.5], ("two\nlines", "a\\b"))).splitlines()
    assert len(lines) == 3
    assert lines[1].startswith("two\\nlines ")
    assert lines[2].startswith("a\\b ")
