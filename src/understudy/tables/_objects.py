"""Columns of Python objects, where each cell is of the type that it brings along.

A library that is given such a column picks one type for all of it, and one odd cell makes it pick another. Here every
cell is read as its own type has it: what the others are makes no difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

_SIMPLE: dict[type, pa.DataType] = {
    str: pa.string(),
    bool: pa.bool_(),
    int: pa.int64(),
    float: pa.float64(),
    date: pa.date32(),
}
_MOST_BITS = 4000
_MOST_ADJUSTED = 400  # digits before the point of any float, and some


@dataclass(frozen=True, kw_only=True)
class Mixed:
    """A column whose cells have several types: for each type the rows it stands in, and its cells. The rest is missing.

    >>> mixed = column_of_objects([1, "a", None, 2])
    >>> [(rows.tolist(), cells.to_pylist()) for rows, cells in mixed.parts]
    [([0, 3], [1, 2]), ([1], ['a'])]
    """

    length: int
    parts: tuple[tuple[npt.NDArray[np.int64], pa.Array], ...]

    def __len__(self) -> int:
        return self.length

    def texts(self) -> pa.Array:
        """The cells as Python writes them, for people to look at."""
        texts: list[str | None] = [None] * self.length
        for rows, cells in self.parts:
            for row, text in zip(rows.tolist(), texts_for_people(cells), strict=True):
                texts[row] = text
        return pa.array(texts, pa.string())


Column: TypeAlias = pa.Array | Mixed


def texts_for_people(cells: pa.Array) -> list[str | None]:
    """The cells as Python writes them; as Arrow does where Python cannot, such as moments after the year 9999.

    >>> texts_for_people(pa.array([1, None])), texts_for_people(pa.array([2**39], pa.timestamp("s")))
    (['1', None], ['19391-01-25 12:18:08'])
    """
    try:
        found = cells.to_pylist()
    except (OverflowError, ValueError):
        found = _written_by_arrow(cells)
    return [None if cell is None else str(cell) for cell in found]


def _written_by_arrow(cells: pa.Array) -> list[Any]:
    if pa.types.is_timestamp(cells.type):  # on the clock of UTC: at the end of time a zone's own may not exist
        cells = cells.cast(pa.timestamp(cells.type.unit))
    try:
        return list(cells.cast(pa.string()).to_pylist())
    except pa.ArrowException:
        return [f"<{cells.type}>" if known else None for known in cells.is_valid().to_pylist()]


def column_of_objects(cells: Sequence[Any], missing: Callable[[], npt.NDArray[np.bool_]] | None = None) -> Column:
    """Python objects as a column: an Arrow array if they all have one type, else one for each type.

    Args:
        cells: the objects.
        missing: finds which of them are missing, faster than looking at each.

    >>> column_of_objects([True, None]).type, type(column_of_objects([True, "x"])).__name__
    (DataType(bool), 'Mixed')
    """
    whole = _one_type(cells)
    if whole is not None:
        return whole
    empty = missing() if missing else missing_among(cells)
    rows = np.flatnonzero(~empty)
    present = [cells[row] for row in rows.tolist()]
    whole = _one_type(present)
    if whole is not None:
        return _spread(whole, rows, empty)
    groups: dict[pa.DataType, tuple[list[int], list[Any]]] = {}
    for row, cell in zip(rows.tolist(), present, strict=True):
        kind, value = _alone(cell)
        places, values = groups.setdefault(kind, ([], []))
        places.append(row)
        values.append(value)
    parts = tuple((np.array(places), pa.array(values, kind)) for kind, (places, values) in groups.items())
    return _spread(parts[0][1], rows, empty) if len(parts) == 1 else Mixed(length=len(cells), parts=parts)


def _spread(cells: pa.Array, rows: npt.NDArray[np.int64], empty: npt.NDArray[np.bool_]) -> pa.Array:
    where = np.zeros(len(empty), dtype=np.int64)
    where[rows] = np.arange(len(rows))
    return cells.take(pa.array(where, mask=empty))


def _one_type(cells: Sequence[Any]) -> pa.Array | None:
    """The cells as one array where they all have the same simple type (or are None): the type they have alone."""
    types = set(map(type, cells)) - {type(None)}
    simple = _SIMPLE.get(types.pop()) if len(types) == 1 else None
    try:
        return None if simple is None else pa.array(cells, simple)
    except (OverflowError, UnicodeEncodeError, pa.ArrowInvalid):  # one does not fit, and has another type alone
        return None


def _alone(cell: Any) -> tuple[pa.DataType, Any]:
    """The type of one cell, and the cell ready for an array of that type."""
    if isinstance(cell, str):
        # Half a surrogate pair is no text: it is replaced, and so is no category either.
        return pa.string(), cell.encode("utf-8", "replace").decode()
    if isinstance(cell, bool | np.bool_):
        return pa.bool_(), bool(cell)
    if isinstance(cell, timedelta | np.timedelta64):  # which NumPy counts among the whole numbers
        scalar = _scalar(cell)
        return (pa.duration("s"), 0) if scalar is None else (scalar.type, scalar)
    if isinstance(cell, int | np.integer):
        return _whole(int(cell))
    if isinstance(cell, float | np.floating):
        return pa.float64(), float(cell)
    # What these hold is not looked at: they are refused, and Arrow would not come back from a list that holds itself.
    if isinstance(cell, Mapping):
        return pa.struct([]), {}
    if isinstance(cell, list | tuple | Set | np.ndarray):
        return pa.list_(pa.null()), []
    scalar = _moment(cell) if isinstance(cell, datetime | np.datetime64) else _scalar(cell)
    if scalar is None or isinstance(scalar.type, pa.BaseExtensionType):
        if isinstance(cell, Decimal):  # of more digits than Arrow's
            near = float(cell)
            # as a float it may lose its fraction, and would be taken for a whole number
            lost = near.is_integer() and cell.adjusted() < _MOST_ADJUSTED and cell != cell.to_integral_value()
            return (pa.string(), f"{cell:f}") if lost else (pa.float64(), near)
        return pa.string(), _written(cell).encode("utf-8", "replace").decode()
    return scalar.type, scalar


def _written(cell: object) -> str:
    try:
        return str(cell)
    except Exception:  # whatever its class does: a cell that cannot be written is no category
        return f"<{type(cell).__name__}>"


def _whole(cell: int) -> tuple[pa.DataType, Any]:
    if -(2**63) <= cell < 2**63:
        return pa.int64(), cell
    if 0 <= cell < 2**64:
        return pa.uint64(), cell
    if cell.bit_length() < _MOST_BITS:  # Python refuses to write out much longer ones
        return pa.string(), str(cell)
    return pa.float64(), np.inf if cell > 0 else -np.inf


def _moment(cell: Any) -> Any:
    """Moments as Arrow has them, to the nanosecond where the cell has it (as those of pandas do)."""
    if isinstance(cell, np.datetime64):
        unit = np.datetime_data(cell.dtype)[0]
        return _scalar(cell if unit in ("s", "ms", "us", "ns") else cell.astype("datetime64[us]"))
    scalar, exact = _scalar(cell), getattr(cell, "asm8", None)
    if exact is None or scalar is None:
        return scalar
    unit = np.datetime_data(exact.dtype)[0]
    return pa.scalar(int(exact.astype(np.int64)), pa.timestamp(unit, scalar.type.tz))


def _scalar(cell: Any) -> Any:
    try:
        return pa.scalar(cell)
    except (pa.ArrowException, ValueError, TypeError, OverflowError, NotImplementedError):
        return None


def missing_among(cells: Iterable[Any]) -> npt.NDArray[np.bool_]:
    """Which of the objects stand for a missing value.

    >>> missing_among([None, float("nan"), Decimal("sNaN"), 0, ""]).tolist()
    [True, True, True, False, False]
    """
    return np.array([_is_missing(cell) for cell in cells], dtype=bool)


def _is_missing(cell: Any) -> bool:
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(cell, float | np.floating):
        return bool(cell != cell)
    if isinstance(cell, np.datetime64 | np.timedelta64):
        return bool(np.isnat(cell))
    return isinstance(cell, Decimal) and cell.is_nan()
