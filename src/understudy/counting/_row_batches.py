"""Rows that are gone over again and again on this machine, in batches of codes, with the memory engine's kernels."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from understudy.counting._batch import Axes, Ints
from understudy.counting._bits import Bits
from understudy.counting._counter import Counts
from understudy.counting._passes import Told
from understudy.counting._rows import Rows
from understudy.counting._spill import Spill
from understudy.counting._tally import TablesTally
from understudy.counting._units import Weights
from understudy.counting._view import View
from understudy.schema import Codes, Domain, Marginal, Recoding
from understudy.tables import CodeReader, DeclaredRows, Table

_ROWS = 1 << 17
_NOTHING = np.empty(0, dtype=np.uint8)


class RowBatches(Protocol):
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


class TableBatches:
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


class SourceBatches:
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


@dataclass(frozen=True, eq=False, kw_only=True)
class BatchPasses:
    """Passes over batches of rows, seen through a chain of recodings, which take no copy of them."""

    origin: RowBatches
    view: View
    n_rows: int
    threads: int
    takes_more: bool = True

    @property
    def domain(self) -> Domain:
        """The domain of the rows, as recoded."""
        return self.view.domain

    @property
    def weighted(self) -> bool:
        """Whether rows have weights."""
        return self.origin.weighted

    def tables(self, marginals: Sequence[Marginal], told: Told) -> list[Counts]:
        """One table for each marginal, all from one pass."""
        tally = TablesTally(marginals, self._axes, n_rows=self.n_rows, weighted=self.weighted, threads=self.threads)
        for rows in self._rows({a for marginal in marginals for a in marginal.attributes}, told):
            tally.add(rows)
        return tally.finish()

    def ones_together(self, attributes: Ints, told: Told) -> Counts | None:
        """Rows with code 1 in both, for each pair of two-valued attributes, by popcounts of packed words."""
        axes = self._axes.first[attributes]
        both = np.zeros((len(axes), len(axes)), dtype=np.int64)
        used = frozenset(axes.tolist())
        for rows in self._rows(set(attributes.tolist()), told):
            both += Bits(rows, self._axes, used).together(axes, threads=self.threads)
        return both

    def recoded(self, recoding: Recoding) -> BatchPasses:
        """The same rows under another encoding of their codes; they are mapped as they come."""
        return replace(self, view=self.view.recoded(recoding))

    @cached_property
    def _axes(self) -> Axes:
        return Axes.of(self.domain)

    def _rows(self, attributes: set[int], told: Told) -> Iterator[Rows]:
        done = 0
        for rows in self.origin.batches(self.view.sources(attributes)):
            yield self.view.rows(rows)
            done += rows.n
            told(done)
