"""The pages of claims, from sentences and results that are made up."""

from __future__ import annotations

import re

import pytest

from research import EXPERIMENTS, Cited, Number, claims_page, details_page, runs_in_words, with_counts, with_findings
from research.rules import Beats
from research.sentences import Sentence, Test, assess

EXPERIMENT = "privbayes-fig12"
COMMON = {"paper": "PrivBayes", "section": "6.5", "where": "Figure 12", "strength": "all"}


def beats(ours, other, table="NLTCS"):
    rule = Beats(ours=(ours,), others=(other,), measures=("Q3",))
    return Test(table=table, experiment=EXPERIMENT, rule=rule)


SENTENCES = (
    Sentence(
        name="a-good", quote="P(a|b) is good.", tests=(beats("good", "bad"),), ours=(beats("bad", "good"),), **COMMON
    ),
    Sentence(name="a-bad", quote="Bad is best.", tests=(beats("bad", "good"), beats("good", "bad", "ACS")), **COMMON),
    Sentence(name="a-few", quote="Once is enough.", tests=(beats("once", "bad"),), **COMMON),
    Sentence(name="a-close", quote="Close, and ahead.", tests=(beats("close", "good"),), **COMMON),
    Sentence(name="a-same", quote="Same, and ahead.", tests=(beats("same", "good"),), **COMMON),
    Sentence(name="a-gone", quote="It was quick.", missing="the machine", **COMMON),
)
CITED = (
    Cited(
        title="Good is good.",
        text="It is off by {good:.2f}, and {times:.1f} times less than bad; {gone:.3f}.",
        link="a-good",
        numbers={
            "good": Number(experiment=EXPERIMENT, series="good", measure="Q3", x=1.0),
            "times": Number(
                experiment=EXPERIMENT,
                series="bad",
                measure="Q3",
                x=1.0,
                over=Number(experiment=EXPERIMENT, series="good", measure="Q3", x=1.0),
            ),
            "gone": Number(experiment="privbayes-fig13", series="good", measure="Q3", x=1.0),
        },
    ),
)
VALUES = {
    "good": [0.10, 0.11, 0.12, 0.11, 0.11],
    "bad": [0.40, 0.44, 0.47, 0.44, 0.45],
    "close": [0.08, 0.12, 0.10, 0.10, 0.12],
    "same": [0.09, 0.12, 0.11, 0.10, 0.126],
    "once": [0.01],
}


@pytest.fixture
def out(tmp_path):
    rows = [f",{line},1,{seed},Q3,{value}" for line, values in VALUES.items() for seed, value in enumerate(values)]
    (tmp_path / EXPERIMENT).mkdir()
    text = "\n".join(["group,series,x,seed,measure,value", *rows])
    (tmp_path / EXPERIMENT / "results.csv").write_text(text + "\n")
    return tmp_path


@pytest.fixture
def page(out):
    return claims_page(
        assess(SENTENCES, out), CITED, out=out, figures="results", folder="docs/results", page="docs/a.md"
    )


def row(page, name):
    [found] = [line for line in page.splitlines() if line.startswith("| “") and f"#{name})" in line]
    *cells, last = (cell.strip() for cell in re.split(r"(?<!\\)\|", found)[1:-1])
    why, links = re.fullmatch(r"(.*?) (\[(?:figure|details)\].*)", last).groups()
    return [*cells, why, links]


def test_a_row_has_quote_verdict_tables_reason_power_and_links(page):
    quote, verdict, tables, why, links = row(page, "a-good")
    assert quote == "“P(a\\|b) is good.” (§6.5, Figure 12)"  # a bar in it does not break the table
    assert (verdict, tables) == ("**holds**", "1/1")
    assert re.fullmatch(r"1 of 1 clearly won, 0 clearly lost\. 5 runs, sees [\d.]+ %\.", why)
    assert links == f"[figure](results/{EXPERIMENT}/figure.svg) [details](claims-details.md#a-good)"


def test_what_fails_says_where_and_what_is_undecided_says_how_many_runs_would_decide(page):
    assert row(page, "a-bad")[1:3] == ["**fails**", "1/2"]
    assert row(page, "a-bad")[3].startswith("NLTCS (fails): 0 of 1 clearly won, 1 clearly lost: Q3, at 1: bad 0.44")
    assert row(page, "a-few")[1:3] == ["**undecided**", "0/1"]
    assert row(page, "a-few")[3].endswith("It needs five runs.")
    assert re.search(r"5 runs, sees \d+ %; [\d,]+ runs would decide\.$", row(page, "a-close")[3])
    beyond = r"5 runs; no difference of \d+ % or more; the paper's 100 runs would not decide it\.$"
    assert re.search(beyond, row(page, "a-same")[3])
    assert row(page, "a-gone")[1:4] == ["**not testable**", "", "Missing: the machine."]


def test_findings_stand_first_with_their_numbers_and_a_mark_for_what_was_not_run(page, out):
    first = page.splitlines()[4]
    assert first == (
        "1. **Good is good.** It is off by 0.11, and 4.0 times less than bad; ?. [→](claims-details.md#a-good)"
    )
    text = with_findings("before\n<!-- findings -->\nold\n<!-- end -->\nafter", CITED, out)
    assert text == f"before\n<!-- findings -->\n{first}\n<!-- end -->\nafter"


def test_verdicts_are_counted_and_our_forms_stand_apart(page, out):
    assert "| PrivBayes | 6 | 1 | 0 | 1 | 3 | 1 |" in page
    assert "| [a-good](claims-details.md#a-good) | **holds** 1/1 | **fails** 0/1 | NLTCS |" in page
    counted = with_counts("<!-- verdicts -->\n<!-- end -->", assess(SENTENCES, out))
    assert "Of 6 sentences: 1 hold, 0 hold partly, 1 fail, 3 undecided, 1 not testable." in counted


def test_details_have_every_table_with_its_rule_and_every_experiment(out):
    assessed = assess(SENTENCES, out)
    details = details_page(assessed, list(EXPERIMENTS.values()), {}, figures="results")
    for one in assessed:
        assert f"\n### {one.sentence.name}\n" in details
        for test, decision in one.printed.tests:
            assert test.rule.text("all") in details
            assert decision.why in details
    for name in EXPERIMENTS:
        assert f"\n### Run: {name}\n" in details
    assert details.count("Not run.") == len(EXPERIMENTS)


def test_power_is_told_in_a_few_words(out):
    words = {one.sentence.name: runs_in_words(one.printed) for one in assess(SENTENCES, out)}
    assert words["a-few"] == "It needs five runs."
    assert words["a-gone"] == ""
    assert words["a-good"].startswith("5 runs, sees ")
