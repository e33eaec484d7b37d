"""Questions about columns that are declared to be in order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import understudy as us
from understudy._core.errors import OptionError
from understudy.models import CliqueTree, TreeMeasurement, TreeModel
from understudy.release import Statement
from understudy.schema import Schema

BOUNDS = {"constraints": {"minimum": 0, "maximum": 99}, "bins": 4}
SCHEMA = {
    "fields": [
        {"name": "low", "type": "integer", **BOUNDS},
        {"name": "high", "type": "integer", **BOUNDS},
        {"name": "sex", "categories": ["F", "M"]},
    ],
    "dependencies": [{"lower": "low", "upper": "high"}],
}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> us.PublishedModel:
    rng = np.random.default_rng(1)
    low, high = np.sort(rng.integers(0, 100, (2, 900)), axis=0)
    out: Path = tmp_path_factory.mktemp("order") / "release"
    us.publish(
        pd.DataFrame({"low": low, "high": high, "sex": rng.choice(["F", "M"], 900)}),
        schema=SCHEMA, epsilon=1, seed=1, out=out,
    )  # fmt: skip
    return us.load(out / "model.understudy")


@pytest.mark.parametrize("question", ["sex", "mean(low)", "count()", "share(sex=F)"])
def test_conditions_that_no_row_keeps_within_one_bin_are_refused(model: us.PublishedModel, question: str) -> None:
    with pytest.raises(OptionError, match="never to be larger"):
        model.query(f"{question} | low=20, high=10")
    model.query(f"{question} | low=10, high=10")


def test_that_bins_do_not_tell_of_the_order_inside_is_said(model: us.PublishedModel) -> None:
    assert any("known bin by bin" in note for note in model.query("mean(low) | high<10").notes)
    assert not any("known bin by bin" in note for note in model.query("mean(low) | sex=F").notes)


def release(
    tmp_path_factory: pytest.TempPathFactory, table: pd.DataFrame, fields: list[Any], orders: list[str]
) -> us.PublishedModel:
    """A rehearsed model of a table, with orders such as 'ab': a ≤ b."""
    out: Path = tmp_path_factory.mktemp("order") / "release"
    rules = [{"lower": low, "upper": high} for low, high in orders]
    us.publish(table, schema={"fields": fields, "dependencies": rules}, epsilon=5, seed=1, out=out)
    return us.load(out / "model.understudy")


def integer(name: str, *, bins: int = 2, **more: Any) -> dict[str, Any]:
    return {"name": name, "type": "integer", "constraints": {"minimum": 0, "maximum": 99, **more}, "bins": bins}


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> us.PublishedModel:
    """Three columns in a row, and a fourth one that may be missing between the first and the last."""
    rows = np.sort(np.random.default_rng(2).integers(0, 100, (600, 4)), axis=1)
    table = pd.DataFrame(rows, columns=list("abmc")).astype({"m": "Int64"})
    table.loc[::3, "m"] = pd.NA
    fields = [integer("a"), integer("b"), integer("m", required=False), integer("c")]
    return release(tmp_path_factory, table, fields, ["ab", "bc", "am", "mc"])


def test_shares_and_counts_that_an_order_rules_out_are_exactly_none(model: us.PublishedModel) -> None:
    for text in ("share(low>=20, high<=10)", "count(low>=20, high<=10)", "share(low>=20) | high<=10"):
        answer = model.query(text)
        assert (answer.value, answer.low, answer.high) == (0, 0, 0), text
        assert "'low' is declared never to be larger than 'high'" in answer.notes[0]
    assert model.query("share(low>=20, high<=20)").value > 0


def test_shares_that_an_order_is_sure_of_are_exactly_all(model: us.PublishedModel) -> None:
    answer = model.query("share(low<=10) | high<=10")
    assert (answer.value, answer.low, answer.high) == (1, 1, 1)
    assert "is 1, exactly: 'low' is declared never to be larger than 'high'" in answer.notes[0]
    counts = [model.query(f"count({text})").value for text in ("high<=10", "low<=10, high<=10", "high<=10, low<=10")]
    assert counts == pytest.approx([counts[0]] * 3)
    sexes = [model.query(text)["F"] for text in ("sex | high<=10", "sex | low<=10, high<=10")]
    assert sexes[0] == pytest.approx(sexes[1])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("share(low<=10, high<=20)", True),
        ("count(low<=10) | high<=20", True),
        ("count | low<=10, high<=20", True),
        ("low | high<=10", True),
        ("share(low<=24, high<=49)", False),
        ("share(low=0..24) | high=25..49", False),
        ("low, high", False),
    ],
)
def test_the_order_inside_bins_is_spoken_of_where_bins_are_cut(model: us.PublishedModel, text: str, said: bool) -> None:
    assert any("known bin by bin" in note for note in model.query(text).notes) == said


@pytest.mark.parametrize("statistic", ["mean(low)", "median(low)", "quantile(low, 1)"])
def test_a_condition_bounds_what_is_never_larger(model: us.PublishedModel, statistic: str) -> None:
    answer = model.query(f"{statistic} | high<=3")
    assert 0 <= answer.low <= answer.value <= answer.high <= 3
    answer = model.query(f"{statistic.replace('low', 'high')} | low>=97")
    assert 97 <= answer.low <= answer.value <= answer.high <= 99


def test_a_condition_bounds_deviations_shares_and_sums(model: us.PublishedModel) -> None:
    assert model.query("sd(low) | high<=3").high <= 1.5
    assert model.query("share(low<=1) | high<=3").value == pytest.approx(0.5, abs=0.01)  # evenly filled bins
    few = model.query("count(high<=3)")
    assert model.query("sum(low) | high<=3").value <= 3 * few.value


def test_a_bin_that_a_bound_cuts_counts_for_less_where_the_other_bin_is_cut_too(model: us.PublishedModel) -> None:
    answer, drawn = model.query("mean(low) | high<=30"), model.sample(20_000, where="high<=30", seed=1)["low"]
    assert drawn.max() <= 30
    assert answer.value == pytest.approx(drawn.mean(), abs=2)


def test_a_condition_bounds_through_other_columns_too(chain: us.PublishedModel) -> None:
    assert chain.query("mean(a) | c<=5").high <= 5
    assert chain.query("mean(m) | c<=5").high <= 5
    assert chain.query("mean(c) | a>=95").low >= 95


def test_whole_values_of_a_column_keep_the_rows_of_a_bin_that_they_cut(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    low, high = np.sort(np.random.default_rng(4).integers(0, 100, (2, 3000)), axis=0)
    fields = [integer("a"), {"name": "b", "type": "integer", "categories": list(range(0, 100, 10))}]
    table = pd.DataFrame({"a": np.minimum(low, high // 10 * 10), "b": high // 10 * 10})
    model = release(tmp_path_factory, table, fields, ["ab"])
    upper = 1 - model.query("share(a<=49) | b<=60").value
    real = table[table.b <= 60].a
    assert upper == pytest.approx((real > 49).mean(), abs=0.03)
    assert model.query("quantile(a, 1) | b<=60").high <= 60


def test_an_order_holds_through_a_column_that_is_never_missing(chain: us.PublishedModel) -> None:
    with pytest.raises(OptionError, match="'a' is declared never to be larger than 'b', and 'b' never than 'c'"):
        chain.query("mean(b) | a>=40, c<=30")
    chain.query("mean(b) | a>=30, c<=30")


def test_no_order_holds_through_a_column_that_may_be_missing(tmp_path_factory: pytest.TempPathFactory) -> None:
    table = pd.DataFrame({"a": [70, 5] * 200, "m": pd.array([None, 9] * 200, dtype="Int64"), "c": [20, 10] * 200})
    model = release(tmp_path_factory, table, [integer("a"), integer("m", required=False), integer("c")], ["am", "mc"])
    answer = model.query("share(m=missing) | a>=40, c<=30")
    assert answer.value == 1
    assert "exactly" in answer.notes[0]
    with pytest.raises(OptionError, match="no row with a value of 'm' that counts: 'a' is declared never"):
        model.query("mean(m) | a>=40, c<=30")
    assert model.sample(5, where="a=40..99, c=0..30", seed=1)["m"].isna().all()


def test_a_sample_that_an_order_leaves_no_row_for_is_refused_before_any_is_drawn(
    chain: us.PublishedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(chain.model), "sample_codes", lambda *_, **__: pytest.fail("rows were drawn"))
    with pytest.raises(OptionError, match="no row fulfils these conditions: 'a' is declared never to be larger"):
        chain.sample(5, where="a=40..99, c=0..30")


def test_categories_are_in_order_with_bins(tmp_path_factory: pytest.TempPathFactory) -> None:
    low, high = np.sort(np.random.default_rng(3).integers(0, 100, (2, 900)), axis=0)
    fields = [{"name": "a", "type": "integer", "categories": list(range(0, 100, 10))}, integer("b", bins=3)]
    model = release(tmp_path_factory, pd.DataFrame({"a": low // 10 * 10, "b": high}), fields, ["ab"])
    with pytest.raises(OptionError, match="never to be larger"):
        model.query("mean(b) | a=50, b<=30")
    answer, drawn = model.query("mean(b) | a=50"), model.sample(20_000, where="a=50", seed=1)["b"]
    assert answer.low >= 50
    assert answer.value == pytest.approx(drawn.mean(), abs=0.5)
    assert not any("known bin by bin" in note for note in answer.notes)
    assert any("known bin by bin" in note for note in model.query("mean(b) | a=50/60").notes)


def test_one_bin_is_not_called_one_value(model: us.PublishedModel) -> None:
    notes = " ".join(model.query("mean(low) | high<10").notes)
    assert "'low' can have but values of one bin here, 0–24: low ≤ high is declared of every row." in notes
    assert "one value" not in notes


def test_columns_apart_that_a_rule_ties_are_not_said_to_be_untied() -> None:
    schema = Schema.from_dict({"fields": [integer("a"), integer("b"), integer("c")], "dependencies": [
        {"lower": "a", "upper": "b"}]})  # fmt: skip
    half = np.full(2, 0.5)
    tree = CliqueTree((2, 2, 2), ((0,), (1,), (2,)), (-1, -1, -1), (half,) * 3)
    alone = [TreeMeasurement(marginal=(a,), values=half * 9, variance=1.0, interaction=False) for a in range(3)]
    model = TreeModel(schema.domain, 9, tree=tree, measurements=alone)
    notes = us.PublishedModel(schema, model, Statement.example()).query("a, b | c=3").notes
    assert any("'a' and 'b' were never measured together, but the schema declares a ≤ b: " in note for note in notes)
    assert any("'a' and 'c', 'b' and 'c' were never measured together: " in note for note in notes)
