"""Declared bins with a noisy histogram inside (`inside: auto`): edges rule, and values lie where they were."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import understudy
from tests.numbers.test_numbers import CUSTOMERS, customers, made_of, resolved
from understudy._core.errors import OptionError, SchemaError
from understudy._core.randomness import streams
from understudy.numbers import even_schema, fine_schema, numbers_share
from understudy.schema import Schema
from understudy.tables import decode_batch, read_table

EDGES = {"balance": [-10_000, 0, 100, 500, 1000, 5000, 200_000], "contacts": [0, 1, 2, 5, 20, 275]}


def column(bins: Any, **more: Any) -> Schema:
    return Schema.from_dict({"fields": [{"name": "x", "type": "integer", "bins": bins, **more}]})


def with_edges(inside: str = "auto") -> dict[str, Any]:
    """The customers' schema with edges by hand, and what is inside them as it says."""
    fields = [
        {**field, "bins": {"edges": EDGES[field["name"]], "closed": "left", "inside": inside}}
        if field["name"] in EDGES
        else field
        for field in CUSTOMERS["fields"]
    ]
    return {"fields": fields}


def test_edges_labels_and_codes_are_the_declared_ones() -> None:
    values = [0] * 60 + [30] * 40 + list(range(100))
    declared = column({"edges": [0, 18, 65, 99], "closed": "left"})
    found = resolved(values, column({"edges": [0, 18, 65, 99], "closed": "left", "inside": "auto"}))
    assert found["x"].labels == declared["x"].labels
    assert found.domain == declared.domain
    codes = read_table(pd.DataFrame({"x": values}), found).columns
    assert codes[0].tolist() == read_table(pd.DataFrame({"x": values}), declared).columns[0].tolist()
    assert found["x"].weights_between(0, 0).tolist() == pytest.approx([61 / 78, 0, 0], rel=1e-3)
    assert found["x"].weights_between(30, 30).tolist() == pytest.approx([0, 41 / 87, 0], rel=1e-3)
    drawn = decode_batch(found, codes, streams(2).get("decode")).column("x").to_numpy()
    assert read_table(pd.DataFrame({"x": drawn}), declared).columns[0].tolist() == codes[0].tolist()


@given(
    st.lists(st.integers(1, 999), min_size=1, max_size=6, unique=True),
    st.sampled_from(["left", "right"]),
    st.integers(0, 3),
    st.lists(st.floats(0, 10), min_size=1, max_size=20),
)
def test_a_value_stays_in_its_declared_bin(inner: list[int], closed: str, decimals: int, values: list[float]) -> None:
    """Whatever the decimals of value, edge and grid: cells of the grid do not cross an edge."""
    edges = [0, *(edge / 100 for edge in sorted(inner)), 10]
    bins = {"edges": edges, "closed": closed, "inside": "auto"}
    try:
        schema = column(bins, type="number", decimals=decimals)
    except SchemaError:
        return  # a bin without a value of so few decimals
    near = [value for edge in edges for value in (edge, np.nextafter(edge, -1), np.nextafter(edge, 11))]
    at = np.clip([*values, *near], 0, 10)
    cells = fine_schema(schema)["x"].bins
    first = np.searchsorted(cells.grid[0], [*schema["x"].bins.grid[0]])
    assert np.isin(schema["x"].bins.grid[0], cells.grid[0]).all()
    found = np.searchsorted(first, cells.codes(at), side="right") - 1
    assert found.tolist() == schema["x"].bins.codes(at).tolist()


@pytest.mark.parametrize("kind", ["number", "date", "datetime", "year"])
def test_every_kind_of_number_can_be_filled_and_read_back(kind: str) -> None:
    days = pd.date_range("2001-01-01", periods=60)
    values, edges = {
        "number": ([0.0] * 50 + [0.25 * i for i in range(100)], [0, 0.5, 20.125, 60]),
        "date": ([day.date() for day in days] * 3, ["1990-01-01", "2001-01-15", "2020-12-31"]),
        "datetime": (list(days) * 3, ["1990-01-01T00:00:00", "2001-02-01T00:00:00", "2020-12-31T00:00:00"]),
        "year": ([1999] * 60 + [2001] * 60, [1900, 2000, 2100]),
    }[kind]
    found = resolved(values, column({"edges": edges, "inside": "auto"}, type=kind))
    assert found["x"].bins.shape is not None
    assert found["x"].n_main == len(edges) - 1


