"""The results that are kept with the project: complete, and the pages say what they say."""

from __future__ import annotations

import csv
import json
import re
import sys
from functools import cache
from importlib import import_module
from statistics import fmean
from typing import get_args

import pytest
from tests.docs.blocks import PROJECT

from research import (
    EXPERIMENTS,
    check_current,
    claims_page,
    cost_of,
    details_page,
    read_findings,
    read_outcomes,
    with_counts,
    with_findings,
)
from research._current import probes
from research._data import data_folder
from research._outcome import read_results
from research._reasons import reason_of
from research.figures.privbayes_classifiers import BEST, ERM, ERM_WIDE, PRINTED
from research.sentences import SENTENCES, Verdict, assess
from research.sentences.privbayes_classifiers import superior_overall

RESULTS = PROJECT / "docs" / "research" / "experiments"
OUTCOMES = read_outcomes(RESULTS, EXPERIMENTS)


ASSESSED = assess(SENTENCES, RESULTS)
PAGES = PROJECT / "docs" / "research"


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_was_run_and_has_its_figure(name):
    assert OUTCOMES[name].runs > 0
    assert (RESULTS / name / "figure.svg").read_text(encoding="utf-8").count("<svg") == 1
    assert (RESULTS / name / "figure.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_the_pages_of_claims_are_those_that_the_results_give():
    place = {"figures": "experiments"}
    page = claims_page(
        ASSESSED,
        read_findings(),
        out=RESULTS,
        folder="docs/research/experiments",
        page="docs/research/claims.md",
        **place,
    )
    assert (PAGES / "claims.md").read_text(encoding="utf-8") == page
    details = details_page(ASSESSED, list(EXPERIMENTS.values()), OUTCOMES, **place)
    assert (PAGES / "claims-details.md").read_text(encoding="utf-8") == details
    experiments = (PAGES / "experiments.md").read_text(encoding="utf-8")
    assert with_findings(experiments, read_findings(), RESULTS) == experiments


@pytest.mark.slow
def test_the_values_alone_give_the_verdicts_that_the_page_shows(tmp_path):
    """A recomputation from copies of the CSV files, against what a reader of the page sees."""
    for name in EXPERIMENTS:
        (tmp_path / name).mkdir()
        (tmp_path / name / "results.csv").write_bytes((RESULTS / name / "results.csv").read_bytes())
    shown = re.findall(
        r"^\| “.*? \| \*\*([a-z ]+)\*\* \| ([0-9/]*) \|.*claims-details\.md#([a-z0-9-]+)\)",
        (PAGES / "claims.md").read_text(encoding="utf-8"),
        flags=re.MULTILINE,
    )
    again = [(one.verdict, one.printed.tables, one.sentence.name) for one in assess(SENTENCES, tmp_path)]
    assert sorted(shown) == sorted(again)


def test_the_page_of_claims_is_short_and_begins_with_ten_findings():
    page = (PAGES / "claims.md").read_text(encoding="utf-8")
    assert len(page.split()) < 7000
    first = page.partition("## How to read the rows")[0]
    assert [f"{number}. **" in first for number in range(1, 11)] == [True] * 10
    assert "?" not in first  # what was not run shows as a question mark


@pytest.mark.slow
@pytest.mark.one_in(5)
@pytest.mark.parametrize("finding", read_findings(), ids=lambda one: one.title)
def test_every_number_of_a_finding_is_a_mean_of_values_that_are_kept(finding):
    assert finding.numbers
    for name, number in finding.numbers.items():
        points = {}
        with (RESULTS / number.experiment / "results.csv").open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                key = (row["group"], row["series"], row["measure"], float(row["x"]))
                points.setdefault(key, []).append(float(row["value"]))
        measures, xs = number.measures or (number.measure,), number.xs or (number.x,)
        mean = fmean(fmean(points[number.group, number.series, one, x]) for one in measures for x in xs)
        if number.over is not None:
            other = number.over
            mean /= fmean(points[other.group, other.series, other.measure, other.x])
        mean *= 100 if number.percent else 1
        places = re.findall(r"\{" + name + r":([^}]*)\}", finding.text)
        assert places, name
        assert all(format(mean, place) in finding.filled(RESULTS) for place in places)
    names = {sentence.name for sentence in SENTENCES}
    assert finding.link in names or (PAGES / finding.link).is_file()


@pytest.mark.parametrize(("features", "said"), [(ERM_WIDE, "holds"), (ERM, "fails")])
def test_the_features_of_privateerm_clearly_decide_who_wins_on_nltcs(features, said):
    rule = superior_overall("NLTCS", rivals=(features,))
    assert rule.decide(read_results(RESULTS, "privbayes-fig16"), "all").verdict == said


@pytest.mark.parametrize(
    ("name", "table", "said"),
    [
        ("privbayes-fig12-alpha", "Adult", {"fails"}),
        ("privbayes-fig12-alpha", "BR2000", {"fails"}),
        ("privbayes-defaults", "ACS, θ", {"fails"}),
    ],
)
def test_what_a_reason_says_of_one_table_is_what_came_out_there(name, table, said):
    [one] = [one for one in ASSESSED if one.sentence.name == name]
    [decision] = [decision for test, decision in one.printed.tests if test.table == table]
    assert table.partition(",")[0] in reason_of(name)
    assert decision.verdict in said


def test_the_line_that_is_ahead_of_the_best_case_is_the_one_that_the_reason_names():
    [one] = [one for one in ASSESSED if one.sentence.name == "privbayes-fig16-best-case"]
    [said] = [decision.why for test, decision in one.printed.tests if test.table == "NLTCS"]
    assert re.search(rf"[1-9]\d* clearly lost: money, at [\d.]+: {BEST} [\d.]+, {ERM}", said)
    assert all(place.strip().startswith(("money, at 0.4", "money, at 0.8", "money, at 1.6")) for place in lost(said))


def test_the_error_of_salary_goes_down_as_the_reason_says():
    results = read_results(RESULTS, "privbayes-fig18")
    assert results.mean("salary", PRINTED, 0.05) > results.mean("salary", PRINTED, 0.1)


def lost(why):
    """The places that a decision names as lost."""
    return [part for part in why.partition("clearly lost: ")[2].rstrip(".").split("; ") if part.strip("… ")]


@pytest.mark.parametrize("name", ["cost-of-soundness.md", "experiments.md"])
def test_the_tables_of_a_page_are_those_that_the_results_give(monkeypatch, name):
    monkeypatch.syspath_prepend(str(PROJECT / "scripts"))
    sys.modules.pop("make_cost_tables", None)
    page = (PAGES / name).read_text(encoding="utf-8")
    assert "<!-- table: " in page
    assert import_module("make_cost_tables").filled(page, RESULTS) == page


@cache
def costs():
    return {name: cost_of(EXPERIMENTS[name], outcome) for name, outcome in OUTCOMES.items()}


@pytest.mark.slow
def test_the_costs_that_are_told_are_those_of_the_results():
    recorded = json.loads((PROJECT / "research" / "costs.json").read_text(encoding="utf-8"))
    told = costs()
    assert recorded == {
        name: {"quick": round(cost.quick_seconds, 1), "full": round(cost.full_seconds, 1)}
        | ({"at_most": True} if cost.quick_at_most else {})
        | ({"at_least": True} if cost.full_at_least else {})
        for name, cost in told.items()
    }
    assert told["privbayes-fig18"].full_at_least  # radial kernels were not timed
    assert not told["privbayes-fig16"].full_at_least  # here they were
    assert not told["privbayes-fig9"].full_at_least  # only more of the same
    assert told["hpprivbayes-fig4"].full_at_least  # more training rows
    repeated = [experiment for experiment in EXPERIMENTS.values() if experiment.full_seeds > 1]
    assert all(cost_of(experiment).quick_seconds > 0 for experiment in repeated)  # sizes of tables take no time


@pytest.mark.slow
def test_all_quick_forms_together_take_less_than_an_hour_on_two_cores():
    assert len(costs()) == len(EXPERIMENTS)
    assert sum(cost.quick_seconds for cost in costs().values()) / 2 < 3600


def test_a_cost_is_what_the_results_took_where_they_are_of_that_form():
    for name, outcome in OUTCOMES.items():
        if outcome.seeds == EXPERIMENTS[name].scale(quick=outcome.quick).seeds:
            cost = costs()[name]
            told = cost.quick_seconds if outcome.quick else cost.full_seconds
            assert told == pytest.approx(outcome.cpu_seconds, rel=0.2, abs=5), name


def test_the_index_counts_the_sentences_as_the_page_does():
    index = (PAGES / "README.md").read_text(encoding="utf-8")
    assert with_counts(index, ASSESSED) == index
    verdicts = [one.verdict for one in ASSESSED]
    assert f"Of {len(verdicts)} sentences: {verdicts.count('holds')} hold, " in index
    assert all(str(verdicts.count(word)) in index for word in get_args(Verdict))
    assert f"**{len(verdicts)}** sentences" in (PROJECT / "README.md").read_text(encoding="utf-8")


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
