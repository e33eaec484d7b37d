"""Loops over rows with weights: tables of pairs, weights that follow measured tables, and swaps of chosen rows."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from understudy._core._kernels import below
from understudy._core.compiling import kernel
from understudy.models._treefit._kernels import _LEAST, _lower_effects, _solve


@kernel()
def tally_pairs(rows, weights, first, second, widths, starts, out):
    """The weighted tables of pairs of columns, one behind the other in `out`; all of them in one pass over the rows.

    Places are unsigned throughout: for signed ones numba would have to ask each time whether they count from the end.
    """
    out[:] = 0.0
    for i in range(rows.shape[0]):
        for p in range(first.shape[0]):
            out[starts[p] + np.uint32(rows[i, first[p]]) * widths[p] + np.uint32(rows[i, second[p]])] += weights[i]


@kernel()
def follow_tables(columns, weights, first, second, sizes, order, starts, theta, measured, ridge, interaction, total):
    """Bring the weights into agreement with one table after the other, as `order` has them.

    Table t is over columns `first[t]` and `second[t]`, or over the first alone if the second is −1. Its potentials are
    solved for exactly while all others rest, as `sweep` does it for the cells of a junction tree.
    """
    longest, n = 1, weights.shape[0]
    for t in range(ridge.shape[0]):
        longest = max(longest, starts[t + 1] - starts[t])
    mu, lower, factors = np.empty(longest), np.empty(longest), np.ones(longest)
    place = np.zeros(n, dtype=np.uint32)
    for t in order:
        at, k, m = starts[t], starts[t + 1] - starts[t], 1
        one = columns[first[t]]
        mu[:k] = 0.0
        if second[t] >= 0:  # one pass over rows: weights as the table before left them to do, then their sums
            m = sizes[second[t]]
            other, width = columns[second[t]], np.uint32(m)
            for i in range(n):
                weights[i] *= factors[place[i]]
                place[i] = np.uint32(one[i]) * width + np.uint32(other[i])
                mu[place[i]] += weights[i]
        else:
            for i in range(n):
                weights[i] *= factors[place[i]]
                place[i] = one[i]
                mu[place[i]] += weights[i]
        lower[:k] = 0.0
        if interaction[t]:
            _lower_effects(mu, k // m, m, 1, lower)
        held = 0.0
        for x in range(k):
            factor = 1.0
            if mu[x] > _LEAST:
                change = _solve(mu[x], ridge[t], measured[at + x] + lower[x] - ridge[t] * theta[at + x])
                theta[at + x] += change
                factor = np.exp(change)
            held += mu[x] * factor
            mu[x] = factor
        for x in range(k):
            factors[x] = mu[x] * (total / held)
    for i in range(n):
        weights[i] *= factors[place[i]]


@kernel()
def swap_rows(rows, chosen, others, first, second, widths, starts, counts, target, cost, tries, state):
    """Swap chosen rows for others where Σ cost · (count − target)² over the cells of all pairs falls.

    One pass: each chosen row is held against so many random others, and the best of them takes its place. `counts` are
    the tables of the chosen rows. Counts, chosen and others are changed; how many were swapped comes back.
    """
    pairs, swapped = first.shape[0], 0
    more = (2.0 * (counts - target) + 1.0) * cost  # by which the sum grows with one row more in a cell
    fewer = (-2.0 * (counts - target) + 1.0) * cost
    mine, tried, best = np.empty(pairs, np.uint32), np.empty(pairs, np.uint32), np.empty(pairs, np.uint32)
    for i in range(chosen.shape[0]):
        without = 0.0
        row = rows[chosen[i]]
        for p in range(pairs):
            mine[p] = starts[p] + np.uint32(row[first[p]]) * widths[p] + np.uint32(row[second[p]])
            without += fewer[mine[p]]
        least, pick = -_LEAST, -1
        for _ in range(tries):
            j = below(state, others.shape[0])
            row = rows[others[j]]
            change = without
            for p in range(pairs):
                tried[p] = starts[p] + np.uint32(row[first[p]]) * widths[p] + np.uint32(row[second[p]])
                change += more[tried[p]] if tried[p] != mine[p] else -fewer[tried[p]]
            if change < least:
                least, pick = change, j
                best[:] = tried
        if pick < 0:
            continue
        chosen[i], others[pick] = others[pick], chosen[i]
        swapped += 1
        for p in range(pairs):
            a, b = mine[p], best[p]
            if a != b:
                counts[a] -= 1.0
                counts[b] += 1.0
                more[a] -= 2.0 * cost[a]
                fewer[a] += 2.0 * cost[a]
                more[b] += 2.0 * cost[b]
                fewer[b] -= 2.0 * cost[b]
    return swapped
