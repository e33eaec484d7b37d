"""The dry run."""

import pytest

import understudy as us
from tests.api.people import SCHEMA, people
from understudy._api import count_rows


def test_a_plan_needs_no_table_when_the_rows_are_given():
    plan = us.plan(schema=SCHEMA, epsilon=1, rows=1000)
    assert plan.rows == 1000
    assert [attribute.name for attribute in plan.attributes] == ["sex", "age", "smokes", "job"]


def test_a_plan_counts_rows_and_nothing_else(tmp_path):
    people().to_csv(tmp_path / "people.csv", index=False)
    assert us.plan(tmp_path / "people.csv", schema=SCHEMA, epsilon=1).rows == 400


def test_a_plan_accepts_drafts_since_nothing_is_published():
    schema = {"fields": [SCHEMA["fields"][0] | {"origin": "draft"}]}
    assert us.plan(schema=schema, epsilon=1, rows=10).rows == 10


def test_under_add_remove_the_rows_must_be_given(tmp_path):
    with pytest.raises(us.OptionError, match="private"):
        us.plan("demo", epsilon=1, neighbours="add-remove")
    assert us.plan("demo", epsilon=1, neighbours="add-remove", rows=6000).rows == 6000


@pytest.mark.parametrize("rows", [0, -1, 1.5, True])
def test_a_strange_number_of_rows_is_refused(rows):
    with pytest.raises(us.OptionError, match="rows"):
        us.plan(schema=SCHEMA, epsilon=1, rows=rows)


def test_without_table_and_rows_there_is_nothing_to_plan():
    with pytest.raises(us.OptionError, match="number of rows"):
        us.plan(schema=SCHEMA, epsilon=1)


@pytest.mark.parametrize(
    ("text", "n"),
    [
        ("a,b\n1,2\n3,4\n", 2),
        ("a,b\n1,2\n3,4", 2),
        ('a,b\n"x\ny",2\n"line ""quoted""\n\n more",4\n', 2),
        ("a,b\r\n1,2\r\n", 1),
        ("\ufeffa,b\n1,2\n", 1),
    ],
)
def test_records_of_a_csv_are_counted_not_lines(tmp_path, text, n):
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    assert count_rows(path) == n


def test_rows_of_parquet_and_dataframes_are_counted(tmp_path):
    people().to_parquet(tmp_path / "p.parquet")
    assert count_rows(tmp_path / "p.parquet") == count_rows(people()) == 400


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(us.UserError, match=r"missing\.csv"):
        count_rows(tmp_path / "missing.csv")


def test_a_name_is_no_option_of_a_method():
    with pytest.raises(us.OptionError, match="no option 'name'"):
        us.plan("demo", epsilon=1, name="privbayes")
