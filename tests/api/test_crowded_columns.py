"""Columns whose rows all lie within a few wide cells of the grid that their range is counted on."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import understudy as us
from understudy.cli._main import run

DAY = np.timedelta64(1, "D")


def field(name, kind, low, high, **more):
    return {"name": name, "type": kind, "constraints": {"minimum": low, "maximum": high}, "bins": "auto", **more}


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(1)
    n = 500
    days = np.datetime64("2020-01-01") + rng.integers(0, 10, n) * DAY
    return pd.DataFrame(
        {
            "lat": 44.96 + rng.random(n).round(6) / 10,
            "income": rng.integers(0, 10**6, n),
            "small": rng.integers(0, 20, n),
            "day": days.astype("datetime64[s]"),
            "at": days.astype("datetime64[s]") + rng.integers(0, 86_400, n).astype("timedelta64[s]"),
        }
    )


SCHEMA = {
    "fields": [
        field("lat", "number", -90, 90, decimals=6),
        field("income", "integer", 0, 10**6),
        field("small", "integer", 0, 10**6),  # near 0 each value has a cell of its own
        field("day", "date", "1000-01-01", "2999-12-31"),
        field("at", "datetime", "1900-01-01T00:00:00", "2099-12-31T23:59:59"),
    ]
}


def test_a_check_remarks_on_them_and_finds_no_fault(rows):
    report = us.check_table(rows, SCHEMA)
    assert report.ok
    told = {column.name: " ".join(column.remarks) for column in report.columns}
    assert "within one cell" in told["lat"] or "within 2 cells" in told["lat"]
    assert "a cell is some 0.5 wide" in told["lat"]
    assert told["income"] == told["small"] == ""
    assert "is some 179 days wide" in told["day"] or "is some 178 days wide" in told["day"]
    assert "is some 18 days wide" in told["at"]
    assert report.to_dict()["columns"][0]["remarks"] == list(report.columns[0].remarks)


def test_rows_far_apart_in_other_batches_and_cells_that_do_not_fit_are_not_remarked_on(rows):
    far = pd.concat([rows, rows.assign(lat=-44.0)] * 200, ignore_index=True)
    assert not us.check_table(far, SCHEMA).columns[0].remarks
    assert not us.check_table(rows.assign(lat=rows["lat"].where(rows.index > 0, 91.0)), SCHEMA).columns[0].remarks


def test_a_draft_and_the_command_say_it(rows, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert "a cell is some 0.5 wide" in str(us.draft_schema(rows)["lat"].comments)
    assert "wide there" not in str(us.draft_schema(rows)["income"].comments)
    rows[["lat", "income"]].to_csv("rows.csv", index=False)
    assert run(["schema", "draft", "rows.csv", "-o", "s.yaml"]) == 0
    assert "a cell is some 0.5 wide" in Path("s.yaml").read_text()
    capsys.readouterr()
    assert run(["schema", "check", "rows.csv", "s.yaml"]) == 0
    assert "column 'lat': all rows lie within" in capsys.readouterr().out
