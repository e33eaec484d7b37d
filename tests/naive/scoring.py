"""The three scores from their definitions, in fractions, over every assignment where they ask for the best one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

Table = Sequence[Sequence[int]]  # [child value][parent configuration]


def naive_r(table: Table, n: int) -> Fraction:
    """2·n²·R, where R is half the L1 distance between Pr[X, Π] and Pr[X]·Pr[Π]."""
    child = [Fraction(sum(row), n) for row in table]
    parents = [Fraction(sum(column), n) for column in zip(*table, strict=True)]
    distance = sum(
        abs(Fraction(table[x][p], n) - child[x] * parents[p]) for x in range(len(child)) for p in range(len(parents))
    )
    return 2 * n * n * distance / 2


def naive_information(table: Table, n: int) -> float:
    """n times the mutual information, in bits."""
    child = [sum(row) for row in table]
    parents = [sum(column) for column in zip(*table, strict=True)]
    cells = product(range(len(child)), range(len(parents)))
    return math.fsum(
        table[x][p] * math.log2(Fraction(n * table[x][p], child[x] * parents[p])) for x, p in cells if table[x][p]
    )


def naive_f(table: Table, n: int) -> int:
    """2·n·F: the largest sum over both child values of min(2·mass, n), less 2n, over all ways to give each parent
    configuration to one of them."""
    masses = (
        [sum(table[x][p] for p, side in enumerate(sides) if side == x) for x in (0, 1)]
        for sides in product((0, 1), repeat=len(table[0]))
    )
    return max(min(2 * a, n) + min(2 * b, n) for a, b in masses) - 2 * n


def naive_best_split(keys: Sequence[int], values: Sequence[int], key_mass: int, value_mass: int, n: int) -> int:
    """The largest 2A + min(2B, n): each pair adds its key to A or its value to B."""
    found = []
    for sides in product((False, True), repeat=len(keys)):
        a = key_mass + sum(key for key, side in zip(keys, sides, strict=True) if side)
        b = value_mass + sum(value for value, side in zip(values, sides, strict=True) if not side)
        found.append(2 * a + min(2 * b, n))
    return max(found)


def naive_best_masses(keys: Sequence[int], values: Sequence[int], limit: int) -> dict[int, int]:
    """For each mass of keys taken, no more than `limit` counted, the largest mass of the values not taken."""
    best: dict[int, int] = {}
    for sides in product((False, True), repeat=len(keys)):
        taken = min(limit, sum(key for key, side in zip(keys, sides, strict=True) if side))
        left = sum(value for value, side in zip(values, sides, strict=True) if not side)
        best[taken] = max(left, best.get(taken, 0))
    return best
