"""Rows from a junction tree: clique by clique from the roots down, what is new in each given what it shares.

The cells of what is new in a clique are drawn together, so that within each value of the separator every one of them
comes as often as expected, rounded up or down. Merged values are spelt out at the end, in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from understudy.models._inference import Factor
from understudy.models._sampling import Column, Draw, Look, Place, Step, narrow
from understudy.models._tree_inference import Forest, given_separator
from understudy.models._tree_values import Within
from understudy.schema import Domain


def leaf_variable(attribute: int, domain: Domain, within: Sequence[Within | None]) -> int:
    """The variable whose drawn column holds an attribute's own codes: the tree's own holds merged ones."""
    return attribute if within[attribute] is None else len(domain) + attribute


def tree_steps(forest: Forest, domain: Domain, within: Sequence[Within | None]) -> list[Step]:
    """Draw every attribute. Variable a is attribute a, its rare values merged; `leaf_variable` has its own codes."""
    steps: list[Step] = []
    for c, belief in enumerate(forest.beliefs):
        steps += _clique_steps(given_separator(belief, forest.separator(c)), forest.separator(c), c, 2 * len(domain))
    for a, rare in enumerate(within):
        if rare is not None:
            steps.append(_within_step(rare, a, leaf_variable(a, domain, within)))
    return steps


def _clique_steps(table: Factor, shared: Sequence[int], clique: int, first_free: int) -> list[Step]:
    sizes = dict(zip(table.variables, table.values.shape, strict=True))
    new = [v for v in table.variables if v not in shared]
    if not new:
        return []
    order = [table.variables.index(v) for v in (*shared, *new)]
    rows = table.values.transpose(order).reshape(*(sizes[v] for v in shared), -1)
    place = Place.of(shared, [sizes[v] for v in shared], [None] * len(shared))
    if len(new) == 1:
        return [Draw.from_conditional(new[0], rows, place, f"clique {clique}")]
    cell, shape = first_free + clique, tuple(sizes[v] for v in new)
    steps: list[Step] = [Draw.from_conditional(cell, rows, place, f"clique {clique}")]
    at = Place.of((cell,), (prod(shape),), (None,))
    for v, codes in zip(new, np.unravel_index(np.arange(prod(shape)), shape), strict=True):
        steps.append(Look(variable=v, place=at, back=_narrowed(codes, sizes[v])))
    return steps


def _within_step(rare: Within, attribute: int, variable: int) -> Draw:
    """Draw a leaf value whose merged code is known: only the values that share it are in its range."""
    order = np.argsort(rare.codes, kind="stable")
    ends = np.cumsum(np.bincount(rare.codes, minlength=rare.size))
    starts = np.concatenate(([0], ends[:-1]))
    sums = np.cumsum(rare.shares[order])
    before = np.concatenate(([0.0], sums))[starts]
    group = rare.codes[order]
    return Draw(
        variable=variable,
        place=Place.of((attribute,), (rare.size,), (None,)),
        first=starts.astype(np.int64),
        stop=ends.astype(np.int64),
        # by the same last sum, so that the range ends at exactly 1 and a value without a share is never reached
        cumulative=(sums - before[group]) / (sums[ends - 1] - before)[group],
        code_of=_narrowed(order, len(order)),
        stream=f"within {attribute}",
    )


def _narrowed(codes: np.ndarray[tuple[int, ...], np.dtype[np.int64]], size: int) -> Column:
    return codes.astype(narrow(size))
