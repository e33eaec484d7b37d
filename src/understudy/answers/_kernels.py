"""The rounds of Algorithm 2 as printed, compiled: a histogram as a matrix, queries as a factor for each side.

What a pattern of row weights leaves of the histogram is a vector with an entry a column. It is kept until the
histogram changes, so that rounds without a correction cost as much as a row is long. Corrections that match whole
rows, or whole columns, are kept as factors of these and multiplied out now and then. Sums run over vectors and not
along them: so they are compiled to vector instructions without changing the order of additions.
"""

from __future__ import annotations

from math import exp
from typing import Any

import numpy as np
import numpy.typing as npt

from understudy._core.compiling import kernel

Array = npt.NDArray[Any]

# Corrections after which factors are multiplied out, and after which sums that were kept up are added up anew: so
# that neither rounding nor very large and very small factors add up.
MULTIPLIED_OUT = 64
ADDED_UP = 16


@kernel()
def weigh(x: Array, rows: Array, weights: Array, row_factors: Array, column_factors: Array, out: Array) -> None:
    """`out[c]` = Σ weights[i]·x[rows[i], c], with the factors of rows and columns.

    Four rows at a time, so that a sum is loaded and stored once for them.
    """
    out[:] = 0.0
    n, whole = out.shape[0], len(rows) - len(rows) % 4
    for i in range(0, whole, 4):
        r, s, t, u = rows[i], rows[i + 1], rows[i + 2], rows[i + 3]
        a, b = weights[i] * row_factors[r], weights[i + 1] * row_factors[s]
        c, d = weights[i + 2] * row_factors[t], weights[i + 3] * row_factors[u]
        first, second, third, fourth = x[r], x[s], x[t], x[u]
        for m in range(n):
            out[m] += (a * first[m] + b * second[m]) + (c * third[m] + d * fourth[m])
    for i in range(whole, len(rows)):
        a, first = weights[i] * row_factors[rows[i]], x[rows[i]]
        for m in range(n):
            out[m] += a * first[m]
    for m in range(n):
        out[m] *= column_factors[m]


@kernel()
def along(left: Array, right: Array) -> float:
    """Σ left[i]·right[i], in four sums side by side."""
    n = left.shape[0]
    a = b = c = d = 0.0
    whole = n - n % 4
    for i in range(0, whole, 4):
        a += left[i] * right[i]
        b += left[i + 1] * right[i + 1]
        c += left[i + 2] * right[i + 2]
        d += left[i + 3] * right[i + 3]
    for i in range(whole, n):
        a += left[i] * right[i]
    return (a + b) + (c + d)


@kernel()
def answer_products(
    x: Array,
    start: Array,
    rows: Array,
    weights: Array,
    row_of: Array,
    column_patterns: Array,
    column_of: Array,
    kept: Array,
    fresh: Array,
    out: Array,
) -> None:
    """`out[q]` = the answer of query q, all of them on one histogram."""
    ones, others = np.ones(x.shape[0]), np.ones(x.shape[1])
    for q in range(out.shape[0]):
        p = row_of[q]
        if not fresh[p]:
            own = slice(start[p], start[p + 1])
            weigh(x, rows[own], weights[own], ones, others, kept[p])
            fresh[p] = True
        out[q] = along(kept[p], column_patterns[column_of[q]])


@kernel()
def multiply_out(x: Array, row_factors: Array, column_factors: Array, share: float) -> None:
    """Put factors of rows and columns, and a common one, into the cells; the factors become 1."""
    for r in range(x.shape[0]):
        line, factor = x[r], row_factors[r] * share
        for c in range(x.shape[1]):
            line[c] *= factor * column_factors[c]
    row_factors[:] = 1.0
    column_factors[:] = 1.0


@kernel()
def scale_cells(
    x: Array, rows: Array, weights: Array, column_weights: Array, strength: float, by_cell: bool, factors: Array
) -> None:
    """Multiply every cell b that a query matches by exp(−strength), or by exp(−strength·q(b)); `factors` is room."""
    last = -1.0  # the row weight that factors are for
    for i in range(len(rows)):
        line = x[rows[i]]
        if weights[i] != last and (by_cell or last < 0.0):
            last = weights[i]
            for c in range(factors.shape[0]):
                part = last * column_weights[c] if by_cell else (1.0 if column_weights[c] > 0.0 else 0.0)
                factors[c] = exp(-strength * part)
        for c in range(factors.shape[0]):
            line[c] *= factors[c]


