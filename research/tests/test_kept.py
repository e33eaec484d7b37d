"""Results that were kept without their runs, as in a fresh clone, are not computed again."""

from __future__ import annotations

import pytest
from tests.docs.blocks import PROJECT

from research import EXPERIMENTS, Run, _kept, _runner, figures, read_outcomes, run_experiment
from research._kept import values_by_run
from research.tests.made_up import write_binary_table
from research.tests.test_running import SMALL, change_numbers_of, values_of
from understudy._core.errors import OutputError


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """Folders of data and results; the store of runs is gone."""
    for module in (figures, _kept):
        monkeypatch.setattr(module, "EXPERIMENTS", {**EXPERIMENTS, "small": SMALL})
    write_binary_table(tmp_path / "data", "nltcs", 6)
    folders = {"data": tmp_path / "data", "out": tmp_path / "out"}
    run_experiment("small", quick=True, **folders, jobs=1)
    (tmp_path / "out" / "runs.jsonl").unlink()
    return folders


@pytest.fixture
def computed(kept, monkeypatch):
    """The runs that were computed after that."""
    found = []
    compute = _runner.compute

    def counted(task, params, seed, folder):
        found.append((params["method"], params["epsilon"], seed))
        return compute(task, params, seed, folder)

    monkeypatch.setattr(_runner, "compute", counted)
    return found


def test_their_values_are_taken_and_only_what_is_new_is_computed(kept, computed):
    before = values_of(kept["out"])
    run_experiment("small", quick=True, **kept, jobs=1)
    assert len(computed) == 2  # one of each method, to see whether the rest is still true
    assert values_of(kept["out"]) == before
    run_experiment("small", seeds=3, **kept, jobs=1)
    assert len(computed) == 2 + 2 + 4
    assert before.items() < values_of(kept["out"]).items()


def test_values_of_other_code_are_computed_anew_and_not_taken_again(kept, computed, monkeypatch):
    before = values_of(kept["out"])
    change_numbers_of("independent", monkeypatch)

    def stop(stage, done, total):
        if (stage, done) == (_runner.STAGE, 3):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_experiment("small", quick=True, **kept, jobs=1, progress=stop)
    assert values_of(kept["out"]) == before
    assert len(computed) == 2 + 3
    run_experiment("small", quick=True, **kept, jobs=1)
    assert len(computed) == 5 + 2 + 1
    after = values_of(kept["out"])
    assert after == {place: value + 0.001 * (place[0] == "independent") for place, value in before.items()}


def test_values_of_other_data_are_not_taken(kept, computed, tmp_path):
    write_binary_table(tmp_path / "other", "nltcs", 6, seed=2)
    run_experiment("small", quick=True, data=tmp_path / "other", out=kept["out"], jobs=1)
    assert len(computed) == 8


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text.replace("0.", "zero.", 1),
        lambda text: text[: text.rindex("\n", 0, -1) + 1],
        lambda text: text + text.splitlines()[-1] + "\n",
        lambda text: text.replace(",Q2,0.", ",Q2,nan0.", 1).replace("nan0.", "nan\n", 1),
        lambda text: text.replace("uniform", "unifrom"),
        lambda text: "",
    ],
    ids=["no number", "a run less", "a run more", "not a number", "another line", "empty"],
)
def test_values_that_do_not_fit_the_runs_are_computed_anew(kept, computed, damage):
    path = kept["out"] / "small" / "results.csv"
    right = values_of(kept["out"])
    path.write_text(damage(path.read_text()))
    run_experiment("small", quick=True, **kept, jobs=1)
    assert len(computed) == 8
    assert values_of(kept["out"]) == right


def test_a_damaged_result_of_another_experiment_stops_nothing(kept, computed):
    other = kept["out"] / "privbayes-fig12"
    other.mkdir()
    (other / "result.json").write_text("{")
    run_experiment("small", quick=True, **kept, jobs=1)
    assert len(computed) == 2


def run_at(series, x, **more):
    return Run(series=series, x=x, seed=0, task="t", params={}, **more)


def test_values_go_to_their_runs_by_order_also_where_two_runs_have_one_place():
    rows = [
        ("", "a", "1", "0", "Q3", 0.3),
        ("", "b", "1", "0", "Q3", 0.1),
        ("", "a", "1", "0", "Q4", 0.4),
    ]
    runs = [run_at("a", 1), run_at("b", 1), run_at("a", 1)]
    assert values_by_run(runs, rows) == [{"Q3": 0.3}, {"Q3": 0.1}, {"Q4": 0.4}]
    with pytest.raises(OutputError):
        values_by_run([run_at("a", 1), run_at("a", 1), run_at("b", 1)], rows)


def test_values_that_stand_elsewhere_on_the_axis_get_their_names_back():
    places = {"L2 3-way": ("L2", 3), "L2 4-way": ("L2", 4)}
    rows = [("", "a", "3", "0", "L2", 0.3), ("", "a", "4", "0", "L2", 0.4), ("", "a", "0.1", "0", "cells", 9.0)]
    assert values_by_run([run_at("a", 0.1, places=places)], rows) == [{"L2 3-way": 0.3, "L2 4-way": 0.4, "cells": 9.0}]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_results_of_each_experiment_here_are_those_of_its_runs(name):
    out = PROJECT / "docs" / "research" / "experiments"
    experiment, outcome = EXPERIMENTS[name], read_outcomes(out, [name])[name]
    runs = experiment.runs(experiment.scale(quick=outcome.quick, seeds=outcome.seeds))
    values = values_by_run(runs, _kept._rows(out / name / "results.csv"))
    assert len(values) == outcome.runs
    assert set(outcome.data) == set(experiment.datasets)
