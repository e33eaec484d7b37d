"""Bins that were found from a noisy histogram, as a schema file holds them: in points of the column's grid."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

from understudy.schema._bins import MOST_FOUND, Bins, Shape, default_count
from understudy.schema._file import BinsFile, FieldFile, FoundFile
from understudy.schema._values import RANGE_TYPES, Form


def edges_at(whole: Bins, first: Sequence[int]) -> tuple[Fraction, ...]:
    """The edges of bins that begin at these grid points: half-way between points, so that no value lies on one.

    >>> from understudy.schema._values import Form
    >>> ages = Bins(edges=(Fraction(0), Fraction(99)), form=Form(type="integer"))
    >>> [str(edge) for edge in edges_at(ages, (0, 1, 50))]
    ['0', '1/2', '99/2', '99']
    """
    half = whole.unit / 2
    inner = (Fraction((2 * point - 1) * half.numerator, half.denominator) for point in first[1:])
    return (whole.edges[0], *inner, whole.edges[-1])


def points(bins: Bins) -> int:
    """How many values the range has: whole numbers, days, or numbers of its decimals."""
    return int(bins.grid[1][-1]) - int(bins.grid[0][0]) + 1


def with_default(file: FieldFile) -> FieldFile:
    """The field with `bins: auto` where it says nothing of bins, nor anything that speaks of them."""
    listed = file.categories is not None or file.constraints.enum is not None
    if listed or file.type not in RANGE_TYPES or file.bins is not None or file.taxonomy is not None:
        return file
    return file.model_copy(update={"bins": BinsFile(auto=True)})


def auto_count(low: Fraction, high: Fraction, form: Form, decimals: int | None, fault: Callable[[str], Any]) -> int:
    """How many bins are planned with until some are found: one for each value where there are few."""
    if low == high:
        fault(
            "constraints.minimum and maximum are the same, a range of one value. Widen it, or list the value in "
            "categories"
        )
    if form.type != "number" and high - low >= 2**63 - 1 and -(2**63) <= low <= high < 2**63:
        fault("its range has 2^63 values or more, too many to find bins in. Narrow it, or declare bins")
    return default_count(low, high, form, most=MOST_FOUND, decimals=decimals)


def read_found(found: FoundFile, whole: Bins, fault: Callable[[str], Any]) -> Bins | None:
    """The bins, once everything in them fits the range; `whole` has one bin for all of it."""
    begin, end = int(whole.grid[0][0]), int(whole.grid[1][-1])
    for name, points in (("first", found.first), ("starts", found.starts)):
        if points[0] != begin or points[-1] > end or any(a >= b for a, b in pairwise(points)):
            fault(f"bins.found.{name} must rise from {begin}, the first point of the range, to {end} at most")
            return None
    if len(found.shares) != len(found.starts) or not all(math.isfinite(s) and s >= 0 for s in found.shares):
        fault("bins.found.shares needs one number from 0 on for each of bins.found.starts")
        return None
    if not set(found.first) <= set(found.starts):
        fault("bins.found.starts must have every point of bins.found.first")
        return None
    shape = Shape(starts=tuple(found.starts), shares=tuple(found.shares))
    return replace(whole, edges=edges_at(whole, found.first), shape=shape)


def check_one_kind(file: FieldFile, fault: Callable[[str], Any]) -> None:
    """Refuse bins that are said in two ways, and what is said of bins that are not known yet."""
    bins = file.bins or BinsFile()
    said = [name for name in ("auto", "found", "count", "edges") if getattr(bins, name)]
    if len(said) > 1:
        fault(f"bins has both {said[0]} and {said[1]}. Keep one of them")
    if bins.auto and (file.taxonomy or file.sensitivities):
        extra = "taxonomy" if file.taxonomy else "sensitivities"
        fault(f"{extra} speaks of bins that `bins: auto` has yet to find. Declare the edges, or leave {extra} out")
