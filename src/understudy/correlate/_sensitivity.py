"""Correlated sensitivity (Def. 2, eq. 8) as it is printed, and group sensitivity, which is what must take its place.

**As printed.** CS_i = Σ_j |ϑ_ij|·‖S(D) − S(D without j)‖₁, and CS of a query is the largest over the records that it
matches. This is a *local* sensitivity: it is read off the table, and is 0 where nobody matches, so that the answer is
exact; noise of that scale has no finite ε. The paper says that it is smaller than the global sensitivity. Since
ϑ_ii = 1 the sum contains the record itself: whenever a record contributes the most that any record can, CS is at least
the global sensitivity, and at most k times it where a record is linked with k − 1 others. It is called smaller here
only for a query for which both have been computed and it is.

**Correlated ε-differential privacy (Def. 4)** compares outputs for two values of record i *given all other records*.
Fixing the others leaves nothing for a correlation to act on: the definition is plain ε-differential privacy for one
record, whatever Δ is. It promises nothing about what the linked records reveal of record i.

**What holds.** For any change of up to k records at once, whichever these are, an answer moves by at most k times
its global sensitivity: group privacy, by the triangle inequality along k single changes. k must be declared; read off
the table it would be private itself. No degree makes it smaller, since a degree bounds no change: linked records may
all change entirely.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from understudy._core.errors import OptionError
from understudy.correlate._links import Links

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sensitivities:
    """The sensitivities of some queries side by side, in the unit of their answers. `printed` is private.

    >>> links = Links.of_pairs(3, [0], [1], [0.9])
    >>> found = compare_sensitivities(links, np.array([[1.0, 0.0]]), np.array([0, 0, 1]), most=1.0, max_rows=2)
    >>> found.printed.round(2).tolist(), found.single.tolist(), found.group.tolist(), found.printed_is_smaller.tolist()
    ([1.9], [1.0], [2.0], [False])
    """

    printed: Floats
    """Definition 2, read off the table."""
    single: Floats
    """The global sensitivity: what one record, added or removed, can change in any table."""
    group: Floats
    """What `max_rows` records can change in any table: the one that a guarantee can rest on."""
    max_rows: int

    @property
    def printed_is_smaller(self) -> npt.NDArray[np.bool_]:
        """Queries for which Definition 2 is below the global sensitivity, on this table."""
        return np.asarray(self.printed < self.single)


def correlated_sensitivity(links: Links, parts: npt.ArrayLike, kinds: npt.ArrayLike | None = None) -> Floats:
    """CS of each query as Definition 2 prints it: local, private, and no scale for noise.

    Args:
        links: the degrees ϑ between rows.
        parts: a row for each query, and in it what a row of each kind contributes, ‖S(D) − S(D without it)‖₁.
        kinds: the kind of each row of the table, such as its cell; without, each row is a kind of its own.

    Of a whole workload as one query with many numbers, give the sum of its parts, since they are L1 norms.

    >>> links = Links.of_pairs(4, [0, 0], [1, 2], [0.9, -0.7])
    >>> correlated_sensitivity(links, [[1, 1, 1, 1], [0, 1, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]]).round(2).tolist()
    [2.6, 1.0, 1.0, 0.0]
    """
    own = np.atleast_2d(np.ascontiguousarray(parts, dtype=np.float64))
    of_row = np.arange(links.n_rows) if kinds is None else np.asarray(kinds, dtype=np.int64)
    _check_parts(own, of_row, links.n_rows)
    present = np.bincount(of_row, minlength=own.shape[1]) > 0
    found: Floats = np.asarray(own[:, present].max(axis=1, initial=0.0))
    reach = np.ones(links.n_rows)
    rows = np.repeat(np.arange(links.n_rows), np.diff(links.indptr))
    np.add.at(reach, rows, np.abs(links.degrees.astype(np.float64)))
    linked = np.unique(rows)
    order = linked[np.argsort(-reach[linked], kind="stable")]

    from understudy.correlate._kernels import largest_sums

    largest_sums(links.indptr, links.indices, links.degrees.astype(np.float64), of_row, order, reach, own, found)
    return found


def group_sensitivity(most: npt.ArrayLike, max_rows: int) -> Floats:
    """What any change of up to `max_rows` records does to each answer at most, given what one record does.

    >>> group_sensitivity([1.0, 0.5], 5).tolist()
    [5.0, 2.5]
    """
    if max_rows < 1:
        raise OptionError(f"the bound on rows that belong together must be at least 1; got {max_rows}.")
    single = np.atleast_1d(np.asarray(most, dtype=np.float64))
    if not (np.isfinite(single).all() and (single >= 0).all()):
        raise OptionError("what one record can change must be a number of 0 or more.")
    return max_rows * single


def workload_sensitivity(weights: npt.ArrayLike, max_rows: int = 1, *, replaced: bool = False) -> float:
    """What up to `max_rows` records change in all answers of a workload together at most, in L1.

    Args:
        weights: a row for each query and a column for each value that a record can have, from the public domain.
        max_rows: the declared bound.
        replaced: records are replaced by others, rather than added or removed. The result is then an upper bound:
            twice what adding does, or the sum of the queries' ranges if that is less.

    >>> workload_sensitivity([[1, 0], [1, 1]], 3), workload_sensitivity([[1, 0], [1, 1]], 3, replaced=True)
    (6.0, 3.0)
    """
    given = np.atleast_2d(np.asarray(weights, dtype=np.float64))
    if given.size == 0 or not np.isfinite(given).all():
        raise OptionError("a workload needs a query at least, and weights that are numbers.")
    most = float(np.abs(given).sum(axis=0).max())
    if replaced:
        most = min(2 * most, float((given.max(axis=1) - given.min(axis=1)).sum()))
    return float(group_sensitivity(most, max_rows)[0])


def compare_sensitivities(
    links: Links, parts: npt.ArrayLike, kinds: npt.ArrayLike | None = None, *, most: npt.ArrayLike, max_rows: int
) -> Sensitivities:
    """Sensitivities of queries as printed, of one record, and of a declared group; reads the table.

    `most` is what one record can contribute to each answer, by the public domain.
    """
    printed = correlated_sensitivity(links, parts, kinds)
    single = np.broadcast_to(group_sensitivity(most, 1), printed.shape).copy()
    return Sensitivities(printed=printed, single=single, group=group_sensitivity(single, max_rows), max_rows=max_rows)


def _check_parts(parts: Floats, kinds: Ints, n_rows: int) -> None:
    if kinds.shape != (n_rows,):
        raise OptionError(
            f"there are degrees for {n_rows:,} rows, and kinds for {kinds.size:,}. Both are of one table."
        )
    if n_rows and not (kinds.min() >= 0 and kinds.max() < parts.shape[1]):
        raise OptionError(
            f"parts are given for {parts.shape[1]:,} kinds of row, and the table has another number of them."
        )
    if parts.size and not (np.isfinite(parts).all() and parts.min() >= 0):
        raise OptionError("what a row contributes to an answer must be a number of 0 or more.")
