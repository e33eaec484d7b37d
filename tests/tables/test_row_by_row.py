"""Each row is encoded on its own: the codes of a table are the codes of its rows, each read alone.

The sensitivity of every count rests on it (`privacy/proof.md`, section 1).
"""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from understudy._core.errors import TableError
from understudy.schema import Schema
from understudy.tables import _csv, read_table

OPTIONAL = {"required": False}
YEARS = {"minimum": "2019-01-01", "maximum": "2021-12-31", **OPTIONAL}
WORDS = ["1", "2", "1.5", "0.1", "true", "True", "1000000000000000", "10000000000000000", "2020-01-01", "NaN", "x"]
LARGE = [5, 2**53, 2**53 + 1, 10**18 + 1, 10**18 + 2, 2**62, 2**63 - 2]
FIELDS: dict[str, dict[str, Any]] = {
    "text": {"type": "string", "categories": WORDS, "outside": "other", "constraints": OPTIONAL},
    "lower": {"type": "string", "categories": ["true", "false", "1"], "outside": "other", "missingValues": ["", "2"]},
    "flag": {"type": "boolean", "constraints": OPTIONAL},
    "yes": {"type": "boolean", "trueValues": ["yes", "1"], "falseValues": ["no", "0"], "missingValues": ["", "NaN"]},
    "codes": {"type": "integer", "categories": LARGE, "outside": "other", "constraints": OPTIONAL},
    "required": {"type": "integer", "categories": LARGE, "outside": "other", "constraints": {"required": True}},
    "count": {
        "type": "integer",
        "constraints": {"minimum": -100, "maximum": 100, **OPTIONAL},
        "bins": 201,
        "outside": "clip",
        "special": [2**53 + 1],
        "missingValues": ["", "5"],
    },
    "strict": {"type": "integer", "constraints": {"minimum": 0, "maximum": 100, **OPTIONAL}},
    "grouped": {
        "type": "number",
        "decimalChar": ",",
        "groupChar": ".",
        "constraints": {"minimum": -10, "maximum": 10_000, **OPTIONAL},
        "outside": "clip",
    },
    "number": {"type": "number", "categories": [0.1, 0.3, 5, 1e300], "outside": "other", "constraints": OPTIONAL},
    "binned": {
        "type": "number",
        "constraints": {"minimum": -10, "maximum": 10, **OPTIONAL},
        "bins": 200,
        "outside": "other",
        "special": [99],
    },
    "year": {"type": "year", "constraints": {"minimum": 1900, "maximum": 2100, **OPTIONAL}, "outside": "clip"},
    "date": {"type": "date", "constraints": YEARS, "bins": 1000, "outside": "clip"},
    "slashes": {"type": "date", "format": "%d/%m/%Y", "constraints": YEARS, "bins": 1000, "outside": "clip"},
    "digits": {"type": "date", "format": "%Y%m%d", "constraints": YEARS, "bins": 1000, "outside": "other"},
    "months": {"type": "date", "format": "%d %B %Y", "constraints": YEARS, "bins": 36, "outside": "clip"},
    "moment": {"type": "datetime", "constraints": YEARS, "bins": 5000, "outside": "clip"},
    "paris": {"type": "datetime", "timezone": "Europe/Paris", "constraints": YEARS, "bins": 5000, "outside": "clip"},
    "minutes": {
        "type": "datetime",
        "format": "%d/%m/%Y %H:%M",
        "constraints": YEARS,
        "bins": 5000,
        "outside": "clip",
    },
}
SCHEMAS = {name: Schema.from_dict({"fields": [{"name": "c", **field}]}) for name, field in FIELDS.items()}

