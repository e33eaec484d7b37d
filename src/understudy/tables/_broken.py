"""Real rows that break what the schema declares of rows: told to the holder, left out, or mended, one row at a time.

What becomes of a row depends on that row and on the schema alone, so two tables that differ in one row differ in one
row at most afterwards (privacy/proof.md, section 16).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from understudy._core.errors import TableError
from understudy.schema import (
    BrokenRows,
    Check,
    Dependency,
    Determines,
    Field,
    Impossible,
    InOrder,
    Mapped,
    MissingWhen,
    Together,
    checks_of,
    value_ends,
)
from understudy.tables._table import Table

Columns: TypeAlias = "list[npt.NDArray[Any]]"
Flags: TypeAlias = npt.NDArray[np.bool_]
Checked: TypeAlias = "list[tuple[Dependency, list[Check]]]"
FIRST_ROWS = 5
"""Of rows that break something so many are named."""


def keep_declared(
    table: Table, fields: Sequence[Field], dependencies: Sequence[Dependency], policy: BrokenRows, *, dropping: bool
) -> tuple[Table, Flags]:
    """The table as it is to be counted, and which of its rows are left. `fields` are those that its codes are of.

    Without `dropping`, rows that no mending helps are refused as well: where the number of rows is public, none may go.

    Raises TableError, for the holder alone, if rows break a dependency and that is not allowed.

    >>> from understudy.schema import Schema
    >>> schema = Schema.from_dict({"fields": [{"name": n, "categories": ["no", "yes"]} for n in "ab"],
    ...     "dependencies": [{"impossible": {"a": "yes", "b": "yes"}}]})
    >>> table = Table(schema.domain, (np.array([0, 1, 1]), np.array([1, 1, 0])))
    >>> kept, left = keep_declared(table, schema.fields, schema.dependencies, "drop", dropping=True)
    >>> kept.n, left.tolist()
    (2, [True, False, True])
    """
    checked = [(one, checks) for one, checks in checks_of(fields, dependencies) if checks]
    every = np.ones(table.n, dtype=np.bool_)
    if not checked:
        return table, every
    columns: Columns = list(table.columns)
    if policy == "mend":
        columns = _mended(columns, fields, checked)
    left = ~_broken(columns, checked)
    if not left.all() and (policy == "refuse" or not dropping):
        raise TableError(*broken_faults(columns, checked, policy))
    if not left.any():
        raise TableError("every row breaks what the schema declares of rows. Mend the schema, or the table.")
    return Table(table.domain, tuple(column[left] for column in columns)), left


def broken_faults(columns: Columns, checked: Checked, policy: BrokenRows) -> list[str]:
    """A sentence for each dependency that rows break: how many, and which are the first."""
    found = []
    for dependency, checks in checked:
        rows = np.flatnonzero(broken_flags(columns, checks))
        if len(rows):
            found.append(broken_sentence(dependency.text, len(rows), (rows[:FIRST_ROWS] + 1).tolist(), policy))
    return found


def broken_sentence(text: str, count: int, rows: Sequence[int], policy: BrokenRows, *, checking: bool = False) -> str:
    """What to tell the holder of rows that break a dependency: on publishing, or when a table is but checked.

    >>> print(broken_sentence("a ≤ b", 1, [3], "refuse"))
    1 row breaks the dependency a ≤ b (row 3). Correct it, or the schema if what it declares is not so. brokenRows: \
drop or mend is to be settled before the data are seen: chosen because of what they hold, it is a look at them that no \
budget covers.
    """
    one = count == 1
    more = ", …" if count > len(rows) else ""
    which = f"row{'' if one else 's'} {', '.join(map(str, rows))}{more}"
    it = "it" if one else "them"
    if policy == "refuse":
        advice = (
            f"Correct {it}, or the schema if what it declares is not so. brokenRows: drop or mend is to be settled "
            "before the data are seen: chosen because of what they hold, it is a look at them that no budget covers."
        )
    elif checking:
        becomes = "left out" if policy == "drop" else "mended, or left out where nothing helps"
        advice = (
            f"{it.replace('them', 'they').capitalize()} will be {becomes}, as brokenRows: {policy} in the schema says."
        )
    else:
        advice = (
            f"Nothing mends {it}, and where the number of rows is public none may be left out: correct {it}, or keep "
            "that number private (neighbours add-remove)."
        )
    return f"{count:,} row{' breaks' if one else 's break'} the dependency {text} ({which}). {advice}"


def broken_flags(columns: Columns, checks: Sequence[Check]) -> Flags:
    """Which rows break any of some checks."""
    return np.asarray(reduce(np.logical_or, (check.broken(columns) for check in checks)))


def _broken(columns: Columns, checked: Checked) -> Flags:
    return np.asarray(reduce(np.logical_or, (broken_flags(columns, checks) for _, checks in checked)))


def _mended(columns: Columns, fields: Sequence[Field], checked: Checked) -> Columns:
    """Each broken dependency mended in turn, as often as one may undo another; all others rows stay as they are."""
    columns = [np.array(column) for column in columns]
    rows = np.flatnonzero(_broken(columns, checked))
    for _ in range(len(checked) + 1):
        if not len(rows):
            break
        part: Columns = [column[rows] for column in columns]
        for dependency, checks in checked:
            _mend(part, fields, dependency, checks)
        for column, mended in zip(columns, part, strict=True):
            column[rows] = mended
        rows = rows[_broken(part, checked)]
    return columns


def _mend(part: Columns, fields: Sequence[Field], dependency: Dependency, checks: Sequence[Check]) -> None:
    at = {field.name: a for a, field in enumerate(fields)}
    broken = broken_flags(part, checks)
    if isinstance(dependency, InOrder):
        lower, upper = at[dependency.lower], at[dependency.upper]
        raised = _least_above(fields[lower], fields[upper])[part[lower]]
        part[upper] = np.where(broken & (raised >= 0), raised, part[upper])
    elif isinstance(dependency, Determines):
        for check in checks:
            if isinstance(check, Mapped):
                told = check.follows[tuple(part[a] for a in check.by)]
                part[check.attribute] = np.where(broken & (told >= 0), told, part[check.attribute])
    elif isinstance(dependency, MissingWhen):
        held = reduce(
            np.logical_and, (one.flags(fields[at[one.column]])[part[at[one.column]]] for one in dependency.when)
        )
        for name in dependency.missing:
            if (missing := fields[at[name]].missing_code) is not None:
                part[at[name]] = np.where(held, missing, part[at[name]])
    elif isinstance(dependency, Impossible):
        for check in checks:
            if isinstance(check, Together):
                _blank(part, fields, check, broken)


def _blank(part: Columns, fields: Sequence[Field], check: Together, broken: Flags) -> None:
    """The last column that may be missing is; nothing if there is none."""
    for a, flags in zip(reversed(check.attributes), reversed(check.flagged), strict=True):
        missing = fields[a].missing_code
        if missing is not None and not flags[missing]:
            part[a] = np.where(broken, missing, part[a])
            return


def _least_above(lower: Field, upper: Field) -> npt.NDArray[np.int64]:
    """For each code of the lower column the nearest code of the upper one that is not below it; −1 if none is."""
    low, high = value_ends(lower, read=True)[0], value_ends(upper, read=True)[1]
    order = np.argsort(high[: upper.n_main], kind="stable")
    place = np.searchsorted(high[order], low[: lower.n_main])
    found = np.full(lower.size, -1, dtype=np.int64)
    found[: lower.n_main] = np.where(place < len(order), order[np.minimum(place, len(order) - 1)], -1)
    return found
