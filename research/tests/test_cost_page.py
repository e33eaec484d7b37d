"""What the page on soundness, and the one on baselines, say in words: the stored values say it too."""

from __future__ import annotations

import pytest
from tests.docs.blocks import PROJECT

from research import read_results
from research.rules import clear, paired

PAGES = PROJECT / "docs" / "research"
NLTCS_ACS = [(group, x) for group in ("NLTCS", "ACS") for x in (0.05, 0.1, 1.0)]
PRINTED, REPAIRED = "PrivABN as printed", "PrivABN repaired"
HP, HP_REPAIRED, HP_EQUAL = "HPPrivBayes as printed", "HPPrivBayes repaired", "HPPrivBayes as printed, equal noise"


@pytest.fixture(scope="module")
def page():
    """The page on soundness in one line: where it breaks lines is of no matter."""
    return " ".join((PAGES / "cost-of-soundness.md").read_text(encoding="utf-8").split())


@pytest.fixture(scope="module")
def results():
    names = "privabn-fig1 privabn-fig3 hpprivbayes-fig4 hpprivbayes-fig5 soundness-leak privbayes-fig16 correlated-fig1"
    return {name: read_results(PROJECT / "docs" / "research" / "experiments", name) for name in names.split()}


def below(results, first, second, places, measure):
    """Where the first line is clearly below the second, of these places, by paired differences and Holm's method."""
    lines = [[results.by_seed(measure, line, x, group) for line in (first, second)] for group, x in places]
    contrasts = [paired(*both, words="") for both in lines]
    return [place for place, sign in zip(places, clear(contrasts), strict=True) if sign < 0]


def ratio(results, first, second, x, measure, group=""):
    return results.mean(measure, first, x, group) / results.mean(measure, second, x, group)


def test_the_page_has_the_very_runs_of_privabns_figure_1(page, results):
    for line in (PRINTED, REPAIRED):
        for group, x in NLTCS_ACS:
            one, other = (
                results[name].by_seed("L2 3-way", line, x, group) for name in ("soundness-leak", "privabn-fig1")
            )
            assert one == other
            assert f"mean of {len(one)} repetitions, those of Figures 1 and 3" in page
            assert len(results["privabn-fig3"].values("L2 error", line, 4.0, "ε = 1")) == len(one)


def test_what_is_said_of_privabns_repair(page, results):
    figure, retail = results["privabn-fig1"], results["privabn-fig3"]
    ratios = [ratio(figure, REPAIRED, PRINTED, x, "L2 3-way", group) for group, x in NLTCS_ACS]
    assert f"smaller by a factor of {min(ratios):.1f} to {max(ratios):.1f} there" in page
    clearly = below(figure, PRINTED, REPAIRED, NLTCS_ACS, "L2 3-way")
    assert clearly == [place for place in NLTCS_ACS if place != ("NLTCS", 1.0)]
    assert "clearly everywhere but on NLTCS at ε = 1" in page
    least = [("NLTCS", 0.01), ("ACS", 0.01)]
    assert below(figure, REPAIRED, PRINTED, least, "L2 3-way") == least
    assert "At ε = 0.01 the repaired form is clearly better on NLTCS and ACS" in page
    wide = [ratio(retail, REPAIRED, PRINTED, way, "L2 error", f"ε = {x}") for x in ("0.1", "1") for way in (4, 6, 8)]
    assert max(wide) < 1.05
    assert f"as good or up to {1 / min(wide):.1f} times better" in page


