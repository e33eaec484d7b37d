"""Tables of pairs of attributes out of a calibrated junction tree, all that are wanted at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import TypeAlias

import numpy as np

from understudy.models._inference import Floats
from understudy.models._treefit._structure import Attributes, Cliques

Pair: TypeAlias = tuple[int, int]
Pairs: TypeAlias = dict[Pair, Floats]


def pair_tables(cliques: Cliques, beliefs: Sequence[Floats], wanted: Iterable[Pair]) -> Pairs:
    """The tables of these pairs, the smaller attribute first; beliefs and tables have the same total.

    Pairs inside a clique are summed out of it. For others, the table of one attribute and a separator is passed on from
    clique to clique; across trees attributes are independent.

    >>> edge = np.array([[4.0, 1.0], [1.0, 4.0]])
    >>> pair_tables(Cliques(((0, 1), (1, 2)), (-1, 0)), [edge, edge], [(0, 2)])[0, 2].round(6).tolist()
    [[3.4, 1.6], [1.6, 3.4]]
    """
    missing = set(wanted)
    found: Pairs = {}
    for clique, belief in zip(cliques.members, beliefs, strict=True):
        here = {(a, b) for a in clique for b in clique if (a, b) in missing}
        if here:
            _split(belief, clique, here, found)
            missing -= here
    if missing:
        _across(cliques, beliefs, missing, found)
    return found


def _split(table: Floats, held: Attributes, wanted: set[Pair], found: Pairs) -> None:
    """All wanted pairs of a table, by halves: what lies in one half needs only that half's sums."""
    if len(held) == 2:
        found[held[0], held[1]] = table
        return
    half = len(held) // 2
    for kept in (held[:half], held[half:]):
        inside = {pair for pair in wanted if pair[0] in kept and pair[1] in kept}
        if inside:
            _split(_summed(table, held, kept), kept, inside, found)
    crossing = {pair for pair in wanted if (pair[0] in held[:half]) != (pair[1] in held[:half])}
    if crossing:
        _cross(table, held[:half], held[half:], crossing, found)


def _cross(table: Floats, left: Attributes, right: Attributes, wanted: set[Pair], found: Pairs) -> None:
    """Pairs of one attribute on either side."""
    if len(left) == len(right) == 1:
        found[left[0], right[0]] = table
        return
    held = (*left, *right)
    if len(left) >= len(right):
        half = len(left) // 2
        parts = [(left[:half], right), (left[half:], right)]
    else:
        half = len(right) // 2
        parts = [(left, right[:half]), (left, right[half:])]
    for one, other in parts:
        inside = {pair for pair in wanted if pair[0] in one and pair[1] in other}
        if inside:
            used = {a for pair in inside for a in pair}
            one, other = tuple(a for a in one if a in used), tuple(a for a in other if a in used)
            _cross(_summed(table, held, (*one, *other)), one, other, inside, found)


def _summed(table: Floats, held: Attributes, kept: Attributes) -> Floats:
    away = tuple(i for i, a in enumerate(held) if a not in kept)
    return np.asarray(table.sum(axis=away)) if away else table


def _across(cliques: Cliques, beliefs: Sequence[Floats], missing: set[Pair], found: Pairs) -> None:
    """Pairs that no clique holds."""
    members = cliques.members
    near: list[list[int]] = [[] for _ in members]
    for c, p in enumerate(cliques.parents):
        if p >= 0:
            near[c].append(p)
            near[p].append(c)
    partners: dict[int, set[int]] = {}
    for a, b in missing:
        partners.setdefault(a, set()).add(b)
        partners.setdefault(b, set()).add(a)
    homes: dict[int, int] = {}
    for c in sorted(range(len(members)), key=lambda c: beliefs[c].size):
        for a in members[c]:
            homes.setdefault(a, c)
    walk = _Walk(members, beliefs, near)
    single = {a: _summed(beliefs[homes[a]], members[homes[a]], (a,)) for a in partners}
    # whoever has many partners goes first: each walk serves all of them
    for a in sorted(partners, key=lambda a: -len(partners[a])):
        left = {b for b in partners[a] if (min(a, b), max(a, b)) not in found}
        if left:
            reached = walk.from_attribute(a, homes[a], left)
            for b in left:
                table = reached.get(b)
                if table is None:
                    table = np.outer(single[a], single[b]) / single[a].sum()
                found[min(a, b), max(a, b)] = table if a < b else table.T


class _Walk:
    """Passes the table of one attribute and a separator through a tree."""

    def __init__(self, members: Sequence[Attributes], beliefs: Sequence[Floats], near: Sequence[Sequence[int]]) -> None:
        self._members, self._beliefs, self._near = members, beliefs, near
        self._sums: dict[tuple[int, Attributes], Floats] = {}

    def from_attribute(self, a: int, home: int, wanted: set[int]) -> dict[int, Floats]:
        """The table of `a` and b, for each wanted b of the same tree."""
        found: dict[int, Floats] = {}
        stack: list[tuple[int, int, Attributes, Floats | None]] = [(home, -1, (), None)]
        while stack and len(found) < len(wanted):
            c, before, separator, given = stack.pop()
            clique = self._members[c]
            if given is not None:
                for b in clique:
                    if b in wanted and b not in found and b not in separator:
                        found[b] = self._pass(c, separator, given, (b,))
            for x in self._near[c]:
                if x == before:
                    continue
                shared = tuple(v for v in clique if v in self._members[x])
                if a in shared:
                    stack.append((x, c, (), None))
                elif shared:
                    joint = self._sum(c, (a, *shared)) if given is None else self._pass(c, separator, given, shared)
                    flat = joint.reshape(joint.shape[0], -1)
                    stack.append((x, c, shared, _divided(flat, self._sum(x, shared).reshape(-1))))
        return found

    def _pass(self, c: int, separator: Attributes, given: Floats, on: Attributes) -> Floats:
        """P(a, on) from P(a | separator) and the clique: a product of matrices for each value of what both have."""
        both = tuple(v for v in separator if v in on)
        gone = tuple(v for v in separator if v not in on)
        new = tuple(v for v in on if v not in separator)
        table = self._sum(c, (*both, *gone, *new))
        shape = dict(zip((*both, *gone, *new), table.shape, strict=True))
        sizes = [prod(shape[v] for v in part) for part in (both, gone, new)]
        of_a = given.reshape(-1, *(shape[v] for v in separator))
        order = [0, *(1 + separator.index(v) for v in both), *(1 + separator.index(v) for v in gone)]
        of_a = of_a.transpose(order).reshape(-1, sizes[0], sizes[1]).transpose(1, 0, 2)
        made = np.matmul(of_a, table.reshape(sizes)).transpose(1, 0, 2)
        spread = made.reshape(-1, *(shape[v] for v in (*both, *new)))
        return np.asarray(spread.transpose([0, *(1 + (*both, *new).index(v) for v in on)]))

    def _sum(self, c: int, wanted: Attributes) -> Floats:
        """A clique's table of some attributes, axes in the order asked."""
        key = (c, wanted)
        if key not in self._sums:
            clique = self._members[c]
            kept = tuple(v for v in clique if v in wanted)
            table = _summed(self._beliefs[c], clique, kept)
            self._sums[key] = np.ascontiguousarray(table.transpose([kept.index(v) for v in wanted]))
        return self._sums[key]


def _divided(tables: Floats, totals: Floats) -> Floats:
    return np.divide(tables, totals, out=np.zeros_like(tables), where=totals > 0)
