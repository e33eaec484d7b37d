"""Codes by lookup: a value that occurs again and again is read once, the slow way, and looked up from then on.

What a cell is read as depends on it and the field alone, here as there: a lookup has what the slow way made of the
value, and a cell that it does not have goes the slow way by itself, whatever the other cells are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from understudy.schema import Codes, Field
from understudy.tables._table import code_type

Ints: TypeAlias = npt.NDArray[np.int64]
Read: TypeAlias = Callable[[pa.Array], Ints]
"""The slow way: a code for each cell, or a negative mark."""

_FEW_ROWS = 1 << 12  # below, compiled loops are not worth their loading
_WIDEST = 1 << 18  # values in a lookup
_SELDOM = 64  # a lookup that lacks more than every so many-th cell is widened
_STEPS, _MOST_STEPS = 8, 1 << 16  # to a bin, on the average, and in all, for the first guess


class QuickCodes:
    """Encodes columns of a field, and says which rows it has no code for: those must be read the slow way."""

    def __init__(self, field: Field, read: Read) -> None:
        self._field, self._read = field, read
        self._kind: pa.DataType | None = None
        self._low, self._table = 0, np.empty(0, dtype=np.int32)
        self._dictionary: pa.Array | None = None
        self._bins = _Bins.of(field)

    def encode(self, column: pa.Array) -> tuple[Codes, Ints] | None:
        """Codes, and the rows that have none yet; None for a column that there is no quick way for."""
        if len(column) < _FEW_ROWS:
            return None
        if pa.types.is_dictionary(column.type):
            if self._dictionary is None or not self._dictionary.equals(column.dictionary):
                self._dictionary = column.dictionary
                self._low, self._table = 0, self._read(column.dictionary).astype(np.int32)
            return self._looked_up(column, column.indices)
        if _is_whole(column.type):
            return self._whole(column)
        return self._binned(column) if pa.types.is_floating(column.type) and self._field.type == "number" else None

    def _whole(self, column: pa.Array) -> tuple[Codes, Ints] | None:
        whole = column.cast(pa.uint8()) if pa.types.is_boolean(column.type) else column
        whole = whole.view(pa.int32()) if pa.types.is_date32(column.type) else whole
        if column.type != self._kind:
            self._kind, self._dictionary = column.type, None
            self._low, self._table = 0, np.empty(0, dtype=np.int32)
            self._widen(column, self._declared)
        found = self._looked_up(column, whole)
        if len(found[1]) * _SELDOM > len(column):
            ends = pc.min_max(whole).as_py()
            if not self._widen(column, (ends["min"], ends["max"])):
                binned = None if pa.types.is_temporal(column.type) else self._binned(column)
                return binned or (found if len(self._table) else None)
            found = self._looked_up(column, whole)
        return found

    def _widen(self, column: pa.Array, more: tuple[int, int] | None) -> bool:
        """Have these values in the lookup as well; False if they lie too far apart for one."""
        if more is None or more[0] is None:
            return False
        low, high = more
        if len(self._table):
            low, high = min(low, self._low), max(high, self._low + len(self._table) - 1)
        if high - low >= _WIDEST:
            return False
        values = pa.array(low + np.arange(high - low + 1))
        try:
            values = (
                values.cast(pa.int32()).view(pa.date32())
                if pa.types.is_date32(column.type)
                else values.cast(column.type)
            )
        except pa.ArrowInvalid:  # more is declared than a column of this type can hold
            return False
        self._low, self._table = low, self._read(values).astype(np.int32)
        return True

    @property
    def _declared(self) -> tuple[int, int] | None:
        """The first and the last whole number that is declared, if any are."""
        field = self._field
        if field.bins is not None and field.type != "datetime":
            return math.ceil(field.bins.minimum), math.floor(field.bins.maximum)
        values = [category.value for category in (*field.categories, *field.special)]
        wholes = [value for value in values if isinstance(value, int) and not isinstance(value, bool)]
        return (min(wholes), max(wholes)) if wholes else None

    def _looked_up(self, column: pa.Array, whole: pa.Array) -> tuple[Codes, Ints]:
        from understudy.tables._kernels import code_values

        known = pc.fill_null(whole, whole.type.to_pandas_dtype()(self._low)) if whole.null_count else whole
        if not (pa.types.is_int32(known.type) or pa.types.is_int64(known.type)):
            known = known.cast(pa.int32() if known.type.bit_width < 32 else pa.int64())
        codes, odd = self._places(len(column))
        n_odd = code_values(known.to_numpy(zero_copy_only=True), self._low, self._table, codes, odd)
        return self._without_nulls(column, whole, codes, odd[:n_odd])

    def _binned(self, column: pa.Array) -> tuple[Codes, Ints] | None:
        from understudy.tables._kernels import bin_values

        bins = self._bins
        if bins is None:
            return None
        values = column.cast(pa.float64() if self._field.type == "number" else pa.int64(), safe=False)
        known = pc.fill_null(values, 0) if values.null_count else values
        codes, odd = self._places(len(column))
        told = bins.low, bins.high, bins.last, bins.guess, bins.scale
        n_odd = bin_values(known.to_numpy(zero_copy_only=True), *told, codes, odd)
        return self._without_nulls(column, values, codes, odd[:n_odd])

    def _places(self, n: int) -> tuple[Codes, Ints]:
        return np.empty(n, dtype=code_type(self._field.size)), np.empty(n, dtype=np.int64)

    def _without_nulls(self, column: pa.Array, values: pa.Array, codes: Codes, odd: Ints) -> tuple[Codes, Ints]:
        """Rows without a value have the code of a missing one; they are odd if there is none."""
        if not values.null_count:
            return codes, odd
        empty = pc.is_null(values).to_numpy(zero_copy_only=False)
        mark = int(self._read(pa.nulls(1, column.type))[0])
        codes[empty] = max(mark, 0)
        odd = odd[~empty[odd]]
        return codes, odd if mark >= 0 else np.union1d(odd, np.flatnonzero(empty))


@dataclass(frozen=True, eq=False)
class _Bins:
    """What `bin_values` must be told of a field's bins."""

    low: int | float
    high: int | float
    last: npt.NDArray[Any]
    guess: npt.NDArray[np.uint32]
    scale: float

    @classmethod
    def of(cls, field: Field) -> _Bins | None:
        """None where values are none that are binned as they are, or where the range has no size to speak of."""
        bins = field.bins
        if bins is None or field.type not in ("number", "integer", "year"):
            return None
        low, high = bins.minimum, bins.maximum
        if not 0 < high - low < 2.0**60:  # special values lie outside it
            return None
        steps = min(_STEPS * bins.count, _MOST_STEPS)
        scale = steps / (high - low)
        begins = low + np.arange(steps + 2) / scale
        guess = bins.codes(begins.astype(np.int64)) if bins.whole else bins.codes(begins)
        ends = (np.iinfo(np.int64).min, np.iinfo(np.int64).max) if bins.whole else (-np.inf, np.inf)
        last = np.concatenate([[ends[0]], bins.last_values, [ends[1]]])
        return cls(low, high, last, guess.astype(np.uint32), scale)


def _is_whole(kind: pa.DataType) -> bool:
    """Whether cells are whole numbers of at most 64 bits inside, few enough of them for a lookup."""
    return bool(
        (pa.types.is_integer(kind) and kind != pa.uint64()) or pa.types.is_boolean(kind) or pa.types.is_date32(kind)
    )