TEXTS = """5|+5|-5|05| 5|5 |5.0|5e0|50e-1|1e2|0x5|1_0|1.000|1,5|5.|.5|-0|0.1|0.30000000000000004|1e300|1e400|1e-400
1e99999999|NaN|nan|-nan|inf|-inf|Infinity||true|True|TRUE|false|yes|no|1|0|2|x|X|1.5|99|2147483648|1900|+2020|٥
1000000000000000001|1000000000000000002|9007199254740993|9007199254740992|9223372036854775806|9223372036854775808
-9223372036854775809|9007199254740993.0|1000000000000000|1e15|123456789012345678901234567890|00000000000000000000005
2020-01-01|2020-1-1|20200101|2020111|2020-02-31|2020-02-29|2019-02-29|2020-13-01|2020-00-10|0000-01-01|99999-01-01
01/02/2020|1/2/2020|31/02/2020|29/02/2019|29/02/2020|00/01/2020|01/02/2020 10:30|01/02/2020 24:00|31/02/2020 10:30
2020-01-01T00:00:00|2020-01-01 00:00:00|2020-01-01T00:00:00Z|2020-01-01T00:00:00+02:00|2020-01-01 24:00:00
2020-01-01 23:59:60|2020-01-01 12:30|2020-01-01T12|2020-01-01T00:00:00.5|2020-01-01T00:00:00.123|1 March 2020
2020-01-01T00:00:00.123456|2020-01-01T00:00:00.123456789| 2020-01-01|2020-01-01 |2020-W01-1|31 February 2020""".replace(
    "\n", "|"
).split("|")
NUMBERS: list[Any] = [0, 1, 2, 5, -5, 99, 2020, 2**53, 2**53 + 1, 10**15, 10**16, 10**18 + 1, 2**62, 2**63 - 2]
OBJECTS: list[Any] = [
    *TEXTS,
    *NUMBERS,
    *(float(n) for n in (0, 1, 2, 5, 2020, 10**15, 10**16, 2**62, 2**63)),
    *(0.1, 0.3, 1.5, -0.0, 1e-7, 1e22, 1e300, float("inf"), float("-inf"), float("nan"), None, pd.NA, pd.NaT),
    *(True, False, np.True_, np.int8(5), np.uint64(2**63), np.float32(0.1), np.float64(1.0), np.str_("x")),
    *(2**63, 2**64, -(2**63) - 1, 10**30, 10**5000, -(10**5000)),
    *(Decimal(text) for text in ("1", "1.0", "1.50", "1E+3", "1E-7", "0.1", "1E+100", "NaN", "9007199254740993")),
    *(date(2020, 1, 1), datetime(2020, 1, 1), datetime(2020, 1, 1, 5), datetime(2020, 1, 1, 0, 0, 0, 123)),
    *(datetime(2020, 1, 1, tzinfo=UTC), datetime(2020, 1, 1, tzinfo=ZoneInfo("Asia/Tokyo"))),
    datetime(2020, 1, 1, tzinfo=timezone(timedelta(hours=2))),
    datetime(2020, 1, 1, tzinfo=timezone(timedelta(seconds=7384))),
    *(pd.Timestamp("2020-01-01"), pd.Timestamp("2020-01-01 00:00:00.000000001"), pd.Timestamp(2020, 1, 1, tz="UTC")),
    *(np.datetime64("2020-01-01"), np.datetime64("2020-01-01T05", "h"), np.datetime64("NaT")),
    *(time(1, 2), timedelta(1), b"x", b"\xff", ["x"], (1, 2), {"x": 1}, pd.Period("2020-01"), 1j, "\ud800"),
]

PLAIN_OBJECTS = [o for o in OBJECTS if type(o) in (str, int, float, bool, date, datetime) and o == o]


def texts() -> st.SearchStrategy[str]:
    number = st.one_of(st.integers(-(10**20), 10**20).map(str), st.floats(allow_nan=False).map(repr))
    padded = st.tuples(st.sampled_from(["", " ", "+", "0"]), number, st.sampled_from(["", " ", ".0", "e0"])).map(
        "".join
    )
    day = st.tuples(st.integers(1, 31), st.integers(0, 13), st.integers(2018, 2022))
    dates = st.sampled_from(["{2}-{1:02}-{0:02}", "{0:02}/{1:02}/{2}", "{0}/{1}/{2}", "{2}{1:02}{0:02}"])
    return st.one_of(
        st.sampled_from(TEXTS), padded, st.tuples(dates, day).map(lambda drawn: drawn[0].format(*drawn[1]))
    )


def codes(table: Any, schema: Schema) -> list[int] | None:
    """The codes of the only column, or None where the table is refused."""
    try:
        return read_table(table, schema).columns[0].tolist()
    except TableError:
        return None


def check(make: Callable[[Sequence[Any]], Any], cells: Sequence[Any], schema: Schema) -> None:
    """The table's codes are those of its rows alone, and it is refused where one of them is."""
    alone = [codes(make([cell]), schema) for cell in cells]
    expected = None if any(code is None for code in alone) else [code[0] for code in alone if code]
    assert codes(make(cells), schema) == expected


some_schema = st.sampled_from(list(FIELDS)).map(SCHEMAS.__getitem__)
few_objects = st.lists(st.sampled_from(OBJECTS), min_size=1, max_size=5)


