"""The rows that are counted: as the table has them, and as the schema says where they break what it declares."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from understudy._core.errors import OptionError, TableError
from understudy.numbers import fine_schema
from understudy.privacy import PrivacyTerms
from understudy.schema import Schema
from understudy.tables import DeclaredRows, Table, read_table, read_units


def refuse_dropping(schema: Schema, terms: PrivacyTerms) -> None:
    """Refuse to leave rows out where their number is public: it would tell whether a row was left out."""
    if schema.broken_rows == "drop" and schema.dependencies and terms.public_rows:
        raise OptionError(
            "the schema says brokenRows: drop, and with neighbours 'replace-one' the number of rows is public: it "
            "would tell of single rows whether they break a dependency. Use neighbours 'add-remove', or brokenRows: "
            "mend or refuse."
        )


def declared_rows(schema: Schema, fine: Schema, *, dropping: bool) -> DeclaredRows | None:
    """What becomes of rows that break what the schema declares of them; None where it declares nothing.

    `fine` has the same fields as they are counted first.
    """
    if not schema.dependencies:
        return None
    return DeclaredRows(
        fields=fine.fields, dependencies=schema.dependencies, policy=schema.broken_rows, dropping=dropping
    )


def one_by_one(schema: Schema, terms: PrivacyTerms) -> bool:
    """Whether rows have to be seen themselves, and counts of them would not do: to bound a unit's, or to mend them."""
    return terms.unit.column is not None or (bool(schema.dependencies) and schema.broken_rows == "mend")


def read_rows(
    source: Any, schema: Schema, unit: str | None, *, dropping: bool
) -> tuple[Table, npt.NDArray[np.int64] | None, int]:
    """The rows on the grid that numbers are first counted on, whose they are, and how many the table has in all."""
    fine = fine_schema(schema)
    units = None
    if unit is None:
        table = read_table(source, fine)
    else:
        table, units = read_units(source, fine, unit)
    declared = declared_rows(schema, fine, dropping=dropping)
    if declared is None:
        return table, units, table.n
    kept, left = declared.keep(table)
    if not kept.n:
        raise TableError(
            "every row breaks what the schema declares of rows, so that nothing is left to compare with. Mend the "
            "schema, or the table."
        )
    return kept, None if units is None else units[left], table.n
