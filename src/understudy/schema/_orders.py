"""Declared orders as pairs of columns, by their places: what drawing and questions go through."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from understudy.schema._dependencies import InOrder

if TYPE_CHECKING:
    from understudy.schema._schema import Schema

Edge: TypeAlias = tuple[int, int]
"""A lower column, and one that is never smaller."""


def order_edges(schema: Schema) -> list[Edge]:
    """The declared orders, each once."""
    at = {name: a for a, name in enumerate(schema.names)}
    orders = (one for one in schema.dependencies if isinstance(one, InOrder))
    return list(dict.fromkeys((at[one.lower], at[one.upper]) for one in orders))


def smaller_first(columns: Sequence[int], edges: Sequence[Edge]) -> list[int]:
    """Each column after those that are never larger; around a circle in any order.

    >>> smaller_first([0, 1, 2], [(2, 0), (0, 1)])
    [2, 0, 1]
    """
    left, order = list(columns), []
    while left:
        free = [a for a in left if not any(b == a and lower in left for lower, b in edges)]
        order.append(free[0] if free else left[0])
        left.remove(order[-1])
    return order
