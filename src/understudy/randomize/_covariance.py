"""How far un-mixed counts are off together: exactly, if the true counts are known."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
import numpy.typing as npt

from understudy._core.errors import OptionError
from understudy.randomize._matrix import TransitionMatrix
from understudy.randomize._unmix import Dense, Floats, Map, Shared, apply_maps, forward_of, inverse_of

_MOST_COVARIANCES = 1 << 26  # doubles: half a gigabyte


def exact_covariance(true: npt.ArrayLike, matrices: Sequence[TransitionMatrix]) -> Floats:
    """Cov(N̂) = Qᵀ D(PᵀN) Q − D(N), given the true counts N: what randomising alone does to their estimates.

    Args:
        true: true counts, an axis for each matrix.
        matrices: transition matrices of columns, or blocks of them, that are randomised independently.

    Returns:
        a row and a column for each cell, the last axis fastest.

    >>> from fractions import Fraction
    >>> from understudy.randomize import Response
    >>> exact_covariance([6, 2], [Response(2, Fraction(3, 4))]).tolist()
    [[6.0, -6.0], [-6.0, 6.0]]
    """
    counts = np.asarray(true, dtype=np.float64)
    published = apply_maps(counts, [forward_of(one) for one in matrices])
    covariance = pair_sums(published, [inverse_of(one) for one in matrices])
    covariance[np.diag_indices(counts.size)] -= counts.ravel()
    return covariance


def pair_sums(published: Floats, unmixing: Sequence[Map]) -> Floats:
    """Qᵀ D(Ñ) Q for Q = Q₀ ⊗ Q₁ ⊗ …, an axis of the table for each: axis by axis, without building Q.

    Along an axis the products of two entries in the same row of Q are a map too, from one cell to pairs of cells.
    """
    sizes = [one.n_out for one in unmixing]
    cells = prod(sizes)
    if cells * cells > _MOST_COVARIANCES:
        raise OptionError(f"the covariances of {cells:,} cells do not fit into memory. Ask for fewer columns.")
    pairs = apply_maps(published, [_paired(one) for one in unmixing])
    split = pairs.reshape([size for size in sizes for _ in range(2)])
    firsts, seconds = range(0, 2 * len(sizes), 2), range(1, 2 * len(sizes), 2)
    return np.array(split.transpose([*firsts, *seconds])).reshape(cells, cells)


def _paired(one: Map) -> Dense:
    rows = one.dense if isinstance(one, Shared) else one.matrix
    return Dense((rows[:, :, None] * rows[:, None, :]).reshape(rows.shape[0], -1))
