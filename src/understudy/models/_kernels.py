"""Sampling loops over columns of codes.

Random words come from one generator a column and batch, so columns are shuffled independently of each other.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from understudy._core._kernels import below, unit
from understudy._core.compiling import kernel


@kernel()
def set_place(codes, lookup, place):
    """`place[r] = lookup[codes[r]]`: the first parent's part of each row's configuration."""
    for r in range(codes.shape[0]):
        place[r] = lookup[codes[r]]


@kernel()
def add_place(codes, lookup, place):
    """`place[r] += lookup[codes[r]]`: one more parent's part."""
    for r in range(codes.shape[0]):
        place[r] += lookup[codes[r]]


@kernel(inline="always")
def _find(cumulative, low, high, point):
    """First index in low … high − 1 with `cumulative[index] >= point`; the last entry is 1."""
    high -= 1
    while low < high:
        middle = (low + high) >> 1
        if cumulative[middle] >= point:
            high = middle
        else:
            low = middle + 1
    return low


@kernel(inline="always")
def _fill(values, begin, m, u, low, high, cumulative, code_of):
    """Put m values into `values` from `begin` on, in the order of their cells and with counts as even as they can be.

    Value x comes floor(m·C(x) + u) − floor(m·C(x − 1) + u) times.
    """
    n_codes = code_of.shape[0]
    if m * 16 < high - low:
        for i in range(m):
            low = _find(cumulative, low, high, (i + 1 - u) / m)
            values[begin + i] = code_of[low % n_codes]
    else:
        done = 0
        for index in range(low, high):
            upto = min(m, np.int64(np.floor(m * cumulative[index] + u)))
            if index == high - 1:
                upto = m
            if upto > done:
                code = code_of[index % n_codes]
                for i in range(done, upto):
                    values[begin + i] = code
                done = upto


@kernel()
def draw_balanced(place, first, stop, cumulative, code_of, state, ends, values, out):
    """Draw `out[r]` from the cells `first[q] … stop[q] − 1`, q = place[r], with counts as even as they can be.

    In each configuration q of m rows, value x gets floor(m·C(x) + u) − floor(m·C(x − 1) + u) of them, for one uniform
    u: its expectation m·p(x), rounded up or down. The values are then shuffled over the rows of that configuration.
    `ends` has one entry per configuration, `values` one per row; both are scratch.
    """
    ends[:] = 0
    for r in range(place.shape[0]):
        ends[place[r]] += 1
    begin = 0
    for q in range(ends.shape[0]):
        m = ends[q]
        ends[q] = begin
        if m == 0:
            continue
        _fill(values, begin, m, unit(state), first[q], stop[q], cumulative, code_of)
        for i in range(m - 1, 0, -1):
            j = below(state, i + 1)
            other = values[begin + j]
            values[begin + j] = values[begin + i]
            values[begin + i] = other
        begin += m
    for r in range(place.shape[0]):
        q = place[r]
        out[r] = values[ends[q]]
        ends[q] += 1


@kernel()
def _stride(m):
    """The number nearest to m over the golden ratio that has no divisor in common with m; of two the larger."""
    middle = np.int64(np.rint(m * 0.6180339887498949))
    for distance in range(m):
        for stride in (middle + distance, middle - distance):
            a, b = stride, m
            while b:
                a, b = b, a % b
            if a == 1 and stride > 0:
                return stride
    return np.int64(1)


@kernel()
def deal_balanced(place, order, first, stop, cumulative, code_of, state, dealt, values, out):
    """Draw as `draw_balanced` does, but deal the values out evenly along `order` in place of shuffling them.

    Of a configuration's m values, in the order of their cells, its first row in `order` gets one at random, and each
    next row the one that lies a stride of about m over the golden ratio further on, round and round: rows that are near
    each other in `order` get values that are far apart. `dealt` is scratch of four entries per configuration.
    """
    dealt[:] = 0
    for r in range(place.shape[0]):
        dealt[place[r], 0] += 1
    begin = 0
    for q in range(dealt.shape[0]):
        m = dealt[q, 0]
        if m == 0:
            continue
        _fill(values, begin, m, unit(state), first[q], stop[q], cumulative, code_of)
        dealt[q, 1] = begin
        dealt[q, 2] = below(state, m)
        dealt[q, 3] = _stride(m)
        begin += m
    for i in range(order.shape[0]):
        q = place[order[i]]
        at = dealt[q, 2]
        out[order[i]] = values[dealt[q, 1] + at]
        at += dealt[q, 3]
        dealt[q, 2] = at - dealt[q, 0] if at >= dealt[q, 0] else at


@kernel()
def sort_rows(order, codes, starts, out):
    """`out`: the rows in `order` sorted by their codes, those with one code as they were. `starts` is scratch."""
    starts[:] = 0
    for r in range(codes.shape[0]):
        starts[codes[r] + 1] += 1
    for code in range(1, starts.shape[0]):
        starts[code] += starts[code - 1]
    for i in range(order.shape[0]):
        code = codes[order[i]]
        out[starts[code]] = order[i]
        starts[code] += 1


@kernel()
def draw_independent(place, first, stop, cumulative, code_of, state, out):
    """Draw each `out[r]` on its own from the cells `first[q] … stop[q] − 1`, q = place[r]."""
    n_codes = code_of.shape[0]
    for r in range(place.shape[0]):
        q = place[r]
        index = _find(cumulative, first[q], stop[q], 1.0 - unit(state))
        out[r] = code_of[index % n_codes]
