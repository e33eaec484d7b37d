"""What lies between columns in a declared order is measured as a number of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import understudy as us
from understudy.evaluation import Report

NAME = "reported − taken"


def schema(kind: str = "datetime", **more: Any) -> dict[str, Any]:
    ends = {"minimum": "2020-01-01", "maximum": "2020-12-31"} if kind != "integer" else {"minimum": 0, "maximum": 999}
    field = {"type": kind, "bins": 12, "constraints": {**ends, "required": False}}
    fields = [{"name": name, **field, **more} for name in ("taken", "reported")]
    return {"name": "tests", "fields": fields, "dependencies": [{"lower": "taken", "upper": "reported"}]}


def moments(hours: float, n: int = 3000, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    start = pd.Timestamp("2020-02-01") + pd.to_timedelta(rng.integers(0, 250 * 24 * 60, n), unit="min")
    gaps = pd.to_timedelta(np.round(rng.exponential(hours * 60, n)), unit="min")
    return pd.DataFrame({"taken": start, "reported": start + gaps})


def measured(real: pd.DataFrame, made: pd.DataFrame, declared: dict[str, Any]) -> Report:
    return us.evaluate(real, made, declared, classifiers=False, ways=[1, 2])


def test_columns_that_are_right_may_be_wrongly_far_apart_and_the_verdict_names_it() -> None:
    real = moments(10)
    report = measured(real, moments(50, seed=1), schema())
    found = next(one for one in report.number_columns if one.name == NAME)
    gaps = (real["reported"] - real["taken"]).dt.total_seconds() / 3600
    assert (found.difference, found.unit, found.real.rows) == (True, "hours", len(real))
    assert found.real.mean == pytest.approx(gaps.mean(), abs=1e-5)
    assert found.real.median == pytest.approx(gaps.median(), abs=1e-5)
    assert found.real.p95 == pytest.approx(gaps.quantile(0.95), abs=1e-5)
    assert found.errors["KS"].value > 0.3
    assert (
        f"1 of 3 numbers is far from real: `{NAME}` (mean 10.1 hours became 49.3 hours, +387 %, median "
        in report.verdicts[0].sentence
    )
    assert report.to_dict()["numbers"][-1]["unit"] == "hours"
    assert "and 1 difference of columns in a declared order" in report.find("raw KS").scope
    assert NAME in report.html()
    assert report.figure(NAME) is not None


def test_the_same_gaps_are_close_to_real() -> None:
    report = measured(moments(10), moments(10, seed=1), schema())
    assert [one.difference for one in report.number_columns] == [False, False, True]
    assert report.verdicts[0].sentence == "All 3 numbers are close to real."


def test_long_gaps_are_told_in_days() -> None:
    report = measured(moments(300), moments(300, seed=1), schema())
    assert report.number_columns[-1].unit == "days"
    assert report.number_columns[-1].real.mean == pytest.approx(300 / 24, rel=0.1)


def test_days_between_dates_are_whole() -> None:
    real = moments(60).apply(lambda column: column.dt.date)
    found = measured(real, real, schema("date")).number_columns[-1]
    assert (found.unit, found.type) == ("days", "integer")
    assert found.real.median == np.median([gap.days for gap in real["reported"] - real["taken"]])


def test_rows_with_a_missing_or_special_value_have_no_difference() -> None:
    real = pd.DataFrame({"taken": [1, 2, None, 5, 999], "reported": [4, None, 7, 5, 999]})
    declared = schema("integer", special=[999])
    for field in declared["fields"]:
        field["constraints"]["maximum"] = 99
    found = measured(real, real, declared).number_columns[-1]
    assert (found.unit, found.real.rows, found.real.mean) == ("", 2, 1.5)


def test_without_a_row_that_has_both_there_is_no_difference() -> None:
    real = pd.DataFrame({"taken": [1, None], "reported": [None, 4]})
    assert not any(one.difference for one in measured(real, real, schema("integer")).number_columns)


def test_what_bins_alone_make_of_it_is_told_for_a_release(tmp_path: Any) -> None:
    real = moments(10)
    us.publish(real, schema=schema(), epsilon=5, seed=1, out=tmp_path / "release")
    report = us.evaluate(real, tmp_path / "release", classifiers=False, ways=[1])
    error = next(one for one in report.number_columns if one.name == NAME).errors["KS"]
    assert error.binning is not None
    assert 0 < error.binning < 0.2  # lengths are far below the width of bins, and found all the same
    assert error.noise is not None
    assert error.noise < 0.1
