"""Decoding gives values that read back as the same codes, through memory and through every file format."""

from __future__ import annotations

import tempfile
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.strategies import schemas
from understudy._core.randomness import streams
from understudy.schema import Schema
from understudy.tables import Table, decode_batch, open_writer, read_table, to_kind

CALM = settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])


@st.composite
def coded_columns(draw: Any) -> tuple[Schema, list[np.ndarray[Any, Any]]]:
    schema = draw(schemas())
    n_rows = draw(st.integers(1, 12))
    columns = [
        np.array(draw(st.lists(st.integers(0, field.size - 1), min_size=n_rows, max_size=n_rows)), dtype=np.uint32)
        for field in schema.fields
    ]
    return schema, columns


def expected_codes(schema: Schema, columns: list[np.ndarray[Any, Any]]) -> list[list[int]]:
    """The codes themselves, but "other" of a column that is not text comes back empty, hence missing where allowed."""
    result = []
    for field, codes in zip(schema.fields, columns, strict=True):
        if field.type != "string" and field.other_code is not None and field.missing_code is not None:
            codes = np.where(codes == field.other_code, field.missing_code, codes)
        result.append(codes.tolist())
    return result


def codes_of(table: Table) -> list[list[int]]:
    return [column.tolist() for column in table.columns]


@CALM
@given(coded_columns(), st.integers(0, 2**32))
def test_decoded_values_read_back_as_the_same_codes(coded: Any, seed: int) -> None:
    schema, columns = coded
    batch = decode_batch(schema, columns, streams(seed).get("decode"))
    assert codes_of(read_table(batch, schema)) == expected_codes(schema, columns)


