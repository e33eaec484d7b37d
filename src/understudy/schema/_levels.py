"""Levels of generalisation: a binary tree over ordered values, or the cuts of a declared taxonomy."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TypeAlias, Union

from understudy.schema._domain import Level

Tree: TypeAlias = Sequence[Union[int, "Tree"]]


def binary_levels(size: int, *, extra: int = 0, cells: Sequence[int] = ()) -> tuple[Level, ...]:
    """Neighbours merged two by two from the left until two groups are left; `extra` codes stay apart at every level.

    Where the first codes of `cells` are given, those of a cell are merged first, and then cells two by two.

    >>> [level.size for level in binary_levels(16)], [level.size for level in binary_levels(5, extra=1)]
    ([8, 4, 2], [4, 3])
    >>> [level.groups for level in binary_levels(6, cells=[0, 1, 4])]
    [(0, 1, 1, 1, 2, 2), (0, 0, 0, 0, 1, 1)]
    """
    levels = []
    groups = list(range(size))
    if cells:
        sizes = [after - first for first, after in pairwise([*cells, size])]
        groups, size = [cell for cell, held in enumerate(sizes) for _ in range(held)], len(sizes)
        levels.append(_with_extra(groups, extra))
    while size > 2:
        groups = [group // 2 for group in groups]
        size = groups[-1] + 1
        levels.append(_with_extra(groups, extra))
    return tuple(levels)


def binary_depth(size: int) -> int:
    """How many levels `binary_levels` makes of so many values.

    >>> [binary_depth(size) for size in (1, 2, 3, 4, 5, 16)]
    [0, 0, 1, 1, 2, 3]
    """
    return max((size - 1).bit_length() - 1, 0)


def taxonomy_levels(tree: Tree, size: int, *, extra: int = 0) -> tuple[Level, ...]:
    """The cuts of a taxonomy, finest first.

    A cut at depth d groups values by their ancestor d steps below the root. A value that hangs higher up stays on its
    own: depth is counted from the root, so a ragged tree needs no padding. Cuts that change nothing, and a cut with
    one single group, are left out.

    >>> [level.groups for level in taxonomy_levels([0, [1, [2, 3]]], 4)]
    [(0, 1, 2, 2), (0, 1, 1, 1)]
    """
    paths = _paths(tree)
    deepest = max(len(path) for path in paths.values())
    levels, finer = [], size
    for depth in range(deepest - 1, 0, -1):
        numbers: dict[int, int] = {}
        ancestors = (paths[leaf][min(depth, len(paths[leaf])) - 1] for leaf in range(size))
        groups = [numbers.setdefault(ancestor, len(numbers)) for ancestor in ancestors]
        if 1 < len(numbers) < finer:
            levels.append(_with_extra(groups, extra))
            finer = len(numbers)
    return tuple(levels)


def _paths(tree: Tree) -> dict[int, tuple[int, ...]]:
    """For each leaf the numbers of the branches above it, from the root down, and of itself."""
    paths: dict[int, tuple[int, ...]] = {}
    waiting: list[tuple[int | Tree, tuple[int, ...]]] = [(child, ()) for child in tree]
    for number, (child, above) in enumerate(waiting):  # grows while it is walked
        if isinstance(child, int):
            paths[child] = (*above, number)
        else:
            waiting += ((grandchild, (*above, number)) for grandchild in child)
    return paths


def _with_extra(groups: Sequence[int], extra: int) -> Level:
    size = max(groups) + 1
    return Level(groups=(*groups, *range(size, size + extra)))
