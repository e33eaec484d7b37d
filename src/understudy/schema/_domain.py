"""Public domains: attributes, their levels of generalisation, and the names of tables of counts.

Nothing in this module is private: it describes which codes a column may hold, never which it does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.schema._rules import Rule


@dataclass(frozen=True, kw_only=True)
class Level:
    """One generalisation of an attribute: `groups[leaf code]` is the code of its group.

    >>> Level(groups=(0, 0, 1)).size
    2
    """

    groups: tuple[int, ...]

    def __post_init__(self) -> None:
        if set(self.groups) != set(range(self.size)):
            raise ValueError("groups must use every code from 0 to their number minus one")

    @cached_property
    def size(self) -> int:
        """Number of groups."""
        return max(self.groups) + 1

    @cached_property
    def array(self) -> npt.NDArray[np.int64]:
        """The groups as a read-only array."""
        groups = np.array(self.groups, dtype=np.int64)
        groups.setflags(write=False)
        return groups


@dataclass(frozen=True, kw_only=True)
class Attribute:
    """A column's public domain: codes 0 … size − 1, and coarser levels of them.

    Level 0 is the leaf; `coarser[i]` is level i + 1, always a coarsening of the level before.

    >>> age = Attribute(name="age", size=4, coarser=(Level(groups=(0, 0, 1, 1)),))
    >>> age.n_levels, age.size_at(0), age.size_at(1)
    (2, 4, 2)
    """

    name: str
    size: int
    coarser: tuple[Level, ...] = ()
    sensitivity: Fraction = Fraction(0)
    """How much better than others it is to be protected, from 0 to 1: declared, never read off data."""
    weights: tuple[Fraction, ...] = ()
    """One per leaf code: values with larger ones are to be protected better. Empty: all alike."""
    in_order: int = 0
    """So many codes come first, in an order: those of numbers, dates and ordered categories."""

    def __post_init__(self) -> None:
        if self.size < 1:
            raise ValueError(f"attribute '{self.name}' must have at least one value")
        if not 0 <= self.sensitivity <= 1:
            raise ValueError(f"attribute '{self.name}': a sensitivity lies between 0 and 1")
        if self.weights and (len(self.weights) != self.size or min(self.weights) <= 0):
            raise ValueError(f"attribute '{self.name}': one weight above 0 is needed for each of its values")
        finer, finer_size = tuple(range(self.size)), self.size
        for level in self.coarser:
            nested = len(set(zip(finer, level.groups, strict=False))) == finer_size
            if len(level.groups) != self.size or level.size >= finer_size or not nested:
                raise ValueError(f"attribute '{self.name}': each level must coarsen the one before")
            finer, finer_size = level.groups, level.size

    @property
    def n_levels(self) -> int:
        """Number of levels, the leaf included."""
        return 1 + len(self.coarser)

    def size_at(self, level: int) -> int:
        """Number of codes at this level."""
        return self.size if level == 0 else self.coarser[level - 1].size

    def groups_at(self, level: int) -> npt.NDArray[np.int64]:
        """Leaf code → code at this level."""
        return np.arange(self.size) if level == 0 else self.coarser[level - 1].array


@dataclass(frozen=True)
class Domain:
    """All attributes of a table, in column order.

    >>> domain = Domain((Attribute(name="sex", size=2), Attribute(name="age", size=16)))
    >>> domain.index("age"), domain.all_binary, len(domain)
    (1, False, 2)
    """

    attributes: tuple[Attribute, ...]
    rules: tuple[Rule, ...] = field(default=(), compare=False, repr=False)
    """What is declared to hold in every row. Codes are the same with and without: it does not count in comparisons."""

    def __post_init__(self) -> None:
        if len({a.name for a in self.attributes}) != len(self.attributes):
            raise ValueError("attribute names must differ")
        if any(a >= len(self.attributes) for rule in self.rules for a in rule.scope):
            raise ValueError("a rule names attributes that are not there")

    def __len__(self) -> int:
        return len(self.attributes)

    def __iter__(self) -> Iterator[Attribute]:
        return iter(self.attributes)

    def __getitem__(self, index: int) -> Attribute:
        return self.attributes[index]

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {a.name: i for i, a in enumerate(self.attributes)}

    def index(self, name: str) -> int:
        """Position of the attribute with this name."""
        return self._positions[name]

    @property
    def all_binary(self) -> bool:
        """Whether every attribute has exactly two values."""
        return all(a.size == 2 for a in self.attributes)

    def size(self, axis: Axis) -> int:
        """Number of codes along this axis."""
        return self.attributes[axis.attribute].size_at(axis.level)


class Axis(NamedTuple):
    """One attribute (by position in its domain) at one level of generalisation.

    >>> Axis(3), Axis(3, 1).level
    (Axis(attribute=3, level=0), 1)
    """

    attribute: int
    level: int = 0


@dataclass(frozen=True)
class Marginal:
    """The name of a table of counts: its axes, in order. It holds no counts.

    >>> domain = Domain((Attribute(name="sex", size=2), Attribute(name="age", size=16)))
    >>> Marginal.of(1, 0).shape(domain), Marginal.of(1, 0).canonical() == Marginal.of(0, 1)
    ((16, 2), True)
    """

    axes: tuple[Axis, ...]

    def __post_init__(self) -> None:
        if len({a.attribute for a in self.axes}) != len(self.axes):
            raise ValueError("a marginal names each attribute once")

    @classmethod
    def of(cls, *axes: int | tuple[int, int] | Axis) -> Marginal:
        """From positions, or (position, level) pairs."""
        return cls(tuple(Axis(a) if isinstance(a, int) else Axis(*a) for a in axes))

    def shape(self, domain: Domain) -> tuple[int, ...]:
        """Sizes along the axes."""
        return tuple(domain.size(axis) for axis in self.axes)

    def n_cells(self, domain: Domain) -> int:
        """Number of cells."""
        return prod(self.shape(domain))

    def canonical(self) -> Marginal:
        """The same table with its axes sorted."""
        return Marginal(tuple(sorted(self.axes)))

    @property
    def attributes(self) -> tuple[int, ...]:
        """Positions of the attributes, in axis order."""
        return tuple(axis.attribute for axis in self.axes)

    def refines(self, other: Marginal) -> bool:
        """Whether `other` can be summed out of this table: all its attributes are here, at no coarser a level.

        >>> Marginal.of(0, (1, 1)).refines(Marginal.of((1, 2))), Marginal.of(0, (1, 1)).refines(Marginal.of(1))
        (True, False)
        """
        levels = dict(self.axes)
        return all(axis.attribute in levels and levels[axis.attribute] <= axis.level for axis in other.axes)


def project(
    table: npt.NDArray[np.generic], source: Marginal, target: Marginal, domain: Domain
) -> npt.NDArray[np.generic]:
    """Sum a table over `source` down to `target`, which it must refine. Works for counts and probabilities.

    >>> domain = Domain((Attribute(name="a", size=2), Attribute(name="b", size=2)))
    >>> project(np.array([[1, 2], [3, 4]]), Marginal.of(0, 1), Marginal.of(1), domain).tolist()
    [4, 6]
    """
    if source.axes == target.axes:
        return table
    if not source.refines(target):
        raise ValueError("a table can only be summed down to attributes it has, at coarser levels")
    wanted = {axis.attribute: axis for axis in target.axes}
    kept = [axis for axis in source.axes if axis.attribute in wanted]
    dropped = tuple(i for i, axis in enumerate(source.axes) if axis.attribute not in wanted)
    result = table.sum(axis=dropped) if dropped else table
    for position, axis in enumerate(kept):
        coarse = wanted[axis.attribute]
        if coarse.level != axis.level:
            result = _merge(result, position, regroup(domain, axis, coarse))
    order = [kept.index(Axis(axis.attribute, dict(source.axes)[axis.attribute])) for axis in target.axes]
    return np.asarray(result).transpose(order)


def regroup(domain: Domain, fine: Axis, coarse: Axis) -> npt.NDArray[np.int64]:
    """Code at the fine level → code at the coarse level of the same attribute.

    >>> age = Attribute(name="age", size=4, coarser=(Level(groups=(0, 0, 1, 1)),))
    >>> regroup(Domain((age,)), Axis(0), Axis(0, 1)).tolist()
    [0, 0, 1, 1]
    """
    attribute = domain[fine.attribute]
    result = np.empty(attribute.size_at(fine.level), dtype=np.int64)
    result[attribute.groups_at(fine.level)] = attribute.groups_at(coarse.level)
    return result


def _merge(table: npt.NDArray[np.generic], position: int, groups: npt.NDArray[np.int64]) -> npt.NDArray[np.generic]:
    shape = list(table.shape)
    shape[position] = int(groups.max()) + 1
    result = np.zeros(shape, dtype=table.dtype)
    np.add.at(np.moveaxis(result, position, 0), groups, np.moveaxis(table, position, 0))
    return result
