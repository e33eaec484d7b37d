"""Sentences: well formed, decided by what was run, and put together as it is said."""

from __future__ import annotations

from functools import cache
from itertools import product

import pytest
from tests.docs.blocks import PROJECT

from research import EXPERIMENTS, Results
from research._outcome import read_results
from research._reasons import read_reasons
from research.rules import Decision, Exact
from research.sentences import SENTENCES, Sentence, Test, assess, together

RESULTS = PROJECT / "docs" / "research" / "experiments"
TESTS = [(s, test) for s in SENTENCES for test in (*s.tests, *s.ours)]
EACH = pytest.mark.parametrize(("sentence", "test"), TESTS, ids=lambda one: getattr(one, "name", ""))


@cache
def stored(experiment):
    return read_results(RESULTS, experiment)


def said(words):
    return [Decision(verdict=word, why="") for word in words]


HOLDS, FAILS, OPEN, PARTLY = "holds", "fails", "undecided", "holds partly"


@pytest.mark.parametrize(
    ("words", "always", "mostly"),
    [
        ([HOLDS] * 4, HOLDS, HOLDS),
        ([HOLDS, HOLDS, HOLDS, FAILS], FAILS, HOLDS),
        ([HOLDS, HOLDS, HOLDS, OPEN], OPEN, HOLDS),
        ([HOLDS, HOLDS, OPEN, OPEN], OPEN, PARTLY),
        ([HOLDS, OPEN, OPEN, OPEN], OPEN, OPEN),
        ([HOLDS, HOLDS, FAILS, FAILS], FAILS, PARTLY),
        ([HOLDS, FAILS, FAILS, FAILS], FAILS, FAILS),
        ([OPEN, FAILS], FAILS, PARTLY),
        ([PARTLY], FAILS, PARTLY),
        ([], "not testable", "not testable"),
    ],
)
def test_tables_make_a_verdict_together(words, always, mostly):
    assert together(said(words), "all") == always
    assert together(said(words), "general") == mostly


def test_every_sentence_has_a_name_of_its_own():
    names = [sentence.name for sentence in SENTENCES]
    assert len(set(names)) == len(names)


@EACH
def test_every_test_names_an_experiment_and_lines_that_have_values(sentence, test):
    assert test.experiment in EXPERIMENTS
    results = stored(test.experiment)
    for group, measure, series in getattr(test.rule, "lines", ()):
        assert results.xs(measure, series, group), (sentence.name, group, measure, series)


@EACH
def test_every_rule_says_what_its_verdicts_take_and_decides_nothing_without_runs(sentence, test):
    text = test.rule.text(sentence.strength)
    assert "olds if" in text
    assert test.rule.decide(Results(), sentence.strength).verdict == "undecided"


@EACH
def test_every_rule_decides_where_all_values_are_the_same_and_where_few_are_there(sentence, test):
    results = stored(test.experiment)
    for value, runs in product((0.0, 1.0, 1e-300), (1, 2, 6)):
        same = Results({point: [value] * runs for point in results.points})
        found = test.rule.decide(same, sentence.strength)
        assert found.why.strip()
        assert "nan" not in found.why


def test_a_sentence_is_decided_by_tests_or_says_what_is_missing():
    test = Test(table="NLTCS", experiment="privbayes-fig12", rule=Exact(series="a", printed={}))
    common = {"paper": "PrivBayes", "section": "6", "where": "Figure 1", "quote": "So it is.", "strength": "all"}
    assert Sentence(name="a", tests=(test,), **common).missing == ""
    for wrong in ({"name": "a"}, {"name": "a", "tests": (test,), "missing": "data"}, {"name": "A b", "tests": (test,)}):
        with pytest.raises(ValueError, match=r"missing|anchor"):
            Sentence(**wrong, **common)
    with pytest.raises(ValueError, match="one test a table"):
        Sentence(name="a", tests=(test, test), **common)


def test_what_was_not_run_is_undecided_and_says_so(tmp_path):
    for one in assess(SENTENCES, tmp_path):
        assert one.verdict in ("undecided", "not testable")
        assert all("was not run" in decision.why for _, decision in one.printed.tests)


def test_every_reason_belongs_to_a_sentence_and_is_a_line():
    assert set(read_reasons()) <= {sentence.name for sentence in SENTENCES}
    assert all(0 < len(words.split()) <= 60 for words in read_reasons().values())
