"""Covering designs: sets of columns of one size such that any two (or three) columns are in one of them together.

Public: they depend on the number of columns alone.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np
import numpy.typing as npt

from understudy._core.randomness import Rng, Streams

TRIES = {2: 20, 3: 1}
"""Greedy runs with ties broken in different ways; the smallest design is taken."""


@cache
def covering_design(columns: int, size: int, strength: int) -> tuple[tuple[int, ...], ...]:
    """Sets of `size` columns that hold every `strength` of them together: a small design, found greedily.

    A set grows by the column that covers most of what is not yet covered. Ties are broken by coins that are always the
    same, so a design is a function of the three numbers. For pairs the lines of a projective plane are held against
    it. Sets may be smaller where that is enough.

    >>> covering_design(6, 4, 2)
    ((0, 1, 4, 5), (0, 2, 3, 4), (1, 2, 3, 5))
    >>> covering_design(3, 8, 2)
    ((0, 1, 2),)
    """
    if columns <= size:
        return (tuple(range(columns)),)
    designs = [_greedy(columns, size, strength, Streams(0).get("design", str(i))) for i in range(TRIES[strength])]
    if strength == 2:
        designs += _plane(columns, size - 1)
    return min(designs, key=lambda design: (len(design), sum(2 ** len(block) for block in design)))


def _plane(columns: int, order: int) -> list[tuple[tuple[int, ...], ...]]:
    """The lines of a projective plane of prime order, any two points being on one line; points left over are dropped.

    >>> [len(design) for design in _plane(7, 2)], _plane(8, 2)
    ([7], [])
    """
    prime = order > 1 and all(order % i for i in range(2, order))
    if not prime or columns > order**2 + order + 1:
        return []
    # a line stays together at the end, so that dropping its points drops the line
    q = range(order)
    points = [(x, y, 1) for x in q for y in q] + [(x, 1, 0) for x in q] + [(1, 0, 0)]
    blocks = (
        tuple(i for i, point in enumerate(points[:columns]) if np.dot(line, point) % order == 0) for line in points
    )
    return [tuple(sorted(block for block in blocks if len(block) > 1))]


def _greedy(columns: int, size: int, strength: int, coins: Rng) -> tuple[tuple[int, ...], ...]:
    left = np.ones((columns,) * strength, dtype=bool)  # sets that no block covers yet, in every order of their columns
    for a, b in combinations(range(strength), 2):
        equal = np.eye(columns, dtype=bool).reshape([columns if i in (a, b) else 1 for i in range(strength)])
        left &= ~equal
    found = []
    while left.any():
        degree = left.reshape(columns, -1).sum(axis=1)
        block: list[int] = []
        for _ in range(size):
            gain = _gain(left, block) * (degree.sum() + 1.0) + degree + coins.random(columns) / 2
            gain[block] = -1.0
            block.append(int(gain.argmax()))
        found.append(tuple(sorted(block)))
        left[np.ix_(*[block] * strength)] = False
    return tuple(sorted(found))


def _gain(left: npt.NDArray[np.bool_], block: list[int]) -> npt.NDArray[np.float64]:
    """How much each column would cover together with the block; with a shorter block, how much it could cover later."""
    if not block:
        return np.zeros(len(left))
    # a pair covers no three columns yet, but may come to
    several = left.ndim == 2 or len(block) > 1
    inside = left[np.ix_(range(len(left)), *[block] * (left.ndim - 1))] if several else left[:, block[0], :]
    gain: npt.NDArray[np.float64] = inside.reshape(len(left), -1).sum(axis=1).astype(np.float64)
    return gain
