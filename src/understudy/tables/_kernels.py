"""The inner loops of reading cells, compiled. What they do not know, they say: it is read the slow way."""

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


@kernel()
def place_points(
    codes: Array, drawn: Array, first: Array, last: Array, ends: Array, piece_of: Array, out: Array
) -> None:
    """Fill `out` with the grid point at a part `drawn` of the bin of each code, by the pieces that its bin is made of.

    Piece p reaches from grid point `first[p]` to `last[p]`, and up to `ends[p]` in bins; those of bin b begin with
    `piece_of[b]`. Measured on one 2.4 GHz core, with 60 pieces a bin: 46 ns a cell.
    """
    for r in range(codes.shape[0]):
        code = codes[r]
        place = code + drawn[r]
        low, high = piece_of[code], piece_of[code + 1] - 1
        while low < high:
            middle = (low + high) // 2
            if ends[middle] > place:
                high = middle
            else:
                low = middle + 1
        begin = ends[low - 1] if low > 0 else 0.0
        wide = ends[low] - begin
        part = min(max((place - begin) / wide, 0.0), 1.0) if wide > 0.0 else 0.0
        # the product rounds up to the whole span for a part just below 1
        out[r] = min(first[low] + np.int64(part * np.float64(last[low] - first[low] + 1)), last[low])
