"""Rows from a junction tree: clique by clique from the roots down, what is new in each given what it shares.

The cells of what is new in a clique are drawn together, so that within each value of the separator every one of them
comes as often as expected, rounded up or down. Merged values are spelt out at the end, in the same way.

Which of the rows with one value of the separator gets which cell is left to chance by the model. Dealt out along rows
that are sorted by what they have so far, cells also come about as often as expected together with columns outside the
clique: with trees of the tables Adult, BR2000 and NLTCS, that took a sixth to a third off the error that drawing rows
adds to three-way tables, as against cells that are shuffled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

import numpy as np
import numpy.typing as npt

from understudy._core.errors import OptionError
from understudy._core.randomness import Rng, Streams
from understudy.models._inference import Factor
from understudy.models._kernels import deal_balanced, sort_rows
from understudy.models._sampling import Column, Draw, Look, Place, Step, narrow
from understudy.models._tree_inference import Forest, given_separator
from understudy.models._tree_values import Within


def leaf_variable(attribute: int, within: Sequence[Within | None]) -> int:
    """The variable whose drawn column holds an attribute's own codes: the tree's own holds merged ones."""
    return attribute if within[attribute] is None else len(within) + attribute


def tree_steps(forest: Forest, within: Sequence[Within | None]) -> list[Step]:
    """Draw every attribute. Variable a is attribute a, its rare values merged; `leaf_variable` has its own codes."""
    steps: list[Step] = []
    for c, belief in enumerate(forest.beliefs):
        steps += _clique_steps(given_separator(belief, forest.separator(c)), forest.separator(c), c, 2 * len(within))
    for a, rare in enumerate(within):
        if rare is not None:
            steps.append(within_step(rare, a, leaf_variable(a, within)))
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


def within_step(rare: Within, attribute: int, variable: int) -> Draw:
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


def dealt_steps(
    steps: Sequence[Step], n: int, *, streams: Streams, batch_rows: int
) -> Iterator[tuple[dict[int, Column], int]]:
    """Columns by variable, and the number of rows, batch after batch: with low variance across cliques too.

    Each row has each cell with exactly its probability given the separator, whatever else the row holds.
    """
    if n < 0 or batch_rows < 1:
        raise OptionError(f"sampling needs n of at least 0 and batch_rows of at least 1, got {n} and {batch_rows}.")
    rngs = {step.variable: streams.get("sample", step.stream) for step in steps if isinstance(step, Draw)}
    shuffle = streams.get("sample", "rows")
    for start in range(0, n, batch_rows):
        n_rows = min(batch_rows, n - start)
        order = shuffle.permutation(n_rows).astype(np.int32)
        columns: dict[int, Column] = {}
        for step in steps:
            if isinstance(step, Look):
                columns[step.variable] = step.column(columns, n_rows)
                continue
            place = step.place.rows(columns, n_rows)
            columns[step.variable] = column = deal(step, place, order, rngs[step.variable])
            order = _sorted(order, column, len(step.code_of))
        yield columns, n_rows
        del columns  # before the next are drawn


def deal(step: Draw, place: npt.NDArray[np.int32], order: npt.NDArray[np.int32], rng: Rng) -> Column:
    """One step's codes for rows at these places, dealt out along `order`."""
    out = np.empty(len(place), dtype=step.code_of.dtype)
    state = rng.integers(0, 1 << 64, size=4, dtype=np.uint64)
    dealt = np.empty((len(step.first), 4), dtype=np.int64)
    table = (step.first, step.stop, step.cumulative, step.code_of)
    with np.errstate(over="ignore"):  # the generator wraps around, which NumPy minds where numba is switched off
        deal_balanced(place, order, *table, state, dealt, np.empty_like(out), out)
    return out


def _sorted(order: npt.NDArray[np.int32], codes: Column, n_codes: int) -> npt.NDArray[np.int32]:
    """The rows by what was drawn last, and within that as they were."""
    if n_codes > 4 * len(order):  # counting codes would cost more than comparing rows
        return order[np.argsort(codes[order], kind="stable")]
    result = np.empty_like(order)
    sort_rows(order, codes, np.empty(n_codes + 1, dtype=np.int64), result)
    return result
