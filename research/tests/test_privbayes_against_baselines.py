"""Figures 12 to 19 of the PrivBayes paper: their runs are well-formed, and their rules can fall out either way."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

import pytest

from research import EXPERIMENTS, Claim, Experiment, Results
from research.figures import privbayes_alpha_way as alpha_way
from research.figures import privbayes_classifiers as classifiers
from research.svm import CLASSIFIERS, NO_PRIVACY, PAPER_TARGETS
from research.tasks import TASKS
from understudy.methods import BASELINES, read_method

MARGINALS = [EXPERIMENTS[f"privbayes-fig{i}"] for i in range(12, 16)]
MACHINES = [EXPERIMENTS[f"privbayes-fig{i}"] for i in range(16, 20)]
BUDGETS = (0.05, 0.1, 0.4, 1.6)
Line = Callable[[float], float]


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


# -- rules, on lines made up -----------------------------------------------------------------------------------------
def made_up(lines: Mapping[str, Line], measures: tuple[str, ...], more: float = 1.0) -> Results:
    """Two repetitions, close together; each measure is `more` times the one before it."""
    points = {
        ("", series, measure, x): [more**i * line(x) * shift for shift in (0.999, 1.001)]
        for series, line in lines.items()
        for i, measure in enumerate(measures)
        for x in BUDGETS
    }
    return Results(points)


def verdicts(claims: tuple[Claim, ...] | list[Claim], results: Results) -> dict[tuple[str, str], str]:
    return {(claim.sentence, claim.form): claim.rule.decide(results).verdict for claim in claims}


def as_the_paper_has_it() -> dict[str, Line]:
    return {
        alpha_way.OURS: lambda x: 0.05 - 0.001 * x,
        alpha_way.PRINTED: lambda x: 0.06 - 0.01 * x,
        alpha_way.LAPLACE: lambda x: 0.6 - 0.3 * x,
        alpha_way.FOURIER: lambda x: 0.6 - 0.25 * x,
        alpha_way.CONTINGENCY: lambda x: 0.5 - 0.02 * x,
        alpha_way.CONTINGENCY_WHOLE: lambda x: 0.5 - 0.02 * x,
        alpha_way.MWEM: lambda x: 0.5 - 0.2 * x,
        alpha_way.MWEM_TABLES: lambda x: 0.5 - 0.2 * x,
        alpha_way.UNIFORM: lambda x: 0.5,
    }


def degrees(results: Results, least: float, most: float) -> Results:
    points = {("degree", alpha_way.OURS, "degree", x): [least if x < 0.2 else most] for x in BUDGETS}
    return Results({**results.points, **points})


def test_lines_as_the_paper_describes_them_reproduce_all_claims_on_marginals() -> None:
    results = degrees(made_up(as_the_paper_has_it(), ("Q3", "Q4"), more=1.2), 0, 3)
    claims = [*alpha_way.claims("T", ("Q3", "Q4"), joint=True), *alpha_way.same_as_uniform("T", ("Q3", "Q4"))]
    fell_out = {key for key, verdict in verdicts(claims, results).items() if verdict != "reproduced"}
    # errors that all grow alike with α keep their quotients
    assert {form for _, form in fell_out} <= {"as a ratio of errors"}
    assert all("larger α" in sentence for sentence, _ in fell_out)


def test_lines_the_other_way_round_contradict_all_claims_on_marginals() -> None:
    turned: dict[str, Line] = {
        alpha_way.OURS: lambda x: 0.9 - 0.5 * x,
        alpha_way.PRINTED: lambda x: 0.9 - 0.5 * x,
        alpha_way.LAPLACE: lambda x: 0.05,
        alpha_way.FOURIER: lambda x: 0.05,
        alpha_way.CONTINGENCY: lambda x: 0.3 - 0.18 * x,
        alpha_way.CONTINGENCY_WHOLE: lambda x: 0.3 - 0.18 * x,
        alpha_way.MWEM: lambda x: 0.05 + 0.01 * x,
        alpha_way.MWEM_TABLES: lambda x: 0.05 + 0.01 * x,
        alpha_way.UNIFORM: lambda x: 0.08,
    }
    results = degrees(made_up(turned, ("Q3", "Q4"), more=2.0), 3, 0)
    claims = [*alpha_way.claims("T", ("Q3", "Q4"), joint=True), *alpha_way.same_as_uniform("T", ("Q3", "Q4"))]
    # the quotient of two errors that double is what it was, all of them grow, and Uniform is too good here
    other = {
        (sentence, form): verdict
        for (sentence, form), verdict in verdicts(claims, results).items()
        if verdict != "contradicted" and "ratio" not in form and "inaccurate" not in sentence
    }
    assert other == {("On T, the errors of Laplace and Fourier grow with α.", ""): "reproduced"}
    far = verdicts(claims, made_up({**turned, alpha_way.UNIFORM: lambda x: 0.8}, ("Q3", "Q4")))
    assert {verdict for (sentence, _), verdict in far.items() if "inaccurate" in sentence} == {"contradicted"}
    shrunk = verdicts(claims, made_up(turned, ("Q3", "Q4"), more=0.5))
    assert shrunk["On T, the errors of Laplace and Fourier grow with α.", ""] == "contradicted"


@pytest.mark.parametrize("experiment", MARGINALS + MACHINES, ids=lambda e: e.name)
def test_no_claim_is_reproduced_by_nothing(experiment: Experiment) -> None:
    assert {claim.rule.decide(Results()).verdict for claim in experiment.claims} == {"not reproduced"}


def machines(turned: bool = False) -> dict[str, Line]:
    below: dict[str, Line] = {
        classifiers.BEST: lambda x: 0.1,
        classifiers.BEST_CURVED: lambda x: 0.09,
        classifiers.CURVED: lambda x: 0.25,
        classifiers.SINGLE: lambda x: 0.2 if x < 1 else 0.22,
        classifiers.OURS: lambda x: 0.25 if x != 0.1 else 0.27,
        classifiers.PRINTED: lambda x: 0.25 if x != 0.1 else 0.27,
        classifiers.ERM: lambda x: 0.35,
        classifiers.ERM_WIDE: lambda x: 0.35,
        classifiers.GENE: lambda x: 0.36,
        classifiers.MAJORITY: lambda x: 0.4,
    }
    if not turned:
        return below
    return {
        classifiers.BEST: lambda x: 0.5,
        classifiers.BEST_CURVED: lambda x: 0.5,
        classifiers.CURVED: lambda x: 0.4,
        classifiers.SINGLE: lambda x: 0.45 - 0.01 * x,
        classifiers.OURS: lambda x: 0.41 - 0.1 * x,
        classifiers.PRINTED: lambda x: 0.41 - 0.1 * x,
        classifiers.ERM: lambda x: 0.1,
        classifiers.ERM_WIDE: lambda x: 0.1,
        classifiers.GENE: lambda x: 0.1,
        classifiers.MAJORITY: lambda x: 0.4 - 0.1 * x,
    }


def with_all_budgets(lines: Mapping[str, Line], measures: tuple[str, ...]) -> Results:
    points = {
        ("", series, measure, x): [line(x) * shift for shift in (0.999, 1.001)]
        for series, line in lines.items()
        for measure in measures
        for x in (0.05, 0.1, 0.2, 0.4, 0.8, 1.6)
    }
    return Results(points)


@pytest.mark.parametrize("experiment", MACHINES, ids=lambda e: e.name)
def test_rules_on_classifiers_fall_out_both_ways(experiment: Experiment) -> None:
    measures = tuple(panel.measure for panel in experiment.panels)
    right = verdicts(experiment.claims, with_all_budgets(machines(), measures))
    adult = {key for key, verdict in right.items() if verdict != "reproduced"}
    assert all("not outperformed by PrivateERM (Single)" in sentence for sentence, _ in adult)
    wrong = verdicts(experiment.claims, with_all_budgets(machines(turned=True), measures))
    assert {sentence for (sentence, _), verdict in wrong.items() if verdict != "contradicted"} <= {
        "On Adult, PrivBayes is not outperformed by PrivateERM (Single)."
    }


def test_the_panels_are_the_papers_tasks_in_its_order() -> None:
    for experiment, base in zip(MACHINES, ("nltcs", "acs", "adult", "br2000"), strict=True):
        assert tuple(panel.measure for panel in experiment.panels) == PAPER_TARGETS[base]
