"""What one block reveals of each of its columns: exact, from its matrix alone."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from understudy.randomize._matrix import Matrix, Response, largest_ratio
from understudy.randomize._plan import Block


def column_amplification(block: Block, column: str) -> Fraction | None:
    """γ between two rows that differ in this column alone, given the whole published block; None: without bound.

    >>> both = Block(columns=("a", "b"), sizes=(2, 2), matrix=Response(4, Fraction(1, 2)))
    >>> column_amplification(both, "a")
    Fraction(3, 1)
    """
    axis = block.columns.index(column)
    if block.matrix is None:
        return None
    if block.sizes[axis] == 1:
        return Fraction(1)
    if not isinstance(block.matrix, Matrix) or len(block.columns) == 1:
        return block.matrix.amplification  # of randomised response any two cells are alike
    table = block.matrix.table.reshape((*block.sizes, block.cells))
    return largest_ratio(table.max(axis=axis).ravel(), table.min(axis=axis).ravel())


def keep_probabilities(block: Block, column: str) -> tuple[tuple[Fraction, Fraction], ...] | None:
    """Of each value of a column, how likely it is published as it is: lowest and highest over the other columns.

    None if the matrix is not worked out yet.

    >>> both = Block(columns=("a", "b"), sizes=(2, 2), matrix=Response(4, Fraction(1, 2)))
    >>> keep_probabilities(both, "a")[0]
    (Fraction(2, 3), Fraction(2, 3))
    """
    axis = block.columns.index(column)
    size = block.sizes[axis]
    if block.matrix is None:
        return None
    if isinstance(block.matrix, Response):
        kept = block.matrix.keep + (block.cells // size - 1) * block.matrix.other
        return ((kept, kept),) * size
    assert isinstance(block.matrix, Matrix)
    table = block.matrix.table.reshape((*block.sizes, *block.sizes))
    others = tuple(i for i in range(len(block.sizes), 2 * len(block.sizes)) if i != len(block.sizes) + axis)
    true_to_published = np.moveaxis(table.sum(axis=others), axis, 0).reshape(size, -1, size)
    bottom = block.matrix.denominator
    return tuple(
        (Fraction(int(kept.min()), bottom), Fraction(int(kept.max()), bottom))
        for kept in (true_to_published[code, :, code] for code in range(size))
    )


def worth(block: Block) -> float | None:
    """What share of the rows, unrandomised, would tell as much about the block's cells; None: not worked out yet.

    1/v in the terms of the grouping: randomised response with P = a·I + … is worth a².

    >>> worth(Block(columns=("a",), sizes=(2,), matrix=Response(2, Fraction(3, 4))))
    0.25
    """
    if block.matrix is None:
        return None
    if block.cells == 1:
        return 1.0
    if isinstance(block.matrix, Response):
        return float(block.matrix.strength) ** 2
    squares = float(np.square(block.matrix.inverse).sum())
    return (block.cells - 1) / (squares - 1)
