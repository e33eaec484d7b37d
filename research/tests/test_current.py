"""A stored result is current if runs of it, done again, give the same numbers."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from research import EXPERIMENTS, check_current, figures, read_outcomes, run_experiment
from research._cli import app
from research._current import probes
from research.tests.made_up import write_binary_table
from research.tests.test_running import SMALL
from understudy._core.errors import OutputError
from understudy.cli.program import run

pytestmark = pytest.mark.slow


@pytest.fixture
def results(tmp_path, monkeypatch):
    """A folder of data and one of results."""
    monkeypatch.setattr(figures, "EXPERIMENTS", {**EXPERIMENTS, "small": SMALL})
    write_binary_table(tmp_path / "data", "nltcs", 6)
    run_experiment("small", quick=True, data=tmp_path / "data", out=tmp_path / "out", jobs=1)
    return {"data": tmp_path / "data", "out": tmp_path / "out"}


def spoil(out, method):
    """Change every stored value of a method a little."""
    path = out / "small" / "results.csv"
    lines = [line + "1" if f",{method}," in line else line for line in path.read_text().splitlines()]
    path.write_text("\n".join(lines) + "\n")


def test_a_result_is_current_as_long_as_its_runs_give_the_same_numbers(results):
    found = check_current("small", **results)
    assert (found.current, found.runs, found.differences) == (True, 2, ())


def test_numbers_that_differ_are_named_with_their_run(results):
    path = results["out"] / "small" / "results.csv"
    path.write_text(path.read_text().replace(",0.5,0,Q2,0.", ",0.5,0,Q2,0.9"))
    found = check_current("small", **results)
    assert not found.current
    assert len(found.differences) == 2
    assert found.differences[0].startswith(("independent at 0.5, seed 0: Q2 was 0.9", "uniform at 0.5, seed 0: Q2 was"))


def test_the_last_digits_do_not_matter_for_processors_add_in_different_orders(results):
    spoil(results["out"], "independent")
    assert check_current("small", **results).current


def test_a_value_that_is_not_stored_is_a_difference(results):
    path = results["out"] / "small" / "results.csv"
    path.write_text(path.read_text().replace("Q2", "Q9"))
    assert "Q2 was not there" in check_current("small", **results).differences[0]


def test_one_run_of_each_method_is_done_again_the_cheapest_first(results):
    outcome = read_outcomes(results["out"], ["small"])["small"]
    assert set(outcome.seconds) == {"independent", "uniform"}
    outcome = replace(outcome, seconds={"independent": 2.0, "uniform": 1.0})
    assert [(probe.series, probe.seed) for probe in probes(SMALL, outcome)] == [("uniform", 0), ("independent", 0)]
    assert check_current("small", **results, most=1).runs == 1


def test_times_are_left_out():
    experiment = EXPERIMENTS["privbayes-fig4"]
    assert any(run.task == "network" for run in experiment.runs(experiment.scale(quick=True, seeds=1)))
    from research._runner import differing

    assert differing({"information": 1.0, "cpu_seconds": 1.0}, {"information": 1.0, "cpu_seconds": 5.0}) == []


@pytest.mark.parametrize("damage", ["missing", "values"])
def test_a_result_without_its_values_is_told(results, damage):
    path = results["out"] / "small" / "results.csv"
    path.unlink() if damage == "missing" else path.write_text("group,series\na,b\n")
    with pytest.raises(OutputError, match="not there, or not the values of an experiment"):
        check_current("small", **results)


def test_the_command_says_which_are_current_and_ends_with_1_if_one_is_not(results, capsys):
    words = ["--data", str(results["data"]), "--out", str(results["out"])]
    assert run(["check", *words], app) == 2  # 'small' is no experiment of the papers
    assert "no results" in capsys.readouterr().err


def test_the_command_names_differences_and_prints_json(results, capsys, monkeypatch):
    monkeypatch.setattr("research.EXPERIMENTS", {"small": SMALL})
    words = ["--data", str(results["data"]), "--out", str(results["out"])]
    assert run(["check", *words], app) == 0
    assert capsys.readouterr().out == "small: current (2 runs done again)\n"
    path = results["out"] / "small" / "results.csv"
    path.write_text(path.read_text().replace(",0.5,0,Q2,0.", ",0.5,0,Q2,0.9"))
    assert run(["check", "small", *words], app) == 1
    out = capsys.readouterr().out
    assert out.startswith("small: not current (2 runs done again)\n  ")
    assert run(["check", "--json", *words], app) == 1
    [found] = json.loads(capsys.readouterr().out)
    assert (found["name"], found["current"], len(found["differences"])) == ("small", False, 2)


def test_results_that_are_not_there_are_told(results, capsys, tmp_path):
    assert run(["check", "privbayes-fig12", "--out", str(tmp_path / "none")], app) == 2
    assert "there is no result of privbayes-fig12" in capsys.readouterr().err


def test_missing_data_are_told(results, capsys, tmp_path):
    words = ["check", "small", "--out", str(results["out"]), "--data", str(tmp_path / "nowhere")]
    assert run(words, app) == 2
    assert "does not exist" in capsys.readouterr().err


def test_where_methods_are_few_other_lines_are_done_again_too(results):
    outcome = read_outcomes(results["out"], ["small"])["small"]
    runs = [replace(one, group=group) for group in ("one", "two") for one in SMALL.runs(SMALL.scale(quick=True))]
    wider = replace(SMALL, runs=lambda scale: runs)
    assert [one.line for one in probes(wider, replace(outcome, seconds={"two, uniform": -1.0}))] == [
        "two, uniform",
        "one, independent",
        "one, uniform",
    ]
