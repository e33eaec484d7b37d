"""However a command ends, what it finished and what it booked is told: bugs, full disks and closed streams included."""

import contextlib
import json
import os
import subprocess
import sys

import pytest

import understudy as us
from tests.api.people import SCHEMA, people
from tests.promises import STRICT, STRICT_FLAGS
from tests.warm import run_warm
from understudy.cli._main import run
from understudy.privacy import Entry
from understudy.release import _write
from understudy.schema import Schema

pytestmark = pytest.mark.one_in(2)

PUBLISH = ["publish", "people.csv", "--schema", "people.schema.yaml", "--epsilon", "1", "--ledger", "budget.db"]
CHARGED = "The charge of epsilon 1 to dataset 'people' stays in the ledger."


@pytest.fixture
def home(tmp_path, monkeypatch):
    people().to_csv(tmp_path / "people.csv", index=False)
    Schema.from_dict(SCHEMA).save(tmp_path / "people.schema.yaml")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shell(home, command):
    program = f"{sys.executable} -m understudy"
    done = subprocess.run(command.replace("understudy", program), cwd=home, shell=True, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def warm(home, *words, to=None):
    with contextlib.ExitStack() as opened:
        stdout = None if to is None else opened.enter_context(open(to, "wb", closefd=isinstance(to, str))).fileno()
        done = run_warm(words, cwd=home, stdout=stdout)
    return done.returncode, done.stdout, done.stderr


def fail(error):
    def failing(*args, **options):
        raise error

    return failing


# -- after the charge --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("as_json", [False, True])
def test_a_bug_after_the_charge_tells_the_charge(home, capsys, monkeypatch, as_json):
    monkeypatch.setattr(_write, "privacy_letter", fail(UnicodeEncodeError("utf-8", "\udcff", 0, 1, "surrogate")))
    assert run([*PUBLISH, "--cap", "2", *(["--json"] if as_json else [])]) == 70
    out, err = capsys.readouterr()
    assert err.startswith("understudy: UnicodeEncodeError: unexpected. This is a bug in understudy")
    assert err.endswith(f"Rehearse it with --seed 1 and UNDERSTUDY_DEBUG=1 to see where. {CHARGED}\n")
    assert json.loads(out)["error"].endswith(CHARGED) if as_json else out == ""
    assert not (home / "release").exists()


def test_memory_that_ran_out_is_no_bug_and_tells_the_charge(home, capsys, monkeypatch):
    monkeypatch.setattr(_write, "privacy_letter", fail(MemoryError()))
    assert run([*PUBLISH, "--cap", "2"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("understudy: there was not enough memory")
    assert err.endswith(f"columns with many values. {CHARGED}\n")
    assert not (home / "release").exists()


def test_a_bug_before_any_charge_tells_none(home, capsys, monkeypatch):
    monkeypatch.setattr("understudy._api._publish.open_source", fail(RuntimeError()))
    assert run([*PUBLISH, "--cap", "2"]) == 70
    assert capsys.readouterr().err.endswith("Run it again with UNDERSTUDY_DEBUG=1 to see where.\n")
    assert not (home / "budget.db").exists()


def test_debugging_shows_the_charge_too(home, monkeypatch):
    monkeypatch.setenv("UNDERSTUDY_DEBUG", "1")
    monkeypatch.setattr(_write, "privacy_letter", fail(RuntimeError("where it broke")))
    with pytest.raises(RuntimeError, match="where it broke") as raised:
        run([*PUBLISH, "--cap", "2"])
    assert raised.value.__notes__ == [CHARGED]


def test_a_folder_that_vanishes_while_it_is_filled_is_told_with_the_charge(home, capsys, monkeypatch):
    import shutil

    monkeypatch.setattr(_write, "privacy_letter", lambda statement: shutil.rmtree(home / ".release.part") or "")
    assert run([*PUBLISH, "--cap", "2"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("understudy: cannot write 'release': there is no such folder.")
    assert err.endswith(f"{CHARGED}\n")


@pytest.mark.parametrize("error", [KeyError("k"), MemoryError(), KeyboardInterrupt(), SystemExit(3), us.UserError("u")])
def test_in_python_whatever_is_raised_after_the_charge_carries_the_note(home, monkeypatch, error):
    monkeypatch.setattr(_write, "privacy_letter", fail(error))
    with pytest.raises(type(error)) as raised:
        us.publish("people.csv", schema="people.schema.yaml", epsilon=1, ledger="budget.db", cap=2)
    assert raised.value.__notes__ == [CHARGED]


def test_somebody_elses_ledger_is_told_about_too(home, monkeypatch):
    class Theirs:
        def charge(self, terms, **told):
            budget, neighbours = terms.budget, terms.neighbours
            paid = {"epsilon": budget.epsilon, "delta": budget.delta, "neighbours": neighbours, "unit": terms.unit}
            return Entry(id=1, time="", dataset="people", kind="charge", previous="", hash="theirs", **paid, **told)

    monkeypatch.setattr(_write, "privacy_letter", fail(RuntimeError()))
    with pytest.raises(RuntimeError) as raised:
        us.publish("people.csv", schema="people.schema.yaml", epsilon=1, ledger=Theirs())
    assert raised.value.__notes__ == [CHARGED]


def test_a_new_account_with_a_near_name_is_warned_about_in_one_line_before_the_charge(home):
    assert warm(home, *PUBLISH, "--cap", "2", "--out", "first")[0] == 0
    code, out, err = warm(home, *PUBLISH, "--cap", "2", "--out", "second", "--dataset", "peoples", "--json")
    assert (code, json.loads(out)["statement"]["dataset"]) == (0, "people")
    assert err.startswith(
        "understudy: warning: dataset 'peoples' is new in this ledger, and its name is near 'people'."
    )
    assert err.count("\n") == 1


# -- a result that nobody gets -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stream", "reason"), [(">/dev/full", "no space left on device"), (">&-", "bad file descriptor")]
)
def test_a_release_whose_announcement_cannot_be_written_is_told_as_complete(home, stream, reason):
    code, _, err = shell(home, f"{' '.join(['understudy', *PUBLISH])} --cap 2 {stream}")
    assert code == 1
    assert err == (
        f"understudy: the result cannot be written to standard output: {reason}. But the release in release is "
        f"complete. {CHARGED}\n"
    )
    assert len(list((home / "release").iterdir())) == 7


# `methods` loads all there is, `--help` next to nothing; the other half of the pairs is left to the slow suite.
@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("command", "stream"),
    [
        pytest.param(command, stream, marks=() if command == "--help" or (i + j) % 2 else pytest.mark.slow)
        for i, command in enumerate(["methods", "methods --json", "--help"])
        for j, stream in enumerate([">/dev/full", ">&-", ">&- 2>&-", ">/dev/full 2>/dev/full"])
    ],
)
def test_output_that_cannot_be_written_ends_as_with_other_tools(home, command, stream):
    code, out, err = shell(home, f"understudy {command} {stream}")
    assert (code, out) == (1, "")
    assert err.count("\n") == (0 if "2>" in stream else 1)
    assert "bug" not in err


def test_with_a_closed_stream_no_file_takes_its_place(home):
    """The next file opened would get its number, and everything printed would go into it."""
    code, _, _ = shell(home, f"{' '.join(['understudy', *PUBLISH])} --cap 2 --json <&- >&- 2>&-")
    assert code == 1
    assert us.SQLiteLedger("budget.db", dataset="people").spent() == 1


def test_a_reader_who_goes_away_is_no_fault_but_a_charge_is_told(home):
    code, _, err = shell(home, f"({' '.join(['understudy', *PUBLISH])} --cap 2; echo $? >code) | true")
    assert (code, (home / "code").read_text()) == (0, "0\n")
    assert err in (
        "",  # it had read all before it went
        f"understudy: whoever read the result has gone. But the release in release is complete. {CHARGED}\n",
    )


@pytest.mark.parametrize("command", [["--help"], ["publish", "--help"], ["methods", "--json"]])
def test_a_reader_who_never_came_is_no_fault_either(home, command):
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as nobody:
        assert warm(home, *command, to=nobody.fileno())[::2] == (0, "")


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("command", "complete"),
    [
        ("schema draft people.csv", ""),
        ("schema draft people.csv --out draft.yaml", " But draft.yaml is complete."),
        ("evaluate people.csv people.csv --schema people.schema.yaml --no-classifiers --ways 1 --json", ""),
        (
            "evaluate people.csv people.csv --schema people.schema.yaml --no-classifiers --ways 1 --html a.html",
            " But a.html is complete.",
        ),
    ],
)
def test_only_what_is_in_a_file_is_told_as_complete(home, command, complete):
    code, _, err = warm(home, *command.split(), to="/dev/full")
    assert (code, err.splitlines()[-1]) == (
        1,
        f"understudy: the result cannot be written to standard output: no space left on device.{complete}",
    )


# -- names of files ----------------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no file whose name is not UTF-8")
def test_names_of_files_need_not_be_utf8(home):
    strange = os.fsdecode(b"people\xe9")
    (home / "people.csv").rename(home / f"{strange}.csv")
    (home / "people.schema.yaml").rename(home / f"{strange}.yaml")
    source, schema, out = f"{strange}.csv", f"{strange}.yaml", os.fsdecode(b"rel\xe9")
    publish = ["publish", source, "--schema", schema, "--epsilon", "1", "--seed", "1", "--format", "parquet"]
    for command in (
        ["schema", "draft", source, "--out", os.fsdecode(b"draft\xe9.yaml")],
        ["schema", "check", source, schema],
        ["plan", source, "--schema", schema, "--epsilon", "1", *STRICT_FLAGS],
        [*publish, "--out", out],
        ["sample", f"{out}/model.understudy", "--out", f"{strange}.parquet"],
        ["evaluate", source, out, "--no-classifiers", "--ways", "1", "--html", f"{strange}.html"],
    ):
        assert run(command) == 0


@pytest.mark.parametrize("name", ["no\0name", "half \ud800 a character"])
def test_names_that_no_file_can_have_cost_nothing(home, name):
    for attempt in (
        lambda: us.load(name),
        lambda: us.draft_schema(name),
        lambda: us.plan(name, schema="people.schema.yaml", epsilon=1, **STRICT),
        lambda: us.publish("people.csv", schema="people.schema.yaml", epsilon=1, out=name),
        lambda: us.publish("people.csv", schema="people.schema.yaml", epsilon=1, ledger=name, cap=2),
    ):
        with pytest.raises(us.UserError):
            attempt()
    assert sorted(path.name for path in home.iterdir()) == ["people.csv", "people.schema.yaml"]


def test_a_device_is_no_ledger(home, capsys):
    assert run([*PUBLISH[:-1], os.devnull, "--cap", "2"]) == 2
    assert "is a pipe or a device. Name a file for the ledger" in capsys.readouterr().err


def test_a_folder_that_is_not_there_is_not_told_as_a_full_disk(home, capsys):
    assert run(["schema", "draft", "people.csv", "--out", "nowhere/draft.yaml"]) == 2
    assert capsys.readouterr().err.endswith("there is no such folder. Nothing was left behind. Choose another place.\n")
