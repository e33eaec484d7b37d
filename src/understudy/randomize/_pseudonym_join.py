"""Matching rows by pseudonym: 128 bits, sorted and merged as two words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from understudy._core.errors import TableError

Words = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Keys:
    """Pseudonyms in ascending order, each once, and the row that each is of (None: row i is key i)."""

    first: Words
    second: Words
    rows: Ints | None

    def shared_with(self, other: Keys) -> Keys:
        """The keys that both have."""
        if _equal(self, other):
            return Keys(self.first, self.second, None)
        found = self._places_in(other)
        kept = np.flatnonzero(found >= 0)
        return Keys(self.first[kept], self.second[kept], None)

    def __len__(self) -> int:
        return len(self.first)

    def rows_of(self, wanted: Keys) -> Ints | None:
        """The rows of some of these keys, in the order of those; None if that is all rows, as they are."""
        if _equal(self, wanted):
            return self.rows
        places = wanted._places_in(self)
        return places if self.rows is None else self.rows[places]

    def _places_in(self, other: Keys) -> Ints:
        """For each of these keys its position among `other`; −1 if it is not there."""
        if not len(other.first):
            return np.full(len(self.first), -1, dtype=np.int64)
        if _tied(other.first) or _tied(self.first):
            return _places_of_pairs(self, other)
        places = np.minimum(np.searchsorted(other.first, self.first), len(other.first) - 1)
        same = (other.first[places] == self.first) & (other.second[places] == self.second)
        places[~same] = -1
        return places


def sort_keys(pseudonyms: Words, *, name: str) -> Keys:
    """The keys of one file. Raises TableError if one occurs twice.

    >>> keys = sort_keys(np.array([[9, 0], [7, 0]], dtype=np.uint64), name="hospital")
    >>> keys.first.tolist(), keys.rows.tolist()
    ([7, 9], [1, 0])
    """
    first, second = np.ascontiguousarray(pseudonyms[:, 0]), np.ascontiguousarray(pseudonyms[:, 1])
    rows: Ints | None = None
    if not _ascending(first, second):
        # pseudonyms are hashes: two with the same first word are rare, and the slower sort by both is for them only
        rows = np.argsort(first)
        if _tied(first[rows]):
            rows = np.lexsort((second, first))
        first, second = first[rows], second[rows]
    twice = int(((first[1:] == first[:-1]) & (second[1:] == second[:-1])).sum())
    if twice:
        raise TableError(
            f"{name}: {twice:,} rows have the pseudonym of another row, so it is not known which one is meant. "
            "Its owner must randomise a table with one row for each key."
        )
    return Keys(first, second, rows)


def _ascending(first: Words, second: Words) -> bool:
    below = (first[1:] > first[:-1]) | ((first[1:] == first[:-1]) & (second[1:] >= second[:-1]))
    return bool(below.all())


def _tied(first: Words) -> bool:
    return bool((first[1:] == first[:-1]).any())


def _equal(one: Keys, other: Keys) -> bool:
    return one is other or (
        len(one.first) == len(other.first)
        and bool((one.first == other.first).all())
        and bool((one.second == other.second).all())
    )


def _places_of_pairs(wanted: Keys, among: Keys) -> Ints:
    """`_places_in` where first words are not enough: pairs numbered by the rank of each word."""
    high = np.unique(among.first)
    low = np.unique(among.second)
    numbers = np.searchsorted(high, among.first) * len(low) + np.searchsorted(low, among.second)
    at_high = np.minimum(np.searchsorted(high, wanted.first), len(high) - 1)
    at_low = np.minimum(np.searchsorted(low, wanted.second), len(low) - 1)
    places = np.minimum(np.searchsorted(numbers, at_high * len(low) + at_low), len(numbers) - 1)
    same = (among.first[places] == wanted.first) & (among.second[places] == wanted.second)
    places[~same] = -1
    return np.asarray(places, dtype=np.int64)
