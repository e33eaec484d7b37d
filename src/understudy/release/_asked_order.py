"""Questions about columns that are declared to be in order: what no row can fulfil, and what bins do not tell."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from understudy._core.errors import OptionError
from understudy.release._ordered_values import (
    is_exact_beside,
    ordered_values,
    region_at,
    tied_pairs,
    unkept_order,
    weights_among,
    what_order_leaves,
)
from understudy.release._regions import Region
from understudy.schema import Edge, Schema, order_edges, value_ends

Regions: TypeAlias = Mapping[int, Region]
Flags: TypeAlias = npt.NDArray[np.bool_]
Floats: TypeAlias = npt.NDArray[np.float64]


def disorder(schema: Schema, regions: Regions) -> str | None:
    """What is declared of orders, if it leaves no row that fulfils conditions; None if it leaves some.

    Models know of it bin by bin; conditions may cut one bin of both columns in two parts, in the wrong order.

    >>> from understudy.release._conditions import read_conditions
    >>> day = {"type": "integer", "bins": 1, "constraints": {"minimum": 0, "maximum": 9}}
    >>> schema = Schema.from_dict({"fields": [{"name": "from", **day}, {"name": "to", **day}],
    ...     "dependencies": [{"lower": "from", "upper": "to"}]})
    >>> disorder(schema, read_conditions(schema, "from=5..9, to=0..4").regions)
    "'from' is declared never to be larger than 'to'"
    >>> disorder(schema, read_conditions(schema, "from=5..9, to=0..5").regions)
    """
    broken = unkept_order(schema, regions)
    if not broken:
        return None
    (lower, upper), *more = [(schema.names[a], schema.names[b]) for a, b in broken]
    also = "".join(f", and '{a}' never than '{b}'" for a, b in more)
    return f"'{lower}' is declared never to be larger than '{upper}'{also}"


def refuse_disorder(schema: Schema, given: Regions) -> None:
    """Refuse conditions under which a column would always be larger than one that it never is larger than."""
    why = disorder(schema, given)
    if why is not None:
        raise OptionError(f"no row fulfils these conditions: {why}. Loosen them.")


def implied(schema: Schema, a: int, region: Region, others: Regions, within: Region | None = None) -> str | None:
    """What is declared of orders, if a column cannot but be in a region where others fulfil conditions; else None.

    `within` is what is known of the column itself.
    """
    if not any(a in edge for edge in order_edges(schema)):
        return None
    rest = region.outside() if within is None else region.outside().within(within)
    return disorder(schema, {**{b: one for b, one in others.items() if b != a}, a: rest})


def needed(schema: Schema, regions: Regions) -> Regions:
    """Conditions without those that follow from others and a declared order: of both, models would take a part.

    >>> from understudy.release._conditions import read_conditions
    >>> day = {"type": "integer", "bins": 1, "constraints": {"minimum": 0, "maximum": 9}}
    >>> schema = Schema.from_dict({"fields": [{"name": "from", **day}, {"name": "to", **day}],
    ...     "dependencies": [{"lower": "from", "upper": "to"}]})
    >>> [schema.names[a] for a in needed(schema, read_conditions(schema, "from=0..4, to=0..4").regions)]
    ['to']
    """
    found = dict(regions)
    for a, region in regions.items():
        if implied(schema, a, region, found) is not None:
            del found[a]
    return found


def one_value_first(schema: Schema, regions: Regions) -> list[tuple[int, Region]]:
    """Conditions in an order in which what is known exactly comes before what it is in order with."""
    tied = {a for edge in order_edges(schema) for a in edge}
    return sorted(regions.items(), key=lambda one: one[0] not in tied or ordered_values(one[1]).only is None)


def order_evidence(schema: Schema, given: Regions) -> Mapping[int, Floats] | None:
    """Conditions as weights of codes, with what orders tell: beside one value, a part of a bin is all of it."""
    told = needed(schema, given)
    return {a: weights_among(region, what_order_leaves(schema, a, given)) for a, region in told.items()} or None


def bins_in_order(
    schema: Schema, wanted: Regions, given: Regions, *, by_value: Collection[int] = (), by_code: Collection[int] = ()
) -> list[str]:
    """What is to be said where two columns in order are asked about, or one of them under a condition on the other.

    Nothing where bins settle it: no bin of the one has values above and below some of the other, or all rows of such
    bins are meant. Of columns `by_value` (a mean) it matters how values lie in any bin; those `by_code` are asked about
    bin by bin.
    """
    asked = {**given, **wanted}
    asked |= {a: region_at(schema, asked, a) for a in (*by_value, *by_code)}
    new = {*wanted, *by_value, *by_code}
    pairs = [
        (lower, upper)
        for lower, upper in tied_pairs(schema, asked)
        if lower in asked and upper in asked and new & {lower, upper}
    ]
    return [
        f"'{schema.names[lower]}' ≤ '{schema.names[upper]}' is known bin by bin: of a bin of both no value beyond the "
        "ends of a condition counts, but how the two lie to each other inside it the answer does not reckon with, and "
        "no interval covers that. Drawn rows keep it exactly."
        for lower, upper in pairs
        if not _reckoned_with(schema, (lower, upper), asked, new)
        # of rows that fulfil conditions a part is asked for, and where the others are matters as well
        and _inside_bins(schema, (lower, upper), asked, given if {lower, upper} - new else asked, by_value)
    ]


def _reckoned_with(schema: Schema, pair: Edge, asked: Regions, new: Collection[int]) -> bool:
    """Whether one of the two has one value, and the other is asked about under that or beside it."""
    return any(
        (one not in new or other in new) and is_exact_beside(schema, other, one, asked)
        for one, other in (pair, pair[::-1])
    )


@dataclass(frozen=True, eq=False)
class _Codes:
    """Smallest and largest value of codes in order, and of which of them not all rows count alike."""

    low: Floats
    high: Floats
    cut: Flags


def _codes(schema: Schema, a: int, asked: Regions, among: Regions, by_value: Collection[int]) -> _Codes:
    """Those of a column that rows may have among which it is asked, as what is asked of it cuts them."""
    low, high = value_ends(schema.fields[a])
    kept = (region_at(schema, among, a).weights > 0) & ~np.isnan(low)
    weights = asked[a].weights
    cut = ((weights > 0) & (weights < 1)) | (a in by_value)
    return _Codes(low[kept], high[kept], cut[kept])


def _inside_bins(schema: Schema, pair: Edge, asked: Regions, among: Regions, by_value: Collection[int]) -> bool:
    """Whether some bin of the one has values on both sides of a value of the other, and not all of its rows count."""
    lower, upper = (_codes(schema, a, asked, among, by_value) for a in pair)
    order = np.argsort(upper.low, kind="stable")
    cut = np.append(0, np.cumsum(upper.cut[order]))
    start = np.searchsorted(upper.high[order], lower.low)  # those above that have a value that is as large,
    stop = np.maximum(np.searchsorted(upper.low[order], lower.high), start)  # and one that is smaller
    return bool((((stop > start) & lower.cut) | (cut[stop] > cut[start])).any())
