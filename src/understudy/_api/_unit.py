"""From the options to the privacy unit: a row, all rows of somebody, or any few rows."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, Protocol

from understudy._core.errors import OptionError, TableError
from understudy._core.randomness import streams
from understudy.counting import UnitRule
from understudy.privacy import ONE_ROW, Bounding, PrivacyUnit
from understudy.schema import Schema
from understudy.tables import unit_in_schema

if TYPE_CHECKING:
    from understudy.correlate import Groups

_OF_GROUPS = "rows that belong together"


class UnitOptions(Protocol):
    """What the options of a run say about units."""

    @property
    def unit(self) -> str | None: ...
    @property
    def max_rows(self) -> int | None: ...
    @property
    def bounding(self) -> str: ...
    @property
    def groups(self) -> str | PathLike[str] | None: ...


def unit_of(options: UnitOptions) -> tuple[PrivacyUnit, Groups | None]:
    """The unit that the options ask for, and the groups where they name a file of them.

    One word names a column, and several are words for what a row stands for; a column needs a bound, and so does
    nothing else but groups.

    >>> from understudy.options import PlanOptions
    >>> unit_of(PlanOptions(epsilon=1, unit="patient_id", max_rows=5))[0].column
    'patient_id'
    """
    unit, bound = options.unit, options.max_rows
    if options.groups is not None:
        return _unit_of_groups(options)
    if bound is None:
        if options.bounding != "drop":
            raise OptionError("rows are weighed so that a unit counts as --max-rows of them (max_rows=…). Give it.")
        if unit is not None and len(unit.split()) < 2:
            raise OptionError(
                f"the unit '{unit}' is one word, so it names the column that tells units apart. How many rows of a "
                'unit may count? Say --max-rows N (max_rows=N). If each has one row, use several words: "one patient".'
            )
        return ONE_ROW if unit is None else PrivacyUnit(unit), None
    if unit is None:
        raise OptionError(
            "a bound on rows (max_rows) needs units: name the column that tells them apart, --unit patient_id, or a "
            "file of rows that belong together, --groups groups.parquet."
        )
    column = unit.strip()
    return PrivacyUnit(f"one {column}", max_rows=bound, column=column, bounding=_bounding(options.bounding)), None


def _unit_of_groups(options: UnitOptions) -> tuple[PrivacyUnit, Groups]:
    from understudy.correlate import read_groups

    unit = options.unit
    if unit is not None and len(unit.split()) < 2:
        raise OptionError(
            f"units are told apart by a column ('{unit}') or by a file of groups, not by both. Give one of the two."
        )
    if options.bounding != "drop":
        raise OptionError(
            "rows of groups are all counted in full: --bounding goes with a column that tells units apart."
        )
    groups = read_groups(options.groups, max_rows=options.max_rows)
    return PrivacyUnit(unit or _OF_GROUPS, max_rows=groups.max_rows), groups


def _bounding(word: str) -> Bounding:
    return "weigh" if word == "weigh" else "drop"


def refuse_unit(unit: PrivacyUnit, schema: Schema, names: Sequence[str] | None = None) -> None:
    """Refuse a unit column that would be published, and words that are the name of a column.

    >>> from understudy.schema import read_schema
    >>> refuse_unit(ONE_ROW, read_schema({"fields": [{"name": "a", "type": "boolean"}]}))
    """
    if unit.column is not None and unit.column in schema.names:
        raise OptionError(unit_in_schema(unit.column))
    if unit.column is None and unit.words in (*(names or ()), *schema.names):
        raise OptionError(
            f"'{unit.words}' is a column of the table. To protect all rows with the same value there, say how many of "
            "them may count: --max-rows N (max_rows=N)."
        )


def rule_of(unit: PrivacyUnit, seed: int | None) -> UnitRule | None:
    """How much rows of a unit count; None where no column tells units apart.

    >>> rule_of(PrivacyUnit("one patient", max_rows=5, column="patient_id"), 1).max_rows
    5
    """
    if unit.column is None:
        return None
    return UnitRule(column=unit.column, max_rows=unit.max_rows, parts=unit.parts, coins=streams(seed))


def refuse_other_rows(groups: Groups | None, n_rows: int) -> None:
    """Refuse groups of another table.

    >>> refuse_other_rows(None, 10)
    """
    if groups is not None and groups.n_rows != n_rows:
        raise TableError(
            f"the table has {n_rows:,} rows, and the file of groups speaks of {groups.n_rows:,}. Each row must be "
            "in one group: find them anew with 'understudy correlate', or name the table that they are of."
        )
