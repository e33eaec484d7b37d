"""What an engine that never holds the rows implements: all tables that are asked for together, in one go over them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

from understudy.counting._batch import Ints
from understudy.counting._counter import Counts
from understudy.schema import Domain, Marginal, Recoding

Told: TypeAlias = Callable[[int], None]
"""Called with the number of rows that a pass is through with, as often as it likes."""


class Passes(Protocol):
    """The same rows, gone over as often as asked: by batches on this machine, by queries, by jobs on a cluster.

    `PassCounter` makes a counter of it. That one decides what is asked for together, remembers what was counted, and
    refuses rows that are not those of the first pass; here is only counting. Exact and sensitive, as all counts.

    **Every pass counts the same rows with the same weights.** Whatever was found out about a row in one pass, above all
    how much it counts for its unit, holds for that very row in all others. By its place a row is known again only where
    each pass has all rows in the same order: in files, in memory, in what was spilled. Queries and jobs that are run
    anew promise no order, so an engine over them keeps what it found with the row, or proves the order anew in each
    pass, or refuses units. Wrong weights are no mere error: a unit then counts for more than its bound (proof.md,
    section 11), and no comparison of counts notices, since the first counted pass has them as well.
    """

    @property
    def domain(self) -> Domain:
        """The domain of the rows, as recoded."""
        ...

    @property
    def weighted(self) -> bool:
        """Whether rows count for more than one each: then `ones_together` is never asked for."""
        ...

    @property
    def takes_more(self) -> bool:
        """Whether pairs that nobody asked for yet cost little in the same pass: then they are asked for along."""
        ...

    def tables(self, marginals: Sequence[Marginal], told: Told) -> list[Counts]:
        """One int64 table for each marginal, shaped `marginal.shape(domain)`, from one pass; without axes: the rows.

        Whatever breaks off halfway is raised as a TableError, and nothing of it is kept.
        """
        ...

    def ones_together(self, attributes: Ints, told: Told) -> Counts | None:
        """Rows with code 1 in both, for each pair of two-valued attributes, as a matrix; on its diagonal in one.

        From one pass; None if it is not to be had more cheaply than table by table.
        """
        ...

    def recoded(self, recoding: Recoding) -> Passes:
        """The same rows under another encoding of their codes. Goes over nothing."""
        ...
