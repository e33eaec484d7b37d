"""Correlated sensitivity, compiled: for each query the largest weighted sum over a row and the rows linked with it."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from understudy._core.compiling import kernel

Array = npt.NDArray[Any]


@kernel()
def largest_sums(
    indptr: Array, indices: Array, degrees: Array, kinds: Array, order: Array, reach: Array, parts: Array, out: Array
) -> None:
    """`out[q]` = the most over rows i with a part of Σ_j |ϑ_ij|·parts[q, kinds[j]], never below its first value.

    Rows come by `order`, those that reach furthest first; `reach[i]` is 1 + Σ_j |ϑ_ij|. Once even a whole reach of the
    largest part would not exceed what was found, the rest is left out.
    """
    for q in range(out.shape[0]):
        own, most = parts[q], 0.0
        for kind in range(own.shape[0]):
            most = max(most, own[kind])
        best = out[q]
        for place in range(order.shape[0]):
            i = order[place]
            if reach[i] * most <= best:
                break
            total = own[kinds[i]]
            if total <= 0.0:
                continue
            for link in range(indptr[i], indptr[i + 1]):
                total += abs(degrees[link]) * own[kinds[indices[link]]]
            best = max(best, total)
        out[q] = best