@CALM
@given(coded_columns(), st.sampled_from([".csv", ".csv.gz", ".parquet"]))
def test_files_read_back_as_the_same_codes(coded: Any, suffix: str) -> None:
    schema, columns = coded
    batch = decode_batch(schema, columns, streams(1).get("decode"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"t{suffix}"
        with open_writer(path, schema) as writer:
            writer.write(batch)
        assert codes_of(read_table(path, schema)) == expected_codes(schema, columns)


@CALM
@given(coded_columns(), st.sampled_from(["pandas", "polars", "pyarrow"]))
def test_dataframes_read_back_as_the_same_codes(coded: Any, kind: Any) -> None:
    schema, columns = coded
    batch = decode_batch(schema, columns, streams(1).get("decode"))
    frame = to_kind(batch, kind, schema=schema)
    assert codes_of(read_table(frame, schema)) == expected_codes(schema, columns)


PEOPLE = Schema.from_dict(
    {
        "missingValues": ["NA", ""],
        "fields": [
            {
                "name": "city, state",
                "type": "string",
                "categories": ['"Big" Apple', "Rome, NY", "two\nlines", " pad ", "plain"],
            },
            {
                "name": "age",
                "type": "integer",
                "constraints": {"minimum": 0, "maximum": 99, "required": False},
            },
            {"name": "weight", "type": "number", "constraints": {"minimum": 0, "maximum": 200}, "decimals": 1},
            {
                "name": "born",
                "type": "date",
                "format": "%d/%m/%Y",
                "constraints": {"minimum": "1900-01-01", "maximum": "2024-12-31"},
            },
            {
                "name": "seen",
                "type": "datetime",
                "constraints": {"minimum": "2024-01-01T00:00:00", "maximum": "2024-12-31T23:59:59"},
            },
            {
                "name": "smokes",
                "type": "boolean",
                "trueValues": ["Y"],
                "falseValues": ["N"],
                "constraints": {"required": False},
            },
            {"name": "graduated", "type": "year", "constraints": {"minimum": 1950, "maximum": 2024}},
        ],
    }
)


def people(n: int = 500) -> list[np.ndarray[Any, Any]]:
    rng = streams(3).get("people")
    return [rng.integers(0, field.size, n) for field in PEOPLE.fields]


def test_a_csv_keeps_order_types_and_formats(tmp_path: Path) -> None:
    codes = people()
    path = tmp_path / "people.csv"
    with open_writer(path, PEOPLE) as writer:
        for start in range(0, 500, 100):
            writer.write(decode_batch(PEOPLE, [c[start : start + 100] for c in codes], streams(start).get("d")))
    text = path.read_text()
    assert text.startswith('"city, state",age,weight,born,seen,smokes,graduated\n')
    for cell in ('"""Big"" Apple"', '"Rome, NY"', '"two\nlines"', '" pad "', "\nplain,"):
        assert cell in text
    assert codes_of(read_table(path, PEOPLE)) == [c.tolist() for c in codes]
    rows = [line.split(",") for line in text.splitlines() if line.startswith("plain,")]
    for _, age, weight, born, seen, smokes, graduated in rows:
        assert age == "NA" or str(int(age)) == age
        assert len(weight.partition(".")[2]) <= 1
        datetime.strptime(born, "%d/%m/%Y")
        datetime.strptime(seen, "%Y-%m-%dT%H:%M:%S")
        assert smokes in ("Y", "N", "NA")
        assert 1950 <= int(graduated) <= 2024


def test_decoded_columns_have_proper_types_and_stay_in_their_range() -> None:
    batch = decode_batch(PEOPLE, people(), streams(5).get("d"))
    assert [str(t) for t in batch.schema.types] == [
        "string", "int64", "double", "date32[day]", "timestamp[us]", "bool", "int64",
    ]  # fmt: skip
    ages = [v for v in batch.column("age").to_pylist() if v is not None]
    assert 0 <= min(ages) <= max(ages) <= 99
    born = batch.column("born").to_pylist()
    assert date(1900, 1, 1) <= min(born) <= max(born) <= date(2024, 12, 31)


def test_draws_fill_a_bin_evenly_and_reach_both_its_ends() -> None:
    schema = Schema.from_dict(
        {"fields": [{"name": "n", "type": "integer", "constraints": {"minimum": 0, "maximum": 19}, "bins": 2}]}
    )
    values = decode_batch(schema, [np.ones(20_000, dtype=np.uint8)], streams(1).get("d")).column("n").to_numpy()
    counts = np.bincount(values, minlength=20)[10:]
    # Ten values at 2,000 each, standard deviation 42: five of them leave a false alarm about once in 200,000 runs.
    assert counts.sum() == 20_000
    assert np.abs(counts - 2000).max() < 5 * 43


def test_other_is_a_text_in_text_columns_and_empty_elsewhere() -> None:
    schema = Schema.from_dict(
        {
            "fields": [
                {"name": "a", "categories": ["other", "b"], "outside": "other"},
                {"name": "n", "type": "integer", "categories": [1, 2], "outside": "other"},
            ]
        }
    )
    batch = decode_batch(schema, [np.array([0, 2]), np.array([0, 2])], streams(1).get("d"))
    assert batch.to_pydict() == {"a": ["other", "(other)"], "n": [1, None]}


def test_the_same_stream_gives_the_same_values() -> None:
    first, second = (decode_batch(PEOPLE, people(), streams(9).get("d")) for _ in range(2))
    assert first.equals(second)
    assert isinstance(first, pa.RecordBatch)


@pytest.mark.parametrize("rows", [0, 1, 70_000])
def test_csv_of_any_length(tmp_path: Path, rows: int) -> None:
    schema = Schema.from_dict({"fields": [{"name": "a", "categories": ["x"], "constraints": {"required": False}}]})
    path = tmp_path / "a.csv"
    with open_writer(path, schema) as writer:
        writer.write(decode_batch(schema, [np.arange(rows) % 2], streams(1).get("d")))
    assert path.read_text() == "a\n" + ('x\n""\n' * rows)[: sum(2 + i % 2 for i in range(rows))]
    if rows:
        assert read_table(path, schema).n == rows


def test_compact_types_follow_from_the_schema_and_keep_every_value():
    schema = Schema.from_dict(
        {
            "fields": [
                {"name": "size", "categories": ["S", "M", "L"], "categoriesOrdered": True, "outside": "other"},
                {"name": "age", "type": "integer", "bins": 4, "constraints": {"minimum": 0, "maximum": 99}},
                {"name": "far", "type": "integer", "bins": 2, "special": [-999],
                 "constraints": {"minimum": 0, "maximum": 99, "required": False}},
                {"name": "ok", "type": "boolean", "constraints": {"required": False}},
            ]
        }
    )  # fmt: skip
    codes = [np.array([0, 1, 2, 3]), np.array([0, 1, 2, 3]), np.array([0, 1, 2, 3]), np.array([0, 1, 2, 1])]
    batch = decode_batch(schema, codes, streams(1).get("decode"))
    plain, small = (to_kind(batch, "pandas", schema=schema, compact=compact) for compact in (False, True))
    assert [str(t) for t in small.dtypes] == ["category", "int8", "Int16", "boolean"]
    assert small["size"].cat.ordered
    assert list(small["size"].cat.categories) == ["S", "M", "L", "other"]
    assert small["size"].tolist() == plain["size"].tolist()
    assert small["far"].tolist()[:3] == plain["far"].tolist()[:3]
    polars = to_kind(batch, "polars", schema=schema, compact=True)
    assert [str(t).split("(")[0] for t in polars.dtypes] == ["Enum", "Int8", "Int16", "Boolean"]
    assert polars.to_dicts() == to_kind(batch, "polars", schema=schema).to_dicts()
