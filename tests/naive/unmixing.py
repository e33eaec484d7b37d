"""Un-mixing in the slowest way: the whole transition matrix of all columns together, in fractions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import numpy.typing as npt

Rows = Sequence[Sequence[Fraction]]
Cell = tuple[int, ...]


def naive_joint_matrix(sizes: Sequence[int], blocks: Sequence[tuple[Sequence[int], Rows]]) -> list[list[Fraction]]:
    """P over all cells of all columns, the last column fastest; a block is its columns' positions and its matrix."""
    cells = list(product(*(range(size) for size in sizes)))
    return [[_chance(true, published, sizes, blocks) for published in cells] for true in cells]


def _chance(
    true: Cell, published: Cell, sizes: Sequence[int], blocks: Sequence[tuple[Sequence[int], Rows]]
) -> Fraction:
    chance = Fraction(1)
    for columns, rows in blocks:
        chance *= rows[_number(true, columns, sizes)][_number(published, columns, sizes)]
    return chance


def _number(cell: Cell, columns: Sequence[int], sizes: Sequence[int]) -> int:
    number = 0
    for column in columns:
        number = number * sizes[column] + cell[column]
    return number


def naive_inverse(matrix: Rows) -> list[list[Fraction]]:
    """By elimination, exactly."""
    size = len(matrix)
    rows = [[*row, *(Fraction(i == j) for j in range(size))] for i, row in enumerate(matrix)]
    for column in range(size):
        pivot = next(i for i in range(column, size) if rows[i][column])
        rows[column], rows[pivot] = rows[pivot], rows[column]
        rows[column] = [entry / rows[column][column] for entry in rows[column]]
        for i in range(size):
            if i != column and rows[i][column]:
                rows[i] = [a - rows[i][column] * b for a, b in zip(rows[i], rows[column], strict=True)]
    return [row[size:] for row in rows]


def naive_unmix(published: Sequence[int], inverse: Rows, group_of: Sequence[int], groups: int) -> list[Fraction]:
    """N̂ = QᵀÑ of all cells, added up by group."""
    counts = [Fraction(0)] * groups
    for count, row in zip(published, inverse, strict=True):
        for cell, entry in enumerate(row):
            counts[group_of[cell]] += count * entry
    return counts


def naive_covariance(
    published: Sequence[int], inverse: Rows, group_of: Sequence[int], groups: int
) -> list[list[Fraction]]:
    """Qᵀ D(Ñ) Q − D(N̂) of all cells, added up by group."""
    merged = [[Fraction(0)] * groups for _ in inverse]
    for row, sums in zip(inverse, merged, strict=True):
        for cell, entry in enumerate(row):
            sums[group_of[cell]] += entry
    unmixed = naive_unmix(published, inverse, group_of, groups)
    return [
        [
            sum((count * row[a] * row[b] for count, row in zip(published, merged, strict=True)), Fraction(0))
            - (unmixed[a] if a == b else 0)
            for b in range(groups)
        ]
        for a in range(groups)
    ]


def naive_outcomes(rows: Sequence[int], matrix: Rows) -> Mapping[tuple[int, ...], Fraction]:
    """Every table of published counts that randomising these rows may give, and its probability."""
    outcomes = {(0,) * len(matrix): Fraction(1)}
    for true in rows:
        after: dict[tuple[int, ...], Fraction] = {}
        for table, chance in outcomes.items():
            for published, factor in enumerate(matrix[true]):
                if factor:
                    one_more = (*table[:published], table[published] + 1, *table[published + 1 :])
                    after[one_more] = after.get(one_more, Fraction(0)) + chance * factor
        outcomes = after
    return outcomes


def naive_axis_by_axis(
    table: npt.NDArray[np.float64], matrices: Sequence[npt.NDArray[np.float64] | None]
) -> npt.NDArray[np.float64]:
    """y[j] = Σ x[i]·matrix[i, j] along each axis, with what NumPy offers."""
    for axis, matrix in enumerate(matrices):
        if matrix is not None:
            table = np.moveaxis(np.tensordot(matrix.T, table, axes=(1, axis)), 0, axis)
    return table
