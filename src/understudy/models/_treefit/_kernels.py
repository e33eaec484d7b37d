"""Loops over the cells of a junction tree. Nothing here is compiled for a structure: cliques, separators and tables are
flat arrays, and an index map says which cell of a smaller table each cell of a clique belongs to."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from understudy._core.compiling import kernel

_LEAST = 1e-9  # a cell that the model holds for emptier than this is left alone
_STEPS = 60  # of Newton's method; some ten are needed


@kernel()
def eliminate(neighbours, logs, order, limit):
    """Sum out the vertex whose clique is smallest, again and again; the cells of all cliques, or inf above `limit`.

    `neighbours` is symmetric and is filled in; `order` receives the vertices in the order they went.
    """
    d = logs.shape[0]
    weight = logs.copy()
    gone = np.zeros(d, dtype=np.bool_)
    near = np.empty(d, dtype=np.int64)
    total = 0.0
    for v in range(d):
        for w in range(d):
            if neighbours[v, w]:
                weight[v] += logs[w]
    for step in range(d):
        best = -1
        for v in range(d):
            if not gone[v] and (best < 0 or weight[v] < weight[best] - 1e-12):
                best = v
        total += np.exp(weight[best])
        if total > limit:
            return np.inf
        gone[best] = True
        order[step] = best
        m = 0
        for w in range(d):
            if neighbours[best, w] and not gone[w]:
                near[m] = w
                m += 1
        for i in range(m):
            weight[near[i]] -= logs[best]
            for j in range(i):
                if not neighbours[near[i], near[j]]:
                    neighbours[near[i], near[j]] = True
                    neighbours[near[j], near[i]] = True
                    weight[near[i]] += logs[near[j]]
                    weight[near[j]] += logs[near[i]]
    return total


@kernel()
def cells_with(neighbours, logs, first, second, limit):
    """For each edge that might be added, the cells of all cliques if it were; inf above `limit`."""
    found = np.empty(first.shape[0])
    order = np.empty(logs.shape[0], dtype=np.int64)
    for i in range(first.shape[0]):
        tried = neighbours.copy()
        tried[first[i], second[i]] = True
        tried[second[i], first[i]] = True
        found[i] = eliminate(tried, logs, order, limit)
    return found


@kernel()
def index_map(shape, strides, out):
    """For each cell of a clique of this shape, Σ place·stride: where it belongs in a smaller table."""
    rank = shape.shape[0]
    place = np.zeros(rank, dtype=np.int64)
    at = 0
    for i in range(out.shape[0]):
        out[i] = at
        axis = rank - 1
        while axis >= 0:
            place[axis] += 1
            at += strides[axis]
            if place[axis] < shape[axis]:
                break
            at -= strides[axis] * shape[axis]
            place[axis] = 0
            axis -= 1


@kernel()
def sum_into(values, places, out):
    """Sum cells by their place; where neighbours share one, as they do unless the last axis is kept, run by run."""
    out[:] = 0.0
    n = values.shape[0]
    if n < 2 or places[0] != places[1]:
        for i in range(n):
            out[places[i]] += values[i]
        return
    place, held = places[0], 0.0  # in a register: adding to memory that was just written is four times as slow
    for i in range(n):
        if places[i] != place:
            out[place] += held
            place, held = places[i], 0.0
        held += values[i]
    out[place] += held


@kernel()
def _log_sums(values, places, out):
    """log Σ exp by place; −inf where nothing is possible."""
    m = out.shape[0]
    most = np.full(m, -np.inf)
    for i in range(values.shape[0]):
        if values[i] > most[places[i]]:
            most[places[i]] = values[i]
    out[:] = 0.0
    for i in range(values.shape[0]):
        p = places[i]
        if most[p] > -np.inf:
            out[p] += np.exp(values[i] - most[p])
    for p in range(m):
        out[p] = np.log(out[p]) + most[p] if most[p] > -np.inf else -np.inf


@kernel()
def calibrate(beliefs, starts, parents, maps, up, down, seps, sep_starts, total):
    """Turn log-potentials of cliques into marginals that agree, scaled to `total`.

    Cliques are listed with parents first. `up[c]`, `down[c]`: where in `maps` the maps from the cells of c and of its
    parent to their separator begin.
    """
    n = parents.shape[0]
    for c in range(n - 1, -1, -1):
        mine = beliefs[starts[c] : starts[c + 1]]
        sep = seps[sep_starts[c] : sep_starts[c + 1]]
        if parents[c] < 0:
            continue
        _log_sums(mine, maps[up[c] : up[c] + mine.shape[0]], sep)
        above = beliefs[starts[parents[c]] : starts[parents[c] + 1]]
        places = maps[down[c] : down[c] + above.shape[0]]
        for i in range(above.shape[0]):
            above[i] += sep[places[i]]
    for c in range(n):
        mine = beliefs[starts[c] : starts[c + 1]]
        sep = seps[sep_starts[c] : sep_starts[c + 1]]
        if parents[c] < 0:
            most, all_of_it = -np.inf, 0.0
            for i in range(mine.shape[0]):
                most = max(most, mine[i])
            for i in range(mine.shape[0]):
                mine[i] = np.exp(mine[i] - most)
                all_of_it += mine[i]
            for i in range(mine.shape[0]):
                mine[i] *= total / all_of_it
            continue
        above = beliefs[starts[parents[c]] : starts[parents[c] + 1]]
        held = np.empty(sep.shape[0])
        sum_into(above, maps[down[c] : down[c] + above.shape[0]], held)
        places = maps[up[c] : up[c] + mine.shape[0]]
        for i in range(mine.shape[0]):
            p = places[i]
            mine[i] = np.exp(mine[i] - sep[p]) * held[p] if sep[p] > -np.inf else 0.0
        sep[:] = held


@kernel()
def _pass_on(source, source_map, target, target_map, sep, fresh):
    """Make the target agree with the source on their separator."""
    sum_into(source, source_map, fresh)
    for p in range(sep.shape[0]):
        ratio = fresh[p] / sep[p] if sep[p] > 0.0 else 0.0
        sep[p] = fresh[p]
        fresh[p] = ratio
    for i in range(target.shape[0]):
        target[i] *= fresh[target_map[i]]


@kernel()
def _solve(mu, b, c):
    """Δ with μ·exp(Δ) + b·Δ = c: increasing in Δ and convex, so Newton's method from the right never overshoots."""
    if b <= 0.0:
        return np.log(max(c, 1e-12) / mu)
    x = min(np.log(c / mu), (c - mu) / b) if c > mu else 0.0
    for _ in range(_STEPS):
        e = mu * np.exp(x)
        step = (e + b * x - c) / (e + b)
        x -= step
        if abs(step) < 1e-9:
            break
    return x


