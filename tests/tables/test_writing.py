"""Files appear whole or not at all, and dataframes have the types of the schema."""

from __future__ import annotations

import csv
import errno
import gzip
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

from understudy._core.errors import OptionError, OutputError
from understudy._core.randomness import streams
from understudy.schema import Schema
from understudy.tables import arrow_schema, decode_batch, open_source, open_writer, read_table, to_kind

SCHEMA = Schema.from_dict(
    {
        "fields": [
            {"name": "sex", "categories": ["F", "M"], "constraints": {"required": False}},
            {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99, "required": False}},
            {"name": "born", "type": "date", "constraints": {"minimum": "1900-01-01", "maximum": "2020-12-31"}},
            {"name": "ok", "type": "boolean", "constraints": {"required": False}},
            {"name": "w", "type": "number", "constraints": {"minimum": 0, "maximum": 9}},
        ]
    }
)
SUFFIXES = [".csv", ".csv.gz", ".parquet"]


def batch(n: int = 50, *, holes: bool = True) -> pa.RecordBatch:
    sizes = [f.size if holes else f.n_main for f in SCHEMA.fields]
    return decode_batch(SCHEMA, [np.arange(n) % size for size in sizes], streams(1).get("d"))


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_an_error_in_the_block_leaves_nothing_behind(tmp_path: Path, suffix: str) -> None:
    def broken_off(error: type[BaseException]) -> None:
        with open_writer(tmp_path / f"t{suffix}", SCHEMA) as writer:
            writer.write(batch())
            raise error

    for error in (RuntimeError, KeyboardInterrupt):
        with pytest.raises(error):
            broken_off(error)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_an_old_file_stays_until_the_new_one_is_whole(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"t{suffix}"
    path.write_text("old")
    with open_writer(path, SCHEMA) as writer:
        writer.write(batch())
        assert path.read_text() == "old"
    assert path.read_bytes() != b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_full_disk_is_a_sentence(tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("understudy.tables._write_csv.CsvWriter.write", full)
    monkeypatch.setattr("understudy.tables._write_parquet.ParquetWriter.write", full)
    with (
        pytest.raises(OutputError, match=r"No space left on device\. Nothing was left behind\. Free some space"),
        open_writer(tmp_path / f"t{suffix}", SCHEMA) as writer,
    ):
        writer.write(batch())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_disk_that_fills_up_only_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Path.open
    monkeypatch.setattr(Path, "open", lambda self, *a, **k: real(Path("/dev/full"), *a, **k))
    with (
        pytest.raises(OutputError, match="No space left on device"),
        open_writer(tmp_path / "t.csv", SCHEMA) as writer,
    ):
        writer.write(batch(3))


def test_a_folder_that_is_not_there_and_a_format_we_do_not_write(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="there is no folder"), open_writer(tmp_path / "no" / "t.csv", SCHEMA):
        pass
    with pytest.raises(OutputError, match=r"\.csv, \.csv\.gz or \.parquet"), open_writer(tmp_path / "t.xls", SCHEMA):
        pass


def test_packed_files_are_repeatable(tmp_path: Path) -> None:
    written = []
    for name in ("a.csv.gz", "b.csv.gz"):
        with open_writer(tmp_path / name, SCHEMA) as writer:
            writer.write(batch())
        written.append((tmp_path / name).read_bytes())
    assert written[0] == written[1]
    assert gzip.decompress(written[0]).startswith(b"sex,age,born,ok,w\n")


def test_parquet_has_the_types_of_the_schema(tmp_path: Path) -> None:
    with open_writer(tmp_path / "t.parquet", SCHEMA) as writer:
        writer.write(batch())
        writer.write(batch())
    table = pyarrow.parquet.read_table(tmp_path / "t.parquet")
    assert table.schema.equals(arrow_schema(SCHEMA))
    assert table.num_rows == 100


def test_column_types_follow_from_the_schema_and_not_from_the_rows() -> None:
    for rows in (batch(), batch(holes=False)):
        frame = to_kind(rows, "pandas", schema=SCHEMA)
        assert [str(t) for t in frame.dtypes][1:] == ["Int64", "datetime64[s]", "boolean", "float64"]
        assert list(frame.columns) == list(SCHEMA.names)
        assert to_kind(rows, "polars", schema=SCHEMA).dtypes == [pl.String, pl.Int64, pl.Date, pl.Boolean, pl.Float64]
        assert to_kind(rows, "pyarrow", schema=SCHEMA).schema == arrow_schema(SCHEMA)


def test_pandas_columns_are_nullable_only_where_the_schema_allows_empty_cells() -> None:
    whole = {"type": "integer", "categories": [1, 2]}
    schema = Schema.from_dict(
        {
            "fields": [
                {"name": "a", **whole},
                {"name": "b", **whole, "outside": "other"},
                {"name": "c", **whole, "constraints": {"required": False}},
                {"name": "d", "type": "boolean"},
                {"name": "e", "type": "year", "constraints": {"minimum": 1990, "maximum": 2020}},
                {"name": "f", "type": "datetime", "constraints": {"minimum": "2020-01-01", "maximum": "2020-12-31"}},
            ]
        }
    )
    rows = decode_batch(schema, [np.zeros(3, dtype=np.uint8)] * 6, streams(1).get("d"))
    frame = to_kind(rows, "pandas", schema=schema)
    assert [str(t) for t in frame.dtypes] == ["int64", "Int64", "Int64", "bool", "int64", "datetime64[us]"]


def test_a_kind_we_do_not_know_is_refused() -> None:
    with pytest.raises(OptionError, match="pandas, polars or pyarrow"):
        to_kind(batch(), "spark", schema=SCHEMA)  # type: ignore[arg-type]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_cells_are_separated_by_the_delimiter_asked_for_and_read_back(tmp_path: Path, delimiter: str) -> None:
    fields = [
        {"name": "place", "categories": ["a,b", "a;b", "a\tb", "a|b", 'say "x"', "plain"]},
        {"name": "w", "type": "number", "decimalChar": ",", "constraints": {"minimum": 0, "maximum": 1}, "decimals": 2},
        {
            "name": "day",
            "type": "date",
            "format": "%d|%m;%Y",
            "constraints": {"minimum": "2020-01-01", "maximum": "2020-12-31"},
        },
    ]
    schema = Schema.from_dict({"fields": fields})
    codes = [np.arange(60) % field.size for field in schema.fields]
    rows = decode_batch(schema, codes, streams(1).get("d"))
    path = tmp_path / "t.csv"
    with open_writer(path, schema, delimiter=delimiter) as writer:
        writer.write(rows)
    with path.open(newline="") as file:
        cells = list(csv.reader(file, delimiter=delimiter))
    assert cells[0] == ["place", "w", "day"]
    assert {len(row) for row in cells} == {3}
    assert [row[0] for row in cells[1:]] == rows.column("place").to_pylist()
    assert open_source(path).delimiter == delimiter
    assert [column.tolist() for column in read_table(path, schema).columns] == [column.tolist() for column in codes]


def test_declared_decimals_are_written_out(tmp_path: Path) -> None:
    number = {"type": "number", "decimals": 2}
    schema = Schema.from_dict(
        {
            "fields": [
                {
                    **number,
                    "name": "a",
                    "constraints": {"minimum": 0, "maximum": 99},
                    "special": [-1.5, -0.125, -1e300],
                },
                {**number, "name": "b", "categories": [1.5, 2], "decimalChar": ",", "missingValues": ["NA"]},
                {**number, "name": "c", "categories": [1.5, 2], "decimals": 9},
            ]
        }
    )
    rows = pa.record_batch(
        {"a": [71.3, 5.0, -1.5, -0.125, -1e300], "b": [1.5, 2.0, None, 1.5, 2.0], "c": [1.5, 2.0, 0.0, 1e-9, 2.0]}
    )
    with open_writer(tmp_path / "t.csv", schema, delimiter=";") as writer:
        writer.write(rows)
    assert (tmp_path / "t.csv").read_text().splitlines() == [
        "a;b;c",
        "71.30;1,50;1.500000000",
        "5.00;2,00;2.000000000",
        "-1.50;NA;0",
        "-0.125;1,50;1e-9",
        "-1e+300;2,00;2.000000000",
    ]
