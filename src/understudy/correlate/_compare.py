"""Features of a pair of records: how alike two texts or days are, and how much that says.

Each comparison gives some numbers in [0, 1] for every pair. A missing value is a feature of its own, not a difference.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from understudy.correlate._texts import Coded, Ints, day_number

Features: TypeAlias = npt.NDArray[np.float32]
Steps: TypeAlias = npt.NDArray[np.uint8]


class Comparison(Protocol):
    """Compares records in one respect. `names` says what each of its numbers is."""

    @property
    def names(self) -> tuple[str, ...]:
        """One name for each feature."""
        ...

    def __call__(self, first: Ints, second: Ints) -> Features:
        """The features of pairs of rows, one line a pair."""
        ...

    def steps(self, features: Features) -> Steps | None:
        """How far two records agree, in a few steps: 0 missing, then from not at all to fully.

        None: what it compares is compared by others, too.
        """
        ...


N_STEPS = 7


@dataclass(frozen=True, eq=False)
class TextComparison:
    """Two texts: how alike, whether equal, how rare what they share is, whether one is missing.

    `scorer` names a similarity of rapidfuzz, as its module and class.
    """

    label: str
    column: Coded
    scorer: str = "JaroWinkler"
    derived: bool = False
    """Whether the column is a variant of another one that is compared, too."""

    @property
    def names(self) -> tuple[str, ...]:
        """One name for each feature."""
        return tuple(f"{self.label}: {what}" for what in ("alike", "equal", "rare", "missing"))

    def __call__(self, first: Ints, second: Ints) -> Features:
        """The features of pairs of rows."""
        one, other = self.column.codes[first], self.column.codes[second]
        missing = (one == 0) | (other == 0)
        equal = (one == other) & ~missing
        found = np.zeros((len(one), 4), dtype=np.float32)
        found[:, 0] = similarities(self.column, self.column, one, other, self.scorer)
        found[:, 1] = equal
        found[equal, 2] = self._rarity[one[equal]]
        found[:, 3] = missing
        return found

    def steps(self, features: Features) -> Steps | None:
        """Missing, four steps of likeness, equal in something common, equal in something rare."""
        if self.derived:
            return None
        alike = np.digitize(features[:, 0], (0.7, 0.85, 0.93)) + 1
        found = np.where(features[:, 1] > 0, np.where(features[:, 2] > _RARE, 6, 5), alike)
        return np.where(features[:, 3] > 0, 0, found).astype(np.uint8)

    @cached_property
    def _rarity(self) -> Features:
        """1 for a word that one row has, 0 for one that all rows have."""
        n = max(len(self.column.codes), 2)
        found: Features = (1 - np.log(np.maximum(self.column.counts, 1)) / np.log(n)).astype(np.float32)
        return found


@dataclass(frozen=True, eq=False)
class SwapComparison:
    """Two columns that are easily taken for each other: how alike they are crosswise, beyond how alike they are."""

    label: str
    left: Coded
    right: Coded

    @property
    def names(self) -> tuple[str, ...]:
        """One name for each feature."""
        return (f"{self.label}: swapped",)

    def __call__(self, first: Ints, second: Ints) -> Features:
        """The features of pairs of rows."""
        left, right = self.left.codes, self.right.codes
        across: Features = np.minimum(
            similarities(self.left, self.right, left[first], right[second]),
            similarities(self.right, self.left, right[first], left[second]),
        )
        found: Features = across[:, None]
        return found

    def steps(self, features: Features) -> Steps | None:
        """Nothing of its own."""
        return None


@dataclass(frozen=True, eq=False)
class WholeComparison:
    """The words of several columns together, in whatever order and column they stand."""

    label: str
    column: Coded

    @property
    def names(self) -> tuple[str, ...]:
        """One name for each feature."""
        return f"{self.label}: words alike", f"{self.label}: words shared"

    def __call__(self, first: Ints, second: Ints) -> Features:
        """The features of pairs of rows."""
        one, other = self.column.codes[first], self.column.codes[second]
        found = [similarities(self.column, self.column, one, other, name) for name in ("ratio", "token_set_ratio")]
        return np.stack(found, axis=1)

    def steps(self, features: Features) -> Steps | None:
        """Nothing of its own."""
        return None


@dataclass(frozen=True, eq=False)
class DateComparison:
    """Two days: equal, few digits apart, few days apart, day and month swapped, the same year, one missing."""

    label: str
    column: Coded
    """Eight digits, or as many as there are."""

    @property
    def names(self) -> tuple[str, ...]:
        """One name for each feature."""
        what = ("digits alike", "equal", "days apart", "swapped", "same year", "same day of a year", "missing")
        return tuple(f"{self.label}: {part}" for part in what)

    def __call__(self, first: Ints, second: Ints) -> Features:
        """The features of pairs of rows."""
        one, other = self.column.codes[first], self.column.codes[second]
        missing = (one == 0) | (other == 0)
        days = self._days
        apart = np.abs(days[one] - days[other])
        known = np.isfinite(apart)
        found = np.zeros((len(one), 7), dtype=np.float32)
        found[:, 0] = similarities(self.column, self.column, one, other, "OSA")
        found[:, 1] = (one == other) & ~missing
        found[known, 2] = 1 / (1 + apart[known] / 30)
        years, months, dates = self._parts
        same_year = (years[one] == years[other]) & (years[one] > 0)
        found[:, 3] = same_year & (months[one] == dates[other]) & (dates[one] == months[other]) & (one != other)
        found[:, 4] = same_year
        found[:, 5] = (months[one] == months[other]) & (dates[one] == dates[other]) & (dates[one] > 0)
        found[:, 6] = missing
        return found

    def steps(self, features: Features) -> Steps | None:
        """Missing, unlike, a part alike, most digits alike, day and month swapped, equal."""
        digits, equal, _, swapped, year, day, missing = features.T
        found = np.where((digits > 0.74) | (year > 0) | (day > 0), 2, 1)
        found = np.where(digits > 0.87, 3, found)
        found = np.where(swapped > 0, 4, found)
        found = np.where(equal > 0, 6, found)
        return np.where(missing > 0, 0, found).astype(np.uint8)

    @cached_property
    def _days(self) -> npt.NDArray[np.float64]:
        numbers = [day_number(word) for word in self.column.words]
        return np.array([np.nan if number is None else number for number in numbers], dtype=np.float64)

    @cached_property
    def _parts(self) -> tuple[Ints, Ints, Ints]:
        whole = np.array([int(word) if len(word) == 8 and word.isascii() else 0 for word in self.column.words])
        return whole // 10_000, whole // 100 % 100, whole % 100


def similarities(left: Coded, right: Coded, one: Any, other: Any, scorer: str = "JaroWinkler") -> Features:
    """How alike two words are, pair by pair, from 0 to 1; 0 where one is missing.

    >>> import pyarrow as pa
    >>> column = Coded.of(pa.array(["martha", "marhta", None]))
    >>> similarities(column, column, np.array([1, 1, 1]), np.array([1, 2, 0])).round(2).tolist()
    [1.0, 0.9599999785423279, 0.0]
    """
    from rapidfuzz.process import cpdist

    found = np.zeros(len(one), dtype=np.float32)
    known = (one != 0) & (other != 0)
    if left is right:
        found[known & (one == other)] = 1
        known &= one != other
    places = np.flatnonzero(known)
    if len(places):
        found[places] = cpdist(
            left.words[one[places]], right.words[other[places]], scorer=_scorer(scorer), dtype=np.float32
        ) / (100 if scorer in _PERCENT else 1)
    return found


_RARE = 0.6
_PERCENT = ("ratio", "token_set_ratio", "token_sort_ratio")


def _scorer(name: str) -> Any:
    from rapidfuzz import distance, fuzz

    return getattr(fuzz, name) if name in _PERCENT else getattr(distance, name).normalized_similarity
