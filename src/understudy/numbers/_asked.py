"""Bins for queries: cut where the queries themselves cut, which is public and costs nothing."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from understudy.numbers._grid import even_schema
from understudy.schema import Schema

MOST_CUTS = 200
"""Values of a column at which queries may cut its bins; beyond that bins of equal width are cut in part."""


def schema_at(schema: Schema, cuts: Mapping[int, Collection[int]], whole: Collection[int] = ()) -> Schema:
    """The schema with bins in place of automatic ones, beginning at the grid points given for each column.

    Columns in `whole` have bins of equal width besides, and those that nothing is asked about no other ones.

    >>> schema = Schema.from_dict({"fields": [{"name": "gain", "type": "integer",
    ...     "constraints": {"minimum": 0, "maximum": 99_999}}]})
    >>> schema_at(schema, {0: [1, 5000]})["gain"].labels
    ('0', '1–4999', '5000–99999')
    """
    found = even_schema(schema)
    written = found.to_dict()
    for i, field in enumerate(schema.fields):
        bins, asked = found.fields[i].bins, cuts.get(i)
        few = asked is not None and len(asked) <= MOST_CUTS
        if bins is None or not field.automatic or not (few or field.cuts):
            continue
        begin, end = int(bins.grid[0][0]), int(bins.grid[1][-1])
        even = bins.grid[0].tolist() if i in whole or not few else []
        points = {*field.cuts, *(asked if asked is not None and few else ())}  # dependencies cut as queries do
        first = sorted({begin, *even, *(point for point in points if begin < point <= end)})
        spans = [after - before for before, after in zip(first, [*first[1:], end + 1], strict=True)]
        shape = {"first": first, "starts": first, "shares": [float(span) for span in spans]}
        written["fields"][i] |= {"bins": {"found": shape}} | ({} if bins.whole else {"decimals": bins.decimals})
    return Schema.from_dict(written)
