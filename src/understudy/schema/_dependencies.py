"""Dependencies between columns that the schema declares: what holds in every row, as far as anyone knows.

They are public. A domain carries them as rules on codes (`_rules.py`) to whoever draws rows, real rows that break them
are treated as the schema says, and tables are judged by them when they are evaluated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from understudy.schema._among import Among

FAMILIES: Mapping[str, str] = {
    "integer": "numbers", "number": "numbers", "year": "numbers", "date": "dates", "datetime": "datetimes",
}  # fmt: skip
"""Types whose values can be compared with each other."""


@dataclass(frozen=True, kw_only=True)
class Determines:
    """Each combination of values of some columns goes with one value of another.

    `table` has the combinations of which it is declared which one: the determining values, then what they go with.

    >>> Determines(determines=("education",), column="education_num").text
    'education → education_num'
    """

    determines: tuple[str, ...]
    column: str
    table: tuple[tuple[Any, ...], ...] = ()

    @property
    def text(self) -> str:
        """In short."""
        return f"{' × '.join(self.determines)} → {self.column}"

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns it names."""
        return (*self.determines, self.column)

    @property
    def conditions(self) -> tuple[Among, ...]:
        """All values that it tells from others."""
        listed = dict.fromkeys((name, line[i]) for line in self.table for i, name in enumerate(self.columns))
        return tuple(Among(name, (value,)) for name, value in listed)


@dataclass(frozen=True, kw_only=True)
class InOrder:
    """The value of one column is never larger than that of another.

    >>> InOrder(lower="admitted", upper="discharged").text
    'admitted ≤ discharged'
    """

    lower: str
    upper: str

    @property
    def text(self) -> str:
        """In short."""
        return f"{self.lower} ≤ {self.upper}"

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns it names."""
        return (self.lower, self.upper)

    @property
    def conditions(self) -> tuple[Among, ...]:
        """It tells no value from others."""
        return ()


@dataclass(frozen=True, kw_only=True)
class MissingWhen:
    """Some columns are missing exactly when all conditions hold.

    >>> MissingWhen(missing=("hours",), when=(Among("age", ("..13",)),)).text
    'hours missing exactly when age=..13'
    """

    missing: tuple[str, ...]
    when: tuple[Among, ...]

    @property
    def text(self) -> str:
        """In short."""
        return f"{', '.join(self.missing)} missing exactly when {', '.join(one.text for one in self.when)}"

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns it names."""
        return (*(one.column for one in self.when), *self.missing)

    @property
    def conditions(self) -> tuple[Among, ...]:
        """All values that it tells from others."""
        return self.when


@dataclass(frozen=True, kw_only=True)
class Impossible:
    """No row keeps all these conditions.

    >>> Impossible(conditions=(Among("sex", ("Male",)), Among("pregnant", ("yes",)))).text
    'never sex=Male, pregnant=yes'
    """

    conditions: tuple[Among, ...]

    @property
    def text(self) -> str:
        """In short."""
        return f"never {', '.join(one.text for one in self.conditions)}"

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns it names."""
        return tuple(one.column for one in self.conditions)


Dependency: TypeAlias = Determines | InOrder | MissingWhen | Impossible
