"""From declared dependencies to rules on codes: public knowledge, known before any row is read.

Where no map is declared, that one column determines another says that there is a map, not which: nothing in a schema
tells which value of the one goes with which of the other. Such a dependency gives no impossible cells; it is passed on
for what it says (`FollowsFrom`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from understudy._core.errors import SchemaError
from understudy.schema._dependencies import Dependency, Determines, Impossible, InOrder, MissingWhen
from understudy.schema._field import Field
from understudy.schema._possible import refuse_contradictions
from understudy.schema._rules import Check, FollowsFrom, Mapped, Ordered, Rule, Together, Zeros

if TYPE_CHECKING:
    from understudy.schema._among import Among
    from understudy.schema._schema import Schema

Floats: TypeAlias = npt.NDArray[np.float64]

MOST_CELLS = 1 << 24
"""Rules about more cells are not made tables: rows are held against them one by one."""
_ALL_CELLS = 1 << 26  # of all tables together


def structural_zeros(schema: Schema) -> tuple[Zeros, ...]:
    """The tables of cells that some values could keep, for each set of columns that dependencies speak of.

    Values are taken as they are drawn from bins. Of an order, a cell is impossible if every value of the lower
    column's code is larger than every value of the upper one's; special values, "other" and "missing" are in no order.
    Raises SchemaError where the dependencies leave no row.

    >>> from understudy.schema import Schema
    >>> bounds = {"minimum": 0, "maximum": 9}
    >>> stay = {"type": "integer", "bins": 2, "constraints": {**bounds, "required": False}}
    >>> schema = Schema.from_dict({"fields": [{"name": "first", **stay}, {"name": "last", **stay}],
    ...     "dependencies": [{"lower": "first", "upper": "last"}]})
    >>> [(zeros.attributes, zeros.possible.astype(int).tolist()) for zeros in structural_zeros(schema)]
    [((0, 1), [[1, 1, 1], [0, 1, 1], [1, 1, 1]])]
    """
    return tuple(rule for rule in declared_rules(schema.fields, schema.dependencies) if isinstance(rule, Zeros))


def declared_rules(fields: Sequence[Field], dependencies: Sequence[Dependency]) -> tuple[Rule, ...]:
    """All that dependencies say of codes: cells that are impossible, and which column follows from others.

    Raises SchemaError where they leave no row.
    """
    found: dict[tuple[int, ...], Zeros] = {}
    follows: list[FollowsFrom] = []
    beyond: list[Check] = []
    cells = 0
    for rule in (one for dependency in dependencies for one in rules_of(fields, dependency)):
        if isinstance(rule, FollowsFrom):
            follows.append(rule)
            continue
        cells += rule.cells
        if rule.cells > MOST_CELLS or cells > _ALL_CELLS:
            _refuse_large_map(rule)
            cells -= rule.cells
            beyond.append(rule)
            continue
        zeros = rule.to_zeros()
        if before := found.get(zeros.scope):
            text = before.text if zeros.text in before.text.split("; ") else f"{before.text}; {zeros.text}"
            zeros = Zeros(zeros.scope, before.possible & zeros.possible, text)
        found[zeros.scope] = zeros
    tables = tuple(one for _, one in sorted(found.items()) if not one.possible.all())
    beyond += _chains(fields, [one for one in dependencies if isinstance(one, InOrder)])
    texts = Counter(one.text for one in dict.fromkeys(dependencies))
    refuse_contradictions(fields, tables, beyond, {text for text, times in texts.items() if times > 1})
    return (*tables, *follows, *beyond)


def checks_of(fields: Sequence[Field], dependencies: Sequence[Dependency]) -> list[tuple[Dependency, list[Check]]]:
    """For each dependency what tells of a row that was read whether it is kept; nothing where a map is not declared.

    >>> from understudy.schema import Schema
    >>> schema = Schema.from_dict({"fields": [{"name": n, "categories": ["no", "yes"]} for n in "ab"],
    ...     "dependencies": [{"impossible": {"a": "yes", "b": "yes"}}]})
    >>> [(never, [rule])] = checks_of(schema.fields, schema.dependencies)
    >>> rule.broken([np.array([0, 1]), np.array([1, 1])]).tolist()
    [False, True]
    """
    return [
        (one, [rule for rule in rules_of(fields, one, read=True) if not isinstance(rule, FollowsFrom)])
        for one in dependencies
    ]


def order_checks(schema: Schema) -> list[Check]:
    """What tells of drawn rows whether their codes leave values in order, as the bins of this schema have them.

    >>> from understudy.schema import Schema
    >>> day = {"type": "integer", "bins": 2, "constraints": {"minimum": 0, "maximum": 9}}
    >>> schema = Schema.from_dict({"fields": [{"name": "from", **day}, {"name": "to", **day}],
    ...     "dependencies": [{"lower": "from", "upper": "to"}]})
    >>> [rule.broken([np.array([0, 1]), np.array([0, 0])]).tolist() for rule in order_checks(schema)]
    [[False, True]]
    """
    orders = [one for one in schema.dependencies if isinstance(one, InOrder)]
    pairs = [rule for one in orders for rule in rules_of(schema.fields, one) if isinstance(rule, Ordered)]
    return [*pairs, *_chains(schema.fields, orders)]


def rules_of(
    fields: Sequence[Field], dependency: Dependency, *, read: bool = False
) -> list[Together | Ordered | Mapped | FollowsFrom]:
    """What one dependency says of codes: those of rows that are drawn, or that were read."""
    at = {field.name: a for a, field in enumerate(fields)}
    if isinstance(dependency, InOrder):
        pair = at[dependency.lower], at[dependency.upper]
        return [Ordered((pair,), {a: value_ends(fields[a], read=read) for a in pair}, dependency.text)]
    if isinstance(dependency, Determines):
        return _map_rules(fields, at, dependency)
    if isinstance(dependency, Impossible):
        return [_together(fields, at, dependency.conditions, dependency.text)]
    return [rule for name in dependency.missing for rule in _missing_rules(fields, at, dependency, name)]


def _together(fields: Sequence[Field], at: Mapping[str, int], conditions: Sequence[Among], text: str) -> Together:
    places = tuple(at[one.column] for one in conditions)
    return Together(places, tuple(one.flags(fields[a]) for a, one in zip(places, conditions, strict=True)), text)


def _missing_rules(
    fields: Sequence[Field], at: Mapping[str, int], dependency: MissingWhen, name: str
) -> list[Together | Ordered | Mapped | FollowsFrom]:
    """Never a value where all conditions hold, and never missing where one does not."""
    column = at[name]
    missing = np.arange(fields[column].size) == fields[column].missing_code
    both = _together(fields, at, dependency.when, dependency.text)
    found = [Together((*both.attributes, column), (*both.flagged, ~missing), dependency.text)]
    for a, flags in zip(both.attributes, both.flagged, strict=True):
        found.append(Together((a, column), (~flags, missing), dependency.text))
    return list(found)


def _map_rules(
    fields: Sequence[Field], at: Mapping[str, int], dependency: Determines
) -> list[Together | Ordered | Mapped | FollowsFrom]:
    by, column = tuple(at[name] for name in dependency.determines), at[dependency.column]
    unknown: list[Together | Ordered | Mapped | FollowsFrom] = [FollowsFrom(by, column, dependency.text)]
    if not dependency.table:
        return unknown
    sizes = [fields[a].size for a in by]
    if prod(sizes) > MOST_CELLS:
        raise SchemaError(
            f"the map of {dependency.text} would have {prod(sizes):,} lines; {MOST_CELLS:,} is the most. Leave the map "
            "out, or use coarser columns."
        )
    codes = {
        (one.column, one.items[0]): np.flatnonzero(one.flags(fields[at[one.column]])) for one in dependency.conditions
    }
    told, last = np.full(sizes, -1, dtype=np.int64), np.full(sizes, -1, dtype=np.int64)
    for *line, of in dependency.table:
        among = codes[dependency.column, of]
        cells = np.ix_(*(codes[pair] for pair in zip(dependency.determines, line, strict=True)))
        told[cells], last[cells] = among[0], among[-1]
    mapped = Mapped(by, column, fields[column].size, told, dependency.text, last)
    return [mapped, *(unknown if (told < 0).any() else [])]


def open_maps(
    fields: Sequence[Field], dependencies: Sequence[Dependency]
) -> tuple[tuple[FollowsFrom, Mapped | None], ...]:
    """The columns that others determine in a way that is not declared, or not for all; with what is declared of it.

    >>> from understudy.schema import Schema
    >>> schema = Schema.from_dict({"fields": [{"name": name, "type": "boolean"} for name in "ab"],
    ...     "dependencies": [{"determines": ["a"], "column": "b", "map": {"true": True}}]})
    >>> [(one.text, known.follows.tolist()) for one, known in open_maps(schema.fields, schema.dependencies)]
    [('a → b', [-1, 1])]
    """
    found = []
    for dependency in (one for one in dependencies if isinstance(one, Determines)):
        rules = rules_of(fields, dependency)
        known = next((rule for rule in rules if isinstance(rule, Mapped)), None)
        found += [(rule, known) for rule in rules if isinstance(rule, FollowsFrom)]
    return tuple(found)


def _refuse_large_map(rule: Rule) -> None:
    if isinstance(rule, Mapped):
        raise SchemaError(
            f"the dependency {rule.text} speaks of {rule.cells:,} pairs of values, more than the {MOST_CELLS:,} that a "
            "map may have. Use coarser columns, or leave the column that follows out of the table."
        )


def _chains(fields: Sequence[Field], orders: Sequence[InOrder]) -> list[Check]:
    """Orders that follow one another: in codes, each pair may be kept and all of them not."""
    at = {field.name: a for a, field in enumerate(fields)}
    pairs = list(dict.fromkeys((at[one.lower], at[one.upper]) for one in orders))
    found: list[Check] = []
    for part in _parts(pairs):
        if {a for a, _ in part} & {b for _, b in part}:
            involved = sorted({a for pair in part for a in pair})
            text = "; ".join(f"{fields[a].name} ≤ {fields[b].name}" for a, b in part)
            found.append(Ordered(tuple(_lowest_first(part)), {a: value_ends(fields[a]) for a in involved}, text))
    return found


def _lowest_first(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Pairs in an order in which all that is below an attribute comes before what it is below of."""
    left, found = list(pairs), []
    while left:
        ready = [pair for pair in left if not any(upper == pair[0] for _, upper in left)]
        if not ready:
            raise SchemaError("the declared orders go round in a circle. Leave one of them out.")
        found += ready
        left = [pair for pair in left if pair not in ready]
    return found


