"""Every number and date of a report as one table, a row a column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from understudy.evaluation._column_ratings import rate_number
from understudy.evaluation._numbers import DAY, ERRORS, NumberColumn

_SIDES = ("real", "synthetic", "fresh_sample", "binned")
_FIGURES = ("mean", "deviation", "p05", "p25", "median", "p75", "p95")


def number_table(columns: Sequence[NumberColumn]) -> pa.Table:
    """A row a column: its rating, its figures in each table, its errors and where they come from.

    >>> number_table([]).num_rows
    0
    """
    ratings = [rate_number(column) for column in columns]
    found: dict[str, Any] = {
        "column": pa.array([column.name for column in columns], pa.string()),
        "type": pa.array([column.type for column in columns], pa.string()),
        "unit": pa.array([column.unit or None for column in columns], pa.string()),
        "rating": pa.array([rating.tone.colour for rating in ratings], pa.string()),
        "why": pa.array([rating.why for rating in ratings], pa.string()),
    }
    for figure in _FIGURES:
        for side in _SIDES:
            found[f"{figure}_{side}"] = _floats([_figure(column, side, figure) for column in columns])
    for error in ERRORS:
        for part, name in (("value", "error"), ("fresh_sample", "error_fresh_sample"), ("binning", "lost_by_binning")):
            found[f"{error}_{name}"] = _floats([getattr(column.errors[error], part) for column in columns])
        found[f"{error}_lost_by_noise"] = _floats([column.errors[error].noise for column in columns])
    return pa.table(found)


def _figure(column: NumberColumn, side: str, figure: str) -> float | None:
    figures = getattr(column, side)
    if figures is None:
        return None
    value = float(getattr(figures, figure))
    return value / DAY if column.moments else value


def _floats(values: Sequence[float | None]) -> pa.Array:
    return pa.array(values, pa.float64(), from_pandas=True)
