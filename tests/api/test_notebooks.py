"""Short texts and small pages for notebooks: every public value has them, escaped, and not large."""

from fractions import Fraction

import pytest

import understudy as us
from tests.release.models import make_model, make_tree
from understudy._api._comparison import Comparison, Run
from understudy.evaluation import Report, ReportFacts
from understudy.release import Release, Statement

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
