"""Real rows that break what the schema declares of rows: told to the holder, left out, or mended, one row at a time.

What becomes of a row depends on that row and on the schema alone, so two tables that differ in one row differ in one
row at most afterwards (privacy/proof.md, section 16).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple, TypeAlias

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
    sieve = DeclaredRows(fields=fields, dependencies=dependencies, policy=policy, dropping=dropping).sieve()
    columns, left = sieve.take(list(table.columns))
    sieve.raise_faults()
    return (table if left.all() and policy != "mend" else Table(table.domain, tuple(columns))), left


@dataclass(frozen=True, kw_only=True)
class DeclaredRows:
    """What is declared of rows of these fields, and what becomes of a row that breaks it.

    >>> from understudy.schema import Schema
    >>> schema = Schema.from_dict({"fields": [{"name": n, "categories": ["no", "yes"]} for n in "ab"],
    ...     "dependencies": [{"impossible": {"a": "yes", "b": "yes"}}]})
    >>> declared = DeclaredRows(fields=schema.fields, dependencies=schema.dependencies, policy="drop", dropping=True)
    >>> sieve = declared.sieve()
    >>> sieve.take([np.array([0, 1]), np.array([1, 1])])[1].tolist()
    [True, False]
    >>> sieve.take([np.array([1]), np.array([0])])[1].tolist()
    [True]
    """

    fields: Sequence[Field]
    dependencies: Sequence[Dependency]
    policy: BrokenRows
    dropping: bool
    """Whether rows may go: not where their number is public."""

    @property
    def mends(self) -> bool:
        """Whether rows may have to be changed, by what is declared alone: not by whether any row breaks it."""
        return self.policy == "mend" and any(checks for _, checks in checks_of(self.fields, self.dependencies))

    def keep(self, table: Table) -> tuple[Table, Flags]:
        """The table as it is to be counted, and which of its rows are left."""
        return keep_declared(table, self.fields, self.dependencies, self.policy, dropping=self.dropping)

    def sieve(self) -> Sieve:
        """For rows that come in batches."""
        return Sieve(self)


class SieveNote(NamedTuple):
    """What a sieve found in a part of a table: rows seen, rows left, and how many broke which dependency. Private."""

    seen: int
    left: int
    broken: tuple[tuple[int, tuple[int, ...]], ...]


class Sieve:
    """Lets rows through batch by batch, mended where that was asked for, and remembers which were broken."""

    def __init__(self, declared: DeclaredRows) -> None:
        self._declared = declared
        self._checked = [(one, checks) for one, checks in checks_of(declared.fields, declared.dependencies) if checks]
        self._seen, self._left = 0, 0
        self._broken: list[tuple[int, list[int]]] = [(0, []) for _ in self._checked]

    def take(self, columns: Columns) -> tuple[Columns, Flags]:
        """The rows of the next batch that are left, and which they are."""
        n = len(columns[0])
        left = np.ones(n, dtype=np.bool_)
        if self._checked:
            if self._declared.policy == "mend":
                columns = _mended(columns, self._declared.fields, self._checked)
            left = ~_broken(columns, self._checked)
            if not left.all():
                self._note(columns)
                columns = [column[left] for column in columns]
        self._seen += n
        self._left += int(left.sum())
        return columns, left

    def raise_faults(self) -> None:
        """Raise TableError, once all rows came, if some broke what is declared and may not."""
        if self._left == self._seen:
            return
        if self._declared.policy == "refuse" or not self._declared.dropping:
            raise TableError(
                *(
                    broken_sentence(dependency.text, count, rows, self._declared.policy)
                    for (dependency, _), (count, rows) in zip(self._checked, self._broken, strict=True)
                    if count
                )
            )

    @property
    def noted(self) -> SieveNote:
        """What was found so far, to be put together with what others found in other parts of the table."""
        return SieveNote(self._seen, self._left, tuple((count, tuple(rows)) for count, rows in self._broken))

    def add(self, later: SieveNote) -> None:
        """Take in what was found in the part of the table that comes next."""
        for place, (count, rows) in enumerate(later.broken):
            before, first = self._broken[place]
            self._broken[place] = before + count, [*first, *(row + self._seen for row in rows)][:FIRST_ROWS]
        self._seen += later.seen
        self._left += later.left

    def _note(self, columns: Columns) -> None:
        for place, (_, checks) in enumerate(self._checked):
            found = np.flatnonzero(broken_flags(columns, checks))
            count, rows = self._broken[place]
            self._broken[place] = (
                count + len(found),
                [*rows, *(found[:FIRST_ROWS] + self._seen + 1).tolist()][:FIRST_ROWS],
            )


def broken_sentence(text: str, count: int, rows: Sequence[int], policy: BrokenRows, *, checking: bool = False) -> str:
    """What to tell the holder of rows that break a dependency: on publishing, or when a table is but checked.

    >>> print(broken_sentence("a ≤ b", 1, [3], "refuse"))
    1 row breaks the dependency a ≤ b (row 3). Correct it, or the schema if what it declares is not so. brokenRows: \
drop or mend is to be settled before the data are seen: chosen because of what they hold, it is a look at them that no \
budget covers.
    """
    one = count == 1
    more = ", …" if count > len(rows) else ""
    which = f" (row{'' if one else 's'} {', '.join(map(str, rows))}{more})" if rows else ""
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
    return f"{count:,} row{' breaks' if one else 's break'} the dependency {text}{which}. {advice}"


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
