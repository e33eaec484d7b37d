"""Figures of raw values are those that pandas and scipy find in the two tables."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import understudy as us
from tests.evaluation.samples import random_pair
from understudy import demo
from understudy.evaluation import Report, make_references, measure_raw_values, read_pair, tone_of
from understudy.schema import Schema

stats = pytest.importorskip("scipy.stats", reason="scipy comes with the evaluate extra")

FIELDS: list[dict[str, Any]] = [
    {"name": "job", "categories": ["a", "b", "c"]},
    {"name": "balance", "type": "integer", "constraints": {"minimum": -10_000, "maximum": 120_000}, "bins": 12},
    {
        "name": "income",
        "type": "number",
        "constraints": {"minimum": 0, "maximum": 100, "required": False},
        "bins": 5,
    },
    {"name": "days", "type": "integer", "constraints": {"minimum": 1, "maximum": 900}, "special": [-1, 0], "bins": 5},
    {"name": "since", "type": "date", "constraints": {"minimum": "2010-01-01", "maximum": "2024-12-31"}, "bins": 6},
    {
        "name": "seen",
        "type": "datetime",
        "constraints": {"minimum": "2020-01-01T00:00:00", "maximum": "2024-12-31T00:00:00", "required": False},
        "bins": 6,
    },
    {"name": "grade", "type": "integer", "categories": [1, 2, 3, 4], "categoriesOrdered": True},
]
SCHEMA = {"name": "customers", "fields": FIELDS}
QUANTILES = {"p05": 0.05, "p25": 0.25, "median": 0.5, "p75": 0.75, "p95": 0.95}


def customers(n: int, seed: int, *, shift: float = 0.0) -> pd.DataFrame:
    """Heavy tails, spikes, special values, missing cells and dates."""
    rng = np.random.default_rng(seed)
    days = np.where(rng.random(n) < 0.6, -1, np.where(rng.random(n) < 0.3, 0, rng.integers(1, 900, n)))
    frame = pd.DataFrame(
        {
            "job": rng.choice(list("abc"), n),
            "balance": np.clip(rng.lognormal(6 + shift, 1.4, n).round().astype(int) - 300, -9000, 110_000),
            "income": np.where(rng.random(n) < 0.2, np.nan, rng.normal(40, 9, n).clip(0, 100).round(1)),
            "days": days,
            "since": pd.Timestamp("2012-01-01") + pd.to_timedelta(rng.integers(0, 4000, n), unit="D"),
            "seen": pd.Timestamp("2021-01-01") + pd.to_timedelta(rng.integers(0, 10**8, n), unit="s"),
            "grade": rng.integers(1, 5, n),
        }
    )
    frame.loc[rng.random(n) < 0.1, "seen"] = pd.NaT
    frame.loc[rng.random(n) < 0.3 - 0.2 * bool(shift), "balance"] = 0
    return frame


def plain(column: pd.Series[Any]) -> pd.Series[Any]:
    """Numbers: of dates their days."""
    if pd.api.types.is_datetime64_any_dtype(column):
        return (column - pd.Timestamp("1970-01-01")) / pd.Timedelta(days=1)
    return column


def check_against_pandas(report: Report, real: pd.DataFrame, made: pd.DataFrame) -> None:
    """Every figure of raw values that the report states, found again without any code of ours."""
    rows = report.numbers.to_pandas() if isinstance(report.numbers, pa.Table) else report.numbers
    for _, row in rows.iterrows():
        left_out = {column.name: column.left_out for column in report.number_columns}[row["column"]]
        sides = {}
        for side, frame in (("real", real), ("synthetic", made)):
            values = plain(frame[row["column"]])
            sides[side] = values[~values.isin([float(code) for code in left_out])].dropna()
            assert row[f"mean_{side}"] == pytest.approx(sides[side].mean(), rel=1e-9)
            assert row[f"deviation_{side}"] == pytest.approx(sides[side].std(), rel=1e-9)
            for name, share in QUANTILES.items():
                assert row[f"{name}_{side}"] == pytest.approx(sides[side].quantile(share), rel=1e-9, abs=1e-9)
        a, b = sides["real"], sides["synthetic"]
        scale = a.std()
        assert row["KS_error"] == pytest.approx(stats.ks_2samp(a, b).statistic, abs=1e-9)
        assert row["Wasserstein_error"] == pytest.approx(stats.wasserstein_distance(a, b) / scale, rel=1e-7)
        assert row["mean_error"] == pytest.approx(abs(a.mean() - b.mean()) / scale, abs=1e-8)
        assert row["median_error"] == pytest.approx(abs(a.median() - b.median()) / scale, abs=1e-8)
        assert row["deviation_error"] == pytest.approx(abs(b.std() / a.std() - 1), abs=1e-8)
        ends = [abs(a.quantile(share) - b.quantile(share)) for share in (0.05, 0.25, 0.75, 0.95)]
        assert row["quantiles_error"] == pytest.approx(np.mean(ends) / scale, abs=1e-8)
    for column in report.number_columns:
        texts = {side: _texts(frame[column.name]) for side, frame in (("real", real), ("synthetic", made))}
        for spike in column.spikes:
            assert spike.real == pytest.approx((texts["real"] == spike.value).mean())
            assert spike.synthetic == pytest.approx((texts["synthetic"] == spike.value).mean())
        often = texts["real"].value_counts(normalize=True)
        assert {value for value in often.index if often[value] >= 0.02} <= {one.value for one in column.spikes}


def _texts(column: pd.Series[Any]) -> pd.Series[Any]:
    def text(value: Any) -> str:
        if pd.isna(value):
            return "missing"
        if isinstance(value, pd.Timestamp):
            return f"{value:%Y-%m-%d}"
        return str(int(value)) if float(value) == round(value) else repr(float(value))

    return column.map(text)


@pytest.fixture(scope="module")
def made_up() -> tuple[Report, pd.DataFrame, pd.DataFrame]:
    real, made = customers(1500, 1), customers(1200, 2, shift=0.3)
    return us.evaluate(real, made, SCHEMA, classifiers=False, ways=(1, 2)), real, made


def test_figures_of_a_random_table_are_those_of_pandas_and_scipy(
    made_up: tuple[Report, pd.DataFrame, pd.DataFrame],
) -> None:
    report, real, made = made_up
    assert [column.name for column in report.number_columns] == [f["name"] for f in FIELDS[1:]]
    assert {column.name: column.left_out for column in report.number_columns}["days"] == ("-1",)
    check_against_pandas(report, real, made)


def test_figures_of_the_demo_are_those_of_pandas_and_scipy(tmp_path: Path) -> None:
    release = us.publish("demo", out=tmp_path / "release", method="independent", epsilon=1, seed=5)
    report = us.evaluate("demo", release, classifiers=False, ways=(1,))
    check_against_pandas(report, pd.read_csv(demo.table_path()), pd.read_csv(release.synthetic))
    for column in report.number_columns:
        for error in column.errors.values():
            assert error.binning is not None
            assert error.noise is not None
            assert error.value <= error.binning + error.noise + 1e-9  # by the triangle inequality


def test_averages_and_the_file_are_those_of_the_columns(
    made_up: tuple[Report, pd.DataFrame, pd.DataFrame], tmp_path: Path
) -> None:
    report, real, made = made_up
    for name in ("KS", "Wasserstein", "mean", "median", "deviation", "quantiles", "spikes"):
        errors = [column.errors[name] for column in report.number_columns]
        known = report.find(f"raw {name}")
        assert known.value == pytest.approx(np.mean([error.value for error in errors]))
        assert known.fresh_sample == pytest.approx(np.mean([error.fresh_sample for error in errors]))
        assert known.details is not None
        assert known.details["error"][0].as_py() == max(error.value for error in errors)
    saved = json.loads(report.save(tmp_path / "report.json").read_text(encoding="utf-8"))
    numbers = {one["name"]: one for one in saved["numbers"]}
    assert numbers["balance"]["real"]["mean"] == pytest.approx(real["balance"].mean())
    assert numbers["since"]["real"]["mean"][:10] == str(real["since"].mean())[:10]
    assert numbers["since"]["synthetic"]["deviation"] == pytest.approx(made["since"].std() / pd.Timedelta(days=1))
    assert [one["name"] for one in saved["verdicts"]] == ["single columns", "relations", "models"]
    assert {one["rating"] for one in saved["results"]} <= {"green", "amber", "red", "grey"}


def test_the_table_that_looked_green_is_red() -> None:
    """Shares of bins right to a point; mean, deviation and the share of 0 as the issue's user found them."""
    rng = np.random.default_rng(3)
    n = 4000
    fields = [
        {"name": "balance", "type": "integer", "bins": 2, "constraints": {"minimum": -10_000, "maximum": 120_000}},
        {"name": "contacts", "type": "integer", "bins": 4, "constraints": {"minimum": 0, "maximum": 23}},
    ]
    balance = np.clip(rng.gamma(0.2, 6800, n), -8000, 50_000).round().astype(int)
    contacts = np.where(rng.random(n) < 0.82, 0, rng.integers(1, 6, n))
    real = pd.DataFrame({"balance": balance, "contacts": contacts})
    made = pd.DataFrame({"balance": rng.integers(-10_000, 55_000, n), "contacts": rng.integers(0, 6, n)})
    report = us.evaluate(real, made, {"name": "bank", "fields": fields}, classifiers=False)
    assert tone_of(report.find("1-way")).name == "close"  # what a look at bins sees
    assert report.verdicts[0].tone.colour == "red"
    assert all(rating == "red" for rating in report.numbers["rating"])
    assert "contacts" in report.verdicts[0].sentence
    assert report.find("KSComplement").value < 0.6


