"""Cells that no table should have, in columns of every library: a code or a sentence, never anything else."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from understudy import Schema, TableError
from understudy.tables import check_table, draft_schema, open_source, read_loosely, read_table

DAYS = {"minimum": "2020-01-01", "maximum": "2021-01-01"}
FIELDS: dict[str, dict[str, Any]] = {
    "string": {"categories": ["x", "y"]},
    "integer": {"type": "integer", "categories": [1, 2]},
    "number": {"type": "number", "bins": 2, "constraints": {"minimum": 0, "maximum": 9}},
    "boolean": {"type": "boolean"},
    "date": {"type": "date", "bins": 4, "constraints": DAYS},
    "datetime": {"type": "datetime", "bins": 4, "constraints": {k: f"{v}T00:00:00" for k, v in DAYS.items()}},
}
SCHEMAS = {name: Schema.from_dict({"fields": [{"name": "a", **field}]}) for name, field in FIELDS.items()}


class Unwritable:
    """Cannot be shown."""

    def __str__(self) -> str:
        raise RuntimeError("not to be shown")

    __repr__ = __str__


class Incomparable:
    """Cannot be compared, nor put into a set."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("not to be compared")

    def __hash__(self) -> int:
        raise RuntimeError("not to be hashed")


class Word(Enum):
    """A word."""

    YES = 1


ENDLESS: list[Any] = []
ENDLESS.append(ENDLESS)
FAR = 2**61  # seconds after 1970, long after Python's last year

CELLS: dict[str, Any] = {
    "np.timedelta64": np.timedelta64(5, "s"),
    "years of np.timedelta64": np.timedelta64(5, "Y"),
    "np.timedelta64 without a unit": np.timedelta64(5),
    "no np.timedelta64": np.timedelta64("NaT"),
    "timedelta": timedelta(5),
    "the longest timedelta": timedelta.max,
    "pd.Timedelta": pd.Timedelta(5),
    "signalling NaN": Decimal("sNaN"),
    "signalling NaN with a note": Decimal("-sNaN123"),
    "infinite Decimal": Decimal("Infinity"),
    "huge Decimal": Decimal("1e400"),
    "tiny Decimal": Decimal("1e-400"),
    "far np.datetime64": np.datetime64(FAR, "s"),
    "np.datetime64 of attoseconds": np.datetime64(1, "as"),
    "moment before time": datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=23))),
    "last moment": datetime.max.replace(tzinfo=UTC),
    "last day": date.max,
    "time of day": time(1),
    "period": pd.Period("2020-01"),
    "interval": pd.Interval(0, 1),
    "complex": 1j,
    "np.complex64": np.complex64(1j),
    "long number": np.longdouble(1),
    "5,001 digits": 10**5000,
    "fraction": Fraction(1, 3),
    "bytes": b"\xff",
    "bytearray": bytearray(b"x"),
    "np.void": np.void(b"x"),
    "half a surrogate pair": "\ud800",
    "list": [1],
    "list of all sorts": [1, "a", [None]],
    "list that holds itself": ENDLESS,
    "dict": {"a": 1},
    "dict that holds itself": {"a": ENDLESS},
    "set": {1},
    "array": np.array([1, 2]),
    "array without axes": np.array(5),
    "masked": np.ma.masked,
    "dataframe": pd.DataFrame({"a": [1]}),
    "uuid": UUID(int=1),
    "enum": Word.YES,
    "function": len,
    "class": int,
    "what cannot be written": Unwritable(),
    "what cannot be compared": Incomparable(),
}


def column_of(*cells: Any) -> pd.DataFrame:
    series = pd.Series([None] * len(cells), dtype=object)
    for place, cell in enumerate(cells):
        series.iat[place] = cell
    return pd.DataFrame({"a": series})


def as_sparse(values: Any) -> pd.DataFrame:
    return pd.DataFrame({"a": pd.Series(pd.arrays.SparseArray(values))})


def as_arrow(column: pa.Array) -> pa.Table:
    return pa.table({"a": column})


