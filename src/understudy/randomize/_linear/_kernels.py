"""The inner loops of un-mixing, compiled: one axis of a table that is seen as (axes before, this axis, axes after).

All loops run over a strip of the axes after, which vector instructions take; where those are short, a strip is gathered
from many places of the axes before. A strip is read whole before it is written, so `out` may be the table itself.
Measured on one core, 5 values: 2 ns a cell, however far apart the values of an axis lie (4 ns along the last axis).
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from understudy._core.compiling import kernel

STRIP = 512
_SHORT = 32


@kernel()
def map_dense(table, matrix, out):
    """out[:, j, :] = Σ table[:, i, :]·matrix[i, j]."""
    outer, k, inner = table.shape
    m = matrix.shape[1]
    tile = max(1, STRIP // inner) if inner < _SHORT else 1
    width = min(inner, STRIP) if tile == 1 else tile * inner
    source, sums = np.empty((k, width)), np.empty((m, width))
    for first in range(0, outer, tile):
        rows = min(tile, outer - first)
        for start in range(0, inner, STRIP):
            part = min(STRIP, inner - start)
            for r in range(rows):
                for i in range(k):
                    read = table[first + r, i, start : start + part]
                    kept = source[i, r * part : (r + 1) * part]
                    for c in range(part):
                        kept[c] = read[c]
            length = rows * part
            for j in range(m):
                total, read, factor = sums[j, :length], source[0, :length], matrix[0, j]
                for c in range(length):
                    total[c] = factor * read[c]
                for i in range(1, k):
                    read, factor = source[i, :length], matrix[i, j]
                    for c in range(length):
                        total[c] += factor * read[c]
            for r in range(rows):
                for j in range(m):
                    written = out[first + r, j, start : start + part]
                    kept = sums[j, r * part : (r + 1) * part]
                    for c in range(part):
                        written[c] = kept[c]


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
                for c in range(part):
                    total[c] += weight * read[c]
            for j in range(k):
                read, written = table[o, j, start : start + part], out[o, j, start : start + part]
                own, common = scale[j], share[j]
                for c in range(part):
                    written[c] = own * read[c] + common * total[c]
