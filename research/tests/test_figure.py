"""Figures: at most six lines a panel, single runs marked, axes that show every mean, drawn anew from stored values."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest
from tests.docs.blocks import PROJECT

from research import EXPERIMENTS, Panel, Results, read_results
from research._figure import MOST_LINES, draw, laid_out
from understudy._core.errors import OutputError

RESULTS = PROJECT / "docs" / "research" / "experiments"
ONE = replace(
    EXPERIMENTS["privbayes-fig12"], panels=(Panel(title="a panel", measure="error", y="error"),), name="made-up"
)


def lines(count, runs=5):
    values = {x: [x + i / 10 for i in range(runs)] for x in (1.0, 2.0)}
    return Results({("", f"line {n}", "error", x): some for n in range(count) for x, some in values.items()})


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_no_panel_has_more_than_six_lines_and_every_line_named_is_there(name):
    results = read_results(RESULTS, name)
    shown = laid_out(EXPERIMENTS[name], results)
    assert shown
    assert all(0 < len(panel.series) <= MOST_LINES for panel in shown)
    for panel in EXPERIMENTS[name].panels:
        assert set(panel.series) <= set(results.series(panel.measure, panel.group)), panel.title


@pytest.mark.parametrize(("count", "parts"), [(6, [6]), (7, [3, 4]), (13, [4, 4, 5])])
def test_a_panel_with_many_lines_becomes_several(count, parts):
    shown = laid_out(ONE, lines(count))
    assert [len(panel.series) for panel in shown] == parts
    assert [name for panel in shown for name in panel.series] == [f"line {n}" for n in range(count)]


def test_points_of_a_single_run_are_hollow_and_the_caption_says_so():
    mixed = Results({**lines(1).points, ("", "once", "error", 1.0): [1.0], ("", "once", "error", 2.0): [2.0]})
    svg = draw(ONE, mixed, "caption")["svg"].decode()
    assert "1 to 5 a point; hollow: a single run" in svg
    assert "fill: #ffffff; stroke: #d1495b" in svg
    assert "hollow" not in draw(ONE, lines(2), "caption")["svg"].decode()


@pytest.mark.parametrize("log_y", [True, False])
def test_values_that_are_all_the_same_or_zero_can_be_drawn(log_y):
    flat = replace(ONE, panels=(replace(ONE.panels[0], log_y=log_y),))
    for value in (0.0, 1.0, 1e-300):
        results = Results({("", "a", "error", x): [value] * 5 for x in (0.1, 1.0)})
        assert ET.fromstring(draw(flat, results, "caption")["svg"]).tag.endswith("svg")


@pytest.mark.parametrize("name", ["privbayes-fig12", "privbayes-fig13", "privabn-fig1"])
def test_the_axis_is_logarithmic_where_the_interest_lies_at_the_bottom(name):
    assert all(panel.log_y for panel in EXPERIMENTS[name].panels)


def test_what_was_not_run_cannot_be_drawn(tmp_path):
    from research import draw_again

    with pytest.raises(OutputError, match="no result of privbayes-fig12"):
        draw_again("privbayes-fig12", tmp_path)
