"""The correlated-release paper's figures: well-formed runs, and tasks that agree with what is known."""

from __future__ import annotations

import json
from math import exp, log

import numpy as np
import pytest

from research import EXPERIMENTS
from research._data import data_folder
from research._experiment import Results, Scale
from research.tasks import TASKS
from research.tasks._correlated import BOUND, OURS, random_counts, random_links, setting, shares_of, uniform_answers
from research.tests.made_up_results import measures_of
from understudy._core.randomness import streams

NAMES = [name for name in EXPERIMENTS if name.startswith("correlated-")]
QUICK, FULL = Scale(seeds=3, quick=True), Scale(seeds=1, quick=False)
SMALL = {"dataset": "adult_privbayes16", "rows": 2_000, "queries": 200}
FEW = SMALL | {"queries": 12}  # for what fits a model to them
needs_data = pytest.mark.skipif(not data_folder().is_dir(), reason="no benchmark data: set UNDERSTUDY_DATA")


def results_of(name, value):
    """Results of an experiment's quick runs in which every point is what `value(run, measure, x)` says."""
    return Results.of(
        [(run, {n: value(run, *run.place(n)) for n in measures_of(run)}) for run in EXPERIMENTS[name].runs(QUICK)]
    )


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scale", [QUICK, FULL])
def test_runs_are_well_formed_and_every_panel_has_lines(name, scale):
    experiment = EXPERIMENTS[name]
    runs = experiment.runs(scale)
    assert {run.task for run in runs} <= set(TASKS)
    for run in runs:
        assert json.loads(json.dumps(run.params)) == run.params
    results = results_of(name, lambda run, measure, x: 1.0)
    assert all(results.series(panel.measure, panel.group) for panel in experiment.panels)


# -- what is declared -----------------------------------------------------------------


def test_a_quarter_of_the_rows_is_linked_in_groups_of_eleven_and_twelve():
    links = random_links(35_561, streams(3).get("links"))
    others = np.diff(links.indptr)
    assert (others > 0).mean() == pytest.approx(0.25, abs=0.001)
    assert set(others[others > 0].tolist()) >= {10, 11}
    assert others.max() == BOUND - 1
    degrees = np.abs(links.degrees)
    assert degrees.min() >= 0.6 - 1e-6
    assert degrees.max() <= 1
    assert 0.4 < (links.degrees < 0).mean() < 0.6


def test_queries_ask_about_one_to_four_columns_with_one_value_each():
    queries = random_counts(14, 2_000, streams(3).get("queries"))
    asked = sum((weights == 0).any(axis=1).astype(int) for weights in queries.weights)
    assert sorted(set(asked.tolist())) == [1, 2, 3, 4]
    assert np.bincount(asked)[1:].min() > 400
    assert all(set(np.unique(weights)) == {0.0, 1.0} for weights in queries.weights)
    assert all((weights.sum(axis=1) >= 1).all() for weights in queries.weights)


@needs_data
def test_true_answers_and_those_of_nothing_are_what_cells_say():
    asked = setting(SMALL["dataset"], data_folder(), SMALL["rows"], SMALL["queries"], 0)
    dense = asked.queries.dense()
    assert shares_of(asked) == pytest.approx(dense @ asked.histogram / SMALL["rows"])
    assert uniform_answers(asked) == pytest.approx(dense.mean(axis=1))
    matches = (dense[:, asked.cells] > 0).any(axis=1)
    assert (asked.independent == matches).all()
    assert (asked.printed[matches] >= 1).all()
    assert (asked.printed <= BOUND).all()


# -- tasks ----------------------------------------------------------------------------


@pytest.mark.one_in(3)
@needs_data
@pytest.mark.parametrize(
    "method", ["laplace", "laplace for groups", "uniform", "as printed", "mended", "ours", "ours for groups"]
)
def test_answers_are_measured_and_repeatable(method):
    params = (FEW if method in OURS else SMALL) | {"method": method, "epsilon": 1.0, "threshold": 0.05}
    found = TASKS["correlated answers"](params, 1, data_folder())
    assert found["accuracy"] == 1 - found["deviation"]
    assert found == TASKS["correlated answers"](params, 1, data_folder())


