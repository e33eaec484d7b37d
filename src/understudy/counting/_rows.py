"""The rows that kernels read: columns of leaf codes, perhaps with equal rows collapsed into weighted ones."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Protocol

import numpy as np
import numpy.typing as npt

from understudy.counting import _kernels as kernels
from understudy.counting._batch import Axes
from understudy.schema import Codes, Domain
from understudy.tables import code_type

# Sorting out equal rows costs about 80 ns per row, a pass over the rows 1 ns per row and table.
WORTH_COLLAPSING_AFTER = 256
_SAMPLE = 4096
_CHUNK = 1 << 20


class Lookups(Protocol):
    """A map of codes: for each axis the column that it is made from, and what becomes of its codes."""

    def along(self, axis: int, axes: Axes) -> tuple[int, Codes | None]: ...


@dataclass(frozen=True, eq=False)
class Rows:
    """Columns of leaf codes; row r stands for `weights[r]` equal rows, or for one where there are no weights.

    With `lookups`, the axes are those of another domain, and the codes of these columns are mapped to it when staged.
    """

    columns: tuple[Codes, ...]
    n: int
    weights: npt.NDArray[np.uint32] | None = None
    lookups: Lookups | None = None

    def stage(self, axis: int, axes: Axes, low: int, out: Codes) -> None:
        """Write the codes along an axis, from row `low` on, into a block."""
        if self.lookups is not None:
            source, lookup = self.lookups.along(axis, axes)
        else:
            source, lookup = axes.attribute[axis], None if axes.level[axis] == 0 else axes.lookup(axis)
        codes = self.columns[source][low : low + len(out)]
        if lookup is None:
            out[:] = codes
        else:
            kernels.look_up(lookup, codes, out)


def collapse(rows: Rows, domain: Domain) -> Rows | None:
    """Equal rows as one weighted row each, or None if that would not at least halve them.

    >>> from understudy.schema import Attribute
    >>> domain = Domain((Attribute(name="age", size=300), Attribute(name="zip", size=500)))
    >>> codes = (np.array([7, 7, 7, 9] * 50, dtype=np.uint16), np.array([1, 1, 1, 1] * 50, dtype=np.uint16))
    >>> collapsed = collapse(Rows(codes, 200), domain)
    >>> collapsed.n, collapsed.columns[0].tolist(), collapsed.weights.tolist()
    (2, [7, 9], [150, 50])
    """
    cells = prod(a.size for a in domain)
    # In a small domain one table over all columns does the same, and beyond 64 bits a row has no exact key.
    if not kernels.MOST_CELLS < cells < 1 << 64 or rows.n >= 1 << 32:
        return None
    step = max(1, rows.n // _SAMPLE)
    sample = _keys(tuple(column[::step] for column in rows.columns), domain)
    if 2 * len(np.unique(sample)) > len(sample):
        return None
    keys, weights = np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.uint32)
    for low in range(0, rows.n, _CHUNK):
        chunk, counts = np.unique(_keys(tuple(c[low : low + _CHUNK] for c in rows.columns), domain), return_counts=True)
        keys, weights = _merged(np.append(keys, chunk), np.append(weights, counts.astype(np.uint32)))
        if 2 * len(keys) > rows.n:
            return None
    return Rows(_columns(keys, domain), len(keys), weights)


def _keys(columns: tuple[Codes, ...], domain: Domain) -> npt.NDArray[np.uint64]:
    """Each row as one number, first attribute slowest."""
    keys = np.zeros(len(columns[0]), dtype=np.uint64)
    for column, attribute in zip(columns, domain, strict=True):
        keys *= np.uint64(attribute.size)
        keys += column
    return keys


def _merged(
    keys: npt.NDArray[np.uint64], weights: npt.NDArray[np.uint32]
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32]]:
    order = np.argsort(keys, kind="stable")
    keys, weights = keys[order], weights[order]
    first = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
    return keys[first], np.add.reduceat(weights, first, dtype=np.uint32)


def _columns(keys: npt.NDArray[np.uint64], domain: Domain) -> tuple[Codes, ...]:
    columns: list[Codes] = []
    for attribute in reversed(domain.attributes):
        keys, codes = np.divmod(keys, np.uint64(attribute.size))
        columns.append(codes.astype(code_type(attribute.size)))
    return tuple(reversed(columns))