def readable(schema: Schema, cells: Sequence[Any], make: Callable[[Sequence[Any]], Any]) -> list[Any]:
    """The cells that are not refused, so that what is compared is mostly codes and not refusals."""
    return [cell for cell in cells if codes(make([cell]), schema) is not None]


@cache
def fitting_texts(name: str) -> list[str]:
    return readable(SCHEMAS[name], TEXTS, lambda column: pa.table({"c": column}))


def cells_for(name: str) -> st.SearchStrategy[list[str]]:
    """Texts of which most can be read as the field's type, and now and then any."""
    fitting = st.lists(st.sampled_from(fitting_texts(name)), min_size=2, max_size=8)
    return st.one_of(fitting, fitting, fitting, st.lists(texts(), min_size=1, max_size=4))


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", FIELDS)
@settings(max_examples=20)
@given(data=st.data())
def test_a_csv_file(name: str, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"

        def make(column: Sequence[str]) -> Path:
            with path.open("w", newline="") as file:
                csv.writer(file, quoting=csv.QUOTE_ALL).writerows([["c"], *([cell] for cell in column)])
            return path

        check(make, data.draw(cells_for(name)), SCHEMAS[name])


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", FIELDS)
@settings(max_examples=20)
@given(data=st.data(), form=st.sampled_from(["string", "dictionary", "view"]))
def test_columns_of_texts(name: str, data: st.DataObject, form: str) -> None:
    kinds = {"string": pa.string(), "dictionary": pa.dictionary(pa.int8(), pa.string()), "view": pa.string_view()}

    def make(column: Sequence[str]) -> Any:
        return pa.table({"c": pa.array(column, pa.string()).cast(kinds[form])})

    check(make, data.draw(cells_for(name)), SCHEMAS[name])


@pytest.mark.parametrize("name", FIELDS)
def test_all_texts_at_once(name: str) -> None:
    check(lambda column: pa.table({"c": column}), fitting_texts(name), SCHEMAS[name])


def as_objects(cells: Sequence[Any]) -> pd.Series[Any]:
    column = np.empty(len(cells), dtype=object)
    for i, cell in enumerate(cells):
        column[i] = cell
    return pd.Series(column, dtype=object)


@given(some_schema, few_objects, st.booleans())
def test_a_pandas_column_of_objects(schema: Schema, cells: list[Any], fitting: bool) -> None:
    def make(column: Sequence[Any]) -> Any:
        return pd.DataFrame({"c": as_objects(column)})

    check(make, (readable(schema, cells, make) or cells) if fitting else cells, schema)


@given(some_schema, few_objects)
def test_a_polars_column_of_objects(schema: Schema, cells: list[Any]) -> None:
    def make(column: Sequence[Any]) -> Any:
        return pl.DataFrame({"c": pl.Series("c", column, dtype=pl.Object)})

    check(make, readable(schema, cells, make) or cells, schema)


@given(some_schema, st.lists(st.sampled_from(PLAIN_OBJECTS), min_size=1, max_size=5))
def test_a_pandas_column_of_categories(schema: Schema, cells: list[Any]) -> None:
    def make(column: Sequence[Any]) -> Any:
        index = pd.Index(as_objects(column), dtype=object)
        return pd.DataFrame({"c": pd.Categorical.from_codes(list(range(len(column))), categories=index)})

    # To pandas, equal objects (1, 1.0 and True) are one category: whichever came first stands for them all.
    check(make, readable(schema, list(dict.fromkeys(cells)), make) or ["x"], schema)


numbers = st.one_of(st.none(), st.sampled_from(NUMBERS), st.integers(-(2**53), 2**53))
floats = st.one_of(numbers.map(lambda n: n and float(n)), st.sampled_from([0.1, 0.3, 1e16, 1e300]), st.floats())
small = st.one_of(st.none(), st.decimals(-(10**9), 10**9, places=4))
moments = st.one_of(
    st.none(), st.datetimes(datetime(2018, 1, 1), datetime(2023, 1, 1)).map(lambda t: t.replace(microsecond=0))
)
days = st.one_of(st.none(), st.dates(date(2018, 1, 1), date(2023, 1, 1)))
TYPED: dict[str, tuple[Any, st.SearchStrategy[Any]]] = {
    "int64": (pa.int64(), numbers),
    "uint64": (pa.uint64(), numbers.map(lambda n: n and abs(n) * 2)),
    "float64": (pa.float64(), floats),
    "float32": (pa.float32(), st.one_of(st.none(), st.floats(width=32))),
    "bool": (pa.bool_(), st.sampled_from([True, False, None])),
    "decimal": (pa.decimal128(38, 12), small),
    "whole decimal": (pa.decimal128(38, 0), numbers.map(lambda n: None if n is None else Decimal(n))),
    "date": (pa.date32(), days),
    "seconds": (pa.timestamp("s"), moments),
    "nanoseconds": (pa.timestamp("ns"), st.one_of(moments, days.map(lambda d: d and datetime(d.year, d.month, d.day)))),
    "zone": (pa.timestamp("us", "Europe/Rome"), moments),
    "time": (pa.time64("us"), st.one_of(st.none(), st.times())),
    "bytes": (pa.binary(), st.sampled_from([b"x", b"1", b"\xff", None])),
    "lists": (pa.list_(pa.string()), st.sampled_from([["x"], None])),
    "dictionary": (pa.dictionary(pa.int8(), pa.float64()), floats),
}


@given(
    some_schema, st.sampled_from(list(TYPED)), st.sampled_from(["pyarrow", "parquet", "pandas", "polars"]), st.data()
)
def test_columns_with_a_type(schema: Schema, name: str, kind: str, data: st.DataObject) -> None:
    arrow, values = TYPED[name]
    cells = data.draw(st.lists(values, min_size=1, max_size=6))
    with tempfile.TemporaryDirectory() as folder:

        def make(column: Sequence[Any]) -> Any:
            values = (
                column if not pa.types.is_dictionary(arrow) else pa.array(column, arrow.value_type).dictionary_encode()
            )
            table = pa.table({"c": pa.array(values, arrow) if values is column else values})
            if kind == "parquet":
                pyarrow.parquet.write_table(table, Path(folder) / "t.parquet")
                return Path(folder) / "t.parquet"
            if kind == "pandas":
                # Whole numbers beside a missing cell stay what they are: as floats the large ones would be others.
                mapped = {"types_mapper": pd.ArrowDtype} if name == "decimal" else {"integer_object_nulls": True}
                return table.to_pandas(**mapped)
            return pl.from_arrow(table) if kind == "polars" and name != "dictionary" else table

        check(make, readable(schema, cells, make) or cells, schema)


def columns_of(value: Any) -> dict[str, Any]:
    """Columns in which the same value stands, with the types that other cells could have brought about."""
    frames: dict[str, Any] = {
        "objects": pd.DataFrame({"c": as_objects([value])}),
        "objects beside a text": pd.DataFrame({"c": as_objects([value, "x"])}),
        "polars objects": pl.DataFrame({"c": pl.Series("c", [value, "x"], dtype=pl.Object)}),
        "category": pd.DataFrame({"c": pd.Categorical(as_objects([value]))}),
        "mixed category": pd.DataFrame({"c": pd.Categorical(as_objects([value, "x"]))}),
        "pyarrow": pa.table({"c": [value]}),
        "pandas": pd.DataFrame({"c": [value]}),
        "dictionary": pa.table({"c": pa.array([value]).dictionary_encode()}),
    }
    wider: list[Any] = []
    if type(value) is int:
        wider = [pa.uint64(), pa.float64(), pa.decimal128(38, 0), pa.decimal128(38, 5), pa.decimal256(76, 38)]
        if value < 100:
            wider += [pa.int8(), pa.float32(), pa.decimal256(76, 50)]
        frames["beside a missing cell"] = pd.DataFrame({"c": [value, None]})
        frames["beside a fraction"] = pd.DataFrame({"c": [value, 1.5]})
    elif isinstance(value, Decimal):
        wider = [pa.decimal128(38, 10), pa.decimal128(38, 20), pa.decimal256(76, 38)]
    elif isinstance(value, datetime):
        wider = [pa.timestamp(unit) for unit in ("s", "ms", "us", "ns")]
    elif isinstance(value, date):
        wider = [pa.date64(), *(pa.timestamp(unit) for unit in ("s", "ms", "us", "ns"))]
    frames |= {str(kind): pa.table({"c": pa.array([value]).cast(kind, safe=False)}) for kind in wider}
    return frames


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    "value",
    [0, 1, 2, 5, 99, 2020, 2**53, 10**15, 2**62, 0.1, 1.5, 1e22, True, False, Decimal("0.1"), Decimal("1.50"),
     Decimal("1E-7"), date(2020, 1, 1), datetime(2020, 1, 1), datetime(2020, 1, 1, 5), "1", "x"],
    ids=repr,
)  # fmt: skip
def test_a_value_has_one_code_whatever_type_its_company_gives_the_column(value: Any) -> None:
    frames = columns_of(value)
    for name, schema in SCHEMAS.items():
        found = {}
        for form, frame in frames.items():
            try:
                found[form] = read_table(frame, schema).columns[0][0]
            except TableError as error:
                if "(row 1" in str(error) or "(rows 1" in str(error):  # else the cell beside it was refused
                    found[form] = None
        assert len(found) > 1, name
        assert len(set(found.values())) == 1, (name, found)


