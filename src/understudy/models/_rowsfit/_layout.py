"""How tables of pairs of columns lie one behind the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.uint16]
Places = npt.NDArray[np.uint32]
Pair = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Layout:
    """Tables of pairs one behind the other: their columns, the sizes of the second ones, and where tables begin.

    >>> places = Layout.of((2, 3, 4), [(0, 1), (1, 2)])
    >>> places.cells, [array.tolist() for array in places.arrays]
    (18, [[0, 1], [1, 2], [3, 4], [0, 6]])
    """

    cells: int
    arrays: tuple[Places, Places, Places, Places]

    @classmethod
    def of(cls, sizes: Sequence[int], pairs: Sequence[Pair]) -> Layout:
        """For pairs of columns of these sizes."""
        ends = np.cumsum([0, *(sizes[a] * sizes[b] for a, b in pairs)])
        found = [a for a, _ in pairs], [b for _, b in pairs], [sizes[b] for _, b in pairs], ends[:-1]
        first, second, widths, starts = (np.array(one, dtype=np.uint32) for one in found)
        return cls(int(ends[-1]), (first, second, widths, starts))
