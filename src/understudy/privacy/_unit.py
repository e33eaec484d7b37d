"""Who is protected: the privacy unit, and how many rows it may have."""

from __future__ import annotations

from dataclasses import dataclass

from understudy._core.errors import OptionError


@dataclass(frozen=True, slots=True)
class PrivacyUnit:
    """One unit of what is protected, in words, and its contribution bound: the most rows that belong to one unit.

    With the bound k, two tables are neighbours if they differ in up to k rows: all of them replaced by other rows, or
    all of them added or removed. Everything that follows from it (sensitivities, costs of a change, the statement)
    asks the unit; nothing else knows how many rows one has. `column` names the column that tells units apart, if
    there is one.

    >>> PrivacyUnit("one patient", max_rows=5, column="patient_id").sentence
    'one patient (up to 5 rows with the same patient_id)'
    >>> PrivacyUnit().sentence
    'one row'
    """

    words: str = "one row"
    max_rows: int = 1
    column: str | None = None

    def __post_init__(self) -> None:
        if isinstance(self.max_rows, bool) or not isinstance(self.max_rows, int) or self.max_rows < 1:
            raise OptionError(f"a unit must have at least 1 row. Got max_rows={self.max_rows!r} instead.")
        if not self.words.strip():
            raise OptionError("a unit must be named in words, such as 'one person'. Got nothing instead.")
        if self.column is not None and not self.column.strip():
            raise OptionError("a unit must have a column with a name, or none at all. Got an empty name instead.")

    @property
    def sentence(self) -> str:
        """The unit in words, with its bound where that is more than one row."""
        if self.max_rows == 1:
            return self.words
        same = "" if self.column is None else f" with the same {self.column}"
        return f"{self.words} (up to {self.max_rows:,} rows{same})"


ONE_ROW = PrivacyUnit()
