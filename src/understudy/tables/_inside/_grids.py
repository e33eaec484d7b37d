"""The grid points that codes stand for, as compiled loops take them: bins as pieces that are evenly filled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from understudy._core.randomness import Rng
from understudy.schema import Bins, Field
from understudy.tables._inside._kernels import Pieces, place_points

Ints: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]

_LARGEST = 1 << 62


def draw_points(bins: Bins, codes: npt.NDArray[Any], rng: Rng) -> Ints:
    """A grid point for each code: evenly over its bin, or as the bins' shape has it."""
    return points_at(bins, codes, rng.random(len(codes)))


def points_at(bins: Bins, codes: npt.NDArray[Any], parts: Floats) -> Ints:
    """The grid points below which lie such parts of what the bins of these codes hold."""
    points = np.empty(len(codes), dtype=np.int64)
    place_points(codes.astype(np.int64), parts, _pieces(bins), points)
    return points


def _pieces(bins: Bins) -> Pieces:
    first, last, ends = bins.pieces
    bin_at, *guide = bins.guide
    return Pieces(bin_at, first, last, np.append(0.0, ends[:-1]), ends, *guide)


@dataclass(frozen=True, eq=False)
class Grid:
    """The grid points that a column's codes stand for: those of a bin's pieces, or a category's own one.

    `ends` has the first and the last point of each code.
    """

    unit: Fraction
    ends: Ints
    pieces: Pieces

    @classmethod
    def of(cls, field: Field) -> Grid:
        """The grid of a column in bins, or of ordered numbers."""
        if field.bins is not None:
            return cls(field.bins.unit, np.array(field.bins.grid), _pieces(field.bins))
        values = [Fraction(str(category.value)) for category in field.categories[: field.n_main]]
        unit = Fraction(1, lcm(*(value.denominator for value in values)))
        while max(abs(value / unit) for value in values) > _LARGEST:
            unit *= 10  # to the last digits that fit
        points = np.array([round(value / unit) for value in values], dtype=np.int64)
        each = np.arange(len(points) + 1)
        begin, end = each[:-1].astype(np.float64), each[1:].astype(np.float64)
        pieces = Pieces(each, points, points, begin, end, each, each[:-1], each[:-1])
        return cls(unit, np.array([points, points]), pieces)

    @property
    def count(self) -> int:
        """How many codes have a place on the grid."""
        return int(self.ends.shape[1])

    @property
    def exact(self) -> bool:
        """Whether each code stands for one point."""
        return bool((self.ends[0] == self.ends[1]).all())

    def held_below(self, points: Floats) -> Floats:
        """What lies at grid points below each of these, in bins: 2.25 for all of two bins and a quarter of the third.

        >>> from understudy.schema import Schema
        >>> ages = {"name": "age", "type": "integer", "bins": 2, "constraints": {"minimum": 0, "maximum": 9}}
        >>> Grid.of(Schema.from_dict({"fields": [ages]})["age"]).held_below(np.array([-3.0, 1.0, 5.0, 20.0])).tolist()
        [0.0, 0.2, 1.0, 2.0]
        """
        first, last, begin, end = self.pieces.first, self.pieces.last, self.pieces.begin, self.pieces.end
        piece = np.maximum(np.searchsorted(first, points, side="right") - 1, 0)
        inside = np.clip((points - first[piece]) / (last[piece] - first[piece] + 1.0), 0.0, 1.0)
        return np.asarray(begin[piece] + (end[piece] - begin[piece]) * inside)


def joined(listed: Sequence[Pieces]) -> Pieces:
    """The pieces of several columns as those of one: bins, pieces and slots are numbered on."""
    found: list[Pieces] = []
    bins = pieces = slots = 0
    for one in listed:
        of_bins = one.bin_at[:-1] + pieces, one.first, one.last, one.begin + bins, one.end + bins
        found.append(Pieces(*of_bins, one.slot_at[:-1] + slots, one.by_part + pieces, one.by_point + pieces))
        bins, pieces, slots = bins + len(one.bin_at) - 1, pieces + len(one.first), slots + len(one.by_part)
    whole = Pieces(*(np.concatenate(arrays) for arrays in zip(*found, strict=True)))
    return whole._replace(bin_at=np.append(whole.bin_at, pieces), slot_at=np.append(whole.slot_at, slots))
