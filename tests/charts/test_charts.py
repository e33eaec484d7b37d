"""Charts are well-formed pictures whatever they are given."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy._core.errors import OptionError, OutputError
from understudy.charts import (
    Box,
    BoxRow,
    Chart,
    Series,
    between,
    boxes,
    gauge,
    heat_map,
    histogram,
    lines,
    paired_bars,
    percent,
    strip,
    tidy,
)
from understudy.charts._svg import fit, log_ticks, nice_step, ticks, width_of

NAMESPACE = "{http://www.w3.org/2000/svg}"
texts = st.text(max_size=40)
shares = st.floats(0, 1)


def parsed(chart: Chart) -> ElementTree.Element:
    """The picture as XML, which it must be."""
    root = ElementTree.fromstring(chart.svg)
    assert root.tag == f"{NAMESPACE}svg"
    assert "http" not in chart.svg.replace("http://www.w3.org/2000/svg", "")
    return root


def words(chart: Chart) -> list[str]:
    return [node.text or "" for node in parsed(chart).iter(f"{NAMESPACE}text")]


@given(st.lists(st.tuples(texts, shares, shares), min_size=1, max_size=60), texts, st.booleans(), st.integers(0, 3))
def test_bars_are_well_formed_for_any_labels(
    rows: list[tuple[str, float, float]], title: str, ordered: bool, tail: int
) -> None:
    labels, real, synthetic = zip(*rows, strict=True)
    chart = paired_bars(
        labels, {"real": real, "synthetic": synthetic}, title=title, ordered=ordered, tail=min(tail, len(rows))
    )
    bars = [node for node in parsed(chart).iter(f"{NAMESPACE}rect") if float(node.get("width", "0")) < 0]
    assert bars == []


@given(st.lists(texts, min_size=1, max_size=8), st.floats(-1, 1), st.booleans(), st.booleans())
def test_heat_maps_are_well_formed_for_any_labels(
    labels: list[str], value: float, diverging: bool, triangle: bool
) -> None:
    matrix = np.full((len(labels), len(labels)), value)
    parsed(heat_map(labels, matrix, low=-1, high=1, diverging=diverging, triangle=triangle))


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=50), st.floats(-1, 1))
def test_strips_and_gauges_are_well_formed_for_any_numbers(values: list[float], at: float) -> None:
    parsed(strip(values, title="t", x_label="x", bands={"<best>": at}))
    parsed(gauge(values[0], best=at, worst=None))
    parsed(gauge(values[0], best=at, worst=at, more_is_better=True))


@given(st.lists(st.floats(0, 10), min_size=2, max_size=6), st.booleans())
def test_lines_are_well_formed_for_any_numbers(values: list[float], log_x: bool) -> None:
    budgets = [0.1 * 2**i for i in range(len(values))]
    series = [Series("<b>", budgets, values, [v / 2 for v in values], [v * 2 for v in values])]
    parsed(lines(series, x_label="epsilon", y_label="error", title="&", log_x=log_x, bands={"best": 0.1}))


def test_many_categories_become_twenty_and_the_others() -> None:
    labels = [f"value {i}" for i in range(100)]
    chart = paired_bars(labels, {"real": [0.01] * 100, "synthetic": [0.01] * 100})
    assert "80 others" in words(chart)
    assert sum(word.startswith("value") for word in words(chart)) == 20


def test_ordered_values_keep_their_order_and_many_bins_are_put_together() -> None:
    labels = [str(i) for i in range(200)]
    chart = paired_bars(labels, {"real": [0.005] * 200}, ordered=True)
    titles = [node.text or "" for node in parsed(chart).iter(f"{NAMESPACE}title")]
    assert len(titles) == 40
    assert titles[0].startswith("0 … 4: real 2.5 %")


def test_a_value_outside_the_order_stands_apart() -> None:
    labels = [*(str(i) for i in range(10)), "missing"]
    chart = paired_bars(labels, {"real": [1 / 11] * 11}, ordered=True, tail=1)
    assert "missing" in words(chart)


def test_a_triangle_has_each_pair_once() -> None:
    chart = heat_map(list("abcd"), np.zeros((4, 4)), low=0, high=1, triangle=True)
    titles = [node.text for node in parsed(chart).iter(f"{NAMESPACE}title")]
    assert titles == ["b × a: 0", "c × a: 0", "c × b: 0", "d × a: 0", "d × b: 0", "d × c: 0"]


def test_a_cell_without_a_number_is_drawn_empty() -> None:
    assert 'class="u"' in heat_map(["a", "b"], [[0, np.nan], [0, 0]], low=0, high=1).svg


def test_nearby_names_of_lines_do_not_cover_each_other() -> None:
    series = [Series(f"method {i}", [0.1, 1.0], [0.5, 0.1 + i / 1000]) for i in range(6)]
    root = parsed(lines(series, x_label="epsilon", y_label="error", log_x=True, bands={"best": 0.1}))
    named = [node for node in root.iter(f"{NAMESPACE}text") if node.get("font-weight") == "600"]
    heights = sorted(float(node.get("y", "0")) for node in named)
    assert all(b - a >= 13.9 for a, b in pairwise(heights))


def test_the_better_end_of_a_gauge_is_on_the_left() -> None:
    def marks(chart: Chart) -> tuple[float, float, float]:
        root = parsed(chart)
        at = {node.get("class"): node for node in root.iter() if node.get("class")}
        ends = (float(at[kind].get("x", "")) + 1.5 for kind in ("us-best", "us-worst"))
        return (*ends, float(at["us-synthetic"].get("cx", "")))  # type: ignore[return-value]

    for good, bad, value, more in ((0.01, 0.2, 0.1, False), (0.9, 0.5, 0.7, True)):
        best, worst, here = marks(gauge(value, best=good, worst=bad, more_is_better=more))
        assert best < here < worst


def test_an_inline_picture_leaves_its_style_to_the_page() -> None:
    chart = gauge(0.5, best=0.1, worst=0.9)
    assert "<style>" in chart.svg
    assert "<style>" not in chart.inline()


def test_pictures_are_saved_as_svg_only(tmp_path: Path) -> None:
    chart = gauge(0.5, best=0.1, worst=0.9)
    assert chart.save(tmp_path / "a.svg").read_text(encoding="utf-8") == chart.svg
    with pytest.raises(OutputError, match=r"ends in \.svg"):
        chart.save(tmp_path / "a.png")
    with pytest.raises(OutputError, match="cannot write"):
        chart.save(tmp_path / "no" / "folder.svg")


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: paired_bars(["a"], {"real": [0.1, 0.2]}),
        lambda: paired_bars([], {"real": []}),
        lambda: heat_map(["a"], [[0, 1]], low=0, high=1),
        lambda: strip([]),
        lambda: strip([float("nan")]),
        lambda: lines([], x_label="", y_label=""),
        lambda: lines([Series("a", [0.0], [1.0])], x_label="", y_label="", log_x=True),
        lambda: Series("a", [1.0], [1.0, 2.0]),
    ],
)
def test_charts_of_nothing_are_refused(wrong: Callable[[], object]) -> None:
    with pytest.raises(OptionError):
        wrong()


@given(st.floats(1e-9, 1e9))
def test_steps_are_round_numbers(rough: float) -> None:
    step = nice_step(rough)
    assert step >= rough * (1 - 1e-6)
    assert f"{step:e}"[0] in "125"


@given(st.floats(-1e3, 1e3), st.floats(1e-3, 1e3))
def test_ticks_are_few_and_inside(low: float, span: float) -> None:
    found = ticks(low, low + span)
    assert len(found) <= 7
    assert all(low - span * 1e-6 <= mark <= low + span * (1 + 1e-6) for mark in found)


def test_ticks_of_a_long_logarithmic_axis_are_powers_of_ten() -> None:
    assert log_ticks(0.001, 1000) == [0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0]


@given(st.text(max_size=80), st.floats(20, 200))
def test_a_fitted_text_fits(text: str, room: float) -> None:
    assert width_of(fit(text, room, 10), 10) <= max(room, 20.0)


def test_letters_that_turn_a_line_around_are_left_out() -> None:
    assert tidy("a\u202eb\u0000\u2028c\ud800") == "ab c"
    assert tidy("🧑\u200d⚕️") == "🧑\u200d⚕️"


def test_small_shares_are_not_shown_as_nothing() -> None:
    assert [percent(share) for share in (0, 0.00001, 0.0005, 1, float("nan"))] == [
        "0 %",
        "< 0.01 %",
        "0.05 %",
        "100 %",
        "–",
    ]


def test_bars_of_unequal_width_are_drawn_to_scale_and_by_area() -> None:
    chart = histogram([0, 1, 3, 10], {"synthetic": [0.1, 0.2, 0.7]})
    found = re.findall(
        r'<rect class="us-synthetic" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"', chart.svg
    )
    widths = [float(one[2]) + 0.4 for one in found]  # a little is left free between bars
    heights = [float(one[3]) for one in found]
    assert widths[1] / widths[0] == pytest.approx(2, rel=0.02)
    assert widths[2] / widths[0] == pytest.approx(7, rel=0.02)
    assert heights[0] == pytest.approx(heights[1], abs=0.2)
    assert heights[0] == pytest.approx(heights[2], abs=0.2)  # as dense everywhere


def test_a_bar_that_would_dwarf_the_others_is_cut_and_says_its_share() -> None:
    chart = histogram(list(range(11)), {"real": [0.82, *[0.02] * 9], "synthetic": [0.05, *[0.1] * 9]})
    assert "82 / 5 %" in chart.svg
    with pytest.raises(OptionError, match="rising edges"):
        histogram([0, 0, 1], {"real": [0.5, 0.5]})


def test_boxes_and_references_need_something_to_draw() -> None:
    for draw in (boxes, between):
        with pytest.raises(OptionError):
            draw([])


def test_a_bar_that_is_cut_short_has_a_gap_in_it() -> None:
    shares = [0.9, 0.05, 0.05]
    found = re.findall(r'<rect class="us-real"', histogram([0, 1, 2, 3], {"real": shares}).svg)
    assert len(found) == 4
    assert len(re.findall(r'<rect class="us-real"', histogram([0, 1, 2, 3], {"real": [0.4, 0.3, 0.3]}).svg)) == 3


def test_bold_names_beside_boxes_leave_room_for_what_is_said_of_them() -> None:
    name = "num_total_cc_accounts − num_open_cc_accounts"
    drawn = boxes([BoxRow(name, "mean 4.93 → 5.64", {"real": Box((1, 2, 3, 4, 5), 3)})]).svg
    shown = re.search(r">(num_[^<]*…)<", drawn)
    assert shown is not None
    assert 1.1 * width_of(shown[1], 11) + width_of("mean 4.93 → 5.64", 10.5) + 10 < 348


def told(chart: Chart) -> tuple[list[str], list[str]]:
    """What the bars are called, and what stands below the axis."""
    bars = [title.partition(": ")[0] for title in re.findall(r"<title>([^<]*)</title>", chart.svg)]
    return bars, re.findall(r"<text [^>]*>([^<]*)</text>", chart.svg)


def test_bars_of_whole_numbers_and_years_are_named_by_their_values() -> None:
    both = {"real": [0.4, 0.6], "synthetic": [0.5, 0.5]}
    assert told(histogram([-0.5, 0.5, 1.5], both, step=1)) == (["0", "1"], ["0", "1"])
    years = told(histogram([1996.5, 1997.5, 1998.5], both, step=1, write=lambda year: f"{year:.0f}"))
    assert years == (["1997", "1998"], ["1997", "1998"])
    wide, _ = told(histogram([-0.5, 999.5, 1999.5], both, step=1))
    assert wide == ["0 to 999", "1,000 to 1,999"]
    assert told(histogram([6.5, 7.5], {"real": [1.0]}, step=1)) == (["7"], ["7"])
    days, marks = told(histogram([-0.5, 1.5, 3.5], both, step=2, write=lambda day: f"day {day:.1f}"))
    assert (days, marks) == (["day 0.5", "day 2.5"], ["day 0.5", "day 2.5"])


def test_narrow_values_far_from_0_have_digits_enough_to_be_told_apart() -> None:
    edges = [44.9 + 0.005 * i for i in range(41)]
    bars, marks = told(histogram(edges, {"real": [1 / 40] * 40}))
    assert bars[:2] == ["44.9 to 44.905", "44.905 to 44.91"]
    assert len(set(bars)) == 40
    assert marks == ["44.9", "44.95", "45", "45.05", "45.1"]
