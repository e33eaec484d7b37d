"""Workloads: what people write, beside rows counted one by one; and mistakes, with the line they are in."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy._core.errors import OptionError
from understudy.answers import LinearQuery, make_workload, read_lines
from understudy.answers import _workload as module
from understudy.schema import Marginal, Schema

SCHEMA = Schema.from_dict(
    {
        "fields": [
            {"name": "sex", "categories": ["Female", "Male"]},
            {"name": "marital status", "categories": ["single", "it's new", "a, b", "x|y"]},
            {"name": "age", "type": "integer", "bins": 5, "constraints": {"minimum": 0, "maximum": 99}},
        ]
    }
)
SEX, STATUS, AGE = ([*f.labels] for f in SCHEMA.fields)


def counted(workload, rows):
    """The true answers, as shares."""
    table = np.zeros([a.size for a in workload.domain])
    for row in rows:
        table[row] += 1 / len(rows)
    found = []
    for batch in workload.batches:
        rest = tuple(a for a in range(table.ndim) if a not in batch.marginal.attributes)
        found.append(batch.answers(table.sum(axis=rest)))
    return workload.in_order(found)


rows = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, len(STATUS) - 1), st.integers(0, len(AGE) - 1)), min_size=1, max_size=8
)


@given(rows, st.sets(st.sampled_from(SEX), min_size=1), st.integers(0, 4), st.integers(0, 4))
def test_counts_are_those_of_rows_counted_one_by_one(given_rows, sexes, one, other):
    low, high = sorted((one, other))
    text = f"sex={'/'.join(sorted(sexes))}, age={20 * low}..{20 * high + 19}"
    workload = make_workload(read_lines([text, f"count({text})", "table(age, sex)"]), SCHEMA)
    exact = np.mean([SEX[s] in sexes and low <= a <= high for s, _, a in given_rows])
    found = counted(workload, given_rows)
    assert found[:2] == pytest.approx([exact, exact])
    cells = [np.mean([(s, a) == cell for s, _, a in given_rows]) for cell in product(range(2), range(len(AGE)))]
    assert found[2:] == pytest.approx(cells)


@given(rows)
def test_cells_of_tables_are_told_as_queries_that_can_be_asked(given_rows):
    lines = read_lines(["table('marital status', sex)", "table(sex | age=10..29, 'marital status'='a, b'/single)"])
    workload = make_workload(lines, SCHEMA)
    again = make_workload(read_lines(list(workload.texts)), SCHEMA)
    assert counted(again, given_rows) == pytest.approx(counted(workload, given_rows))


def test_a_bin_that_a_range_cuts_counts_in_part():
    [batch] = make_workload(read_lines(["age=10..24"]), SCHEMA).batches
    assert batch.answers(np.eye(len(AGE))[0])[0] == 0.5
    assert batch.answers(np.eye(len(AGE))[1])[0] == 0.25
    assert batch.denominators.tolist() == [4]


def test_odd_parts_of_many_columns_keep_small_denominators():
    fields = [
        {"name": name, "type": "integer", "bins": 3, "constraints": {"minimum": 0, "maximum": 3 * 997 - 1}}
        for name in "abc"
    ]
    schema = Schema.from_dict({"fields": fields})
    [batch] = make_workload(read_lines(["a=1..5, b=2..1500, c=3..1993"]), schema).batches
    assert batch.denominators.max() <= 1 << 20
    exact = 5 / 997 * (995 / 997) * (994 / 997)
    assert batch.answers(np.eye(27)[0])[0] == pytest.approx(exact, abs=0.01)


def test_queries_about_one_table_are_held_together_and_keep_their_order():
    texts = ["sex=Female", "age=0..19", "sex=Male", "table(sex)", "sex=Female/Male"]
    workload = make_workload(read_lines(texts), SCHEMA)
    assert sorted(len(batch) for batch in workload.batches) == [1, 2, 3]
    assert workload.texts == ("sex=Female", "age=0..19", "sex=Male", "sex=Female", "sex=Male", "sex=Female/Male")
    assert counted(workload, [(0, 0, 0)]).tolist() == [1, 1, 0, 1, 0, 1]
    assert set(workload.marginals) == {Marginal.of(0), Marginal.of(2)}


def test_linear_queries_name_their_columns_in_any_order():
    weights = np.arange(2 * len(AGE)).reshape(1, -1) / 100  # age first, then sex
    workload = make_workload([], SCHEMA, [LinearQuery(columns=("age", "sex"), weights=weights, names=("mine",))])
    assert workload.names == ("mine",)
    assert counted(workload, [(1, 0, 3)])[0] == pytest.approx(weights[0, 3 * 2 + 1], abs=1e-5)


def test_a_csv_has_names_and_kinds_and_a_text_has_comments(tmp_path):
    table = tmp_path / "work.CSV"
    table.write_text('name,query,kind\nyoung women,"age=0..39, sex=female",\n\n,sex,table\n', encoding="utf-8-sig")
    lines = read_lines(table)
    assert [(line.name, line.kind, line.text) for line in lines] == [
        ("young women", "count", "age=0..39, sex=female"),
        ("", "table", "sex"),
    ]
    assert make_workload(lines, SCHEMA).names == ("young women", "table(sex)", "table(sex)")
    text = tmp_path / "work.txt"
    text.write_text("# what we need\n\nage=0..39\n  table(sex)\n")
    assert [line.where for line in read_lines(str(text))] == ["work.txt, line 3", "work.txt, line 4"]
    assert read_lines({"men": "sex=Male"})[0].name == "men"


def test_all_wrong_lines_are_told_at_once_with_their_numbers(tmp_path):
    path = tmp_path / "work.csv"
    path.write_text("query\nagee=3\nsex=Femal\nsex=Male\nage=50..20\n\"table(age, age)\"\n''\n")
    with pytest.raises(OptionError) as caught:
        make_workload(read_lines(path), SCHEMA)
    told = str(caught.value).splitlines()
    assert [line.split(": ")[0] for line in told] == [f"work.csv, line {n}" for n in (2, 3, 5, 6, 7)]
    assert "Did you mean 'age'?" in told[0]
    assert "has no value 'Femal'" in told[1]
    assert "no value lies between 50 and 20" in told[2]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "needs one column 'query'"),
        ("query\n\n", "the workload has no query"),
        ("name\nx\n", "needs one column 'query'"),
        ("query,querry\n", "no column 'querry'. Did you mean 'query'"),
        ("query\nage=1,sex=Male\n", "line 2: 2 cells, but 1 columns"),
        ('query\n"age=1\n', "not a line of a CSV file"),
        ("query,kind\nsex=Male,tables\n", "line 2: there is no kind of query 'tables'. Did you mean 'table'"),
        ("query,kind\ntable(sex),count\n", "the query says 'table' and its kind 'count'"),
    ],
)
def test_files_that_are_no_workload_are_refused(tmp_path, text, told):
    path = tmp_path / "work.csv"
    path.write_text(text)
    with pytest.raises(OptionError, match=told.replace("(", r"\(").replace(")", r"\)")):
        read_lines(path)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "count()",
        "sex",
        "table()",
        "table(sex | sex=Male)",
        "table(sex | age=x)",
        "sex=Male, sex=Female",
        "sex='Male",
    ],
)
def test_queries_that_make_no_sense_are_refused(line):
    with pytest.raises(OptionError, match=r"^query 1: "):
        make_workload(read_lines([line]), SCHEMA)


def test_files_that_cannot_be_read_are_refused(tmp_path):
    with pytest.raises(OptionError, match="cannot be read"):
        read_lines(tmp_path / "none.csv")
    (tmp_path / "bytes.txt").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(OptionError, match=r"not a text in UTF-8"):
        read_lines(tmp_path / "bytes.txt")
    with pytest.raises(OptionError, match="Got int instead"):
        read_lines([3])
    with pytest.raises(OptionError, match="Got int instead"):
        read_lines(3)


@pytest.mark.parametrize(
    ("given_query", "told"),
    [
        (LinearQuery(columns=("sex",), weights=np.ones((1, 3))), "need 2 weights each"),
        (LinearQuery(columns=("sex", "sex"), weights=np.ones((1, 4))), "each of their columns once"),
        (LinearQuery(columns=(), weights=np.ones((1, 1))), "at least one"),
        (LinearQuery(columns=("sexx",), weights=np.ones((1, 2))), "Did you mean 'sex'"),
        (LinearQuery(columns=("sex",), weights=np.full((1, 2), 1.5)), "between 0 and 1"),
    ],
)
def test_linear_queries_that_make_no_sense_are_refused(given_query, told):
    with pytest.raises(OptionError, match=told):
        make_workload([], SCHEMA, [given_query])


def test_linear_queries_need_as_many_names_as_there_are():
    with pytest.raises(OptionError, match="2 linear queries need as many names"):
        LinearQuery(columns=("sex",), weights=np.ones((2, 2)), names=("one",))


def test_workloads_beyond_the_limits_are_refused(monkeypatch):
    monkeypatch.setattr(module, "MOST_ANSWERS", 3)
    with pytest.raises(OptionError, match="asks for 4 numbers"):
        make_workload(read_lines(["table(sex)", "table(sex)"]), SCHEMA)
    with pytest.raises(OptionError, match="the table has 5 cells"):
        make_workload(read_lines(["table(age)"]), SCHEMA)
    monkeypatch.setattr(module, "MOST_CELLS", 3)
    with pytest.raises(OptionError, match="needs a table of 10 cells"):
        make_workload(read_lines(["age=1..50, sex=Male"]), SCHEMA)
