"""The results that are kept with the project: complete, and the pages say what they say."""

from __future__ import annotations

import csv
import json
import sys
from importlib import import_module

import pytest
from tests.docs.blocks import PROJECT

from research import EXPERIMENTS, check_current, claims_page, cost_of, read_outcomes
from research._current import probes
from research._data import data_folder

RESULTS = PROJECT / "docs" / "research" / "experiments"
OUTCOMES = read_outcomes(RESULTS, EXPERIMENTS)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_was_run_and_every_claim_has_a_verdict(name):
    outcome = OUTCOMES[name]
    assert len(outcome.verdicts) == len(EXPERIMENTS[name].claims) > 0
    assert all(finding.why for finding in outcome.verdicts)
    assert (RESULTS / name / "figure.svg").read_text(encoding="utf-8").count("<svg") == 1
    assert (RESULTS / name / "figure.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_verdicts_follow_from_the_values_that_are_kept(name):
    from research import Results

    points = {}
    with (RESULTS / name / "results.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            key = (row["group"], row["series"], row["measure"], float(row["x"]))
            points.setdefault(key, []).append(float(row["value"]))
    found = tuple(claim.rule.decide(Results(points)) for claim in EXPERIMENTS[name].claims)
    assert found == OUTCOMES[name].verdicts


def test_the_page_of_claims_is_the_one_that_the_results_give():
    page = claims_page(
        list(EXPERIMENTS.values()),
        OUTCOMES,
        figures="experiments",
        folder="docs/research/experiments",
        page="docs/research/claims.md",
    )
    assert (PROJECT / "docs" / "research" / "claims.md").read_text(encoding="utf-8") == page


def test_the_tables_of_what_soundness_costs_are_those_that_the_results_give(monkeypatch):
    monkeypatch.syspath_prepend(str(PROJECT / "scripts"))
    sys.modules.pop("make_cost_tables", None)
    page = (PROJECT / "docs" / "research" / "cost-of-soundness.md").read_text(encoding="utf-8")
    assert import_module("make_cost_tables").filled(page, RESULTS) == page


def test_the_costs_that_are_told_are_those_of_the_results():
    recorded = json.loads((PROJECT / "research" / "costs.json").read_text(encoding="utf-8"))
    assert recorded == {name: {"runs": o.runs, "cpu_seconds": o.cpu_seconds} for name, o in OUTCOMES.items()}
    assert all(cost_of(experiment).quick_seconds > 0 for experiment in EXPERIMENTS.values())


def test_all_quick_forms_together_take_less_than_an_hour_on_two_cores():
    assert all(outcome.quick for outcome in OUTCOMES.values())
    assert sum(outcome.cpu_seconds for outcome in OUTCOMES.values()) / 2 < 3600


NOT_COUNTED = {"Soundness"}


def test_the_index_counts_the_papers_claims_as_the_results_do():
    verdicts = [
        finding.verdict
        for name, outcome in OUTCOMES.items()
        if EXPERIMENTS[name].paper not in NOT_COUNTED
        for finding in outcome.verdicts
    ]
    index = " ".join((PROJECT / "docs" / "research" / "README.md").read_text(encoding="utf-8").split())
    assert f"{verdicts.count('reproduced')} of {len(verdicts)} claims were reproduced" in index
    assert f"{verdicts.count('contradicted')} were contradicted" in index


needs_data = pytest.mark.skipif(not data_folder().is_dir(), reason="no benchmark data: set UNDERSTUDY_DATA")


@needs_data
@pytest.mark.parametrize("name", ["privbayes-fig12", "privabn-table2"])
def test_the_cheapest_run_of_a_result_gives_its_numbers_again(name):
    assert check_current(name, out=RESULTS, most=1).differences == ()


@needs_data
@pytest.mark.slow
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_result_is_current(name):
    assert check_current(name, out=RESULTS).differences == ()


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_it_is_known_what_a_run_of_each_line_takes_so_that_the_cheapest_can_be_done_again(name):
    again = probes(EXPERIMENTS[name], OUTCOMES[name])
    assert {run.line for run in again} <= set(OUTCOMES[name].seconds)
    every = EXPERIMENTS[name].runs(EXPERIMENTS[name].scale(quick=True))
    assert {run.method for run in again} == {run.method for run in every}
    assert len(again) >= min(3, len({run.line for run in every}))
