"""The correlated-release paper's sentences hold, fail or stay undecided: each is tried with values that make it so."""

from __future__ import annotations

import pytest

from research.figures.correlated_table1 import LIMIT
from research.sentences import correlated, pram
from research.tests.made_up_results import NAMED, made_up, verdict_of


def success(**shares):
    """How often an attack is right: the limit, and by whether rows are linked."""

    def value(run, measure, x):
        if run.series == LIMIT:
            return 0.7
        return shares["linked" if "linked" in run.series else "alone"]

    return value


def constant(**values):
    """Every measure as named, and others 0."""
    return lambda run, measure, x: values.get(measure.replace(" ", "_"), 0.0)


def answers(ours):
    return lambda run, measure, x: 1.0 if run.series.startswith("Laplace") else ours


def corrections(first, last):
    return lambda run, measure, x: first if x == 0.001 else last


def distance(last):
    return constant(distance=last, first_distance=0.9, corrections=5.0)


def accuracy(at):
    return lambda run, measure, x: at(x) if measure == "accuracy" else 0.0


ALIKE = constant(independent_is_global=1.0, smaller=1.0, smaller_where_somebody_matches=1.0, CS=0.5)
LARGER = constant(independent_is_global=1.0, smaller=0.05, smaller_where_somebody_matches=0.0, CS=3.0)
EXACT = {
    "correlated-table1-protected": (success(alone=0.6, linked=0.9), success(alone=0.8, linked=0.6)),
    "correlated-links-hurt": (success(alone=0.6, linked=0.9), success(alone=0.9, linked=0.6)),
    "correlated-entire-matrix": (constant(loss=0.5), constant(loss=2.0)),
    "correlated-no-more-noise": (constant(apart_is_global=1.0), constant(apart_is_global=0.9)),
    "correlated-sensitivity": (ALIKE, LARGER),
    "correlated-free-rounds": (constant(loss=0.02), constant(loss=0.1)),
}
CASES = {
    "correlated-approximates": (distance(0.3), distance(0.95)),
    "correlated-fig1-laplace": (answers(0.5), answers(2.0)),
    "correlated-fig2-falls": (lambda run, measure, x: 10 / x, lambda run, measure, x: 10 * x),
    "correlated-fig2-numbers": (corrections(9_900.0, 60.0), corrections(5_000.0, 60.0)),
    "correlated-fig3-surges": (accuracy(lambda x: min(0.7 + x, 0.9)), accuracy(lambda x: 0.9 - x / 4)),
}


def test_every_sentence_is_tried():
    assert set(CASES) | set(EXACT) | {"correlated-privacy"} == {sentence.name for sentence in correlated.SENTENCES}
    assert 10 <= len(correlated.SENTENCES) + len(pram.SENTENCES) <= 25


@pytest.mark.parametrize("name", CASES)
def test_a_sentence_holds_fails_or_stays_open_as_the_values_say(name):
    right, wrong = CASES[name]
    assert verdict_of(name, right) == "holds"
    assert verdict_of(name, wrong) == "fails"
    assert verdict_of(name, right, spread=30) != "holds"
    assert verdict_of(name, right, seeds=4) == "undecided"


@pytest.mark.parametrize("name", EXACT)
def test_what_has_no_chance_in_it_holds_or_fails(name):
    right, wrong = EXACT[name]
    assert verdict_of(name, right, spread=0) == "holds"
    assert verdict_of(name, wrong, spread=0) == "fails"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("correlated-fig2-numbers", corrections(9_900.0, 0.0)),
        ("correlated-fig2-numbers", corrections(9_900.0, 200.0)),
        ("correlated-fig3-surges", accuracy(lambda x: 0.8)),  # no surge
        ("correlated-fig3-surges", accuracy(lambda x: 0.9 - abs(x - 0.3) / 2)),  # not stable
        ("correlated-sensitivity", constant(independent_is_global=0.95, nobody_matches=0.05, smaller=1.0, CS=1.0)),
        ("correlated-sensitivity", constant(independent_is_global=1.0, smaller=0.9, CS=0.9)),
    ],
)
def test_half_of_a_sentence_is_not_enough(name, value):
    assert verdict_of(name, value, spread=1e-4) == "fails"


@pytest.mark.parametrize(("times", "said"), [(5.0, "holds"), (1.0, "undecided"), (0.5, "fails")])
def test_the_sensitivity_of_a_whole_group_may_be_meant(times, said):
    [test] = NAMED["correlated-sensitivity"].ours
    results = made_up("correlated-privacy", constant(group_over_printed=times))
    assert test.rule.decide(results, "all").verdict == said
    assert verdict_of("correlated-sensitivity", constant(group_over_printed=times), spread=0) == "fails"


def test_where_nothing_is_printed_the_rule_says_what_the_words_come_to():
    rule = NAMED["correlated-no-more-noise"].tests[0].rule
    assert "share of counts of records without links for which CS is the global sensitivity: 1" in rule.text("all")
    assert "printed" not in rule.text("all")
    found = rule.decide(made_up("correlated-privacy", constant(apart_is_global=1.0), spread=0), "all")
    assert found.why == "share of counts of records without links for which CS is the global sensitivity: 1."


def test_an_attack_that_trials_cannot_tell_from_the_limit_is_undecided():
    assert verdict_of("correlated-table1-protected", success(alone=0.7, linked=0.7), spread=0) == "undecided"


def test_an_audit_can_only_speak_against_a_promise():
    assert verdict_of("correlated-privacy", constant(proved=1.5, claimed=1.0)) == "fails"
    assert verdict_of("correlated-privacy", constant(proved=0.5, claimed=1.0)) == "undecided"
