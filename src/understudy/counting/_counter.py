"""What every counting engine offers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from understudy.schema import Domain, Marginal, Recoding

Counts: TypeAlias = npt.NDArray[np.int64]


class Counter(Protocol):
    """Exact contingency tables of one private table. Sensitive: only the curator holds one.

    >>> from understudy.counting import MemoryCounter
    >>> from understudy.schema import Attribute
    >>> from understudy.tables import Table
    >>> table = Table(Domain((Attribute(name="sex", size=2),)), (np.array([0, 1, 1]),))
    >>> counter: Counter = MemoryCounter(table)
    >>> counter.n, [counts.tolist() for counts in counter.count([Marginal.of(0), Marginal.of()])]
    (3, [[1, 2], 3])
    """

    @property
    def domain(self) -> Domain:
        """The domain of the rows."""
        ...

    @property
    def n(self) -> int:
        """Number of rows."""
        ...

    def count(self, marginals: Sequence[Marginal]) -> list[Counts]:
        """One table for each marginal, shaped `marginal.shape(domain)`, axes in the order asked."""
        ...

    def recoded(self, recoding: Recoding) -> Counter:
        """A counter of the same rows under another encoding of their codes."""
        ...
