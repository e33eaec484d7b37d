"""Questions about columns that are declared to be in order: what no row can fulfil, and what bins do not tell."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from understudy._core.errors import OptionError
from understudy.release._regions import Region
from understudy.schema import InOrder, Schema


def refuse_disorder(schema: Schema, given: Mapping[int, Region]) -> None:
    """Refuse conditions under which a column would always be larger than one that it never is larger than.

    Models know of it bin by bin; conditions may cut one bin of both columns in two parts, in the wrong order.
    """
    for lower, upper in _in_order(schema):
        below, above = given.get(lower), given.get(upper)
        if below is None or above is None or below.codes or above.codes or not (below.spans and above.spans):
            continue
        least, most = (region.field.bins for region in (below, above))
        if least is None or most is None:
            continue
        if below.spans[0][0] * least.unit > above.spans[-1][1] * most.unit:
            raise OptionError(
                f"no row fulfils these conditions: '{below.field.name}' is declared never to be larger than "
                f"'{above.field.name}'. Loosen them."
            )


def bins_in_order(schema: Schema, wanted: Collection[int], given: Collection[int]) -> list[str]:
    """What is to be said where one of two columns in order is asked about, and the other one is a condition."""
    return [
        f"'{schema.fields[lower].name}' ≤ '{schema.fields[upper].name}' is known bin by bin: in a bin of both the "
        "answer does not reckon with it, and no interval covers that. Drawn rows keep it exactly."
        for lower, upper in _in_order(schema)
        if (lower in given and upper in wanted) or (upper in given and lower in wanted)
    ]


def _in_order(schema: Schema) -> Iterator[tuple[int, int]]:
    at = {name: a for a, name in enumerate(schema.names)}
    for one in schema.dependencies:
        if isinstance(one, InOrder) and (schema[one.lower].bins is not None and schema[one.upper].bins is not None):
            yield at[one.lower], at[one.upper]
