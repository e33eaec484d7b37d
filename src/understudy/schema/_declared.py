"""The `dependencies` of a schema file: read, checked against the columns, every fault told at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from understudy._core.errors import did_you_mean
from understudy.schema._among import Among, read_among, starts_with
from understudy.schema._dependencies import FAMILIES, Dependency, Determines, Impossible, InOrder, MissingWhen
from understudy.schema._field import Field
from understudy.schema._file import misspelt
from understudy.schema._found import edges_at
from understudy.schema._limits import shown
from understudy.schema._written import written_text
from understudy.schema._zeros import open_maps

BrokenRows: TypeAlias = Literal["refuse", "drop", "mend"]
_BROKEN_ROWS: Mapping[str, BrokenRows] = {"refuse": "refuse", "drop": "drop", "mend": "mend"}
MOST_DEPENDENCIES = 1000
"""Of one schema."""
_KEYS = ("determines", "column", "map", "lower", "upper", "missing", "when", "impossible")
_SHAPES = (
    "{determines: [column, …], column: …}, {lower: column, upper: column}, {missing: [column, …], when: {column: …}} "
    "or {impossible: {column: …, column: …}}"
)


def parse_dependencies(raw: Any, fields: Sequence[Field], faults: list[str]) -> tuple[Dependency, ...]:
    """The declared dependencies, with a sentence added to `faults` for each one that makes no sense.

    >>> faults: list[str] = []
    >>> parse_dependencies([{"lower": "a", "upper": "b"}], [], faults)
    ()
    >>> faults[0]
    "dependency 1: there is no column 'a' in the schema. Known: ."
    """
    if raw is None:
        return ()
    if not isinstance(raw, Sequence) or isinstance(raw, str):
        faults.append(f"dependencies must be a list, each item {_SHAPES}.")
        return ()
    if len(raw) > MOST_DEPENDENCIES:
        faults.append(f"the schema declares {len(raw):,} dependencies; {MOST_DEPENDENCIES:,} is the most.")
        return ()
    by_name = {field.name: field for field in fields}
    parsed: list[Dependency] = []
    for position, item in enumerate(raw, 1):
        found: list[str] = []
        dependency = _parse(item, found)
        if dependency is not None and not found:
            found += _columns_faults(dependency, by_name)
            found += [] if found else _kind_faults(dependency, by_name)
        faults.extend(f"dependency {position}: {fault}" for fault in dict.fromkeys(found))
        if dependency is not None and not found:
            parsed.append(dependency)
    faults.extend(_torn(parsed, fields))
    faults.extend(_two_maps([one for one in parsed if isinstance(one, Determines)]))
    faults.extend(_circles([one for one in parsed if isinstance(one, InOrder)]))
    return tuple(parsed)


def _torn(parsed: Sequence[Dependency], fields: Sequence[Field]) -> list[str]:
    """A sentence for each range that is to have one value for a code, which nobody knows, and to keep an order too."""
    ordered = {name for one in parsed if isinstance(one, InOrder) for name in one.columns}
    ranges = {field.name for field in fields if field.bins is not None or field.automatic}
    loose = [one for one in parsed if isinstance(one, Determines) and one.column in ordered & ranges]
    cut = with_cuts(fields, loose)
    return [
        f"'{one.text}': column '{one.column}' has a range and stands in an order as well. Which value goes with each "
        "combination is not known then, so that both cannot be kept: declare a map of all combinations, or leave one "
        "of them out."
        for one in loose
        if open_maps(cut, [one])
    ]


def broken_rows(properties: Mapping[str, Any], faults: list[str]) -> BrokenRows:
    """What a schema says is to become of real rows that break a dependency: `refuse` unless it says otherwise.

    >>> broken_rows({}, []), broken_rows({"brokenRows": "mend"}, [])
    ('refuse', 'mend')
    """
    said = properties.get("brokenRows", "refuse")
    if not isinstance(said, str) or said not in _BROKEN_ROWS:
        faults.append(f"schema: brokenRows must be one of refuse, drop, mend; got {shown(said)}.")
        return "refuse"
    return _BROKEN_ROWS[said]


def with_cuts(fields: Sequence[Field], dependencies: Sequence[Dependency]) -> tuple[Field, ...]:
    """The fields, those with automatic bins so that none of them holds values on both sides of a condition.

    >>> from understudy.schema import Schema
    >>> ages = {"name": "age", "type": "integer", "bins": "auto", "constraints": {"minimum": 0, "maximum": 99}}
    >>> schema = Schema.from_dict({"fields": [ages, {"name": "drives", "type": "boolean"}],
    ...     "dependencies": [{"impossible": {"age": "..13", "drives": True}}]})
    >>> schema["age"].cuts, [label for label in schema["age"].labels if "13" in label]
    ((14,), ['13'])
    """
    wanted: dict[str, set[int]] = {}
    automatic = {field.name: field for field in fields if field.automatic}
    for condition in (one for dependency in dependencies for one in dependency.conditions):
        if condition.column in automatic:
            wanted.setdefault(condition.column, set()).update(condition.cuts(automatic[condition.column]))
    found = []
    for field in fields:
        if field.bins is not None and (cuts := tuple(sorted(wanted.get(field.name, ())))):
            starts = starts_with(field.bins, cuts)
            whole = replace(field.bins, edges=(field.bins.edges[0], field.bins.edges[-1]))
            field = replace(field, bins=replace(whole, edges=edges_at(whole, starts)), cuts=cuts)
        found.append(field)
    return tuple(found)


def _parse(item: Any, faults: list[str]) -> Dependency | None:
    if isinstance(item, Mapping):
        misspelling: list[str] = []
        misspelt(dict(item), _KEYS, "", misspelling)
        faults.extend(fault.removeprefix(": ") for fault in misspelling)
        given = {key for key in _KEYS if item.get(key) not in (None, [], "", {})}
        if given == {"lower", "upper"}:
            return InOrder(lower=written_text(item["lower"]), upper=written_text(item["upper"]))
        if given - {"map"} == {"determines", "column"}:
            names, column = _names(item["determines"]), written_text(item["column"])
            return Determines(determines=names, column=column, table=_table(item.get("map"), names, faults))
        if given == {"missing", "when"} and isinstance(item["when"], Mapping):
            return MissingWhen(missing=_names(item["missing"]), when=_conditions(item["when"], faults))
        if given == {"impossible"} and isinstance(item["impossible"], Mapping):
            return Impossible(conditions=_conditions(item["impossible"], faults))
    faults.append(f"expected {_SHAPES}.")
    return None


def _names(listed: Any) -> tuple[str, ...]:
    return tuple(map(written_text, listed if isinstance(listed, list | tuple) else [listed]))


def _conditions(written: Mapping[Any, Any], faults: list[str]) -> tuple[Among, ...]:
    found = tuple(read_among(written_text(name), value) for name, value in written.items())
    for one in found:
        if not one.items:
            faults.append(f"the list of values of '{one.column}' is empty.")
        elif any(isinstance(item, Mapping | list | tuple | set) for item in one.items):
            faults.append(f"'{one.column}' needs a value, a range such as ..13, or a list of them.")
    return found


def _table(written: Any, names: tuple[str, ...], faults: list[str]) -> tuple[tuple[Any, ...], ...]:
    """The lines of a declared map: `{code: group}`, or for several columns a list of lists."""
    if written is None:
        return ()
    if isinstance(written, Mapping) and len(names) == 1:
        lines: list[tuple[Any, ...]] = list(written.items())
    elif isinstance(written, list | tuple) and all(isinstance(line, list | tuple) for line in written):
        lines = [tuple(line) for line in written]
    else:
        lines = [()]
    if any(len(line) != len(names) + 1 for line in lines):
        shape = "{code: group, …}" if len(names) == 1 else "a list of lines [value, …, group]"
        faults.append(f"map must be {shape}, with a value for each column it names.")
        return ()
    if any(isinstance(value, Mapping | list | tuple | set) for line in lines for value in line):
        faults.append("map holds a list or mapping where a value was expected.")
        return ()
    return tuple(lines)


def _columns_faults(dependency: Dependency, by_name: Mapping[str, Field]) -> list[str]:
    found, columns = [], dependency.columns
    for name in dict.fromkeys(columns):
        if name not in by_name:
            found.append(f"there is no column '{name}' in the schema. {did_you_mean(name, by_name)}")
        elif columns.count(name) > 1:
            found.append(f"it names column '{name}' twice. Name each column once.")
    return found


def _kind_faults(dependency: Dependency, by_name: Mapping[str, Field]) -> list[str]:
    fields = [by_name[name] for name in dependency.columns]
    if any(field.lacks for field in fields):  # told of drafts elsewhere, and only once they are to be used
        return []
    if isinstance(dependency, InOrder):
        return _order_faults(*fields)
    found = _condition_faults(dependency, by_name)
    if isinstance(dependency, MissingWhen):
        found += [fault for name in dependency.missing for fault in _missing_faults(by_name[name])]
    elif isinstance(dependency, Impossible) and len(fields) < 2:
        found.append(
            f"a combination needs two columns or more. A value that '{fields[0].name}' never has is none of its domain."
        )
    elif isinstance(dependency, Determines) and not found:
        found += _map_faults(dependency, by_name)
    return found


def _order_faults(lower: Field, upper: Field) -> list[str]:
    families = [FAMILIES.get(field.type) for field in (lower, upper)]
    if families[0] is None or families[0] != families[1]:
        return [
            f"columns '{lower.name}' ({lower.type}) and '{upper.name}' ({upper.type}) cannot be put in order. "
            "lower and upper must both be numbers, both dates or both datetimes."
        ]
    if lower.form.timezone != upper.form.timezone:
        zones = " and ".join(f"'{field.name}' ({field.form.timezone or 'none'})" for field in (lower, upper))
        return [f"clocks of two time zones cannot be put in order: {zones}. Give both columns one timezone."]
    return [fault for field in (lower, upper) for fault in _size_faults(field)]


def _size_faults(field: Field) -> list[str]:
    """Orders are looked at in floats, which do not tell whole numbers beyond 2⁵³ from their neighbours."""
    if field.bins is None or not field.bins.whole:
        return []
    largest, step = max(abs(field.bins.minimum), abs(field.bins.maximum)), field.form.step
    if largest <= 2**53 * (step & -step):
        return []
    return [
        f"column '{field.name}' reaches beyond 2^53 ({2**53:,}), where numbers cannot be put in order for certain. "
        "Give it a smaller range, or count in larger units."
    ]


def _condition_faults(dependency: Dependency, by_name: Mapping[str, Field]) -> list[str]:
    found = []
    for one in dependency.conditions:
        field = by_name[one.column]
        try:
            flags = one.flags(field if not field.automatic else with_cuts([field], [Impossible(conditions=(one,))])[0])
        except ValueError as error:
            found.append(f"{str(error).rstrip('.')}.")
            continue
        if flags.all() and not isinstance(dependency, Determines):
            found.append(f"{one.text} holds for every value of '{one.column}', so it says nothing. Leave it out.")
        if field.missing_code is not None and flags[field.missing_code]:
            found += _empty_faults(field)
    return found


def _missing_faults(field: Field) -> list[str]:
    if field.missing_code is None:
        said = "is required" if field.required else "has no missing values in its domain"
        return [
            f"column '{field.name}' {said}, so it cannot be missing where the rule says so. Set constraints: "
            "{required: false}."
        ]
    return _empty_faults(field)


def _empty_faults(field: Field) -> list[str]:
    """Cells that come out empty and are not missing would break a rule about missing ones."""
    if field.other_code is None or field.type == "string":
        return []
    return [
        f"column '{field.name}' has outside: other, and such values are written as empty cells, like missing ones. "
        "Set outside: clip or outside: error."
    ]


def _map_faults(dependency: Determines, by_name: Mapping[str, Field]) -> list[str]:
    seen: dict[tuple[Any, ...], Any] = {}
    for *by, of in dependency.table:
        key = tuple(map(written_text, by))
        if key in seen:
            return [f"map has {shown(' × '.join(key))} twice."]
        seen[key] = of
    return []


def _two_maps(maps: Sequence[Determines]) -> list[str]:
    """A sentence for each map that is declared again with another value for the same combination."""
    seen: dict[tuple[str, frozenset[tuple[str, str]]], str] = {}
    faults: dict[str, str] = {}
    for one in maps:
        for *by, of in one.table:
            combination = frozenset(zip(one.determines, map(written_text, by), strict=True))
            if seen.setdefault((one.column, combination), written_text(of)) != written_text(of):
                named = shown(" × ".join(map(written_text, by)))
                said = f"{one.text} is declared more than once, in different ways, so that no row could have {named}."
                faults.setdefault(one.text, f"{said} Keep one map.")
    return list(faults.values())


def _circles(orders: Sequence[InOrder]) -> list[str]:
    """A sentence if columns are declared to be below themselves."""
    left: dict[str, list[str]] = {}
    for one in orders:
        left.setdefault(one.lower, []).append(one.upper)
    while outer := [name for name, uppers in left.items() if not any(upper in left for upper in uppers)]:
        left = {name: uppers for name, uppers in left.items() if name not in outer}
    if not left:
        return []
    path = [min(left)]
    while path.count(path[-1]) == 1:  # everything that is left has something left above it
        path.append(next(upper for upper in left[path[-1]] if upper in left))
    circle = " ≤ ".join(path[path.index(path[-1]) :])
    return [
        f"the dependencies {circle} go round in a circle, so these columns would all be equal. Leave one of them out, "
        "or keep a single column."
    ]
