"""Batches of marginals as flat arrays, so that planning and counting thousands of tables costs little Python."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from understudy.counting._counter import Counts
from understudy.schema import Domain, Marginal

Ints: TypeAlias = npt.NDArray[np.int64]


class Axes(NamedTuple):
    """Every axis of a domain by number: attribute after attribute, each from its leaf to its coarsest level.

    The group of a leaf code along an axis is `leaf_groups[leaf_starts[axis] + code]`.
    """

    attribute: Ints
    level: Ints
    size: Ints
    leaf_starts: Ints
    leaf_groups: npt.NDArray[np.uint32]
    first: Ints  # by attribute: the number of its leaf axis

    @classmethod
    def of(cls, domain: Domain) -> Axes:
        """The axes of a domain."""
        levels = [a.n_levels for a in domain]
        groups = [a.groups_at(level) for a in domain for level in range(a.n_levels)]
        return cls(
            attribute=np.repeat(np.arange(len(domain)), levels),
            level=np.array([level for count in levels for level in range(count)], dtype=np.int64),
            size=np.array([a.size_at(level) for a in domain for level in range(a.n_levels)], dtype=np.int64),
            leaf_starts=np.cumsum([0, *map(len, groups)]),
            leaf_groups=np.concatenate([*groups, np.zeros(1, dtype=np.int64)]).astype(np.uint32),
            first=np.cumsum([0, *levels])[:-1],
        )

    def lookup(self, axis: int) -> npt.NDArray[np.uint32]:
        """Leaf code → code along this axis."""
        return self.leaf_groups[self.leaf_starts[axis] : self.leaf_starts[axis + 1]]


class Tables(NamedTuple):
    """A batch: table t has axes `axes[starts[t]:starts[t+1]]` and its counts go to `offsets[t]:offsets[t+1]`."""

    starts: Ints
    axes: Ints
    offsets: Ints


class Groups(NamedTuple):
    """Wider tables to count: group g has axes `axes[starts[g]:starts[g+1]]`, `lanes[g]` copies of `cells[g]` cells
    from `bases[g]` on."""

    starts: Ints
    axes: Ints
    bases: Ints
    cells: Ints
    lanes: Ints


def flatten(marginals: Sequence[Marginal], axes: Axes) -> Tables:
    """The batch of these marginals."""
    numbers = np.fromiter(chain.from_iterable(chain.from_iterable(m.axes for m in marginals)), dtype=np.int64)
    attributes, levels = numbers[0::2], numbers[1::2]
    n_attributes = len(axes.first)
    if len(numbers) and (attributes.min() < 0 or attributes.max() >= n_attributes or levels.min() < 0):
        raise ValueError(f"a marginal names an attribute outside 0 to {n_attributes - 1}, or a negative level")
    numbers = axes.first[attributes] + levels if len(numbers) else numbers
    if (numbers >= len(axes.size)).any() or (axes.attribute[numbers] != attributes).any():
        raise ValueError("a marginal names a level that its attribute does not have")
    starts = np.zeros(len(marginals) + 1, dtype=np.int64)
    np.cumsum(np.fromiter((len(m.axes) for m in marginals), dtype=np.int64, count=len(marginals)), out=starts[1:])
    offsets = np.zeros(len(marginals) + 1, dtype=np.int64)
    np.cumsum(cell_counts(starts, axes.size[numbers]), out=offsets[1:])
    return Tables(starts, numbers, offsets)


def cell_counts(starts: Ints, sizes: Ints) -> Ints:
    """The product of each run of sizes; an empty run has one cell."""
    if len(starts) == 1:
        return np.empty(0, dtype=np.int64)
    padded = np.append(sizes, 1)
    if (np.add.reduceat(np.log2(padded), starts[:-1]) > 32).any():
        raise ValueError("a marginal has more than 2^32 cells: ask for fewer attributes, or for coarser levels")
    return np.where(np.diff(starts) > 0, np.multiply.reduceat(padded, starts[:-1]), 1)


def split(out: Counts, tables: Tables, axes: Axes) -> list[Counts]:
    """The filled output as one array for each table."""
    lengths = np.diff(tables.starts)
    if (lengths == lengths[0]).all():
        shapes = axes.size[tables.axes].reshape(len(lengths), lengths[0])
        if (shapes == shapes[0]).all():  # slicing one array of equal tables is several times faster
            return list(out.reshape(-1, *shapes[0])) if lengths[0] else [np.array(count) for count in out]
    sizes: list[int] = axes.size[tables.axes].tolist()
    starts: list[int] = tables.starts.tolist()
    offsets: list[int] = tables.offsets.tolist()
    return [
        out[low:high].reshape(sizes[first:last])
        for low, high, first, last in zip(offsets, offsets[1:], starts, starts[1:], strict=False)
    ]
