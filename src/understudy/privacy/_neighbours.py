"""Which two tables must look alike: the neighbour relations, and what one table of counts costs under each."""

from __future__ import annotations

from enum import Enum


class Neighbours(Enum):
    """Two tables are neighbours if they differ in one record.

    `REPLACE_ONE`: one record has other values; the number of rows is the same, and public. `ADD_REMOVE`: one record
    is there or not; the number of rows is private.

    >>> Neighbours("add-remove").count_l1, Neighbours.REPLACE_ONE.count_l1
    (1, 2)
    """

    REPLACE_ONE = "replace-one"
    ADD_REMOVE = "add-remove"

    @property
    def count_l1(self) -> int:
        """Most that one record moves a whole table of counts, summed over its cells (proof.md, section 1)."""
        return 2 if self is Neighbours.REPLACE_ONE else 1

    @property
    def count_l2_squared(self) -> int:
        """Most that one record moves a whole table of counts, squares summed (proof.md, section 1)."""
        return 2 if self is Neighbours.REPLACE_ONE else 1

    @property
    def public_rows(self) -> bool:
        """Whether the number of rows is public."""
        return self is Neighbours.REPLACE_ONE
