"""Which parent sets are worth considering: Algorithms 5 and 6 of PrivBayes, and draws from them.

All of it is public: it looks at domains, at the attributes already chosen and at a bound on table sizes, never at data.
Sizes are integers, so only ⌊τ⌋ matters and ⌊τ/s⌋ = ⌊⌊τ⌋/s⌋: no rounding anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations
from math import comb, prod

import numpy as np

from understudy._core.randomness import Rng
from understudy.schema import Axis, Domain

Parents = tuple[Axis, ...]
Sizes = dict[int, list[int]]

_MOST_ATTRIBUTES = 300  # the recursion goes two calls deeper for each, and Python's stack ends at a thousand


@cache
def _axis(attribute: int, level: int = 0) -> Axis:
    """One object for each axis: thousands of candidate sets share a few of them, and small tables leave little room."""
    return Axis(attribute, level)


class TooManySetsError(Exception):
    """There are more parent sets than the caller wants to look at."""


def maximal_parent_sets(domain: Domain, chosen: Sequence[int], cap: int, *, limit: int | None = None) -> list[Parents]:
    """All maximal generalised subsets of the chosen attributes with at most `cap` cells (Algorithms 5 and 6).

    Maximal: no attribute can be added and none taken at a finer level without exceeding the cap. None at all if
    cap < 1. Without taxonomies Algorithm 6 is Algorithm 5.

    Raises:
        TooManySetsError: when there are more than `limit`, or may be, among very many attributes.

    >>> from understudy.schema import Attribute, Domain
    >>> domain = Domain(tuple(Attribute(name=name, size=2) for name in "abc"))
    >>> [[axis.attribute for axis in s] for s in maximal_parent_sets(domain, [0, 1, 2], 4)]
    [[0, 1], [0, 2], [1, 2]]
    """
    if cap < 1:
        return []
    if limit is not None and len(chosen) > _MOST_ATTRIBUTES:
        raise TooManySetsError
    memo: dict[tuple[int, int], list[Parents]] = {}
    # the attributes with the fewest cells go deepest, where the recursion shares most
    order = sorted(chosen, key=lambda a: (-domain[a].size, a))

    def sets(position: int, room: int) -> list[Parents]:
        if room < 1:
            return []
        if position == len(order):
            return [()]
        key = (position, room)
        if key not in memo:
            memo[key] = extend(position, room)
        return memo[key]

    def extend(position: int, room: int) -> list[Parents]:
        attribute = domain[order[position]]
        seen: set[Parents] = set()
        found: list[Parents] = []
        for level in range(attribute.n_levels):
            for rest in sets(position + 1, room // attribute.size_at(level)):
                if rest not in seen:
                    seen.add(rest)
                    found.append((_axis(order[position], level), *rest))
        found.extend(rest for rest in sets(position + 1, room) if rest not in seen)
        if limit is not None and len(found) > limit:
            raise TooManySetsError
        return found

    return sorted(tuple(sorted(s)) for s in sets(0, cap))


def subsets_of_size(chosen: Sequence[int], k: int, *, limit: int | None = None) -> list[Parents]:
    """All subsets of exactly min(k, |chosen|) attributes, at the leaf (line 5 of Algorithm 2).

    >>> subsets_of_size([0, 1, 2], 2)[0]
    (Axis(attribute=0, level=0), Axis(attribute=1, level=0))
    """
    size = min(k, len(chosen))
    if limit is not None and comb(len(chosen), size) > limit:
        raise TooManySetsError
    return [tuple(_axis(a) for a in subset) for subset in combinations(sorted(chosen), size)]


def draw_maximal(
    domain: Domain, chosen: Sequence[int], cap: int, count: int, rng: Rng, *, include: int | None = None
) -> list[Parents]:
    """Maximal generalised subsets, drawn with public coins; every maximal set has a chance; repeats are dropped.

    Attributes come in random order, `include` first, each at a random level that fits; what room is left then refines
    and adds, so that the result is maximal.

    >>> from understudy._core.randomness import Streams
    >>> from understudy.schema import Attribute, Domain
    >>> domain = Domain(tuple(Attribute(name=name, size=2) for name in "abc"))
    >>> {len(s) for s in draw_maximal(domain, [0, 1, 2], 4, 9, Streams(1).get("coins"))}
    {2}
    """
    others = [a for a in chosen if a != include]
    first = [] if include is None else [include]
    sizes = {a: [domain[a].size_at(level) for level in range(domain[a].n_levels)] for a in [*first, *others]}
    orders = np.argsort(rng.random((count, len(others))), axis=1).tolist()
    coins = rng.random((count, len(first) + len(others))).tolist()
    drawn: set[Parents] = set()
    for places, flips in zip(orders, coins, strict=True):
        order = [*first, *(others[place] for place in places)]
        drawn.add(_complete(sizes, order, _start(sizes, order, flips, cap), cap))
    return sorted(drawn)


def _start(sizes: Sizes, order: Sequence[int], flips: Sequence[float], cap: int) -> dict[int, int]:
    """Take attributes in this order at a random level that fits, until nothing can fit any more."""
    levels: dict[int, int] = {}
    room = cap
    for a, flip in zip(order, flips, strict=True):
        if room < 2:
            break
        fitting = [level for level, size in enumerate(sizes[a]) if size <= room]
        if fitting:
            # the finest level half of the time: maximal sets are mostly fine ones
            level = fitting[0] if flip < 0.5 else fitting[int((2 * flip - 1) * len(fitting))]
            levels[a] = level
            room //= sizes[a][level]
    return levels


def _complete(sizes: Sizes, order: Sequence[int], levels: dict[int, int], cap: int) -> Parents:
    """Refine what is there, then add what fits, in this order. Room only shrinks, so the result is maximal."""
    used = prod(sizes[a][level] for a, level in levels.items())
    for a in list(levels):
        others = used // sizes[a][levels[a]]
        levels[a] = next(level for level, size in enumerate(sizes[a]) if others * size <= cap)
        used = others * sizes[a][levels[a]]
    for a in order:
        if used * 2 > cap:
            break
        if a not in levels:
            finest = next((level for level, size in enumerate(sizes[a]) if used * size <= cap), None)
            if finest is not None:
                levels[a] = finest
                used *= sizes[a][finest]
    return tuple(sorted(_axis(a, level) for a, level in levels.items()))


def draw_subsets(chosen: Sequence[int], k: int, count: int, rng: Rng, *, include: int | None = None) -> list[Parents]:
    """As many subsets of exactly min(k, |chosen|) attributes, drawn with public coins, independently.

    >>> from understudy._core.randomness import Streams
    >>> [len(s) for s in draw_subsets([0, 1, 2, 3], 2, 3, Streams(1).get("coins"), include=3)]
    [2, 2, 2]
    """
    others = np.array([a for a in chosen if a != include], dtype=np.int64)
    forced = [] if include is None else [include]
    size = min(k, len(chosen)) - len(forced)
    if size <= 0:
        return [tuple(_axis(a) for a in forced)] * count
    # the positions of the `size` smallest of random keys are a uniform subset
    keys = rng.random((count, len(others)), dtype=np.float32)
    picked = np.argpartition(keys, size - 1, axis=1)[:, :size] if size < len(others) else np.argsort(keys, axis=1)
    rows = np.sort(np.hstack([np.full((count, len(forced)), include or 0), others[picked]]), axis=1).tolist()
    return [tuple(_axis(a) for a in row) for row in rows]
