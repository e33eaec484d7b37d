"""Columns of a PostgreSQL table: what each is selected as, so that it arrives as what it means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from understudy.databases._naming import quoted

Arrives: TypeAlias = Literal["as it is", "decimal", "list", "structure", "length of time"]
_AS_THEY_ARE = frozenset(
    {"int2", "int4", "int8", "float4", "float8", "bool", "text", "varchar", "bytea", "time", "name"}
)
_STRUCTURES = frozenset({"json", "jsonb", "hstore", "xml"})
# Beyond these the driver's numbers wrap round; fields end with the years 1 and 9999, so nothing changes sides.
_ENDS = {
    "date": ("0001-12-30 BC", "10000-01-03"),
    "timestamp": ("0001-12-30 BC", "10000-01-03"),
    "timestamptz": ("0001-12-30 00:00:00+00 BC", "10000-01-03 00:00:00+00"),
}


@dataclass(frozen=True, kw_only=True)
class SqlColumn:
    """A column by its name and its type; of a domain, the type beneath it.

    >>> SqlColumn(name="age", type="int4", category="N").cell
    't."age"'
    >>> SqlColumn(name="code", type="bpchar", category="S").cell
    't."code"::text'
    """

    name: str
    type: str
    category: str
    """PostgreSQL's own: N for numbers, S for texts, A for arrays, and so on."""

    @property
    def place(self) -> str:
        """The cell as it is, of the table that is called t."""
        return f"t.{quoted(self.name)}"

    @property
    def arrives(self) -> Arrives:
        """What is to be made of it here."""
        if self.type in ("numeric", "money"):
            return "decimal"
        if self.category == "A":
            return "list"
        if self.category in ("C", "R", "P") or self.type in _STRUCTURES:
            return "structure"
        return "length of time" if self.type == "interval" else "as it is"

    @property
    def cell(self) -> str:
        """The cell as it is asked for."""
        name = self.place
        if self.arrives in ("list", "structure", "length of time"):
            return f"({name} IS NOT NULL)"  # what they hold is never looked at
        if self.type in _ENDS:
            low, high = (f"'{end}'::{self.type}" for end in _ENDS[self.type])
            return f"CASE WHEN {name} < {low} THEN {low} WHEN {name} > {high} THEN {high} ELSE {name} END"
        if self.type == "numeric":
            return f"nullif({name}, 'NaN')::text"
        if self.type == "money":
            return f"{name}::numeric::text"
        return name if self.type in _AS_THEY_ARE else f"{name}::text"

    @property
    def exact(self) -> str:
        """The cell as it is grouped by and held against others: texts by their bytes, never by a collation of the
        column's own, which may take different ones for equal.

        >>> SqlColumn(name="code", type="varchar", category="S").exact
        '((t."code")::text COLLATE "C")'
        """
        return f'(({self.cell})::text COLLATE "C")' if self.cell_type == "text" else f"({self.cell})"

    @property
    def cell_type(self) -> str:
        """The type of what is asked for.

        >>> SqlColumn(name="code", type="bpchar", category="S").cell_type
        'text'
        """
        if self.arrives in ("list", "structure", "length of time"):
            return "bool"
        return self.type if self.type in _ENDS or self.type in _AS_THEY_ARE - {"varchar", "name"} else "text"
