"""Numbers at two resolutions: the grid, the histogram, bins and shapes, and what a release shows of them."""

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
from understudy._core.errors import OptionError, SchemaError
from understudy._core.randomness import streams
from understudy.counting import open_counter
from understudy.numbers import fine_schema, fit_histogram, resolve_numbers
from understudy.numbers._cuts import cut
from understudy.numbers._grid import Cells, fine_cells, level_of_cells
from understudy.numbers._histogram import BRANCHES
from understudy.numbers._round import round_at
from understudy.privacy import make_budget, make_noise, open_curator
from understudy.schema import MOST_FOUND, Schema, binary_depth
from understudy.tables import decode_batch, read_table


def column(**more: Any) -> Schema:
    constraints = {"minimum": more.pop("minimum", 0), "maximum": more.pop("maximum", 99)}
    field = {"name": "x", "type": "integer", "bins": "auto", "constraints": constraints, **more}
    return Schema.from_dict({"fields": [field]})


def levels_of(fine: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
    """Exact counts at every level, coarsest first."""
    found = [np.asarray(fine, dtype=np.float64)]
    while len(found[0]) > BRANCHES:
        found.insert(0, np.add.reduceat(found[0], np.arange(0, len(found[0]), BRANCHES)))
    return found


RANGES = [(0, 5), (-3, 3), (17, 90), (0, 10**5), (-(10**5), 10**6), (-(10**6), -5), (10**6, 10**6 + 10**5)]


@pytest.mark.parametrize(("minimum", "maximum"), RANGES)
def test_the_grid_covers_the_range_without_gaps(minimum: int, maximum: int) -> None:
    bins = fine_schema(column(minimum=minimum, maximum=maximum))["x"].bins
    first, last = bins.grid
    assert (first[0], last[-1]) == (minimum, maximum)
    assert (first[1:] == last[:-1] + 1).all()
    assert (first <= last).all()


@pytest.mark.parametrize(("minimum", "maximum"), [*RANGES, (0, 1), (0, 2), (0, 3), (0, 16_384), ("0", "4.99")])
def test_cells_and_levels_are_counted_as_they_would_be_made(minimum: Any, maximum: Any) -> None:
    more = {"type": "number", "decimals": 2, "special": [-1]} if isinstance(minimum, str) else {}
    schema = column(minimum=minimum, maximum=maximum, **more)
    made = fine_schema(schema)["x"]
    cells = len(made.cells or range(made.n_main))
    assert fine_cells(schema["x"]) == cells == Cells.of_field(made).of[-1] + 1
    assert level_of_cells(made) + 1 + binary_depth(cells) == made.attribute.n_levels
    assert made.attribute.size_at(level_of_cells(made)) - (made.size - made.n_main) == cells


def test_cells_near_zero_are_values_and_far_ones_are_a_small_part_of_the_range() -> None:
    first, last = fine_schema(column(minimum=-(10**5), maximum=10**6))["x"].bins.grid
    widths = dict(zip(first.tolist(), (last - first + 1).tolist(), strict=True))
    assert all(widths[value] == 1 for value in range(-99, 100))
    assert max(widths.values()) <= 1_100_001 / 512 + 1


@pytest.mark.parametrize(
    ("kind", "low", "high", "n"),
    [
        ("date", "1990-01-01", "2020-12-31", 11_323),
        ("date", "1800-01-01", "2020-12-31", 4096),
        ("datetime", "2020-01-01T00:00:00", "2020-12-31T00:00:00", 4096),
        ("number", 0, 60, 6001),
        ("year", 1900, 2026, 127),
    ],
)
def test_other_kinds_of_numbers_have_a_grid_as_well(kind: str, low: Any, high: Any, n: int) -> None:
    assert fine_schema(column(type=kind, minimum=low, maximum=high))["x"].n_main == n


@given(st.lists(st.integers(0, 50), min_size=1, max_size=70))
def test_without_noise_the_histogram_is_the_counts(counts: list[int]) -> None:
    if not sum(counts):
        return
    levels = levels_of(np.array(counts))
    fitted = fit_histogram(levels, [1e-9] * len(levels), np.ones(len(counts)))
    assert fitted == pytest.approx(np.array(counts), abs=1e-3)


@given(st.lists(st.floats(-80, 80), min_size=1, max_size=70), st.floats(0.01, 400), st.integers(1, 9))
def test_whatever_the_noise_counts_are_not_negative_and_add_up(noisy: list[float], variance: float, width: int) -> None:
    levels = levels_of(np.array(noisy))
    fitted = fit_histogram(levels, [variance] * len(levels), np.full(len(noisy), float(width)))
    assert (fitted >= 0).all()
    assert np.isfinite(fitted).all()
    assert fitted.sum() > 0


def test_noise_far_from_everything_makes_no_rows_there() -> None:
    """Where nothing is, the fitted histogram is empty in nearly all of the range, so means stay where they are."""
    rng = streams(5).get("noise")
    counts = np.zeros(4096)
    counts[:8] = 500
    outside = []
    for _ in range(20):
        levels = [level + rng.normal(0, 10, len(level)) for level in levels_of(counts)]
        outside.append(fit_histogram(levels, [100.0] * len(levels), np.ones(4096))[64:].sum() / 4000)
    assert np.mean(outside) < 0.005


def test_few_rows_that_nothing_tells_apart_stay_spread_over_the_range() -> None:
    noisy = np.array([30.0, 80, 10, -20, 60, 40, 90, 20, 35, 50, -10, 70, 45, 25, 65, 10])
    found = fit_histogram([noisy], [60.0**2], np.ones(16))
    assert found.tolist() == pytest.approx([noisy.sum() / 16] * 16), "the largest cell says nothing"
    apart = fit_histogram([np.where(np.arange(16) < 4, 900.0, noisy)], [60.0**2], np.ones(16))
    assert apart[:4].sum() > 0.9 * apart.sum()


def test_spikes_get_a_bin_of_their_own_and_the_rest_bins_of_equal_mass() -> None:
    masses = np.full(400, 10.0)
    masses[0], masses[200] = 4000, 900
    first = cut(masses, np.ones(400), 1.0)
    assert {0, 1, 200, 201} <= set(first)
    held = np.add.reduceat(masses, first)
    assert max(held[[i for i, cell in enumerate(first) if cell not in (0, 200)]]) < 1.2 * masses.sum() / 16
    assert 8 <= len(first) <= 18


@given(st.lists(st.floats(0, 1000), min_size=25, max_size=200), st.floats(0, 50))
def test_there_are_never_more_bins_than_were_planned_with(masses: list[float], deviation: float) -> None:
    first = cut(np.array(masses), np.ones(len(masses)), deviation)
    assert 1 <= len(first) <= MOST_FOUND
    assert first[0] == 0
    assert sorted(set(first)) == first


@pytest.mark.parametrize("spikes", [[3, 10], [10, 399], [0, 10], [200, 201]])
def test_no_bin_is_empty(spikes: list[int]) -> None:
    """The method would put noise into it, and values would be drawn from all over its width."""
    masses = np.zeros(400)
    masses[spikes] = 100
    first = cut(masses, np.ones(400), 1.0)
    assert (np.add.reduceat(masses, first) > 0).all()
    assert len(first) == 2


def test_many_spikes_are_no_more_than_was_planned_with() -> None:
    masses = np.zeros(400)
    masses[::9] = 100
    assert len(cut(masses, np.ones(400), 1.0)) <= MOST_FOUND


def test_bins_begin_at_round_values_where_their_mass_allows() -> None:
    first = cut(np.full(400, 10.0), np.ones(400), 1.0, round_at(np.arange(400)))
    assert {100, 200, 300} <= set(first)
    assert all(cell % 10 == 0 for cell in first)
    assert 10 <= len(first) <= MOST_FOUND


def test_the_rest_beside_a_spike_has_bins_too() -> None:
    masses = np.full(400, 1.0)
    masses[0] = 10_000
    assert len(cut(masses, np.ones(400), 1.0)) >= 10


def test_few_values_stay_apart() -> None:
    assert cut(np.array([5.0, 0, 0, 2]), np.ones(4), 3.0) == [0, 1, 2, 3]


def resolved(values: list[Any], schema: Schema) -> Schema:
    table = pd.DataFrame({"x": values})
    counter = open_counter(read_table(table, fine_schema(schema)))
    curator = open_curator(counter, budget=make_budget(1), noise=make_noise(seed=1), noiseless="all")
    found = resolve_numbers(curator, schema, share=Fraction(1, 20))
    codes = found.recoding.encode(read_table(table, fine_schema(schema)).columns)
    assert codes[0].tolist() == read_table(table, found.schema).columns[0].tolist()  # both ways to the same bin
    assert Schema.from_dict(found.schema.to_dict()).domain == found.schema.domain
    return found.schema


def test_values_come_back_from_their_bins_as_they_were_spread() -> None:
    values = [0] * 800 + [999] * 100 + list(range(1, 101))
    schema = resolved(values, column(maximum=10_000))
    labels = schema["x"].labels
    assert labels[0] == "0"
    assert labels[-1] == "999–10000"  # all that lies in it is 999
    codes = read_table(pd.DataFrame({"x": values}), schema).columns
    drawn = decode_batch(schema, codes, streams(2).get("decode")).column("x").to_numpy()
    assert (drawn == 0).sum() == 800
    assert (drawn == 999).sum() == 100
    assert sorted(np.unique(drawn[(drawn != 0) & (drawn != 999)]))[-1] <= 100
    assert codes[0].tolist() == read_table(pd.DataFrame({"x": drawn}), schema).columns[0].tolist()


def test_parts_of_bins_count_by_what_lies_in_them() -> None:
    """Nearly all of a bin may lie at one end of it: `x <= 20` is then no matter of its width."""
    bins = {"found": {"first": [0], "starts": [0, 21, 100], "shares": [0.75, 0.25, 0]}}
    field = Schema.from_dict({"fields": [{"name": "x", "type": "integer", "bins": bins, "constraints": RANGE}]})["x"]
    assert field.weights_between(None, 20).tolist() == pytest.approx([0.75])
    assert field.weights_between(21, 60).tolist() == pytest.approx([0.25 * 40 / 79])
    assert field.weights_between(100, None).tolist() == pytest.approx([0.0])
    assert field.weights_between(-5, -1).tolist() == [0.0]


RANGE = {"minimum": 0, "maximum": 10_000}


@pytest.mark.parametrize("kind", ["number", "date", "datetime", "year"])
def test_every_kind_of_number_is_resolved_and_read_back(kind: str) -> None:
    days = pd.date_range("2001-01-01", periods=60)
    values, low, high = {
        "number": ([0.0] * 50 + [0.25 * i for i in range(100)], 0, 60),
        "date": ([day.date() for day in days] * 3, "1990-01-01", "2020-12-31"),
        "datetime": (list(days) * 3, "1990-01-01T00:00:00", "2020-12-31T00:00:00"),
        "year": ([1999] * 60 + [2001] * 60, 1900, 2100),
    }[kind]
    schema = resolved(values, column(type=kind, minimum=low, maximum=high))
    assert schema["x"].bins.shape is not None


def test_missing_and_special_values_keep_their_codes() -> None:
    field = {"special": [-1], "minimum": 0, "maximum": 500}
    schema = Schema.from_dict(
        {
            "fields": [
                {
                    "name": "x",
                    "type": "integer",
                    "bins": "auto",
                    "special": field["special"],
                    "constraints": {"minimum": 0, "maximum": 500, "required": False},
                }
            ]
        }
    )
    found = resolved([None, -1, 3, 3, 400, None], schema)
    assert found["x"].labels[-2:] == ("-1", "missing")


@pytest.mark.parametrize(
    ("field", "says"),
    [
        ({"bins": {"auto": True, "count": 4}}, "both auto and count"),
        ({"bins": "auto", "taxonomy": [[0, 1], 2]}, "yet to find"),
        ({"bins": "automatic"}, "bins"),
        ({"bins": {"found": {"first": [1], "starts": [1], "shares": [1]}}}, "must rise from 0"),
        ({"bins": {"found": {"first": [0], "starts": [0], "shares": [-1]}}}, "one number from 0 on"),
        ({"bins": {"found": {"first": [0, 5], "starts": [0, 6], "shares": [1, 1]}}}, "first point of every bin"),
        ({"bins": {"found": {"first": [0, 500], "starts": [0, 500], "shares": [1, 1]}}}, "to 99 at most"),
    ],
)
def test_what_cannot_be_is_refused(field: dict[str, Any], says: str) -> None:
    with pytest.raises(SchemaError, match=says):
        column(**field)


def customers(n: int) -> pd.DataFrame:
    rng = streams(11).get("customers")
    balance = np.clip(np.round(np.exp(rng.normal(6.5, 1.2, n))), 0, 100_000)
    balance[rng.random(n) < 0.1] = 0
    contacts = np.where(rng.random(n) < 0.82, 0, 1 + rng.geometric(0.4, n))
    return pd.DataFrame({"balance": balance.astype(int), "contacts": np.minimum(contacts, 200), "owns": balance > 900})


CUSTOMERS = {
    "fields": [
        {"name": "balance", "type": "integer", "bins": "auto", "constraints": {"minimum": -10_000, "maximum": 200_000}},
        {"name": "contacts", "type": "integer", "bins": "auto", "constraints": {"minimum": 0, "maximum": 275}},
        {"name": "owns", "type": "boolean"},
    ]
}


def made_of(table: pd.DataFrame, schema: dict[str, Any], home: Path, seed: int = 3, **options: Any) -> pd.DataFrame:
    release = understudy.publish(table, schema=schema, seed=seed, out=home / f"release{seed}", **options)
    return pd.read_csv(release.synthetic)


@pytest.mark.parametrize("options", [{}, {"delta": 0}, {"neighbours": "replace-one", "method": "privbayes"}])
def test_means_deviations_and_spikes_of_a_release_are_those_of_the_table(
    options: dict[str, Any], tmp_path: Path
) -> None:
    real = customers(20_000)
    runs = [made_of(real, CUSTOMERS, tmp_path, seed, epsilon=2, **options) for seed in (3, 4, 5)]
    for name in ("balance", "contacts"):
        deviation = real[name].std()
        for made in runs:
            assert abs((made[name] == 0).mean() - (real[name] == 0).mean()) < 0.02
        # how far a tail reaches differs from run to run
        assert np.mean([abs(made[name].mean() - real[name].mean()) for made in runs]) < 0.06 * deviation
        off = [abs(made[name].std() / deviation - 1) for made in runs]
        assert np.mean(off) < (0.25 if "delta" not in options else 0.4)


def test_the_statement_lists_the_histogram_beside_the_methods_own_steps(tmp_path: Path) -> None:
    release = understudy.publish(customers(2_000), schema=CUSTOMERS, epsilon=1, seed=3, out=tmp_path / "release")
    told = [charge.what for charge in release.statement.charges]
    assert told[0] == "numbers, value by value"
    assert len(told) > 2
    assert "the method" not in told
    spent = sum(Fraction(charge.cost) for charge in release.statement.charges)
    assert spent <= release.statement.mu_squared
    assert "noisy histogram" in release.statement.public[0].what


@pytest.mark.parametrize("does", ["publish", "plan"])
def test_beside_a_promise_for_a_single_column_it_is_refused(does: str) -> None:
    fields = [*CUSTOMERS["fields"][:2], {**CUSTOMERS["fields"][2], "sensitivity": "high"}]
    more = {"rows": 100} if does == "plan" else {}
    with pytest.raises(OptionError, match="'balance' has `bins: auto` and column 'owns' a sensitivity"):
        getattr(understudy, does)(customers(100), schema={"fields": fields}, epsilon=1, delta=0, **more)


def test_what_is_said_of_the_method_is_what_ran(tmp_path: Path) -> None:
    """The method has the rest of the budget, and what it makes of it is told for that."""
    few = understudy.publish(customers(30), schema=CUSTOMERS, epsilon="1/20", seed=1, out=tmp_path / "few")
    assert any("mostly noise" in warning for warning in few.statement.warnings)


def test_queries_are_answered_at_the_values_they_name() -> None:
    real = customers(4_000)
    asked = ["balance=0", "balance=1..1234", "balance=50000..", "contacts=0, owns=true", "owns=true"]
    found = understudy.answer(real, asked, schema=CUSTOMERS, epsilon=4, seed=5)
    whole = real["balance"]
    exact = [whole == 0, whole.between(1, 1234), whole >= 50_000, (real["contacts"] == 0) & real["owns"], real["owns"]]
    for row, rows in zip(found.rows(), exact, strict=True):
        assert row["answer"] == pytest.approx(rows.mean(), abs=0.02)
    assert not any("spread" in warning for warning in found.statement.warnings)  # no bin was cut
    assert found.model.schema["balance"].labels == ("-10000–-1", "0", "1–1234", "1235–49999", "50000–200000")
    assert not any("value by value" in charge.what for charge in found.statement.charges)


def test_tables_of_such_columns_have_bins_of_equal_width_and_those_of_other_queries() -> None:
    asked = ["table(contacts | owns=true)", "contacts=0", "balance=-0.5"]
    with pytest.raises(OptionError, match=r"^query 3: column 'balance'"):
        understudy.answer(customers(50), asked, schema=CUSTOMERS, epsilon=1)
    found = understudy.answer(customers(50), asked[:2], schema=CUSTOMERS, epsilon=1)
    texts = [row["query"] for row in found.rows()]
    assert texts[:2] == ["contacts=0, owns=true", "contacts='1–11', owns=true"]
    assert len(texts) == 26


def test_weights_for_bins_that_nobody_declared_are_refused() -> None:
    query = understudy.LinearQuery(columns=("balance",), weights=np.ones((1, 24)))
    with pytest.raises(OptionError, match="weights for the bins of 'balance', and its schema declares none"):
        understudy.answer(customers(50), [query], schema=CUSTOMERS, epsilon=1)


def test_very_many_cuts_leave_bins_of_equal_width() -> None:
    asked = [f"balance={i}..{i + 500}" for i in range(0, 100_000, 700)]
    found = understudy.answer(customers(200), asked, schema=CUSTOMERS, epsilon=1, seed=1)
    assert found.model.schema["balance"].size == 24
    assert any("spread" in warning for warning in found.statement.warnings)


def test_a_declared_order_between_such_columns_is_kept(tmp_path: Path) -> None:
    rng = streams(4).get("stays")
    admitted = rng.integers(0, 3000, 4_000)
    stays = pd.DataFrame({"admitted": admitted, "left": admitted + rng.geometric(0.2, 4_000)})
    day = {"type": "integer", "bins": "auto", "constraints": {"minimum": 0, "maximum": 40_000}}
    schema = {
        "fields": [{"name": name, **day} for name in stays],
        "dependencies": [{"lower": "admitted", "upper": "left"}],
    }
    made = made_of(stays, schema, tmp_path, epsilon=1)
    assert (made["admitted"] <= made["left"]).all()
    assert made["admitted"].mean() == pytest.approx(stays["admitted"].mean(), rel=0.1)


def test_one_row(tmp_path: Path) -> None:
    field = {"name": "x", "type": "integer", "bins": "auto", "constraints": {"minimum": 4, "maximum": 400}}
    made = made_of(pd.DataFrame({"x": [4]}), {"fields": [field]}, tmp_path, epsilon=1)
    assert made["x"].between(4, 400).all()


@pytest.mark.parametrize("digits", [15, 17, 18])
def test_ranges_beyond_what_floats_tell_apart(digits: int, tmp_path: Path) -> None:
    """Seen from the far end, values beside 0 are all at one place."""
    far = 10**digits
    rng = streams(digits).get("far")
    values = np.where(rng.random(2_000) < 0.3, far, rng.integers(0, 50, 2_000))
    field = {"name": "x", "type": "integer", "constraints": {"minimum": 0, "maximum": far}}
    made = made_of(pd.DataFrame({"x": values}), {"fields": [field]}, tmp_path, epsilon=2)
    assert (made["x"] == far).mean() == pytest.approx(0.3, abs=0.05)  # the last value has a cell of its own
    assert made["x"].median() == pytest.approx(np.median(values), abs=8)
