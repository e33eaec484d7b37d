"""The public grid that a column is first measured on: fixed by its declared range alone.

Small ranges are taken value by value. A larger range has cells of equal width, but narrower ones near 0, where values
of heavy-tailed columns crowd: at distance d from 0 a cell is about 0.02·d wide, and no more than about 1/512 of the
range. Cells begin at round numbers, so that bins can. The first and the last value of a range have cells of their own:
values beyond it are often told as these.

Rows are read more finely than they are counted: round numbers inside a wide cell have codes of their own, for
`_heaps.py` to ask how many rows lie at round numbers of all cells together.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from understudy.numbers._round import HEAP_STEPS, STEPS
from understudy.schema import Bins, Field, Schema, edges_at

_MOST_VALUES = 1 << 14
"""Ranges of up to as many values are taken value by value."""
_CELLS = 512
_STEEPNESS = 50
"""A cell at distance d from 0 is d over this wide."""
_HEAPS = 10
"""The most multiples of a step inside a cell that have codes of their own."""
_MOMENTS = 4094
"""Cells of a long range of dates, where 0 is just a day; 4,096 with those of its ends."""


Ints: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of a column that is counted finely: where each begins, its width, and the cell of each of its codes."""

    starts: Ints
    widths: npt.NDArray[np.float64]
    of: Ints

    @classmethod
    def of_field(cls, field: Field) -> Cells:
        """Of a field of `fine_schema`.

        >>> schema = Schema.from_dict({"fields": [{"name": "gain", "type": "integer", "bins": "auto",
        ...     "constraints": {"minimum": 0, "maximum": 99_999}}]})
        >>> gain = fine_schema(schema)["gain"]
        >>> cells = Cells.of_field(gain)
        >>> len(cells.of), len(cells.starts), cells.starts[400:402].tolist(), cells.widths[400:402].tolist()
        (10053, 800, [20200, 20400], [200.0, 200.0])
        """
        first, last = bins_of(field).grid
        begins = np.array(field.cells or range(len(first)), dtype=np.int64)
        starts = first[begins]
        widths = np.diff(np.append(starts, last[-1] + 1)).astype(np.float64)
        return cls(starts, widths, np.searchsorted(begins, np.arange(len(first)), side="right") - 1)


def bins_of(field: Field) -> Bins:
    """The bins of a column that has a range."""
    if field.bins is None:
        raise ValueError(f"column '{field.name}' has no range")
    return field.bins


def level_of_cells(field: Field) -> int:
    """The level of a finely counted attribute at which its codes are cells."""
    return 1 if field.cells else 0


def fine_schema(schema: Schema) -> Schema:
    """The same schema with cells of the public grid for bins that are to be found or filled, for counting alone.

    >>> schema = Schema.from_dict({"fields": [{"name": "gain", "type": "integer", "bins": "auto",
    ...     "constraints": {"minimum": 0, "maximum": 99_999}}]})
    >>> schema["gain"].size, len(fine_schema(schema)["gain"].cells), fine_schema(schema)["gain"].labels[:3]
    (24, 800, ('0', '1', '2'))
    """
    if not any(field.counted_finely for field in schema.fields):
        return schema  # with all that it declares of rows, which methods are to know
    fields = tuple(fine_field(field) if field.counted_finely else field for field in schema.fields)
    kept = {key: value for key, value in schema.properties.items() if key != "dependencies"}
    return replace(schema, fields=fields, properties=kept)


def even_schema(schema: Schema) -> Schema:
    """The same schema with bins as they are planned or declared, where nothing is to be found out about numbers.

    >>> schema = Schema.from_dict({"fields": [{"name": "age", "type": "integer", "bins": "auto",
    ...     "constraints": {"minimum": 0, "maximum": 99}}]})
    >>> even_schema(schema)["age"].automatic
    False
    """
    fields = tuple(_even_field(field) if field.counted_finely else field for field in schema.fields)
    return replace(schema, fields=fields)


def _even_field(field: Field) -> Field:
    """Automatic bins as planned; declared ones as they are, evenly filled."""
    bins: Any = field.bins.count if field.bins else 1
    if field.shaped:
        bins = {key: value for key, value in field.properties["bins"].items() if key != "inside"}
    cuts = () if field.shaped else field.cuts
    return replace(field, automatic=False, shaped=False, cuts=cuts, properties={**field.properties, "bins": bins})


