"""Intervals reckon with where values may lie inside bins: any shape in declared ones, and noise in those found."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from understudy._core.errors import OptionError
from understudy.models import CliqueTree, TreeMeasurement, TreeModel
from understudy.numbers import MEANS, cell_starts
from understudy.release import ChargeLine, PublishedModel, Statement
from understudy.release._asked_column import Column
from understudy.release._conditions import Conditions
from understudy.release._histogram_noise import leans_of, redrawn_fields, spelled_out
from understudy.release._number_line import number_line
from understudy.release._numbers_asked import Asked
from understudy.release._outermost import Outermost
from understudy.release._regions import everything
from understudy.release._unplaced import mean_noise
from understudy.schema import Schema

FINE = ChargeLine(
    what="numbers, value by value", mechanism="…", cost=None, unit="epsilon", noise="variance σ² = 100 per cell"
)


def column(bins: Any) -> Schema:
    field = {"name": "x", "type": "integer", "bins": bins, "constraints": {"minimum": 0, "maximum": 9999}}
    return Schema.from_dict({"fields": [field]})


def published(schema: Schema, counts: list[float]) -> PublishedModel:
    beliefs, n = np.array(counts) / sum(counts), int(sum(counts))
    tree = CliqueTree(sizes=(len(counts),), cliques=((0,),), parents=(-1,), beliefs=(beliefs,))
    measured = TreeMeasurement(marginal=(0,), values=np.array(counts, dtype=float), variance=1.0, interaction=False)
    model = TreeModel(schema.domain, n, tree=tree, within=(None,), measurements=(measured,))
    return PublishedModel(schema, model, Statement.example(n_rows=n, charges=(FINE,)))


def test_intervals_of_declared_bins_hold_the_figures_of_values_that_thin_out() -> None:
    """All values low in their bins, as incomes are: the even spread is off, and the interval holds the truth."""
    model = published(column({"edges": [0, 1000, 2000, 4000, 9999], "closed": "left"}), [6000, 2500, 1000, 500])
    answer = model.query("mean(x), sd(x), median(x), share(x < 500)")
    values = np.concatenate(
        [
            low + (high - low) * np.linspace(0, 1, n) ** 1.4
            for low, high, n in ((0, 1000, 6000), (1000, 2000, 2500), (2000, 4000, 1000), (4000, 9999, 500))
        ]
    )
    truths = {
        "mean(x)": values.mean(),
        "sd(x)": values.std(),
        "median(x)": np.median(values),
        "share(x < 500)": (values < 500).mean(),
    }
    for name, truth in truths.items():
        assert answer[name].low <= truth <= answer[name].high, name
        assert answer[name].high - answer[name].low < 2 * truth, "and says something all the same"


def test_bins_of_one_value_leave_nothing_open() -> None:
    schema = Schema.from_dict(
        {"fields": [{"name": "x", "type": "integer", "bins": 3, "constraints": {"minimum": 0, "maximum": 2}}]}
    )
    assert spelled_out(schema["x"]) is schema["x"]
    assert redrawn_fields(schema["x"], None) == []


def test_a_share_that_cuts_a_declared_bin_says_so() -> None:
    model = published(column(4), [400, 300, 200, 100])
    assert any("spread evenly" in note for note in model.query("share(x < 1000)").notes)
    assert not any("spread evenly" in note for note in model.query("share(x < 2500)").notes)


def tail() -> dict[str, Any]:
    """Two bins, the second a long tail of pieces that hold less and less."""
    starts = [0, 100, *(100 + np.cumsum(10 * 1.25 ** np.arange(24)).astype(int)).tolist()]
    shares = [5000.0, *(100 * 0.8 ** np.arange(25)).tolist()]
    return {"found": {"first": [0, 100], "starts": starts, "shares": shares}}


def test_what_is_too_little_to_be_seen_does_not_get_noise_of_its_own() -> None:
    """Each piece of a tail with the noise of a whole cell made intervals that say nothing."""
    mean = published(column(tail()), [5000, 500]).query("mean(x)")["mean(x)"]
    assert mean.low > 0.7 * mean.value
    assert mean.high < 1.3 * mean.value
    assert mean.high - mean.low > 0.01 * mean.value


def test_found_shapes_keep_the_share_of_every_bin() -> None:
    field = column(tail())["x"]
    for redrawn in redrawn_fields(field, (100.0, 50.0)):
        *_, ends = redrawn.bins.pieces
        assert ends[-1] == pytest.approx(2.0)
        assert (np.diff(ends, prepend=0.0) >= -1e-12).all()


WIDE = {"name": "x", "type": "integer", "constraints": {"minimum": 0, "maximum": 1_000_000}}


def wide(shape: dict[str, list[float]], counts: list[float]) -> PublishedModel:
    """A column of a million values, counted in cells of some of them."""
    return published(Schema.from_dict({"fields": [{**WIDE, "bins": {"found": shape}}]}), counts)


def test_a_single_value_may_hold_all_that_was_counted_with_it() -> None:
    """All 600 rows of a cell may be told as 30,007: nobody counted, so the interval may not deny it."""
    cells = np.array(cell_starts(Schema.from_dict({"fields": [{**WIDE, "bins": 1}]})["x"].bins))
    cell, after = cells[np.searchsorted(cells, 30_007, side="right") - 1 :][:2].tolist()
    shape = {"first": [0, cell, 40_000], "starts": [0, cell, after, 40_000], "shares": [4000, 600, 2400, 3000]}
    model = wide(shape, [4000, 3000, 3000])
    answer = model.query("count(x=30007)")
    assert answer.low == 0
    assert 500 < answer.high < 1000
    assert any("counted together" in note for note in answer.notes)
    half = model.query("count(x<=34000)")
    assert half.low > 5000, "what is known stays known"
    assert not any("counted together" in note for note in half.notes)


def test_values_that_were_counted_may_differ_as_far_as_noise_hides_it() -> None:
    """Of a hundred ages in one piece each counts as a hundredth, and none is known better than noise lets it be."""
    shape = {"first": [0, 100], "starts": [0, 100], "shares": [1000.0, 1000.0]}
    answer = published(column({"found": shape}), [1000, 1000]).query("count(x=25)")
    assert answer.value == pytest.approx(10)
    assert 15 < answer.high < 60
    assert answer.low == 0


def test_a_heap_that_noise_hid_lies_in_the_interval_though_no_other_was_seen() -> None:
    """Four deviations of noise at one of a thousand values pass for an even spread: the interval may not deny it."""
    shape = {"first": [0, 1024, 2048], "starts": [0, 1024, 2048], "shares": [2000.0, 1000.0, 1000.0]}
    model = published(column({"found": shape}), [2000, 1000, 1000])
    for question in ("count(x=1500)", "count(x=1024)"):
        single = model.query(question)
        assert single.low == 0
        assert 40 < single.high < 55, "and more than that would have been seen"


def test_only_cuts_inside_bins_widen_a_range() -> None:
    """Rows of a bin were counted by the method, wherever they lie in it; at a cut a heap may be on either side."""
    shape = {"first": [0, 1024, 2048], "starts": [0, 1024, 2048], "shares": [2000.0, 1000.0, 1000.0]}
    model = published(column({"found": shape}), [2000, 1000, 1000])
    whole, with_next, half = (model.query(f"count(x=1024..{last})") for last in (2047, 2048, 1535))
    assert whole.high - whole.low < 10
    assert with_next.high > whole.high + 30, "the value after the edge may be a heap"
    assert whole.low - with_next.low < 10, "but what is known to be there stays"
    assert 15 < half.high - half.value < 30, "half of a hidden heap lies here already"
    assert half.value - half.low == pytest.approx(half.high - half.value, rel=0.01)


def test_a_hidden_heap_may_be_the_median() -> None:
    shape = {"first": [0, 1024, 2048], "starts": [0, 1024, 2048], "shares": [1980.0, 1000.0, 1000.0]}
    median = published(column({"found": shape}), [1980, 1000, 1000]).query("median(x)")
    assert median.value > 1024
    assert median.low == 1024, "twenty rows there would make it that"
    assert median.high < 1200


def test_a_group_of_pieces_may_have_lost_to_the_next_bin_what_its_edge_cut() -> None:
    """Of sixteen cells that were one, four lie in the next bin with a quarter of the rows: all may lie at its first."""
    cut = {"first": [0, 1500], "starts": [0, 1488, 1500, 1504], "shares": [900.0, 30.0, 10.0, 900.0]}
    apart = {"first": [0, 1500], "starts": [0, 1488, 1500, 1504], "shares": [929.0, 1.0, 10.0, 900.0]}
    highs = [published(column({"found": one}), [930, 910]).query("count(x=1500)").high for one in (cut, apart)]
    assert highs[0] > 35 > 25 > highs[1]


def test_all_rows_of_a_few_values_that_stand_out_may_lie_at_one_of_them() -> None:
    """Four cells hold fifty rows, and little is beside them in their bin: the heap is one of the four."""
    shape = {"first": [0, 2000, 2200], "starts": [0, 2000, 2004, 2200], "shares": [900.0, 50.0, 8.0, 900.0]}
    answer = published(column({"found": shape}), [900, 58, 900]).query("count(x=2000)")
    assert answer.low == 0
    assert answer.high > 50


def seen_up_to(last: int, **field: Any) -> PublishedModel:
    """Two bins, of which the histogram has nothing beyond a value; noise in a cell is ten rows."""
    shape = {"first": [0, 100], "starts": [0, 100, last], "shares": [5000.0, 500.0, 0.0]}
    content = column({"found": shape}).to_dict()
    content["fields"][0] |= field
    return published(Schema.from_dict(content), [5000, 500])


def test_means_and_deviations_reckon_with_a_tail_beyond_what_was_seen() -> None:
    """Fifteen rows, fewer than twice the noise, lie along a tail that thins out as 1/x, and none of them was seen."""
    seen = np.concatenate([np.linspace(0, 99, 5000), np.linspace(100, 299, 485)])
    values = np.concatenate([seen, 300 + np.minimum(250 * (15 / (np.arange(15) + 0.5) - 1), 9699)])
    answer = seen_up_to(300).query("mean(x), sd(x), sum(x), variance(x)")
    truths = {"mean": values.mean(), "sd": values.std(), "sum": values.sum(), "variance": values.var()}
    for name, truth in truths.items():
        figure = answer[f"{name}(x)"]
        assert figure.value < truth < figure.high, name
        assert figure.low > 0.6 * figure.value, "and says something all the same"
    assert answer["mean(x)"].high < 1.2 * answer["mean(x)"].value


def test_outermost_rows_may_lie_nearer_than_the_histogram_has_them() -> None:
    """The last twenty rows were drawn out over thousands, as a fitted tail is, and lie where it begins."""
    shape = {"first": [0, 100], "starts": [0, 100, 300], "shares": [5000.0, 480.0, 20.0]}
    answer = published(column({"found": shape}), [5000, 500]).query("mean(x), sd(x)")
    values = np.concatenate([np.linspace(0, 99, 5000), np.linspace(100, 299, 480), np.full(20, 300.0)])
    assert answer["sd(x)"].value > 4 * values.std()
    assert answer["sd(x)"].low <= values.std()
    assert answer["mean(x)"].low <= values.mean()


def test_tails_are_as_numbers_drawn_from_them_have_it() -> None:
    model = seen_up_to(300)
    line = number_line(model.schema["x"], everything(model.schema["x"]))
    masses = line.masses(np.array([5000.0, 500.0]))
    end = Outermost.of(line, masses, 0.01, 9999.0, top=True)
    assert end.share == pytest.approx(0.01)
    scale = end.begin - end.median
    drawn = end.begin + np.minimum(scale * (1 / ((np.arange(100_000) + 0.5) / 100_000) - 1), 9999 - end.begin)
    kept = masses / masses.sum() - np.where(line.low == 100, 0.01, 0.0)
    middle = np.array([49.5, (100 + end.begin) / 2, 0.0])
    spread = np.array([(100**2 - 1) / 12, (end.begin - 100) ** 2 / 12, 0.0])
    mean = kept @ middle + 0.01 * drawn.mean()
    square = kept @ (middle**2 + spread) + 0.01 * (drawn**2).mean()
    moved = max(end.moves)
    assert moved[0] == pytest.approx(mean - line.mean(masses), rel=0.01)
    assert moved[1] == pytest.approx(square - mean**2 - line.variance(masses), rel=0.01)


def test_what_was_clipped_may_lie_at_the_end_of_the_range() -> None:
    answers = {outside: seen_up_to(300, outside=outside).query("mean(x)") for outside in ("error", "clip")}
    with_rows_there = (5460 * answers["error"].value + 40 * 9999) / 5500
    assert answers["error"].high < with_rows_there < answers["clip"].high
    assert "mean(x) would be" in answers["error"].notes[0]
    assert not answers["clip"].notes


def test_rows_that_would_move_a_figure_far_from_the_end_of_the_range_are_told() -> None:
    notes = seen_up_to(300).query("mean(x), sd(x), sum(x), variance(x)").notes
    assert "outermost 0.5% of rows do not stand out from noise" in notes[0]
    assert [note.split(", where ")[1].split(" would")[0] for note in notes] == ["mean(x)", "sd(x)", "variance(x)"]
    short = {"first": [0, 5000], "starts": [0, 5000], "shares": [5000.0, 5000.0]}
    assert not published(column({"found": short}), [5000, 5000]).query("mean(x), sd(x)").notes


def test_all_rows_that_noise_hides_may_be_those_of_one_group() -> None:
    """A tenth of all rows: the same number of hidden rows moves its mean ten times as far, as far as it has them."""
    fields = [*column({"found": {"first": [0, 100], "starts": [0, 100, 300], "shares": [4500.0, 1000.0, 0.0]}}).fields]
    sex = {"name": "sex", "type": "string", "categories": ["f", "m"]}
    schema = Schema.from_dict({"fields": [fields[0].to_dict(), sex]})
    beliefs = np.array([[450.0, 4050.0], [100.0, 900.0]]) / 5500
    measured = TreeMeasurement(marginal=(0, 1), values=beliefs * 5500, variance=0.01, interaction=False)
    tree = CliqueTree(sizes=(2, 2), cliques=((0, 1),), parents=(-1,), beliefs=(beliefs,))
    inner = TreeModel(schema.domain, 5500, tree=tree, measurements=(measured,))
    model = PublishedModel(schema, inner, Statement.example(n_rows=5500, charges=(FINE,)))
    every, group = model.query("mean(x)"), model.query("mean(x) | sex=f")
    assert group.value == pytest.approx(every.value, rel=0.01)
    assert 4 < (group.high - group.value) / (every.high - every.value) < 12


def test_a_value_apart_at_the_end_leaves_rows_before_it_unsure() -> None:
    """A heap at 9999 stands out and lies where it lies; those before it may lie anywhere up to 9998."""
    shape = {"first": [0, 100, 9999], "starts": [0, 100, 300, 9999], "shares": [5000.0, 450.0, 0.0, 50.0]}
    model = published(column({"found": shape}), [5000, 450, 50])
    asked = Asked(model.schema, model.model, model.statement, Conditions(model.schema, {}))
    first, last = Column(asked, 0).outermost
    assert (first.farthest, last.farthest) == (0, 9998)
    assert last.share == pytest.approx(29.7 / 5500, rel=0.01), "what a run that reaches so far stands out by"


def test_where_nothing_was_found_there_may_be_as_much_as_noise_hides() -> None:
    model = published(column(tail()), [5000, 500])
    end = column(tail())["x"].bins.shape.starts[-1]
    shape = {"first": [0, 100], "starts": [0, 100, end], "shares": [5000.0, 500.0, 0.0]}
    answer = published(column({"found": shape}), [5000, 500]).query("count(x > 9000)")
    assert answer.value == 0
    assert 5 < answer.high < 50, "noise of ten rows in a cell, and more than four times as much is seen"
    assert "stand out from the noise" in answer.notes[0]
    assert "0.0000" not in str(answer)
    assert not model.query("count(x > 50)").notes


def test_the_outermost_quantiles_may_lie_anywhere_up_to_the_end() -> None:
    shape = {"first": [0, 100], "starts": [0, 100, 300], "shares": [5000.0, 500.0, 0.0]}
    model = published(column({"found": shape}), [5000, 500])
    last = model.query("quantile(x, 1)")
    assert (last.value, last.high) == (299, 9999)
    assert "outermost 0.2% of rows" in last.notes[0]
    spike = {"first": [0, 1, 100], "starts": [0, 1, 100, 300], "shares": [4000.0, 1000.0, 500.0, 0.0]}
    first = published(column({"found": spike}), [4000, 1000, 500]).query("quantile(x, 0)")
    assert (first.low, first.high, first.notes) == (0, 0, ()), "what stands out does not hide"
    middle = model.query("quantile(x, 0.9), median(x)")
    assert not middle.notes
    assert middle["median(x)"].high < 100
    assert middle["quantile(x, 0.9)"].high < 300


def test_a_condition_where_the_model_has_no_rows_says_that() -> None:
    shape = {"first": [0, 100], "starts": [0, 100, 300], "shares": [5000.0, 500.0, 0.0]}
    model = published(column({"found": shape}), [5000, 500])
    for condition in ("x=5000..6000", "x>5000"):
        with pytest.raises(OptionError, match=r"the model has no rows that fulfil.* probability 0"):
            model.query(f"mean(x) | {condition}")
    for backwards in ("mean(x) | x=60..50", "share(x=60..50)", "count(x=10..20/60..50)"):
        with pytest.raises(OptionError, match=r"no value lies between 60 and 50: .* Write 50\.\.60"):
            model.query(backwards)


def test_rows_of_a_group_may_lean_to_one_end_of_a_bin() -> None:
    """The steeper its part of all rows falls from bin to bin, the more; and a little in any case."""
    every = np.full(5, 0.2)
    flat, falling = leans_of(every, every), leans_of(np.array([0.5, 0.25, 0.13, 0.07, 0.05]), every)
    assert flat.tolist() == [0.5] * 5
    assert (falling > 0.5).all()
    assert (falling <= 2).all()
    field = column(tail())["x"]
    spreads = []
    for leans in (None, np.array([0.5, 0.5]), np.array([2.0, 2.0])):
        firsts = [one.bins.pieces[2][0] for one in redrawn_fields(field, (100.0, 50.0), (), leans)]
        thirds = [one.bins.pieces[2][5] for one in redrawn_fields(field, (100.0, 50.0), (), leans)]
        assert firsts == pytest.approx([1.0] * len(firsts)), "a bin of one piece has nowhere to lean to"
        spreads.append(np.std(thirds))
    assert spreads[0] < spreads[1] < spreads[2]


def test_a_condition_on_a_part_of_a_bin_says_that_its_rows_count_as_alike() -> None:
    fields = [
        {"name": "x", "type": "integer", "bins": 4, "constraints": {"minimum": 0, "maximum": 99}},
        {"name": "sex", "type": "string", "categories": ["f", "m"]},
    ]
    schema = Schema.from_dict({"fields": fields})
    beliefs = np.array([[0.1, 0.2], [0.1, 0.1], [0.2, 0.1], [0.1, 0.1]])
    measured = TreeMeasurement(marginal=(0, 1), values=beliefs * 1000, variance=9.0, interaction=False)
    tree = CliqueTree(sizes=(4, 2), cliques=((0, 1),), parents=(-1,), beliefs=(beliefs,))
    model = PublishedModel(
        schema, TreeModel(schema.domain, 1000, tree=tree, measurements=(measured,)), Statement.example()
    )
    assert "part of a bin" in model.query("share(sex=f) | x=10..14").notes[0]
    assert model.query("sex | x=10..14").notes == model.query("share(sex=f) | x=10..14").notes
    assert not model.query("x | x=10..14").notes
    assert not model.query("share(sex=f) | x=0..24").notes


def one_stretch(rows: float) -> PublishedModel:
    """Of a column with so many rows in a single stretch from 1000 to 2999, of a bin with next to all rows."""
    shape = {"first": [0, 9999], "starts": [0, 1000, 3000, 9999], "shares": [0.0, rows, 0.0, 0.001]}
    return published(column({"found": shape}), [rows, 0.001])


def test_rows_of_a_stretch_that_was_not_tilted_may_all_lie_at_one_end() -> None:
    answer = one_stretch(100).query("mean(x), sd(x)")  # noise may move 29 rows from one end to the other
    mean, deviation = answer.figures
    assert mean.low < 1000, "all at 1000, and some of the outermost below"
    assert mean.high > 2999
    assert deviation.low == 0
    assert "how 100% of these rows lie in the range was hidden by noise" in answer.notes[0]


def test_rows_of_a_stretch_that_stand_out_clearly_lean_as_far_as_noise_hides() -> None:
    answer = one_stretch(10_000).query("mean(x)")
    shift = 2.935 * 10 * 2000 / 10_000
    assert 1999.5 - 2 * shift < answer.low < 1999.5 - shift
    assert not any("hidden by noise" in note for note in answer.notes)


def test_a_mean_has_the_noise_of_the_mean_that_was_measured() -> None:
    """Of evenly filled bins that could be tilted: distances from 0 to 2500 below and above, with noise of 20 rows."""
    shape = {"first": [0, 5000], "starts": [0, 2500, 5000, 7500], "shares": [2400.0, 2600.0, 2600.0, 2400.0]}
    schema = column({"found": shape})
    statement = replace(
        published(schema, [5000, 5000]).statement,
        charges=(FINE, replace(FINE, what=MEANS, noise="variance σ² = 400 per cell")),
    )
    assert mean_noise(schema.fields[0].bins, statement) == pytest.approx(2.045 * 2500 * 2**0.5 * 20 / 10_000, rel=0.05)


def test_a_quantile_that_noise_may_hide_lies_along_a_tail() -> None:
    """The outermost 20 of 500 rows may lie farther out, so that the quantile of which 15 lie beyond may."""
    shape = {"first": [0, 100], "starts": [0, 100, 300], "shares": [300.0, 200.0, 0.0]}
    model = published(column({"found": shape}), [300, 200])
    high = [model.query(f"quantile(x, {level})").high for level in (0.9, 0.97, 0.99)]
    assert high[0] <= 300 < high[1] < high[2] == 9999
