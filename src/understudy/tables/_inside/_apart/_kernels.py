"""The inner loops of drawing columns as far apart as they lie, compiled."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from understudy._core._kernels import unit
from understudy._core.compiling import kernel
from understudy.tables._inside._kernels import Array, at_most, place, times


class Steps(NamedTuple):
    """Lines of steps from 0 to 1, and a way to find the one that a value lies in.

    `ends[line]` has where each begins and the last ends, 0 for all of a line of none; `guide[line]` the step that each
    of so many equal parts begins in.
    """

    ends: Array
    guide: Array


@kernel()
def stratum_of(part, cuts):
    """The stratum of a bin that a part of it lies in: of one width all but the last ones, which are narrower."""
    s, last = min(np.int64(part / cuts[1]), cuts.shape[0] - 2), cuts.shape[0] - 2
    while s < last and cuts[s + 1] <= part:
        s += 1
    return s


@kernel()
def draw_parts(lines, others, steps, density, cuts, tries, state, parts, strata):
    """Draw a part of a column's bin in each row, and its stratum, given the bins of columns above it.

    As the first of these has it, by its `lines` of steps; what the `others` have is reckoned with by drawing again, as
    often as a stratum is less frequent given their bins. A line is -1 where one of the two is in no order. Here and in
    `draw_above`, arrays have names of their own and what is done in each row stands in the loop: where arrays are
    handed on inside it, counting references to them takes as long as all the rest.
    """
    ends, guide = steps
    n_strata, parts_guided = cuts.shape[0] - 1, np.float64(guide.shape[1])
    for r in range(lines.shape[0]):
        line, heaviest, chosen = lines[r], -1.0, np.int64(0)
        known = line >= 0 and ends[line, n_strata] > 0.0
        for _ in range(tries):
            value = unit(state)
            if known:
                s = np.int64(guide[line, np.int64(value * parts_guided)])
                while s < n_strata - 1 and ends[line, s + 1] <= value:
                    s += 1
            else:
                s = stratum_of(value, cuts)
            weight = 1.0
            for q in range(others.shape[0]):
                if others[q, r] >= 0:
                    weight *= density[others[q, r], s]
            if weight > heaviest:
                heaviest, chosen = weight, s
            if weight >= 1.0 or unit(state) < weight:
                chosen = s
                break
        strata[r], parts[r] = chosen, cuts[chosen] + unit(state) * (cuts[chosen + 1] - cuts[chosen])


@kernel()
def draw_above(
    lower, below, lengths, units, lines, others, steps, density, cuts, codes, grid, pieces, tries, state, points, strata
):
    """Draw a grid point of a column's bin in each row, and its stratum, given how far it lies above another column.

    `lower` and `below` have the points and strata of that one, `lengths` where cells of lengths begin, in `units` of
    which so many make one of each column. Line l of steps has how often lengths lie in each cell, for every stratum of
    a line of bins. What `others` lie above is reckoned with as in `draw_parts`; strata are found for them alone. Where
    no draw will do, the point is drawn from its bin.
    """
    ends, guide = steps
    bin_at, starts, stops, before, after = pieces.bin_at, pieces.first, pieces.last, pieces.begin, pieces.end
    slot_at, by_point, dense = pieces.slot_at, pieces.by_point, (after - before) / (stops - starts + 1.0)
    slots_a_point = (1 - 2.0**-50) * np.diff(slot_at) / (stops[bin_at[1:] - 1] - starts[bin_at[:-1]] + 1.0)
    n_cells, parts_guided, of_lower, of_upper = ends.shape[1] - 1, np.float64(guide.shape[1]), units[0], units[1]
    n_strata, even = cuts.shape[0] - 1, cuts[1]
    for r in range(codes.shape[0]):
        line, code, heaviest = max(lines[r] * n_strata + below[r], 0), codes[r], 0.0
        known, value = lines[r] >= 0 and ends[line, n_cells] > 0.0, times(lower[r], of_lower)
        for _ in range(tries if known else 0):
            drawn = unit(state)
            c = np.int64(guide[line, np.int64(drawn * parts_guided)])
            while c < n_cells - 1 and ends[line, c + 1] <= drawn:
                c += 1
            first = max(-at_most(-(value + lengths[c]), 1, of_upper), grid[0, code])
            last = min(-at_most(-(value + lengths[c + 1]), 1, of_upper) - 1, grid[1, code])
            if first > last:
                continue
            drawn, p = unit(state), bin_at[code]
            if p < bin_at[code + 1] - 1:
                p = by_point[slot_at[code] + np.int64(np.float64(first - starts[p]) * slots_a_point[code])]
                while starts[p] > first:  # the slot was rounded
                    p -= 1
                while stops[p] < first:
                    p += 1
            if last <= stops[p]:
                point = min(first + np.int64(drawn * np.float64(last - first + 1)), last)  # it is even there
            else:
                begin, q = before[p] + dense[p] * np.float64(first - starts[p]), p + 1
                while stops[q] < last:
                    q += 1
                there = begin + drawn * (before[q] + dense[q] * np.float64(last + 1 - starts[q]) - begin)
                while p < q and after[p] <= there:
                    p += 1
                if dense[p] > 0.0:
                    point = starts[p] + np.int64(max(there - before[p], 0.0) / dense[p])
                    point = min(max(point, first), min(last, stops[p]))
                else:  # nothing is known to lie there
                    point = min(first + np.int64(drawn * np.float64(last - first + 1)), last)
            s, weight = np.int64(0), 1.0
            if others.shape[0]:
                inside = before[p] + dense[p] * np.float64(point - starts[p]) - code
                s = min(np.int64(inside / even), n_strata - 1)
                while s < n_strata - 1 and cuts[s + 1] <= inside:
                    s += 1
                for q in range(others.shape[0]):
                    if others[q, r] >= 0:
                        weight *= density[others[q, r], s]
            if weight > heaviest:
                heaviest, points[r], strata[r] = weight, point, s
            if weight > 0.0 and (weight >= 1.0 or unit(state) < weight):
                points[r], strata[r] = point, s
                break
        if heaviest == 0.0:
            part = unit(state)
            points[r], strata[r] = place(code, part, pieces), stratum_of(part, cuts)
