"""A plan for a list of budgets: what it says of each, in figures and in words."""

import html
import json
import re

import numpy as np
import pandas as pd
import pytest

import understudy as us
from tests.api.people import SCHEMA
from understudy import demo
from understudy._core.randomness import Streams
from understudy.cli._main import run
from understudy.counting import open_counter
from understudy.numbers import _grid
from understudy.privacy import Neighbours, make_budget
from understudy.rehearsal import rehearse, sample_table, table_distances
from understudy.schema import Schema
from understudy.tables import read_table

AUTO = {
    "name": "people",
    "fields": [
        *SCHEMA["fields"],
        {
            "name": "income",
            "type": "integer",
            "bins": "auto",
            "constraints": {"minimum": 0, "maximum": 99_999},
        },
    ],
}


@pytest.fixture(scope="module")
def planned():
    return us.plan("demo", epsilon=[0.1, 1, 5])


def test_there_is_a_line_for_each_budget_in_the_order_given(planned):
    assert [line.epsilon for line in planned.outlook] == [0.1, 1, 5]
    assert planned.epsilon == 1
    for better, worse in zip(planned.outlook[1:], planned.outlook, strict=False):
        assert better.column_error < worse.column_error / 1.5
        assert better.pair_error < worse.pair_error / 1.5
        assert better.pairs_kept > worse.pairs_kept
        assert better.pair_error_low <= better.pair_error <= better.pair_error_high
        assert len(better.column_errors) == 11
    assert [round(line.guess, 3) for line in planned.outlook] == [0.525, 0.731, 0.993]


