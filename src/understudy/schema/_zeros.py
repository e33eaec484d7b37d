"""Cells that a declared dependency leaves no value for: public knowledge, known before any row is read.

Only order (`lower`, `upper`) says which cells those are. That one column determines another says that there is a map,
not which: nothing in a schema tells which value of the one goes with which of the other, taxonomies group the values of
one column and name no groups. So `determines` gives no zeros; it is passed on for what it says (`FollowsFrom`).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from understudy._core.errors import SchemaError
from understudy.schema._bins import Bins
from understudy.schema._dependencies import Dependency, Determines, InOrder
from understudy.schema._field import Field
from understudy.schema._rules import Flags, FollowsFrom, NotInCodes, Rule, Zeros

if TYPE_CHECKING:
    from understudy.schema._schema import Schema

Floats: TypeAlias = npt.NDArray[np.float64]

MOST_CELLS = 1 << 24
"""Pairs of columns with more cells are left alone: no table over them is ever made."""


def structural_zeros(schema: Schema) -> tuple[Zeros, ...]:
    """For each pair of columns that the schema declares to be in order, the cells that some values could keep.

    A cell is impossible if every value of the lower column's code is larger than every value of the upper one's.
    Special values, "other" and "missing" are never impossible, and where values outside the range are clipped the
    outermost bins reach as far as values can. Raises SchemaError where two columns leave no cell at all.

    >>> from understudy.schema import Schema
    >>> bounds = {"minimum": 0, "maximum": 9}
    >>> stay = {"type": "integer", "bins": 2, "constraints": {**bounds, "required": False}}
    >>> schema = Schema.from_dict({"fields": [{"name": "first", **stay}, {"name": "last", **stay}],
    ...     "dependencies": [{"lower": "first", "upper": "last"}]})
    >>> [(zeros.attributes, zeros.possible.astype(int).tolist()) for zeros in structural_zeros(schema)]
    [((0, 1), [[1, 1, 1], [0, 1, 1], [1, 1, 1]])]
    """
    return _zeros(schema.fields, schema.dependencies)


def declared_rules(fields: Sequence[Field], dependencies: Sequence[Dependency]) -> tuple[Rule, ...]:
    """All that dependencies say of codes: cells that are impossible, and which column follows from others.

    Raises SchemaError where they leave no row.
    """
    names = [field.name for field in fields]
    follows = tuple(
        FollowsFrom(tuple(names.index(name) for name in one.determines), names.index(one.column), one.text)
        for one in dependencies
        if isinstance(one, Determines)
    )
    beyond = tuple(
        NotInCodes(tuple(sorted(map(names.index, one.columns))), one.text)
        for one in dependencies
        if isinstance(one, InOrder) and not _in_codes(*(fields[names.index(name)] for name in one.columns))
    )
    return (*_zeros(fields, dependencies), *follows, *beyond)


def _in_codes(lower: Field, upper: Field) -> bool:
    """Whether an order can be told by a table of codes; clocks of two time zones are not in order as they show it."""
    return lower.size * upper.size <= MOST_CELLS and lower.form.timezone == upper.form.timezone


def _zeros(fields: Sequence[Field], dependencies: Sequence[Dependency]) -> tuple[Zeros, ...]:
    at = {field.name: a for a, field in enumerate(fields)}
    found: dict[tuple[int, int], Zeros] = {}
    for dependency in dependencies:
        if not isinstance(dependency, InOrder):
            continue
        lower, upper = fields[at[dependency.lower]], fields[at[dependency.upper]]
        if not _in_codes(lower, upper):
            continue
        possible = _possible(lower, upper)
        if not possible.any():
            raise SchemaError(
                f"the dependency {dependency.text} leaves no row: every value of '{lower.name}' is larger than every "
                f"value of '{upper.name}'. Mend their ranges, or leave the dependency out."
            )
        first, second = at[lower.name], at[upper.name]
        pair, table = ((first, second), possible) if first < second else ((second, first), possible.T)
        text = dependency.text
        if pair in found:
            table, text = found[pair].possible & table, f"{found[pair].text}, {text}"
        found[pair] = Zeros(pair, np.array(table), text)
    zeros = tuple(one for _, one in sorted(found.items()) if not one.possible.all())
    _refuse_contradictions(fields, zeros)
    _refuse_ranges(fields, [(at[one.lower], at[one.upper]) for one in dependencies if isinstance(one, InOrder)])
    return zeros


def _refuse_contradictions(fields: Sequence[Field], zeros: Sequence[Zeros]) -> None:
    """Refuse rules that no row keeps together: codes that lost all partners are taken away until none does.

    Of orders that is the whole truth: if every column keeps a code, the largest codes left, or those that are in no
    order, keep them all.
    """
    left = [np.ones(field.size, dtype=np.bool_) for field in fields]
    changed = True
    while changed:
        changed = False
        for one in zeros:
            a, b = one.attributes
            both = one.possible & left[a][:, None] & left[b][None, :]
            for attribute, axis in ((a, 1), (b, 0)):
                kept = np.asarray(both.any(axis=axis))
                if (kept != left[attribute]).any():
                    left[attribute], changed = kept, True
                if not kept.any():
                    texts = ", ".join(rule.text for rule in zeros)
                    raise SchemaError(
                        f"the dependencies {texts} together leave no row: no value of '{fields[attribute].name}' "
                        "keeps them. Mend the ranges, or leave one of them out."
                    )


def _refuse_ranges(fields: Sequence[Field], edges: Sequence[tuple[int, int]]) -> None:
    """Refuse orders that no values keep, whatever the bins: in a chain each begins where the one before may begin."""
    # special values, "other" and missing are in no order, and a row may have them
    bound = [(a, b) for a, b in edges if all(fields[i].size == fields[i].n_main for i in (a, b))]
    bound = [(a, b) for a, b in bound if fields[a].form.timezone == fields[b].form.timezone]
    least = {i: float(_lowest(fields[i])[0].min()) for edge in bound for i in edge}
    for _ in fields:
        for a, b in bound:
            least[b] = max(least[b], least[a])
    for a, b in bound:
        if least[b] > float(_highest(fields[b])[0].max()):
            raise SchemaError(
                f"the dependencies together leave no row: no value of '{fields[b].name}' is as large as those that "
                f"come before it in order, such as '{fields[a].name}'. Mend the ranges, or leave one of them out."
            )


def _possible(lower: Field, upper: Field) -> Flags:
    """Whether some value of a code of the one is at most some value of a code of the other."""
    low, low_reached = _lowest(lower)
    high, high_reached = _highest(upper)
    at_most: Flags = low[:, None] < high[None, :]
    equal = (low[:, None] == high[None, :]) & low_reached[:, None] & high_reached[None, :]
    possible = np.ones((lower.size, upper.size), dtype=np.bool_)
    possible[: lower.n_main, : upper.n_main] = at_most | equal
    return possible


def _lowest(field: Field) -> tuple[Floats, Flags]:
    """For each category or bin its smallest value, and whether it is reached or only come near to."""
    if field.bins is None:
        return _own(field)
    low, reached = _low_ends(field.bins)
    if field.outside == "clip":
        low[0] = -inf
    return low, reached


def _highest(field: Field) -> tuple[Floats, Flags]:
    if field.bins is None:
        return _own(field)
    high, reached = _high_ends(field.bins)
    if field.outside == "clip":
        high[-1] = inf
    return high, reached


def _own(field: Field) -> tuple[Floats, Flags]:
    return np.array([float(c.value) for c in field.categories]), np.ones(field.n_main, dtype=np.bool_)


def _low_ends(bins: Bins) -> tuple[Floats, Flags]:
    if bins.whole:
        return np.array([float(first) for first, _ in bins.spans]), np.ones(bins.count, dtype=np.bool_)
    reached = np.full(bins.count, bins.closed == "left")
    reached[0] = True
    return np.array([float(edge) for edge in bins.edges[:-1]]), reached


def _high_ends(bins: Bins) -> tuple[Floats, Flags]:
    if bins.whole:
        return np.array([float(last) for _, last in bins.spans]), np.ones(bins.count, dtype=np.bool_)
    reached = np.full(bins.count, bins.closed == "right")
    reached[-1] = True
    return np.array([float(edge) for edge in bins.edges[1:]]), reached
