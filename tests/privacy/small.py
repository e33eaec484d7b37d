"""A counter and scores so plain that they are right by sight, for the tests of the curator."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from understudy.privacy import Neighbours
from understudy.schema import Attribute, Domain


class PlainCounter:
    """Counts row by row, each table once."""

    def __init__(self, domain, rows):
        self.domain, self.rows, self.n_tables = domain, [tuple(row) for row in rows], 0
        self.n, self._known = len(self.rows), {}

    def count(self, marginals):
        self.n_tables += len(marginals)
        for marginal in marginals:
            if marginal not in self._known:
                self._known[marginal] = self._counted(marginal)
        return [self._known[marginal].copy() for marginal in marginals]

    def _counted(self, marginal):
        table = np.zeros(marginal.shape(self.domain), dtype=np.int64)
        groups = [(a, self.domain[a].groups_at(level)) for a, level in marginal.axes]
        for row in self.rows:
            table[tuple(int(codes[row[a]]) for a, codes in groups)] += 1
        return table

    def recoded(self, recoding):
        columns = [np.array(column, dtype=np.uint8) for column in zip(*self.rows, strict=True)]
        return PlainCounter(recoding.target, zip(*(c.tolist() for c in recoding.encode(columns)), strict=True))


@dataclass(frozen=True)
class MatchScore:
    """Rows in which child and parents have the same code: one record moves it by at most 1."""

    name: str = "match"

    def scale(self, n):
        return 3  # any scale will do; 3 shows if someone forgets it

    def __call__(self, tables, n):
        size = min(tables.shape[1:])
        return 3 * sum(tables[:, i, i] for i in range(size))

    def difference_sensitivity(self, n, shapes, neighbours):
        return Fraction(2) if neighbours is Neighbours.REPLACE_ONE else Fraction(1)


def binary(d):
    return Domain(tuple(Attribute(name=f"a{i}", size=2) for i in range(d)))
