"""Rows that are gone over again and again, in batches of codes: what the streaming engine counts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Protocol

import numpy as np

from understudy.counting._rows import Rows
from understudy.counting._spill import Spill
from understudy.counting._units import Weights
from understudy.schema import Codes, Domain, Recoding
from understudy.tables import CodeReader, DeclaredRows, Table

_ROWS = 1 << 17
_NOTHING = np.empty(0, dtype=np.uint8)


class Passes(Protocol):
    """The same rows, as often as asked."""

    @property
    def domain(self) -> Domain:
        """The domain of the rows."""
        ...

    @property
    def weighted(self) -> bool:
        """Whether rows have weights."""
        ...

    def batches(self, attributes: Collection[int]) -> Iterator[Rows]:
        """All rows; columns that are not among these attributes may be empty."""
        ...


class TablePasses:
    """A table of codes, part by part."""

    def __init__(self, table: Table, weights: Weights | None = None) -> None:
        self._table, self._weights = table, weights
        self.domain, self.weighted = table.domain, weights is not None

    def batches(self, attributes: Collection[int]) -> Iterator[Rows]:
        """All rows."""
        for low in range(0, self._table.n, _ROWS):
            part = slice(low, low + _ROWS)
            weights = None if self._weights is None else self._weights[part]
            columns = tuple(column[part] for column in self._table.columns)
            yield Rows(columns, len(columns[0]), weights)


class SourcePasses:
    """A source that is read and encoded anew for each pass, or what was kept of one that cannot be."""

    def __init__(
        self,
        domain: Domain,
        origin: CodeReader | Spill,
        *,
        declared: DeclaredRows | None,
        weights: Weights | None,
        parts: int,
    ) -> None:
        self.domain, self._origin = domain, origin
        self._declared, self._weights = declared, weights
        self.weighted = weights is not None and parts > 1

    def batches(self, attributes: Collection[int]) -> Iterator[Rows]:
        """All rows that count, with their weights."""
        sieve = None if self._declared is None else self._declared.sieve()
        # what is declared of rows may concern any column
        wanted = sorted(attributes) if sieve is None else list(range(len(self.domain)))
        wanted = wanted or [0]
        again = self._origin.batches if isinstance(self._origin, Spill) else self._origin.again
        at = 0
        for codes in again(wanted):
            columns = codes if sieve is None else sieve.take(codes)[0]
            n = len(columns[0])
            yield self._rows(wanted, columns, at, n)
            at += n

    def _rows(self, wanted: Sequence[int], columns: Sequence[Codes], at: int, n: int) -> Rows:
        weights = None
        if self._weights is not None:
            weights = self._weights[at : at + n]
            kept = weights > 0
            columns, n = [column[kept] for column in columns], int(kept.sum())
            weights = weights[kept] if self.weighted else None
        placed = [_NOTHING] * len(self.domain)
        for a, column in zip(wanted, columns, strict=True):
            placed[a] = column
        return Rows(tuple(placed), n, weights)


class RecodedPasses:
    """The same rows through a public map of their codes, batch by batch."""

    def __init__(self, passes: Passes, recoding: Recoding) -> None:
        self._passes, self._recoding = passes, recoding
        self.domain, self.weighted = recoding.target, passes.weighted

    def batches(self, attributes: Collection[int]) -> Iterator[Rows]:
        """All rows; columns that are not among these attributes are empty."""
        parts = {a: self._recoding.parts[a] for a in attributes}
        for rows in self._passes.batches({part.source for part in parts.values()}):
            columns = [_NOTHING] * len(self.domain)
            for a, column in self._recoding.encode_some(parts, rows.columns).items():
                columns[a] = column
            yield Rows(tuple(columns), rows.n, rows.weights)
