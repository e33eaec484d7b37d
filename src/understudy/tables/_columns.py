"""The columns of a table against those of its schema.

A file may lack a header, and then its "names" are the cells of a private row. So names of the table that the schema
does not have are shown only where at least half of the schema's columns were found.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from understudy._core.errors import did_you_mean
from understudy.schema import Schema

_ONE_COLUMN = (
    " It was read as one column: cells of a CSV file may be parted by a comma, a semicolon, a tab or |, and by nothing "
    "else."
)
_MOST_NEAR = 40  # names to look up: each is held against all others, so a wide table of something else takes minutes


def column_faults(names: Sequence[str], schema: Schema) -> list[str]:
    """What is wrong with a table's column names: empty, twice, not in the schema, or missing from the table.

    >>> schema = Schema.from_dict({"fields": [{"name": "sex", "type": "boolean"}, {"name": "ill", "type": "boolean"}]})
    >>> column_faults(["sexx", "ill"], schema)
    ["the table has no column 'sex', which the schema declares. Did you mean its column 'sexx'? Rename one of the two."]
    """
    there, declared = set(names), set(schema.names)
    missing = [name for name in schema.names if name not in there]
    extra = [name for name in dict.fromkeys(names) if name and name not in declared]
    shown = 2 * len(missing) <= len(schema.names)
    faults = [f"column {i} has no name. Give it one in the header." for i, name in enumerate(names, 1) if not name]
    faults += _repeated(names, there if shown else declared)
    if len(missing) == len(schema.names):
        return [*faults, _no_header(names, schema)]
    if not shown:
        faults += [f"the table has no column '{name}', which the schema declares." for name in missing]
        return faults if schema.extra_columns_allowed or not extra else [*faults, _unnamed(len(extra))]
    return faults + _unmatched(missing, extra, names, schema)


def _unmatched(missing: list[str], extra: list[str], names: Sequence[str], schema: Schema) -> list[str]:
    faults = []
    unclaimed = list(extra)
    looked = len(missing) + len(extra) <= _MOST_NEAR
    for name in missing:
        near = get_close_matches(name, unclaimed, n=1) if looked else []
        near = near or (extra if len(missing) == len(extra) == 1 else [])
        said = f"the table has no column '{name}', which the schema declares."
        if near:  # one name written in two ways is one fault
            unclaimed.remove(near[0])
            faults.append(f"{said} Did you mean its column '{near[0]}'? Rename one of the two.")
        else:
            faults.append(f"{said} {did_you_mean(name, names)}" if looked else said)
    if not schema.extra_columns_allowed:
        faults += [
            f"the schema says nothing about column '{name}'. Declare it, or remove it from the table "
            "(or set fieldsMatch: subset to leave such columns out)."
            + (f" {did_you_mean(name, schema.names)}" if looked else "")
            for name in unclaimed
        ]
    return faults


def _repeated(names: Sequence[str], shown: set[str]) -> list[str]:
    faults = []
    found: dict[str, list[str]] = {}
    for i, name in enumerate(names, 1):
        found.setdefault(name, []).append(str(i))
    for name, places in found.items():
        if name and len(places) > 1:
            same = f"column name '{name}' appears {len(places)} times"
            same = same if name in shown else f"columns {', '.join(places[:-1])} and {places[-1]} have the same name"
            faults.append(f"{same}. Column names must differ.")
    return faults


def _no_header(names: Sequence[str], schema: Schema) -> str:
    if len(names) == 1 and (mark := _parted_by(names[0], set(schema.names))):
        return (
            f"the table was read as one column, '{names[0]}': its first line has the names that the schema declares, "
            f"parted by {mark!r}. Write the file with a comma, a semicolon, a tab or | between its cells."
        )
    listed = ", ".join(f"'{name}'" for name in schema.names[:5]) + (", …" if len(schema.names) > 5 else "")
    return (
        f"the table has none of the columns that the schema declares ({listed}). Does its first line name the columns? "
        "If it has such a header, this is a table or a schema of something else."
        + (_ONE_COLUMN if len(names) == 1 < len(schema.names) else "")
    )


def _parted_by(line: str, declared: set[str]) -> str | None:
    """The mark between names that the schema declares, where they all stand in one name, which then is no secret."""
    for mark in sorted({c for c in line if not c.isalnum() and c != "_"}):
        if len(parts := line.split(mark)) > 1 and all(part.strip(' "') in declared for part in parts):
            return mark
    return None


def _unnamed(count: int) -> str:
    what = "a column" if count == 1 else f"{count} columns"
    return (
        f"the table has {what} about which the schema says nothing. Names are not shown: with most of the declared "
        "columns missing, the first line may be a row of data."
    )
