"""`understudy correlate` on the command line: the bundled people, and what can be wrong with what it is given."""

from __future__ import annotations

import gzip
import json
import stat
from itertools import islice
from pathlib import Path

import pytest

from understudy import demo
from understudy.cli._main import run
from understudy.correlate import read_groups

FIELDS = ["--fields", "name,birthday,address,email,phone,id"]
SMALL = """name,born,city
Ann Lee,1990-01-02,Aldermoor
Bob Ray,1950-12-30,Cawthorp
Ann Leee,1990-01-02,Aldermoor
Cid Fox,1970-03-04,Dunmere
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("small.csv").write_text(SMALL, encoding="utf-8")
    Path("pairs.csv").write_text("row_a,row_b,same\n0,2,1\n0,1,0\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("rows", [500, pytest.param(4000, marks=pytest.mark.slow)])
def test_the_bundled_people_are_recognised_and_published(
    home: Path, capsys: pytest.CaptureFixture[str], rows: int
) -> None:
    with gzip.open(demo.people_path(), "rt", encoding="utf-8") as file:
        Path("people.csv").write_text("".join(islice(file, rows + 1)), encoding="utf-8")
    head, *pairs = demo.people_pairs_path().read_text(encoding="utf-8").splitlines()
    known = [pair for pair in pairs if max(map(int, pair.split(",")[:2])) < rows]
    Path("people.pairs.csv").write_text("\n".join([head, *known]), encoding="utf-8")
    labels = ["--labels", "people.pairs.csv"]
    assert run(["correlate", "people.csv", *FIELDS, *labels, "-o", "groups.parquet"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert f"learnt from {len(known)} labels" in out
    assert "Private to you" in out
    assert stat.S_IMODE(Path("groups.parquet").stat().st_mode) == 0o600
    groups = read_groups("groups.parquet", n_rows=rows)
    assert groups.max_rows == 5
    schema = str(demo.people_schema_path())
    assert run(["publish", "people.csv", "--schema", schema, "--epsilon", "1", "--groups", "groups.parquet"]) == 0
    # and into that release no groups are written
    capsys.readouterr()
    assert run(["correlate", "people.csv", *FIELDS, "-o", "release/groups.parquet"]) == 2
    assert "would lie in a release" in capsys.readouterr().err
    assert not Path("release/groups.parquet").exists()


def test_json_is_all_of_stdout_and_says_private(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["correlate", "small.csv", "--fields", "name,birthday,address", "-o", "g.parquet", "--json"]
    assert run(command) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["private"].startswith("Private to you")
    assert (found["rows"], found["groups"], found["sizes"]) == (4, 3, {"1": 2, "2": 1})
    assert found["fields"] == {"B": ["born"], "A": ["city"], "N": ["name"]}
    assert run(command) == 2
    assert "already exists" in capsys.readouterr().err
    assert run([*command, "--overwrite"]) == 0


def test_a_bound_that_is_too_small_is_told(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["correlate", "small.csv", "--fields", "name,born", "--max-rows", "1", "-o", "g.parquet"]) == 0
    assert "2 rows hang together, more than the declared bound of 1. 1 link was cut" in capsys.readouterr().out
    assert read_groups("g.parquet").n_groups == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--fields", "nmae"], "no column 'nmae'. Did you mean 'name'?"),
        (["--fields", "phone"], "no column that looks like a field 'phone'"),
        (["--fields", "city:Q"], "'Q' is no tag"),
        (["--fields", "town:A"], "no column 'town'"),
        (["--fields", "name:N,name:A"], "two tags"),
        (["--fields", ","], "no fields are named"),
        (["--fields", "name", "--threshold", "0"], "'threshold' parameter must be"),
        (["--fields", "name", "--threshold", "1.1"], "'threshold' parameter must be"),
        (["--fields", "name", "--max-rows", "0"], "'max_rows' parameter must be"),
        (["--fields", "name", "--labels", "one-class.csv"], "of one kind: pairs that belong together"),
        (["--fields", "name", "--labels", "far.csv"], "line 3: 'row_b' names a row that is not there"),
        (["--fields", "name", "--labels", "few.csv"], "hold 1 pairs"),
        (["--fields", "name", "--labels", "self.csv"], "paired with itself"),
        (["--fields", "name", "--labels", "both.csv"], "labelled twice, and differently"),
        (["--fields", "name", "--labels", "word.csv"], "line 2: 'same' must be"),
        (["--fields", "name", "--labels", "columns.csv"], "must have the columns 'row_a', 'row_b' and 'same'"),
        (["--fields", "name", "--labels", "nowhere.csv"], "nowhere.csv"),
        (["--fields", "name", "--labels", "pairs.csv", "--key", "nme"], "no column 'nme' for --key"),
        (["--fields", "name", "--labels", "pairs.csv", "--key", "city"], "key column"),
    ],
)
def test_a_mistake_ends_in_a_sentence_and_leaves_nothing(
    home: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    for name, lines in {
        "one-class": "0,2,1\n1,3,1\n",
        "far": "0,2,1\n1,4,0\n",
        "few": "0,2,1\n",
        "self": "0,2,1\n1,1,0\n",
        "both": "0,2,1\n2,0,0\n",
        "word": "0,2,perhaps\n1,3,0\n",
    }.items():
        Path(f"{name}.csv").write_text(f"row_a,row_b,same\n{lines}", encoding="utf-8")
    Path("columns.csv").write_text("a,b,same\n0,2,1\n", encoding="utf-8")
    assert run(["correlate", "small.csv", *arguments, "-o", "g.parquet"]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error
    assert not Path("g.parquet").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name,born\n", "no rows"),
        ("name,born\nAnn Lee,1990-01-02\n", "one row"),
        ("name,born\n,1990-01-02\n,1950-12-30\n", "column 'name' is missing in every row"),
        ("name,born\n--,1990-01-02\n,1950-12-30\n", "column 'name' is missing in every row"),
    ],
)
def test_a_table_with_nothing_to_compare_is_refused(
    home: Path, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    Path("t.csv").write_text(text, encoding="utf-8")
    assert run(["correlate", "t.csv", "--fields", "name,born", "-o", "g.parquet"]) == 2
    assert message in capsys.readouterr().err
    assert not Path("g.parquet").exists()


def test_labels_may_name_records_by_a_key(home: Path) -> None:
    Path("t.csv").write_text(SMALL.replace("name,", "number,name,").replace("\nA", "\nx,A", 1), encoding="utf-8")
    lines = SMALL.splitlines()
    keyed = [f"number,{lines[0]}", *(f"k{i},{line}" for i, line in enumerate(lines[1:]))]
    Path("t.csv").write_text("\n".join(keyed) + "\n", encoding="utf-8")
    Path("named.csv").write_text("row_a,row_b,same\nk0,k1,yes\nk0,k2,no\n", encoding="utf-8")
    command = ["correlate", "t.csv", "--fields", "name,born", "--labels", "named.csv", "-o", "g.parquet"]
    assert run([*command, "--key", "number"]) == 0
    groups = read_groups("g.parquet")
    assert groups.of_row[0] == groups.of_row[1]  # as labelled, however unlike they look
    assert groups.of_row[0] != groups.of_row[2]
