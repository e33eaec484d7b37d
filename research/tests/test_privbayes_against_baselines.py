"""Figures 12 to 19 of the PrivBayes paper: their runs are well-formed."""

from __future__ import annotations

import json

import pytest

from research import EXPERIMENTS, Experiment
from research.figures import privbayes_alpha_way as alpha_way
from research.figures import privbayes_classifiers as classifiers
from research.svm import CLASSIFIERS, NO_PRIVACY, PAPER_TARGETS
from research.tasks import TASKS
from understudy.methods import BASELINES, read_method

MARGINALS = [EXPERIMENTS[f"privbayes-fig{i}"] for i in range(12, 16)]
MACHINES = [EXPERIMENTS[f"privbayes-fig{i}"] for i in range(16, 20)]


@pytest.mark.parametrize("experiment", MARGINALS + MACHINES, ids=lambda e: e.name)
@pytest.mark.parametrize("quick", [True, False])
def test_every_run_names_a_task_and_a_method_that_exist(experiment: Experiment, quick: bool) -> None:
    for run in experiment.runs(experiment.scale(quick=quick, seeds=2)):
        assert run.task in TASKS
        assert json.loads(json.dumps(run.params)) == run.params
        assert run.params["dataset"] in experiment.datasets
        if run.params["method"] not in (*CLASSIFIERS, NO_PRIVACY):
            read_method(run.params["method"])


@pytest.mark.parametrize("experiment", MARGINALS, ids=lambda e: e.name)
def test_every_line_has_a_value_in_both_panels_at_the_ends_of_the_axis(experiment: Experiment) -> None:
    found: dict[tuple[str, float], set[str]] = {}
    for run in experiment.runs(experiment.scale(quick=True)):
        if run.task == "marginals":
            found.setdefault((run.series, run.x), set()).update(f"Q{way}" for way in run.params["ways"])
    wanted = {panel.measure for panel in experiment.panels}
    assert set(map(frozenset, found.values())) == {frozenset(wanted)}
    lines = {line for line, _ in found}
    assert all((line, x) in found for line in lines for x in (0.05, 1.6))


@pytest.mark.parametrize("experiment", MARGINALS, ids=lambda e: e.name)
def test_a_baseline_for_tables_of_some_columns_is_only_asked_for_those(experiment: Experiment) -> None:
    for run in experiment.runs(experiment.scale(quick=True)):
        method = read_method(run.params["method"])
        if method.name in BASELINES and hasattr(method, "ways"):
            assert run.params["ways"] == [method.ways]


def test_the_full_form_has_a_hundred_repetitions_of_everything_that_chance_decides() -> None:
    for experiment in MARGINALS + MACHINES:
        counted: dict[tuple[str, str, float, str], int] = {}
        for run in experiment.runs(experiment.scale(quick=False)):
            key = (run.group, run.series, run.x, json.dumps(run.params))
            counted[key] = counted.get(key, 0) + 1
        chance = {n for (group, series, _, _), n in counted.items() if series != alpha_way.UNIFORM and not group}
        assert chance == {100}


def test_what_a_machine_without_privacy_learns_is_computed_once_a_seed() -> None:
    for experiment in MACHINES:
        runs = [r for r in experiment.runs(experiment.scale(quick=True, seeds=2)) if r.series == classifiers.BEST]
        assert len(runs) == 2 * len({run.x for run in runs})
        assert len({(json.dumps(run.params), run.seed) for run in runs}) == 2


def test_the_panels_are_the_papers_tasks_in_its_order() -> None:
    for experiment, base in zip(MACHINES, ("nltcs", "acs", "adult", "br2000"), strict=True):
        assert tuple(panel.measure for panel in experiment.panels) == 2 * PAPER_TARGETS[base]
        assert len({panel.series for panel in experiment.panels[:4]}) == 1
