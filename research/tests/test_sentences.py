"""Sentences: well formed, decided by what was run, and put together as it is said."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import product

import pytest
from tests.docs.blocks import PROJECT

from research import EXPERIMENTS, Results
from research._data import data_folder
from research._outcome import read_results
from research._reasons import read_reasons
from research.rules import Decision, Exact
from research.sentences import SENTENCES, Judged, Sentence, Test, assess, together

RESULTS = PROJECT / "docs" / "research" / "experiments"
EACH = pytest.mark.parametrize("sentence", SENTENCES, ids=lambda one: one.name)


@cache
def stored(experiment):
    return read_results(RESULTS, experiment)


@cache
def flat(experiment, value, runs):
    """Results with the points of an experiment and one value everywhere."""
    return Results({point: [value] * runs for point in stored(experiment).points})


def said(words):
    return [Decision(verdict=word, why="") for word in words]


HOLDS, FAILS, OPEN, PARTLY = "holds", "fails", "undecided", "holds partly"


@pytest.mark.parametrize(
    ("words", "always", "mostly"),
    [
        ([HOLDS] * 4, HOLDS, HOLDS),
        ([HOLDS, HOLDS, HOLDS, FAILS], FAILS, HOLDS),
        ([HOLDS, HOLDS, HOLDS, OPEN], OPEN, HOLDS),
        ([HOLDS, HOLDS, OPEN, OPEN], OPEN, OPEN),
        ([HOLDS, HOLDS, OPEN, FAILS], FAILS, PARTLY),
        ([HOLDS, OPEN, OPEN, OPEN], OPEN, OPEN),
        ([HOLDS, HOLDS, FAILS, FAILS], FAILS, PARTLY),
        ([HOLDS, FAILS, FAILS, FAILS], FAILS, FAILS),
        ([OPEN, FAILS], FAILS, OPEN),
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


def test_there_are_as_many_rows_as_a_reader_can_check():
    first = [one for one in SENTENCES if one.paper in ("PrivBayes", "PrivABN", "HPPrivBayes")]
    others = [one for one in SENTENCES if one.paper in ("Correlated release", "PRAM-BN")]
    assert 45 <= len(first) <= 65
    assert 10 <= len(others) <= 25
    assert len(first) + len(others) == len(SENTENCES)


@EACH
def test_every_test_names_an_experiment_and_lines_that_have_values(sentence):
    for test in (*sentence.tests, *sentence.ours):
        assert test.experiment in EXPERIMENTS
        results = stored(test.experiment)
        for group, measure, series in getattr(test.rule, "lines", ()):
            assert results.xs(measure, series, group), (group, measure, series)


@EACH
def test_every_rule_says_what_its_verdicts_take_and_decides_nothing_without_runs(sentence):
    for test in (*sentence.tests, *sentence.ours):
        assert "olds if" in test.rule.text(sentence.strength)
        assert test.rule.decide(Results(), sentence.strength).verdict == "undecided"


@EACH
def test_every_rule_decides_where_all_values_are_the_same_and_where_few_are_there(sentence):
    for test, value, runs in product((*sentence.tests, *sentence.ours), (0.0, 1.0, 1e-300), (1, 2, 6)):
        found = test.rule.decide(flat(test.experiment, value, runs), sentence.strength)
        assert found.why.strip()
        assert "nan" not in found.why


PAPERS = data_folder().parent / "papers"
NUMBERS = {"PrivABN": "000", "HPPrivBayes": "001", "PrivBayes": "002", "Correlated release": "003", "PRAM-BN": "004"}


@cache
def letters_of(paper):
    [path] = PAPERS.glob(f"{NUMBERS[paper]}_*.txt")
    return letters(path.read_text(encoding="utf-8"))


def letters(text):
    """Letters and digits alone: what is left of a sentence whichever way its formulas are written."""
    plain = unicodedata.normalize("NFKD", re.sub(r"\\[a-zA-Z]+", " ", text))
    return re.sub(r"[^a-z0-9]", "", plain.lower())


@pytest.mark.skipif(not PAPERS.is_dir(), reason="the papers' texts are not beside the benchmark data")
@EACH
def test_every_quote_is_what_the_paper_says(sentence):
    for part in sentence.quote.split("…"):
        assert letters(part) in letters_of(sentence.paper), part


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


OF_ALL = re.compile(r"\d|\b(always|all|never|consistently|only|every|no|both|equal)\b")
OF_ALL_BY_SENSE = {
    "privabn-best-parents": "to ensure the best is to find it every time",
    "privabn-fig1-approaches": "gradually leaves no step back",
    "privbayes-fig12-contingency": "it says several things, and means each",
    "correlated-entire-matrix": "a promise of privacy has no exceptions",
    "correlated-privacy": "a promise of privacy has no exceptions",
    "correlated-fig3-surges": "a course of three parts, and all must come",
}


def test_a_sentence_is_taken_for_one_about_all_cases_by_its_words():
    strong = {sentence.name for sentence in SENTENCES if sentence.strength == "all"}
    bare = {one.name for one in SENTENCES if one.name in strong and not OF_ALL.search(one.quote)}
    assert bare == set(OF_ALL_BY_SENSE)
    assert not any("In most cases" in one.quote or "tends to" in one.quote for one in SENTENCES if one.name in strong)


def test_a_sentence_is_decided_with_the_runs_that_decide_enough_of_its_tables():
    test = Test(table="NLTCS", experiment="privbayes-fig12", rule=Exact(series="a", printed={}))
    soon, late = (Decision(verdict=OPEN, why="", needed=runs, then=HOLDS) for runs in (8, 900))
    held = Decision(verdict=HOLDS, why="")
    tests = tuple((test, one) for one in (held, held, soon, late))
    assert Judged(verdict=OPEN, tests=tests, strength="general").needed == 8  # three of four will do
    assert Judged(verdict=OPEN, tests=tests, strength="all").needed == 900
    unknown = Decision(verdict=OPEN, why="", needed=5)
    assert Judged(verdict=OPEN, tests=((test, unknown),)).needed == 5