def test_what_is_said_to_help_does_help(planned):
    lost, kept = planned.outlook[0], planned.outlook[-1]
    assert (lost.relations, kept.relations) == ("lost", "survive")
    assert "relations survive: pairs will be" in kept.words
    assert lost.words.startswith("At ε = 0.1 relations will not survive. For them to survive: ")
    rows, columns, epsilon = re.search(
        r": ([\d,]+) rows, or (\d+) columns? fewer, or ε = ([\d.]+)\.", lost.words
    ).groups()
    more = int(rows.replace(",", ""))
    assert us.plan("demo", rows=more, epsilon=0.1).outlook[0].relations == "survive"
    assert us.plan("demo", rows=more // 3, epsilon=0.1).outlook[0].relations != "survive"
    assert us.plan("demo", epsilon=epsilon).outlook[0].relations == "survive"
    content = Schema.load(demo.schema_path()).to_dict()
    sizes = {field.name: field.size for field in Schema.load(demo.schema_path()).fields}
    gone = sorted(sizes, key=lambda name: -sizes[name])[: int(columns)]
    fewer = {**content, "fields": [field for field in content["fields"] if field["name"] not in gone]}
    assert us.plan(schema=fewer, rows=5912, epsilon=0.1).outlook[0].relations == "survive"


AUTOS = {"fields": [{**AUTO["fields"][-1], "name": name} for name in "abcd"]}


@pytest.mark.parametrize(("epsilon", "delta"), [(1e6, "1e-9"), (2e5, 0)])
def test_an_epsilon_without_noise_has_a_plan_with_as_many_bins_as_there_may_be(epsilon, delta):
    plan = us.plan(schema=AUTOS, rows=3000, epsilon=epsilon, delta=delta)
    assert {one.size for one in plan.attributes} == {16}
    assert plan.outlook[0].pairs_kept == 6


@pytest.mark.parametrize("delta", ["1e-9", 0])
def test_errors_of_several_epsilons_are_of_the_same_bins_and_fall(delta):
    epsilons = ["1/3", "1/2", "2/3", 1, 2]
    plan = us.plan(schema=AUTOS, rows=3000, epsilon=epsilons, delta=delta)
    for worse, better in zip(plan.outlook, plan.outlook[1:], strict=False):
        assert better.pair_error < worse.pair_error
        assert better.column_error < worse.column_error
    assert len({line.independent_error for line in plan.outlook}) == 1
    alone = us.plan(schema=AUTOS, rows=3000, epsilon=2, delta=delta)
    assert alone.outlook[0] == plan.outlook[-1]
    said = [note for note in plan.notes if "foretold in the bins that are expected at ε = 2," in note]
    assert len(said) == 1
    assert not any("foretold in the bins" in note for note in alone.notes)


def test_an_epsilon_left_out_between_commas_is_refused(capsys):
    assert run(["plan", "demo", "--epsilon", "1,,2"]) == 2
    assert "Got '1,,2' instead" in capsys.readouterr().err


def test_a_plan_measures_no_more_tables_than_there_are_pairs():
    few = us.plan(schema=AUTOS, rows=3000, epsilon=1e6)
    assert any(note.startswith("Up to 6 tables of two columns are measured") for note in few.notes)


def test_a_plan_says_what_finding_bins_may_take_beside():
    even = {"fields": [{"name": "age", "type": "integer", "bins": 5, "constraints": {"minimum": 0, "maximum": 99}}]}
    found, declared = (us.plan(schema=schema, rows=3000, epsilon=1) for schema in (AUTO, even))
    assert any("up to 5% more of the budget" in note for note in found.notes)
    assert not any("more of the budget" in note for note in declared.notes)


def test_rules_on_columns_whose_bins_are_to_be_found_are_planned_with():
    rule = {"impossible": {"income": "12345..", "sex": "Female"}}
    free, ruled = (
        us.plan(schema=schema, rows=5000, epsilon=1)
        for schema in (AUTO, {**AUTO, "dependencies": [rule], "brokenRows": "drop"})
    )
    sizes = [next(one.size for one in plan.attributes if one.name == "income") for plan in (free, ruled)]
    assert sizes[1] == sizes[0] + 1, "the rule cuts where no bin of equal width would"
    assert (
        "Kept in every row: never income=12345.., sex=Female. Real rows that break it are left out" in ruled.notes[-1]
    )
    assert not any("Kept in every row" in note for note in free.notes)


def test_a_budget_of_nothing_among_others_is_refused_as_it_was_typed(capsys):
    assert run(["plan", "demo", "--epsilon", "0,1"]) == 2
    assert "Got 0,1 instead" in capsys.readouterr().err


def test_without_a_budget_there_is_a_list_of_them():
    assert [line.epsilon for line in us.plan(schema=SCHEMA, rows=1000).outlook] == [0.1, 0.25, 0.5, 1, 2, 5]


@pytest.mark.parametrize(
    ("epsilon", "words"),
    [
        ([], "no epsilon to plan for"),
        ([1, "1.0"], "given twice"),
        ([1, -1], "above 0"),
        (0, "above 0"),
        (["one"], "must be a number"),
    ],
)
def test_a_strange_list_is_refused(epsilon, words):
    with pytest.raises(us.OptionError, match=words):
        us.plan(schema=SCHEMA, rows=100, epsilon=epsilon)


@pytest.mark.parametrize("epsilon", ["", ",", "1,1", "1,-2", "0.5;1"])
def test_the_command_line_refuses_a_strange_list(tmp_path, monkeypatch, capsys, epsilon):
    monkeypatch.chdir(tmp_path)
    Schema.from_dict(SCHEMA).save("people.schema.yaml")
    assert run(["plan", "--schema", "people.schema.yaml", "--rows", "100", f"--epsilon={epsilon}"]) == 2
    assert "psilon" in capsys.readouterr().err


def test_bins_that_are_to_be_found_are_planned_as_they_will_be():
    """As many as noise leaves; and what finding them takes is gone for the method."""
    small, large = (us.plan(schema=AUTO, rows=rows, epsilon=1, method="adaptive") for rows in (300, 100_000))
    sizes = [plan.attributes[-1].size for plan in (small, large)]
    assert sizes[0] <= 4
    assert sizes[1] == 16
    assert large.shares["numbers, value by value"] == pytest.approx(0.1)
    assert sum(large.shares.values()) == pytest.approx(1)
    pure = us.plan(schema=AUTO, rows=1000, epsilon=1, delta=0, method="independent")
    assert pure.shares["numbers, value by value"] == pytest.approx(0.1)


def test_json_has_all_that_the_screen_has(capsys):
    assert run(["plan", "demo", "--epsilon", "0.5,1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [line["epsilon"] for line in found["outlook"]] == [0.5, 1]
    wanted = {"guess", "hits", "column_error", "pair_error", "pair_error_low", "independent_error", "pairs_kept"}
    assert wanted | {"pairs", "words", "relations", "seconds", "column_errors"} <= set(found["outlook"][0])
    assert found["assumed"].startswith("Noise is known.")
    assert found["wall_seconds"] > 0
    assert run(["plan", "demo", "--epsilon", "0.5,1"]) == 0
    told = capsys.readouterr().out
    assert all(line["words"] in told for line in found["outlook"])
    shown = html.unescape(us.plan("demo", epsilon=[0.5, 1])._repr_html_())
    assert all(line["words"] in shown for line in found["outlook"])
    assert "≤ 73.2%" in told  # rounded up: 73.106


@pytest.mark.parametrize("method", ["uniform", "hpprivbayes", "privabn", "jtree"])
def test_every_method_has_an_outlook_or_says_that_it_has_none(method):
    extra = {"sensitive": ["age"]} if method == "hpprivbayes" else {}
    line = us.plan(schema=SCHEMA, rows=1000, epsilon=1, method=method, **extra).outlook[0]
    assert (line.column_error is None) == (method == "uniform")
    assert line.words


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.5, 1, 5])
def test_runs_show_what_the_plan_foretold(epsilon):
    line = us.plan("demo", epsilon=epsilon).outlook[0]
    real = read_table(demo.table_path(), Schema.load(demo.schema_path()))
    pairs = [(a, b) for b in range(11) for a in range(b)]
    budget = make_budget(str(epsilon), "1e-9")
    errors = []
    for seed in range(3):
        model = rehearse(open_counter(real), "adaptive", budget, seed=seed, neighbours=Neighbours.ADD_REMOVE)
        rows = sample_table(model, model.n, Streams(seed))
        errors.append([table_distances(real, [rows], groups).mean() for groups in ([(a,) for a in range(11)], pairs)])
    column, pair = (sum(each) / 3 for each in zip(*errors, strict=True))
    assert 1 / 2 < line.column_error / column < 2
    assert 1 / 2 < line.pair_error / pair < 2


def test_a_column_of_many_codes_has_a_figure_for_evenly_frequent_ones(capsys):
    """A plan supposes that few values are frequent: of hundreds of equally frequent codes that is far too good."""
    codes = [f"c{i}" for i in range(300)]
    fields = [{"name": "code", "categories": codes}, {"name": "group", "categories": ["a", "b", "c"]}]
    schema = {"fields": fields, "dependencies": [{"determines": ["code"], "column": "group"}]}
    planned = us.plan(schema=schema, rows=10_000, epsilon=1)
    [line] = planned.outlook
    assert line.column_errors_even[0] > 2 * line.column_errors[0]
    assert line.column_errors_even[1] < 1.5 * line.column_errors[1]
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"code": rng.choice(codes, 10_000)})
    table["group"] = table["code"].str[-1].map(lambda digit: "abc"[int(digit) % 3])
    drawn = us.Adaptive(epsilon=1, seed=1).fit(table, schema).sample(10_000, seed=1)
    real, made = (one["code"].value_counts(normalize=True) for one in (table, drawn))
    shown = real.sub(made, fill_value=0).abs().sum() / 2
    assert line.column_errors[0] < shown < 1.5 * line.column_errors_even[0]
    assert any("single columns again" in note for note in planned.notes)
    assert any("code → group is learnt with noise" in note for note in planned.notes)


def test_however_many_runs_a_plan_thinks_through_it_lays_a_grid_once_a_range(monkeypatch):
    laid = []
    monkeypatch.setattr(_grid, "cell_starts", lambda whole, lay=_grid.cell_starts: laid.append(whole) or lay(whole))
    _grid._cells.cache_clear()
    fields = [{**AUTO["fields"][-1], "name": f"x{i}"} for i in range(8)]
    plan = us.plan(schema={"name": "wide", "fields": fields}, epsilon=0.3, rows=20_000)
    assert "rows, or" in plan.outlook[0].words  # after many tries
    assert len(laid) == 1 + len(fields)  # how many cells there are, and all of them to see how they would be counted
