"""Short texts and small pages for notebooks: every public value has them, escaped, and not large."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import understudy as us
from tests.release.models import make_model, make_tree
from understudy._api._comparison import Comparison, Run
from understudy.evaluation import PublicReport, Report, ReportFacts
from understudy.release import Answer, Release, Statement
from understudy.schema import Schema

BAD = "<script>alert(1)</script>"


def values():
    model = make_model(dataset=BAD, seeded=True)
    runs = tuple(Run(method="m", epsilon=Fraction(1), seed=seed, values={"2-way": 0.25}) for seed in range(40))
    return {
        "model": model,
        "estimator": us.PrivBayes(epsilon=1, dataset=BAD),
        "fitted estimator": fitted(model),
        "statement": Statement.example(dataset=BAD, warnings=(BAD,)),
        "release": Release(path=model_path(), model=model, synthetic=model_path(), files=(model_path(),), n_rows=3),
        "answer": make_tree().query("age, 'marital status'"),
        "number answer": make_tree().query("mean(age), share(age > 30)"),
        "report": Report((), ReportFacts(dataset=BAD, rows_synthetic=3)),
        "public report": PublicReport(ReportFacts(dataset=BAD, rows_synthetic=3)),
        "plan": us.plan("demo", epsilon=1, delta=0, neighbours="replace-one", method="privbayes"),
        "comparison": Comparison(
            dataset=BAD,
            rows=9,
            columns=2,
            version="1",
            neighbours="replace-one",
            delta=Fraction(0),
            methods=("m",),
            epsilons=(Fraction(1),),
            seeds=tuple(range(40)),
            scopes={"2-way": "1 table"},
            fresh_sample={"2-way": 0.1},
            independent_columns={"2-way": 0.3},
            runs=runs,
        ),
    }


def fitted(model):
    """As `fit` leaves it."""
    found = us.Adaptive(epsilon=1)
    found._model = model
    return found


def model_path():
    from pathlib import Path

    return Path("release/model.understudy")


@pytest.fixture(scope="module")
def shown():
    return values()


@pytest.mark.parametrize(
    "name",
    [
        "model",
        "estimator",
        "fitted estimator",
        "statement",
        "release",
        "answer",
        "number answer",
        "report",
        "public report",
        "plan",
        "comparison",
    ],
)
def test_a_value_is_short_in_a_notebook_and_nothing_in_it_is_run(shown, name):
    text, page = repr(shown[name]), shown[name]._repr_html_()
    assert len(text) < 300
    assert "\n" not in text
    assert 50 < len(page) < 20_000
    assert BAD not in page
    assert page.count("<table") == page.count("</table>") == 1
    assert "http" not in page  # nothing is loaded from elsewhere


def test_a_stamp_is_on_the_page(shown):
    assert "NOT PRIVATE: seeded" in shown["model"]._repr_html_()
    assert "NOT PRIVATE: seeded" in shown["release"]._repr_html_()


def test_answers_turn_into_dataframes(shown):
    frame = shown["answer"].to_pandas()
    assert list(frame.columns[:3]) == ["age", "marital status", "probability"]
    assert frame["probability"].sum() == pytest.approx(1)
    figures = shown["number answer"].to_pandas().set_index("statistic")
    assert figures.loc["mean(age)", "low"] < figures.loc["mean(age)", "value"] < figures.loc["mean(age)", "high"]


def test_a_page_names_the_method_that_ran_and_shows_code_without_backticks():
    statement = Statement.example(method="auto", options={"chosen": "adaptive"}, warnings=("`age` is off",))
    shown = statement._repr_html_()
    assert ">adaptive (chosen by auto)<" in shown
    assert "<code>age</code> is off" in shown
    assert "`" not in shown


def test_what_was_planned_compared_or_asked_comes_as_a_dataframe():
    planned = us.plan(schema={"fields": [{"name": "a", "type": "boolean"}]}, epsilon=[1, 2], rows=1000).to_pandas()
    assert planned["epsilon"].tolist() == [1.0, 2.0]
    assert planned["relations"].tolist() == ["unknown"] * 2
    compared = values()["comparison"].to_pandas()
    assert compared["mean"].tolist() == [0.25]
    answer = Answer(
        question="a, b",
        columns=("a", "b"),
        labels=(("0", "1"), ("x",)),
        numbers=((0, 1), None),
        probabilities=np.array([[0.25], [0.75]]),
    )
    assert answer.to_pandas()["a"].tolist() == [0, 1]
    assert answer.to_pandas()["b"].tolist() == ["x"] * 2


def test_fields_of_many_categories_are_shown_in_a_line() -> None:
    values = [f"v{i}" for i in range(1000)]
    schema = Schema.from_dict({"name": "x", "fields": [{"name": "a", "categories": values, "origin": "draft"}]})
    assert repr(schema) == "Schema('x', 1 column: a, 1 drafted)"
    assert repr(schema["a"]) == "Field('a', 'string', categories=1000, origin='draft')"


def test_schemas_and_checks_of_many_columns_have_short_texts():
    schema = us.Schema.from_dict({"fields": [{"name": f"c{i}", "categories": ["no", "yes"]} for i in range(300)]})
    checked = us.check_table(pd.DataFrame({name: ["no"] for name in schema.names}), schema)
    assert repr(schema).startswith("Schema('table', 300 columns: c0, c1, ")
    assert len(repr(schema)) < 120
    assert repr(checked) == "CheckReport(rows=1, columns=300, faults=0, private)"
