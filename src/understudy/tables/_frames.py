"""The columns of pandas and polars dataframes, as Arrow has them where it has them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from understudy._core.errors import TableError
from understudy.tables._objects import Column, Mixed, column_of_objects, missing_among
from understudy.tables._plain import plain

_POLARS_OBJECTS = ("Object", "Int128", "UInt128")  # pointers, and numbers that Arrow has no type for


def collected(frame: Any) -> Any:
    """The rows that a LazyFrame describes. What goes wrong is its holder's to see: messages of polars quote cells."""
    try:
        return frame.collect()
    except Exception as error:
        raise TableError(
            f"the LazyFrame could not be collected ({type(error).__name__}). Call its collect() to see why."
        ) from None


def polars_column(series: Any) -> Column:
    """A polars column."""
    if str(series.dtype) in _POLARS_OBJECTS:
        return column_of_objects(series.to_list())
    return _one_array(series.to_arrow())


def pandas_column(series: Any) -> Column:
    """A pandas column."""
    if type(series.dtype).__name__ == "SparseDtype":
        series = series.sparse.to_dense()
    if series.dtype.name == "category":
        return _pandas_category(series)
    if series.dtype.name != "object":
        try:
            array = pa.array(series, from_pandas=True)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            array = None
        if array is not None and not isinstance(array, pa.ExtensionArray):
            return _one_array(array)
    return column_of_objects(series.to_list(), lambda: _missing_in(series))


def _missing_in(series: Any) -> npt.NDArray[np.bool_]:
    try:
        return np.asarray(series.isna(), dtype=bool)
    except ArithmeticError:  # a signalling NaN among decimals, which pandas compares with itself
        return missing_among(series)


def _pandas_category(series: Any) -> Column:
    codes, categories = series.cat.codes.to_numpy(), series.cat.categories
    values = pandas_column(categories)
    if isinstance(values, Mixed):
        return column_of_objects(series.to_list(), lambda: codes < 0)
    return pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), values)


def _one_array(column: Any) -> pa.Array:
    return plain(column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column)