def test_a_sample_of_the_same_people_is_green() -> None:
    real = customers(3000, 1)
    report = us.evaluate(real, customers(3000, 9), SCHEMA, classifiers=False, ways=(1,))
    assert report.verdicts[0].tone.colour == "green", report.verdicts[0].sentence


def test_what_bins_lose_is_told_apart_from_what_noise_loses() -> None:
    real, made = customers(2000, 1), customers(2000, 2)
    pair = read_pair(real, made, Schema.from_dict(SCHEMA))
    found = measure_raw_values(pair, make_references(pair), binned=True)
    (balance,) = [column for column in found[0].numbers if column.name == "balance"]
    assert balance.errors["KS"].value < 0.06
    assert balance.errors["KS"].binning > 0.3
    assert balance.binned is not None
    assert abs(balance.binned.mean - balance.real.mean) > balance.real.deviation
    assert "Lost by bins and what is inside them: " in found[0].verdict
    assert "Lost by bins" not in measure_raw_values(pair, make_references(pair))[0].verdict


def test_of_codes_it_says_that_only_bins_are_known() -> None:
    pair, references = random_pair()
    (found,) = measure_raw_values(pair, references)
    assert not found.measured
    assert "nothing is known of the values themselves" in found.verdict


@pytest.mark.parametrize("kind", ["constant", "all missing", "one row"])
def test_columns_without_spread_or_values_are_rated_without_complaint(kind: str) -> None:
    bins = {"type": "number", "bins": 2, "constraints": {"minimum": 0, "maximum": 9, "required": False}}
    schema = {"name": "t", "fields": [{"name": "x", **bins}]}
    values = {"constant": [3.0] * 20, "all missing": [None] * 20, "one row": [2.0]}[kind]
    real = pd.DataFrame({"x": pd.array(values, dtype="Float64")})
    report = us.evaluate(real, pd.DataFrame({"x": [4.0, 5.0, 4.0]}), schema, classifiers=False)
    assert "<html" in report.html()
    assert report.numbers["rating"][0] == "red"
    same = us.evaluate(real, real, schema, classifiers=False)
    assert same.numbers["rating"][0] == "green"
    json.dumps(same.to_dict(), allow_nan=False)


