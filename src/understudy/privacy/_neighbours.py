"""Which two tables must look alike: the neighbour relations, and what one table of counts costs under each."""

from __future__ import annotations

from enum import Enum
from fractions import Fraction

from understudy.privacy._sensitivity import Sensitivity


class Neighbours(Enum):
    """Two tables are neighbours if they differ in one record.

    `REPLACE_ONE`: one record has other values, and the number of rows is the same. `ADD_REMOVE`: one record is there or
    not. Where units have several rows, `PrivacyTerms` says what that comes to.

    >>> Neighbours("add-remove").table_sensitivity.l1, Neighbours.REPLACE_ONE.table_sensitivity.l1
    (Fraction(1, 1), Fraction(2, 1))
    """

    REPLACE_ONE = "replace-one"
    ADD_REMOVE = "add-remove"

    @property
    def cells_of_row(self) -> int:
        """Cells of a table of counts that a change of one row can reach, each by 1."""
        return 2 if self is Neighbours.REPLACE_ONE else 1

    @property
    def table_sensitivity(self) -> Sensitivity:
        """Most that one row moves a whole table of counts: each cell it reaches by 1 (proof.md, section 1)."""
        return Sensitivity(l1=Fraction(self.cells_of_row), l2_squared=Fraction(self.cells_of_row))

    @property
    def steps_of_change(self) -> int:
        """Steps from one table to the same with other values in a unit: old rows go and new ones come, or at once."""
        return 1 if self is Neighbours.REPLACE_ONE else 2
