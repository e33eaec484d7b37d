"""PrivABN's sentences hold, fail or stay undecided: each is tried with values that must make it so."""

from __future__ import annotations

import pytest

from research.sentences import privabn
from research.tests.made_up_results import NAMED, made_up, verdict_of
from research.tests.test_privabn_figures import printed_pairs

FLOOR, STEPS = 0.01, (0.001, 0.005, 0.01, 0.05, 0.1, 1.0)


def curve(left):
    """Errors above a floor: all of it at the smallest budget, then so much of it as `left(x, measure)` says."""

    def value(run, measure, x):
        if run.series.startswith("No"):
            return FLOOR
        return FLOOR + (1.0 if x == STEPS[0] else left(x, measure))

    return value


def turning(bend_of):
    """Errors that fall steeply up to a bend, by little after it, and by a little more at every step."""

    def value(run, measure, x):
        place, bend = STEPS.index(x), bend_of(measure)
        return 10 - 0.01 * place - 0.3 * min(place, bend)

    return value


def steep_in_the_middle(run, measure, x):
    """The steepest step ends at 0.01 or at 0.05, by α; all bend most at 0.05."""
    errors = {"3": (5.0, 4.5, 4.0, 3.0, 2.99, 2.98), "7": (5.0, 4.5, 3.9, 3.3, 3.29, 3.28)}
    return errors.get(measure[3], (5.0, 4.6, 4.2, 3.0, 2.99, 2.98))[STEPS.index(x)]


def lines(**means):
    """An error for each method, by how its name begins; with `_steep` it grows with α."""

    def value(run, measure, x):
        mean, slope = means[run.series.partition(",")[0].split()[0]]
        return mean + slope * x

    return value


def table_3(run, measure, x):
    rows, columns = {"NLTCS": (21_574, 16), "ACS": (47_461, 23), "Retail": (88_162, 50)}[run.series]
    return float(rows if measure == "rows" else columns)


def wide(factor):
    return lambda run, measure, x: factor if measure.endswith("12-way") else 1.0


FLAT, STEEP, LEVEL = (0.1, 0.0), (0.2, 0.05), (0.2, 0.0)
CASES = {
    "privabn-fig1-close": (curve(lambda x, m: 0.02), curve(lambda x, m: 0.5)),
    "privabn-fig1-approaches": (curve(lambda x, m: 0.1 / (1 + STEPS.index(x))), curve(lambda x, m: 1 + x)),
    "privabn-fig1-lower-bound": (
        lambda run, measure, x: 0.1 if run.series.startswith("No") else 0.2,
        lambda run, measure, x: 0.3 if run.series.startswith("No") else 0.2,
    ),
    "privabn-fig1-turning-points": (
        turning(lambda measure: 3),
        turning(lambda measure: {"3": 1, "7": 3}.get(measure[3], 2)),
    ),
    "privabn-fig1-robust": (wide(1.5), wide(3.0)),
    "privabn-fig2-bar": (lambda run, measure, x: 0.005, lambda run, measure, x: 0.02),
    "privabn-fig3-outperforms": (
        lines(PrivABN=FLAT, PriView=LEVEL, PrivBayes=LEVEL, JTree=LEVEL),
        lines(PrivABN=LEVEL, PriView=FLAT, PrivBayes=FLAT, JTree=FLAT),
    ),
    "privabn-fig3-small": (
        lines(PrivABN=FLAT, PriView=LEVEL, PrivBayes=LEVEL, JTree=LEVEL),
        lines(PrivABN=LEVEL, PriView=FLAT, PrivBayes=LEVEL, JTree=LEVEL),
    ),
    "privabn-fig3-large": (
        lines(PrivABN=FLAT, PriView=LEVEL, PrivBayes=LEVEL, JTree=(0.11, 0.0)),
        lines(PrivABN=LEVEL, PriView=FLAT, PrivBayes=FLAT, JTree=FLAT),
    ),
    "privabn-fig3-model": (
        lines(PrivABN=FLAT, PriView=FLAT, PrivBayes=LEVEL, JTree=LEVEL),
        lines(PrivABN=LEVEL, PriView=FLAT, PrivBayes=LEVEL, JTree=FLAT),
    ),
    "privabn-fig3-range": (
        lines(PrivABN=FLAT, PriView=STEEP, PrivBayes=STEEP, JTree=STEEP),
        lines(PrivABN=STEEP, PriView=FLAT, PrivBayes=FLAT, JTree=LEVEL),
    ),
}
EXACT = {
    "privabn-table2-greedybayes": (printed_pairs, lambda run, measure, x: 2 * printed_pairs(run, measure, x)),
    "privabn-table2-250": (lambda run, measure, x: 250.0, printed_pairs),
    "privabn-best-parents": (lambda run, measure, x: 0.0, lambda run, measure, x: 0.0 if x < 10 else 0.1),
    "privabn-table3": (table_3, lambda run, measure, x: table_3(run, measure, x) + (run.series == "ACS")),
}


def test_every_sentence_is_tried():
    assert set(CASES) | set(EXACT) == {sentence.name for sentence in privabn.SENTENCES}
    assert 10 <= len(privabn.SENTENCES) <= 15


@pytest.mark.parametrize("name", CASES)
def test_a_sentence_holds_fails_or_stays_open_as_the_values_say(name):
    right, wrong = CASES[name]
    assert verdict_of(name, right) == "holds"
    assert verdict_of(name, wrong) == "fails"
    assert verdict_of(name, right, spread=30) == "undecided"
    assert verdict_of(name, right, seeds=4) == "undecided"


@pytest.mark.parametrize("name", EXACT)
def test_numbers_without_chance_hold_or_fail(name):
    right, wrong = EXACT[name]
    assert verdict_of(name, right, spread=0) == "holds"
    assert verdict_of(name, wrong, spread=0) == "fails"


def test_a_gap_that_widens_again_is_no_gradual_approach():
    def back(x, measure):
        return {0.005: 0.5, 0.01: 0.2, 0.05: 0.4}.get(x, 0.1)

    assert verdict_of("privabn-fig1-approaches", curve(back)) == "fails"


def test_a_turning_point_is_a_bend_and_not_the_steepest_step():
    assert verdict_of("privabn-fig1-turning-points", steep_in_the_middle) == "holds"


def test_being_better_at_one_budget_alone_holds_in_part():
    def value(run, measure, x):
        ours = run.series.startswith("PrivABN")
        return 0.1 if ours == (run.group == "ε = 0.1") else 0.2

    assert verdict_of("privabn-fig3-outperforms", value) == "holds partly"


def test_being_ahead_of_jtree_by_far_is_superior_but_not_the_same():
    ahead = lines(PrivABN=FLAT, PriView=LEVEL, PrivBayes=LEVEL, JTree=LEVEL)
    assert verdict_of("privabn-fig3-large", ahead) == "holds partly"


def test_the_bar_of_figure_2_says_where_it_is_passed_first():
    results = made_up("privabn-fig2", lambda run, measure, x: 0.02 if x < 0.6 else 0.005)
    found = NAMED["privabn-fig2-bar"].tests[0].rule.decide(results, "all")
    assert "first at ε = 0.6" in found.why
    assert found.runs == 6
