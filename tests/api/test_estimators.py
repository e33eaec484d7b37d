"""The estimator form."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import understudy as us
from tests.api.people import SCHEMA, people
from tests.promises import STRICT


def test_fit_returns_itself_and_sample_the_same_kind_of_table():
    for table, kind in [
        (people(), pd.DataFrame),
        (pl.from_pandas(people()), pl.DataFrame),
        (pa.Table.from_pandas(people(), preserve_index=False), pa.Table),
    ]:
        model = us.PrivBayes(epsilon=1.0)
        assert model.fit(table, SCHEMA) is model
        synthetic = model.sample(30)
        assert isinstance(synthetic, kind)
        assert synthetic.shape == (30, 4)


def test_column_types_tell_nothing_of_the_table():
    schema = {
        "fields": [
            {"name": "b", "type": "boolean", "constraints": {"required": False}},
            {"name": "i", "type": "integer", "categories": [1, 2], "missingValues": ["?"]},
            {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 9}, "bins": 2},
        ]
    }
    full = pd.DataFrame({"b": [True, False] * 50, "i": [1, 2] * 50, "age": [3, 4] * 50})
    odd = full.astype({"b": object, "i": object, "age": "int8"})
    odd.loc[0, ["b", "i"]] = [None, "?"]
    for table in (full, odd, full.astype("category"), full.astype(str)):
        model = us.PrivBayes(epsilon=1).fit(table, schema)
        for synthetic in (model.sample(20, types={}), model.model_.sample(20)):
            assert [str(t) for t in synthetic.dtypes] == ["boolean", "Int64", "int64"]
    for table in (full, full.astype({"b": object, "i": object}), full.astype(str)):  # types that pandas chooses
        synthetic = us.PrivBayes(epsilon=1).fit(table, schema).sample(20)
        assert [str(t) for t in synthetic.dtypes] == ["boolean", "Int64", "int64"]


MANY = {
    "fields": [
        {"name": "flag", "type": "integer", "categories": [0, 1]},
        {"name": "small", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}, "bins": 10},
        {"name": "wide", "type": "integer", "constraints": {"minimum": 0, "maximum": 999}, "bins": 10},
        {"name": "part", "type": "number", "constraints": {"minimum": 0, "maximum": 1}, "bins": 4},
        {"name": "size", "categories": ["small", "large"], "categoriesOrdered": True},
        {"name": "grade", "type": "integer", "categories": [1, 2, 3], "constraints": {"required": False}},
        {"name": "count", "type": "integer", "categories": [1, 2], "constraints": {"required": False}},
        {"name": "truth", "type": "boolean"},
        {"name": "maybe", "type": "boolean", "constraints": {"required": False}},
        {"name": "bits", "type": "boolean"},
        {"name": "rate", "type": "number", "categories": [0.5, 1.5]},
        {"name": "code", "categories": ["1", "2"]},
    ]
}


def test_short_doubles_are_given_back_where_they_hold_what_is_declared():
    """0.1 is more in 32 bits than in 64: a row in ten with equal values came out of order, and 0.1 lay beyond 0.1."""
    share = {"type": "number", "decimals": 2}
    fields = [
        *({"name": name, **share, "constraints": {"minimum": 0, "maximum": 50}} for name in ("low", "high", "alone")),
        {"name": "part", **share, "constraints": {"minimum": 0, "maximum": 0.1}},
        {"name": "paid", **share, "constraints": {"minimum": 0, "maximum": 1_000_000}},
        {"name": "rate", **share, "special": [-0.1], "constraints": {"minimum": 0, "maximum": 50}},
    ]
    schema = us.Schema.from_dict({"fields": fields, "dependencies": [{"lower": "low", "upper": "high"}]})
    values = np.round(np.random.default_rng(0).random(3_000) * 50, 2)
    frame = pd.DataFrame({"low": values, "high": values, "alone": values, "part": 0.05, "paid": values, "rate": values})
    short = frame.astype("float32")
    both = us.Adaptive(epsilon=50, seed=1).fit(short, schema).sample(3_000, seed=2)
    kinds = {"low": "float32", "high": "float32", "alone": "float32"}
    assert both.dtypes.astype(str).to_dict() == {**dict.fromkeys(frame, "float64"), **kinds}
    mixed = us.Adaptive(epsilon=50, seed=1).fit(short.astype({"high": "float64"}), schema).sample(3_000, seed=2)
    assert mixed.dtypes.astype(str).to_dict() == {**dict.fromkeys(frame, "float64"), "alone": "float32"}
    for made in (both, mixed):
        assert (made["low"] <= made["high"]).all()
        assert us.check_table(made, schema).ok


def test_a_sample_has_the_types_of_the_frame_it_was_fitted_on():
    frame = pd.DataFrame(
        {
            "flag": [True, False] * 50,
            "small": pd.Series([3, 4] * 50, dtype="int8"),
            "wide": pd.Series([3, 4] * 50, dtype="int8"),
            "part": pd.Series([0.25, 0.75] * 50, dtype="float32"),
            "size": pd.Categorical(["large", "small"] * 50),
            "grade": pd.Categorical([3, 1] * 50),
            "count": pd.Series([1, 2] * 50, dtype="uint8"),
            "truth": pd.Categorical([True, False] * 50),
            "maybe": [True, False] * 50,
            "bits": pd.Series([0, 1] * 50, dtype="int8"),
            "rate": pd.Categorical([0.5, 1.5] * 50),
            "code": pd.Series([1, 2] * 50, dtype="int8"),
        }
    )
    model = us.PrivBayes(epsilon=1).fit(frame, MANY)
    synthetic = model.sample(200)
    assert {name: str(kind) for name, kind in synthetic.dtypes.items()} == {
        "flag": "bool",
        "small": "int8",
        "wide": "int64",  # the schema allows more than an int8 holds
        "part": "float32",
        "size": "category",
        "grade": "category",
        "count": "UInt8",
        "truth": "category",
        "maybe": "boolean",
        "bits": "int8",
        "rate": "category",
        "code": str(pd.Series(["1"]).dtype),
    }
    assert list(synthetic["size"].cat.categories) == ["small", "large"]
    assert synthetic["size"].cat.ordered
    assert list(synthetic["grade"].cat.categories) == [1, 2, 3]
    assert list(synthetic["rate"].cat.categories) == [0.5, 1.5]
    assert list(synthetic["truth"].cat.categories) == [False, True]
    plain = model.sample(200, types={}, seed=1)
    typed = model.sample(200, seed=1)
    for name in frame.columns:
        assert typed[name].isna().tolist() == plain[name].isna().tolist()
        there = plain[name].notna()
        if name in ("size", "code"):
            assert typed[name].tolist() == plain[name].tolist()
        else:
            values = [[float(value) for value in frame[name][there]] for frame in (typed, plain)]
            assert values[0] == pytest.approx(values[1])
    assert (model.sample(1).dtypes == synthetic.dtypes).all()
    assert str(model.sample(5, compact=True)["wide"].dtype) == "int16"
    assert isinstance(model.sample(5, kind="polars"), pl.DataFrame)


def test_learnt_attributes_end_in_an_underscore():
    model = us.PrivBayes(epsilon=1, **STRICT).fit(people(), SCHEMA)
    assert model.n_ == 400
    assert model.schema_.names == ("sex", "age", "smokes", "job")
    assert model.statement_.epsilon == 1
    assert isinstance(model.model_, us.PublishedModel)
    assert model.query("sex").probabilities.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    "use", [lambda m: m.sample(3), lambda m: m.query("sex"), lambda m: m.model_, lambda m: m.save("x")]
)
def test_before_fit_there_is_nothing_to_use(use):
    with pytest.raises(us.OptionError, match="Call fit"):
        use(us.PrivBayes(epsilon=1))


@pytest.mark.parametrize(
    ("options", "words"),
    [({"epsilon": 0}, "epsilon"), ({"epsilon": 1, "score": "Z"}, "score"), ({"epsilon": 1, "k": -1}, "k")],
)
def test_wrong_options_are_refused_when_they_are_given(options, words):
    with pytest.raises(us.OptionError, match=words):
        us.PrivBayes(**options)


def test_a_schema_may_be_a_file_a_mapping_or_a_schema(tmp_path):
    schema = us.Schema.from_dict(SCHEMA)
    schema.save(tmp_path / "people.schema.yaml")
    for form in (schema, SCHEMA, tmp_path / "people.schema.yaml", str(tmp_path / "people.schema.yaml")):
        assert us.PrivBayes(epsilon=1, **STRICT).fit(people(50), form).n_ == 50


def test_a_fit_on_a_file_samples_pyarrow(tmp_path):
    people().to_csv(tmp_path / "people.csv", index=False)
    model = us.PrivBayes(epsilon=1).fit(tmp_path / "people.csv", SCHEMA)
    assert isinstance(model.sample(5), pa.Table)
    assert isinstance(model.sample(5, kind="pandas"), pd.DataFrame)
    assert isinstance(model.generate(5, kind="polars"), pl.DataFrame)


def test_a_saved_model_answers_as_the_estimator_does(tmp_path):
    model = us.PrivBayes(epsilon=1, seed=1).fit(people(), SCHEMA)
    model.save(tmp_path / "model.understudy")
    loaded = us.load(tmp_path / "model.understudy")
    assert loaded.query("age | sex=Male").to_dict() == model.query("age | sex=Male").to_dict()
    assert loaded.sample(40, seed=2).equals(model.sample(40, seed=2))


def test_its_text_shows_what_was_changed():
    assert repr(us.PrivBayes(epsilon=1)) == "PrivBayes(epsilon=1)"
    assert repr(us.PrivBayes(epsilon=0.5, k=2, seed=3)) == "PrivBayes(epsilon=0.5, k=2, seed=3)"


@pytest.mark.parametrize(
    "options",
    [{"k": 1}, {"encoding": "gray"}, {"encoding": "vanilla", "score": "I"}, {"encoding": "binary", "score": "F"}],
)
def test_the_methods_options_reach_it(options):
    model = us.PrivBayes(epsilon=1, **options, **STRICT).fit(people(), SCHEMA)
    for name, value in options.items():
        assert model.statement_.options["parents" if name == "k" else name] == value
    assert model.sample(10).shape == (10, 4)
