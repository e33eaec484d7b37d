"""Exact tables that are asked for round after round, remembered one by one. Everything here is exact, hence private."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from understudy._core.errors import InternalError
from understudy.counting import Counter
from understudy.privacy._values import Counts
from understudy.schema import Marginal

_AT_ONCE = 4_000_000  # cells that are counted or compared together
_KEPT = 80_000_000
_ROOM = 1 << 61


class RememberedTables:
    """Tables of one counter; those that have been asked for before are not counted again, as long as there is room.

    >>> from understudy.counting import MemoryCounter
    >>> from understudy.schema import Attribute, Domain
    >>> from understudy.tables import Table
    >>> table = Table(Domain((Attribute(name="sex", size=2),)), (np.array([0, 1, 1], dtype=np.uint8),))
    >>> tables = RememberedTables(MemoryCounter(table))
    >>> tables.distances([Marginal.of(0)], np.array([15, 15]), 10).tolist()
    [10]
    """

    def __init__(self, counter: Counter, *, at_once: int = _AT_ONCE, kept: int = _KEPT) -> None:
        self._counter, self._at_once, self._room = counter, at_once, kept
        self._known: dict[Marginal, npt.NDArray[np.integer]] = {}
        # half the memory, as long as no count can need more
        self._dtype = np.int32 if counter.n < 1 << 31 else np.int64

    def cells(self, marginals: Sequence[Marginal]) -> Counts:
        """The counts of all cells of these tables, one after the other."""
        parts = [part for _, part in self._parts(marginals)]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)

    def distances(self, marginals: Sequence[Marginal], guesses: Counts, scale: int) -> Counts:
        """For each table the L1 distance of its counts times `scale` from its part of the guesses."""
        if scale * self._counter.n >= _ROOM:
            raise InternalError("A count has so many parts that distances would not fit 64 bits.")
        found, begin = [], 0
        for lengths, part in self._parts(marginals):
            off = np.abs(part * scale - guesses[begin : begin + len(part)])
            found.append(np.add.reduceat(off, np.cumsum([0, *lengths[:-1]])))
            begin += len(part)
        return np.concatenate(found) if found else np.zeros(0, dtype=np.int64)

    def _parts(self, marginals: Sequence[Marginal]) -> Iterator[tuple[list[int], Counts]]:
        """Runs of tables, as their lengths and their cells in one row, none much larger than is worked on at once."""
        domain = self._counter.domain
        run: list[Marginal] = []
        lengths: list[int] = []
        total = 0
        for marginal in marginals:
            known = self._known.get(marginal)
            length = marginal.n_cells(domain) if known is None else len(known)
            if run and total + length > self._at_once:
                yield lengths, self._row(run)
                run, lengths, total = [], [], 0
            run.append(marginal)
            lengths.append(length)
            total += length
        if run:
            yield lengths, self._row(run)

    def _count(self, missing: Sequence[Marginal]) -> list[Counts]:
        return self._counter.count(missing) if missing else []

    def _row(self, run: Sequence[Marginal]) -> Counts:
        missing = [marginal for marginal in dict.fromkeys(run) if marginal not in self._known]
        counted = {m: table.reshape(-1) for m, table in zip(missing, self._count(missing), strict=True)}
        row = np.concatenate([counted[m] if m in counted else self._known[m] for m in run]).astype(np.int64)
        for marginal, table in counted.items():
            if len(table) <= self._room:
                self._known[marginal] = table.astype(self._dtype)
                self._room -= len(table)
        return row
