"""Cliques of a triangulated graph, hung up as trees."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from understudy.models._treefit import _kernels

Attributes = tuple[int, ...]


@dataclass(frozen=True)
class Cliques:
    """Cliques with parents first; −1 for a root. What two cliques share, every clique between them has."""

    members: tuple[Attributes, ...]
    parents: tuple[int, ...]


def adjacency(d: int, scopes: Iterable[Attributes]) -> npt.NDArray[np.bool_]:
    """Which attributes some table holds together.

    >>> int(adjacency(3, [(0, 2)]).sum())
    2
    """
    found = np.zeros((d, d), dtype=np.bool_)
    for scope in scopes:
        for a in scope:
            for b in scope:
                found[a, b] |= a != b
    return found


def centred(table: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """A table without what fewer axes tell.

    >>> centred(np.array([[3.0, 1.0], [1.0, 3.0]])).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    for axis in range(table.ndim):
        table = table - table.mean(axis=axis, keepdims=True)
    return table


def make_cliques(sizes: npt.NDArray[np.int64], scopes: Iterable[Attributes]) -> Cliques:
    """The cliques of the graph that these tables span, triangulated by summing out the cheapest attribute first.

    >>> make_cliques(np.array([2, 3, 4, 2]), [(0, 1), (1, 2)])
    Cliques(members=((1, 2), (0, 1), (3,)), parents=(-1, 0, -1))
    """
    d = len(sizes)
    filled, order = adjacency(d, scopes), np.empty(d, dtype=np.int64)
    _kernels.eliminate(filled, np.log(sizes.astype(np.float64)), order, np.inf)
    when = np.empty(d, dtype=np.int64)
    when[order] = np.arange(d)
    members: list[set[int]] = []
    parents: list[int] = []
    held_by: dict[int, int] = {}
    for v in order[::-1].tolist():
        later = {w for w in np.flatnonzero(filled[v]).tolist() if when[w] > when[v]}
        hung = held_by[min(later, key=lambda w: when[w])] if later else -1
        if later and later == members[hung]:
            members[hung].add(v)
            held_by[v] = hung
            continue
        held_by[v] = len(members)
        members.append(later | {v})
        parents.append(hung)
    return Cliques(tuple(tuple(sorted(m)) for m in members), tuple(parents))
