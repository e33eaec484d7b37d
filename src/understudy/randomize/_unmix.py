"""Linear maps along the axes of a table: how published counts become un-mixed ones, axis by axis.

Columns that are randomised independently have the Kronecker product of their matrices as transition matrix, in the
order of the table's axes: P(parents) ⊗ P(child) where the child's index is fastest. It is never built; each factor is
applied along its own axis, so a table of M cells with K values an axis takes M·K steps an axis, and no more memory than
a copy of itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from understudy.randomize._linear import map_dense, map_shared
from understudy.randomize._matrix import Response, TransitionMatrix

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Dense:
    """y[j] = Σ x[i]·matrix[i, j]: any linear map, square or not.

    >>> Dense(np.array([[1.0, 1.0], [0.0, 1.0]])).along(np.array([2.0, 3.0])).tolist()
    [2.0, 5.0]
    """

    matrix: Floats

    @property
    def n_in(self) -> int:
        """Length of the axis before."""
        return int(self.matrix.shape[0])

    @property
    def n_out(self) -> int:
        """Length of the axis after."""
        return int(self.matrix.shape[1])

    @property
    def transposed(self) -> Dense:
        """The map the other way."""
        return Dense(np.ascontiguousarray(self.matrix.T))

    def along(self, table: Floats, axis: int = 0, *, in_place: bool = False) -> Floats:
        """The table with one axis mapped; in its own memory if that is allowed, and the map square."""
        table = np.ascontiguousarray(table)
        out = table if in_place and self.n_in == self.n_out else _room(table, axis, self.n_out)
        map_dense(_three(table, axis), np.ascontiguousarray(self.matrix), _three(out, axis))
        return out


@dataclass(frozen=True, eq=False)
class Shared:
    """y[j] = scale[j]·x[j] + share[j]·Σ weights[i]·x[i]: randomised response, its inverse, their squares.

    >>> Shared(np.array([2.0, 2.0]), np.array([-0.5, -0.5]), np.ones(2)).along(np.array([3.0, 1.0])).tolist()
    [4.0, 0.0]
    """

    scale: Floats
    share: Floats
    weights: Floats

    @property
    def n_in(self) -> int:
        """Length of the axis before."""
        return len(self.scale)

    @property
    def n_out(self) -> int:
        """Length of the axis after."""
        return len(self.scale)

    @property
    def dense(self) -> Floats:
        """As `Dense.matrix`."""
        return np.asarray(np.diag(self.scale) + np.outer(self.weights, self.share))

    @property
    def transposed(self) -> Shared:
        """The map the other way."""
        return Shared(self.scale, self.weights, self.share)

    def along(self, table: Floats, axis: int = 0, *, in_place: bool = False) -> Floats:
        """The table with one axis mapped; in its own memory if that is allowed."""
        table = np.ascontiguousarray(table)
        out = table if in_place else np.empty_like(table)
        map_shared(_three(table, axis), self.scale, self.share, self.weights, _three(out, axis))
        return out


Map: TypeAlias = Dense | Shared


def inverse_of(matrix: TransitionMatrix) -> Map:
    """Q = P⁻¹ as a map from published to un-mixed counts. Raises OptionError where there is none.

    >>> from fractions import Fraction
    >>> inverse_of(Response(2, Fraction(3, 4))).along(np.array([5.0, 3.0])).tolist()
    [6.0, 2.0]
    """
    if isinstance(matrix, Response):
        matrix.require_inverse()
        strength, other = float(matrix.strength), float(matrix.other)
        ones = np.ones(matrix.size)
        return Shared(ones / strength, ones * (-other / strength), ones)
    return Dense(matrix.inverse)


def forward_of(matrix: TransitionMatrix) -> Map:
    """P as a map from true counts to the published ones that are expected.

    >>> from fractions import Fraction
    >>> forward_of(Response(2, Fraction(3, 4))).along(np.array([6.0, 2.0])).tolist()
    [5.0, 3.0]
    """
    if isinstance(matrix, Response):
        ones = np.ones(matrix.size)
        return Shared(ones * float(matrix.strength), ones * float(matrix.other), ones)
    return Dense(matrix.dense)


def unmix(table: npt.ArrayLike, inverses: Sequence[Map | TransitionMatrix | Floats | None]) -> Floats:
    """N̂ = QᵀÑ for Q = Q₀ ⊗ Q₁ ⊗ …, one factor for each axis of the table, in the order of its axes.

    Args:
        table: published counts.
        inverses: for each axis its transition matrix, or Q itself (rows: published value); None leaves an axis alone.

    >>> from fractions import Fraction
    >>> flips = Response(2, Fraction(3, 4))
    >>> unmix([[5, 3], [3, 5]], [flips, None]).tolist()
    [[6.0, 2.0], [2.0, 6.0]]
    """
    counts = np.asarray(table, dtype=np.float64)
    if len(inverses) != counts.ndim:
        raise ValueError(f"the table has {counts.ndim} axes, and {len(inverses)} inverses were given")
    return apply_maps(counts, [None if q is None else _as_map(q) for q in inverses])


def apply_maps(table: Floats, maps: Sequence[Map | None]) -> Floats:
    """The table with each axis mapped by its own map; the input is not changed, and given back if there is no map."""
    own = False
    for axis, one in enumerate(maps):
        if one is not None:
            if one.n_in != table.shape[axis]:
                raise ValueError(f"axis {axis} has {table.shape[axis]} values, and its map takes {one.n_in}")
            table, own = one.along(table, axis, in_place=own), True
    return table


def _as_map(given: Map | TransitionMatrix | Floats) -> Map:
    if isinstance(given, TransitionMatrix):
        return inverse_of(given)
    return given if isinstance(given, Dense | Shared) else Dense(np.ascontiguousarray(given, dtype=np.float64))


def _three(table: Floats, axis: int) -> Floats:
    """The table as (axes before, this axis, axes after)."""
    return table.reshape(prod(table.shape[:axis]), table.shape[axis], prod(table.shape[axis + 1 :]))


def _room(table: Floats, axis: int, size: int) -> Floats:
    """A table of the same shape, but for one axis."""
    return np.empty((*table.shape[:axis], size, *table.shape[axis + 1 :]))
