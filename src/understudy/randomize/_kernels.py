"""Exact drawing of published codes from random words, in 64-bit integers. No floating point.

A row's draw is a uniform 64-bit number w, of which the 16 leading bits (`heads`) are read first: mostly they decide,
and the other 48 are taken from `words` only where they do not. A w that is refused is drawn anew from `words`. Kernels
that run out of words stop before the row that needed one, and the caller calls again with fresh ones (proof.md, §2).
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from understudy._core.compiling import kernel

UNDECIDED = 0xFFFFFFFF
_HEAD_SHIFT = np.uint64(48)
_TAIL_SHIFT = np.uint64(16)
_TAIL = np.uint64((1 << 48) - 1)


@kernel()
def draw_response(true, heads, words, row, limits, decided, out):
    """Randomised response: cell 0 of `limits` keeps the code, cell j makes it the j-th of the others.

    `limits`: the first w that does not keep, the width of each other cell, the last w that is not refused.
    `decided`: the cell that a head decides, or UNDECIDED. Returns (next row, words used).
    """
    start, width, last = limits[0], limits[1], limits[2]
    used = 0
    for r in range(row, true.shape[0]):
        cell = decided[heads[r]]
        if cell == UNDECIDED:
            taken, first, found = used, True, False
            while not found and taken < words.shape[0]:
                word = words[taken]
                taken += 1
                w = (np.uint64(heads[r]) << _HEAD_SHIFT) | (word >> _TAIL_SHIFT) if first else word
                first = False
                if w < start:
                    cell, found = np.uint32(0), True
                elif w <= last:
                    cell, found = np.uint32((w - start) // width + np.uint64(1)), True
            if not found:
                return r, used
            used = taken
        code = true[r]
        if cell == 0:
            out[r] = code
        else:
            out[r] = cell - 1 if cell <= code else cell
    return true.shape[0], used


@kernel(inline="always")
def find_cell(lower, first, end, w):
    """The last place from `first` to before `end` whose lower bound is not above w."""
    while end - first > 1:
        middle = (first + end) >> 1
        if lower[middle] <= w:
            first = middle
        else:
            end = middle
    return first


@kernel()
def draw_matrix(true, heads, words, row, last, begins, lower, targets, out):
    """Any matrix: row l has cells begins[l] … begins[l + 1] − 1, each with its least w and its published code."""
    used = 0
    for r in range(row, true.shape[0]):
        begin, end = begins[true[r]], begins[true[r] + 1]
        low = np.uint64(heads[r]) << _HEAD_SHIFT
        high = low | _TAIL
        cell = find_cell(lower, begin, end, low)
        if high > last or (cell + 1 < end and lower[cell + 1] <= high):
            taken, first, found = used, True, False
            while not found and taken < words.shape[0]:
                word = words[taken]
                taken += 1
                w = low | (word >> _TAIL_SHIFT) if first else word
                first = False
                if w <= last:
                    cell, found = find_cell(lower, begin, end, w), True
            if not found:
                return r, used
            used = taken
        out[r] = targets[cell]
    return true.shape[0], used
