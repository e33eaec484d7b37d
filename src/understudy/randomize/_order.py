"""An order of the columns, where nobody knows one: candidate pairs first, then hill-climbing over networks.

Two columns are a candidate pair if they depend on each other, and still do given any one column that is near to either;
what is only correlated through a third goes out here. Then links are added, dropped or turned round, the best change
first, as long as any helps; two children of a column may become its parents at once. The network found gives the order
(parents first), and K2 runs on it, among the candidate pairs. The direction of many links cannot be told from data at
all; which columns are linked can.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

from understudy.models import parents_first
from understudy.randomize._judge import Candidate, Judge, Weighed
from understudy.randomize._k2 import Parents, Progress
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


def learn_order(judge: Judge, *, max_parents: int, progress: Progress | None = None) -> LearntOrder:
    """An order of all columns. The judge must weigh by likelihood."""
    pairs = candidate_pairs(judge, progress=progress)
    climb = _Climb(judge, pairs, max_parents)
    parents = climb.run()
    names = {str(child): [str(parent) for parent in parents[child]] for child in sorted(parents)}
    return LearntOrder(tuple(int(name) for name in parents_first(names)), pairs, parents)


def candidate_pairs(judge: Judge, *, progress: Progress | None = None) -> frozenset[tuple[int, int]]:
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
        if progress is not None:
            progress("looking for an order", rank, _NEAREST)
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
    """Links to drop and to add, each as (child, parent), and by how much that helps."""

    helps: float
    drop: tuple[tuple[int, int], ...] = ()
    add: tuple[tuple[int, int], ...] = ()


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
            self.parents = self._after(best)
            if self._state() in seen:  # gains are approximate, so changes may lead in a circle
                break
            seen.add(self._state())
        return self.parents

    def _state(self) -> tuple[tuple[int, ...], ...]:
        return tuple(self.parents[column] for column in sorted(self.parents))

    def _best(self) -> _Change | None:
        excess = self._excess()
        changes = [*self._single(excess), *self._meetings(excess)]
        # rounded: a pair gains the same in both directions but for the last digits, and those must not decide; where
        # nothing else does, a link goes from the column that comes first
        helping = [change for change in changes if round(change.helps, 6) > 0]
        helping.sort(key=lambda change: (-round(change.helps, 6), [(p, c) for c, p in change.add], change.drop))
        return next((change for change in helping if self._possible(change)), None)

    def _excess(self) -> dict[tuple[int, int], float]:
        """For each child and each column near it: what the link is worth given the child's other parents."""
        wanted = [
            Candidate(child, link, tuple(p for p in self.parents[child] if p != link))
            for child, near in self.near.items()
            for link in near
        ]
        return {(one.candidate.child, one.candidate.link): one.excess for one in self.judge.weigh(wanted)}

    def _single(self, excess: Mapping[tuple[int, int], float]) -> Iterator[_Change]:
        """Links to add, to drop, or to turn round."""
        for (child, link), worth in excess.items():
            if link in self.parents[child]:
                yield _Change(-worth, drop=((child, link),))
                yield _Change(excess[link, child] - worth, drop=((child, link),), add=((link, child),))
            elif child not in self.parents[link]:
                yield _Change(worth, add=((child, link),))

    def _meetings(self, excess: Mapping[tuple[int, int], float]) -> Iterator[_Change]:
        """Two children of a column that become its parents: turning either alone may gain nothing."""
        found: list[tuple[int, int, int]] = []
        for middle, near in self.near.items():
            below = [child for child in near if middle in self.parents[child]]
            found += [
                (middle, one, other)
                for one, other in combinations(below, 2)
                if (min(one, other), max(one, other)) not in self.pairs
            ]
        second = self.judge.weigh(
            [Candidate(middle, other, tuple(sorted((*self.parents[middle], one)))) for middle, one, other in found]
        )
        for (middle, one, other), weighed in zip(found, second, strict=True):
            gain = excess[middle, one] + weighed.excess - excess[one, middle] - excess[other, middle]
            yield _Change(gain, drop=((one, middle), (other, middle)), add=((middle, one), (middle, other)))

    def _after(self, change: _Change) -> Parents:
        after = dict(self.parents)
        for child, parent in change.drop:
            after[child] = tuple(p for p in after[child] if p != parent)
        for child, parent in change.add:
            after[child] = tuple(sorted((*after[child], parent)))
        return after

    def _possible(self, change: _Change) -> bool:
        """Whether no circle comes of it, and no child gets too many parents."""
        after = self._after(change)
        for child, _ in change.add:
            waiting, met = list(after[child]), set(after[child])
            while waiting:
                above = [column for column in after[waiting.pop()] if column not in met]
                met.update(above)
                waiting += above
            if child in met or len(after[child]) > self.max_parents:
                return False
        return True