FAR_ARROW = pa.array([FAR], pa.timestamp("s"))
COLUMNS: dict[str, Callable[[], Any]] = {
    "sparse datetimes": lambda: as_sparse(pd.to_datetime(["2020-01-01", None, "2020-02-01"]).to_numpy()),
    "sparse lengths of time": lambda: as_sparse(pd.to_timedelta([1, None, 2]).to_numpy()),
    "sparse numbers": lambda: as_sparse([0.0, np.nan, 1]),
    "sparse booleans": lambda: as_sparse([True, False]),
    "periods": lambda: pd.DataFrame({"a": pd.period_range("2020", periods=3)}),
    "intervals": lambda: pd.DataFrame({"a": pd.cut([1, 2, 3], 2)}),
    "complex numbers": lambda: pd.DataFrame({"a": [1j, 2]}),
    "half floats": lambda: pd.DataFrame({"a": np.array([1, 2], np.float16)}),
    "categories of all sorts": lambda: pd.DataFrame({"a": pd.Categorical([1, "x", (1, 2)])}),
    "far moments of pandas": lambda: pd.DataFrame({"a": np.array([FAR], "datetime64[s]")}),
    "far days of polars": lambda: pl.DataFrame({"a": pl.Series([2**30]).cast(pl.Date)}),
    "lengths of time of polars": lambda: pl.DataFrame({"a": [timedelta(1)]}),
    "structures of polars": lambda: pl.DataFrame({"a": [{"b": 1}]}),
    "objects of polars": lambda: pl.DataFrame({"a": pl.Series([ENDLESS, timedelta(1)], dtype=pl.Object)}),
    "half floats of Arrow": lambda: as_arrow(pa.array([1.5], pa.float16())),
    "short decimals": lambda: as_arrow(pa.array([Decimal("1.5")], pa.decimal32(5, 2))),
    "views of bytes": lambda: as_arrow(pa.array([b"\xff"], pa.binary_view())),
    "intervals of Arrow": lambda: as_arrow(pa.array([(1, 2, 3)], pa.month_day_nano_interval())),
    "unions": lambda: as_arrow(
        pa.UnionArray.from_dense(pa.array([0], pa.int8()), pa.array([0], pa.int32()), [pa.array([1])])
    ),
    "moments of nowhere": lambda: as_arrow(pa.array([0], pa.timestamp("s", "Nowhere/City"))),
    "moments of an offset that is none": lambda: as_arrow(pa.array([0], pa.timestamp("s", "+99:99"))),
    "runs of far moments": lambda: as_arrow(pa.RunEndEncodedArray.from_arrays([2], FAR_ARROW)),
    "runs of codes": lambda: as_arrow(
        pa.RunEndEncodedArray.from_arrays(pa.array([2]), pa.array(["x"]).dictionary_encode())
    ),
    "codes of lists": lambda: as_arrow(pa.DictionaryArray.from_arrays(pa.array([0], pa.int8()), pa.array([[1]]))),
    "codes of far moments": lambda: as_arrow(pa.DictionaryArray.from_arrays(pa.array([0], pa.int8()), FAR_ARROW)),
    "UUIDs": lambda: as_arrow(pa.array([b"a" * 16], pa.uuid())),
    "JSON": lambda: as_arrow(pa.array(["{}"], pa.json_())),
    "booleans of eight bits": lambda: as_arrow(pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1], pa.int8()))),
}


def assert_code_or_sentence(table: Any) -> None:
    for act in (
        draft_schema,
        *(lambda source, schema=schema: read_table(source, schema) for schema in SCHEMAS.values()),
        lambda source: check_table(source, SCHEMAS["string"], show_values=True),
        lambda source: read_loosely(source, SCHEMAS["number"]),
    ):
        with suppress(TableError):
            act(table)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("cell", CELLS.values(), ids=CELLS.keys())
def test_an_odd_cell_gets_a_code_or_a_sentence_wherever_it_stands(cell: Any) -> None:
    for cells in ([cell], [cell, cell], ["x", cell, None], [1, cell]):
        assert_code_or_sentence(column_of(*cells))


@pytest.mark.parametrize("make", COLUMNS.values(), ids=COLUMNS.keys())
def test_an_odd_column_gets_codes_or_a_sentence(make: Callable[[], Any]) -> None:
    assert_code_or_sentence(make())


@pytest.mark.parametrize("cell", [CELLS[name] for name in ("np.timedelta64", "years of np.timedelta64", "timedelta")])
def test_a_length_of_time_is_called_one(cell: Any) -> None:
    for schema in SCHEMAS.values():
        with pytest.raises(TableError, match="column 'a' holds lengths of time"):
            read_table(column_of(cell, cell), schema)


@pytest.mark.parametrize(("cell", "what"), [([1], "lists"), (ENDLESS, "lists"), ((1,), "lists"), ({}, "structures")])
def test_lists_and_structures_are_called_so_whatever_they_hold(cell: Any, what: str) -> None:
    with pytest.raises(TableError, match=f"column 'a' holds {what}"):
        read_table(column_of("x", cell), SCHEMAS["string"])


def test_a_signalling_nan_is_missing_like_any_other() -> None:
    for decimal in (Decimal("NaN"), Decimal("sNaN"), Decimal("-sNaN5")):
        with pytest.raises(TableError, match=r"1 value is missing where none may be \(row 2\)"):
            read_table(column_of(Decimal(1), decimal), SCHEMAS["integer"])


def test_sparse_columns_hold_what_they_hold_when_dense() -> None:
    days = pd.to_datetime(["2020-01-01", "2020-12-01", "2020-01-01"]).to_numpy()
    dense = read_table(pd.DataFrame({"a": days}), SCHEMAS["datetime"])
    assert (
        read_table(as_sparse(days), SCHEMAS["datetime"]).columns[0].tolist() == dense.columns[0].tolist() == [0, 3, 0]
    )


def test_moments_of_an_unknown_zone_are_told_apart_from_those_of_a_known_one() -> None:
    schema = SCHEMAS["date"]
    assert read_table(as_arrow(pa.array([1577818800], pa.timestamp("s", "+05:00"))), schema).columns[0].tolist() == [0]
    with pytest.raises(TableError, match="column 'a' holds moments of a time zone that is not known here"):
        read_table(COLUMNS["moments of nowhere"](), schema)


def test_a_part_of_a_column_of_runs_is_that_part() -> None:
    runs = pa.RunEndEncodedArray.from_arrays([2, 5, 9], ["x", "y", "x"])
    [[column]] = open_source(pa.table({"a": runs.slice(1, 6)})).batches(["a"])
    assert isinstance(column, pa.Array)
    assert column.to_pylist() == ["x", "y", "y", "y", "x", "x"]
