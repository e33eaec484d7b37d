"""What an engine is told when it opens a counter, as one value: a new engine reads of it what it needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from understudy.counting._units import UnitRule, Weights
from understudy.schema import Schema
from understudy.tables import DeclaredRows, Table

Progress: TypeAlias = Callable[[str, int, int], None]
Units: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Opening:
    """How rows are to be read and counted.

    >>> Opening().memory is None
    True
    """

    schema: Schema | None = None
    """What is declared about the columns; None where rows are codes already."""
    unit: UnitRule | None = None
    """The column that tells units apart, and what their rows may count."""
    declared: DeclaredRows | None = None
    """What becomes of rows that break what is declared of rows; it comes before the bound on units."""
    weights: Weights | None = None
    """How many rows each row of a table of codes counts for."""
    check_rows: Callable[[int], None] | None = None
    """Told how many rows there are, before any is left out; it may refuse them."""
    threads: int | None = None
    memory: int | None = None
    """Bytes that the process is to stay below; None for what the machine has."""
    progress: Progress | None = None
    pull: bool = False
    """Whether rows may leave the database server that they are on."""
    master: str | None = None
    """The address of a cluster, for an engine that counts on one."""

    @property
    def one_by_one(self) -> bool:
        """Whether rows have to be seen themselves, and counts of them would not do."""
        return self.unit is not None or (self.declared is not None and self.declared.policy == "mend")

    def checked(self, n_rows: int) -> None:
        """Tell whoever wants to know how many rows there are."""
        if self.check_rows is not None:
            self.check_rows(n_rows)

    def counted(self, table: Table, units: Units | None) -> tuple[Table, Weights | None]:
        """The rows of a table that was read whole, as they are to count."""
        self.checked(table.n)
        if self.declared is not None:
            table, left = self.declared.keep(table)
            units = None if units is None else units[left]
        if self.unit is None or units is None:
            return table, None
        return self.unit.bounded(table, units)
