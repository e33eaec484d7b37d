"""Rules say what they do, and can come out each way."""

from __future__ import annotations

import pytest

from research import Results
from research._rules import Beats, Near, Trend


def results(**lines):
    """Lines by name: for each x a list of values."""
    return Results({("", name, "error", x): values for name, line in lines.items() for x, values in line.items()})


@pytest.mark.parametrize(
    ("ours", "verdict"),
    [
        ({1.0: [0.1, 0.12], 2.0: [0.1, 0.11]}, "reproduced"),
        ({1.0: [0.1, 0.12], 2.0: [0.9, 0.91]}, "not reproduced"),
        ({1.0: [0.8, 0.81], 2.0: [0.9, 0.91]}, "contradicted"),
        ({1.0: [0.31, 0.49], 2.0: [0.3, 0.5]}, "not reproduced"),  # no clear loss, and no win either
    ],
)
def test_a_line_beats_another(ours, verdict):
    found = Beats(ours=("a",), others=("b",), measures=("error",)).decide(
        results(a=ours, b={1.0: [0.3, 0.31], 2.0: [0.3, 0.32]})
    )
    assert found.verdict == verdict


def test_beats_counts_higher_as_better_when_told_to():
    rule = Beats(ours=("a",), others=("b",), measures=("error",), higher=True)
    assert rule.decide(results(a={1.0: [0.9]}, b={1.0: [0.1]})).verdict == "reproduced"
    assert rule.decide(results(a={1.0: [0.1]}, b={1.0: [0.9]})).verdict == "contradicted"


def test_a_claim_of_clearly_wants_clear_wins():
    lines = results(a={1.0: [0.1, 0.5]}, b={1.0: [0.3, 0.32]})
    usual, strict = (Beats(ours=("a",), others=("b",), measures=("error",), clearly=clear) for clear in (False, True))
    assert usual.decide(lines).verdict == "reproduced"
    assert strict.decide(lines).verdict == "not reproduced"
    assert strict.decide(results(a={1.0: [0.1, 0.11]}, b={1.0: [0.3, 0.32]})).verdict == "reproduced"
    assert "below by more than 2 standard errors" in strict.text


def test_beats_looks_only_where_it_is_told_to():
    lines = results(a={1.0: [0.1], 2.0: [0.9]}, b={1.0: [0.3], 2.0: [0.3]})
    assert Beats(ours=("a",), others=("b",), measures=("error",), xs=(1.0,)).decide(lines).verdict == "reproduced"
    assert Beats(ours=("a",), others=("b",), measures=("error",), xs=(2.0,)).decide(lines).verdict == "contradicted"


def test_a_rule_without_anything_to_compare_reproduces_nothing():
    for rule in (
        Beats(ours=("a",), others=("b",), measures=("error",)),
        Trend(series=("a",), measures=("error",)),
        Near(first="a", second="b", measures=("error",), factor=2),
    ):
        assert rule.decide(Results()).verdict == "not reproduced"


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ({1.0: [0.9], 2.0: [0.5], 4.0: [0.1]}, "reproduced"),
        ({1.0: [0.9], 2.0: [0.95], 4.0: [0.1]}, "not reproduced"),
        ({1.0: [0.1], 2.0: [0.5], 4.0: [0.9]}, "contradicted"),
    ],
)
def test_a_line_falls_along_the_axis(line, verdict):
    assert Trend(series=("a",), measures=("error",)).decide(results(a=line)).verdict == verdict


@pytest.mark.parametrize(
    ("other", "verdict"),
    [
        ({1.0: [0.104], 2.0: [0.2]}, "reproduced"),
        ({1.0: [0.104], 2.0: [0.4]}, "not reproduced"),
        ({1.0: [0.3], 2.0: [0.4]}, "contradicted"),
    ],
)
def test_two_lines_are_near(other, verdict):
    rule = Near(first="a", second="b", measures=("error",), factor=1.1)
    assert rule.decide(results(a={1.0: [0.1], 2.0: [0.2]}, b=other)).verdict == verdict


def test_every_rule_says_in_words_when_a_claim_is_reproduced_and_when_contradicted():
    for rule in (
        Beats(ours=("a",), others=("b", "c"), measures=("error",), xs=(0.1,)),
        Trend(series=("a",), measures=("error",), rises=True),
        Near(first="a", second="b", measures=("error",), factor=1.25),
    ):
        for word in ("Reproduced if", "contradicted if", "otherwise not reproduced", "'a'"):
            assert word in rule.text