def test_the_page_tells_deviations_in_the_unit_of_their_column() -> None:
    """Their errors are parts of them, in points; they themselves are not."""
    real, made = customers(800, 1), customers(800, 2, shift=0.1)
    text = us.evaluate(real, made, SCHEMA, classifiers=False, ways=(1,)).html()
    row = re.search(r"raw deviation.*?<bdi>balance</bdi></td>(.*?)</tr>", text, re.DOTALL)
    assert row is not None
    cells = [float(cell.replace(",", "")) for cell in re.findall(r">([\d.,]+)</td>", row[1])]
    was, became = (frame["balance"].std(ddof=0) for frame in (real, made))
    assert cells[-2:] == pytest.approx([was, became], rel=0.005)
    assert cells[0] == pytest.approx(100 * abs(became / was - 1), abs=0.2)


def test_several_tables_give_intervals() -> None:
    report = us.evaluate(
        customers(500, 1), [customers(500, 2), customers(500, 3)], SCHEMA, classifiers=False, ways=(1,)
    )
    low, high = report.find("raw mean").interval or (0, 0)
    assert low < report.find("raw mean").value < high


def test_numbers_beyond_what_a_float_can_tell_apart_are_compared_too() -> None:
    field = {"name": "id", "type": "integer", "bins": 4, "constraints": {"minimum": 0, "maximum": 2**59}}
    values = pd.DataFrame({"id": [2**58 + i for i in range(50)] + [2**59 - 1, 3]})
    report = us.evaluate(values, values, {"name": "t", "fields": [field]}, classifiers=False)
    assert report.numbers["rating"][0] == "green"
    assert "<html" in report.html()


