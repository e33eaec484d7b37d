"""`understudy compare`, and methods and their options on the command line."""

import json
import os
import pty
import signal

import pytest

from tests.api.people import SCHEMA, people
from tests.promises import STRICT_FLAGS
from tests.warm import WarmProcess, run_warm
from understudy.cli._main import run
from understudy.methods import AS_PRINTED, BASELINES, METHODS
from understudy.schema import Schema

COMMON = ["people.csv", "--schema", "people.schema.yaml"]
COMPARE = ["compare", *COMMON, "--methods", "independent,uniform", "--epsilons", "0.1,1", "--seeds", "2"]


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people().to_csv("people.csv", index=False)
    Schema.from_dict(SCHEMA).save("people.schema.yaml")
    return tmp_path


def test_one_table_is_printed_with_its_references_and_it_says_private(home, capsys):
    assert run(COMPARE) == 0
    out, err = capsys.readouterr()
    assert err == ""
    rows = [line.split() for line in out.splitlines() if line.strip().startswith(("independent ", "uniform "))]
    assert [row[:2] for row in rows if row[1] != "columns"] == [
        [m, e] for m in ("independent", "uniform") for e in ("0.1", "1")
    ]
    for words in (
        "2-way error",
        "3-way error",
        "–0.",
        "mean and range of 2 runs",
        "fresh sample",
        "independent columns",
        "Private to you",
        "comparison.html",
    ):
        assert words in out


