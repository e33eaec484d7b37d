"""An order of the columns, where nobody knows one: candidate pairs first, then hill-climbing over networks.

Two columns are a candidate pair if they depend on each other, and still do given any one column that is near to either;
what is only correlated through a third goes out here. Then links are added, dropped or turned round, the best change
first, as long as any helps. The network found gives the order (parents first), and K2 runs on it, among the candidate
pairs. The direction of many links cannot be told from data at all; which columns are linked can.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import NamedTuple

from understudy.models import parents_first
from understudy.randomize._judge import Candidate, Judge, Weighed
from understudy.randomize._k2 import Parents
from understudy.randomize._tails import chi_squared_tail

STILL_DEPENDENT = 0.01
"""A pair stays a candidate if independence given a third column would be rejected at this level."""
_NEAREST = 10  # columns near to one of a pair that are tried as the third


@dataclass
class LearntOrder:
    """An order, the candidate pairs, and the network that gave it."""

    order: tuple[int, ...]
    pairs: frozenset[tuple[int, int]]
    parents: Parents

    def allowed(self, child: int, link: int) -> bool:
        """Whether the two are a candidate pair."""
        return (min(child, link), max(child, link)) in self.pairs


def learn_order(judge: Judge, *, max_parents: int) -> LearntOrder:
    """An order of all columns. The judge must weigh by likelihood."""
    pairs = candidate_pairs(judge)
    climb = _Climb(judge, pairs, max_parents)
    parents = climb.run()
    names = {str(child): [str(parent) for parent in parents[child]] for child in sorted(parents)}
    return LearntOrder(tuple(int(name) for name in parents_first(names)), pairs, parents)


def candidate_pairs(judge: Judge) -> frozenset[tuple[int, int]]:
    """Pairs that depend on each other, alone and given any one third column near to them."""
    columns = range(len(judge.counts.domain))
    every = [Candidate(child, link, ()) for child in columns for link in columns if link < child]
    strength = {(one.candidate.link, one.candidate.child): one.excess for one in judge.weigh(every) if one.excess > 0}
    near: dict[int, list[tuple[float, int]]] = {column: [] for column in columns}
    for (a, b), excess in strength.items():
        near[a].append((-excess, b))
        near[b].append((-excess, a))
    for listed in near.values():
        listed.sort()
    left = dict.fromkeys(sorted(strength))
    for rank in range(_NEAREST):  # the nearest third of every pair first: most pairs that go out do so at once
        tests: dict[Candidate, tuple[int, int]] = {}
        for pair in left:
            for side in (0, 1):
                thirds = [third for _, third in near[pair[side]] if third != pair[1 - side]]
                if rank < len(thirds):
                    tests[Candidate(pair[1], pair[0], (thirds[rank],))] = pair
        for weighed in judge.weigh(list(tests)):
            if not _still_dependent(weighed):
                left.pop(tests[weighed.candidate], None)
    return frozenset(left)


def _still_dependent(weighed: Weighed) -> bool:
    if weighed.too_large or not weighed.freedom:
        return weighed.too_large  # what cannot be looked at is not held against the pair
    return chi_squared_tail(2 * weighed.gain, weighed.freedom) < STILL_DEPENDENT


class _Change(NamedTuple):
    helps: float
    kind: str
    child: int
    parent: int


@dataclass
class _Climb:
    """Hill-climbing over networks whose links are among the candidate pairs."""

    judge: Judge
    pairs: frozenset[tuple[int, int]]
    max_parents: int
    parents: Parents = field(default_factory=dict)
    near: dict[int, list[int]] = field(default_factory=dict)

    def run(self) -> Parents:
        columns = range(len(self.judge.counts.domain))
        self.parents = dict.fromkeys(columns, ())
        self.near = {column: [] for column in columns}
        for a, b in sorted(self.pairs):
            self.near[a].append(b)
            self.near[b].append(a)
        seen = {self._state()}
        for _ in range(4 * len(self.pairs) + 1):
            best = self._best()
            if best is None:
                break
            self._apply(best)
            if self._state() in seen:  # gains are approximate, so changes may lead in a circle
                break
            seen.add(self._state())
        return self.parents

    def _state(self) -> tuple[tuple[int, ...], ...]:
        return tuple(self.parents[column] for column in sorted(self.parents))

    def _excess(self) -> dict[tuple[int, int], float]:
        """For each child and each column near it: what the link is worth given the child's other parents."""
        wanted = [
            Candidate(child, link, tuple(p for p in self.parents[child] if p != link))
            for child, near in self.near.items()
            for link in near
        ]
        return {(one.candidate.child, one.candidate.link): one.excess for one in self.judge.weigh(wanted)}

    def _best(self) -> _Change | None:
        excess = self._excess()
        changes: list[_Change] = []
        for (child, link), worth in excess.items():
            room = len(self.parents[child]) < self.max_parents
            if link in self.parents[child]:
                changes.append(_Change(-worth, "drop", child, link))
                if len(self.parents[link]) < self.max_parents:
                    changes.append(_Change(_finite(excess[link, child]) - worth, "turn", child, link))
            elif room and child not in self.parents[link]:
                changes.append(_Change(worth, "add", child, link))
        helping = [change for change in changes if change.helps > 0]
        return next((change for change in sorted(helping, reverse=True) if self._possible(change)), None)

    def _possible(self, change: _Change) -> bool:
        """Whether no circle comes of it."""
        if change.kind == "drop":
            return True
        child, parent = (change.child, change.parent) if change.kind == "add" else (change.parent, change.child)
        waiting, met = [parent], {parent}
        while waiting:
            column = waiting.pop()
            for above in self.parents[column]:
                if change.kind == "turn" and (above, column) == (change.parent, change.child):
                    continue  # the link that is being turned
                if above not in met:
                    met.add(above)
                    waiting.append(above)
        return child not in met

    def _apply(self, change: _Change) -> None:
        child, parent = change.child, change.parent
        if change.kind != "add":
            self.parents[child] = tuple(p for p in self.parents[child] if p != parent)
        if change.kind == "turn":
            child, parent = parent, child
        if change.kind != "drop":
            self.parents[child] = tuple(sorted((*self.parents[child], parent)))


def _finite(value: float) -> float:
    return value if value > -inf else -1e300
