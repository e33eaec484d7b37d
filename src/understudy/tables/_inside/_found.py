"""What a model's tables tell of values inside the bins of columns in a declared order."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

from understudy.schema import Edge, Schema, order_edges
from understudy.tables._inside._grids import Floats, Grid
from understudy.tables._inside._lengths import Length, fit_length
from understudy.tables._inside._tilts import Tilt, Tilts, fit_tilts

_MOST_BINS = 1 << 12
"""Of pairs of bins: more are so narrow that they need no look inside."""
_REACHED = 0.01
"""In order alone there are no tilts where they leave more of both columns' rows elsewhere: most of them lie in a tail.
"""
_FARTHER = 0.0125
"""A length is given up where it leaves so much more of them elsewhere than the order alone does: it does not fit."""
_APART, _FARTHEST = 0.03, 0.06
"""So it is where it leaves more than the first of them elsewhere and the order alone does not, or more than the second.
There are no tilts for a length beyond the first.
"""


@dataclass(frozen=True, eq=False)
class Inside:
    """How far apart columns lie, each upper one above the nearest below it, and what columns are to be drawn from.

    Of columns of which neither is known, `tables` has how often bins go together, to draw them side by side.
    """

    lengths: Mapping[Edge, Length]
    tilts: Mapping[int, Tilt]
    tables: Mapping[Edge, Floats]

    def tilted(self, schema: Schema) -> Schema:
        """The schema with bins that are filled as columns in order are drawn from."""
        fields = [self.tilts[a].of(field) if a in self.tilts else field for a, field in enumerate(schema.fields)]
        return replace(schema, fields=tuple(fields))


NOTHING = Inside({}, {}, {})

TableOf = Callable[[int, int], Floats | None]
"""How often each code of one column goes with each of another; None where that cannot be told."""


def find_inside(schema: Schema, table_of: TableOf) -> Inside:
    """For the orders that a schema declares.

    >>> import numpy as np
    >>> day = {"type": "integer", "bins": 10, "constraints": {"minimum": 0, "maximum": 999}}
    >>> schema = Schema.from_dict({"fields": [{"name": "from", **day}, {"name": "to", **day}],
    ...     "dependencies": [{"lower": "from", "upper": "to"}]})
    >>> table = 0.9 * np.eye(10) + 0.1 * np.eye(10, k=1)  # one in ten goes on into the next hundred
    >>> round(find_inside(schema, lambda lower, upper: table).lengths[0, 1].mean)
    10
    """
    edges = order_edges(schema)
    grids = {a: Grid.of(schema.fields[a]) for edge in edges for a in edge}
    lengths: dict[Edge, Length] = {}
    apart: dict[Edge, Tilts] = {}
    alone: dict[Edge, Tilts] = {}
    tables: dict[Edge, Floats] = {}
    telling = _telling(edges)
    for pair in telling:
        lower, upper = grids[pair[0]], grids[pair[1]]
        table = table_of(*pair) if _leaves_open(lower, upper) else None
        if table is None:
            continue
        tables[pair] = table = table[: lower.count, : upper.count]
        alone[pair] = fit_tilts(lower, upper, None, table)
        length = fit_length(lower, upper, table)
        if length is not None:
            apart[pair] = fit_tilts(lower, upper, length, table)
            if _fits(apart[pair], alone[pair]):
                lengths[pair] = length
    for pair in set(tables) - set(lengths):  # beside columns whose distance is not known, others bend these
        hanging = _hanging(pair, edges)
        lengths = {known: length for known, length in lengths.items() if known[0] not in hanging}
    nearest = _nearest(lengths)
    reaching = {pair: apart[pair] for pair in nearest if apart[pair].off <= _APART}
    reaching |= {pair: one for pair, one in alone.items() if pair not in nearest and one.off <= _REACHED}
    tilts = _tilts(reaching, telling)
    known = {*tilts, *(column for pair in lengths for column in pair)}
    return Inside(nearest, tilts, {pair: table for pair, table in tables.items() if not known & _hanging(pair, edges)})


def _fits(apart: Tilts, alone: Tilts) -> bool:
    """Whether columns can be drawn so far apart and lie inside their bins about as well as in order alone."""
    most = _APART if alone.off <= _APART else _FARTHEST
    return apart.off <= min(alone.off + _FARTHER, most)


def _tilts(found: Mapping[Edge, Tilts], edges: Collection[Edge]) -> dict[int, Tilt]:
    """Those of pairs that nothing else is in order with: of chains and stars one tilt would undo another's work."""
    tilts: dict[int, Tilt] = {}
    for (a, b), pair in found.items():
        others = {column for edge in edges if edge != (a, b) for column in edge}
        if not {a, b} & others:
            tilts[a], tilts[b] = pair.lower, pair.upper
    return tilts


def _hanging(pair: Edge, edges: Collection[Edge]) -> set[int]:
    """All columns that hang together with a pair by orders.

    >>> sorted(_hanging((0, 1), [(0, 1), (1, 2), (3, 4)]))
    [0, 1, 2]
    """
    found, before = set(pair), set[int]()
    while found != before:
        before = set(found)
        found.update(column for edge in edges if found & set(edge) for column in edge)
    return found


def _leaves_open(lower: Grid, upper: Grid) -> bool:
    return lower.count * upper.count <= _MOST_BINS and not (lower.exact and upper.exact)


def _telling(edges: Collection[Edge]) -> list[Edge]:
    """Those that do not follow from two others: what these tell of a column is all that there is to tell.

    >>> _telling([(0, 1), (0, 2), (1, 2)])
    [(0, 1), (1, 2)]
    """
    return [(a, b) for a, b in edges if not any((a, c) in edges and (c, b) in edges for _, c in edges)]


def _nearest(lengths: Mapping[Edge, Length]) -> dict[Edge, Length]:
    """For each column above others, how far it lies above the nearest of them."""
    found: dict[int, Edge] = {}
    for (a, b), length in lengths.items():
        if b not in found or length.mean < lengths[found[b]].mean:
            found[b] = a, b
    return {pair: lengths[pair] for pair in sorted(found.values())}
