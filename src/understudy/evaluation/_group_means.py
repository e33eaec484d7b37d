"""Means of a number within groups of rows: what becomes of them though both columns are right. Private to the holder.

Relations are measured in bins. A group whose values are all at the low end of a wide bin has the right bin in the
synthetic table, and there the values that all rows of the bin have: its mean can be several times the real one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from understudy.evaluation._pair import Pair

Floats = npt.NDArray[np.float64]
_FEWEST = 20
"""Of a group with fewer rows in either table nothing is said."""
_MOST_GROUPS = 20
_LEAST_DEVIATION = 0.05
"""What a group's deviation counts as at least, as a part of the whole column's: a group may have one value."""
_LOST = 0.3
_STANDARD_ERRORS = 4
"""More than of a single mean: a table has hundreds of groups."""


@dataclass(frozen=True)
class GroupMean:
    """A number's mean in the group of rows, by a column of categories, in which it is most off.

    >>> GroupMean("dead", "yes", real=55.6, synthetic=161.9, off=1.02, standard_error=0.03).lost
    True
    """

    column: str
    value: str
    real: float
    synthetic: float
    off: float
    """How much farther it lies from the mean of all rows than in the real table, or less far, but no more than how far
    it has moved itself: in real deviations of the group."""
    standard_error: float
    """Of the mean of so many rows, in the same."""
    apart: float = 0.0
    """How far it lies from the mean of all rows in the real table, in the same."""

    @property
    def lost(self) -> bool:
        """Whether it is far off, and not by chance."""
        return self.off > max(_LOST, _STANDARD_ERRORS * self.standard_error)

    @property
    def lost_by_half(self) -> bool:
        """Whether a group that is clearly apart from all rows has half of its mean or less, or twice as much or more.

        >>> [GroupMean("dead", "yes", 50.0, made, off=1.0, standard_error=0.1, apart=1.0).lost_by_half
        ...     for made in (25.0, 60.0, 101.0)]
        [True, False, True]
        """
        low, high = sorted((abs(self.real), abs(self.synthetic)))
        return self.lost and self.apart > _LOST and high >= 2 * low


def group_means(
    pair: Pair, place: int, real: Floats, synthetic: Floats, *, amounts: bool = False
) -> tuple[GroupMean, ...]:
    """For each column of categories the group in which a number's mean is most off, of groups with rows enough.

    Args:
        pair: the tables.
        place: which column the number is.
        real: its values, NaN where there is none.
        synthetic: the same of the first synthetic table.
        amounts: whether all are on one side of 0, so that a mean can be half of another. Such a group comes first.

    >>> import pyarrow as pa
    >>> from understudy.evaluation import read_pair
    >>> from understudy.schema import Schema
    >>> schema = Schema.from_dict({"fields": [{"name": "sex", "categories": ["F", "M"]}, {"name": "pay", "bins": 2,
    ...     "type": "integer", "constraints": {"minimum": 0, "maximum": 9}}]})
    >>> sex, pay = ["F", "M"] * 40, [4, 1, 6, 3] * 20
    >>> pair = read_pair(pa.table({"sex": sex, "pay": pay}), pa.table({"sex": sex, "pay": pay[::-1]}), schema)
    >>> [found] = group_means(pair, 1, np.array(pay, float), np.array(pay[::-1], float))
    >>> found.column, found.value, found.real, found.synthetic, round(found.off, 2)
    ('sex', 'F', 5.0, 2.0, 3.0)
    """
    sides = (real, synthetic)
    if any(not np.isfinite(side).any() for side in sides) or not np.nanstd(real):
        return ()
    found = []
    for at, field in enumerate(pair.schema.fields):
        if at == place or field.bins is not None or not 2 <= field.size <= _MOST_GROUPS:
            continue
        codes = (pair.real.columns[at], pair.first.columns[at])
        worst = _worst(field.name, pair.labels[at][: field.size], codes, sides, amounts)
        if worst is not None:
            found.append(worst)
    return tuple(found)


def _worst(
    name: str, labels: Sequence[str], codes: Sequence[npt.NDArray[np.integer]], sides: Sequence[Floats], amounts: bool
) -> GroupMean | None:
    shape = (2, len(labels))
    counts, means, deviations = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    for side, (own, values) in enumerate(zip(codes, sides, strict=True)):
        known = np.isfinite(values) & (own < len(labels))
        group, inside = own[known], values[known]
        counts[side] = np.bincount(group, minlength=len(labels))
        rows = np.maximum(counts[side], 1)
        means[side] = np.bincount(group, inside, len(labels)) / rows
        deviations[side] = np.sqrt(np.bincount(group, (inside - means[side][group]) ** 2, len(labels)) / rows)
    whole = [float(np.nanmean(values)) for values in sides]
    unit = np.maximum(deviations[0], _LEAST_DEVIATION * float(np.nanstd(sides[0])))
    moved = means[1] - means[0]
    # a group that stays where it was has lost nothing, wherever all the other rows went
    off = np.minimum(np.abs(moved - (whole[1] - whole[0])), np.abs(moved)) / unit
    # the larger deviation: a group that is all 0 in the real table would have no error at all
    error = deviations.max(axis=0) / unit / np.sqrt(np.maximum(counts[1], 1))
    apart = np.abs(means[0] - whole[0]) / unit
    found = [
        GroupMean(name, labels[at], *(float(told[at]) for told in (*means, off, error, apart)))
        for at in np.flatnonzero((counts >= _FEWEST).all(axis=0)).tolist()
    ]
    return max(found, key=lambda one: (amounts and one.lost_by_half, one.off), default=None)
