"""Columns of several parties, randomised as the PRAM-BN paper does it, and the spread that its Theorem 2 foretells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from understudy._core.randomness import streams
from understudy.randomize import Block, Matrix, Plan, Response, TransitionMatrix
from understudy.schema import Domain, Schema
from understudy.tables import Table

Floats = npt.NDArray[np.float64]
ALONE: Mapping[int, TransitionMatrix] = {size: Response(size, Fraction(1)) for size in range(1, 64)}
"""What leaves a column as it is, by its number of values."""


def symmetric(size: int, p: str | float) -> TransitionMatrix:
    """A value becomes each other one with probability p, as Table I and the figures have it.

    >>> symmetric(3, "0.15").amplification, symmetric(2, "0.25").amplification
    (Fraction(14, 3), Fraction(3, 1))
    """
    return Response(size, 1 - (size - 1) * Fraction(str(p)))


def at_epsilon(size: int, epsilon: float) -> TransitionMatrix:
    """Randomised response at ε a column: the keep probability, rounded down to nine digits.

    >>> round(float(at_epsilon(2, 1.0986123).keep), 6)
    0.75
    """
    keep = np.exp(epsilon) / (np.exp(epsilon) + size - 1)
    return Response(size, Fraction(int(keep * 10**9), 10**9))


TABLE_1: Mapping[str, TransitionMatrix] = {
    "A": symmetric(2, "0.25"),
    "D": symmetric(2, "0.25"),
    "L": symmetric(3, "0.15"),
    "B": symmetric(3, "0.15"),
    "E": symmetric(2, "0.2"),
    "X": symmetric(2, "0.4"),
    "C": Matrix.of([["0.9", "0.1"], ["0.25", "0.75"]]),
    "F": Matrix.of([["0.9", "0.1"], ["0.25", "0.75"]]),
}
"""The matrices of Table I, p as printed; T, S and G are left alone."""


def plans_for(domain: Domain, parties: Sequence[Sequence[str]], matrices: Mapping[str, TransitionMatrix]) -> list[Plan]:
    """A plan for each party: every column a block of its own; one without a matrix is left alone, being public.

    >>> from research.tasks._pram_networks import PARTIES, declared
    >>> [plan.schema.names for plan in plans_for(declared("figure 3").domain, PARTIES["figure 3"], {})]
    [('A', 'B', 'C'), ('D', 'E'), ('F', 'G')]
    """
    sizes = {attribute.name: attribute.size for attribute in domain}
    found = []
    for number, names in enumerate(parties, start=1):
        fields = [{"name": name, "categories": [str(code) for code in range(sizes[name])]} for name in names]
        blocks = [
            Block(
                columns=(name,),
                sizes=(sizes[name],),
                matrix=matrices.get(name, ALONE[sizes[name]]),
                sensitive=name in matrices,
            )
            for name in names
        ]
        found.append(Plan(party=f"party {number}", schema=Schema.from_dict({"fields": fields}), blocks=tuple(blocks)))
    return found


def randomised(table: Table, matrices: Mapping[str, TransitionMatrix], seed: int) -> Table:
    """Every column by its matrix, from repeatable coins: a rehearsal, not what a party would send.

    >>> from research.tasks._pram_networks import declared, rows_of
    >>> clean = rows_of(declared("figure 3"), 10_000, 1)
    >>> mixed = randomised(clean, {"A": symmetric(2, "0.25")}, 1)
    >>> bool(abs((mixed.columns[0] == clean.columns[0]).mean() - 0.75) < 0.02)
    True
    """
    columns = []
    for attribute, column in zip(table.domain, table.columns, strict=True):
        matrix = matrices.get(attribute.name)
        if matrix is None or matrix.unchanged:
            columns.append(column)
            continue
        reach = matrix.dense.cumsum(axis=1)[:, :-1]
        coins = streams(seed).get("research", "pram", attribute.name).random(table.n)
        columns.append((coins[:, None] >= reach[column]).sum(axis=1).astype(column.dtype))
    return Table(table.domain, tuple(columns))


def together(matrices: Sequence[TransitionMatrix]) -> Floats:
    """The matrix of several columns, the first slowest: the Kronecker product, in doubles."""
    found: Floats = np.ones((1, 1))
    for matrix in matrices:
        found = np.asarray(np.kron(found, matrix.dense), dtype=np.float64)
    return found


def theorem_2(counts: Floats, matrix: Floats) -> Floats:
    """The covariance of un-mixed counts, given the true ones, just as Theorems 1 (c) and 2 print it.

    >>> theorem_2(np.array([60.0, 40.0]), np.eye(2)).tolist()
    [[0.0, 0.0], [0.0, 0.0]]
    """
    mixed = sum(n * (np.diag(row) - np.outer(row, row)) for n, row in zip(counts.ravel(), matrix, strict=True))
    inverse = np.linalg.inv(matrix)
    return np.asarray(inverse.T @ mixed @ inverse)


def parameter_spread(counts: Floats, matrix: Floats) -> Floats:
    """The standard deviation of each parameter N̂ijk / N̂ij by section V; the child is the last axis of the counts.

    >>> spread = parameter_spread(np.array([300.0, 700.0]), together([symmetric(2, "0.25")]))
    >>> spread.round(4).tolist()
    [0.0274, 0.0274]
    """
    covariance = theorem_2(counts, matrix)
    flat = counts.reshape(-1, counts.shape[-1])
    size, found = flat.shape[1], np.zeros_like(flat)
    for row, own in enumerate(flat):
        part = covariance[row * size : (row + 1) * size, row * size : (row + 1) * size]
        gradient = (np.eye(size) - (own / own.sum())[:, None]) / own.sum()
        found[row] = np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", gradient, part, gradient), 0.0))
    return found.reshape(counts.shape)


def counts_of(table: Table, attributes: Sequence[int]) -> Floats:
    """The clean counts of a marginal."""
    shape = tuple(table.domain[a].size for a in attributes)
    cells = np.ravel_multi_index([np.asarray(table.columns[a], dtype=np.int64) for a in attributes], shape)
    return np.bincount(cells, minlength=int(np.prod(shape))).astype(float).reshape(shape)


def shares(counts: Any) -> Floats:
    """Each row of counts as shares of its sum."""
    table = np.asarray(counts, dtype=float)
    return np.asarray(table / table.sum(axis=-1, keepdims=True))
