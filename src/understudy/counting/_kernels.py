"""The inner loops of the memory engine, compiled.

Arrays in, the caller's arrays filled, integers only. Column slices are taken before the loops over them: without
that, the compiler keeps a test for negative positions in each loop and cannot use vector instructions.
Measured on one 2.4 GHz core: 0.04 ns a row and column to number the cells, 0.5 ns a row to add one to a table that
fits the first cache, 1.0 ns in the second, 0.22 ns to AND and count one 64-bit word.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from understudy._core.compiling import kernel
from understudy.counting._batch import Axes, Groups, Tables

Array = npt.NDArray[Any]

# Rows numbered before they are tallied: the cell numbers stay in the first cache.
STRIP = 4096

TALLY_NS, TALLY_MIDDLE_NS, TALLY_LARGE_NS, TALLY_HUGE_NS = 0.5, 1.0, 1.8, 7.0
COLUMN_NS = 0.04
ZETA_NS = 0.15
PROJECT_NS = 1.0
# What covering one more table saves, per row: less than a pass of its own, which others would have shared.
SHARED_NS = 0.35
# Groups grow up to this: their cell numbers then fit 16 bits and their counts the second cache.
MOST_CELLS = 1 << 16


@kernel()
def tally_ns(cells: float) -> float:
    """Predicted nanoseconds a row for adding to a table of this many cells."""
    if cells <= 4096:
        return TALLY_NS
    if cells <= MOST_CELLS:
        return TALLY_MIDDLE_NS
    return TALLY_LARGE_NS if cells <= 1 << 21 else TALLY_HUGE_NS


@kernel()
def cover(
    order: Array, tables: Tables, axes: Axes, n_rows: int, window: int, zeta: bool, owner: Array, held_axes: Array
) -> tuple[int, float]:
    """Group tables under wider ones that they can be summed out of; returns how many, and the predicted nanoseconds.

    Greedy: the first table in `order` that has no group seeds one, which takes one axis after another for as long as
    that saves passes worth more than the added cells cost. `owner[t]` becomes the group of table t, and
    `held_axes[group, attribute]` the axis that the group holds (−1: none).
    """
    n_axes = axes.size.shape[0]
    gain = np.zeros(n_axes, np.int64)
    groups, total = 0, 0.0
    for first in range(order.shape[0]):
        if owner[order[first]] >= 0:
            continue
        held = held_axes[groups]
        held[:] = -1
        cells, width, covered = 1.0, 0, 0
        for i in range(tables.starts[order[first]], tables.starts[order[first] + 1]):
            held[axes.attribute[tables.axes[i]]] = tables.axes[i]
            cells *= axes.size[tables.axes[i]]
            width += 1
        while True:
            gain[:] = 0
            # Summing a small table out of a huge one can cost more than a pass of its own.
            shared = cells <= MOST_CELLS or cells * PROJECT_NS <= n_rows * TALLY_NS
            for position in range(first, min(order.shape[0], first + window)):
                t = order[position]
                if owner[t] >= 0:
                    continue
                missing, which = 0, 0
                for i in range(tables.starts[t], tables.starts[t + 1]):
                    have = held[axes.attribute[tables.axes[i]]]
                    if have < 0 or axes.level[have] > axes.level[tables.axes[i]]:
                        missing += 1
                        which = tables.axes[i]
                        if missing == 2:
                            break
                if missing == 1:
                    gain[which] += 1
                elif missing == 0 and (shared or tables.starts[t + 1] - tables.starts[t] == width):
                    owner[t] = groups
                    covered += 1
            best, best_net, best_cells, run = -1, 0.0, 0.0, 0
            for a in range(n_axes - 1, -1, -1):
                # A finer level also serves the tables that miss a coarser one.
                run = gain[a] + (run if a + 1 < n_axes and axes.attribute[a + 1] == axes.attribute[a] else 0)
                if run == 0:
                    continue
                have = held[axes.attribute[a]]
                wider = cells * axes.size[a] / (axes.size[have] if have >= 0 else 1)
                if wider > MOST_CELLS:
                    continue
                if zeta:
                    more = ZETA_NS * (wider * (width + 1) - cells * width)
                else:
                    more = PROJECT_NS * (wider * (covered + run + 1) - cells * (covered + 1))
                net = n_rows * (run * SHARED_NS - COLUMN_NS + tally_ns(cells) - tally_ns(wider)) - more
                if net > best_net:
                    best, best_net, best_cells = a, net, wider
            if best < 0:
                break
            if held[axes.attribute[best]] < 0:
                width += 1
            held[axes.attribute[best]] = best
            cells = best_cells
        total += n_rows * (tally_ns(cells) + COLUMN_NS * width)
        total += ZETA_NS * cells * width if zeta else PROJECT_NS * cells * (covered + 1)
        groups += 1
    return groups, total


@kernel()
def look_up(lookup: Array, codes: Array, out: Array) -> None:
    """Fill `out` with the group of each code."""
    for r in range(codes.shape[0]):
        out[r] = lookup[codes[r]]


@kernel()
def number_cells(
    stage: Array, low: int, high: int, columns: Array, strides: Array, start: int, stop: int, index: Array
) -> None:
    """Number the cells of staged rows low … high: codes times strides, summed over the columns start … stop."""
    n = high - low
    if start == stop:
        index[:n] = 0
        return
    column, stride = stage[columns[start]][low:high], strides[start]
    for r in range(n):
        index[r] = column[r] * stride
    for i in range(start + 1, stop):
        column, stride = stage[columns[i]][low:high], strides[i]
        for r in range(n):
            index[r] += column[r] * stride


@kernel()
def tally(
    stage: Array, n_rows: int, groups: Groups, columns: Array, strides: Array, index: Array, counts: Array
) -> None:
    """Add each of the first `n_rows` staged rows to every group's table.

    Group g finds its axes in the stage at `columns[starts[g]:starts[g+1]]`. Neighbouring rows go to different copies
    of its table, so that equal rows in a run need not wait for each other's stores.
    """
    for g in range(groups.cells.shape[0]):
        size, base, lanes = groups.cells[g], groups.bases[g], groups.lanes[g]
        one = base + (size if lanes > 1 else 0)
        two = base + (2 * size if lanes > 2 else 0)
        three = one + (2 * size if lanes > 2 else 0)
        first, second = counts[base : base + size], counts[one : one + size]
        third, fourth = counts[two : two + size], counts[three : three + size]
        for low in range(0, n_rows, STRIP):
            high = min(n_rows, low + STRIP)
            n = high - low
            number_cells(stage, low, high, columns, strides, groups.starts[g], groups.starts[g + 1], index)
            even = n - n % 4
            for r in range(0, even, 4):
                first[index[r]] += 1
                second[index[r + 1]] += 1
                third[index[r + 2]] += 1
                fourth[index[r + 3]] += 1
            for r in range(even, n):
                first[index[r]] += 1


@kernel()
def tally_weighted(
    stage: Array, weights: Array, groups: Groups, columns: Array, strides: Array, index: Array, counts: Array
) -> None:
    """Like `tally`, with one copy of each table, and row r adding `weights[r]` instead of one."""
    n_rows = weights.shape[0]
    for g in range(groups.cells.shape[0]):
        table = counts[groups.bases[g] : groups.bases[g] + groups.cells[g]]
        for low in range(0, n_rows, STRIP):
            high = min(n_rows, low + STRIP)
            number_cells(stage, low, high, columns, strides, groups.starts[g], groups.starts[g + 1], index)
            weight = weights[low:high]
            for r in range(high - low):
                table[index[r]] += weight[r]


@kernel()
def merge_lanes(groups: Groups, counts: Array) -> None:
    """Add the copies of each group's table up into the first."""
    for g in range(groups.cells.shape[0]):
        size, base = groups.cells[g], groups.bases[g]
        first = counts[base : base + size]
        for lane in range(1, groups.lanes[g]):
            other = counts[base + lane * size : base + (lane + 1) * size]
            for c in range(size):
                first[c] += other[c]