def test_what_is_said_of_hpprivbayes_repair(page, results):
    figure, places = results["hpprivbayes-fig5"], [("", x) for x in (0.2, 0.4, 0.6, 0.8, 1.0)]
    assert f"{len(figure.values('Q2', HP, 1.0))} repetitions, all with k = 4" in page
    assert all(below(figure, HP_REPAIRED, HP, places, measure) == places for measure in ("Q2", "Q3"))
    assert "the repaired form is clearly better at every budget" in page
    first, last = (ratio(figure, HP_REPAIRED, HP, x, "Q2") for x in (0.2, 1.0))
    assert f"At ε = 0.2 it has {first:.1f} times the printed one's 2-way distance, at ε = 1 {last:.1f} times" in page
    assert all(below(figure, HP_EQUAL, HP, places, measure) == places[1:] for measure in ("Q2", "Q3"))
    assert "is clearly lower on the very same network from ε = 0.4 on" in page
    repaired, plain = (figure.mean("Q2", f"{name}, θ-useful", 1.0) for name in (HP_REPAIRED, "PrivBayes"))
    assert f"the repaired form comes to {repaired:.3f} at ε = 1" in page
    assert f"to {plain:.3f}. " in page
    told = [results["hpprivbayes-fig4"].mean("accuracy", line, 1.0) for line in (HP, HP_REPAIRED)]
    assert (
        f"right in {100 * told[0]:.0f} % of the cases after the printed form at ε = 1, in {100 * told[1]:.0f} %" in page
    )


def test_what_is_said_of_jtree(page, results):
    figure, leaks = results["privabn-fig3"], results["soundness-leak"]
    four, six, eight = (
        ratio(figure, "JTree repaired", "JTree as printed", way, "L2 error", "ε = 1") for way in (4, 6, 8)
    )
    assert 1 - 1 / four == pytest.approx(0.25, abs=0.03)
    assert 1 < six < 1.1
    assert 0.8 < eight < 0.95
    assert "better on four columns, by a quarter, a little on six, and somewhat worse on eight" in page
    proved, claimed = (leaks.mean(measure, "as printed", 10.0) for measure in ("proved", "claimed"))
    assert proved > claimed == 1.0
    assert "row 10 proves more than 1" in page
    hits = leaks.mean("hits", "as printed", 10.0) / 200_000
    assert 0.009 < hits < 0.012
    assert "comes once in a hundred runs" in page


def test_no_repaired_form_is_further_from_privbayes_than_the_page_says(page, results):
    ratios = [
        ratio(results["soundness-leak"], REPAIRED, "PrivBayes", x, "L2 3-way", group)
        for group, x in [*NLTCS_ACS, ("NLTCS", 0.01), ("ACS", 0.01)]
    ]
    ratios += [
        ratio(results["privabn-fig3"], line, "PrivBayes", way, "L2 error", f"ε = {x}")
        for line in (REPAIRED, "JTree repaired")
        for x in ("0.1", "1")
        for way in (4, 6, 8)
    ]
    ratios += [
        ratio(results["hpprivbayes-fig5"], HP_REPAIRED, "PrivBayes", x, f"Q{w}")
        for x in (0.2, 0.6, 1.0)
        for w in (2, 3)
    ]
    assert f"none of the three has more than {max(ratios):.1f} times PrivBayes' error" in page
    useful = [
        ratio(results["hpprivbayes-fig5"], f"{HP_REPAIRED}, θ-useful", "PrivBayes, θ-useful", x, f"Q{w}")
        for x in (0.2, 0.4, 0.6, 0.8, 1.0)
        for w in (2, 3)
    ]
    assert f"(HPPrivBayes {max(useful):.1f} times with θ-useful degrees on both sides)" in page


def test_by_how_much_privateerm_beats_the_linear_machine_without_privacy(results):
    figure, tasks = results["privbayes-fig16"], ("outside", "money", "bathing", "traveling")
    least = {
        task: min(
            figure.mean(task, line, x)
            for line in figure.series(task)
            if "PrivateERM" in line
            for x in figure.xs(task, line)
        )
        for task in tasks
    }
    ahead = {task: figure.mean(task, "NoPrivacy", 1.6) - error for task, error in least.items()}
    assert max(ahead, key=ahead.get) == "money"
    baselines = (PAGES / "baselines.md").read_text(encoding="utf-8")
    assert f"by up to {ahead['money']:.3f} (NLTCS' *money*)" in baselines


def test_the_correlated_release_as_printed_hardly_beats_not_looking_as_its_figure_says(results):
    figure = results["correlated-fig1"]
    for x in figure.xs("deviation", "CS as printed", "ε"):
        assert 0.9 < ratio(figure, "CS as printed", "uniform, no data", x, "deviation", "ε") < 1.1
