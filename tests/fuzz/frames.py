"""A kind of case: dataframes whose columns hold objects that nobody would expect in a table."""

from __future__ import annotations

import datetime as dt
import decimal
import fractions
import pathlib
import warnings
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import understudy
from tests.fuzz import materials


class Rude:
    """Refuses every question that is asked of it."""

    def _refuse(self, *_: object) -> Any:
        raise RuntimeError("no")

    __str__ = __repr__ = __eq__ = __bool__ = __float__ = __len__ = _refuse
    __hash__ = None  # type: ignore[assignment]


CELLS: dict[str, Callable[[], Any]] = {
    "none": lambda: None,
    "nan": lambda: float("nan"),
    "infinity": lambda: float("inf"),
    "minus zero": lambda: -0.0,
    "na": lambda: pd.NA,
    "nat": lambda: pd.NaT,
    "true": lambda: True,
    "numpy true": lambda: np.True_,
    "huge": lambda: 10**400,
    "long": lambda: 2**63,
    "half": lambda: np.float16(1.5),
    "long double": lambda: np.longdouble("1.1"),
    "complex": lambda: 1 + 2j,
    "signalling": lambda: decimal.Decimal("sNaN"),
    "decimal": lambda: decimal.Decimal("1.50"),
    "huge decimal": lambda: decimal.Decimal("1e999999"),
    "fraction": lambda: fractions.Fraction(1, 3),
    "timedelta": lambda: dt.timedelta(days=1),
    "numpy timedelta": lambda: np.timedelta64(1, "D"),
    "numpy months": lambda: np.datetime64("2023-05"),
    "numpy nothing": lambda: np.datetime64("NaT"),
    "date": lambda: dt.date(2023, 5, 6),
    "first day": lambda: dt.date.min,
    "moment": lambda: dt.datetime(2023, 5, 6, 7, 8, 9, 10),
    "zoned moment": lambda: dt.datetime(1, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=14))),
    "time": lambda: dt.time(1, 2),
    "period": lambda: pd.Period("2023-05", "M"),
    "interval": lambda: pd.Interval(0, 1),
    "stamp": lambda: pd.Timestamp("2023-05-06", tz="Asia/Tokyo"),
    "bytes": lambda: b"\xff\x00",
    "path": lambda: pathlib.PurePosixPath("a"),
    "list": lambda: [1, [2]],
    "set": lambda: {1},
    "mapping": lambda: {"a": 1},
    "tuple": lambda: (1,),
    "array": lambda: np.array([1, 2]),
    "scalar array": lambda: np.array(3),
    "type": lambda: int,
    "object": lambda: object(),
    "rude": Rude,
    "surrogate": lambda: "\ud800",
    "null character": lambda: "a\x00b",
    "long text": lambda: "x" * 100_000,
    "full-width": lambda: "２３",
    "numpy text": lambda: np.str_("North"),
    "formula": lambda: "=1+1",
}
COLUMNS: dict[str, Callable[[pd.Series], Any]] = {
    "as text": lambda column: column.astype(str),
    "as bytes": lambda column: column.astype(str).str.encode("utf-8"),
    "categorical": lambda column: column.astype("category"),
    "sparse": lambda column: pd.arrays.SparseArray(column.to_numpy()),
    "sparse days": lambda column: pd.arrays.SparseArray(pd.date_range("2023-01-01", periods=len(column))),
    "timedeltas": lambda column: pd.to_timedelta(np.arange(len(column)), unit="D"),
    "periods": lambda column: pd.period_range("2023-01", periods=len(column), freq="M"),
    "intervals": lambda column: pd.interval_range(0, len(column)),
    "complex": lambda column: np.arange(len(column)) * 1j,
    "half": lambda column: np.arange(len(column)).astype(np.float16),
    "unsigned": lambda column: np.full(len(column), 2**64 - 1, dtype=np.uint64),
    "far dates": lambda column: np.full(len(column), "3000-01-01", dtype="datetime64[s]"),
    "all missing": lambda column: [None] * len(column),
    "arrow": lambda column: column.astype(str).astype("string[pyarrow]"),
    "arrow list": lambda column: pd.Series([[1]] * len(column), dtype=pd.ArrowDtype(pa.list_(pa.int64()))),
    "arrow decimal": lambda column: pd.Series([1] * len(column), dtype=pd.ArrowDtype(pa.decimal128(30, 3))),
    "cells": lambda column: column.astype(object),
}
WHOLE = (
    "pandas",
    "pandas",
    "polars",
    "lazy",
    "arrow",
    "reader",
    "dict",
    "records",
    "series",
    "numpy",
    "empty",
    "no rows",
)
NAMES: dict[str, Callable[[str], Any]] = {
    "same": str,
    "number": lambda name: 3,
    "pair": lambda name: (name, "x"),
    "none": lambda name: None,
    "twice": lambda name: "age",
    "upper": str.upper,
    "spaced": lambda name: f" {name} ",
    "long": lambda name: name * 200,
    "surrogate": lambda name: f"{name}\ud800",
}


