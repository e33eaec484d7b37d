"""Figures: at most six lines a panel, marks for few runs, axes that show every mean, drawn anew from stored values."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import replace
from itertools import combinations
from math import dist

import pytest
from tests.docs.blocks import PROJECT

from research import EXPERIMENTS, Panel, Results, draw_again, read_outcomes, read_results
from research._experiment import Cell
from research.drawing import COLOURS, MOST_LINES, draw, laid_out, looks_of
from understudy._core.errors import OutputError

pytestmark = pytest.mark.slow

RESULTS = PROJECT / "docs" / "research" / "experiments"
ONE = replace(
    EXPERIMENTS["privbayes-fig12"], panels=(Panel(title="a panel", measure="error", y="error"),), name="made-up"
)


def lines(count, runs=5):
    values = {x: [x + i / 10 for i in range(runs)] for x in (1.0, 2.0)}
    return Results({("", f"line {n}", "error", x): some for n in range(count) for x, some in values.items()})


def svg(experiment, results):
    return draw(experiment, results, "caption", kinds=["svg"])["svg"].decode()


@pytest.fixture(scope="module")
def plain():
    return svg(ONE, lines(2))


@pytest.fixture(scope="module")
def stored():
    return {name: read_results(RESULTS, name) for name in EXPERIMENTS}


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_no_panel_has_more_than_six_lines_and_every_line_named_is_there(name, stored):
    experiment, results = EXPERIMENTS[name], stored[name]
    shown = laid_out(experiment, results)
    assert shown or experiment.cells
    assert all(0 < len(panel.series) <= MOST_LINES for panel in shown)
    for panel in experiment.panels:
        assert set(panel.series) <= set(results.series(panel.measure, panel.group)), panel.title


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_panels_that_stand_together_have_a_letter_each_in_order(name, stored):
    titles = [panel.title for panel in laid_out(EXPERIMENTS[name], stored[name])]
    letters = [match[1] if (match := re.match(r"\((\w)\) ", title)) else "" for title in titles]
    assert len(titles) < 2 or "".join(letters) == "abcdefghijklmnop"[: len(titles)]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_lines_of_a_panel_differ_in_colour_and_those_of_a_figure_in_look(name, stored):
    experiment = EXPERIMENTS[name]
    shown = laid_out(experiment, stored[name])
    labels = {line: experiment.labels.get(line, line) for panel in shown for line in panel.series}
    looks = looks_of(labels.values(), experiment.paper)
    assert max(Counter(looks.values()).values(), default=1) == 1
    for panel in shown:
        colours = [looks[labels[line]].colour for line in panel.series]
        assert len(set(colours)) == len(colours), panel.title


def test_a_method_looks_the_same_in_all_figures_of_a_paper(stored):
    found: dict[tuple[str, str], set[object]] = {}
    for name in ("privbayes-fig11", "privbayes-fig12", "privbayes-fig14", "privbayes-fig16"):
        experiment = EXPERIMENTS[name]
        names = [experiment.labels.get(s, s) for panel in laid_out(experiment, stored[name]) for s in panel.series]
        for line, look in looks_of(names, experiment.paper).items():
            found.setdefault((experiment.paper, line), set()).add(look)
    assert all(len(looks) == 1 for looks in found.values())
    assert looks_of(["PrivBayes, as printed"], "PrivBayes") != looks_of(["PrivBayes, as printed"], "PrivABN")


# what eyes without one kind of cone see of linear red, green and blue: Machado, Oliveira and Fernandes (2009)
EYES = {
    "all cones": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
}
TO_XYZ = [[0.4339, 0.3762, 0.1899], [0.2126, 0.7152, 0.0722], [0.0177, 0.1095, 0.8728]]  # white is (1, 1, 1)


def seen(colour, eyes):
    """A colour in the CIELAB space, where distances are about those that are seen."""
    levels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [level / 12.92 if level <= 0.04045 else ((level + 0.055) / 1.055) ** 2.4 for level in levels]
    for matrix in (eyes, TO_XYZ):
        linear = [min(1.0, max(0.0, sum(a * b for a, b in zip(row, linear, strict=True)))) for row in matrix]
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in linear)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("eyes", EYES)
def test_colours_differ_to_eyes_without_red_or_green_cones(eyes):
    for one, other in combinations(COLOURS.values(), 2):
        assert dist(seen(one, EYES[eyes]), seen(other, EYES[eyes])) > 18, (one, other)


@pytest.mark.parametrize(("eyes", "pair"), [("no red", ("#0072b2", "#aa4499")), ("no green", ("#707070", "#009e73"))])
def test_the_check_of_colours_finds_those_that_only_some_eyes_tell_apart(eyes, pair):
    everybody, some = (dist(*(seen(colour, EYES[which]) for colour in pair)) for which in ("all cones", eyes))
    assert some < 18 < everybody


def test_looks_of_many_lines_all_differ():
    looks = looks_of([f"line {n}" for n in range(40)], "PrivBayes")
    assert all(one != other for one, other in combinations(looks.values(), 2))


@pytest.mark.parametrize(("count", "parts"), [(6, [6]), (7, [3, 4]), (13, [4, 4, 5])])
def test_a_panel_with_many_lines_becomes_several(count, parts):
    shown = laid_out(ONE, lines(count))
    assert [len(panel.series) for panel in shown] == parts
    assert [name for panel in shown for name in panel.series] == [f"line {n}" for n in range(count)]


def test_points_of_a_single_run_are_hollow_and_the_legend_says_so(plain):
    mixed = Results({**lines(1).points, ("", "once", "error", 1.0): [1.0], ("", "once", "error", 2.0): [2.0]})
    drawn = svg(ONE, mixed)
    assert "(1 to 5 a point)" in drawn
    assert "hollow: a single run, or no chance in it" in drawn
    assert "fill: #ffffff; stroke: #d55e00" in drawn
    assert "hollow" not in plain


def test_points_of_a_few_runs_have_no_interval_and_the_legend_says_so(plain):
    assert "95 % interval of the mean" in plain
    drawn = svg(ONE, lines(1, runs=3))
    assert "interval" not in drawn
    assert "half-filled: fewer than 5 runs" in drawn
    assert "half-filled" not in plain


@pytest.mark.parametrize("log_y", [True, False])
def test_intervals_stay_within_the_panel_and_those_cut_off_have_a_tip(log_y):
    wide = Results({("", "a", "error", x): [x - 0.9, x, x, x, x + 0.9 + 40 * (x == 2)] for x in (1.0, 2.0, 3.0)})
    one = replace(ONE, panels=(replace(ONE.panels[0], log_y=log_y),))
    assert "with a tip: goes on" in svg(one, wide)


def test_intervals_of_many_runs_are_not_cut_off():
    assert "with a tip" not in svg(ONE, lines(3, runs=100))


@pytest.mark.parametrize("log_y", [True, False])
def test_values_that_are_all_the_same_or_zero_can_be_drawn(log_y):
    flat = replace(ONE, panels=(replace(ONE.panels[0], log_y=log_y),))
    for value in (0.0, 1.0, 1e-300):
        results = Results({("", "a", "error", x): [value] * 5 for x in (0.1, 1.0)})
        assert ET.fromstring(svg(flat, results)).tag.endswith("svg")


def test_a_logarithmic_axis_shows_a_zero_where_a_value_is_0():
    one = replace(ONE, panels=(replace(ONE.panels[0], log_y=True),))
    values = {1.0: 1000.0, 2.0: 10.0, 4.0: 0.0}
    drawn = svg(one, Results({("", "a", "error", x): [value] * 5 for x, value in values.items()}))
    assert ">0</text>" in drawn
    assert ">100</text>" in drawn


def test_places_with_names_are_written_out_and_labels_stand_for_lines():
    panel = replace(ONE.panels[0], names={1.0: "counts tuned to a threshold", 2.0: "a count of nobody"}, joined=False)
    drawn = svg(replace(ONE, panels=(panel,), labels={"line 0": "another name"}, note="a note"), lines(1))
    for words in ("counts tuned to a threshold", "a count of nobody", "another name", "a note"):
        assert words in drawn
    assert "line 0" not in drawn


def test_a_table_shows_what_is_printed_beside_what_is_here_and_marks_where_they_differ():
    cells = {
        row: {"size": Cell(series="line 0", measure="error", x=x, printed=printed)}
        for row, x, printed in (("as printed", 1.0, 1.2), ("another", 2.0, 45_222.0), ("missing", 3.0, 2.0))
    }
    drawn = svg(replace(ONE, panels=(), cells=cells), lines(1))
    assert re.findall(r">(≠ [^<]*)</text>", drawn) == ["≠ 2.2", "≠ –"]
    assert ">45,222</text>" in drawn
    assert ">1.2</text>" in drawn


def test_the_tables_of_data_are_drawn_as_tables(stored):
    for name in ("privbayes-table5", "privabn-table3", "hpprivbayes-tables"):
        experiment = EXPERIMENTS[name]
        assert experiment.cells
        assert all(cell.printed is not None for row in experiment.cells.values() for cell in row.values())
    drawn = svg(EXPERIMENTS["hpprivbayes-tables"], stored["hpprivbayes-tables"])
    assert ">≠ 27,504</text>" in drawn


@pytest.mark.parametrize("name", ["privbayes-fig12", "privbayes-fig13", "privabn-fig1"])
def test_the_axis_is_logarithmic_where_the_interest_lies_at_the_bottom(name):
    assert all(panel.log_y for panel in EXPERIMENTS[name].panels)


def test_the_budgets_that_are_powers_of_ten_are_written_at_the_axis(stored):
    one = replace(EXPERIMENTS["privabn-fig1"], panels=EXPERIMENTS["privabn-fig1"].panels[:1])
    drawn = svg(one, stored["privabn-fig1"])
    assert all(f">{words}</text>" in drawn for words in ("0.001", "0.01", "0.1", "1"))


def test_the_same_values_give_the_same_bytes_whatever_was_drawn_before(plain):
    first = draw(ONE, lines(2), "caption")
    assert svg(replace(ONE, name="another"), lines(3)) != plain
    assert draw(ONE, lines(2), "caption") == first
    assert first["svg"].decode() == plain


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_stored_figure_is_that_of_the_stored_values(name, stored, tmp_path):
    assert name in read_outcomes(RESULTS, [name])
    (tmp_path / name).mkdir()
    for file in ("results.csv", "result.json"):
        (tmp_path / name / file).write_bytes((RESULTS / name / file).read_bytes())
    draw_again(name, tmp_path)
    assert (tmp_path / name / "figure.svg").read_bytes() == (RESULTS / name / "figure.svg").read_bytes()


def test_what_was_not_run_cannot_be_drawn(tmp_path):
    with pytest.raises(OutputError, match="no result of privbayes-fig12"):
        draw_again("privbayes-fig12", tmp_path)


@pytest.mark.parametrize(
    "line",
    ["", ",Laplace,0.1,0,Q3,nan\n", ",Laplace,0.1,0,Q3,many\n", ",Laplace,0.1\n", ",another,0.1,0,experiment,0.5\n"],
)
def test_a_file_without_values_is_refused_and_nothing_is_drawn(line, tmp_path):
    folder = tmp_path / "privbayes-fig12"
    folder.mkdir()
    (folder / "result.json").write_bytes((RESULTS / "privbayes-fig12" / "result.json").read_bytes())
    (folder / "results.csv").write_text(f"group,series,x,seed,measure,value\n{line}")
    with pytest.raises(OutputError, match="not the values of an experiment"):
        draw_again("privbayes-fig12", tmp_path)
    assert not list(folder.glob("figure.*"))


def test_numbers_that_would_touch_lean_and_all_are_written(stored):
    budgets = ("0.001", "0.005", "0.01", "0.05", "0.1", "1")
    experiment = EXPERIMENTS["privabn-fig1"]
    drawn = svg(replace(experiment, panels=experiment.panels[:1]), stored["privabn-fig1"])
    assert all(f">{budget}<" in drawn for budget in budgets)