@pytest.mark.parametrize(
    ("field", "common", "odd"),
    [
        ({"type": "string", "categories": ["true", "false"], "outside": "other"}, [True, False], "unknown"),
        ({"type": "string", "categories": ["1", "2"], "outside": "other"}, [1.0, 2.0], "unknown"),
        ({"type": "string", "categories": ["1000000000000000", "2"], "outside": "other"}, [1e15, 2.0], 1.5),
        ({"type": "integer", "categories": [10**18 + 1, 10**18 + 2], "outside": "other"}, [str(10**18 + 1)], "+5"),
        ({"type": "integer", "categories": [2**53 + 1, 5], "outside": "other"}, [str(2**53 + 1), "5"], "nan"),
    ],
)
def test_one_record_moves_one_code(field: dict[str, Any], common: list[Any], odd: Any) -> None:
    schema = Schema.from_dict({"fields": [{"name": "c", "constraints": OPTIONAL, **field}]})
    cells = common * 50
    before = codes(pd.DataFrame({"c": as_objects(cells)}), schema)
    after = codes(pd.DataFrame({"c": as_objects([odd, *cells[1:]])}), schema)
    assert before is not None
    assert after is not None
    assert len(set(before)) == len(common)
    assert after[1:] == before[1:]


def test_a_date_that_does_not_exist_is_refused_alone_and_in_company() -> None:
    for name, texts in {
        "slashes": ["31/02/2020", "29/02/2019", "31/04/2020", "00/01/2020"],
        "digits": ["20200231", "20201301"],
        "date": ["2020-02-30", "2019-02-29"],
        "moment": ["2020-02-30T10:00:00", "2020-02-03T25:00:00"],
        "minutes": ["31/02/2020 10:00", "01/02/2020 10:60"],
    }.items():
        for text in texts:
            for company in ([], ["2020-01-01"], [" 1/2/2020 "]):
                assert codes(pa.table({"c": [text, *company]}), SCHEMAS[name]) is None, text