@lru_cache(maxsize=64)  # a run asks for the same ones several times, and some have thousands of exact edges
def fine_field(field: Field) -> Field:
    """The field with a bin for each cell of the grid, or several.

    Declared bins keep their edges, so that a value stays in its own.

    >>> schema = Schema.from_dict({"fields": [{"name": "part", "type": "number", "decimals": 1,
    ...     "bins": {"edges": [0, 0.5, 1], "inside": "auto"}}]})
    >>> [str(edge) for edge in fine_field(schema["part"]).bins.edges[5:8]]
    ['9/20', '1/2', '13/20']
    """
    whole = _one_bin(field)
    cells = _starts(whole, field.cuts)
    starts = _with_round_values(cells, int(whole.grid[1][-1]), field)
    edges = edges_at(whole, starts)
    if field.shaped and field.bins is not None:
        declared = dict(zip(field.bins.grid[0].tolist(), field.bins.edges, strict=False))
        edges = (*(declared.get(start, edge) for start, edge in zip(starts, edges, strict=False)), edges[-1])
    first = np.searchsorted(starts, cells).tolist() if len(cells) < len(starts) else ()
    fine = replace(whole, edges=edges)
    return replace(field, bins=fine, cells=tuple(first), taxonomy=None, weights=())  # these speak of declared bins


def _with_round_values(cells: list[int], last: int, field: Field) -> list[int]:
    """Where codes begin: with each cell, and with round numbers inside wide ones and after them. A day is not round."""
    if field.type in ("date", "datetime"):
        return cells
    found = set(cells)
    for first, after in pairwise([*cells, last + 1]):
        if after - first > 1:
            finest = bisect_right(HEAP_STEPS, (after - first - 1) // _HEAPS)
            for step in HEAP_STEPS[finest : finest + 3]:  # all rounder ones are multiples of these
                points = range(-(-first // step) * step, after, step)
                found.update(points)
                found.update(point + 1 for point in points if point + 1 < after)
    return sorted(found)


def fine_cells(field: Field) -> int:
    """How many cells of the grid the field would have, without making them: plans ask that many times.

    >>> schema = Schema.from_dict({"fields": [{"name": "gain", "type": "integer", "bins": "auto",
    ...     "constraints": {"minimum": 0, "maximum": 99_999}}]})
    >>> fine_cells(schema["gain"])
    800
    """
    return _cells(_one_bin(field), field.cuts)


@lru_cache(maxsize=4096)
def _cells(whole: Bins, cuts: tuple[int, ...]) -> int:
    return len(_starts(whole, cuts))


def _starts(whole: Bins, cuts: tuple[int, ...]) -> list[int]:
    return sorted({*cell_starts(whole), *cuts})


def _one_bin(field: Field) -> Bins:
    """All of its range as one bin."""
    bins = bins_of(field)
    return replace(bins, edges=(bins.edges[0], bins.edges[-1]))


def cell_starts(whole: Bins) -> list[int]:
    """The grid point that each cell begins with."""
    first, last = int(whole.grid[0][0]), int(whole.grid[1][-1])
    values = last - first + 1
    if values <= _MOST_VALUES:
        return list(range(first, last + 1))
    return sorted({*_wide_starts(whole, first, last), first + 1, last})


def _wide_starts(whole: Bins, first: int, last: int) -> list[int]:
    values = last - first + 1
    if whole.form.type in ("date", "datetime"):
        return sorted({first + values * i // _MOMENTS for i in range(_MOMENTS)})
    widest = max(1, values // _CELLS)
    if first >= 0:
        return _outwards(first, last, widest)
    if last < 0:
        return _mirrored(_outwards(-last - 1, -first - 1, widest), -first)
    return _mirrored(_outwards(0, -first - 1, widest), -first) + _outwards(0, last, widest)


def _outwards(first: int, last: int, widest: int) -> list[int]:
    """From 0 on, cells the wider the farther out, each beginning at a round number: bins begin where they do."""
    starts = [first]
    while (following := _beyond(starts[-1], max(1, min(widest, starts[-1] // _STEEPNESS)))) <= last:
        starts.append(following)
    return starts


def _beyond(start: int, width: int) -> int:
    """The next round number, about so far beyond a start: of 1, 2, 5, 10, … the step that is nearest to the width.

    >>> _beyond(33_050, 661), _beyond(33_500, 670), _beyond(7, 1)
    (33500, 34000, 8)
    """
    step = STEPS[bisect_right(STEPS, width * 3 // 2) - 1]
    return (start // step + 1) * step


def _mirrored(starts: list[int], last: int) -> list[int]:
    """Cells of the same widths on the other side of 0, up to −1 where these begin with 0: as round as they."""
    return [-start for start in reversed([*starts[1:], last])]
