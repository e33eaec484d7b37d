"""Groups of rows that belong together, and the declared bound that they keep."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from understudy._core.errors import OptionError, TableError
from understudy.correlate._links import Links

Ints = npt.NDArray[np.int64]
Origin: TypeAlias = Literal["recognised", "declared"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Groups:
    """Which rows belong together: a group's number for each row, and the declared most rows that a group may have.

    Groups are numbered by their first rows, whatever numbers were given. `max_rows` is declared and public; everything
    else is private, and never published: neither how many groups there are nor their sizes or degrees.

    >>> groups = Groups(of_row=np.array([7, 3, 7]), max_rows=2)
    >>> groups.of_row.tolist(), groups.sizes.tolist(), groups.n_groups
    ([0, 1, 0], [2, 1], 2)
    >>> Groups(of_row=np.array([7, 3, 7]), max_rows=1)
    Traceback (most recent call last):
    understudy._core.errors.TableError: a group has more rows than the declared bound of 1. Declare a larger bound, \
or split the group.
    """

    of_row: Ints
    max_rows: int
    origin: Origin = "declared"
    links: Links | None = None
    """Degrees of recognised groups: all that reach the threshold, those that the bound cut apart too."""
    threshold: float | None = None
    """The least degree that counts, ϑ0."""
    fields: tuple[str, ...] = ()
    """The columns that they were recognised by."""

    def __post_init__(self) -> None:
        if self.max_rows < 1:
            raise OptionError(
                f"The 'max_rows' parameter must be a whole number of at least 1. Got {self.max_rows} instead."
            )
        if self.origin not in ("recognised", "declared"):
            raise ValueError("the origin of groups is 'recognised' or 'declared'")
        if self.threshold is not None and not 0 < self.threshold <= 1:
            raise OptionError(
                f"The 'threshold' parameter must be a number above 0 and at most 1. Got {self.threshold} instead."
            )
        numbers = _by_first_row(np.asarray(self.of_row, dtype=np.int64))
        numbers.flags.writeable = False
        object.__setattr__(self, "of_row", numbers)
        if self.links is not None and self.links.n_rows != self.n_rows:
            raise ValueError(f"groups of {self.n_rows} rows with links of {self.links.n_rows}")
        if self.n_rows and int(self.sizes.max()) > self.max_rows:
            raise TableError(
                f"a group has more rows than the declared bound of {self.max_rows}. Declare a larger bound, or split "
                "the group."
            )

    @property
    def n_rows(self) -> int:
        """Rows of the table."""
        return len(self.of_row)

    @property
    def sizes(self) -> Ints:
        """Rows of each group. Private."""
        return np.bincount(self.of_row).astype(np.int64)

    @property
    def n_groups(self) -> int:
        """How many groups there are, a row on its own being one. Private."""
        return int(self.of_row.max()) + 1 if self.n_rows else 0

    @property
    def n_cut(self) -> int:
        """Links between rows of different groups: what the bound cut apart. Private.

        >>> links = Links.of_pairs(3, [0, 1], [1, 2], [0.9, 0.7])
        >>> Groups(of_row=np.array([0, 0, 1]), max_rows=2, origin="recognised", links=links).n_cut
        1
        """
        if self.links is None:
            return 0
        first, second, _ = self.links.pairs()
        return int((self.of_row[first] != self.of_row[second]).sum())

    def members(self, *, at_least: int = 1) -> Iterator[Ints]:
        """The rows of each group that has so many, group by group.

        >>> [rows.tolist() for rows in Groups(of_row=np.array([0, 1, 0]), max_rows=2).members()]
        [[0, 2], [1]]
        """
        order, sizes = np.argsort(self.of_row, kind="stable"), self.sizes
        starts = np.concatenate([[0], np.cumsum(sizes)])
        for group in np.flatnonzero(sizes >= at_least):
            yield order[starts[group] : starts[group + 1]]


def _by_first_row(numbers: Ints) -> Ints:
    """The same partition, its parts numbered in the order in which they are met."""
    if numbers.ndim != 1:
        raise ValueError("groups are one number for each row")
    _, first, inverse = np.unique(numbers, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(len(first))
    found: Ints = rank[inverse.reshape(-1)]
    return found
