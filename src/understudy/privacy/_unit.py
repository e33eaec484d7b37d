"""Who is protected: the privacy unit, and how many of its rows count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from understudy._core.errors import OptionError

Bounding: TypeAlias = Literal["drop", "weigh"]
PARTS = 60
"""A weighted row counts in so many parts: a number that 1 to 6 divide, so that most weights need no rounding."""


@dataclass(frozen=True, slots=True)
class PrivacyUnit:
    """One unit of what is protected, in words, and its contribution bound: the most rows that count for one unit.

    With the bound k, two tables are neighbours if they differ in one unit: its rows, k at most, are replaced by others,
    k at most; or they are added, or removed. Everything that follows from it (sensitivities, costs of a change, the
    statement) asks the unit; nothing else knows how many rows one has.

    `column` names the column that tells units apart, if there is one. Rows over the bound are then dropped by a random
    rule, or all rows of a unit are weighted so that they count as k together (`bounding`): either way all of a
    unit's rows are protected, however many there are. Without a column any k rows are.

    >>> PrivacyUnit("one patient", max_rows=5, column="patient_id").sentence
    'one patient: all rows with the same patient_id, of which 5 at most count'
    >>> PrivacyUnit("one household", max_rows=4).sentence
    'one household (any 4 rows)'
    >>> PrivacyUnit().sentence
    'one row'
    """

    words: str = "one row"
    max_rows: int = 1
    column: str | None = None
    bounding: Bounding = "drop"

    def __post_init__(self) -> None:
        if isinstance(self.max_rows, bool) or not isinstance(self.max_rows, int) or self.max_rows < 1:
            raise OptionError(f"a unit must have at least 1 row. Got max_rows={self.max_rows!r} instead.")
        if not self.words.strip():
            raise OptionError("a unit must be named in words, such as 'one person'. Got nothing instead.")
        if self.column is not None and not self.column.strip():
            raise OptionError("a unit must have a column with a name, or none at all. Got an empty name instead.")
        if self.bounding not in get_args(Bounding):
            raise OptionError(f"a unit must have its rows dropped or weighed. Got bounding={self.bounding!r} instead.")
        if self.bounding == "weigh" and self.column is None:
            raise OptionError("a unit must have a column whose values tell units apart for its rows to be weighed.")

    @property
    def sentence(self) -> str:
        """The unit in words, with its bound."""
        if self.column is None:
            return self.whom
        if self.bounding == "weigh":
            rows = "1 row" if self.max_rows == 1 else f"{self.max_rows:,} rows"
            return f"{self.whom}, which count as {rows} at most together"
        return f"{self.whom}, of which {self.max_rows:,} at most count{'s' * (self.max_rows == 1)}"

    @property
    def whom(self) -> str:
        """Who is protected, in words: what runs must share for their costs to add up.

        >>> PrivacyUnit("one patient", max_rows=5, column="patient_id").whom
        'one patient: all rows with the same patient_id'
        """
        if self.column is not None:
            return f"{self.words}: all rows with the same {self.column}"
        return self.words if self.max_rows == 1 else f"{self.words} (any {self.max_rows:,} rows)"

    @property
    def bound(self) -> str:
        """The bound as a ledger keeps it, and how it is kept to; `bound_from` reads it.

        >>> unit = PrivacyUnit("one patient", max_rows=5, column="patient_id", bounding="weigh")
        >>> unit.bound, PrivacyUnit().bound
        ('5 weighed', '1')
        """
        return f"{self.max_rows}{' weighed' * (self.bounding == 'weigh')}"

    @property
    def parts(self) -> int:
        """Parts in which one row is counted: 1, unless rows are weighed."""
        return PARTS if self.bounding == "weigh" else 1

    @property
    def counted(self) -> int:
        """Most that one unit is counted: its bound, in parts of rows.

        >>> PrivacyUnit("one patient", max_rows=2, column="patient_id", bounding="weigh").counted
        120
        """
        return self.max_rows * self.parts

    @property
    def protects(self) -> tuple[str | None, int | None]:
        """What tells apart the units that an account can add up: the column, or where there is none the bound.

        >>> PrivacyUnit("one patient", max_rows=5, column="id").protects == PrivacyUnit("x", column="id").protects
        True
        """
        return self.column, None if self.column is not None else self.max_rows


def bound_from(text: str) -> tuple[int, Bounding]:
    """The reverse of `PrivacyUnit.bound`.

    >>> bound_from("5 weighed"), bound_from("1")
    ((5, 'weigh'), (1, 'drop'))
    """
    number = text.removesuffix(" weighed")
    return int(number), "drop" if number == text else "weigh"


ONE_ROW = PrivacyUnit()
