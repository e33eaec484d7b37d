"""Units and groups at the command line: mistakes end in one sentence, and whatever tells units apart is never shown."""

from __future__ import annotations

import datetime
import json
import os

import numpy as np
import pandas as pd
import pytest

from tests.api.people import SCHEMA, people
from tests.promises import STRICT_FLAGS
from understudy.cli._main import run
from understudy.privacy import read_ledger
from understudy.schema import Schema

N = 60
STRICT = ["--schema", "people.schema.yaml", "--epsilon", "1"]
PERSON = ["--unit", "person", "--max-rows", "2"]
PUBLISH = ["publish", "visits.csv", *STRICT]
GROUPS = ["publish", "people.csv", *STRICT]


def visits(names=None):
    rows = people(N)
    rows["person"] = [f"zz{i // 3}" for i in range(N)] if names is None else names
    return rows


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Schema.from_dict(SCHEMA).save("people.schema.yaml")
    Schema.from_dict(
        {"name": "people", "fields": [*SCHEMA["fields"], {"name": "person", "categories": ["a", "b"]}]}
    ).save("published.schema.yaml")
    people(N).to_csv("people.csv", index=False)
    visits().to_csv("visits.csv", index=False)
    visits(["" if i in (3, 44) else f"zz{i}" for i in range(N)]).to_csv("some-missing.csv", index=False)
    visits([None] * N).to_parquet("all-null.parquet")
    visits([[1, 2]] * N).to_parquet("lists.parquet")
    visits().rename(columns={"person": "persons"}).to_csv("renamed.csv", index=False)
    (tmp_path / "twice.csv").write_text("sex,age,smokes,job,person,person\nFemale,3,true,none,zz1,zz2\n")
    (tmp_path / "header.csv").write_text("sex,age,smokes,job,person\n")
    whole = pd.DataFrame({"row": range(N), "group": [i // 2 for i in range(N)]})
    whole.to_csv("groups.csv", index=False)
    whole[:-1].to_csv("short.csv", index=False)
    whole.assign(row=lambda groups: groups["row"] * 2).to_csv("gaps.csv", index=False)
    pd.concat([whole, whole[:1].assign(group=7)]).to_csv("overlapping.csv", index=False)
    whole.rename(columns={"group": "cluster"}).to_csv("unnamed.csv", index=False)
    return tmp_path


# what is typed, and what the sentence says
CASES = {
    "some rows have no unit": (["publish", "some-missing.csv", *STRICT, *PERSON], "2 rows have no value there"),
    "no row has a unit": (["publish", "all-null.parquet", *STRICT, *PERSON], "it is empty"),
    "max-rows zero": ([*PUBLISH, "--unit", "person", "--max-rows", "0"], "at least 1"),
    "max-rows negative": ([*PUBLISH, "--unit", "person", "--max-rows", "-1"], "at least 1"),
    "max-rows a fraction": ([*PUBLISH, "--unit", "person", "--max-rows", "1.5"], "at least 1"),
    "max-rows a word": ([*PUBLISH, "--unit", "person", "--max-rows", "many"], "at least 1"),
    "unit in the schema": (
        ["publish", "visits.csv", "--schema", "published.schema.yaml", "--epsilon", "1", *PERSON],
        "A unit column never is",
    ),
    "unit not a column": (
        [*PUBLISH, "--unit", "patient", "--max-rows", "2"],
        "no column 'patient' to tell units apart",
    ),
    "unit almost a column": (["publish", "renamed.csv", *STRICT, *PERSON], "Did you mean 'persons'?"),
    "unit column twice": (["publish", "twice.csv", *STRICT, *PERSON], "appears 2 times"),
    "unit of lists": (["publish", "lists.parquet", *STRICT, *PERSON], "cannot tell units apart"),
    "unit and no rows": (["publish", "header.csv", *STRICT, *PERSON], "no rows"),
    "max-rows without a unit": ([*PUBLISH, "--max-rows", "5"], "needs units"),
    "a column without max-rows": ([*PUBLISH, "--unit", "person"], "--max-rows"),
    "no unit": ([*PUBLISH, "--unit", ""], "unit"),
    "weighing without a bound": ([*GROUPS, "--bounding", "weigh"], "--max-rows"),
    "bounding unknown": ([*PUBLISH, *PERSON, "--bounding", "clip"], "drop"),
    "plan without rows": (["plan", "visits.csv", *STRICT, *PERSON], "--rows"),
    "groups and a unit": ([*PUBLISH, *PERSON, "--groups", "groups.csv"], "not by both"),
    "groups and weighing": ([*GROUPS, "--groups", "groups.csv", "--max-rows", "2", "--bounding", "weigh"], "bounding"),
    "groups not there": ([*GROUPS, "--groups", "nowhere.csv", "--max-rows", "2"], "nowhere.csv"),
    "groups without a bound": ([*GROUPS, "--groups", "groups.csv"], "max_rows"),
    "groups do not reach the end": ([*GROUPS, "--groups", "short.csv", "--max-rows", "2"], "speaks of 59"),
    "groups leave rows out": ([*GROUPS, "--groups", "gaps.csv", "--max-rows", "2"], "does not fit the table"),
    "groups overlap": ([*GROUPS, "--groups", "overlapping.csv", "--max-rows", "2"], "groups overlap"),
    "groups over the bound": (
        [*GROUPS, "--groups", "groups.csv", "--max-rows", "1"],
        "more rows than the declared bound",
    ),
    "groups under other names": (
        [*GROUPS, "--groups", "unnamed.csv", "--max-rows", "2"],
        "the columns 'row' and 'group'",
    ),
    "score i": ([*PUBLISH, *PERSON, "--method", "privbayes", "--score", "I"], "no proven sensitivity"),
    "compare: a unit in the schema": (
        ["compare", "visits.csv", "--schema", "published.schema.yaml", "--methods", "uniform", *PERSON],
        "A unit column never is",
    ),
    "compare: some rows have no unit": (
        ["compare", "some-missing.csv", "--schema", "people.schema.yaml", "--methods", "uniform", *PERSON],
        "2 rows have no value there",
    ),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("case", CASES)
def test_a_mistake_is_one_sentence_and_exit_code_2(home, capsys, case):
    before = set(os.listdir(home))
    words, said = CASES[case]
    assert run(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("understudy: ")
    assert said in err
    assert "Traceback" not in err
    assert "zz" not in err  # what names somebody is a private value
    assert err.rstrip().endswith((".", "?"))
    assert set(os.listdir(home)) == before


@pytest.mark.parametrize("case", ["some rows have no unit", "unit not a column", "groups do not reach the end"])
def test_a_mistake_costs_nothing(home, capsys, case):
    assert run(["publish", "people.csv", *STRICT, "--ledger", "budget.db", "--dataset", "other", "--cap", "3"]) == 0
    words, said = CASES[case]
    capsys.readouterr()
    assert run([*words, "--ledger", "budget.db", "--cap", "3", "--out", "second"]) == 2
    assert said in capsys.readouterr().err
    assert [entry.dataset for entry in read_ledger("budget.db").entries if entry.kind == "charge"] == ["other"]
    assert not (home / "second").exists()


def table_of(kind):
    """One person with three rows and others with one, told apart by values of a kind."""
    number = np.arange(N)
    number[:3] = 0
    made = {
        "int": number,
        "float": number.astype(float),
        "string": [f"zz{i}" for i in number],
        "date": [datetime.date(2001, 1, 1) + datetime.timedelta(days=int(i)) for i in number],
        "timestamp": pd.Timestamp("2001-01-01") + pd.to_timedelta(number, unit="h"),
        "categorical": pd.Categorical([f"zz{i}" for i in number]),
        "boolean": number > 2,
    }
    return visits(made[kind])


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", ["int", "float", "string", "date", "timestamp", "categorical", "boolean"])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_units_may_be_told_apart_by_values_of_any_type(home, capsys, kind, ending):
    table = table_of(kind)
    table.to_csv("typed.csv", index=False) if ending == "csv" else table.to_parquet("typed.parquet")
    words = ["publish", f"typed.{ending}", *STRICT, *STRICT_FLAGS, "--unit", "person", "--max-rows", "1", "--json"]
    assert run(words) == 0
    told = json.loads(capsys.readouterr().out)
    # under replace-one with one row a unit that number is public
    assert told["rows"] == table["person"].nunique()


def test_one_unit_with_all_rows_is_one_unit(home, capsys):
    visits(["zz"] * N).to_csv("one.csv", index=False)
    assert run(["publish", "one.csv", *STRICT, *PERSON, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert "zz" not in json.dumps(told)
    assert told["statement"]["n_public"] is False


def test_the_unit_column_is_in_no_file_of_a_release(home):
    assert run([*PUBLISH, *PERSON]) == 0
    files = {path.name: path.read_bytes() for path in (home / "release").iterdir()}
    assert files
    assert not any(b"zz1" in content for content in files.values())
    assert "person" not in files["synthetic.csv"].decode().splitlines()[0].split(",")


@pytest.mark.parametrize("bounding", ["drop", "weigh"])
def test_a_rehearsal_with_units_repeats(home, bounding):
    words = [*PUBLISH, *PERSON, "--bounding", bounding, "--seed", "5"]
    for out in ("one", "two"):
        assert run([*words, "--out", out]) == 0
    [one], [other] = (list((home / out).glob("synthetic*")) for out in ("one", "two"))
    assert one.read_bytes() == other.read_bytes()


def test_bounds_of_one_column_add_up_in_a_ledger(home, capsys):
    booked = ["--ledger", "budget.db", "--cap", "3"]
    assert run([*PUBLISH, *PERSON, "--bounding", "weigh", *booked, "--out", "one"]) == 0
    assert run([*PUBLISH, "--unit", "person", "--max-rows", "5", *booked[:2], "--out", "two"]) == 0
    capsys.readouterr()
    Schema.from_dict({**SCHEMA, "fieldsMatch": "subset"}).save("loose.schema.yaml")
    loose = ["publish", "visits.csv", "--schema", "loose.schema.yaml", "--epsilon", "1", "--out", "three"]
    assert run([*loose, *booked[:2]]) == 2  # rows are no persons
    assert "kept for one person: all rows with the same person, and this run is for one row" in capsys.readouterr().err
    assert run(["ledger", "show", "budget.db", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [entry["epsilon"] for entry in told["entries"] if entry["kind"] == "charge"] == ["1", "1"]


def test_groups_protect_any_rows_and_stay_private(home, capsys):
    assert run([*GROUPS, "--groups", "groups.csv", "--max-rows", "2", "--ledger", "budget.db", "--cap", "2"]) == 0
    *_, entry = read_ledger("budget.db").entries
    assert entry.unit.max_rows == 2
    assert entry.unit.column is None
    assert "groups.csv" not in (home / "release" / "privacy.json").read_text()
