"""Bins that were found from a noisy histogram, as a schema file holds them: in points of the column's grid."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

from understudy.schema._bins import MOST_FOUND, Bins, Shape, default_count, equal_width
from understudy.schema._file import BinsFile, FieldFile, FoundFile, InsideFile
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


def to_be_filled(written: BinsFile | None, bins: Bins | None) -> bool:
    """Whether it is to be found out where values lie inside declared bins. Bins of single values have no inside."""
    asked = bins is not None and written is not None and written.inside == "auto"
    return asked and bins is not None and bool((bins.grid[1] > bins.grid[0]).any())


def with_default(file: FieldFile) -> FieldFile:
    """The field with `bins: auto` where it says nothing of bins, nor anything that speaks of them."""
    listed = file.categories is not None or file.constraints.enum is not None
    if listed or file.type not in RANGE_TYPES or file.bins is not None or file.taxonomy is not None:
        return file
    return file.model_copy(update={"bins": BinsFile(auto=True)})


def is_sought(written: BinsFile) -> bool:
    """Whether a histogram is asked for bins, or what is inside them: its cells may have a single value each."""
    return written.auto or written.inside == "auto"


def auto_edges(
    low: Fraction, high: Fraction, form: Form, decimals: int | None, fault: Callable[[str], Any]
) -> tuple[Fraction, ...]:
    """The edges that are planned with until some are found; where there are few values, each has a bin around it.

    >>> edges = auto_edges(Fraction(0), Fraction(3, 10), Form(type="number"), 1, print)
    >>> [float(edge) for edge in edges]
    [0.0, 0.05, 0.15, 0.25, 0.3]
    """
    if low == high:
        fault(
            "constraints.minimum and maximum are the same, a range of one value. Widen it, or list the value in "
            "categories"
        )
    count = default_count(low, high, form, most=MOST_FOUND, decimals=decimals)
    if form.type == "number" and decimals is not None and count > 1:
        first = math.ceil(low * 10**decimals)
        if math.floor(high * 10**decimals) - first + 1 == count:
            whole = Bins(edges=(low, high), form=form, decimals=decimals)
            return edges_at(whole, range(first, first + count))
    return equal_width(low, high, count)


def with_shape(written: BinsFile, bins: Bins, fault: Callable[[str], Any]) -> Bins | None:
    """The bins with all that their schema file says of what is inside them."""
    if written.found is not None:
        return _found(written.found, bins, fault)
    if isinstance(written.inside, InsideFile):
        return _inside(written.inside, bins, fault)
    return bins


def _found(found: FoundFile, whole: Bins, fault: Callable[[str], Any]) -> Bins | None:
    """The bins, once all that is said of them fits the range; `whole` has one bin for all of it."""
    begin, end = int(whole.grid[0][0]), int(whole.grid[1][-1])
    if found.first[0] != begin or found.first[-1] > end or any(a >= b for a, b in pairwise(found.first)):
        fault(f"bins.found.first must rise from {begin}, the first point of the range, to {end} at most")
        return None
    return _inside(found, replace(whole, edges=edges_at(whole, found.first)), fault)


def _inside(inside: InsideFile, bins: Bins, fault: Callable[[str], Any]) -> Bins | None:
    """The bins with what is known of the values inside them, once it fits the range and begins where they do."""
    begin, end = int(bins.grid[0][0]), int(bins.grid[1][-1])
    starts, shares = inside.starts, inside.shares
    if starts[0] != begin or starts[-1] > end or any(a >= b for a, b in pairwise(starts)):
        fault(f"the starts of its bins must rise from {begin}, the first point of the range, to {end} at most")
        return None
    if len(shares) != len(starts) or not all(math.isfinite(share) and share >= 0 for share in shares):
        fault("the shares of its bins need one number from 0 on for each of their starts")
        return None
    if not set(bins.grid[0].tolist()) <= set(starts):
        fault("the starts of its bins must have the first point of every bin")
        return None
    if not set(inside.stretches) <= set(starts) or any(a >= b for a, b in pairwise(inside.stretches)):
        fault("the stretches of its bins must rise, and be among the starts")
        return None
    return replace(bins, shape=Shape(starts=tuple(starts), shares=tuple(shares), stretches=tuple(inside.stretches)))


def check_one_kind(file: FieldFile, fault: Callable[[str], Any]) -> None:
    """Refuse bins that are said in two ways, and what is said of bins that are not known yet."""
    bins = file.bins or BinsFile()
    said = [name for name in ("auto", "found", "count", "edges") if getattr(bins, name)]
    if len(said) > 1:
        fault(f"bins has both {said[0]} and {said[1]}. Keep one of them")
    if bins.inside != "even" and (bins.auto or bins.found or not said):
        fault(
            "bins.inside speaks of declared bins. Give their edges or their count, or leave it out: bins: auto has it"
        )
    if bins.auto and (file.taxonomy or file.sensitivities):
        extra = "taxonomy" if file.taxonomy else "sensitivities"
        fault(f"{extra} speaks of bins that `bins: auto` has yet to find. Declare the edges, or leave {extra} out")
