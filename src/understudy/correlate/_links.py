"""The degrees of correlation between records (Def. 1, eq. 7): a sparse symmetric matrix with ones on its diagonal."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False, slots=True)
class Links:
    """Degrees ϑ between rows, in CSR form: row i is linked with `indices[indptr[i]:indptr[i + 1]]`, in rising order.

    The diagonal, which is 1 everywhere, is left out; so are zeros. Private: it is read off the table.

    >>> links = Links.of_pairs(3, np.array([0]), np.array([2]), np.array([0.9]))
    >>> links.indptr.tolist(), links.indices.tolist()
    ([0, 1, 1, 2], [2, 0])
    >>> links.dense().round(1).tolist()[0]
    [1.0, 0.0, 0.9]
    """

    indptr: Ints
    indices: Ints
    degrees: Floats

    def __post_init__(self) -> None:
        for name, kind in (("indptr", np.int64), ("indices", np.int64), ("degrees", np.float32)):
            array = np.ascontiguousarray(getattr(self, name), dtype=kind)
            array = array.copy() if array.flags.writeable else array
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        _check(self.indptr, self.indices, self.degrees)

    @classmethod
    def of_pairs(cls, n_rows: int, first: npt.ArrayLike, second: npt.ArrayLike, degrees: npt.ArrayLike) -> Links:
        """The matrix of these pairs, each named once in either order. Pairs of degree 0 are left out.

        >>> Links.of_pairs(2, [1], [0], [0.7]).n_links
        1
        """
        one, other = np.asarray(first, dtype=np.int64), np.asarray(second, dtype=np.int64)
        degree = np.asarray(degrees, dtype=np.float32)
        kept = degree != 0
        one, other, degree = one[kept], other[kept], degree[kept]
        rows, indices = np.concatenate([one, other]), np.concatenate([other, one])
        order = np.lexsort((indices, rows))
        indptr = np.zeros(n_rows + 1, dtype=np.int64)
        np.cumsum(np.bincount(rows, minlength=n_rows), out=indptr[1:])
        return cls(indptr, indices[order], np.concatenate([degree, degree])[order])

    @property
    def n_rows(self) -> int:
        """Rows of the table, linked or not."""
        return len(self.indptr) - 1

    @property
    def n_links(self) -> int:
        """Pairs of linked rows."""
        return len(self.indices) // 2

    def pairs(self) -> tuple[Ints, Ints, Floats]:
        """Each linked pair once, the smaller row first, and its degree.

        >>> first, second, degrees = Links.of_pairs(2, [1], [0], [0.5]).pairs()
        >>> first.tolist(), second.tolist(), degrees.tolist()
        ([0], [1], [0.5])
        """
        rows = _rows_of(self.indptr)
        upper = rows < self.indices
        return rows[upper], self.indices[upper], self.degrees[upper]

    def dense(self) -> npt.NDArray[np.float64]:
        """The whole matrix Δ, ones on its diagonal; for small tables and tests.

        >>> Links.of_pairs(2, [0], [1], [-0.5]).dense().tolist()
        [[1.0, -0.5], [-0.5, 1.0]]
        """
        matrix = np.eye(self.n_rows)
        matrix[_rows_of(self.indptr), self.indices] = self.degrees
        return matrix


def _rows_of(indptr: Ints) -> Ints:
    return np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))


def _check(indptr: Ints, indices: Ints, degrees: Floats) -> None:
    n_rows, m = len(indptr) - 1, len(indices)
    if n_rows < 0 or indptr[0] != 0 or indptr[-1] != m or len(degrees) != m or (np.diff(indptr) < 0).any():
        raise ValueError("links whose parts do not fit together: indptr must rise from 0 to the number of indices")
    if m == 0:
        return
    if indices.min() < 0 or indices.max() >= n_rows:
        raise ValueError(f"a link names a row that is not among the {n_rows} rows")
    if not (np.abs(degrees) <= 1).all() or (degrees == 0).any():
        raise ValueError("a degree is 0, outside [−1, 1] or not a number")
    rows = _rows_of(indptr)
    if (rows == indices).any():
        raise ValueError("a row is linked with itself: the diagonal is 1, and left out")
    if not ((np.diff(indices) > 0) | (np.diff(rows) > 0)).all():
        raise ValueError("a link is there twice, or links of a row are not in rising order")
    back = np.argsort(indices, kind="stable")  # transposed: row by row, in rising order, as they are themselves
    same = np.array_equal(indices[back], rows) and np.array_equal(rows[back], indices)
    if not same or not np.array_equal(degrees[back], degrees):
        raise ValueError("links are not symmetric: each must be there from both rows, with one degree")
