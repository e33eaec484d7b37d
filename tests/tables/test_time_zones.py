"""Moments with a time zone: the clock of the declared zone counts, on the way in and on the way out."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

from understudy._core.errors import SchemaError, TableError
from understudy._core.randomness import streams
from understudy.schema import Schema
from understudy.tables import check_table, decode_batch, draft_schema, open_writer, read_table, to_kind

PARIS = ZoneInfo("Europe/Paris")
FIELD = {
    "name": "at", "type": "datetime", "timezone": "Europe/Paris", "bins": 12,
    "constraints": {"minimum": "2021-01-01T00:00:00", "maximum": "2021-01-01T23:59:59"},
}  # fmt: skip
SCHEMA = Schema.from_dict({"fields": [FIELD]})
NAIVE = Schema.from_dict({"fields": [{k: v for k, v in FIELD.items() if k != "timezone"}]})
MOMENTS = [datetime(2021, 1, 1, 0, 30, tzinfo=PARIS), datetime(2021, 1, 1, 23, 30, tzinfo=PARIS)]


def sources(tmp_path: Path) -> dict[str, Any]:
    table = pa.table({"at": pa.array(MOMENTS, pa.timestamp("us", "Europe/Paris"))})
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    frame = table.to_pandas()
    return {
        "pyarrow": table,
        "parquet": tmp_path / "t.parquet",
        "in UTC": table.cast(pa.schema([("at", pa.timestamp("ns", "UTC"))])),
        "offset": table.cast(pa.schema([("at", pa.timestamp("s", "-03:00"))])),
        "pandas": frame,
        "objects": frame.astype(object),
        "several zones": pd.DataFrame(
            {"at": [MOMENTS[0].astimezone(UTC), MOMENTS[1].astimezone(timezone(timedelta(hours=5)))]}, dtype=object
        ),
        "polars": pl.DataFrame(table),
    }


def test_the_clock_of_the_declared_zone_is_read(tmp_path: Path) -> None:
    for name, source in sources(tmp_path).items():
        assert read_table(source, SCHEMA).columns[0].tolist() == [0, 11], name


def test_a_zone_that_the_field_does_not_have_is_refused(tmp_path: Path) -> None:
    for name, source in sources(tmp_path).items():
        with pytest.raises(TableError, match=r"column 'at' holds moments with a time zone.* Add timezone to the field"):
            read_table(source, NAIVE)
        assert "Add timezone" in check_table(source, NAIVE).faults[0], name


def test_moments_without_a_zone_are_the_clock_already(tmp_path: Path) -> None:
    texts = ["2021-01-01T00:30:00", "2021-01-01T23:30:00", "2021-01-01T22:30:00Z", "2020-12-31T22:30:00-01:00"]
    (tmp_path / "t.csv").write_text("at\n" + "\n".join(texts) + "\n")
    assert read_table(tmp_path / "t.csv", SCHEMA).columns[0].tolist() == [0, 11, 11, 0]
    naive = pa.table({"at": pa.array([m.replace(tzinfo=None) for m in MOMENTS], pa.timestamp("s"))})
    assert read_table(naive, SCHEMA).columns[0].tolist() == [0, 11]
    assert SCHEMA["at"].code_of(MOMENTS[1].astimezone(UTC)) == 11


def test_moments_beyond_every_calendar_are_outside() -> None:
    edges = pa.array([-(2**63) + 1, 2**63 - 1, None], pa.timestamp("us", "Europe/Paris"))
    schema = Schema.from_dict({"fields": [{**FIELD, "outside": "other"}]})
    assert read_table(pa.table({"at": edges}), schema).columns[0].tolist() == [12, 12, 12]


def test_the_zone_is_written_to_parquet_and_dataframes_and_the_clock_to_csv(tmp_path: Path) -> None:
    batch = decode_batch(SCHEMA, [np.array([0, 11, 5])], streams(1).get("decode"))
    assert batch.schema.field("at").type == pa.timestamp("us", "Europe/Paris")
    for name in ("t.csv", "t.parquet"):
        with open_writer(tmp_path / name, SCHEMA) as writer:
            writer.write(batch)
        assert read_table(tmp_path / name, SCHEMA).columns[0].tolist() == [0, 11, 5]
    assert (tmp_path / "t.csv").read_text().startswith("at\n2021-01-01T0")
    assert str(to_kind(batch, "pandas", schema=SCHEMA)["at"].dtype) == "datetime64[us, Europe/Paris]"
    assert to_kind(batch, "polars", schema=SCHEMA)["at"].dtype == pl.Datetime("us", "Europe/Paris")
    assert pyarrow.parquet.read_schema(tmp_path / "t.parquet").field("at").type.tz == "Europe/Paris"


def test_hours_that_the_clock_skips_or_shows_twice_are_moments_that_exist() -> None:
    for day in ("2021-03-28", "2021-10-31"):
        limits = {"minimum": f"{day}T00:00:00", "maximum": f"{day}T23:59:59"}
        schema = Schema.from_dict({"fields": [{**FIELD, "constraints": limits, "bins": 1}]})
        batch = decode_batch(schema, [np.zeros(2_000, dtype=np.int64)], streams(1).get("decode"))
        assert read_table(pa.table(batch), schema).columns[0].sum() == 0
        hours = {moment.hour for moment in batch.column("at").to_pylist()}
        assert (2 in hours) == (day == "2021-10-31")


def test_a_draft_takes_the_zone_over(tmp_path: Path) -> None:
    for name, source in sources(tmp_path).items():
        if name == "several zones":
            continue
        schema = draft_schema(source)
        zone = {"in UTC": "UTC", "offset": "UTC"}.get(name, "Europe/Paris")
        assert schema["at"].to_dict()["timezone"] == zone, name
        assert check_table(source, schema).ok
        assert Schema.from_dict(schema.to_dict()) == schema
    schema = draft_schema(pa.table({"at": ["2021-01-01T00:30:00+01:00", "2021-01-01T10:30:00+02:00"]}))
    assert "converted to UTC, or to a timezone that you declare" in schema["at"].comments[-1]


@pytest.mark.parametrize("shape", ["%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d %H:%MZ", "%Y-%m-%dT%H:%M:%S.%fZ"])
def test_texts_that_end_in_z_are_drafted_as_utc(shape: str) -> None:
    step = "997s" if "%S" in shape else "997min"
    moments = pd.Series(pd.date_range("2020-01-01", "2020-03-01", freq=step, tz="UTC"))
    texts = pa.table({"at": moments.dt.strftime(shape).tolist()})
    schema = draft_schema(texts)
    assert schema["at"].to_dict()["format"] == shape
    assert schema["at"].to_dict()["timezone"] == "UTC"
    zoned = pa.table({"at": pa.array(moments, pa.timestamp("us", "UTC"))})
    assert (read_table(texts, schema).columns[0] == read_table(zoned, schema).columns[0]).all()


def test_a_zone_must_exist_and_stand_at_a_datetime() -> None:
    with pytest.raises(SchemaError, match=r"there is no time zone 'Europe/Pari'. Write its IANA name"):
        Schema.from_dict({"fields": [{**FIELD, "timezone": "Europe/Pari"}]})
    with pytest.raises(SchemaError, match="timezone belongs to fields of type datetime"):
        Schema.from_dict({"fields": [{"name": "x", "categories": ["a"], "timezone": "UTC"}]})


def test_the_clock_of_the_far_future_is_the_same_in_every_form(tmp_path: Path) -> None:
    """Arrow's rules for summer time end in 2037; Python's do not."""
    limits = {"minimum": "2036-01-01T00:00:00", "maximum": "2041-12-31T23:59:59"}
    schema = Schema.from_dict({"fields": [{**FIELD, "constraints": limits, "bins": 6 * 366 * 24}]})
    moments = [datetime(year, month, 3, 12, tzinfo=PARIS) for year in (2036, 2037, 2038, 2041) for month in (1, 7, 10)]
    (tmp_path / "t.csv").write_text("at\n" + "".join(f"{m.astimezone(UTC).isoformat()}\n" for m in moments))
    expected = read_table(tmp_path / "t.csv", schema).columns[0].tolist()
    assert expected == [schema["at"].code_of(moment) for moment in moments]
    for zone in ("UTC", "Europe/Paris", "+05:00"):
        table = pa.table({"at": pa.array(moments, pa.timestamp("us", zone))})
        assert read_table(table, schema).columns[0].tolist() == expected, zone
        assert read_table(table.to_pandas(), schema).columns[0].tolist() == expected, zone
    batch = decode_batch(schema, [np.array(expected)], streams(1).get("decode"))
    assert read_table(pa.table(batch), schema).columns[0].tolist() == expected
    assert [schema["at"].code_of(moment.astimezone(UTC)) for moment in batch.column("at").to_pylist()] == expected
    with open_writer(tmp_path / "out.csv", schema) as writer:
        writer.write(batch)
    assert read_table(tmp_path / "out.csv", schema).columns[0].tolist() == expected


def test_a_midnight_of_the_far_future_is_a_date() -> None:
    limits = {"minimum": "2030-01-01", "maximum": "2099-12-31"}
    schema = Schema.from_dict({"fields": [{"name": "at", "type": "date", "constraints": limits, "bins": 70}]})
    midnights = [datetime(year, 7, 1, tzinfo=PARIS) for year in (2035, 2040)]
    for unit in ("s", "ns"):
        table = pa.table({"at": pa.array(midnights, pa.timestamp(unit, "Europe/Paris"))})
        assert read_table(table, schema).columns[0].tolist() == [5, 10]
    later = pa.table({"at": pa.array([1], pa.timestamp("ns", "UTC"))})
    with pytest.raises(TableError, match="cannot be read as a date"):
        read_table(later, schema)


def test_hours_that_the_clock_of_the_far_future_skips_or_shows_twice_are_moments_that_exist() -> None:
    for day, last in (("2040-03-25", 2), ("2040-10-28", 3)):
        limits = {"minimum": f"{day}T00:00:00", "maximum": f"{day}T23:59:59"}
        schema = Schema.from_dict({"fields": [{**FIELD, "constraints": limits, "bins": 1}]})
        batch = decode_batch(schema, [np.zeros(2_000, dtype=np.int64)], streams(1).get("decode"))
        assert read_table(pa.table(batch), schema).columns[0].sum() == 0
        hours = {moment.astimezone(PARIS).hour for moment in batch.column("at").to_pylist()}
        assert (2 in hours) == (last == 3)
