"""A counter over codes that somebody else reads, batch by batch and as often as asked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

import numpy as np

from understudy.counting._open_passes import open_passes
from understudy.counting._opening import Opening
from understudy.counting._pass_counter import PassCounter
from understudy.counting._row_batches import BatchPasses
from understudy.counting._rows import Rows
from understudy.counting._threads import n_threads
from understudy.counting._view import View
from understudy.schema import Codes, Domain

_NOTHING = np.empty(0, dtype=np.uint8)


def open_batches(
    domain: Domain, again: Callable[[Sequence[int]], Iterator[list[Codes]]], *, n_rows: int, memory: int | None = None
) -> PassCounter:
    """Counts all rows that `again` gives for some attributes of the domain; all tables asked for together in one pass.

    >>> from understudy.schema import Attribute, Marginal
    >>> domain = Domain((Attribute(name="sex", size=2), Attribute(name="age", size=3)))
    >>> rows = [np.array([0, 1, 1], dtype=np.uint8), np.array([2, 0, 2], dtype=np.uint8)]
    >>> counter = open_batches(domain, lambda wanted: iter([[rows[a] for a in wanted]]), n_rows=3)
    >>> counter.count([Marginal.of(0, 1)])[0].tolist()
    [[0, 0, 1], [1, 0, 1]]
    """
    passes = BatchPasses(origin=_Given(domain, again), view=View.of(domain), n_rows=n_rows, threads=n_threads(None))
    return open_passes(passes, Opening(memory=memory), n_rows=n_rows)


class _Given:
    """The batches, each column in its place."""

    weighted = False

    def __init__(self, domain: Domain, again: Callable[[Sequence[int]], Iterator[list[Codes]]]) -> None:
        self.domain, self._again = domain, again

    def batches(self, attributes: Collection[int]) -> Iterator[Rows]:
        """All rows."""
        wanted = sorted(attributes) or [0]
        for codes in self._again(wanted):
            placed = [_NOTHING] * len(self.domain)
            for a, column in zip(wanted, codes, strict=True):
                placed[a] = column
            yield Rows(tuple(placed), len(codes[0]))
