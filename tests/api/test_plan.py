"""The dry run."""

import pytest

import understudy as us
from tests.api.people import SCHEMA, people
from tests.promises import STRICT
from understudy._api import count_rows


def test_a_plan_needs_no_table_when_the_rows_are_given():
    plan = us.plan(schema=SCHEMA, epsilon=1, rows=1000)
    assert plan.rows == 1000
    assert [attribute.name for attribute in plan.attributes] == ["sex", "age", "smokes", "job"]


def test_a_plan_counts_rows_and_nothing_else(tmp_path):
    people().to_csv(tmp_path / "people.csv", index=False)
    assert us.plan(tmp_path / "people.csv", schema=SCHEMA, epsilon=1, **STRICT).rows == 400


def test_a_plan_accepts_drafts_since_nothing_is_published():
    schema = {"fields": [SCHEMA["fields"][0] | {"origin": "draft"}]}
    assert us.plan(schema=schema, epsilon=1, rows=10).rows == 10


def test_under_add_remove_the_rows_must_be_given(tmp_path):
    people().to_csv(tmp_path / "people.csv", index=False)
    with pytest.raises(us.OptionError, match="private"):
        us.plan(tmp_path / "people.csv", schema=SCHEMA, epsilon=1)
    assert us.plan(tmp_path / "people.csv", schema=SCHEMA, epsilon=1, rows=6000).rows == 6000


def test_the_rows_of_a_bundled_table_are_no_secret():
    assert us.plan("demo", epsilon=1).rows == 5912
    with pytest.raises(us.OptionError, match="--rows N"):
        us.plan("demo-visits", epsilon=1, unit="person", max_rows=5)


@pytest.mark.parametrize("method", ["privbayes", "privabn", "independent", "jtree", "mwem"])
@pytest.mark.parametrize("delta", [0, "1e-6"])
def test_a_plan_shows_what_each_promise_would_give(method, delta):
    """Each line has the noise that a plan under that very promise has, and nothing else decides it."""
    asked = {"schema": SCHEMA, "epsilon": 1, "rows": 5000, "method": method}
    found = us.plan(**asked, delta=delta)
    kinds = [(line.delta, line.neighbours) for line in found.promises]
    slack = 1e-6 if delta else 1e-9
    assert kinds == [(slack, "add-remove"), (slack, "replace-one"), (0, "add-remove"), (0, "replace-one")]
    assert [line.chosen for line in found.promises].index(True) == (0 if delta else 2)
    for line in found.promises:
        alone = us.plan(**asked, delta=line.delta, neighbours=line.neighbours)
        assert line.noise_mean == alone.noise_mean
        error = min(1, line.noise_mean * found.largest_useful_table / (2 * found.rows))
        assert line.expected_error == pytest.approx(error)
    stricter = [line.noise_mean for line in found.promises]
    assert stricter[0] < stricter[1]
    assert stricter[2] < stricter[3]


def test_promises_of_auto_are_of_the_method_that_it_chooses():
    asked = {"schema": SCHEMA, "epsilon": 1, "rows": 5000}
    assert us.plan(**asked).promises == us.plan(**asked, method="adaptive").promises
    assert us.plan(**asked, delta=0).promises == us.plan(**asked, delta=0, method="adaptive").promises


def test_a_promise_that_the_method_cannot_keep_has_no_noise():
    asked = {"schema": SCHEMA, "epsilon": 1, "rows": 5000, "method": "privbayes", "score": "I", "encoding": "vanilla"}
    lines = us.plan(**asked, neighbours="replace-one").promises
    assert [line.noise_mean is None for line in lines] == [True, False, True, False]
    assert [line.expected_error is None for line in lines] == [True, False, True, False]


def test_a_plan_without_noise_lists_no_promises():
    assert us.plan(schema=SCHEMA, epsilon=1, rows=100, method="uniform").promises == ()


def test_a_plan_says_what_is_promised():
    told = us.plan(schema=SCHEMA, epsilon=1, rows=100).promise
    assert "give or take a probability of δ = 1e-09" in told
    assert "The number of rows is private" in told
    told = us.plan(schema=SCHEMA, epsilon=1, rows=100, **STRICT).promise
    assert "δ" not in told
    assert "replaced by any other row" in told


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


@pytest.mark.parametrize("name", ["k401.draft.yaml", "K401.YML", "k401.json"])
def test_a_schema_in_place_of_the_table_is_told_to_be_one(name):
    with pytest.raises(us.OptionError, match=f"schema='{name}'"):
        us.plan(name, rows=1000)