def test_a_frequent_value_that_vanished_is_not_close_to_real(tmp_path: Path) -> None:
    """It is but three points of all rows, and yet whoever counts them finds none."""
    rng = np.random.default_rng(4)
    real = pd.DataFrame({"pay": rng.integers(0, 1000, 4000), "age": rng.integers(0, 1000, 4000)})
    made = real.sample(frac=1, random_state=1).reset_index(drop=True)
    real.loc[:107, "pay"] = 500  # 2.7 %
    field = {"type": "integer", "constraints": {"minimum": 0, "maximum": 999}, "bins": 10}
    schema = {"name": "people", "fields": [{"name": "pay", **field}, {"name": "age", **field}]}
    verdict = us.evaluate(real, made, schema, classifiers=False, ways=[1]).verdicts[0]
    assert "`pay` (share of 500: 2." in verdict.sentence
    assert "can be read off the synthetic table." not in verdict.advice
    fresh = real.sample(frac=1, replace=True, random_state=2)
    assert us.evaluate(real, fresh, schema, classifiers=False, ways=[1]).verdicts[0].advice.endswith("synthetic table.")


@pytest.mark.parametrize(
    ("most", "kinds", "said"),
    [
        (500, False, "Means and quantiles can be"),
        (9, False, "Means, quantiles and frequent values can be"),
        (500, True, "Means, quantiles and shares of categories can be"),
        (None, True, "Shares can be"),
    ],
)
def test_only_what_was_rated_is_said_to_be_readable(most: int | None, kinds: bool, said: str) -> None:
    rng = np.random.default_rng(5)
    fields: list[dict[str, Any]] = [{"name": "sex", "categories": ["F", "M"]}] if kinds else []
    real = pd.DataFrame({"sex": rng.choice(["F", "M"], 4000)})
    if most is not None:
        real["pay"] = rng.integers(0, most, 4000)
        fields.append({"name": "pay", "type": "integer", "constraints": {"minimum": 0, "maximum": 999}, "bins": 10})
    fresh = real.sample(frac=1, replace=True, random_state=2)
    report = us.evaluate(real, fresh, {"name": "people", "fields": fields}, classifiers=False, ways=[1])
    assert report.verdicts[0].advice.startswith(said)


def test_narrow_columns_are_written_with_digits_that_tell_their_values_apart(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    field = {"name": "lat", "type": "number", "bins": 10, "constraints": {"minimum": 44, "maximum": 46}}
    real, made = (pd.DataFrame({"lat": rng.normal(centre, 0.03, 2000)}) for centre in (44.9712, 44.9747))
    report = us.evaluate(real, made, {"name": "stops", "fields": [field]}, classifiers=False, ways=[1])
    (column,) = report.number_columns
    assert column.text(column.real.mean) != column.text(column.synthetic.mean)
    assert float(column.text(column.real.mean)) == pytest.approx(real["lat"].mean(), abs=0.0006)
    page = report.html()
    assert f"{column.text(column.real.mean)} → {column.text(column.synthetic.mean)}" in page
    assert "45 → 45" not in page
    assert not re.search(r"44\.9\D+44\.9\D+45\D+45\D", page)
    assert '>45</td><td class="n">45</td>' not in page


def test_a_column_of_0_and_1_and_of_years_has_bars_that_are_called_so() -> None:
    rng = np.random.default_rng(8)
    table = pd.DataFrame({"deploy": rng.integers(0, 2, 500), "year": rng.integers(1997, 2003, 500)})
    fields = [
        {"name": "deploy", "type": "integer", "categories": [0, 1], "ordered": True},
        {"name": "year", "type": "integer", "bins": 3, "constraints": {"minimum": 1990, "maximum": 2010}},
    ]
    report = us.evaluate(table, table, {"name": "crashes", "fields": fields}, classifiers=False, ways=[1])
    for name, values in (("deploy", range(2)), ("year", range(1997, 2003))):
        titles = re.findall(r"<title>(\d+): real", report.figure(name).svg)
        assert titles == [str(value) for value in values]
