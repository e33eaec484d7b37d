"""Decomposable graphs: from pairs of attributes to cliques, a junction tree and a network. Post-processing only.

A graph is kept as its maximal cliques. In a chordal graph they form a junction tree: whatever two of them share is
held by all on the way between them. So a network whose families are nested in cliques represents it exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod

import numpy as np

from understudy.models import Node
from understudy.schema import Axis

Clique = frozenset[int]
Pair = tuple[int, int]


@dataclass(frozen=True)
class Decomposable:
    """A chordal graph over attributes of these sizes, as its maximal cliques and the tree that joins them.

    >>> graph = triangulate((2, 2, 2, 2), [(0, 1), (1, 2), (2, 3), (0, 3)])
    >>> [sorted(clique) for clique in graph.cliques]
    [[0, 1, 3], [1, 2, 3]]
    """

    sizes: tuple[int, ...]
    cliques: tuple[Clique, ...]

    def cells(self, clique: Iterable[int]) -> int:
        """Cells of the table of these attributes."""
        return prod(self.sizes[a] for a in clique)

    @property
    def largest(self) -> int:
        """Cells of the largest clique."""
        return max(map(self.cells, self.cliques), default=0)

    @property
    def total(self) -> int:
        """Cells of all cliques."""
        return sum(map(self.cells, self.cliques))

    def tree(self) -> list[list[int]]:
        """For each clique its neighbours in the junction tree: a spanning forest of largest overlaps."""
        overlaps = [
            (-len(one & other), i, j)
            for (i, one), (j, other) in combinations(enumerate(self.cliques), 2)
            if not one.isdisjoint(other)
        ]
        root = list(range(len(self.cliques)))

        def find(i: int) -> int:
            while root[i] != i:
                root[i] = i = root[root[i]]
            return i

        found: list[list[int]] = [[] for _ in self.cliques]
        for _, i, j in sorted(overlaps):
            if find(i) != find(j):
                root[find(i)] = find(j)
                found[i].append(j)
                found[j].append(i)
        return found

    def nodes(self) -> tuple[Node, ...]:
        """A network for the graph: clique by clique along the tree, each attribute on those of its clique before it.

        >>> [(node.child, len(node.parents)) for node in triangulate((2, 2, 2), [(0, 1), (1, 2)]).nodes()]
        [(0, 0), (1, 1), (2, 1)]
        """
        tree, placed, found, seen = self.tree(), set[int](), list[Node](), set[int]()
        for first in range(len(self.cliques)):
            waiting = [] if first in seen else [first]
            while waiting:
                i = waiting.pop()
                seen.add(i)
                for child in sorted(self.cliques[i] - placed):
                    found.append(Node(child, tuple(Axis(a) for a in sorted(self.cliques[i] & placed))))
                    placed.add(child)
                waiting += [j for j in reversed(tree[i]) if j not in seen]
        return tuple(found)

    def joinable(self, limit: int) -> list[Pair]:
        """Pairs in no clique together that can be joined without a clique of more than `limit` cells.

        >>> triangulate((2, 2, 2), [(0, 1), (1, 2)]).joinable(8), triangulate((2, 2, 2), [(0, 1), (1, 2)]).joinable(4)
        ([(0, 2)], [])
        """
        tree = self.tree()
        found = {tuple(sorted((u, v))) for u in self._varied() for v, _ in self._ways(u, tree, limit)}
        return [(u, v) for u, v in sorted(found)]

    def join(self, u: int, v: int, limit: int) -> Decomposable | None:
        """The graph with this pair joined, and whatever else keeps it chordal; None if a clique would be too large.

        Going along the tree from u to v, u is joined to all separators on the way; or v from the other end.
        """
        tree = self.tree()
        ways = [
            self._with([{one, *bag} for bag in bags])
            for one, other in ((u, v), (v, u))
            for end, bags in self._ways(one, tree, limit)
            if end == other
        ]
        return min(ways, key=lambda graph: graph.total, default=None)

    def _varied(self) -> list[int]:
        return [a for a, size in enumerate(self.sizes) if size > 1]

    def _ways(self, u: int, tree: list[list[int]], limit: int) -> Iterator[tuple[int, list[Clique]]]:
        """Each attribute that u can be joined to, with what u meets on the way: separators, and the attribute."""
        if self.sizes[u] < 2:
            return  # a single value depends on nothing
        room = limit // self.sizes[u]
        home = [i for i, clique in enumerate(self.cliques) if u in clique]
        waiting = [(i, j, list[Clique]()) for i in home for j in tree[i] if u not in self.cliques[j]]
        connected = set[int]().union(*(self.cliques[i] for i in home))
        while waiting:
            i, j, bags = waiting.pop()
            here, entry = self.cliques[j], self.cliques[i] & self.cliques[j]
            connected |= here
            passable = not bags or self.cells(bags[-1]) <= room
            for v in sorted(here - entry) if passable else ():
                if self.sizes[v] > 1 and self.cells(entry | {v}) <= room:
                    yield v, [*bags, entry | {v}]
            for k in tree[j]:
                if k != i:
                    across = entry | (here & self.cliques[k])
                    waiting.append((j, k, [*bags, across] if passable else bags))
        alone = set(self._varied()) - connected
        yield from ((v, [frozenset({v})]) for v in sorted(alone) if self.sizes[v] <= room)

    def _with(self, bags: Iterable[Iterable[int]]) -> Decomposable:
        return Decomposable(self.sizes, maximal([*self.cliques, *map(frozenset, bags)]))


def maximal(cliques: Iterable[Clique]) -> tuple[Clique, ...]:
    """Those that no other one holds, in order of their attributes.

    >>> maximal([frozenset({1}), frozenset({0, 1})])
    (frozenset({0, 1}),)
    """
    found: list[Clique] = []
    for clique in sorted(set(cliques), key=lambda c: (-len(c), sorted(c))):
        if not any(clique <= other for other in found):
            found.append(clique)
    return tuple(sorted(found, key=sorted))


def triangulate(sizes: Sequence[int], pairs: Iterable[Pair]) -> Decomposable:
    """A chordal graph that holds these pairs: attributes are eliminated by least fill-in, then by smallest table.

    >>> [sorted(clique) for clique in triangulate((2, 2, 3), [(0, 2)]).cliques]
    [[0, 2], [1]]
    """
    near: dict[int, set[int]] = {a: set() for a in range(len(sizes))}
    for u, v in pairs:
        near[u].add(v)
        near[v].add(u)

    def price(a: int) -> tuple[int, int, int]:
        fill = sum(1 for u, v in combinations(near[a], 2) if v not in near[u])
        return fill, prod(sizes[b] for b in near[a]) * sizes[a], a

    prices = {a: price(a) for a in near}
    cliques = []
    while near:
        a = min(prices.values())[2]
        around = near.pop(a)
        del prices[a]
        cliques.append(frozenset(around | {a}))
        for b in around:
            near[b] |= around
            near[b] -= {a, b}
        # fill-in of an attribute changes if its neighbours, or theirs, did
        for b in around.union(*(near[b] for b in around)):
            prices[b] = price(b)
    return Decomposable(tuple(sizes), maximal(cliques))


def merge(graph: Decomposable, *, power: int, limit: int) -> list[Clique]:
    """Tables to measure: cliques merged two by two as long as the expected error falls.

    With m tables the noise's variance in a cell grows as m^power (2 under pure ε, 1 with a δ). A clique that is
    summed out of a table of c cells gets the noise of them all, so the sum of squared errors is about m^power times
    the sum of c over cliques. The authors of JTree minimise the same sum, by relaxation; here it is greedy.

    >>> [sorted(table) for table in merge(triangulate((2,) * 6, []), power=2, limit=64)]
    [[0, 1], [2, 3], [4, 5]]
    """
    members = np.zeros((len(graph.cliques), len(graph.sizes)))
    for i, clique in enumerate(graph.cliques):
        members[i, list(clique)] = 1
    bits = np.log2(np.array(graph.sizes))
    held = np.ones(len(members))  # cliques in each table
    while len(members) > 1:
        own = members @ bits
        union = own[:, None] + own[None, :] - (members * bits) @ members.T
        cells = np.exp2(np.minimum(union, 60.0))
        np.fill_diagonal(cells, np.inf)
        cells[union > np.log2(limit) + 1e-9] = np.inf
        now = held * np.exp2(own)
        change = (held[:, None] + held[None, :]) * cells - now[:, None] - now[None, :]
        i, j = divmod(int(change.argmin()), len(members))
        m, total = len(members), now.sum()
        if not (m - 1) ** power * (total + change[i, j]) < m**power * total:
            break
        members[i] = np.maximum(members[i], members[j])
        held[i] += held[j]
        members, held = np.delete(members, j, axis=0), np.delete(held, j)
    return sorted((frozenset(np.flatnonzero(row).tolist()) for row in members), key=sorted)
