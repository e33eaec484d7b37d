"""`us.answer`: from a table and a workload to answers, files and a statement."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

import understudy as us
from tests.promises import STRICT
from understudy import demo

QUERIES = ["sex=Female, age=20..39", "table(site, sex)"]


def read(path):
    with Path(path).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_answers_are_written_with_their_statement(tmp_path):
    out = tmp_path / "answers.csv"
    found = us.answer("demo", QUERIES, epsilon=1, out=out, **STRICT)
    rows = read(out)
    assert list(rows[0]) == ["name", "query", "answer", "count", "low", "high", "how"]
    assert len(rows) == 13 == len(found.rows())
    assert [path.name for path in found.files] == ["answers.csv", "answers.privacy.json", "answers.PRIVACY.md"]
    statement = json.loads((tmp_path / "answers.privacy.json").read_text())
    assert statement["method"] == "answer"
    assert statement["epsilon"] == "1"
    assert us.Statement.from_dict(statement) == found.statement
    assert "All answers" in (tmp_path / "answers.PRIVACY.md").read_text()
    share, count = float(rows[0]["answer"]), float(rows[0]["count"])
    assert count == pytest.approx(share * 5912, rel=1e-4)
    assert float(rows[0]["low"]) <= share <= float(rows[0]["high"])


def test_a_workload_file_and_names_are_taken(tmp_path):
    path = tmp_path / "work.csv"
    path.write_text("name,query\nmen,sex=Male\n")
    found = us.answer("demo", path, epsilon=1)
    assert found.rows()[0]["name"] == "men"
    assert found.files == ()
    assert us.answer("demo", {"men": "sex=Male"}, epsilon=1).rows()[0]["name"] == "men"


def test_linear_queries_are_taken_beside_texts():
    linear = us.LinearQuery(columns=("sex",), weights=np.array([[1.0, 0.5]]), names=("half",))
    found = us.answer("demo", ["sex=Female", linear], epsilon=20, seed=1)
    women, half = (row["answer"] for row in found.rows())
    assert half == pytest.approx(women + (1 - women) / 2, abs=0.02)
    assert us.answer("demo", linear, epsilon=1).rows()[0]["name"] == "half"
    turned = us.answer("demo", [linear, "sex=Female"], epsilon=1)
    assert [row["name"] for row in turned.rows()] == ["half", "sex=Female"]
    with pytest.raises(us.OptionError, match="query 2: there is no column"):
        us.answer("demo", [linear, "sexx=Female"], epsilon=1)


def test_the_model_can_be_saved_queried_and_sampled(tmp_path):
    model, sample = tmp_path / "model.understudy", tmp_path / "rows.csv"
    found = us.answer("demo", QUERIES, epsilon=5, model=model, sample=sample, start="independent", strategy="rounds")
    loaded = us.load(model)
    assert loaded.statement == found.statement
    assert loaded.query("sex").probabilities.sum() == pytest.approx(1)
    assert len(read(sample)) == found.statement.n_rows
    assert loaded.to_svg().startswith("<svg")
    share = found.rows()[1]["answer"]
    assert loaded.query("site, sex")["Dayton", "Female"] == pytest.approx(share, abs=1e-6)


def test_columns_that_nobody_asks_about_are_said_to_be_uniform(tmp_path):
    told = us.answer("demo", ["sex=Male"], epsilon=1, model=tmp_path / "m.understudy").statement.warnings
    assert any("no query asks about" in warning for warning in told)
    told = us.answer("demo", ["sex=Male"], epsilon=1, out=tmp_path / "a.csv").statement.warnings
    assert not any("no query asks about" in warning for warning in told)


def test_columns_that_queries_ask_about_but_nothing_was_learnt_of_are_told_apart():
    found = us.answer("demo", ["sex=Male"], epsilon=20, seed=1, strategy="pmw", threshold=0.9)
    assert found.answered.steps == "0 of 10 corrections at a threshold of 0.9 of the rows"
    told = [warning for warning in found.statement.warnings if "uniform" in warning]
    assert [warning.partition(":")[0] for warning in told] == [
        "no query asks about site, age, education_years, income, coinsurance, …",
        "nothing was learnt about sex, which queries ask about",
    ]


def test_a_rehearsal_is_stamped_and_repeatable(tmp_path):
    out = tmp_path / "answers.csv"
    first = us.answer("demo", QUERIES, epsilon=1, seed=7, out=out)
    assert first.files[0].name == "answers.NOT-PRIVATE.csv"
    assert not out.exists()
    assert us.answer("demo", QUERIES, epsilon=1, seed=7).rows() == first.rows()


def test_the_ledger_is_charged_once_and_the_cap_holds(tmp_path):
    ledger = tmp_path / "budget.db"
    us.answer("demo", QUERIES, epsilon=1, ledger=ledger, cap=1.5)
    with pytest.raises(us.BudgetExceeded):
        us.answer("demo", QUERIES, epsilon=1, ledger=ledger)


def test_units_and_groups_scale_the_noise(tmp_path):
    one = us.answer("demo", ["sex=Female"], epsilon=1, strategy="direct", **STRICT)
    five = us.answer("demo-visits", ["sex=Female"], epsilon=1, strategy="direct", **STRICT)
    assert five.statement.max_rows == 5
    assert "scale b = 1 per cell" in one.statement.charges[-1].noise
    assert five.statement.charges[0].what == "rows"  # with five rows a person their number is private
    b = float(five.statement.charges[-1].noise.split("= ")[1].split()[0])
    assert b == pytest.approx(5 / 0.98)
    groups = tmp_path / "groups.csv"
    groups.write_text("row,group\n" + "".join(f"{i},{i // 2}\n" for i in range(4000)))
    found = us.answer(
        demo.people_path(), demo.people_workload_path(), schema=demo.people_schema_path(), epsilon=1, groups=groups,
        max_rows=2,
    )  # fmt: skip
    assert len(found.rows()) == 46
    assert found.statement.max_rows == 2


def test_weighed_rows_are_counted_as_rows():
    found = us.answer("demo-visits", ["sex=Female"], epsilon=100, max_rows=1, bounding="weigh", unit="person", seed=1)
    assert found.rows()[0]["count"] == pytest.approx(0.52 * 5912, rel=0.05)


def test_the_printed_algorithm_needs_a_word_and_is_stamped(tmp_path):
    with pytest.raises(us.OptionError, match="no privacy guarantee"):
        us.answer("demo", QUERIES, epsilon=1, as_published=True)
    with pytest.raises(us.OptionError, match="nothing to permit"):
        us.answer("demo", QUERIES, epsilon=1, no_guarantee=True)
    ledger = tmp_path / "budget.db"
    found = us.answer(
        "demo", QUERIES, epsilon=1, as_published=True, no_guarantee=True, threshold="0.01", seed=1, ledger=ledger,
        out=tmp_path / "a.csv", cap=3, **STRICT,
    )  # fmt: skip
    assert found.statement.stamp.startswith("NOT PRIVATE: as printed")
    assert {row["how"] for row in found.rows()} == {"measured", "model"}
    assert found.rows()[0]["low"] is None
    assert found.files[0].name == "a.NOT-PRIVATE.csv"
    assert found.model.query("sex").probabilities.sum() == pytest.approx(1)


def test_the_printed_algorithm_takes_its_sensitivity_from_groups(tmp_path):
    groups = tmp_path / "groups.csv"
    groups.write_text("row,group\n" + "".join(f"{i},{i // 2}\n" for i in range(4000)))
    from understudy._api._answer import _printed_sensitivity
    from understudy.options import AnswerOptions

    assert _printed_sensitivity(AnswerOptions(epsilon=1, groups=groups, max_rows=2)) == 2.0
    assert _printed_sensitivity(AnswerOptions(epsilon=1)) == 1.0


def test_a_histogram_beyond_memory_is_refused(monkeypatch):
    from understudy.answers import _method

    monkeypatch.setattr(_method, "_MOST_WEIGHTS", 100)
    with pytest.raises(us.OptionError, match="writes 13 queries out over 96 cells"):
        us.answer("demo", QUERIES, epsilon=1, as_published=True, no_guarantee=True, **STRICT)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"threshold": 0}, "'threshold' parameter must be a number above 0 and below 1"),
        ({"threshold": 1}, "'threshold' parameter"),
        ({"rate": 0}, "'rate' parameter must be a number above 0 and of at most 1"),
        ({"rate": 1.5}, "'rate' parameter"),
        ({"updates": 0}, "'updates' parameter"),
        ({"strategy": "best"}, "'strategy' parameter"),
        ({"method": "privbayes"}, "answering has no 'method'"),
        ({"thresold": 0.1}, "Did you mean 'threshold'"),
        ({"start": "privbays"}, "no method 'privbays'"),
        ({"start": "laplace"}, "cannot start from 'laplace'"),
        ({"start": "privbayes", "as_published": True, "no_guarantee": True}, "starts uniform"),
        ({"strategy": "rounds", "as_published": True, "no_guarantee": True}, "a strategy of its own"),
        ({"threshold": 0.1}, "'threshold' goes with --strategy pmw"),
        ({"rate": 0.5, "strategy": "tables"}, "'rate' goes with --strategy pmw"),
        ({"updates": 5}, "'updates' goes with --strategy pmw"),
        ({"updates": 5, "as_published": True, "no_guarantee": True}, "sets no bound"),
        ({"start_share": 0.5}, "'start_share' goes with --start"),
        ({"theta0": 0.5, "strategy": "pmw"}, "'theta0' goes with --as-published"),
        ({"out": "answers.parquet"}, "ends in .csv"),
        ({"sample": "rows.txt"}, "cannot tell the format of 'rows.txt'"),
        ({"out": "no/such/folder/a.csv"}, "no such folder"),
        ({"out": "a.csv", "sample": "a.csv"}, "the same name"),
        ({"epsilon": 0}, "'epsilon' parameter"),
    ],
)
def test_mistakes_are_told_before_anything_is_charged(tmp_path, monkeypatch, options, told):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(us.UserError, match=told):
        us.answer("demo", QUERIES, **{"epsilon": 1, "ledger": "budget.db", "cap": 3, **options})
    assert not (tmp_path / "budget.db").exists()
    assert not list(tmp_path.glob("*.csv"))


@pytest.mark.parametrize("queries", [[], ["agee=3"], ["sex=Femal"], "none.csv", 3, ["age=40..20"]])
def test_wrong_workloads_are_told_before_the_table_is_opened(tmp_path, queries):
    with pytest.raises(us.OptionError):
        us.answer(tmp_path / "no-such-table.csv", queries, schema=demo.schema_path(), epsilon=1)


def test_files_that_are_there_are_kept(tmp_path):
    out = tmp_path / "answers.csv"
    out.write_text("mine")
    ledger = tmp_path / "budget.db"
    with pytest.raises(us.OutputError, match="is there already"):
        us.answer("demo", QUERIES, epsilon=1, out=out, ledger=ledger, cap=3)
    assert out.read_text() == "mine"
    assert not ledger.exists()
    us.answer("demo", QUERIES, epsilon=1, out=out, overwrite=True)
    assert len(read(out)) == 13
    with pytest.raises(us.OutputError, match="is there already"):
        us.answer("demo", QUERIES, epsilon=1, out=out)


def test_an_answer_that_cannot_be_written_after_all_tells_the_charge(tmp_path, monkeypatch):
    from understudy._api import _answer

    def full(*_):
        raise us.OutputError("the disk is full.")

    monkeypatch.setattr(_answer, "write_bytes", full)
    with pytest.raises(us.OutputError) as caught:
        us.answer("demo", QUERIES, epsilon=1, out=tmp_path / "a.csv", ledger=tmp_path / "budget.db", cap=3)
    assert "stays in the ledger" in " ".join(caught.value.__notes__)


def test_columns_in_another_order_give_the_same_answers(tmp_path):
    import pyarrow as pa

    schema = {"fields": [{"name": "a", "categories": ["x", "y"]}, {"name": "b", "categories": ["u", "v", "w"]}]}
    columns = {"a": ["x", "y", "y", "y"] * 50, "b": ["u", "v", "w", "w"] * 50}
    swapped = pa.table({"b": columns["b"], "a": columns["a"]})
    asked = ["a=y, b=w", "table(a)", us.LinearQuery(columns=("a", "b"), weights=np.array([[0, 0, 0, 0, 0, 1.0]]))]
    for table in (pa.table(columns), swapped):
        shares = [row["answer"] for row in us.answer(table, asked, schema=schema, epsilon=1000, seed=1).rows()]
        assert shares == pytest.approx([0.5, 0.25, 0.75, 0.5], abs=0.01)