@kernel()
def add_up(x: Array, sums: Array) -> float:
    """The sum of all cells; `sums` is room for one a column."""
    sums[:] = 0.0
    for r in range(x.shape[0]):
        line = x[r]
        for c in range(sums.shape[0]):
            sums[c] += line[c]
    total = 0.0
    for c in range(sums.shape[0]):
        total += sums[c]
    return total


@kernel()
def printed_rounds(
    x: Array,
    start: Array,
    rows: Array,
    weights: Array,
    row_of: Array,
    column_patterns: Array,
    column_of: Array,
    predicate: Array,
    every_row: int,
    every_column: int,
    kept: Array,
    noisy: Array,
    threshold: float,
    rate: float,
    theta0: float,
    absolute: bool,
    renormalised: bool,
    by_cell: bool,
    answers: Array,
    corrected: Array,
) -> None:
    """All rounds in order; `x` becomes the last histogram, and answers and corrections are filled.

    Pattern p of row weights has `weights[start[p]:start[p + 1]]` for these `rows`; `every_row` and `every_column` are
    the patterns of ones throughout. The histogram is x with the factors, divided by `total` if it is renormalised.
    """
    strength, total, n_corrected = rate * theta0, 1.0, 0
    row_factors, column_factors, factors = np.ones(x.shape[0]), np.ones(x.shape[1]), np.empty(x.shape[1])
    fresh = np.full(kept.shape[0], -1, np.int64)  # after how many corrections a pattern was weighed
    for q in range(noisy.shape[0]):
        p, r = row_of[q], column_of[q]
        own = slice(start[p], start[p + 1])
        if fresh[p] != n_corrected:
            weigh(x, rows[own], weights[own], row_factors, column_factors, kept[p])
            fresh[p] = n_corrected
        found = along(kept[p], column_patterns[r])
        estimate = found / total
        off = estimate - noisy[q]
        if not (abs(off) if absolute else off) > threshold:
            answers[q] = estimate
            continue
        answers[q], corrected[q] = noisy[q], True
        n_corrected += 1
        low = off <= 0.0
        # exp(−s·(1 − q)) is exp(s·q), times what every cell has in common
        change = (
            (-strength if low else strength) if by_cell else strength * (1.0 - estimate * rate if low else estimate)
        )
        if predicate[q]:
            factor = exp(-change)
            for c in range(factors.shape[0]):
                factors[c] = factor if column_patterns[r, c] > 0.0 else 1.0
            if every_row >= 0 and n_corrected % ADDED_UP and fresh[every_row] == n_corrected - 1:
                whole, part = kept[every_row], kept[p]
                for c in range(factors.shape[0]):
                    whole[c] += (factors[c] - 1.0) * part[c]
                fresh[every_row] = n_corrected
            if p == every_row:
                for c in range(factors.shape[0]):
                    column_factors[c] *= factors[c]
            elif r == every_column:
                for i in range(start[p], start[p + 1]):
                    row_factors[rows[i]] *= factor
            else:
                for i in range(start[p], start[p + 1]):
                    line = x[rows[i]]
                    for c in range(factors.shape[0]):
                        line[c] *= factors[c]
            if renormalised:
                total += (factor - 1.0) * found
        else:
            scale_cells(x, rows[own], weights[own], column_patterns[r], change, by_cell, factors)
        if by_cell and low and not renormalised:
            multiply_out(x, row_factors, column_factors, exp(-strength))
            fresh[:] = -1
        due = n_corrected % MULTIPLIED_OUT == 0
        if renormalised and (due or not predicate[q] or not 0.25 < total < 4.0):
            multiply_out(x, row_factors, column_factors, 1.0)
            multiply_out(x, row_factors, column_factors, 1.0 / add_up(x, factors))
            total = 1.0
            fresh[:] = -1
        elif due:
            multiply_out(x, row_factors, column_factors, 1.0)
    multiply_out(x, row_factors, column_factors, 1.0 / total)