@kernel()
def project_tables(
    chosen: Array, owner: Array, tables: Tables, groups: Groups, axes: Axes, counts: Array, out: Array
) -> None:
    """Sum table `chosen[i]` out of group `owner[i]` into its place in `out`, its axes in the order asked."""
    widest = 1
    for axis in range(axes.size.shape[0]):
        widest = max(widest, axes.size[axis])
    step = np.zeros(widest, np.int64)  # what each code of the group's axis adds to the cell number in the table asked
    for which in range(chosen.shape[0]):
        t, g = chosen[which], owner[which]
        low, high = groups.starts[g], groups.starts[g + 1]
        table = out[tables.offsets[t] : tables.offsets[t + 1]]
        same = high - low == tables.starts[t + 1] - tables.starts[t]
        for j in range(low, high):
            same = same and groups.axes[j] == tables.axes[tables.starts[t] + j - low]
        if same:
            source = counts[groups.bases[g] : groups.bases[g] + groups.cells[g]]
            for c in range(table.shape[0]):
                table[c] = source[c]
            continue
        room = 1
        for j in range(low, high - 1):
            room *= axes.size[groups.axes[j]]
        index = np.zeros(room, np.int64)
        table[:] = 0
        length = 1
        for j in range(low, high):
            fine = groups.axes[j]
            n_codes = axes.size[fine]
            step[:n_codes] = 0
            stride, kept = 1, False
            for i in range(tables.starts[t + 1] - 1, tables.starts[t] - 1, -1):
                axis = tables.axes[i]
                if axes.attribute[axis] == axes.attribute[fine]:
                    kept = True
                    if axis == fine:
                        for code in range(n_codes):
                            step[code] = code * stride
                    else:
                        for leaf in range(axes.leaf_starts[fine + 1] - axes.leaf_starts[fine]):
                            coarse_code = axes.leaf_groups[axes.leaf_starts[axis] + leaf]
                            step[axes.leaf_groups[axes.leaf_starts[fine] + leaf]] = coarse_code * stride
                    break
                stride *= axes.size[axis]
            if j < high - 1:
                for c in range(length - 1, -1, -1):  # backwards: the longer list grows over the shorter in place
                    here = index[c]
                    for code in range(n_codes - 1, -1, -1):
                        index[c * n_codes + code] = here + step[code]
                length *= n_codes
            elif kept:
                for c in range(length):
                    at = groups.bases[g] + c * n_codes
                    for code in range(n_codes):
                        table[index[c] + step[code]] += counts[at + code]
            else:
                for c in range(length):
                    at = groups.bases[g] + c * n_codes
                    total = np.int64(0)
                    for code in range(n_codes):
                        total += counts[at + code]
                    table[index[c]] += total


