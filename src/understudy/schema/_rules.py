"""What is declared to hold in every row, as codes: public, and carried by a domain to whoever can keep it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Flags: TypeAlias = npt.NDArray[np.bool_]
Floats: TypeAlias = npt.NDArray[np.float64]
Columns: TypeAlias = Sequence[npt.NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Zeros:
    """Which cells of a table over some attributes, in rising order, are possible at all; `text` says why.

    >>> zeros = Zeros((0, 1), np.array([[True, True], [False, True]]), "first ≤ last")
    >>> zeros.broken([np.array([0, 1]), np.array([0, 0])]).tolist()
    [False, True]
    """

    attributes: tuple[int, ...]
    possible: Flags
    text: str = ""

    def __post_init__(self) -> None:
        if self.possible.ndim != len(self.attributes) or tuple(sorted(set(self.attributes))) != self.attributes:
            raise ValueError("structural zeros are a table over attributes in rising order")
        self.possible.setflags(write=False)

    @property
    def scope(self) -> tuple[int, ...]:
        """The attributes it is about."""
        return self.attributes

    def broken(self, columns: Columns) -> Flags:
        """Which rows of some columns of codes, one per attribute of the domain, are impossible."""
        return np.asarray(~self.possible[tuple(np.asarray(columns[a]) for a in self.attributes)])


@dataclass(frozen=True, eq=False)
class Together:
    """That codes are never met together: no row has for every attribute a code that is flagged.

    >>> never = Together((0, 1), (np.array([False, True]), np.array([True, False])), "never a=1, b=0")
    >>> never.broken([np.array([1, 1]), np.array([0, 1])]).tolist()
    [True, False]
    """

    attributes: tuple[int, ...]
    flagged: tuple[Flags, ...]
    text: str = ""

    @property
    def scope(self) -> tuple[int, ...]:
        """The attributes it is about, in rising order."""
        return tuple(sorted(self.attributes))

    @property
    def cells(self) -> int:
        """How many cells a table of it has."""
        return prod(len(flags) for flags in self.flagged)

    def broken(self, columns: Columns) -> Flags:
        """Which rows are impossible."""
        found = self.flagged[0][columns[self.attributes[0]]]
        for a, flags in zip(self.attributes[1:], self.flagged[1:], strict=True):
            found = found & flags[columns[a]]
        return np.asarray(found)

    def to_zeros(self) -> Zeros:
        """The same as a table of cells.

        >>> Together((1, 0), (np.array([True, False]), np.array([False, True]))).to_zeros().possible.tolist()
        [[True, True], [False, True]]
        """
        order = np.argsort(self.attributes)
        met = np.ones((), dtype=np.bool_)
        for place in order:
            met = np.logical_and.outer(met, self.flagged[place])
        return Zeros(self.scope, np.asarray(~met), self.text)


@dataclass(frozen=True, eq=False)
class Ordered:
    """That attributes are in order, as far as the values of their codes allow it: `pairs` of a lower and an upper one.

    `low` and `high` are the smallest and the largest value of each code, by attribute; NaN for codes in no order.

    >>> ends = np.array([0.0, 5.0]), np.array([4.0, 9.0])
    >>> rule = Ordered(((0, 1),), {0: ends, 1: ends}, "a ≤ b")
    >>> rule.broken([np.array([0, 1, 1]), np.array([0, 0, 1])]).tolist()
    [False, True, False]
    """

    pairs: tuple[tuple[int, int], ...]
    """In an order in which what is below an attribute comes before what it is below of."""
    ends: dict[int, tuple[Floats, Floats]]
    text: str = ""

    @property
    def scope(self) -> tuple[int, ...]:
        """The attributes it is about, in rising order."""
        return tuple(sorted(self.ends))

    @property
    def cells(self) -> int:
        """How many cells a table of it has."""
        return prod(len(low) for low, _ in self.ends.values())

    def to_zeros(self) -> Zeros:
        """The same as a table of cells."""
        codes = np.indices([len(self.ends[a][0]) for a in self.scope], sparse=True)
        columns = {a: np.asarray(along) for a, along in zip(self.scope, codes, strict=True)}
        (lower, upper), *more = self.pairs
        if more:
            raise ValueError("of several orders in a row there is no table")
        met = self.ends[lower][0][columns[lower]] > self.ends[upper][1][columns[upper]]
        return Zeros(self.scope, np.asarray(~met), self.text)

    def broken(self, columns: Columns) -> Flags:
        """Which rows are impossible: in a chain, each value must be as large as some value that all before may have."""
        least = {a: np.take(low, columns[a]) for a, (low, _) in self._ranks.items()}
        found = np.zeros(len(columns[self.pairs[0][0]]), dtype=np.bool_)
        for lower, upper in self.pairs:
            raised = np.maximum(least[upper], least[lower])
            if self._ranks[upper][0].min() < 0:  # what is in no order raises nothing
                raised[least[upper] < 0] = -1
            least[upper] = raised
        for a, (_, high) in self._ranks.items():
            found |= least[a] > np.take(high, columns[a])
        return found

    @cached_property
    def _ranks(self) -> dict[int, tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]]:
        """The ends as places among all of them, which are quicker to compare; of codes in no order −1 and the last."""
        every = np.unique(np.concatenate([end[~np.isnan(end)] for ends in self.ends.values() for end in ends]))

        def ranked(end: Floats, beyond: int) -> npt.NDArray[np.int32]:
            return np.where(np.isnan(end), beyond, np.searchsorted(every, end)).astype(np.int32)

        return {a: (ranked(low, -1), ranked(high, len(every))) for a, (low, high) in self.ends.items()}


@dataclass(frozen=True, eq=False)
class Mapped:
    """That an attribute follows from others as `follows` tells: an axis for each of them; −1 where nothing is told.

    Where a stretch of values is told and they have several codes, `last` has the last one of these.

    >>> rule = Mapped((1,), 0, 2, np.array([1, -1, 0]), "code → group")
    >>> rule.broken([np.array([1, 0, 0]), np.array([0, 0, 1])]).tolist()
    [False, True, False]
    >>> stretches = Mapped((1,), 0, 9, np.array([0, 3]), last=np.array([2, 8]))
    >>> stretches.broken([np.array([2, 2]), np.array([0, 1])]).tolist()
    [False, True]
    """

    by: tuple[int, ...]
    attribute: int
    size: int
    follows: npt.NDArray[np.int64]
    text: str = ""
    last: npt.NDArray[np.int64] | None = None

    @property
    def scope(self) -> tuple[int, ...]:
        """The attributes it is about, in rising order."""
        return tuple(sorted((*self.by, self.attribute)))

    @property
    def cells(self) -> int:
        """How many cells a table of it has."""
        return self.follows.size * self.size

    @property
    def _last(self) -> npt.NDArray[np.int64]:
        return self.follows if self.last is None else self.last

    def broken(self, columns: Columns) -> Flags:
        """Which rows are impossible."""
        at, code = tuple(np.asarray(columns[a]) for a in self.by), np.asarray(columns[self.attribute])
        told, last = self.follows[at], self._last[at]
        return np.asarray((told >= 0) & ((code < told) | (code > last)))

    def to_zeros(self) -> Zeros:
        """The same as a table of cells."""
        axes = (*self.by, self.attribute)
        told, last, codes = self.follows[..., None], self._last[..., None], np.arange(self.size)
        possible = (told < 0) | ((told <= codes) & (codes <= last))
        return Zeros(
            self.scope, np.ascontiguousarray(possible.transpose([axes.index(a) for a in self.scope])), self.text
        )


@dataclass(frozen=True)
class FollowsFrom:
    """That each combination of some attributes' codes goes with one code of another. Which one is not public.

    >>> FollowsFrom((2, 0), 1, "ward × site → town").scope
    (0, 1, 2)
    """

    by: tuple[int, ...]
    attribute: int
    text: str = ""

    def __post_init__(self) -> None:
        if not self.by or len({*self.by, self.attribute}) != len(self.by) + 1:
            raise ValueError("an attribute follows from one or several others, each named once")

    @property
    def scope(self) -> tuple[int, ...]:
        """The attributes it is about, in rising order."""
        return tuple(sorted((*self.by, self.attribute)))


Check: TypeAlias = Zeros | Together | Ordered | Mapped
"""A rule that tells of each row whether it is kept."""
Rule: TypeAlias = Check | FollowsFrom
"""What a domain carries: `Zeros` wherever a table of cells says it, `Together` and `Ordered` where it would be too
large or where chains of several columns are meant, `FollowsFrom` where there is a map that is not known."""
