"""Kernels of the three scores. Tables come as counts[batch, child value, parent configuration]."""

from __future__ import annotations

import numpy as np

from understudy._core.compiling import kernel


@kernel()
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


@kernel()
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
# Up to this many configurations it is cheaper to try all assignments than to sweep an array of masses.
FEW = 12


@kernel()
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


@kernel()
def _decide_clear_cases(keys, values, key_mass, value_mass, n):
    """Give every configuration its side unless it could matter; returns the undecided ones and the masses so far.

    2·n·F + 2n is the largest 2A + min(2B, n), where A ≤ n/2 is the key side's mass and B the value side's. For any ν
    in [0, 1] that is at most U = Σ max(2k, 2ν·v) + (1 − ν)·n, and a configuration on its worse side costs |2k − 2ν·v|
    of it. So once some assignment reaches L, a configuration whose worse side costs more than U − L has its better one.
    ν = 1 if the common value's half is not filled; else the ratio k/v at which a greedy filling stops.
    """
    order = np.argsort(-(keys / values))
    excess = 2 * value_mass - n
    for i in range(len(keys)):
        excess += 2 * values[i]
    nu = 0.0
    reached_key = key_mass
    left = excess
    stopped = False
    for j in range(len(order)):
        i = order[j]
        if keys[i] >= values[i] or 2 * values[i] <= left:
            # moving it to the key side gains, or takes only what the value side has to spare
            reached_key += keys[i]
            left -= 2 * values[i]
        elif not stopped:
            stopped = True
            nu = keys[i] / values[i] if left > 0 else 1.0
    best = 2 * reached_key + min(n + left, n)
    bound = 2.0 * (key_mass + nu * value_mass) + (1.0 - nu) * n
    for i in range(len(keys)):
        bound += 2.0 * max(float(keys[i]), nu * values[i])
    # doubles are off by far less than this, and keeping a configuration too many costs time, never the answer
    gap = bound - best + 1e-3
    undecided = 0
    for j in range(len(order)):
        i = order[j]
        if 2.0 * abs(keys[i] - nu * values[i]) <= gap and gap >= 1.0:
            order[undecided] = i
            undecided += 1
        elif keys[i] >= nu * values[i]:
            key_mass += keys[i]
        else:
            value_mass += values[i]
    return order[:undecided], key_mass, value_mass, best


@kernel()
def _best_of_few(keys, values, key_mass, value_mass, n):
    """The largest 2A + min(2B, n) by trying every assignment, each one flip away from the one before (Gray code)."""
    for i in range(len(keys)):
        value_mass += values[i]
    on_key_side = np.zeros(len(keys), dtype=np.bool_)
    best = 2 * key_mass + min(2 * value_mass, n)
    for step in range(1, 1 << len(keys)):
        i = 0
        while not step >> i & 1:
            i += 1
        sign = -1 if on_key_side[i] else 1
        on_key_side[i] = not on_key_side[i]
        key_mass += sign * keys[i]
        value_mass -= sign * values[i]
        best = max(best, 2 * key_mass + min(2 * value_mass, n))
    return best


@kernel()
def f_scores(tables, n, out):
    """``out[b] = 2·n·F = max Σ_side min(2·mass, n) − 2n``, the maximum over all ways to give each parent configuration
    one child value.

    Configurations seen with one child value only are given to it outright, and so are those whose better side is
    clear. The dynamic programme decides the rest, over the mass of the rarer child value.
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
        key_mass = np.int64(0)
        value_mass = np.int64(0)
        mixed = 0
        for p in range(n_parents):
            key, value = tables[b, rare, p], tables[b, 1 - rare, p]
            if value == 0:
                key_mass += key
            elif key == 0:
                value_mass += value
            else:
                keys[mixed] = key
                values[mixed] = value
                mixed += 1
        open_ones, key_mass, value_mass, highest = _decide_clear_cases(
            keys[:mixed], values[:mixed], key_mass, value_mass, n
        )
        # small masses first: the reachable range, and with it each sweep, then grows as late as possible
        open_ones = open_ones[np.argsort(keys[open_ones])]
        if len(open_ones) <= FEW:
            few = _best_of_few(keys[open_ones], values[open_ones], key_mass, value_mass, n)
            out[b] = max(highest, few) - 2 * n
            continue
        masses, reached = _best_masses(keys[open_ones], values[open_ones], min(half, totals[rare]), best, spare)
        for a in range(reached + 1):
            if masses[a] >= 0:
                highest = max(highest, 2 * (key_mass + a) + min(2 * (value_mass + masses[a]), n))
        out[b] = highest - 2 * n
