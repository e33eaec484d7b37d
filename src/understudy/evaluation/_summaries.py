"""What a report shows of the two tables themselves: histograms, and the worst tables cell by cell.

Private to the holder, all but `Shares` of a synthetic table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from understudy.evaluation._kernels import number_keys
from understudy.evaluation._numbers import Bars
from understudy.evaluation._pair import Pair
from understudy.evaluation._result import MeasureResult
from understudy.schema import Field
from understudy.tables import Table

_CELLS = 8
_CANDIDATES = 20_000
_SPARSE = 0.1
_UNEQUAL = 1.25
_LARGEST_KEY = 2**62


@dataclass(frozen=True)
class Shares:
    """How often each value of one column occurs in one table.

    `tail` values at the end have no place in the order of the others: special ones, "other", "missing".
    """

    name: str
    labels: tuple[str, ...]
    shares: tuple[float, ...]
    ordered: bool = False
    tail: int = 0
    edges: tuple[float, ...] | None = None
    """Where bins of unequal width begin and end: they are drawn to scale."""
    bars: Bars | None = None
    """Where its numbers lie, value by value, if values are known: both sides are of the one table."""
    type: str = ""
    """The field's, where there are bars: dates are no numbers on an axis."""


@dataclass(frozen=True)
class Histogram:
    """How often each value of one column occurs in the real and in the synthetic table.

    >>> Histogram("sex", ("F", "M"), (0.5, 0.5), (0.6, 0.4)).distance
    0.1
    """

    name: str
    labels: tuple[str, ...]
    real: tuple[float, ...]
    synthetic: tuple[float, ...]
    ordered: bool = False
    tail: int = 0
    edges: tuple[float, ...] | None = None
    """Where bins of unequal width begin and end: they are drawn to scale."""

    @property
    def distance(self) -> float:
        """Total variation distance: the share of rows that would have to change."""
        return round(sum(abs(a - b) for a, b in zip(self.real, self.synthetic, strict=True)) / 2, 12)

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "name": self.name,
            "distance": self.distance,
            "labels": list(self.labels),
            "real": list(self.real),
            "synthetic": list(self.synthetic),
        }


@dataclass(frozen=True)
class Cell:
    """One combination of values, and its share in both tables."""

    labels: tuple[str, ...]
    real: float
    synthetic: float


@dataclass(frozen=True)
class WorstTable:
    """A table of counts that the synthetic data gets wrong, and the cells that differ most."""

    columns: tuple[str, ...]
    distance: float
    cells: tuple[Cell, ...]
    fresh_sample: float | None = None
    independent_columns: float | None = None

    @property
    def most(self) -> float:
        """The largest share among the cells shown."""
        return max((max(cell.real, cell.synthetic) for cell in self.cells), default=0.0) or 1.0

    @property
    def explained(self) -> float:
        """The share of the distance that the cells shown make up."""
        shown = sum(abs(cell.real - cell.synthetic) for cell in self.cells) / 2
        return min(1.0, shown / self.distance) if self.distance > 0 else 1.0

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "columns": list(self.columns),
            "distance": self.distance,
            "fresh_sample": self.fresh_sample,
            "independent_columns": self.independent_columns,
            "cells": [{"values": list(c.labels), "real": c.real, "synthetic": c.synthetic} for c in self.cells],
        }


def table_shares(table: Table, fields: Sequence[Field]) -> tuple[Shares, ...]:
    """The histogram of each column of one table of the schema's codes.

    >>> from understudy.schema import Schema
    >>> schema = Schema.from_dict({"fields": [{"name": "sex", "categories": ["F", "M"]}]})
    >>> table_shares(Table(schema.domain, (np.array([0, 0, 1, 0]),)), schema.fields)[0].shares
    (0.75, 0.25)
    """
    return tuple(
        Shares(field.name, field.labels, _shares(column, field.size), *_order(field, field.size), _edges(field))
        for field, column in zip(fields, table.columns, strict=True)
    )


def pair_histograms(pair: Pair) -> tuple[Histogram, ...]:
    """The histograms of each column, real and synthetic.

    >>> import pyarrow as pa
    >>> from understudy.evaluation import read_pair
    >>> from understudy.schema import Schema
    >>> schema = Schema.from_dict({"fields": [{"name": "sex", "categories": ["F", "M"]}]})
    >>> pair_histograms(read_pair(pa.table({"sex": ["M", "F"]}), pa.table({"sex": ["M", "M"]}), schema))[0].synthetic
    (0.0, 1.0)
    """
    return tuple(
        Histogram(
            field.name,
            labels,
            _shares(pair.real.columns[i], len(labels)),
            _shares(pair.first.columns[i], len(labels)),
            *_order(field, len(labels)),
            _edges(field),
        )
        for i, (field, labels) in enumerate(zip(pair.schema.fields, pair.labels, strict=True))
    )


def drill_down(pair: Pair, results: Sequence[MeasureResult], *, most: int = 10) -> tuple[WorstTable, ...]:
    """The tables that lie farthest above what a fresh sample of real rows gets, cell by cell.

    Of all results about tables of two columns or more, by their details; `tables_to_read` says which.
    """
    return tuple(_drilled(pair, found) for found in tables_to_read(results, most))


@dataclass(frozen=True)
class RankedTable:
    """One line of a result's details: which columns, how far off, and between what."""

    columns: tuple[str, ...]
    distance: float
    fresh_sample: float | None
    independent_columns: float | None

    @property
    def excess(self) -> float:
        """How much farther off than a fresh sample of real rows."""
        return self.distance - (self.fresh_sample or 0.0)


