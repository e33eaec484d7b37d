"""The inner loops of drawing values inside bins, compiled."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from understudy._core._kernels import unit
from understudy._core.compiling import kernel

Array = npt.NDArray[Any]
_LARGEST = 1 << 62


class Pieces(NamedTuple):
    """What bins are made of: pieces that are evenly filled.

    Piece p reaches from grid point `first[p]` to `last[p]`, and in bins from `begin[p]` to `end[p]`; those of bin b
    begin with `bin_at[b]`. Of what bin b holds, and of its grid points, `by_part` and `by_point` have from `slot_at[b]`
    on the pieces in which equal parts begin.
    """

    bin_at: Array
    first: Array
    last: Array
    begin: Array
    end: Array
    slot_at: Array
    by_part: Array
    by_point: Array


class Orders(NamedTuple):
    """What is in order: pairs of columns, and of units that they share how many make one of each.

    `edges` has the lower column first. `columns` has all, the smaller before the larger. `above` has for each column,
    from the last on, those that must not be smaller; `below` for each, from the first on, those that must not be
    larger. An edge that closes a circle is in neither.
    """

    edges: Array
    columns: Array
    above: Array
    below: Array


@kernel(inline="always")
def place(code, part, pieces):
    """The grid point at a part of the bin of a code.

    Where a random number lies a processor cannot foresee, so that halving the pieces takes up to four times as long as
    the guide does. Measured on one 2.4 GHz core, with 4 to 60 pieces a bin: 10 ns a cell.
    """
    p, last_piece = pieces.bin_at[code], pieces.bin_at[code + 1] - 1
    inside = part
    if p < last_piece:
        there, slots = code + part, pieces.slot_at[code + 1] - pieces.slot_at[code]
        p = pieces.by_part[pieces.slot_at[code] + min(np.int64(part * np.float64(slots)), slots - 1)]
        while p < last_piece and pieces.end[p] <= there:
            p += 1
        wide = pieces.end[p] - pieces.begin[p]
        inside = min(max((there - pieces.begin[p]) / wide, 0.0), 1.0) if wide > 0.0 else 0.0
    first, last = pieces.first[p], pieces.last[p]
    # the product rounds up to the whole span for a part just below 1
    return min(first + np.int64(inside * np.float64(last - first + 1)), last)


@kernel()
def place_points(codes, parts, pieces, out):
    """Fill `out` with the grid point at a part of the bin of each code."""
    for r in range(codes.shape[0]):
        out[r] = place(codes[r], parts[r], pieces)


@kernel(inline="always")
def part_below(code, point, pieces):
    """The part of a bin that lies at grid points below this one."""
    p, last_piece = pieces.bin_at[code], pieces.bin_at[code + 1] - 1
    while p < last_piece:
        middle = (p + last_piece + 1) >> 1
        if pieces.first[middle] <= point:
            p = middle
        else:
            last_piece = middle - 1
    span = np.float64(pieces.last[p] - pieces.first[p] + 1)
    inside = min(max(np.float64(point - pieces.first[p]) / span, 0.0), 1.0)
    return pieces.begin[p] + (pieces.end[p] - pieces.begin[p]) * inside - code


@kernel(inline="always")
def times(point, factor):
    """A grid point in smaller units; what would be too large is larger than anything it is compared with."""
    if factor == 1:
        return point
    most = _LARGEST // factor
    return _LARGEST if point > most else -_LARGEST if point < -most else point * factor


@kernel(inline="always")
def at_most(point, factor, own):
    """The last grid point that is not above this one of another column, of which `factor` units are `own` here."""
    return point if factor == 1 and own == 1 else times(point, factor) // own


@kernel(inline="always")
def smallest(count, state):
    """The smallest of so many uniform numbers."""
    found = unit(state)
    for _ in range(count - 1):
        found = min(found, unit(state))
    return found


@kernel(inline="always")
def parts_between(code, low, high, pieces, grid):
    """The part of a bin that lies below one grid point, and the part from there up to another."""
    begin = part_below(code, low, pieces) if low > grid[0, code] else 0.0
    return begin, (part_below(code, high + 1, pieces) if high < grid[1, code] else 1.0) - begin


@kernel(inline="always")
def draw_between(code, low, high, part, begin, held, pieces):
    """The grid point at a part of what a bin holds from one grid point to another, as `parts_between` has it."""
    if held > 0.0:
        point = place(code, begin + part * held, pieces)
    else:  # nothing is known to lie there: evenly
        point = low + np.int64(part * np.float64(high - low + 1))
    return min(max(point, low), high)


@kernel(inline="always")
def bound(r, codes, ordered, grid, orders, least, most):
    """What the bins of all columns of a row leave each of them: from `least` to `most`, which may be nothing."""
    e = 0
    for i in range(orders.columns.shape[0] - 1, -1, -1):
        a = orders.columns[i]
        most[a] = grid[1, codes[a, r]]
        while e < orders.above.shape[0] and orders.above[e, 0] == a:
            next_one = orders.above[e, 1]
            if ordered[next_one, r]:
                most[a] = min(most[a], at_most(most[next_one], orders.above[e, 3], orders.above[e, 2]))
            e += 1
    e = 0
    for i in range(orders.columns.shape[0]):
        a = orders.columns[i]
        least[a] = grid[0, codes[a, r]]
        while e < orders.below.shape[0] and orders.below[e, 0] == a:
            before = orders.below[e, 1]
            if ordered[before, r]:
                least[a] = max(least[a], -at_most(-least[before], orders.below[e, 3], orders.below[e, 2]))
            e += 1
        least[a] = min(least[a], grid[1, codes[a, r]])
        most[a] = max(most[a], least[a])


@kernel()
def put_in_order(r, again, points, codes, ordered, pieces, grid, orders, follow, most, state):
    """Draw some columns of a row, the smaller first, each above those before it and below what later ones leave it.

    As the smallest of as many as are drawn in a row from it on: those that must follow need room as well. Returns
    whether there was room for each.
    """
    e, room = 0, True
    for i in range(orders.columns.shape[0] - 1, -1, -1):
        a = orders.columns[i]
        most[a], follow[a] = (grid[1, codes[a, r]], 1) if again[a] else (points[a, r], 0)
        while e < orders.above.shape[0] and orders.above[e, 0] == a:
            next_one = orders.above[e, 1]
            if again[a] and ordered[a, r] and ordered[next_one, r]:
                most[a] = min(most[a], at_most(most[next_one], orders.above[e, 3], orders.above[e, 2]))
                follow[a] = max(follow[a], follow[next_one] + 1)
            e += 1
    e = 0
    for i in range(orders.columns.shape[0]):
        a = orders.columns[i]
        code = codes[a, r]
        low = grid[0, code]
        while e < orders.below.shape[0] and orders.below[e, 0] == a:
            before = orders.below[e, 1]
            if again[a] and ordered[a, r] and ordered[before, r]:
                low = max(low, -at_most(-points[before, r], orders.below[e, 3], orders.below[e, 2]))
            e += 1
        if again[a]:
            room &= low <= most[a] or not ordered[a, r]
            low = min(low, grid[1, code])
            high = max(most[a], low)
            begin, held = parts_between(code, low, high, pieces, grid)
            points[a, r] = draw_between(code, low, high, smallest(follow[a], state), begin, held, pieces)
    return room


@kernel(inline="always")
def mark_broken(r, again, points, ordered, edges):
    """Mark the columns of a row that are out of some order; how many are."""
    marked = 0
    for e in range(edges.shape[0]):
        lower, upper = edges[e, 0], edges[e, 1]
        one, other = times(points[lower, r], edges[e, 2]), times(points[upper, r], edges[e, 3])
        if one > other and ordered[lower, r] and ordered[upper, r]:
            if not marked:
                for a in range(again.shape[0]):
                    again[a] = False
            marked += (not again[lower]) + (not again[upper])
            again[lower] = again[upper] = True
    return marked


@kernel()
def broken_rows(points, ordered, edges):
    """The rows that are out of some order.

    In a loop of its own for each edge: handing arrays on, row by row, takes ten times as long as looking at two points.
    """
    n = points.shape[1]
    broken = np.zeros(n, dtype=np.bool_)
    for e in range(edges.shape[0]):
        lower, upper = points[edges[e, 0]], points[edges[e, 1]]
        counts, counts_too = ordered[edges[e, 0]], ordered[edges[e, 1]]
        of_lower, of_upper = edges[e, 2], edges[e, 3]
        if of_lower == 1 and of_upper == 1:
            for r in range(n):
                broken[r] |= (lower[r] > upper[r]) & counts[r] & counts_too[r]
        else:
            for r in range(n):
                one, other = times(lower[r], of_lower), times(upper[r], of_upper)
                broken[r] |= (one > other) & counts[r] & counts_too[r]
    return np.flatnonzero(broken)


@kernel()
def mark_rows(rows, points, ordered, edges, again):
    """Of these rows, those that are out of some order; `again` gets their columns that are, in as many places."""
    n, k = rows.shape[0], again.shape[0]
    again[:, :n] = False
    for e in range(edges.shape[0]):
        lower, upper = points[edges[e, 0]], points[edges[e, 1]]
        counts, counts_too = ordered[edges[e, 0]], ordered[edges[e, 1]]
        one_again, other_again = again[edges[e, 0]], again[edges[e, 1]]
        of_lower, of_upper = edges[e, 2], edges[e, 3]
        for i in range(n):
            r = rows[i]
            if times(lower[r], of_lower) > times(upper[r], of_upper) and counts[r] and counts_too[r]:
                one_again[i] = other_again[i] = True
    left = 0
    for i in range(n):
        broken = False
        for a in range(k):
            again[a, left] = again[a, i]
            broken |= again[a, i]
        rows[left] = rows[i]
        left += broken
    return rows[:left]


@kernel()
def place_again(rows, again, codes, pieces, state, points):
    """Draw one column anew, from its bins, in the rows that are marked."""
    for i in range(rows.shape[0]):
        if again[i]:
            points[rows[i]] = place(codes[rows[i]], unit(state), pieces)


@kernel()
def draw_again(rounds, points, codes, ordered, pieces, edges, state):
    """Draw columns that are out of order from their bins again, all rows in one go; the rows that are still left.

    As long as a round puts one row in five in order, as they are drawn one by one where none will do.
    """
    rows = broken_rows(points, ordered, edges)
    again = np.empty((points.shape[0], rows.shape[0]), dtype=np.bool_)
    rows, before = mark_rows(rows, points, ordered, edges, again), 2 * rows.shape[0]
    for _ in range(rounds):
        if 5 * rows.shape[0] > 4 * before:
            break
        before = rows.shape[0]
        for a in range(points.shape[0]):
            place_again(rows, again[a], codes[a], pieces, state, points[a])
        rows = mark_rows(rows, points, ordered, edges, again)
    return rows


@kernel()
def keep_order(points, codes, ordered, pieces, grid, orders, rounds, tries, state):
    """Draw again the grid points of columns that are out of order: a few times, then one by one.

    From their bins at first, as most come in order without a look at what others leave them; then, row by row, from
    what the bins of all columns leave each: two columns come in order every other time or more often then. Of two that
    are left the others keep their points, if these leave them room; of more, all are drawn anew, or they would crowd
    between those that stay. Bins are numbered on over all columns, and reach from `grid[0]` to `grid[1]`.
    """
    k = points.shape[0]
    again, follow, cut = np.empty(k, dtype=np.bool_), np.empty(k, dtype=np.int64), np.empty(k, dtype=np.bool_)
    least, most, begin, held = np.empty(k, np.int64), np.empty(k, np.int64), np.empty(k), np.empty(k)
    for r in draw_again(rounds, points, codes, ordered, pieces, orders.edges, state):
        done, marked = 0, mark_broken(r, again, points, ordered, orders.edges)
        bound(r, codes, ordered, grid, orders, least, most)
        for a in range(k):
            cut[a] = False
        while marked and done < tries:
            for a in range(k):
                if again[a]:
                    if not cut[a]:
                        begin[a], held[a] = parts_between(codes[a, r], least[a], most[a], pieces, grid)
                        cut[a] = True
                    part = unit(state)
                    points[a, r] = draw_between(codes[a, r], least[a], most[a], part, begin[a], held[a], pieces)
            done, marked = done + 1, mark_broken(r, again, points, ordered, orders.edges)
        if marked == 2 and put_in_order(r, again, points, codes, ordered, pieces, grid, orders, follow, most, state):
            continue
        if marked:
            again[:] = True
            put_in_order(r, again, points, codes, ordered, pieces, grid, orders, follow, most, state)
