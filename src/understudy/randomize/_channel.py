"""What one block of a plan does to the part of it that a marginal asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from understudy._core.errors import OptionError
from understudy.randomize._matrix import Response
from understudy.randomize._plan import Block
from understudy.randomize._unmix import Dense, Floats, Ints, Map, Shared
from understudy.schema import Axis, Domain

_SAME = 1e-13  # rows of a lumped matrix that differ by less are the same: it is the rounding of doubles


@dataclass(frozen=True, eq=False)
class Asked:
    """One axis that is asked for: an attribute at a level, or a grouping of its leaf codes (`lookup`).

    >>> Asked(axis=Axis(0), size=2).lookup is None
    True
    """

    axis: Axis
    size: int
    lookup: Ints | None = None


@dataclass(frozen=True, eq=False)
class Channel:
    """A block's part in a marginal, from the true cells of it to the published ones.

    `counted` are the axes whose published counts are needed; their cells are merged by `before` (if not None) into
    the cells that the square matrix P is about, and what was un-mixed is summed by `after` (if not None) into the cells
    that were asked for. P is `forward`, as a map of true counts to expected published ones.
    """

    counted: tuple[Axis, ...]
    n_counted: int
    n_cells: int
    n_asked: int
    forward: Map
    inverse: Map
    before: Ints | None
    after: Ints | None
    condition: float

    def merge(self, table: Floats, axis: int) -> Floats:
        """Published counts of the counted cells as those of the cells that P is about."""
        return _sum_groups(table, axis, self.before, self.n_cells)

    def finish(self, table: Floats, axis: int) -> Floats:
        """Un-mixed counts summed into the cells that were asked for."""
        return _sum_groups(table, axis, self.after, self.n_asked)

    @cached_property
    def unmixing(self) -> Map:
        """Q·A: published counts to un-mixed counts of what was asked for."""
        return self.inverse if self.after is None else Dense(_grouped(_dense(self.inverse), self.after, self.n_asked))

    @cached_property
    def squared(self) -> Map:
        """(Q·A)∘(Q·A), for variances."""
        if isinstance(self.unmixing, Shared):
            scale, share = self.unmixing.scale, self.unmixing.share
            return Shared(scale * (scale + 2 * share), share * share, self.unmixing.weights)
        return Dense(self.unmixing.matrix**2)


def open_channel(block: Block, asked: Sequence[Asked], domain: Domain) -> Channel:
    """The channel for some columns of a block, in the order asked. Raises OptionError if it cannot be inverted.

    Randomised response and every matrix that is lumpable for what is asked need no more than the columns asked for.
    Others are counted whole: the marginal matrix that the paper speaks of in its case (d) would depend on how the
    other columns are distributed.
    """
    matrix = block.matrix
    if matrix is None:
        raise ValueError("a block whose matrix is not worked out yet cannot be un-mixed")
    try:
        matrix.require_inverse()
    except OptionError as error:
        raise OptionError(f"{' and '.join(block.columns)}: {error}") from None
    size = prod(one.size for one in asked)
    counted = _counted(asked)
    n_counted = prod(domain.size(axis) for axis in counted)
    before = _groups(asked, counted, domain)
    if isinstance(matrix, Response):
        weights = _outer([_widths(axis, domain) for axis in counted])
        if before is not None:
            weights = np.asarray(np.bincount(before, weights=weights, minlength=size), dtype=np.float64)
        strength = float(matrix.strength)
        forward, inverse = _response(strength, weights)
        return Channel(counted, n_counted, size, size, forward, inverse, before, None, 1 / abs(strength))
    whole = tuple(Axis(domain.index(name)) for name in block.columns)
    groups = _groups(asked, whole, domain)
    dense, unmixing = Dense(matrix.dense), Dense(matrix.inverse)
    condition = float(np.linalg.cond(matrix.dense))
    if groups is None:
        return Channel(whole, size, size, size, dense, unmixing, None, None, condition)
    lumped = _lump(matrix.dense, groups, size)
    if lumped is None:
        return Channel(whole, block.cells, block.cells, size, dense, unmixing, None, groups, condition)
    narrow = Dense(np.asarray(np.linalg.inv(lumped), dtype=np.float64))
    return Channel(counted, n_counted, size, size, Dense(lumped), narrow, before, None, condition)


def _response(strength: float, weights: Floats) -> tuple[Shared, Shared]:
    """a·I + (1 − a)·1·wᵀ, applied to counts from the left, and its inverse."""
    ones = np.ones(len(weights))
    drift = (1 - strength) * weights
    return Shared(ones * strength, drift, ones), Shared(ones / strength, -drift / strength, ones)


def _dense(one: Map) -> Floats:
    return one.dense if isinstance(one, Shared) else one.matrix


def _counted(asked: Sequence[Asked]) -> tuple[Axis, ...]:
    """Each attribute once: at the level asked for, or its leaf codes where those are grouped in another way."""
    levels: dict[int, int] = {}
    for one in asked:
        level = 0 if one.lookup is not None else one.axis.level
        levels[one.axis.attribute] = min(level, levels.get(one.axis.attribute, level))
    return tuple(Axis(attribute, level) for attribute, level in levels.items())


def _groups(asked: Sequence[Asked], counted: Sequence[Axis], domain: Domain) -> Ints | None:
    """Counted cell → asked cell; None if they are the same."""
    if [one.axis for one in asked] == list(counted) and all(one.lookup is None for one in asked):
        return None
    position = {axis.attribute: number for number, axis in enumerate(counted)}
    shape = tuple(domain.size(axis) for axis in counted)
    groups = np.zeros(shape, dtype=np.int64)
    for one in asked:
        place = position[one.axis.attribute]
        codes = one.lookup
        if codes is None and counted[place].level == one.axis.level:
            codes = np.arange(shape[place])
        elif codes is None:
            codes = domain[one.axis.attribute].groups_at(one.axis.level)
        groups *= one.size
        groups += codes.reshape([-1 if number == place else 1 for number in range(len(counted))])
    return groups.ravel()


def _widths(axis: Axis, domain: Domain) -> Floats:
    """The share of an attribute's values in each code at this level."""
    attribute = domain[axis.attribute]
    return np.bincount(attribute.groups_at(axis.level)) / attribute.size


def _outer(factors: Sequence[Floats]) -> Floats:
    product = np.ones(1)
    for one in factors:
        product = np.multiply.outer(product, one).ravel()
    return product


def _lump(dense: Floats, groups: Ints, size: int) -> Floats | None:
    """The matrix between groups, if what a value becomes depends on its group alone; else None."""
    merged = _grouped(dense, groups, size)
    lumped = np.eye(size)
    lumped[groups] = merged
    return lumped if np.abs(merged - lumped[groups]).max() < _SAME else None


def _grouped(matrix: Floats, groups: Ints, size: int) -> Floats:
    """Columns of a matrix added up by group."""
    return _sum_groups(matrix, 1, groups, size)


def _sum_groups(table: Floats, axis: int, groups: Ints | None, size: int) -> Floats:
    if groups is None:
        return table
    moved = np.moveaxis(table, axis, 0)
    summed = np.zeros((size, *moved.shape[1:]))
    np.add.at(summed, groups, moved)
    return np.ascontiguousarray(np.moveaxis(summed, 0, axis))