def tables_to_read(results: Sequence[MeasureResult], most: int) -> list[RankedTable]:
    """The worst tables of which a reader learns something from cells.

    Tables so sparse that even a fresh sample of real rows is far off have no cells to speak of, and one bad column
    makes every table with it bad: such tables, and those of a column that is there three times, come last.
    """
    everything = worst_tables(results, _CANDIDATES)
    taken: list[RankedTable] = []
    seen: Counter[str] = Counter()
    for found in everything:
        if (
            len(taken) < most
            and (found.fresh_sample or 0.0) <= _SPARSE
            and all(seen[name] < 3 for name in found.columns)
        ):
            taken.append(found)
            seen.update(found.columns)
    left = set(everything) - set(taken)
    dense = [found for found in everything if found in left and (found.fresh_sample or 0.0) <= _SPARSE]
    sparse = [found for found in everything if (found.fresh_sample or 0.0) > _SPARSE]
    return [*taken, *dense, *sparse][: max(most, 0)]


def worst_tables(results: Sequence[MeasureResult], most: int) -> list[RankedTable]:
    """The tables that lie farthest above what a fresh sample of real rows gets, of all widths.

    >>> worst_tables([], 10)
    []
    """
    found = [table for known in results if (known.width or 0) > 1 for table in ranked_tables(known)]
    return sorted(found, key=lambda table: (-table.excess, table.columns))[: max(most, 0)]


def ranked_tables(known: MeasureResult) -> list[RankedTable]:
    """The details of a result about tables, line by line."""
    if known.details is None or "distance" not in known.details.schema.names:
        return []
    lines = []
    for line in known.details.to_pylist():
        columns = _named(line)
        if columns and line["distance"] is not None:
            lines.append(
                RankedTable(columns, line["distance"], line.get("fresh_sample"), line.get("independent_columns"))
            )
    return lines


def _named(line: dict[str, Any]) -> tuple[str, ...]:
    """The columns that a line of details is about."""
    return tuple(value for key, value in line.items() if key.startswith("column_"))


def _drilled(pair: Pair, found: RankedTable) -> WorstTable:
    places = [pair.names.index(name) for name in found.columns]
    columns = [np.concatenate((pair.real.columns[place], pair.first.columns[place])) for place in places]
    rows, keys = _numbered(_keys(columns, [len(pair.labels[place]) for place in places]))
    real = np.bincount(keys[: pair.real.n], minlength=len(rows)) / pair.real.n
    synthetic = np.bincount(keys[pair.real.n :], minlength=len(rows)) / pair.first.n
    worst = np.argsort(-np.abs(real - synthetic), kind="stable")[:_CELLS]
    cells = []
    for at in worst[real[worst] != synthetic[worst]].tolist():
        codes = [int(column[rows[at]]) for column in columns]
        labels = tuple(pair.labels[place][code] for place, code in zip(places, codes, strict=True))
        cells.append(Cell(labels, float(real[at]), float(synthetic[at])))
    return WorstTable(found.columns, found.distance, tuple(cells), found.fresh_sample, found.independent_columns)


def _numbered(keys: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """For each combination the first row that has it, and for each row the number of its combination."""
    ids = np.empty_like(keys)
    first = np.empty(int(number_keys(keys, ids)), dtype=np.int64)
    first[ids[::-1]] = np.arange(len(keys))[::-1]
    order = np.argsort(keys[first], kind="stable")  # of two cells that differ as much, the first by its codes is shown
    place = np.empty_like(first)
    place[order] = np.arange(len(first))
    return first[order], place[ids]


def _keys(columns: Sequence[npt.NDArray[Any]], sizes: Sequence[int]) -> npt.NDArray[np.int64]:
    """One number for each combination of codes that occurs, in their order."""
    keys, largest = np.zeros(len(columns[0]), dtype=np.int64), 1
    for column, size in zip(columns, sizes, strict=True):
        if largest * size > _LARGEST_KEY:
            # renumbered: there are no more combinations than rows, but their product has no place in 64 bits
            seen, keys = np.unique(keys, return_inverse=True)
            largest = len(seen)
        keys = keys * size + column
        largest *= size
    return keys


def _shares(column: npt.NDArray[Any], size: int) -> tuple[float, ...]:
    return tuple((np.bincount(column, minlength=size) / max(len(column), 1)).tolist())


def _edges(field: Field) -> tuple[float, ...] | None:
    """The edges of bins that are not all of one width; values between the last of one bin and the first of the next
    belong to neither, so a bin reaches half-way. None for dates, which have no axis of numbers."""
    if field.bins is None or field.type not in ("integer", "number", "year") or field.bins.count < 2:
        return None
    first, last = (np.asarray(field.bins.values(points), dtype=np.float64) for points in field.bins.grid)
    edges = np.concatenate([[first[0]], (last[:-1] + first[1:]) / 2, [last[-1]]])
    widths = np.diff(edges)
    if (widths <= 0).any():  # a bin that holds no possible value
        return None
    return tuple(edges.tolist()) if widths.max() > _UNEQUAL * widths.min() else None


def _order(field: Field, size: int) -> tuple[bool, int]:
    """Whether the values have an order, and how many at the end stand outside it."""
    in_order = (
        field.bins is not None or field.ordered or field.type in ("integer", "number", "date", "datetime", "year")
    )
    return in_order, size - field.n_main
