"""By which rows that are gone over anew are known again, one by one and in their order, without being kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from understudy.schema import Codes
from understudy.tables import Column, text_bytes

_SIZE = 16


class RowMarks:
    """Marks of the units of rows and of each of their columns, however the rows are cut into batches.

    Two readings with the same marks of units and columns have the same rows in the same order, as far as those columns
    go. Units alone would not do: rows of one unit may trade places, and then what each counts falls to another.

    >>> import pyarrow as pa
    >>> marks, others = RowMarks("id", [0]), RowMarks("id", [0])
    >>> marks.add(pa.array(["a", "b"]), [np.array([0, 1], dtype=np.uint8)])
    >>> others.add(pa.array(["a"]), [np.array([0], dtype=np.uint8)])
    >>> others.add(pa.array(["b"]), [np.array([1], dtype=np.uint8)])
    >>> marks.units == others.units, marks.columns == others.columns
    (True, True)
    """

    def __init__(self, unit: str, attributes: Sequence[int]) -> None:
        self._unit = unit
        self._lengths, self._texts = blake2b(digest_size=_SIZE), blake2b(digest_size=_SIZE)
        self._columns = {a: blake2b(digest_size=_SIZE) for a in attributes}

    def add(self, units: Column, codes: Sequence[Codes], left: npt.NDArray[np.bool_] | None = None) -> None:
        """Take in the next rows: the unit of each, unless it is not left, and the codes of those that are."""
        lengths, texts = text_bytes(units, self._unit, left)
        self._lengths.update(lengths)
        self._texts.update(texts)
        for mark, column in zip(self._columns.values(), codes, strict=True):
            mark.update(np.ascontiguousarray(column, dtype=np.uint32).data)

    @property
    def units(self) -> bytes:
        """The mark of the units of all rows so far."""
        return self._lengths.digest() + self._texts.digest()

    @property
    def columns(self) -> Mapping[int, bytes]:
        """For each attribute the mark of its column."""
        return {a: mark.digest() for a, mark in self._columns.items()}
