"""Which relations still fit: the graph of those held so far, part by part, within a cap on the cells of its cliques."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np

from understudy.models import cells_with


class Room:
    """What is left of a cap on the cells of all cliques, as relations are taken up one after the other.

    Only the part of the graph that an edge lies in is worked out anew. An edge between two parts makes a clique of its
    own and leaves all others as they are. What did not fit once is refused ever after. `scopes` are there from the
    start, whether or not they fit.

    >>> room = Room([2, 2, 2], most=12)
    >>> room.take(0, 1), room.take(1, 2), room.take(0, 2), room.cells
    (True, True, False, 10)
    """

    def __init__(self, sizes: Sequence[int], most: int, scopes: Iterable[Sequence[int]] = ()) -> None:
        self._sizes, self._most = np.array(sizes, dtype=np.int64), most
        self._near = np.zeros((len(sizes), len(sizes)), dtype=np.bool_)
        self._part = list(range(len(sizes)))
        self._members = {a: [a] for a in range(len(sizes))}
        self._cells = dict(enumerate(self._sizes.tolist()))
        self._refused: set[tuple[int, int]] = set()
        for scope in scopes:
            self._hold(scope)
        self.cells = sum(self._cells.values())

    def take(self, a: int, b: int) -> bool:
        """Whether this edge fits; then it is there from now on."""
        if not self.may_take(a, b):
            return False
        one, other = self._part[a], self._part[b]
        before = self._cells[one] + (self._cells[other] if one != other else 0)
        limit = float(self._most - self.cells + before)
        needed = self._inside(one, a, b, limit) if one == other else before + self._between(a, b)
        if needed > limit:
            self._refused.add((a, b))
            return False
        self._near[a, b] = self._near[b, a] = True
        self.cells += int(needed) - before
        self._cells[one] = int(needed)
        if one != other:
            self._join(one, other)
        return True

    def may_take(self, a: int, b: int) -> bool:
        """Whether this edge has not been refused so far."""
        return (a, b) not in self._refused

    def _between(self, a: int, b: int) -> int:
        """Cells of a clique of two, in place of one of its ends on its own."""
        k, m = int(self._sizes[a]), int(self._sizes[b])
        return k * m - min(k, m)

    def _hold(self, scope: Sequence[int]) -> None:
        """All edges of a table, whatever they need."""
        for a, b in combinations(scope, 2):
            self._near[a, b] = self._near[b, a] = True
            if self._part[a] != self._part[b]:
                self._join(self._part[a], self._part[b])
            self._cells[self._part[a]] = int(self._inside(self._part[a], a, b, math.inf))

    def _inside(self, part: int, a: int, b: int, limit: float) -> float:
        """Cells of a part with one more edge; inf if that is more than this many."""
        members = np.array(self._members[part])
        where = {v: i for i, v in enumerate(members.tolist())}
        near, logs = self._near[np.ix_(members, members)], np.log(self._sizes[members].astype(np.float64))
        found = cells_with(near, logs, np.array([where[a]]), np.array([where[b]]), limit)
        return float(np.rint(found[0])) if math.isfinite(found[0]) else math.inf

    def _join(self, one: int, other: int) -> None:
        for moved in self._members[other]:
            self._part[moved] = one
        self._members[one] += self._members.pop(other)
        self._cells.pop(other)