@kernel()
def zeta(width: int, counts: Array) -> None:
    """Turn the counts of all 2^width patterns into the counts of rows that have at least the pattern's ones."""
    for bit in range(width):
        half = 1 << bit
        for low in range(0, 1 << width, 2 * half):
            zeros, ones = counts[low : low + half], counts[low + half : low + 2 * half]
            for c in range(half):
                zeros[c] += ones[c]


@kernel()
def moebius(table: Array) -> None:
    """Turn the counts of rows with at least each pattern's ones into the counts of the patterns: `zeta` undone."""
    half = 1
    while half < table.shape[0]:
        for low in range(0, table.shape[0], 2 * half):
            for c in range(low, low + half):  # no slices: most tables are too small to repay them
                table[c] -= table[c + half]
        half *= 2


@kernel()
def binary_tables(
    chosen: Array, owner: Array, tables: Tables, groups: Groups, axes: Axes, counts: Array, out: Array
) -> None:
    """Fill table `chosen[i]`, all its axes of size 2, from the counts of group `owner[i]` after `zeta`."""
    bit_of = np.zeros(axes.size.shape[0], np.int64)
    for which in range(chosen.shape[0]):
        t, g = chosen[which], owner[which]
        low, high = groups.starts[g], groups.starts[g + 1]
        for j in range(low, high):
            bit_of[groups.axes[j]] = 1 << (high - 1 - j)
        table = out[tables.offsets[t] : tables.offsets[t + 1]]
        source = counts[groups.bases[g] : groups.bases[g] + (1 << (high - low))]
        table[0] = 0
        length = 1
        # Backwards: the last axis is the lowest bit of the cell number.
        for i in range(tables.starts[t + 1] - 1, tables.starts[t] - 1, -1):
            bit = bit_of[tables.axes[i]]
            for c in range(length):
                table[length + c] = table[c] + bit
            length *= 2
        for c in range(length):
            table[c] = source[table[c]]
        moebius(table)


