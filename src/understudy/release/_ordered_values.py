"""Values of columns that are declared to be in order, exactly: what conditions leave of them, and whether any row can.

Numbers are fractions: a column of tenths and one of whole numbers are compared without rounding. Special values,
"other" and missing are in no order, so a column that may have one of them can always be out of the way.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from understudy.release._regions import Region, everything
from understudy.schema import Edge, Schema, order_edges, smaller_first

Floats: TypeAlias = npt.NDArray[np.float64]
_ROUNDING = 1e-9


@dataclass(frozen=True)
class OrderedValues:
    """What a region allows of values that are in an order: stretches in rising order, with values a `unit` apart.

    `free` says that the column may be in no order, or that nothing is allowed: an order then rules nothing out.

    >>> thirds = OrderedValues(((Fraction(0), Fraction(2)), (Fraction(5), Fraction(9))), Fraction(1, 3), free=False)
    >>> [str(thirds.least(Fraction(bound))) for bound in ("-1", "1/2", "5/2", "10")]
    ['0', '2/3', '5', 'None']
    """

    stretches: tuple[tuple[Fraction, Fraction], ...]
    unit: Fraction
    free: bool

    def least(self, bound: Fraction | None) -> Fraction | None:
        """The smallest value that is not smaller than a bound, if there is one."""
        for first, last in self.stretches:
            if bound is None or bound <= first:
                return first
            value = first + math.ceil((bound - first) / self.unit) * self.unit
            if value <= last:
                return value
        return None

    @property
    def only(self) -> Fraction | None:
        """The one value that is allowed, if it is one."""
        if self.free or len(self.stretches) != 1 or self.stretches[0][0] != self.stretches[0][1]:
            return None
        return self.stretches[0][0]


def ordered_values(region: Region) -> OrderedValues:
    """The values of a region that a declared order compares.

    >>> from understudy.release._regions import Choice, region_of
    >>> tenths = Schema.from_dict({"fields": [{"name": "x", "type": "number", "decimals": 1, "bins": 2,
    ...     "constraints": {"minimum": 0, "maximum": 9}}]})["x"]
    >>> [(str(low), str(high)) for low, high in ordered_values(region_of(tenths, [Choice(low=2.55)])).stretches]
    [('13/5', '9')]
    """
    field, bins = region.field, region.field.bins
    if bins is not None:
        unit = bins.unit
        stretches = tuple((low * unit, high * unit) for low, high in region.spans)
    else:
        unit = Fraction(1)
        # as it is written: the float 0.1 is a little more than a tenth
        values = sorted(Fraction(str(field.categories[code].value)) for code in region.codes if code < field.n_main)
        stretches = tuple((value, value) for value in values)
    return OrderedValues(stretches, unit, free=not stretches or any(code >= field.n_main for code in region.codes))


def tied_pairs(schema: Schema, regions: Mapping[int, Region]) -> list[Edge]:
    """Pairs of columns that are in order in every row that has values of both: declared, or through others.

    Through those only that are always in an order under the conditions.
    """
    edges = order_edges(schema)
    steady = {a for edge in edges for a in edge if not ordered_values(region_at(schema, regions, a)).free}
    found = list(edges)
    for lower, middle in found:  # grows as it goes
        if middle in steady:
            found += [(lower, upper) for at, upper in edges if at == middle and (lower, upper) not in found]
    return found


def unkept_order(schema: Schema, regions: Mapping[int, Region]) -> list[Edge]:
    """The orders, one above the other, that no row fulfilling conditions keeps; none if some row can keep them all.

    Every column takes the smallest value that those below it leave: if there is none, nothing else would do either.
    Other rules than orders are not looked at.
    """
    edges = order_edges(schema)
    least: dict[int, Fraction] = {}
    raised: dict[int, int] = {}
    for a in smaller_first(sorted({a for edge in edges for a in edge}), edges):
        values = ordered_values(region_at(schema, regions, a))
        if values.free:
            continue
        below = max(
            (lower for lower, upper in edges if upper == a and lower in least), key=least.__getitem__, default=a
        )
        found = values.least(least.get(below))
        if found is None:
            return list(_path(raised, below, a))
        if found != values.least(None):
            raised[a] = below
        least[a] = found
    return []


def what_order_leaves(schema: Schema, a: int, regions: Mapping[int, Region]) -> Region | None:
    """What a column may be beside columns that have one value each, or whole codes; None where that tells nothing.

    Of whole codes the model knows how many rows of each bin go with them. Rows of a bin are drawn until they are in
    order, so a cut bin keeps its rows (`weights_among`). Where the histogram inside a bin has no row among what is
    left, the column stays as it was.
    """
    left = _between(schema, a, regions, known=True)
    return left if left is not None and _has_rows(left) else None


def what_order_allows(schema: Schema, a: int, region: Region, regions: Mapping[int, Region]) -> Region:
    """What of a column's region lies between the least and the largest values that conditions leave other columns.

    Where a condition takes a part of another column's bin, a bin that is cut here loses rows: the model counts that
    part alike beside every value. Where the histogram inside a bin has no row among what is left, the column stays as
    it was.

    >>> from understudy.release._conditions import read_conditions
    >>> day = {"type": "integer", "bins": 1, "constraints": {"minimum": 0, "maximum": 9}}
    >>> schema = Schema.from_dict({"fields": [{"name": "from", **day}, {"name": "to", **day}],
    ...     "dependencies": [{"lower": "from", "upper": "to"}]})
    >>> what_order_allows(schema, 0, everything(schema["from"]), read_conditions(schema, "to=0..4").regions).spans
    ((0, 4),)
    """
    between = _between(schema, a, regions, known=False)
    found = region if between is None else region.within(between)
    return found if _has_rows(found) else region


def is_exact_beside(schema: Schema, a: int, other: int, regions: Mapping[int, Region]) -> bool:
    """Whether a column in bins, cut where an order with another column's one value has it, lies as drawn rows do.

    So it is if that value has a code of its own: then the model knows how many rows of each bin go with it.
    """
    region = regions[other]
    if not {(a, other), (other, a)} & set(order_edges(schema)) or ordered_values(region).only is None:
        return False
    bins, left = region.field.bins, _between(schema, a, {other: region}, known=True)
    whole = bins is None or region.weights.max() > 1 - _ROUNDING
    return whole and schema.fields[a].bins is not None and (left is None or _has_rows(left))


def _is_known(region: Region) -> bool:
    """Whether a column has one value, or no part of a bin."""
    weights = region.weights
    whole = ((weights < _ROUNDING) | (weights > 1 - _ROUNDING)).all()
    return bool(whole) or ordered_values(region).only is not None


def _between(schema: Schema, a: int, regions: Mapping[int, Region], *, known: bool) -> Region | None:
    """Values from the least that the columns below have to the largest that those above have; None where all are.

    Of columns that are `known`, or of the others.
    """
    tied = [pair for pair in tied_pairs(schema, regions) if a in pair] if set(regions) - {a} else []
    others = {b: regions[b] for pair in tied for b in pair if b != a and b in regions}
    ends = {b: ordered_values(one) for b, one in others.items() if _is_known(one) == known}
    least = [ends[b].stretches[0][0] for b, upper in tied if upper == a and b in ends and not ends[b].free]
    largest = [ends[b].stretches[-1][1] for lower, b in tied if lower == a and b in ends and not ends[b].free]
    if not least and not largest:
        return None
    whole = everything(schema.fields[a])
    found = _cut(whole, max(least, default=None), min(largest, default=None))
    return None if found == whole else found


def _cut(region: Region, low: Fraction | None, high: Fraction | None) -> Region:
    field, bins = region.field, region.field.bins
    if bins is not None:
        first = -math.inf if low is None else math.ceil(low / bins.unit)
        last = math.inf if high is None else math.floor(high / bins.unit)
        spans = [(int(max(begin, first)), int(min(end, last))) for begin, end in region.spans]
        return Region(field, region.codes, tuple(span for span in spans if span[0] <= span[1]))
    values = [Fraction(str(category.value)) for category in field.categories]
    outside = {i for i, v in enumerate(values) if (low is not None and v < low) or (high is not None and v > high)}
    return Region(field, region.codes - outside)


def _has_rows(left: Region) -> bool:
    """Whether every bin that has values left has rows among them, as far as a histogram tells."""
    bins = left.field.bins
    if bins is None:
        return True
    first, last = bins.grid
    touched = np.any([(first <= high) & (last >= low) for low, high in left.spans], axis=0)
    return bool((left.weights[: bins.count][touched] > 0).all())


def region_at(schema: Schema, regions: Mapping[int, Region], a: int) -> Region:
    """What a column may be: as the conditions have it, or anything."""
    return regions[a] if a in regions else everything(schema.fields[a])


def weights_among(region: Region, left: Region | None) -> Floats:
    """For each code, the share of what an order leaves of its values that a region allows."""
    if left is None:
        return region.weights
    of = Region(region.field, left.codes, left.spans).weights
    return np.divide(region.within(left).weights, of, out=np.zeros(len(of)), where=of > 0)


def _path(raised: Mapping[int, int], below: int, a: int) -> Iterator[Edge]:
    """The orders from the column whose conditions are too high up to the one that has no value left."""
    if below in raised:
        yield from _path(raised, raised[below], below)
    yield below, a
