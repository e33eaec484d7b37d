"""Columns as values, not codes: numbers and dates as they are, everything else as the kinds of value that occur.

For comparing tables, never for publishing one. What is found here is private to the holder.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from understudy.schema import Field
from understudy.tables._objects import Column, Mixed
from understudy.tables._parse import parse

_MICROSECONDS_A_DAY = 86_400_000_000
Numbers: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Kinds:
    """A column of values that are no numbers: for each row the place of its value in `known`, or −1 if it is missing.

    >>> Kinds(known=("F", "M"), places=np.array([1, 0, -1], dtype=np.int32)).places.tolist()
    [1, 0, -1]
    """

    known: tuple[Any, ...]
    places: npt.NDArray[np.int32]


Values: TypeAlias = Numbers | Kinds


class ValueReader:
    """Reads the values of one column batch by batch.

    A cell that is not of the field's type counts as missing, and so does an infinite number.

    >>> from understudy.schema import Schema
    >>> age = Schema.from_dict({"fields": [{"name": "age", "type": "integer", "bins": 2,
    ...     "constraints": {"minimum": 0, "maximum": 99}}]})["age"]
    >>> reader = ValueReader(age)
    >>> reader.add(pa.array(["31", "", "x", "131"]))
    >>> reader.values().tolist()
    [31.0, nan, nan, 131.0]
    """

    def __init__(self, field: Field) -> None:
        self._field = field
        self._chunks: list[pa.Array] = []

    def add(self, column: Column) -> None:
        """The next batch."""
        if not isinstance(column, Mixed):
            self._chunks.append(self._read(column))
            return
        cells = np.full(len(column), None, dtype=object)
        kind: pa.DataType | None = None
        for rows, part in column.parts:
            read = self._read(part)
            kind = read.type
            cells[rows] = read.to_pylist()
        self._chunks.append(pa.array(cells.tolist(), kind or self._read(pa.nulls(0, pa.string())).type))

    def values(self) -> Values:
        """The whole column: numbers, NaN where missing, if the field has bins; kinds of value if not."""
        column = pa.chunked_array(self._chunks).combine_chunks()
        if self._field.bins is not None:
            return np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.float64)
        encoded = column.dictionary_encode()
        places = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32)
        return Kinds(known=tuple(encoded.dictionary.to_pylist()), places=places)

    def _read(self, column: pa.Array) -> pa.Array:
        if pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        parsed = parse(column, self._field)
        unknown = parsed.missing | parsed.wrong
        if self._field.type == "string" and isinstance(parsed.values, pa.Array):  # never by way of Python's strings
            texts = parsed.values.cast(pa.string())
            return pc.if_else(pa.array(unknown), pa.scalar(None, pa.string()), texts) if unknown.any() else texts
        values = parsed.values.to_numpy(zero_copy_only=False) if isinstance(parsed.values, pa.Array) else parsed.values
        if self._field.type == "number":
            unknown = unknown | ~np.isfinite(values)
        if self._field.type == "date":
            values = values * _MICROSECONDS_A_DAY
        if self._field.bins is not None:  # large ones are rounded: 9999-12-31 in microseconds is beyond 53 bits
            values = np.asarray(values, dtype=np.float64)
        kind = pa.array(values[:0]).type
        if self._field.type == "string":
            kind = pa.string()
        return pa.array(values, mask=np.asarray(unknown, dtype=np.bool_)).cast(kind)
