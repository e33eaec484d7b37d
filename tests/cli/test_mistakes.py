"""A user's mistake: exit code 2, one sentence on stderr, no traceback, nothing on stdout."""

import json
import os
import sqlite3

import pytest

from tests.api.people import SCHEMA, people
from understudy import SQLiteLedger
from understudy.cli._main import run
from understudy.schema import Schema

PUBLISH = ["publish", "people.csv", "--schema", "people.schema.yaml", "--epsilon", "1"]


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people(60).to_csv("people.csv", index=False)
    Schema.from_dict(SCHEMA).save("people.schema.yaml")
    (tmp_path / "empty.csv").write_bytes(b"")
    (tmp_path / "header.csv").write_text("sex,age,smokes,job\n")
    (tmp_path / "latin.csv").write_bytes("sex,age,smokes,job\nFéminin,3,true,none\n".encode("latin-1"))
    (tmp_path / "twice.csv").write_text("sex,sex\nFemale,Male\n")
    (tmp_path / "other.csv").write_text("sex,agee,smokes,job\nFemale,3,true,none\n")
    (tmp_path / "nan.csv").write_text("sex,age,smokes,job\nFemale,NaN,true,none\n")
    (tmp_path / "bad.yaml").write_text("fields: [{name: a, type: nonsense}]")
    (tmp_path / "broken.yaml").write_text("fields: [")
    (tmp_path / "model.understudy").write_bytes(b"PK\x03\x04 not really")
    (tmp_path / "text.db").write_text("not a ledger" * 100)
    return tmp_path


CASES = {
    "no such command": ["publsh"],
    "no such option": [*PUBLISH, "--epsilonn", "1"],
    "no argument": ["publish"],
    "option without value": ["publish", "people.csv", "--epsilon"],
    "epsilon missing": ["publish", "people.csv", "--schema", "people.schema.yaml"],
    "epsilon zero": [*PUBLISH, "--epsilon", "0"],
    "epsilon negative": [*PUBLISH, "--epsilon", "-1"],
    "epsilon nan": [*PUBLISH, "--epsilon", "nan"],
    "epsilon text": [*PUBLISH, "--epsilon", "much"],
    "delta text": [*PUBLISH, "--delta", "little"],
    "n text": [*PUBLISH, "-n", "many"],
    "schema missing": ["publish", "people.csv", "--epsilon", "1"],
    "schema file missing": ["publish", "people.csv", "--schema", "none.yaml", "--epsilon", "1"],
    "schema invalid": ["publish", "people.csv", "--schema", "bad.yaml", "--epsilon", "1"],
    "schema not yaml": ["publish", "people.csv", "--schema", "broken.yaml", "--epsilon", "1"],
    "table missing": ["publish", "none.csv", "--schema", "people.schema.yaml", "--epsilon", "1"],
    "table empty": ["publish", "empty.csv", "--schema", "people.schema.yaml", "--epsilon", "1"],
    "header only": ["publish", "header.csv", "--schema", "people.schema.yaml", "--epsilon", "1"],
    "not utf-8": ["publish", "latin.csv", "--schema", "people.schema.yaml", "--epsilon", "1"],
    "duplicate columns": ["publish", "twice.csv", "--schema", "people.schema.yaml", "--epsilon", "1"],
    "another column": ["publish", "other.csv", "--schema", "people.schema.yaml", "--epsilon", "1"],
    "nan cell": ["publish", "nan.csv", "--schema", "people.schema.yaml", "--epsilon", "1"],
    "a folder for a table": ["publish", ".", "--schema", "people.schema.yaml", "--epsilon", "1"],
    "method unknown": [*PUBLISH, "--method", "privbays"],
    "score unknown": [*PUBLISH, "--score", "X"],
    "ledger is no ledger": [*PUBLISH, "--ledger", "text.db", "--cap", "1"],
    "ledger without cap": [*PUBLISH, "--ledger", "new.db"],
    "cap without ledger": [*PUBLISH, "--cap", "1"],
    "no folder for the ledger": [*PUBLISH, "--ledger", "none/b.db", "--cap", "1"],
    "output in a file": [*PUBLISH, "--out", "people.csv"],
    "output under a file": [*PUBLISH, "--out", "people.csv/release"],
    "model missing": ["query", "none.understudy", "sex"],
    "model hostile": ["query", "model.understudy", "sex"],
    "model is a folder": ["sample", ".", "-o", "x.csv"],
    "delta cap without ledger": [*PUBLISH, "--delta-cap", "1e-6"],
    "cap in no ledger": ["ledger", "cap", "none.db", "--dataset", "people", "--cap", "2"],
    "cap in a broken ledger": ["ledger", "cap", "text.db", "--dataset", "people", "--cap", "2"],
    "ledger missing": ["ledger", "show", "none.db"],
    "ledger broken": ["ledger", "verify", "text.db"],
    "plan without rows": ["plan", "--schema", "people.schema.yaml", "--epsilon", "1"],
    "draft of nothing": ["schema", "draft", "none.csv"],
    "check without schema": ["schema", "check", "people.csv"],
    "sdv metadata missing": ["schema", "import-sdv", "none.json"],
    "sdv metadata for a draft missing": ["schema", "draft", "people.csv", "--sdv", "none.json"],
    "no name for the output": [*PUBLISH, "--out", ""],
    "the folder itself for output": [*PUBLISH, "--out", ".", "--overwrite"],
    "no name for a draft": ["schema", "draft", "people.csv", "--out", ""],
    "half a row": [*PUBLISH, "-n", "1.5"],
    "more rows than there are atoms": [*PUBLISH, "-n", "1e99"],
}


