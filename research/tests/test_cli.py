"""The program `research` from the outside."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from typing import get_args

import pytest

import research
from research import EXPERIMENTS, Outcome, _costs
from research._cli import app
from research.rules import Word
from research.sentences import SENTENCES
from research.tests.made_up import write_binary_table
from understudy.cli.program import run

QUICKLY = ["--quick", "--seeds", "1"]


@pytest.fixture
def data(tmp_path):
    write_binary_table(tmp_path / "data", "nltcs", 7)
    return tmp_path / "data"


def call(*words, capsys):
    """Exit code and what was said on both streams."""
    code = run([str(word) for word in words], app)
    said = capsys.readouterr()
    return code, said.out, said.err


def test_the_list_names_every_experiment_with_its_cost_and_verdicts_so_far(tmp_path, capsys):
    code, out, _ = call("list", "--out", tmp_path / "none", capsys=capsys)
    assert code == 0
    for name in EXPERIMENTS:
        assert name in out
    assert "not run" in out
    assert "over " in out
    assert "under " in out
    code, out, _ = call("list", "--out", tmp_path / "none", "--json", capsys=capsys)
    rows = json.loads(out)
    bounds = {row["name"]: (row["quick_at_most"], row["full_at_least"]) for row in rows}
    assert bounds["privbayes-fig18"] == (False, True)
    assert bounds["correlated-privacy"] == (True, False)
    assert [row["name"] for row in rows] == list(EXPERIMENTS)
    assert all(row["full_runs"] >= row["quick_runs"] > 0 for row in rows)


def test_an_unknown_experiment_is_refused_with_a_hint(tmp_path, capsys):
    code, out, err = call("run", "privbayes-fg12", "--out", tmp_path / "out", capsys=capsys)
    assert (code, out) == (2, "")
    assert "Did you mean 'privbayes-fig12'" in err
    assert not (tmp_path / "out").exists()


def test_missing_data_are_told_before_anything_runs(tmp_path, data, capsys):
    words = ("run", "privbayes-fig12", "privbayes-fig13", *QUICKLY, "--out", tmp_path / "out")
    code, _, err = call(*words, "--data", data, capsys=capsys)
    assert code == 2
    assert "no file acs.csv or acs.csv.gz" in err
    code, _, err = call(*words, "--data", tmp_path / "nowhere", capsys=capsys)
    assert code == 2
    assert "does not exist" in err
    assert not (tmp_path / "out").exists()


def test_results_are_run_again_in_the_form_they_have(tmp_path, capsys, monkeypatch):
    asked = []

    def note(name, *, quick, seeds, **_):
        asked.append((name, quick, seeds))
        return Outcome(name=name, quick=quick, seeds=seeds or 1, runs=1, cpu_seconds=1.0, code="")

    monkeypatch.setattr(research, "run_experiment", note)
    kept = tmp_path / "out" / "pram-printed" / "result.json"
    kept.parent.mkdir(parents=True)
    outcome = Outcome(name="pram-printed", quick=False, seeds=7, runs=1, cpu_seconds=1.0, code="")
    kept.write_text(json.dumps(asdict(outcome)))
    words = ("run", "pram-printed", "pram-table2", "--out", tmp_path / "out", "--json")
    assert call(*words, "--same", capsys=capsys)[0] == 0
    assert asked == [("pram-printed", False, 7), ("pram-table2", True, None)]
    code, _, err = call(*words, "--same", "--quick", capsys=capsys)
    assert code == 2
    assert "Leave out --quick, or --same" in err


def test_claims_are_listed_without_any_result(tmp_path, capsys):
    code, out, _ = call("claims", "--out", tmp_path / "none", "--json", capsys=capsys)
    assert code == 0
    found = json.loads(out)
    assert [one["name"] for one in found] == [sentence.name for sentence in SENTENCES]
    assert {one["verdict"] for one in found} <= {"undecided", "not testable"}
    assert all(test["rule"] for one in found for test in one["tests"])
    page = tmp_path / "pages" / "claims.md"
    page.parent.mkdir()
    code, out, _ = call("claims", "--out", tmp_path / "none", "--markdown", page, capsys=capsys)
    assert code == 0
    rows = page.read_text().count("**undecided**") + page.read_text().count("**not testable**")
    assert rows >= len(SENTENCES)
    assert sorted(path.name for path in page.parent.iterdir()) == ["claims-details.md", "claims.md"]
    code, out, _ = call("claims", "--out", tmp_path / "none", capsys=capsys)
    assert code == 0
    assert "undecided" in out


def test_a_damaged_csv_is_told_without_a_traceback(tmp_path, capsys):
    folder = tmp_path / "out" / "hpprivbayes-fig3"
    folder.mkdir(parents=True)
    (folder / "results.csv").write_text("group,series\na,b\n")
    code, out, err = call("claims", "--out", tmp_path / "out", capsys=capsys)
    assert (code, out) == (2, "")
    assert "research run hpprivbayes-fig3" in err


def started(*words):
    """The program in a process of its own, as from a terminal."""
    return subprocess.Popen(
        [sys.executable, "-m", "research", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def n_runs(store):
    return store.read_text().count('"values"') if store.exists() else 0


@pytest.mark.slow
def test_an_interrupt_keeps_what_is_done_and_the_same_command_goes_on(tmp_path, data):
    """It then goes on in a pipe: there is no progress, and JSON is all of stdout."""
    words = ("run", "privbayes-fig12", *QUICKLY, "--data", tmp_path / "data", "--out", tmp_path / "out")
    store = tmp_path / "out" / "runs.jsonl"
    process = started(*words, "--jobs", 2)
    while n_runs(store) < 3 and process.poll() is None:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)  # as Ctrl-C does: every process of the group gets it
    out, err = process.communicate(timeout=600)
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in err
    assert "are kept in" in err
    assert "Run the same command again" in err
    kept = n_runs(store)
    assert kept >= 3
    assert not (tmp_path / "out" / "privbayes-fig12").exists()
    process = started(*words, "--jobs", 1, "--json")
    out, err = process.communicate(timeout=600)
    assert (process.returncode, err) == (0, "")
    [one] = json.loads(out)["experiments"]
    assert one["name"] == "privbayes-fig12"
    assert all(test["verdict"] in get_args(Word) and test["why"] for test in one["tests"])
    assert (tmp_path / "out" / "privbayes-fig12" / "figure.png").exists()
    lines = [json.loads(line) for line in store.read_text().splitlines()[1:]]
    assert len({line["key"] for line in lines}) == len(lines)  # nothing was computed twice


def test_all_may_stand_beside_names_but_those_must_be_known(tmp_path, data, capsys):
    words = ("run", "all", "privbayes-fig12", *QUICKLY, "--data", data, "--out", tmp_path / "out")
    code, _, err = call(*words, capsys=capsys)
    assert code == 2
    assert "no file acs.csv" in err  # so all were meant
    code, _, err = call("run", "all", "privbayes-fg12", "--data", data, capsys=capsys)
    assert code == 2
    assert "Did you mean 'privbayes-fig12'" in err


def test_a_sum_of_unknown_costs_is_not_called_nothing(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(_costs, "_recorded", dict)
    _, out, _ = call("list", "--out", tmp_path / "none", capsys=capsys)
    assert "All quick forms together: ?." in out
