"""Rows as numbers for linear classifiers, by a map that is public: it reads the domain, never the rows.

The same for all methods. A column with two values is one number, −1 or +1; a numeric column is the middle of its
bin on a line from −1 to +1; any other column is one yes-or-no number for each of its codes; and a constant 1 stands
for the intercept. The authors' program gives two-valued columns two yes-or-no numbers and puts bins on [0, 1]
(`SvmTarget.one_hot`). Both tell the same; the shorter form has half as many numbers on binary data and wider margins,
which helps the methods that pay for each number (PrivateERM, PrivGene) and is what we compare with.

No number exceeds 1 in size, and a row's Euclidean norm is at most √(columns + 1), whatever the row is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from research.svm._targets import SvmTarget
from understudy.schema import Domain
from understudy.tables import Table

Floats: TypeAlias = npt.NDArray[np.float64]
Flags: TypeAlias = npt.NDArray[np.bool_]


_SPARSE = 0.4
"""With fewer numbers that are not 0, only these are gone through."""


@dataclass(frozen=True, slots=True)
class FeatureMap:
    """Codes of all columns but the target's → numbers.

    >>> from understudy.schema import Attribute
    >>> domain = Domain((Attribute(name="y", size=2), Attribute(name="a", size=2), Attribute(name="b", size=3)))
    >>> table = Table(domain, (np.array([0, 1]), np.array([0, 1]), np.array([2, 0])))
    >>> FeatureMap(domain, SvmTarget(name="y", column=0, positive=frozenset({1})))(table).tolist()
    [[-1.0, 0.0, 0.0, 1.0, 1.0], [1.0, 1.0, 0.0, 0.0, 1.0]]
    """

    domain: Domain
    target: SvmTarget

    @property
    def n_columns(self) -> int:
        """Columns that are read."""
        return len(self.domain) - 1

    @property
    def longest(self) -> float:
        """No row is longer than this (Euclidean norm)."""
        return float(np.sqrt(self.n_columns + 1))

    @property
    def width(self) -> int:
        """Numbers in a row."""
        return 1 + sum(len(self._codebook(i)[0]) for i in range(len(self.domain)) if i != self.target.column)

    def __call__(self, table: Table) -> Floats:
        """One row of numbers for each row."""
        blocks = [self._codebook(i)[table.columns[i]] for i in range(len(self.domain)) if i != self.target.column]
        return np.hstack([*blocks, np.ones((table.n, 1))])

    def _codebook(self, column: int) -> Floats:
        """What each code of a column becomes."""
        size = self.domain[column].size
        if column in self.target.numeric:
            middles = (np.arange(size) + 0.5)[:, None] / size
            return middles if self.target.one_hot else 2 * middles - 1
        return np.array([[-1.0], [1.0]]) if size == 2 and not self.target.one_hot else np.eye(size)

    def truth(self, table: Table) -> Flags:
        """For each row, whether the answer is yes."""
        yes = np.zeros(self.domain[self.target.column].size, dtype=np.bool_)
        yes[list(self.target.positive)] = True
        return yes[table.columns[self.target.column]]


@dataclass(frozen=True, eq=False)
class Examples:
    """Rows to learn from, equal ones merged: rows of numbers, and how many of each say yes and no.

    Every loss here is a sum over rows, so merging changes no objective, only the time it takes.
    """

    features: Floats
    yes: Floats
    no: Floats

    @property
    def n(self) -> int:
        """Rows before merging."""
        return int(self.yes.sum() + self.no.sum())

    @property
    def width(self) -> int:
        """Numbers in a row."""
        return int(self.features.shape[1])

    @cached_property
    def lines(self) -> Any:
        """The features, for sums over them: where most are 0, as columns of many values have it, without these."""
        few = np.count_nonzero(self.features) < _SPARSE * self.features.size
        return sparse.csr_array(self.features) if few else self.features

    @classmethod
    def of(cls, table: Table, target: SvmTarget) -> Examples:
        """The table's rows as seen by this task.

        >>> from understudy.schema import Attribute
        >>> domain = Domain((Attribute(name="y", size=2), Attribute(name="a", size=2)))
        >>> table = Table(domain, (np.array([0, 1, 1]), np.array([1, 1, 1])))
        >>> merged = Examples.of(table, SvmTarget(name="y", column=0, positive=frozenset({1})))
        >>> merged.features.tolist(), merged.yes.tolist(), merged.no.tolist()
        ([[1.0, 1.0]], [2.0], [1.0])
        """
        encode = FeatureMap(table.domain, target)
        others = [i for i in range(len(table.domain)) if i != target.column]
        kept, place = _distinct([table.columns[i] for i in others], [table.domain[i].size for i in others], table.n)
        truth = encode.truth(table)
        yes = np.bincount(place[truth], minlength=len(kept)).astype(np.float64)
        no = np.bincount(place[~truth], minlength=len(kept)).astype(np.float64)
        features = encode(Table(table.domain, tuple(column[kept] for column in table.columns)))
        for array in (features, yes, no):
            array.setflags(write=False)
        return cls(features, yes, no)


def _distinct(
    columns: list[npt.NDArray[np.unsignedinteger]], sizes: list[int], n: int
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """One row number for each distinct row, and which of them each row equals."""
    key = np.zeros(n, dtype=np.int64)
    room = 1
    for column, size in zip(columns, sizes, strict=True):
        if room > (1 << 62) // size:  # number the rows so far, so that the key fits 64 bits whatever the domain
            _, key = np.unique(key, return_inverse=True)
            room = n
        key = key * size + column
        room *= size
    _, kept, place = np.unique(key, return_index=True, return_inverse=True)
    return kept, place
