"""Linear queries over a product domain as a factor for each attribute: a thousandth of the size of their cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from understudy._core.errors import OptionError
from understudy._core.randomness import streams

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
# Rows that a query does not match are not read, so that there are more of them; columns are added up together.
_ROWS_A_COLUMN = 4


@dataclass(frozen=True, eq=False)
class ProductQueries:
    """Queries q(b) = Π w_a(b_a) over cells b of a product domain, all weights in [0, 1].

    `weights[a]` has a row for each query and a column for each code of attribute a: ones where a query does not ask
    about it, zeros and ones for a predicate. Cells are numbered with the last attribute fastest.

    >>> asked = ProductQueries((2, 3), (np.array([[0.0, 1.0]]), np.array([[1.0, 0.0, 1.0]])))
    >>> asked.dense().tolist(), len(asked)
    ([[0.0, 0.0, 0.0, 1.0, 0.0, 1.0]], 1)
    """

    shape: tuple[int, ...]
    weights: tuple[Floats, ...]

    def __post_init__(self) -> None:
        weights = tuple(np.ascontiguousarray(weight, dtype=np.float64) for weight in self.weights)
        if not weights or len(weights) != len(self.shape):
            raise OptionError(
                f"product queries over {len(self.shape)} attributes need as many arrays of weights, and at least one; "
                f"got {len(weights)}."
            )
        for place, (weight, size) in enumerate(zip(weights, self.shape, strict=True)):
            if weight.ndim != 2 or weight.shape != (len(weights[0]), size):
                raise OptionError(
                    f"weights of attribute {place} must have {len(weights[0])} rows and {size} columns; got an array "
                    f"of shape {weight.shape}."
                )
            if weight.size and not (weight.min() >= 0 and weight.max() <= 1):
                raise OptionError(f"weights of attribute {place} must lie between 0 and 1, and be numbers.")
            weight.flags.writeable = False
        object.__setattr__(self, "weights", weights)

    def __len__(self) -> int:
        return len(self.weights[0])

    @property
    def n_cells(self) -> int:
        """How many cells the domain has."""
        return prod(self.shape)

    def dense(self, rows: slice = slice(None)) -> Floats:
        """Queries cell by cell, a row each."""
        return _outer([weight[rows] for weight in self.weights])

    def values_at(self, cells: npt.NDArray[np.int64], rows: slice = slice(None)) -> Floats:
        """Weights of some cells only, a row for each query.

        >>> asked = ProductQueries((2, 3), (np.array([[0.0, 1.0]]), np.array([[1.0, 0.0, 0.5]])))
        >>> asked.values_at(np.array([5, 0])).tolist()
        [[0.5, 0.0]]
        """
        outer, inner = self.halves
        width = inner.patterns.shape[1]
        left = outer.patterns[:, cells // width][outer.of_query[rows]]
        return np.asarray(left * inner.patterns[:, cells % width][inner.of_query[rows]])

    @cached_property
    def halves(self) -> tuple[Factor, Factor]:
        """The domain as a matrix: the queries' factors over its rows, and over its columns; worked out once."""
        cuts = range(len(self.shape) + 1)
        cut = min(cuts, key=lambda at: max(prod(self.shape[:at]), _ROWS_A_COLUMN * prod(self.shape[at:])))
        return Factor.of(self.weights[:cut], len(self)), Factor.of(self.weights[cut:], len(self))


@dataclass(frozen=True, slots=True, eq=False)
class Factor:
    """What queries weigh some of the attributes with: each pattern once, and which of them is whose."""

    patterns: Floats
    of_query: Ints
    start: Ints
    """Where each pattern's weights begin in the two arrays that follow, which leave out zeros."""
    cells: Ints
    weights: Floats
    predicate: npt.NDArray[np.bool_]
    """For each query, whether it has no other weights than 0 and 1."""
    ones: int
    """The pattern of ones throughout; −1 if no query has it."""

    @classmethod
    def of(cls, weights: Sequence[Floats], n_queries: int) -> Factor:
        """Patterns of these attributes together; a single one of a single cell where there are none."""
        first, of_query = np.zeros(1, dtype=np.int64), np.zeros(n_queries, dtype=np.int64)
        if weights:
            first, of_query = _distinct(np.concatenate(weights, axis=1))
        patterns = _outer([weight[first] for weight in weights]) if weights else np.ones((1, 1))
        pattern, cell = np.nonzero(patterns)
        one = patterns == 1
        whole = np.flatnonzero(one.all(axis=1))
        return cls(
            patterns=patterns,
            of_query=of_query,
            start=np.searchsorted(pattern, np.arange(len(patterns) + 1)).astype(np.int64),
            cells=cell.astype(np.int64),
            weights=patterns[pattern, cell],
            predicate=np.asarray((one | (patterns == 0)).all(axis=1)[of_query]),
            ones=int(whole[0]) if len(whole) else -1,
        )


def _outer(weights: Sequence[Floats]) -> Floats:
    found = np.ones((len(weights[0]), 1))
    for weight in weights:
        found = (found[:, :, None] * weight[:, None, :]).reshape(len(weight), found.shape[1] * weight.shape[1])
    return found


def _distinct(rows: Floats) -> tuple[Ints, Ints]:
    """Where each distinct row comes first, and which of these every row equals."""
    # a number for each row by its values: sorting numbers takes a fiftieth of the time of sorting rows
    mixing = streams(0).get("answers", "mixing").random(rows.shape[1])
    _, first, of_row = np.unique(rows @ mixing, return_index=True, return_inverse=True)
    if not np.array_equal(rows[first[of_row]], rows):  # two that differ got one number
        _, first, of_row = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return np.asarray(first, dtype=np.int64), np.asarray(of_row, dtype=np.int64).reshape(-1)


def as_queries(queries: Any, n_cells: int) -> ProductQueries | Floats:
    """Queries as they can be asked of a histogram; weights by cell are left to `check_weights`."""
    if isinstance(queries, ProductQueries):
        if queries.n_cells != n_cells:
            raise OptionError(
                f"the queries are over {queries.n_cells:,} cells, and the histogram has {n_cells:,}. Both must be over "
                "one domain."
            )
        return queries
    dense = np.ascontiguousarray(queries, dtype=np.float64)
    if dense.ndim != 2 or dense.shape[1] != n_cells:
        raise OptionError(
            f"queries must have a row each and {n_cells:,} columns, one for each cell of the histogram; got an array "
            f"of shape {dense.shape}."
        )
    return dense


def check_weights(dense: Floats) -> None:
    """Refuse weights of cells that are not between 0 and 1."""
    if dense.size and not (dense.min() >= 0 and dense.max() <= 1):
        raise OptionError("queries must have weights between 0 and 1, and be numbers.")
