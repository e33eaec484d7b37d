"""Tables that are too large to hold: counted whole in passes, and some rows of each for all that needs rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from understudy._core.memory import memory_limit
from understudy._core.randomness import Rng
from understudy.counting import Counter, Counts, open_batches
from understudy.evaluation._counts import MOST_DENSE_CELLS, Columns, Joint, portions, sparse_counts
from understudy.schema import Codes, Domain, Marginal, Schema
from understudy.tables import LooseStream, Table, open_source

SOME_ROWS = 250_000
"""Rows of each table that is streamed, for what cannot be had by counting."""
_REST = 1 << 28
_BYTES_OF_CELL, _BYTES_OF_BYTE = 40, 12  # what a cell takes with its value, codes and references; and a byte of text
_PORTION_CELLS = 1 << 22


def too_large(sources: Sequence[Any], schema: Schema, ceiling: int | None) -> bool:
    """Whether tables would take more than half of the memory there is, as far as their sizes tell.

    >>> import pyarrow as pa
    >>> from understudy.schema import Schema
    >>> too_large([pa.table({"a": [1]})], Schema.from_dict({"fields": [{"name": "a", "type": "boolean"}]}), 10**9)
    False
    """
    limit = memory_limit() if ceiling is None else ceiling
    if limit is None:
        return False
    needed = 0
    for source in map(open_source, sources):
        by_rows = None if source.n_rows is None else source.n_rows * len(schema.fields) * _BYTES_OF_CELL
        needed += by_rows if by_rows is not None else _BYTES_OF_BYTE * (source.n_bytes or 0)
    return needed > (limit - _REST) // 2


def whole_counter(stream: LooseStream, domain: Domain, ceiling: int | None) -> Counter:
    """Counts all rows of a stream in the domain that all tables of a pair have."""

    def again(attributes: Sequence[int]) -> Iterator[list[Codes]]:
        for batch in stream.again(attributes):
            # a domain without a code for missing has "outside" in its place
            yield [np.minimum(c, domain[a].size - 1) for a, c in zip(attributes, batch, strict=True)]

    return open_batches(domain, again, n_rows=stream.n, memory=ceiling)


def whole_counts(
    counters: Sequence[Counter], wanted: Sequence[Columns], rng: Rng, n_rows: int, some: Sequence[Table]
) -> Iterator[Joint]:
    """As `joint_counts` for tables of rows: of all rows, and at the end of the two references, drawn as counts.

    A fresh sample of n rows has counts that follow the multinomial distribution of the real shares, and independent
    columns that of their product: no row needs to be drawn for either. What is too wide to count is had of `some` rows.
    """
    domain = counters[0].domain
    cells = [Marginal.of(*columns).n_cells(domain) for columns in wanted]
    single = [counts / counters[0].n for counts in counters[0].count([Marginal.of(a) for a in range(len(domain))])]
    for portion in portions([i for i, size in enumerate(cells) if size <= MOST_DENSE_CELLS], cells, _PORTION_CELLS):
        marginals = [Marginal.of(*wanted[i]) for i in portion]
        tables = zip(*(counter.count(marginals) for counter in counters), strict=True)
        for i, found in zip(portion, tables, strict=True):
            counts = [table.ravel() for table in found]
            product = np.ones(1)
            for a in wanted[i]:
                product = np.multiply.outer(product, single[a]).ravel()
            references = [_drawn(n_rows, shares, rng) for shares in (counts[0] / counters[0].n, product)]
            yield Joint(i, (*counts, *references), True)
    for i in (i for i, size in enumerate(cells) if size > MOST_DENSE_CELLS):
        yield Joint(i, sparse_counts(some, wanted[i]), False)


def _drawn(n: int, shares: npt.NDArray[np.float64], rng: Rng) -> Counts:
    return np.asarray(rng.multinomial(n, shares / shares.sum()), dtype=np.int64)
