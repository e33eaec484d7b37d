"""Kernels of the three scores. Tables come as counts[batch, child value, parent configuration]."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def r_scores(tables, n, out):
    """``out[b] = Σ |n·c[x, π] − c[x]·c[π]|``, which is 2·n²·R: an integer, at most 2·n²."""
    n_tables, n_child, n_parents = tables.shape
    child = np.empty(n_child, dtype=np.int64)
    for b in range(n_tables):
        table = tables[b]
        for x in range(n_child):
            total = np.int64(0)
            for p in range(n_parents):
                total += table[x, p]
            child[x] = total
        score = np.int64(0)
        for p in range(n_parents):
            parent = np.int64(0)
            for x in range(n_child):
                parent += table[x, p]
            if parent != 0:
                for x in range(n_child):
                    score += abs(n * table[x, p] - child[x] * parent)
        out[b] = score


@njit(nogil=True, cache=True)
def information_scores(tables, n, scale, out):
    """``out[b] = round(scale · n · I)`` with I in bits."""
    n_tables, n_child, n_parents = tables.shape
    for b in range(n_tables):
        table = tables[b]
        total = n * np.log2(n)
        for x in range(n_child):
            count = np.int64(0)
            for p in range(n_parents):
                count += table[x, p]
            if count > 0:
                total -= count * np.log2(count)
        for p in range(n_parents):
            count = np.int64(0)
            for x in range(n_child):
                count += table[x, p]
                if table[x, p] > 0:
                    total += table[x, p] * np.log2(table[x, p])
            if count > 0:
                total -= count * np.log2(count)
        out[b] = np.int64(np.rint(scale * max(total, 0.0)))


UNREACHABLE = -(1 << 30)


@njit(nogil=True, cache=True)
def _best_masses(keys, values, limit, best, spare):
    """``best[a]``: the largest value mass when the configurations given to the key side have key mass a.

    A key mass beyond `limit` counts as `limit`. One linear sweep a configuration, over the reachable masses only.
    """
    best[0] = 0
    reached = 0
    for i in range(len(keys)):
        key, value = keys[i], values[i]
        top = min(limit, reached + key)
        for a in range(reached + 1):
            spare[a] = best[a] + value
        for a in range(reached + 1, top + 1):
            spare[a] = UNREACHABLE
        inside = min(reached, limit - key)
        for a in range(inside + 1):
            spare[a + key] = max(spare[a + key], best[a])
        for a in range(max(inside + 1, 0), reached + 1):
            spare[limit] = max(spare[limit], best[a])
        best, spare = spare, best
        reached = top
    return best, reached


@njit(nogil=True, cache=True)
def f_scores(tables, n, out):
    """``out[b] = 2·n·F = max Σ_side min(2·mass, n) − 2n``, the maximum over all ways to give each parent configuration
    one child value.

    Configurations seen with one child value only are given to it outright. The dynamic programme runs over the mass
    of the rarer child value, so its arrays are no longer than half the table or that value's count.
    """
    n_tables, _, n_parents = tables.shape
    half = (n + 1) // 2
    best = np.empty(half + 1, dtype=np.int32)
    spare = np.empty(half + 1, dtype=np.int32)
    keys = np.empty(n_parents, dtype=np.int64)
    values = np.empty(n_parents, dtype=np.int64)
    for b in range(n_tables):
        totals = np.zeros(2, dtype=np.int64)
        for x in range(2):
            for p in range(n_parents):
                totals[x] += tables[b, x, p]
        rare = 0 if totals[0] <= totals[1] else 1
        sure_key = np.int64(0)
        sure_value = np.int64(0)
        mixed = 0
        for p in range(n_parents):
            key, value = tables[b, rare, p], tables[b, 1 - rare, p]
            if value == 0:
                sure_key += key
            elif key == 0:
                sure_value += value
            else:
                keys[mixed] = key
                values[mixed] = value
                mixed += 1
        # small masses first: the reachable range, and with it each sweep, then grows as late as possible
        order = np.argsort(keys[:mixed])
        limit = min(half, totals[rare])
        masses, reached = _best_masses(keys[:mixed][order], values[:mixed][order], limit, best, spare)
        highest = np.int64(0)
        for a in range(reached + 1):
            if masses[a] >= 0:
                capped = min(2 * (sure_key + a), n) + min(2 * (sure_value + masses[a]), n)
                highest = max(highest, capped)
        out[b] = highest - 2 * n
