"""PrivABN's figures and tables, and the leaks: well-formed runs, and tasks on small tables."""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pytest
from tests.audit_tools import epsilon_lower_bound as other_bound

from research import EXPERIMENTS
from research._experiment import Results, Scale
from research.tasks import TASKS
from research.tasks._enumeration import adaptive_pairs, greedy_pairs
from research.tasks.leaks import AUDITS, epsilon_lower_bound, star_loss, threshold_loss
from research.tests.made_up import write_binary_table

NAMES = ["privabn-fig1", "privabn-fig2", "privabn-fig3", "privabn-table2", "privabn-table3", "soundness-leak"]
QUICK, FULL = Scale(seeds=2, quick=True), Scale(seeds=1, quick=False)


def values_of(name, value):
    """Results of an experiment's quick runs in which every point is what `value(run, measure, x)` says."""
    produced = {
        "queries": [],
        "queries, sharper choices": [],
        "pairs": ["pairs", "days"],
        "pairs of a run": ["pairs of a run"],
    }
    produced |= {"missed parents": ["missed"], "audit": ["proved", "claimed"]}
    produced |= {"loss on a star": ["loss"], "loss of a threshold": ["loss"]}
    produced |= {"loss of real records": ["median loss", "worst loss"], "sizes": ["rows", "columns", "domain"]}
    done = []
    for run in EXPERIMENTS[name].runs(QUICK):
        names = produced[run.task] or [f"{kind} {way}-way" for way in run.params["ways"] for kind in ("L1", "L2")]
        done.append((run, {n: value(run, *run.place(n)) for n in names}))
    return Results.of(done)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scale", [QUICK, FULL])
def test_runs_are_well_formed_and_every_panel_has_lines(name, scale):
    experiment = EXPERIMENTS[name]
    runs = experiment.runs(scale)
    assert {run.task for run in runs} <= set(TASKS)
    assert {run.params["dataset"] for run in runs if "dataset" in run.params} <= set(experiment.datasets)
    for run in runs:
        assert json.loads(json.dumps(run.params)) == run.params
    if scale.quick:
        results = values_of(name, lambda run, measure, x: 1.0)
        assert all(results.series(panel.measure, panel.group) for panel in experiment.panels)


def printed_pairs(run, measure, x):
    """Pairs and days of Table 2 as the definitions have them; nothing else."""
    return TASKS["pairs"](run.params, 0, ".")[measure] if run.task == "pairs" else 0.0


# -- tasks ----------------------------------------------------------------------------


@pytest.mark.parametrize(("m", "k"), [(2, 1), (5, 1), (6, 2), (7, 3), (6, 9)])
def test_pairs_are_those_that_the_algorithms_loop_over(m, k):
    looped = [
        (child, parents)
        for placed in range(1, m)
        for child in range(placed, m)
        for parents in combinations(range(placed), min(k, placed))
    ]
    assert greedy_pairs(m, k) == len(looped)
    assert adaptive_pairs(m) == len([1 for v in range(1, m) for _ in range(v, m) for _ in range(v)])


@pytest.fixture
def folder(tmp_path):
    write_binary_table(tmp_path, "nltcs", 5)
    return tmp_path


def test_queries_are_the_same_for_every_method_and_without_noise_little_is_wrong(folder):
    params = {"dataset": "nltcs", "epsilon": 1.0, "ways": [2, 3]}
    printed = TASKS["queries"]({**params, "method": "privabn-as-printed", "noiseless": "all"}, 0, folder)
    assert set(printed) == {"L1 2-way", "L2 2-way", "L1 3-way", "L2 3-way"}
    uniform = TASKS["queries"]({**params, "method": "uniform"}, 0, folder)
    laplace = TASKS["queries"]({**params, "method": "laplace:ways=2", "ways": [2]}, 0, folder)
    assert 0 < printed["L2 2-way"] < uniform["L2 2-way"]
    assert laplace["L1 2-way"] > 0
    assert TASKS["queries"]({**params, "method": "uniform"}, 0, folder) == uniform


def test_runs_look_at_as_many_pairs_as_the_definitions_say(folder):
    def pairs(method):
        params = {"dataset": "nltcs", "columns": 5, "method": method, "epsilon": 1.0}
        return TASKS["pairs of a run"](params, 0, folder)["pairs of a run"]

    assert pairs("privabn-as-printed") == adaptive_pairs(5)
    assert pairs("privbayes:k=2:score=R") == greedy_pairs(5, 2)


def test_sets_of_parents_that_only_tell_together_are_missed(tmp_path):
    """Columns of pure chance: which set is best has nothing to do with which smaller one was."""
    write_binary_table(tmp_path, "nltcs", 6)
    rows = np.random.default_rng(0).integers(0, 2, (60, 6))
    lines = [",".join(f"c{i}" for i in range(6)), *(",".join(map(str, row)) for row in rows)]
    (tmp_path / "nltcs.csv").write_text("\n".join(lines) + "\n")
    missed = {m: TASKS["missed parents"]({"dataset": "nltcs", "columns": m}, 0, tmp_path)["missed"] for m in (2, 6)}
    assert missed[2] == 0 < missed[6] < 1


def test_real_records_lose_what_a_star_says_in_the_worst_case(folder):
    params = {"dataset": "nltcs", "method": "privabn-as-printed", "epsilon": 1.0, "records": 5}
    found = TASKS["loss of real records"](params, 0, folder)
    assert 0 <= found["median loss"] <= found["worst loss"] <= 400 * 0.5
    assert star_loss(400, 5, 1.0) == pytest.approx(400 * 0.5 * 4 / 5)
    assert threshold_loss(4, 1.0) == pytest.approx(0.74, abs=0.01)


@pytest.mark.parametrize("hits", [(500, 0, 1000), (445, 32, 10_000), (10, 0, 20), (3, 9, 50), (20, 20, 20)])
def test_bounds_are_those_of_the_other_audits(hits):
    assert epsilon_lower_bound(*hits) == pytest.approx(other_bound(*hits))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("row", sorted(AUDITS))
def test_every_audit_runs_in_both_forms(row):
    for printed in (True, False):
        hits = AUDITS[row].hits(as_printed=printed, trials=20, seed=1)
        assert all(0 <= hit <= 20 for hit in hits)


@pytest.mark.parametrize(("row", "trials"), [(2, 300), (4, 100), (5, 100), (11, 1000)])
def test_audits_that_are_nearly_certain_catch_the_printed_form_in_few_trials(row, trials):
    hits = AUDITS[row].hits(as_printed=True, trials=trials, seed=1)
    assert epsilon_lower_bound(*hits, trials) > AUDITS[row].claimed