def make_frame(rng: Random) -> Any:
    """What is put where: a dataframe itself could not be written down."""
    names = list(materials.frame().columns)
    columns = {rng.choice(names): rng.choice(sorted(COLUMNS)) for _ in range(rng.randrange(3))}
    cells = [[rng.choice(names), rng.randrange(40), rng.choice(sorted(CELLS))] for _ in range(rng.randrange(4))]
    renamed = {rng.choice(names): rng.choice(sorted(NAMES))} if rng.random() < 0.2 else {}
    return {"columns": columns, "cells": cells, "renamed": renamed, "whole": rng.choice(WHOLE)}


def run_frame(given: Any, folder: Path) -> None:
    """Check it, plan with it and draft a schema from it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of pandas, about what is done to it here
        source = _build(given)
    told: understudy.UserError | None = None
    for look in (_check, _plan, _draft):
        try:
            look(source)
        except understudy.UserError as error:
            told = told or error
    if told is not None:
        raise told


def _build(given: Any) -> Any:
    found = materials.frame().copy()
    for name, how in given["columns"].items():
        found[name] = COLUMNS[how](found[name])
    for name, row, what in given["cells"]:
        values = list(found[name])
        values[row] = CELLS[what]()
        series = pd.Series(index=found.index, dtype=object)
        for i, value in enumerate(values):
            series.iat[i] = value
        found[name] = series
    names = [NAMES[given["renamed"].get(name, "same")](name) for name in found.columns]
    found.columns = pd.Index(names, dtype=object, tupleize_cols=False)
    return _as_whole(found, given["whole"])


def _as_whole(found: pd.DataFrame, whole: str) -> Any:
    """The table as another library's; pandas where that library itself cannot hold it."""
    try:
        if whole in ("polars", "lazy"):
            return pl.from_pandas(found).lazy() if whole == "lazy" else pl.from_pandas(found)
        if whole in ("arrow", "reader"):
            table = pa.Table.from_pandas(found, preserve_index=False)
            return table.to_reader() if whole == "reader" else table
        others: dict[str, Callable[[], Any]] = {
            "dict": lambda: found.to_dict("list"),
            "records": lambda: found.to_dict("records"),
            "series": lambda: found.iloc[:, 0],
            "numpy": found.to_numpy,
            "empty": pd.DataFrame,
            "no rows": lambda: found.iloc[:0],
        }
        return others[whole]() if whole in others else found
    except Exception:
        return found


def _check(source: Any) -> None:
    report = understudy.check_table(source, materials.schema())
    assert report.ok or all(report.faults)


def _plan(source: Any) -> None:
    assert understudy.plan(source, schema=materials.schema(), epsilon=1, neighbours="replace-one").to_dict()


def _draft(source: Any) -> None:
    assert understudy.draft_schema(source).to_yaml()
