"""The inner loops of reading cells, compiled. What reading does not know, it says: it is read the slow way."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from understudy._core.compiling import kernel

Array = npt.NDArray[Any]


@kernel()
def code_values(values: Array, low: int, table: Array, out: Array, odd: Array) -> int:
    """Fill `out` with `table[value − low]`; rows where that is negative, or not there, go to `odd`, and get 0.

    Returns how many are odd. Measured on one 2.4 GHz core: 0.8 ns a cell.
    """
    n_odd, size = 0, np.uint64(table.shape[0])
    for r in range(values.shape[0]):
        place = np.uint64(np.int64(values[r]) - low)  # what lies below wraps around, to beyond the end
        code = table[place] if place < size else -1
        if code >= 0:
            out[r] = code
        else:
            out[r] = 0
            odd[n_odd] = r
            n_odd += 1
    return n_odd


@kernel()
def bin_values(
    values: Array, low: float, high: float, last: Array, guess: Array, scale: float, out: Array, odd: Array
) -> int:
    """Fill `out` with the bin of each value from low to high, where bin b lies above `last[b]`, up to `last[b + 1]`.

    Rows with other values, NaN among them, go to `odd`, and get 0; returns how many. `guess` has a bin to begin with
    for each of the equal steps, `scale` to a unit, that the range is cut into. Where no two bins end in one step, the
    loops are never entered: a processor cannot foresee when they would be.
    """
    n_odd = 0
    for r in range(values.shape[0]):
        value = values[r]
        if value >= low and value <= high:
            code = guess[np.uint64((value - low) * scale)]
            code += last[code + np.uint32(1)] < value
            code -= last[code] >= value
            while last[code + np.uint32(1)] < value:
                code += np.uint32(1)
            while last[code] >= value:
                code -= np.uint32(1)
            out[r] = code
        else:
            out[r] = 0
            odd[n_odd] = r
            n_odd += 1
    return n_odd