@pytest.mark.slow
@needs_data
def test_ours_is_asked_what_the_others_are():
    """With next to no noise it gives the true answers."""
    found = TASKS["correlated answers"](SMALL | {"queries": 40, "method": "ours", "epsilon": 1e6}, 1, data_folder())
    assert found["deviation"] < 1e-3


@needs_data
def test_laplace_noise_is_as_large_as_the_budget_of_a_query_makes_it():
    params = SMALL | {"epsilon": 0.5}
    alone, group = (
        TASKS["correlated answers"](params | {"method": method}, 0, data_folder())["deviation"]
        for method in ("laplace", "laplace for groups")
    )
    assert alone == pytest.approx(200 / 2_000 / 0.5, rel=0.2)
    assert group == pytest.approx(BOUND * 200 / 2_000 / 0.5, rel=0.2)


@needs_data
def test_sensitivities_lie_between_the_global_one_and_that_of_a_group():
    found = TASKS["correlated sensitivities"](SMALL, 0, data_folder())
    assert found["smaller where somebody matches"] == 0
    assert found["smaller"] == found["nobody matches"]
    assert found["independent is global"] == pytest.approx(1 - found["nobody matches"])
    assert found["apart is global"] == 1
    assert all(1 <= found[f"CS {n}"] <= BOUND for n in range(1, 5))


def test_rounds_below_the_threshold_are_not_free_and_with_noise_on_it_cost_no_more_than_that(tmp_path):
    given = {"rounds": 1_000, "epsilon": 0.1515, "above": 0.1}
    printed = TASKS["correlated free rounds"](given | {"noisy": False}, 0, tmp_path)["loss"]
    assert printed == pytest.approx(18.3, abs=0.1)  # as the soundness review has it
    repaired = TASKS["correlated free rounds"](given | {"noisy": True}, 0, tmp_path)["loss"]
    assert 0 < repaired <= 0.1515 / 2 + 1e-9


def test_a_single_round_of_a_noisy_threshold_is_what_sampling_says(tmp_path):
    found = TASKS["correlated free rounds"]({"rounds": 1, "epsilon": 1.0, "above": 0.1, "noisy": True}, 0, tmp_path)
    draws = np.random.default_rng(1)
    noise = draws.laplace(0, 4, 10**6) - draws.laplace(0, 2, 10**6)
    margin = -4 * log(0.2)
    below = [(noise < margin - moved).mean() for moved in (0, 1)]
    assert found["loss"] == pytest.approx(log(below[0] / below[1]), abs=0.01)


def test_nine_that_follow_a_record_make_a_loss_of_more_than_six(tmp_path):
    given = {"others": 9, "share": 0.01, "epsilon": 1.0}
    local = TASKS["correlated wrong quantity"](given | {"rows": 1}, 0, tmp_path)
    assert local["loss"] == pytest.approx(6.58, abs=0.01)
    assert local["correlation"] == pytest.approx(0.1, abs=0.001)
    assert TASKS["correlated wrong quantity"](given | {"rows": 10}, 0, tmp_path)["loss"] <= 1


@pytest.mark.slow
def test_both_audits_catch_the_printed_algorithm(tmp_path):
    assert TASKS["correlated answers about nobody"]({"trials": 300}, 0, tmp_path)["proved"] > 3
    tuned = {"threshold": 0.02, "over": 3.0, "trials": 300}
    assert TASKS["correlated tuned queries"](tuned, 0, tmp_path)["proved"] > 1


def test_the_attack_is_certain_on_exact_counts_and_limited_by_noise_for_all_linked_rows(tmp_path):
    given = {"linked": 11, "rows": 1, "trials": 20_000}
    assert TASKS["correlated attack"](given | {"epsilon": None}, 0, tmp_path)["success"] == 1
    alone, group = (
        TASKS["correlated attack"](given | {"epsilon": 1.0, "rows": rows}, 0, tmp_path)["success"] for rows in (1, 11)
    )
    limit = TASKS["correlated attack limit"]({"epsilon": 1.0}, 0, tmp_path)["success"]
    assert limit == pytest.approx(exp(1) / (1 + exp(1)))
    assert 0.5 < group < limit < 0.9 < alone