@pytest.mark.parametrize("case", CASES)
def test_a_mistake_is_one_sentence_and_exit_code_2(home, capsys, case):
    before = set(os.listdir(home))
    assert run(CASES[case]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("understudy: ")
    assert "Traceback" not in err
    assert err.rstrip().endswith((".", "?"))
    assert set(os.listdir(home)) == before


@pytest.mark.parametrize("case", ["epsilon zero", "table missing", "model hostile", "no such option"])
def test_under_json_the_sentence_is_json_too(home, capsys, case):
    assert run([*CASES[case], "--json"]) == 2
    out, err = capsys.readouterr()
    assert err == f"understudy: {json.loads(out)['error']}\n"


def test_an_existing_output_folder_is_refused_unless_overwritten(home, capsys):
    assert run(PUBLISH) == 0
    stamp = (home / "release" / "privacy.json").read_bytes()
    capsys.readouterr()
    assert run(PUBLISH) == 2
    assert "--overwrite" in capsys.readouterr().err
    assert (home / "release" / "privacy.json").read_bytes() == stamp
    assert run([*PUBLISH, "--overwrite"]) == 0


def test_a_locked_ledger_is_told_and_nothing_is_written(home, capsys, monkeypatch):
    ledger = [*PUBLISH, "--ledger", "budget.db", "--cap", "9"]
    assert run([*ledger, "--out", "first"]) == 0
    capsys.readouterr()
    monkeypatch.setattr(
        "understudy.privacy._sqlite_ledger.SQLiteLedger.__init__.__kwdefaults__",
        {**SQLiteLedger.__init__.__kwdefaults__, "wait_seconds": 0.1},
    )
    with sqlite3.connect("budget.db", isolation_level=None) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        assert run(ledger) == 2
        connection.execute("ROLLBACK")
    connection.close()
    assert "locked" in capsys.readouterr().err
    assert not (home / "release").exists()


def test_a_ledger_that_was_tampered_with_is_refused(home, capsys):
    ledger = [*PUBLISH, "--ledger", "budget.db", "--cap", "9"]
    assert run([*ledger, "--out", "first"]) == 0
    connection = sqlite3.connect("budget.db")
    connection.execute("UPDATE entries SET epsilon = '1/100' WHERE kind = 'charge'")
    connection.commit()
    connection.close()
    capsys.readouterr()
    assert run(ledger) == 2
    assert "tampered" in capsys.readouterr().err


def test_our_own_bug_says_that_it_is_ours(home, capsys, monkeypatch):
    def broken(*args, **kwargs):
        raise ZeroDivisionError("secret value 12345")

    monkeypatch.setattr("understudy.release.load_model", broken)
    assert run(["query", "model.understudy", "sex"]) == 70
    err = capsys.readouterr().err
    assert "bug in understudy" in err
    assert "12345" not in err


def test_an_interrupt_ends_with_130_and_a_sentence(home, capsys, monkeypatch):
    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("understudy.release._write.privacy_letter", interrupt)
    assert run([*PUBLISH, "--ledger", "budget.db", "--cap", "3"]) == 130
    err = capsys.readouterr().err
    assert "interrupted; nothing was written" in err
    assert "stays in the ledger" in err
    assert not (home / "release").exists()


def test_an_interrupt_after_the_last_rename_does_not_deny_the_release(home, capsys, monkeypatch):
    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("understudy.cli._publish._show_release", interrupt)
    assert run(PUBLISH) == 130
    assert "interrupted; the release in release is complete." in capsys.readouterr().err


def test_a_strange_seed_or_number_of_rows_of_a_sample_is_told(home, capsys):
    assert run(PUBLISH) == 0
    for option, value in (("--seed", "-3"), ("-n", "-1")):
        capsys.readouterr()
        assert run(["sample", "release/model.understudy", "-o", "x.csv", option, value]) == 2
        assert "must be a whole number of at least 0" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["pipe", "link", "dangling link", "device"])
def test_overwrite_replaces_plain_files_only(home, capsys, kind):
    assert run(PUBLISH) == 0
    target = home / "target.csv"
    if kind == "pipe":
        os.mkfifo(target)
    elif kind == "device":
        target = "/dev/null"
    else:
        target.symlink_to(home / ("people.csv" if kind == "link" else "nothing.csv"))
    before = (home / "people.csv").read_bytes()
    for command in (
        ["sample", "release/model.understudy"],
        ["export", "release/model.understudy"],
        ["draw", "release/model.understudy"],
        ["schema", "draft", "people.csv"],
    ):
        capsys.readouterr()
        assert run([*command, "--out", str(target), "--overwrite"]) == 2
        assert "not replaced" in capsys.readouterr().err
    assert (home / "people.csv").read_bytes() == before


def test_a_draft_that_cannot_be_written_leaves_the_reviewed_schema_alone(home, capsys, monkeypatch):
    def full(descriptor):
        raise OSError(28, "No space left on device")

    before = (home / "people.schema.yaml").read_bytes()
    monkeypatch.setattr("os.fsync", full)
    assert run(["schema", "draft", "people.csv", "-o", "people.schema.yaml", "--overwrite"]) == 2
    assert "cannot write 'people.schema.yaml': the disk is full" in capsys.readouterr().err
    assert (home / "people.schema.yaml").read_bytes() == before
    assert not [name for name in os.listdir(home) if "part" in name]
