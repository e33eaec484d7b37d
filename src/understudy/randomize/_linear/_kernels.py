"""The inner loops of un-mixing, compiled: one axis of a table that is seen as (axes before, this axis, axes after).

All loops run over a strip of the axes after, which vector instructions take; where those are short, a strip is gathered
from many places of the axes before. A strip is read whole before it is written, so `out` may be the table itself.
Several axes in one pass, with strips of them kept in the cache, were tried, and were no faster.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from understudy._core.compiling import kernel

STRIP = 512
_SHORT = 32


@kernel()
def combine(table, place, start, length, matrix, sums):
    """sums[j] = Σ table[place, i]·matrix[i, j] over a strip; four terms at a time, for fewer loads and stores."""
    k, m = matrix.shape
    end = start + length
    for j in range(m):
        total = sums[j, :length]
        done = min(k, 4)
        if k >= 4:
            a, b, c, d = (
                table[place, 0, start:end],
                table[place, 1, start:end],
                table[place, 2, start:end],
                table[place, 3, start:end],
            )
            p, q, r, s = matrix[0, j], matrix[1, j], matrix[2, j], matrix[3, j]
            for x in range(length):
                total[x] = p * a[x] + q * b[x] + r * c[x] + s * d[x]
        elif k == 3:
            a, b, c = table[place, 0, start:end], table[place, 1, start:end], table[place, 2, start:end]
            p, q, r = matrix[0, j], matrix[1, j], matrix[2, j]
            for x in range(length):
                total[x] = p * a[x] + q * b[x] + r * c[x]
        elif k == 2:
            a, b = table[place, 0, start:end], table[place, 1, start:end]
            p, q = matrix[0, j], matrix[1, j]
            for x in range(length):
                total[x] = p * a[x] + q * b[x]
        else:
            a, p = table[place, 0, start:end], matrix[0, j]
            for x in range(length):
                total[x] = p * a[x]
        while done + 2 <= k:
            a, b = table[place, done, start:end], table[place, done + 1, start:end]
            p, q = matrix[done, j], matrix[done + 1, j]
            for x in range(length):
                total[x] += p * a[x] + q * b[x]
            done += 2
        if done < k:
            a, p = table[place, done, start:end], matrix[done, j]
            for x in range(length):
                total[x] += p * a[x]


@kernel()
def map_dense(table, matrix, out):
    """out[:, j, :] = Σ table[:, i, :]·matrix[i, j]."""
    outer, k, inner = table.shape
    m = matrix.shape[1]
    if inner >= _SHORT:
        sums = np.empty((m, min(inner, STRIP)))
        for o in range(outer):
            for start in range(0, inner, STRIP):
                part = min(STRIP, inner - start)
                combine(table, o, start, part, matrix, sums)
                for j in range(m):
                    written, kept = out[o, j, start : start + part], sums[j, :part]
                    for x in range(part):
                        written[x] = kept[x]
        return
    tile = STRIP // inner
    strip, sums = np.empty((1, k, tile * inner)), np.empty((m, tile * inner))
    for first in range(0, outer, tile):
        rows = min(tile, outer - first)
        for r in range(rows):
            for i in range(k):
                for x in range(inner):
                    strip[0, i, r * inner + x] = table[first + r, i, x]
        combine(strip, 0, 0, rows * inner, matrix, sums)
        for r in range(rows):
            for j in range(m):
                for x in range(inner):
                    out[first + r, j, x] = sums[j, r * inner + x]


@kernel()
def map_shared(table, scale, share, weights, out):
    """out[:, j, :] = scale[j]·table[:, j, :] + share[j]·Σ weights[i]·table[:, i, :]."""
    outer, k, inner = table.shape
    if inner == 1:
        for o in range(outer):
            read, written = table[o, :, 0], out[o, :, 0]
            summed = 0.0
            for i in range(k):
                summed += weights[i] * read[i]
            for j in range(k):
                written[j] = scale[j] * read[j] + share[j] * summed
        return
    totals = np.empty(min(inner, STRIP))
    for o in range(outer):
        for start in range(0, inner, STRIP):
            part = min(STRIP, inner - start)
            total = totals[:part]
            total[:] = 0.0
            for i in range(k):
                read, weight = table[o, i, start : start + part], weights[i]
                for x in range(part):
                    total[x] += weight * read[x]
            for j in range(k):
                read, written = table[o, j, start : start + part], out[o, j, start : start + part]
                own, common = scale[j], share[j]
                for x in range(part):
                    written[x] = own * read[x] + common * total[x]