@kernel()
def _lower_effects(mu, k1, k2, k3, out):
    """What fewer axes than all tell of a table of this shape: it less its own interaction. An axis of 1 is none."""
    cells = k1 * k2 * k3
    for x in range(cells):
        out[x] = mu[x]
    _centre(out, k1, k2 * k3, 1)
    _centre(out, k2, k3, k1)
    if k3 > 1:
        _centre(out, k3, 1, k1 * k2)
    for x in range(cells):
        out[x] = mu[x] - out[x]


@kernel()
def _centre(values, k, inner, outer):
    """Take away the mean along one axis of a table shaped (outer, k, inner)."""
    for o in range(outer):
        for i in range(inner):
            mean = 0.0
            for j in range(k):
                mean += values[(o * k + j) * inner + i]
            mean /= k
            for j in range(k):
                values[(o * k + j) * inner + i] -= mean


@kernel()
def sweep(
    beliefs,
    starts,
    parents,
    maps,
    up,
    down,
    seps,
    sep_starts,
    tour,
    of_clique,
    clique_tables,
    table_starts,
    table_maps,
    theta,
    measured,
    ridge,
    shapes,
    total,
    times,
):
    """Walk through the tree and bring each table in turn into agreement with what was measured of it."""
    longest = 1
    for t in range(ridge.shape[0]):
        longest = max(longest, table_starts[t + 1] - table_starts[t])
    for c in range(parents.shape[0]):
        longest = max(longest, sep_starts[c + 1] - sep_starts[c])
    mu, lower, room = np.empty(longest), np.empty(longest), np.empty(longest)
    for _ in range(times):
        seen = np.zeros(parents.shape[0], dtype=np.bool_)
        for i in range(tour.shape[0]):
            c = tour[i]
            mine = beliefs[starts[c] : starts[c + 1]]
            if i > 0:
                d = tour[i - 1]
                other = beliefs[starts[d] : starts[d + 1]]
                if parents[c] == d:
                    sep = seps[sep_starts[c] : sep_starts[c + 1]]
                    _pass_on(
                        other,
                        maps[down[c] : down[c] + other.shape[0]],
                        mine,
                        maps[up[c] : up[c] + mine.shape[0]],
                        sep,
                        room[: sep.shape[0]],
                    )
                elif parents[d] == c:
                    sep = seps[sep_starts[d] : sep_starts[d + 1]]
                    _pass_on(
                        other,
                        maps[up[d] : up[d] + other.shape[0]],
                        mine,
                        maps[down[d] : down[d] + mine.shape[0]],
                        sep,
                        room[: sep.shape[0]],
                    )
            if seen[c]:
                continue
            seen[c] = True
            for j in range(of_clique[c], of_clique[c + 1]):
                t = clique_tables[j]
                first, last = table_starts[t], table_starts[t + 1]
                k = last - first
                places = maps[table_maps[t] : table_maps[t] + mine.shape[0]]
                sum_into(mine, places, mu[:k])
                if shapes[t, 3]:
                    _lower_effects(mu, shapes[t, 0], shapes[t, 1], shapes[t, 2], lower)
                else:
                    lower[:k] = 0.0
                held = 0.0
                for x in range(k):
                    room[x] = 1.0
                    if mu[x] > _LEAST:
                        wanted = measured[first + x] + lower[x] - ridge[t] * theta[first + x]
                        change = _solve(mu[x], ridge[t], wanted)
                        theta[first + x] += change
                        room[x] = np.exp(change)
                    held += mu[x] * room[x]
                for x in range(k):  # the total is known: a potential of its own, which costs nothing
                    room[x] *= total / held
                for x in range(mine.shape[0]):
                    mine[x] *= room[places[x]]
