"""Columns whose rows all lie within a few cells of the grid that numbers are counted on: wide cells, for what they are.

Inside a cell that nothing tells apart a column comes out even, so a range far wider than the rows costs it its values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from understudy.schema import Field, Schema
from understudy.tables._encode import ColumnEncoder
from understudy.tables._objects import Column

FineGrid: TypeAlias = Callable[[Schema], Schema]
"""Makes the schema whose bins are the cells that rows are counted in."""
FEW_CELLS = 20
MOST_CROWDED = 0.05
"""No part of a range that is larger has so few cells: they are about 1/512 of it at most."""
_UNITS = (("day", 24 * 3600 * 10**6), ("hour", 3600 * 10**6), ("minute", 60 * 10**6), ("second", 10**6))


class CellsSeen:
    """The outermost cells of a column that rows lie in, batch after batch; `fine` is its field on the public grid."""

    def __init__(self, fine: Field) -> None:
        self._encoder = ColumnEncoder(fine)
        self._low, self._high = fine.size, -1

    def see(self, column: Column) -> None:
        """The next batch; once rows are far apart, there is nothing left to see."""
        if self._high > self._low and not crowded(self._encoder.schema_field, self._low, self._high):
            return
        fine = self._encoder.schema_field
        codes = self._encoder.encode(column)
        codes = codes[codes < fine.n_main]
        if len(codes):
            self._low, self._high = min(self._low, int(codes.min())), max(self._high, int(codes.max()))

    def remarks(self) -> tuple[str, ...]:
        """What is to be said; nothing of a column that has cells which do not fit."""
        if self._high < 0 or self._encoder.problems:
            return ()
        return crowded(self._encoder.schema_field, self._low, self._high)


def has_wide_cells(declared: Field, fine: Field) -> bool:
    """Whether a column's bins are to be found, and cells of its grid hold several values."""
    if not declared.automatic or fine.bins is None:
        return False
    return len(_starts(fine)) < int(fine.bins.grid[1][-1]) - int(fine.bins.grid[0][0]) + 1


def crowded(fine: Field, low: int, high: int) -> tuple[str, ...]:
    """What is to be said of rows whose codes on the fine grid lie between these two; nothing if cells tell them apart.

    >>> from understudy.numbers import fine_schema
    >>> schema = Schema.from_dict({"fields": [{"name": "lat", "type": "number", "decimals": 6, "bins": "auto",
    ...     "constraints": {"minimum": -90, "maximum": 90}}]})
    >>> fine = fine_schema(schema)["lat"]
    >>> low, high = fine.bins.codes(np.array([44.9, 45.05])).tolist()
    >>> crowded(fine, low, high)[0]
    "all rows lie within 2 cells of the grid that this range is counted on: a cell is some 0.5 wide there, and what \
lies inside one is lost. If a narrower range is public knowledge, such as a city's bounds, declare that."
    >>> crowded(fine, 0, high)
    ()
    """
    if fine.bins is None:
        return ()
    starts = _starts(fine)
    first, last = np.searchsorted(starts, fine.bins.grid[0][[low, high]], side="right") - 1
    widths = np.diff(np.append(starts, fine.bins.grid[1][-1] + 1))[first : last + 1]
    cells = len(widths)
    if cells > FEW_CELLS or widths.max() == 1:
        return ()
    within = "one cell" if cells == 1 else f"{cells} cells"
    return (
        f"all rows lie within {within} of the grid that this range is counted on: a cell is some "
        f"{_in_words(fine, int(widths.max()))} wide there, and what lies inside one is lost. If a narrower range is "
        "public knowledge, such as a city's bounds, declare that.",
    )


def _starts(fine: Field) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The grid point that each cell begins with."""
    if fine.bins is None:
        raise ValueError(f"column '{fine.name}' has no range")
    first = fine.bins.grid[0]
    return first[np.array(fine.cells or range(len(first)), dtype=np.int64)]


def _in_words(fine: Field, points: int) -> str:
    """The width of so many grid points."""
    width = points * (fine.bins.unit if fine.bins else 1)
    if fine.type == "date":
        return f"{int(width):,} days"
    if fine.type != "datetime":
        return f"{float(width):,.2g}" if width < 100 else f"{round(width):,}"
    name, unit = next((one for one in _UNITS if one[1] <= width), ("microsecond", 1))
    return f"{float(width / unit):.2g} {name}s"
