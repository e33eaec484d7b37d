"""`understudy answer` on the command line: the bundled people, mistakes, refusals, and what is told of a charge."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from understudy import demo
from understudy.cli._main import run
from understudy.correlate import Groups, write_groups

PEOPLE = [str(demo.people_path()), "--schema", str(demo.people_schema_path())]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("work.csv").write_text('query\n"age=20..39, sex=Female"\n"table(site, sex)"\n', encoding="utf-8")
    return tmp_path


def rows(path: str) -> list[dict[str, str]]:
    with Path(path).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_the_bundled_people_are_asked_with_their_groups(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table, *schema = PEOPLE
    write_groups("groups.parquet", Groups(of_row=np.arange(4000) // 2, max_rows=5))
    asked = ["--queries", str(demo.people_workload_path()), "--epsilon", "1", "--groups", "groups.parquet"]
    assert run(["answer", table, *schema, *asked, "-o", "answers.csv"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "Answered 46 queries at ε = 1, δ = 1e-09." in out
    assert len(rows("answers.csv")) == 46
    statement = json.loads(Path("answers.privacy.json").read_text())
    assert statement["max_rows"] == 5
    assert "any 5 rows" in statement["unit"]


def test_json_is_all_of_stdout(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["answer", "demo", "-q", "work.csv", "--json", "--model", "m.understudy", "--sample", "rows.csv"]
    assert run(command) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["strategy"] in ("tables", "direct", "rounds")
    assert len(found["answers"]) == 13
    assert found["statement"]["guarantee"] == "(epsilon, delta)-differential privacy"
    assert all(Path(path).is_file() for path in found["files"])
    assert run(["query", "m.understudy", "sex", "--json"]) == 0


def test_refused_queries_make_another_exit_and_a_whole_file(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["answer", "demo", "-q", "work.csv", "--strategy", "pmw", "--threshold", "0.001", "--updates", "2"]
    assert run([*command, "--epsilon", "20", "--seed", "3", "-o", "a.csv"]) == 3
    out, err = capsys.readouterr()
    assert "queries were refused" in err
    found = rows("a.NOT-PRIVATE.csv")
    assert len(found) == 13
    assert {row["how"] for row in found} >= {"measured", "refused"}
    assert all((row["answer"] == "") == (row["how"] == "refused") for row in found)
    assert "refused" in out


def test_ranges_that_cut_bins_are_told(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["answer", "demo", "-q", "work.csv", "-o", "a.csv"]) == 0
    assert "ranges that cut bins" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["-q", "none.csv"], "the workload 'none.csv' cannot be read"),
        (["-q", "wrong.csv"], "wrong.csv, line 2: there is no column 'agee'. Did you mean 'age'?"),
        (["-q", "empty.csv"], "the workload has no query"),
        (["-q", "work.csv", "--threshold", "0"], "'threshold' parameter must be a number above 0 and below 1"),
        (["-q", "work.csv", "--rate", "1.5"], "'rate' parameter must be a number above 0 and of at most 1"),
        (["-q", "work.csv", "-o", "work.csv"], "'work.csv' is there already"),
        (["-q", "work.csv", "-o", "nowhere/a.csv"], "there is no such folder"),
        (["-q", "work.csv", "--as-published"], "no privacy guarantee"),
        (["-q", "work.csv", "--start", "uniforms"], "Did you mean 'uniform'?"),
        ([], "Missing option"),
    ],
)
def test_mistakes_end_in_a_sentence_and_charge_nothing(
    home: Path, capsys: pytest.CaptureFixture[str], given: list[str], told: str
) -> None:
    Path("wrong.csv").write_text("query\nagee=3\n", encoding="utf-8")
    Path("empty.csv").write_text("query\n", encoding="utf-8")
    assert run(["answer", "demo", "--ledger", "budget.db", "--cap", "3", *given]) == 2
    out, err = capsys.readouterr()
    assert told in err
    assert out == ""
    assert not Path("budget.db").exists()
    assert not Path("answers.csv").exists()


def test_a_table_of_ones_own_needs_a_budget(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["answer", *PEOPLE, "-q", "work.csv"]) == 2
    assert "--epsilon 1" in capsys.readouterr().err


def test_an_interrupt_after_the_charge_tells_it(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from understudy.answers import _method

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(_method, "answer_workload", interrupted)
    assert run(["answer", "demo", "-q", "work.csv", "--ledger", "budget.db", "--cap", "3"]) == 130
    told = capsys.readouterr().err
    assert "nothing was written" in told
    assert "stays in the ledger" in told


def test_an_interrupt_between_files_tells_which_are_whole(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from understudy._api import _answer

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(_answer, "write_table", interrupted)
    files = ["--model", "m.understudy", "--sample", "rows.csv", "-o", "a.csv"]
    assert run(["answer", "demo", "-q", "work.csv", *files]) == 130
    assert "complete: m.understudy; nothing else was written." in capsys.readouterr().err
    assert Path("m.understudy").exists()
    assert not list(Path().glob("a.*"))


def test_a_cap_that_is_reached_refuses_the_next_run(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    account = ["--ledger", "budget.db"]
    assert run(["answer", "demo", "-q", "work.csv", *account, "--cap", "1.5", "-o", "a.csv"]) == 0
    assert "Charged to" in capsys.readouterr().out
    assert run(["answer", "demo", "-q", "work.csv", *account, "-o", "b.csv"]) == 2
    assert "left" in capsys.readouterr().err
    assert not Path("b.csv").exists()
