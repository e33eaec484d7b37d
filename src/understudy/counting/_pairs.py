"""Parities of very many pairs of two-valued columns, without a table for each of them."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np

from understudy.counting._batch import Ints
from understudy.counting._counter import Counter, Counts
from understudy.schema import Marginal

_AT_ONCE = 1 << 14
_FEW = 1 << 10


@runtime_checkable
class CountsOnes(Protocol):
    """A counter that can count rows with two codes 1 for all pairs of two-valued columns at once.

    >>> from understudy.counting import MemoryCounter
    >>> issubclass(MemoryCounter, CountsOnes)
    True
    """

    def ones_together(self, attributes: Ints) -> Counts | None:
        """Rows with code 1 in both, for each pair of these, as a matrix; on its diagonal in one. None if it cannot."""
        ...


def pair_parities(counter: Counter, first: Ints, second: Ints) -> Counts:
    """For each pair of columns `first[i]`, `second[i]`, the rows in which they agree less those in which they differ.

    >>> from understudy.counting import MemoryCounter
    >>> from understudy.schema import Attribute, Domain
    >>> from understudy.tables import Table
    >>> domain = Domain((Attribute(name="sex", size=2), Attribute(name="smokes", size=2)))
    >>> counter = MemoryCounter(Table(domain, (np.array([0, 1, 1]), np.array([0, 1, 0]))))
    >>> pair_parities(counter, np.array([0]), np.array([1])).tolist()
    [1]
    """
    if len(first) > _FEW and isinstance(counter, CountsOnes):
        attributes = np.union1d(first, second)
        both = counter.ones_together(attributes)
        if both is not None:
            a, b = np.searchsorted(attributes, first), np.searchsorted(attributes, second)
            ones = np.diagonal(both)
            return np.asarray(counter.n - 2 * (ones[a] + ones[b] - 2 * both[a, b]))
    found = [np.zeros(0, dtype=np.int64)]
    for low in range(0, len(first), _AT_ONCE):
        some = zip(first[low : low + _AT_ONCE].tolist(), second[low : low + _AT_ONCE].tolist(), strict=True)
        tables = np.array(counter.count([Marginal.of(a, b) for a, b in some]))
        found.append(tables[:, 0, 0] + tables[:, 1, 1] - tables[:, 0, 1] - tables[:, 1, 0])
    return np.concatenate(found)