def _parts(pairs: Sequence[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Pairs that hang together."""
    found: list[list[tuple[int, int]]] = []
    for pair in pairs:
        touching = [part for part in found if any(set(pair) & set(other) for other in part)]
        found = [part for part in found if part not in touching]
        found.append([*(other for part in touching for other in part), pair])
    return found


def value_ends(field: Field, *, read: bool = False) -> tuple[Floats, Floats]:
    """The smallest and the largest value that each code of a column may come out with; NaN for those in no order.

    With `read`, that it may be read from: bins hold more numbers than are drawn, and the outermost may be clipped to.

    >>> from understudy.schema import Schema
    >>> schema = Schema.from_dict({"fields": [{"name": "age", "type": "integer", "bins": 2, "special": [-1],
    ...     "constraints": {"minimum": 0, "maximum": 9}}]})
    >>> [ends.tolist() for ends in value_ends(schema["age"])]
    [[0.0, 5.0, nan], [4.0, 9.0, nan]]
    """
    found = np.full((2, field.size), np.nan)
    if field.bins is None:
        found[:, : field.n_main] = [float(category.value) for category in field.categories]
        return found[0], found[1]
    for side, points, edges in zip(found, field.bins.grid, (field.bins.edges[:-1], field.bins.edges[1:]), strict=True):
        side[: field.n_main] = field.bins.values(points)
        if read and not field.bins.whole:
            side[: field.n_main] = [float(edge) for edge in edges]
    if read and field.outside == "clip":
        found[0][0], found[1][field.n_main - 1] = -np.inf, np.inf
    return found[0], found[1]
