"""Linear queries: sums over the cells of a table, each cell with an exact weight between 0 and 1.

A count of rows with some property has weights 0 and 1; a range that cuts a bin counts it in part. Many queries about
one table are held together, in whichever form is smallest: all cells of the table, a weight for each place along each
axis (their product weighs a cell), or a weight for each cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from understudy._core.errors import InternalError, OptionError
from understudy.schema import Domain, Marginal

Counts: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]
Numerators: TypeAlias = npt.NDArray[Any]  # unsigned integers, as narrow as they can be

MOST_PARTS = 1 << 20
"""Largest denominator of a weight: with it, sums over 2³¹ rows fit 64 bits with room for a finer grid."""
PARTS_OF_WEIGHT = 65_535  # weights that are given as doubles are kept to 1/65535: two bytes each
_EXACT_DOUBLES = 1 << 53
_AT_ONCE = 1 << 22  # cells of a block that is worked on at once: 32 MiB as doubles


@dataclass(frozen=True, kw_only=True, eq=False)
class LinearQueries:
    """Queries about one table. A query's weight of a cell is an integer over the query's denominator.

    >>> from understudy.schema import Attribute
    >>> domain = Domain((Attribute(name="sex", size=2), Attribute(name="age", size=3)))
    >>> young = LinearQueries.products(Marginal.of(0, 1), domain, [np.array([[0, 1]]), np.array([[2, 1, 0]])], [2])
    >>> table = np.array([[5, 5, 5], [4, 6, 9]])
    >>> young.totals(table).tolist(), young.answers(table / 34).round(3).tolist()
    ([14], [0.206])
    """

    marginal: Marginal
    shape: tuple[int, ...]
    denominators: Counts
    by_axis: tuple[Numerators, ...] | None = None
    by_cell: Numerators | None = None

    def __post_init__(self) -> None:
        for array in (self.denominators, *(self.by_axis or ()), *([] if self.by_cell is None else [self.by_cell])):
            array.setflags(write=False)

    @classmethod
    def cells(cls, marginal: Marginal, domain: Domain) -> LinearQueries:
        """One query for each cell of the table."""
        shape = marginal.shape(domain)
        return cls(marginal=marginal, shape=shape, denominators=np.ones(prod(shape), dtype=np.int64))

    @classmethod
    def products(
        cls, marginal: Marginal, domain: Domain, numerators: Sequence[Numerators], denominators: Sequence[int] | Counts
    ) -> LinearQueries:
        """Queries whose weight of a cell is a product, one factor for each axis: numerators of shape (query, place)."""
        shape, parts = marginal.shape(domain), np.array(denominators, dtype=np.int64)
        if [given.shape for given in numerators] != [(len(parts), size) for size in shape]:
            raise InternalError("Queries by axis need one weight for each place along each axis.")
        most = np.ones(len(parts), dtype=object)
        for given in numerators:
            most = most * given.max(axis=1).astype(object)
        _refuse_weights(bool((most <= parts).all()), min((int(x.min(initial=0)) for x in numerators), default=0), parts)
        return cls(marginal=marginal, shape=shape, denominators=parts, by_axis=tuple(map(_narrow, numerators)))

    @classmethod
    def dense(cls, marginal: Marginal, domain: Domain, numerators: Numerators, denominator: int) -> LinearQueries:
        """Queries with a weight for each cell: integer numerators of shape (query, cell) over one denominator."""
        shape = marginal.shape(domain)
        if numerators.ndim != 2 or numerators.shape[1] != prod(shape) or numerators.dtype.kind not in "iu":
            raise OptionError(
                f"linear queries need a row of {prod(shape):,} whole numbers each, one for each cell of their table. "
                f"Got an array of shape {numerators.shape} of {numerators.dtype}."
            )
        parts = np.full(len(numerators), denominator, dtype=np.int64)
        fits = bool(int(numerators.max(initial=0)) <= denominator)
        _refuse_weights(fits, int(numerators.min(initial=0)), parts)
        return cls(marginal=marginal, shape=shape, denominators=parts, by_cell=_narrow(numerators))

    @classmethod
    def weighted(cls, marginal: Marginal, domain: Domain, weights: Floats) -> LinearQueries:
        """Queries with weights between 0 and 1 as doubles, kept to the nearest 1/65535.

        >>> from understudy.schema import Attribute
        >>> domain = Domain((Attribute(name="sex", size=2),))
        >>> LinearQueries.weighted(Marginal.of(0), domain, np.array([[0.5, 1.2]]))
        Traceback (most recent call last):
        understudy._core.errors.OptionError: weights of a linear query must lie between 0 and 1.
        """
        given = np.asarray(weights, dtype=np.float64)
        if given.ndim != 2 or not (given >= 0).all() or not (given <= 1).all():
            raise OptionError("weights of a linear query must lie between 0 and 1.")
        return cls.dense(marginal, domain, np.rint(given * PARTS_OF_WEIGHT).astype(np.uint32), PARTS_OF_WEIGHT)

    def __len__(self) -> int:
        return len(self.denominators)

    @property
    def is_cells(self) -> bool:
        """Whether it is one query for each cell."""
        return self.by_axis is None and self.by_cell is None

    @property
    def largest(self) -> Fraction:
        """The largest weight of any query: most that one row adds to an answer."""
        if self.is_cells:
            return Fraction(1)
        if self.by_cell is not None:
            tops = self.by_cell.max(axis=1, initial=0).astype(np.int64)
        else:
            tops = np.ones(len(self), dtype=np.int64)
            for given in self.by_axis or ():
                tops = tops * given.max(axis=1).astype(np.int64)
        pairs = set(zip(tops.tolist(), self.denominators.tolist(), strict=True))
        return max((Fraction(top, parts) for top, parts in pairs), default=Fraction(0))

    def totals(self, table: Counts) -> Counts:
        """The exact sums of a table of counts, times the denominators."""
        flat = table.reshape(self.shape)
        if self.is_cells:
            return flat.ravel().astype(np.int64)
        bound = int(np.abs(flat).sum()) * int(self.denominators.max(initial=1))
        if bound < _EXACT_DOUBLES:  # every partial sum is a whole number that doubles hold exactly
            return np.asarray(np.rint(self._summed(flat.astype(np.float64))), dtype=np.int64)
        if bound >= 1 << 62:
            raise InternalError("A sum of weighted counts would not fit 64 bits.")
        return np.asarray(self._summed(flat.astype(np.int64)), dtype=np.int64)

    def answers(self, table: Floats) -> Floats:
        """The sums of a table of any numbers, as doubles."""
        flat = np.ascontiguousarray(table, dtype=np.float64).reshape(self.shape)
        found: Floats = flat.ravel() if self.is_cells else self._summed(flat) / self.denominators
        return found

    def push(self, values: Floats) -> Floats:
        """For each cell, the sum over queries of a value times the cell's weight: the transpose of `answers`."""
        if self.is_cells:
            return values.reshape(self.shape).astype(np.float64)
        scaled, found = values / self.denominators, np.zeros(prod(self.shape))
        for low, high, block in self._blocks(np.float64):
            found += scaled[low:high] @ block()
        return found.reshape(self.shape)

    @property
    def squares(self) -> Floats:
        """For each query, the sum of its squared weights: with it, the variance of independent noise in the cells."""
        if self.is_cells:
            return np.ones(len(self))
        if self.by_cell is not None:
            found = np.concatenate([(block() ** 2).sum(axis=1) for _, _, block in self._blocks(np.float64)] or [[]])
        else:
            found = np.ones(len(self))
            for given in self.by_axis or ():
                found = found * (given.astype(np.float64) ** 2).sum(axis=1)
        return np.asarray(found / self.denominators.astype(np.float64) ** 2)

    def most_of_row(self, power: int = 1) -> Fraction:
        """Most that the weights of one cell, to this power, come to over all queries; rounded up."""
        if self.is_cells:
            return Fraction(1)
        sums = np.zeros(prod(self.shape))
        for low, high, block in self._blocks(np.float64):
            sums += ((block() / self.denominators[low:high, None]) ** power).sum(axis=0)
        return Fraction(float(sums.max(initial=0.0) * (1 + 1e-9)))

    def weights(self) -> Floats:
        """All weights, a row for each query and a column for each cell."""
        if self.is_cells:
            return np.eye(len(self))
        return self._by_cell(0, len(self), np.float64) / self.denominators[:, None].astype(np.float64)

    def chosen(self, places: npt.NDArray[np.int64]) -> LinearQueries:
        """Some of the queries."""
        parts, shape = self.denominators[places], self.shape
        if self.by_cell is not None:
            return LinearQueries(marginal=self.marginal, shape=shape, denominators=parts, by_cell=self.by_cell[places])
        if self.by_axis is not None:
            axes = tuple(given[places] for given in self.by_axis)
        else:
            at = np.unravel_index(places, shape)
            axes = tuple(np.eye(size, dtype=np.uint8)[codes] for size, codes in zip(shape, at, strict=True))
        return LinearQueries(marginal=self.marginal, shape=shape, denominators=parts, by_axis=axes)

    def _summed(self, table: npt.NDArray[Any]) -> npt.NDArray[Any]:
        if self.by_cell is not None:
            flat = table.ravel()
            return np.concatenate([block() @ flat for _, _, block in self._blocks(table.dtype.type)] or [flat[:0]])
        step = max(1, _AT_ONCE // max(prod(self.shape[1:]), 1))
        axes = self.by_axis or ()
        found = [_along_axes([given[low : low + step] for given in axes], table) for low in range(0, len(self), step)]
        return np.concatenate(found or [table.ravel()[:0]])

    def _blocks(self, dtype: Any) -> Iterator[tuple[int, int, Callable[[], npt.NDArray[Any]]]]:
        """Runs of queries whose numerators, cell by cell, fit a block: first, one past the last, how to make it."""
        cells = max(prod(self.shape), 1)
        step = max(1, _AT_ONCE // cells)
        for low in range(0, len(self), step):
            high = min(low + step, len(self))
            yield low, high, lambda low=low, high=high: self._by_cell(low, high, dtype)  # type: ignore[misc]

    def _by_cell(self, low: int, high: int, dtype: Any) -> npt.NDArray[Any]:
        if self.by_cell is not None:
            return self.by_cell[low:high].astype(dtype)
        found = np.ones((high - low, 1), dtype=dtype)
        for given in self.by_axis or ():
            found = (found[:, :, None] * given[low:high, None, :].astype(dtype)).reshape(high - low, -1)
        return found


def _along_axes(weights: Sequence[Numerators], table: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The sums of a table under weights along each axis, query by query."""
    if not weights:
        return table.reshape(1)
    found = weights[0].astype(table.dtype) @ table.reshape(table.shape[0], -1)
    for given in weights[1:]:
        parts = found.reshape(len(given), given.shape[1], -1)
        found = np.einsum("qs,qsr->qr", given.astype(table.dtype), parts)
    return np.asarray(found).reshape(len(weights[0]))


def _narrow(numerators: Numerators) -> Numerators:
    return numerators.astype(np.min_scalar_type(int(numerators.max(initial=0))))


def _refuse_weights(fits: bool, least: int, denominators: Counts) -> None:
    if not fits or least < 0:
        raise OptionError("weights of a linear query must lie between 0 and 1.")
    if len(denominators) and not (int(denominators.min()) >= 1 and int(denominators.max()) <= MOST_PARTS):
        raise InternalError(f"Denominators of weights must lie between 1 and {MOST_PARTS:,}.")
