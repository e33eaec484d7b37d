"""Rounds beyond the tree: when few pairs still fit its cap, rows drawn from it go on in its place, with weights.

Whether and when follows from the cap, from what was chosen before and from what is left of the budget: it tells nothing
that was not given out.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from understudy._core.randomness import Rng, Streams
from understudy.models import MOST_VALUES, RowsFit, TreeFit, draw_from

Pair = tuple[int, int]

FULL = 0.7
"""A tree is full when fewer than this part of the pairs still fit."""
LEAST_LEFT = Fraction(1, 20)
"""Of the budget: with less left, the tree stays."""
MOST_PAIRS = 400
"""Of more, too few can be measured in a tree before it is full of large domains: rows drawn from it know too little."""
ROWS_FOR_EACH, MORE_FOR_EACH = 2, 3
"""Rows that are drawn for each row of the table; more at a large ε, where noise leaves more to be told apart."""
FEWEST_ROWS, MOST_ROWS = 20_000, 1_000_000
MOST_CODES = 1 << 25
"""Rows × columns: 64 MiB, twice."""


def beyond_pays(sizes: Sequence[int], fitting: int, looked_at: int, left: Fraction) -> bool:
    """Whether rows with weights should take the place of a tree that so many of the pairs looked at still fit.

    >>> beyond_pays([2, 30], 8, 10, Fraction(1, 2)), beyond_pays([2, 30], 4, 10, Fraction(1, 2))
    (False, True)
    """
    return fitting < FULL * looked_at and left > LEAST_LEFT and max(sizes) <= MOST_VALUES


def rows_drawn(fit: TreeFit, coins: Rng, for_each: int) -> RowsFit:
    """Rows of a tree, all of one weight, that hold to the tables it was fitted to."""
    wanted = min(MOST_ROWS, MOST_CODES // len(fit.sizes), max(FEWEST_ROWS, round(for_each * fit.total)))
    streams = Streams(int(coins.integers(1 << 63)))
    columns = draw_from(fit.to_tree(), wanted, streams=streams)
    beyond = RowsFit(fit.sizes.tolist(), columns, fit.tables, total=fit.total)
    beyond.improve(sweeps=1)
    return beyond


def within_cap(sizes: Sequence[int], candidates: Sequence[Pair], max_cells: int) -> list[Pair]:
    """Pairs whose own tables are no larger than a tree may be; none where pairs are so many that a tree does better.

    >>> within_cap([2, 30, 40], [(0, 1), (1, 2)], 1000)
    [(0, 1)]
    """
    return [(a, b) for a, b in candidates if sizes[a] * sizes[b] <= max_cells] if len(candidates) <= MOST_PAIRS else []
