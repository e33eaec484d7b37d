"""Cells that a spreadsheet would run: warned about, from the schema alone."""

import csv

import pandas as pd
import pytest

import understudy as us
from understudy.schema import Schema
from understudy.tables import formula_columns

RUN = ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "=cmd|' /C calc'!A0", "-unknown", "＝1", "\t=1", "+49 30 1234", "-1.5e3"]
NOT_RUN = ["-1", "+1", "-1.5", "+1,000.5", "-5 %", "-", "--", "+", "a=1", "1-1", " =1", "x@y.org", ""]


@pytest.mark.parametrize("text", RUN)
def test_a_text_that_begins_like_a_formula_is_found(text):
    assert formula_columns(Schema.from_dict({"fields": [{"name": "a", "categories": ["x", text]}]})) == ("a",)
    assert formula_columns(Schema.from_dict({"fields": [{"name": text, "categories": ["x"]}]})) == (text,)


@pytest.mark.parametrize("text", NOT_RUN)
def test_numbers_and_other_texts_are_not(text):
    field = {"name": "a", "categories": ["x", text or "y"], "missingValues": [text] if not text else []}
    assert formula_columns(Schema.from_dict({"fields": [field]})) == ()


def test_texts_for_missing_true_and_false_are_cells_too():
    fields = [
        {"name": "yes", "type": "boolean", "trueValues": ["=1"], "falseValues": ["no"]},
        {"name": "gap", "categories": ["x"], "missingValues": ["=NA()"]},
        {"name": "low", "type": "integer", "categories": [-1, -2]},
        {"name": "day", "type": "date", "constraints": {"minimum": "2020-01-01", "maximum": "2020-12-31"}},
    ]
    assert formula_columns(Schema.from_dict({"fields": fields})) == ("yes", "gap")


def test_publishing_warns_and_writes_the_cells_as_they_are(tmp_path):
    schema = {"name": "t", "fields": [{"name": "a", "categories": ["=1+1", "x"]}, {"name": "b", "categories": ["y"]}]}
    table = pd.DataFrame({"a": ["=1+1", "x"] * 20, "b": ["y"] * 40})
    release = us.publish(table, schema=schema, epsilon=1, method="independent", out=tmp_path / "r")
    [said] = [warning for warning in release.statement.warnings if "formula" in warning]
    assert said.startswith("names or categories of column 'a' begin like formulas")
    assert "=1+1" not in said
    with release.synthetic.open(newline="") as file:
        assert {row["a"] for row in csv.DictReader(file)} <= {"=1+1", "x"}


def test_the_warning_says_nothing_of_the_rows(tmp_path):
    schema = {"name": "t", "fields": [{"name": "a", "categories": ["=1+1", "x", "z"]}]}
    said = [
        us.PrivBayes(epsilon=1, neighbours="replace-one").fit(pd.DataFrame({"a": cells}), schema).statement_.warnings
        for cells in (["x"] * 4000, ["=1+1"] * 4000)
    ]
    assert any("formula" in warning for warning in said[0])
    assert said[0] == said[1]