def test_special_values_missing_ones_and_a_taxonomy_stay() -> None:
    constraints = {"minimum": 0, "maximum": 500, "required": False}
    bins = {"count": 4, "inside": "auto"}
    schema = column(bins, special=[-1], constraints=constraints, taxonomy=[[0, 1], [2, 3]])
    found = resolved([None, -1, 3, 3, 400, None], schema)
    assert found["x"].labels[-2:] == ("-1", "missing")
    assert found["x"].attribute == schema["x"].attribute


@pytest.mark.parametrize("options", [{}, {"delta": 0}, {"neighbours": "replace-one", "method": "privbayes"}])
def test_numbers_of_a_release_are_right_in_edges_by_hand(options: dict[str, Any], tmp_path: Path) -> None:
    real = customers(20_000)
    made = made_of(real, with_edges(), tmp_path, epsilon=2, **options)
    even = made_of(real, with_edges("even"), tmp_path, seed=4, epsilon=2, **options)
    for name in EDGES:
        deviation = real[name].std()
        off = abs(made[name].mean() - real[name].mean()) / deviation
        assert off < 0.1
        assert off < abs(even[name].mean() - real[name].mean()) / deviation / 2
        assert abs((made[name] == 0).mean() - (real[name] == 0).mean()) < 0.03
    assert abs(even["balance"].mean() - real["balance"].mean()) > real["balance"].std()


def test_half_as_much_is_paid_where_no_bins_are_to_be_found(tmp_path: Path) -> None:
    release = understudy.publish(customers(2_000), schema=with_edges(), epsilon=1, seed=3, out=tmp_path / "release")
    statement = release.statement
    spent = [charge.cost for charge in statement.charges if charge.what.startswith("numbers, ")]
    assert 0 < sum(spent) <= statement.mu_squared / 20
    assert sum(charge.cost for charge in statement.charges) <= statement.mu_squared
    assert statement.public[0].what.endswith("in 6 bins, filled as a noisy histogram has it")
    text = (tmp_path / "release" / "README.md").read_text()
    assert "6 declared bins, and the distribution inside them, found with noise" in text
    loaded = understudy.load(tmp_path / "release" / "model.understudy")
    assert loaded.schema == release.model.schema
    mixed = {"fields": [with_edges()["fields"][0], *CUSTOMERS["fields"][1:]]}
    shares = [numbers_share(Schema.from_dict(schema)) for schema in (with_edges(), mixed, CUSTOMERS)]
    assert shares == [Fraction(1, 20), Fraction(1, 10), Fraction(1, 10)]


def test_a_plan_reckons_with_it() -> None:
    plans = [understudy.plan(schema=with_edges(inside), rows=2_000, epsilon=1) for inside in ("auto", "even")]
    assert plans[0].shares["numbers, value by value"] == pytest.approx(1 / 20)
    assert "numbers, value by value" not in plans[1].shares
    assert plans[0].candidates_per_choice == plans[1].candidates_per_choice


def test_bins_of_single_values_have_no_inside() -> None:
    schema = column({"count": 6, "inside": "auto"}, constraints={"minimum": 0, "maximum": 5})
    assert not schema["x"].counted_finely
    assert numbers_share(schema) == 0


def test_queries_need_no_histogram() -> None:
    schema = Schema.from_dict(with_edges())
    even = even_schema(schema)
    assert not any(field.counted_finely for field in even.fields)
    assert even.domain == Schema.from_dict(with_edges("even")).domain
    assert Schema.from_dict(even.to_dict()) == even
    found = understudy.answer(customers(4_000), ["balance=0..99, owns=true"], schema=with_edges(), epsilon=4, seed=5)
    assert not any(charge.what.startswith("numbers") for charge in found.statement.charges)