def test_json_is_all_of_stdout_and_the_second_run_agrees(home, capsys):
    assert run([*COMPARE, "--json"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert run([*COMPARE, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == first
    assert first["out"] == "comparison"
    assert first["private"].startswith("computed from the real table")
    assert len(first["table"]) == 8
    assert len(first["runs"]) == 8


def test_the_table_also_goes_to_a_csv_file(home, capsys):
    assert run([*COMPARE, "--csv", "errors.csv"]) == 0
    assert (home / "errors.csv").read_text() == (home / "comparison" / "comparison.csv").read_text()
    assert run([*COMPARE, "--csv", "errors.csv"]) == 2
    assert "already exists" in capsys.readouterr().err
    assert run([*COMPARE, "--csv", "errors.csv", "--overwrite"]) == 0


def test_methods_take_options_after_colons(home, capsys):
    assert (
        run(["compare", *COMMON, "--methods", "privbayes:k=0, privbayes:k=1", "--epsilons", "1", "--seeds", "1"]) == 0
    )
    out = capsys.readouterr().out
    assert "privbayes:k=0" in out
    assert "privbayes:k=1" in out


def test_the_demo_needs_no_schema(home):
    assert run(["compare", "demo", "--methods", "uniform", "--epsilons", "1", "--seeds", "1", "--ways", "1"]) == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--methods", "privbays"], "Did you mean 'privbayes'"),
        (["--methods", "privbayes:k"], "name=value"),
        (["--methods", ","], "no method was given"),
        (["--epsilons", "0"], "above 0"),
        (["--epsilons", "a"], "must be a number above 0"),
        (["--seeds", "0"], "at least 1"),
        (["--seeds", "some"], "seeds"),
        (["--ways", "two"], "such as 2,3"),
        (["--ways", "7"], "from 1 to 4"),
        (["--methods", "laplace:ways=1", "--ways", "1,2"], "laplace:ways=2"),
        (["--delta", "1"], "delta"),
        (["--out", "people.csv"], "is a file"),
        (["--out", "."], "no name for a folder"),
        (["--neighbours", "all"], "'neighbours' parameter must be one of"),
    ],
)
def test_mistakes_are_told_in_one_sentence_before_any_work(home, capsys, arguments, said):
    (home / "people.csv").write_text("not,read\n")
    assert run(["compare", *COMMON, *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert said in err
    assert sorted(os.listdir(home)) == ["people.csv", "people.schema.yaml"]


def test_a_folder_with_other_things_is_refused(home, capsys):
    (home / "comparison").mkdir()
    (home / "comparison" / "thesis.tex").write_text("mine")
    assert run(COMPARE) == 2
    assert "holds something else" in capsys.readouterr().err
    assert os.listdir(home / "comparison") == ["thesis.tex"]


# Stops itself before its fourth run, as someone's Ctrl-C would.
STOPPED = """
import os, signal, sys
from understudy._api import _compare_runs
from understudy.cli import main

real, done = _compare_runs.Bench.run, []

def stop(*args):
    done.append(1)
    if len(done) == 4:
        os.kill(os.getpid(), signal.SIGINT)
    return real(*args)

_compare_runs.Bench.run = stop
main(sys.argv[1:])
"""


def test_an_interrupt_keeps_what_is_done_and_says_how_to_go_on(home, capsys):
    done = run_warm(COMPARE, code=STOPPED)
    assert (done.returncode, done.stdout) == (130, "")
    assert "3 of 8 runs left to do were done, and are kept in comparison" in done.stderr
    assert "Run the same command again" in done.stderr
    assert os.listdir(home / "comparison") == ["runs.jsonl"]
    assert len((home / "comparison" / "runs.jsonl").read_text().splitlines()) == 1 + 1 + 3
    assert run(COMPARE) == 0
    assert len((home / "comparison" / "runs.jsonl").read_text().splitlines()) == 1 + 1 + 8


def test_there_is_a_bar_with_the_time_left_on_a_terminal_and_none_in_a_pipe(home):
    piped = run_warm(COMPARE)
    assert (piped.returncode, piped.stderr) == (0, "")
    assert "\x1b" not in piped.stdout
    main, side = pty.openpty()
    shown = WarmProcess([*COMPARE, "--out", "other"], stderr=side)
    os.close(side)
    seen = b""
    while True:
        try:
            part = os.read(main, 4096)
        except OSError:
            break
        if not part:
            break
        seen += part
    shown.communicate(timeout=600)
    os.close(main)
    assert shown.returncode == 0
    assert b"comparing" in seen
    assert b"left" in seen


def test_a_signal_that_comes_too_late_denies_nothing(home):
    late = (
        "import os, signal, sys\nfrom understudy.cli import _compare, main\n"
        "real = _compare._show\n_compare._show = lambda *a: os.kill(os.getpid(), signal.SIGTERM)\nmain(sys.argv[1:])"
    )
    done = run_warm(COMPARE, code=late)
    assert done.returncode == 128 + signal.SIGINT
    assert "the comparison in comparison is complete" in done.stderr


# --- methods and their options, in publish and plan ---


@pytest.mark.parametrize("method", ["privbayes", "independent", "uniform"])
def test_every_method_can_be_planned_and_published(home, capsys, method):
    arguments = [*COMMON, "--epsilon", "1", "--method", method]
    assert run(["plan", *arguments, "--rows", "400"]) == 0
    assert run(["plan", *arguments, "--rows", "400", "--json"]) == 0
    assert run(["publish", *arguments, "--out", method]) == 0
    assert run(["sample", f"{method}/model.understudy", "-o", "s.csv", "--where", "sex=Female"]) == 0
    assert run(["query", f"{method}/model.understudy", "age, job | smokes=true"]) == 0
    capsys.readouterr()
    assert run(["show", f"{method}/model.understudy", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["method"] == method


def test_the_statement_of_uniform_says_that_no_row_was_looked_at(home):
    assert run(["publish", *COMMON, "--epsilon", "1", "--method", "uniform", *STRICT_FLAGS]) == 0
    letter = (home / "release" / "PRIVACY.md").read_text(encoding="utf-8")
    assert "budget = not used" in letter
    assert "this method looks at no row" in letter
    assert json.loads((home / "release" / "privacy.json").read_text())["charges"] == []


def test_a_ledger_books_the_budget_of_uniform_all_the_same(home, capsys):
    ledger = ["--ledger", "budget.db", "--cap", "2"]
    assert run(["publish", *COMMON, "--epsilon", "1", "--method", "uniform", *ledger]) == 0
    capsys.readouterr()
    assert run(["ledger", "show", "budget.db", "--json"]) == 0
    assert '"1"' in capsys.readouterr().out


def test_the_statement_of_independent_says_that_relations_are_lost(home):
    assert run(["publish", *COMMON, "--epsilon", "1", "--method", "independent", *STRICT_FLAGS]) == 0
    letter = (home / "release" / "PRIVACY.md").read_text(encoding="utf-8")
    assert "whatever relations they have are lost" in letter
    assert "budget is too small" not in letter
    [charge] = json.loads((home / "release" / "privacy.json").read_text())["charges"]
    assert (charge["tables"], charge["cost"]) == (4, "1")


@pytest.mark.parametrize("command", ["plan", "publish"])
@pytest.mark.parametrize("option", [["--k", "2"], ["--beta", "0.2"], ["--option", "k=2"], ["--score", "R"]])
def test_an_option_that_a_method_does_not_have_is_refused(home, capsys, command, option):
    assert run([command, *COMMON, "--epsilon", "1", "--method", "independent", *option]) == 2
    assert "method 'independent' has no option" in capsys.readouterr().err
    assert not (home / "release").exists()


def test_options_by_name_and_value_do_what_named_ones_do(home, capsys):
    found = []
    for options in (["--k", "1", "--beta", "0.2"], ["--option", "k=1", "--option", "beta=0.2"]):
        capsys.readouterr()
        assert (
            run(["plan", *COMMON, "--rows", "400", "--epsilon", "1", "--method", "privbayes", *options, "--json"]) == 0
        )
        found.append(json.loads(capsys.readouterr().out))
        found[-1].pop("wall_seconds")  # as busy as the machine is
    assert found[0] == found[1]


def test_an_option_given_twice_is_refused(home, capsys):
    assert run(["plan", *COMMON, "--epsilon", "1", "--method", "privbayes", "--k", "1", "--option", "k=2"]) == 2
    assert "given twice" in capsys.readouterr().err


def test_the_methods_are_listed(capsys):
    assert run(["methods", "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)) == [*METHODS, *BASELINES, *AS_PRINTED]
    assert run(["methods"]) == 0
    assert "that 'publish' needs" in capsys.readouterr().err
