"""Figures 4 to 11 of the PrivBayes paper: their runs are well-formed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from research import EXPERIMENTS, Experiment, Results, Run
from research.figures import _tuning as tuning
from research.svm import CLASSIFIERS, PAPER_TARGETS
from research.tasks import TASKS
from research.tests.made_up import write_binary_table
from understudy.methods import read_method

FIGURES = [EXPERIMENTS[f"privbayes-fig{i}"] for i in range(4, 12)]
Value = Callable[[Run, str], float]


def measures_of(run: Run) -> list[str]:
    """What a run's task says, by its parameters."""
    if run.task == "marginals":
        return [f"Q{way}" for way in run.params["ways"]]
    if run.task == "svm":
        return list(run.params.get("targets") or PAPER_TARGETS[run.params["dataset"].removesuffix("_privbayes16")])
    return ["information", "degree", "cpu_seconds"]


def made_up(experiment: Experiment, value: Value) -> Results:
    """Results of the quick form in which every value is as given, with a little scatter over the seeds."""
    runs = experiment.runs(experiment.scale(quick=True, seeds=2))
    return Results.of([(r, {m: value(r, m) * (1 + 1e-4 * r.seed) for m in measures_of(r)}) for r in runs])


@pytest.mark.parametrize("experiment", FIGURES, ids=lambda e: e.name)
@pytest.mark.parametrize("quick", [True, False])
def test_every_run_names_a_task_and_a_method_that_exist(experiment: Experiment, quick: bool) -> None:
    for run in experiment.runs(experiment.scale(quick=quick, seeds=2)):
        assert run.task in TASKS
        assert json.loads(json.dumps(run.params)) == run.params
        assert run.params["dataset"] in experiment.datasets
        if run.params["method"] not in CLASSIFIERS:
            read_method(run.params["method"])


@pytest.mark.parametrize("experiment", FIGURES, ids=lambda e: e.name)
def test_every_panel_has_lines_of_its_measure(experiment: Experiment) -> None:
    results = made_up(experiment, lambda run, measure: 1.0)
    assert all(len(results.series(panel.measure, panel.group)) >= 3 for panel in experiment.panels)


def test_figures_9_to_11_share_the_runs_at_the_usual_parameters() -> None:
    keys = []
    for number in (9, 10, 11):
        experiment = EXPERIMENTS[f"privbayes-fig{number}"]
        runs = experiment.runs(experiment.scale(quick=True, seeds=1))
        keys.append({json.dumps([run.task, run.params], sort_keys=True) for run in runs})
    assert len(keys[0] & keys[2]) == len(tuning.TASKS) * 3


def test_a_choice_by_the_printed_sensitivity_of_r_has_the_degree_of_lemma_4_8() -> None:
    runs = FIGURES[0].runs(FIGURES[0].scale(quick=True, seeds=1))
    printed = {run.x: run.params["method"] for run in runs if (run.group, run.series) == ("ACS", "R")}
    assert [word.split(":")[2] for _, word in sorted(printed.items())] == [f"k={k}" for k in (2, 3, 4, 5, 6, 7)]
    assert all("beta=0.2" in word for word in printed.values())


def test_the_quick_axes_are_part_of_the_full_ones() -> None:
    for experiment in FIGURES:
        quick, full = (experiment.runs(experiment.scale(quick=q, seeds=1)) for q in (True, False))
        assert {run.x for run in quick} <= {run.x for run in full}


# On a made-up table ---------------------------------------------------------------------------------------------------
def test_a_network_chosen_without_noise_tells_most_and_is_timed(tmp_path: Path) -> None:
    write_binary_table(tmp_path, "nltcs", columns=6)
    params = {"dataset": "nltcs", "method": "privbayes:score=I:k=1", "epsilon": 0.5}
    best = TASKS["network"]({**params, "noiseless": "selection"}, 0, tmp_path)
    noisy = TASKS["network"](params, 0, tmp_path)
    assert best["information"] >= noisy["information"] > 0
    assert best["degree"] == 1
    assert best["cpu_seconds"] >= 0


def test_tables_without_noise_bring_the_counts_closer(tmp_path: Path) -> None:
    write_binary_table(tmp_path, "nltcs", columns=6)
    params = {"dataset": "nltcs", "method": "privbayes:k=1", "epsilon": 0.5, "ways": [3]}
    exact = TASKS["marginals"]({**params, "noiseless": "tables"}, 0, tmp_path)
    assert exact["Q3"] < TASKS["marginals"](params, 0, tmp_path)["Q3"]