@pytest.mark.parametrize(
    ("bins", "says"),
    [
        ({"auto": True, "inside": "auto"}, "bins.inside speaks of declared bins"),
        ({"inside": "auto"}, "bins.inside speaks of declared bins"),
        ({"count": 4, "inside": "evenly"}, "bins.inside must be auto or even"),
        ({"count": 4, "inside": {"starts": [0, 1]}}, "bins.inside must be auto or even"),
        ({"count": 4, "inside": {"starts": [0, 40], "shares": [1, 1]}}, "first point of every bin"),
        ({"count": 2, "inside": {"starts": [0, 50], "shares": [1, float("nan")]}}, "one number from 0 on"),
        ({"count": 2, "inside": {"starts": [50, 0], "shares": [1, 1]}}, "must rise from 0"),
        ({"count": 4, "insde": "auto"}, "unknown property"),
    ],
)
def test_what_cannot_be_is_refused(bins: dict[str, Any], says: str) -> None:
    with pytest.raises(SchemaError, match=says):
        column(bins, constraints={"minimum": 0, "maximum": 99})


@pytest.mark.parametrize("does", ["publish", "plan"])
def test_beside_a_promise_for_a_single_column_it_is_refused(does: str) -> None:
    fields = [*with_edges()["fields"][:2], {**CUSTOMERS["fields"][2], "sensitivity": "high"}]
    more = {"rows": 100} if does == "plan" else {}
    with pytest.raises(OptionError, match="'balance' has `inside: auto` and column 'owns' a sensitivity"):
        getattr(understudy, does)(customers(100), schema={"fields": fields}, epsilon=1, delta=0, **more)


def test_a_condition_still_needs_a_declared_edge() -> None:
    """Only bins that are found are cut where a dependency asks for it."""
    with pytest.raises(SchemaError, match="the bin 2–4 of 'contacts' holds values inside and outside"):
        Schema.from_dict({**with_edges(), "dependencies": [{"impossible": {"contacts": "..3", "owns": True}}]})
    kept = Schema.from_dict({**with_edges(), "dependencies": [{"impossible": {"contacts": "..1", "owns": True}}]})
    assert kept["contacts"].labels == Schema.from_dict(with_edges())["contacts"].labels


def test_a_report_names_columns_that_need_it(tmp_path: Path) -> None:
    real = customers(6_000)
    told = {}
    for inside in ("even", "auto"):
        out = tmp_path / inside
        understudy.publish(real, schema=with_edges(inside), epsilon=2, seed=3, out=out)
        told[inside] = understudy.evaluate(real, out, classifiers=False).verdicts[0].sentence
    assert "The declared bins of `balance`, `contacts` are filled evenly: with `inside: auto`" in told["even"]
    assert "inside: auto" not in told["auto"]


def test_runs_are_compared_in_the_declared_bins() -> None:
    found = understudy.compare(customers(2_000), schema=with_edges(), methods=["independent"], epsilons=[2], seeds=2)
    assert all(0 < value < 0.5 for run in found.runs for name, value in run.values.items() if "way" in name)
    assert len(found.runs) == 2


def one_column(edges: list[int], inside: str = "auto") -> dict[str, Any]:
    return {"fields": [{"name": "x", "type": "integer", "bins": {"edges": edges, "closed": "left", "inside": inside}}]}


def two_heaps(far: int) -> pd.DataFrame:
    """5,000 values below 1,000, and 120 at one place far away: too few for a histogram, and enough for a bin."""
    rng = streams(1).get("heaps")
    return pd.DataFrame({"x": np.concatenate([rng.integers(0, 1000, 5000), rng.integers(far, far + 1000, 120)])})