@kernel()
def subset_keys(chosen: Array, tables: Tables, rank: Array, bits: int, depth: int, keys: Array) -> None:
    """Name every subset of each table's axes by one number: ranks plus one, ascending, as digits from the left.

    Sorted, these numbers are the trie of subsets in depth-first order. A table's subsets come in the order of its
    cells: subset p has the axes on which cell p has code 1.
    """
    at = 0
    order = np.empty(depth, np.int64)
    for t in chosen:
        low, high = tables.starts[t], tables.starts[t + 1]
        width = high - low
        for i in range(width):  # positions by rank, ascending: insertion sort of a few
            j = i
            while j > 0 and rank[tables.axes[low + order[j - 1]]] > rank[tables.axes[low + i]]:
                order[j] = order[j - 1]
                j -= 1
            order[j] = i
        for p in range(1 << width):
            key, shift = 0, bits * (depth - 1)
            for j in range(width):
                if p >> (width - 1 - order[j]) & 1:
                    key |= (rank[tables.axes[low + order[j]]] + 1) << shift
                    shift -= bits
            keys[at] = key
            at += 1


@kernel()
def bits_set(word: np.uint64) -> np.uint64:
    """Number of bits set in a 64-bit word. The compiler knows this idiom and uses its own vector instructions."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@kernel()
def count_subsets(
    words: Array, low: int, high: int, block: int, column: Array, depth: Array, buffer: Array, counts: Array
) -> None:
    """Add, for each node of a trie of attribute sets, the rows in words low … high that have a one in all of them.

    Node v extends the last node before it of depth `depth[v] − 1` by `column[v]`. `buffer[d]` holds the AND of the
    current path down to depth d, over one block of words, so each node costs one AND and one count a word.
    """
    n_nodes = column.shape[0]
    for start in range(low, high, block):
        stop = min(high, start + block)
        n = stop - start
        for v in range(n_nodes):
            d = depth[v]
            if d == 0:
                continue
            mine, path = words[column[v]][start:stop], buffer[d][:n]
            total = np.uint64(0)
            inner = v + 1 < n_nodes and depth[v + 1] > d
            if d == 1:
                for w in range(n):
                    path[w] = mine[w]
                    total += bits_set(mine[w])
            elif inner:
                before = buffer[d - 1][:n]
                for w in range(n):
                    both = before[w] & mine[w]
                    path[w] = both
                    total += bits_set(both)
            else:
                before = buffer[d - 1][:n]
                for w in range(n):
                    total += bits_set(before[w] & mine[w])
            counts[v] += np.int64(total)


@kernel()
def gather_binary(chosen: Array, offsets: Array, position: Array, counts: Array, out: Array) -> None:
    """Fill each chosen table from the counts of its subsets, listed one after another in `position`."""
    at = 0
    for t in chosen:
        table = out[offsets[t] : offsets[t + 1]]
        for c in range(table.shape[0]):
            table[c] = counts[position[at]]
            at += 1
        moebius(table)