def test_rows_have_no_say_in_how_a_csv_file_is_parted(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    schema = Schema.from_dict({"fields": [{"name": " ", "categories": ["a", "a;b", "a\tb"]}]})
    path.write_text(" \na;b\na\na\tb\n")
    assert codes(path, schema) == [1, 0, 2]
    blank = Schema.from_dict({"fields": [{"name": "c", "categories": ["a"], "constraints": OPTIONAL}]})
    for cells in ([""], ["", ""], ["", "a"], ["a", "", ""]):
        path.write_text("".join(f"{cell}\n" for cell in ["c", *cells]))
        assert codes(path, blank) == [0 if cell else 1 for cell in cells]


def test_a_long_row_is_read_wherever_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_csv, "_BLOCK", 64)
    path = tmp_path / "t.csv"
    schema = Schema.from_dict({"fields": [{"name": "c", "categories": ["a", "b"], "outside": "other"}]})
    for length in (50, 70, 100, 130, 2_000):
        for before in range(0, 64, 3):
            path.write_text("c\n" + "a\n" * before + "z" * length + "\nb\n")
            assert codes(path, schema) == [0] * before + [2, 1], (length, before)


def test_rows_are_counted_once_where_a_long_one_makes_the_reader_start_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_csv, "_BLOCK", 32)
    path = tmp_path / "t.csv"
    schema = Schema.from_dict({"fields": [{"name": n, "categories": ["a", "b"], "outside": "other"} for n in "cd"]})
    path.write_text("c,d\n" + "a,b\n" * 50 + f'"{"z" * 3_000}\n",b\n' + "b,a\n" * 50 + "a,a,a\n" * 3)
    with pytest.raises(TableError, match=r"3 rows do not have 2 cells like the header \(rows 102, 103, 104 after"):
        read_table(path, schema)
    monkeypatch.setattr(_csv, "_LARGEST_BLOCK", 64)
    with pytest.raises(TableError, match="one row is longer than"):
        read_table(path, schema)