def test_of_a_bin_in_which_nothing_was_seen_an_interval_says_so(tmp_path: Path) -> None:
    """It is filled evenly, as without a histogram, and may be filled otherwise."""
    real = two_heaps(50_000)
    intervals = {}
    for inside in ("auto", "even"):
        schema = one_column([0, 1000, 50_000, 100_000], inside)
        release = understudy.publish(real, schema=schema, epsilon=1, seed=3, out=tmp_path / inside)
        found = release.model.query("mean(x) | x=50000..").to_dict()["rows"][0]
        intervals[inside] = (found["low"], found["high"])
        assert found["value"] == pytest.approx(75_000, rel=0.01)
    low, high = intervals["even"]
    assert 50_000 <= intervals["auto"][0] <= low < high <= intervals["auto"][1] <= 100_000
    assert intervals["auto"] == pytest.approx((low, high), rel=0.1)


def test_declared_edges_are_borders_of_cells_in_long_ranges(tmp_path: Path) -> None:
    rng = streams(1).get("long")
    real = pd.DataFrame({"x": np.concatenate([np.full(5000, 123_456), rng.integers(0, 10**6, 5000)])})
    release = understudy.publish(real, schema=one_column([0, 123_456, 10**6]), epsilon=5, seed=3, out=tmp_path / "r")
    answer = release.model.query("share(x=..123455)")
    found = answer.to_dict()["rows"][0]
    assert found["high"] - found["low"] < 0.02
    assert "counted together" not in str(answer)


def test_a_column_that_is_known_in_its_bins_is_not_called_noise(tmp_path: Path) -> None:
    rng = streams(1).get("flat")
    real = pd.DataFrame({"x": rng.integers(0, 100_000, 1500)})
    release = understudy.publish(real, schema=one_column([0, 30_000, 100_000]), epsilon=0.5, seed=3, out=tmp_path / "r")
    assert release.statement.warnings == ()


@pytest.mark.parametrize("bins", ["auto", {"edges": [0, 100, 500], "inside": "auto"}])
def test_rows_that_all_lie_at_one_end_have_no_mean_to_ask_for(bins: Any, tmp_path: Path) -> None:
    """Weights are all 0 then, and noise for a sum that nothing can move would have no variance."""
    schema = {"fields": [{"name": "x", "type": "integer", "bins": bins, "constraints": {"minimum": 0, "maximum": 500}}]}
    real = pd.DataFrame({"x": [500] * 3000})
    for seed in (1, 2, 3):
        made = made_of(real, schema, tmp_path, seed, epsilon=2, neighbours="replace-one")
        assert (made["x"] == 500).mean() > 0.9


@pytest.mark.parametrize("bins", ["auto", {"edges": [0, 14, 60, 99], "closed": "left", "inside": "auto"}])
@pytest.mark.parametrize("policy", ["refuse", "drop", "mend"])
def test_a_map_to_stretches_of_values_is_kept_by_all_values_in_them(bins: Any, policy: str, tmp_path: Path) -> None:
    rng = streams(1).get("map")
    kind = rng.integers(0, 3, 3000)
    low, high = np.array([0, 14, 60]), np.array([13, 59, 99])
    real = pd.DataFrame({"c": np.array(list("kmo"))[kind], "x": rng.integers(low[kind], high[kind] + 1)})
    if policy != "refuse":
        real.loc[:29, "x"] = (real.loc[:29, "x"] + 50) % 100
    stretches = {"k": "..13", "m": "14..59", "o": "60.."}
    schema = {
        "fields": [
            {"name": "x", "type": "integer", "bins": bins, "constraints": {"minimum": 0, "maximum": 99}},
            {"name": "c", "categories": ["k", "m", "o"]},
        ],
        "dependencies": [{"determines": "c", "column": "x", "map": stretches}],
        "brokenRows": policy,
    }
    made = made_of(real, schema, tmp_path, epsilon=4)
    of = made["c"].map({"k": 0, "m": 1, "o": 2}).to_numpy()
    assert made["x"].between(low[of], high[of]).all()
    assert abs(made["x"].mean() - real["x"].mean()) < 2
    assert len(made) == pytest.approx(3000, abs=80)


def test_parties_randomise_declared_bins_without_a_histogram() -> None:
    planned = understudy.randomize.plan(with_edges(), epsilon=2)
    assert not any(field.counted_finely for field in planned.schema.fields)
    assert "histogram" not in str(planned.schema.to_dict())
