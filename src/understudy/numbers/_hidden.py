"""How many rows of a single cell the fit of a histogram may have missed, where it found cells to be one.

Say a cell of a run of 4^k cells holds h rows more than the others do: a heap, as where people round. On each of the k
levels from the cell up, the one of four cells that holds the heap differs from an even spread by ¾·h and the others by
¼·h, so that the heap adds λ = ¾·h²/v to the chi-square of the four, where v is the variance of a cell of that level
once those below it are reckoned in: 1 for the finest, in units of the noise in a cell, 1/(1 + 1/(4·v)) for the next.
Noise adds 3 to each. The run is one if these chi-squares do not come to more than the price of three cells on each
level (`_histogram.py`), 3·5·k in all. A chi-square with 3·k degrees of freedom that a heap has moved by a sum Λ of such
λ is about (√(Λ + 3·k − 1) + z)² with a normal z; so it stays below the price once in twenty times where

    √Λ = √(3·5·k − 3·k + 1) + 1.645, and Λ = ¾·h²·Σ 1/v.

The h that follows is the most that a run may hide: 6.1 deviations among 4 cells, 5.1 among 16, 4.4 among 1,024. Where
simulated, the fit itself missed 3 to 9 % of heaps of that size.

Or the rows of a run lean to one of its ends, so that its quarters hold d more than an even run would have there. The
chi-square of these four moves by Σd²/v, and levels below see next to nothing of it. With the middles of the quarters
at places x from that of the run, in parts of its width, the sum of all rows' places moves by Σd·x, which is
√(Σd²·Σx²) at most: once in twenty times (√(3·5 − 3 + 1) + 1.645)·√(5/16) deviations are missed.
"""

from __future__ import annotations

from functools import lru_cache
from math import sqrt

from understudy.numbers._histogram import APART, PRICE
from understudy.numbers._hull import BRANCHES
from understudy.numbers._levels import COARSEST

_ONE_IN_TWENTY = 1.645
_PLACES = 5 / 16
"""Sum of the squares of where the middles of a stretch's quarters lie, from −½ to ½ of its width."""
_HIDDEN_LEAN = (sqrt((PRICE - 1) * (BRANCHES - 1) + 1) + _ONE_IN_TWENTY) * sqrt(_PLACES)
"""The most rows that may in effect lie farther on by the whole width of a run that was found even: 2.9 deviations."""
HIDDEN_AT_AN_END = APART + _ONE_IN_TWENTY
"""The same for the first and the last cell of a range, which are looked at by themselves."""


def most_hidden(cells: float) -> float:
    """The most rows that one of so many cells may hold where noise hid it, in standard deviations of a cell's noise.

    >>> [round(most_hidden(cells), 1) for cells in (1, 4, 16, 64, 1024)]
    [0.0, 6.1, 5.1, 4.7, 4.4]
    """
    levels = 0
    while BRANCHES**levels < cells:
        levels += 1
    return _hidden_below(levels)


def most_leaning(cells: float, grid: int) -> float:
    """The most rows of so many cells, of a grid of more, that lie elsewhere in effect by the width of all these cells.

    In standard deviations of the noise in a cell that was measured. A quarter that is larger than those of the coarsest
    level is known as a sum of them, with the noise of each.

    >>> round(most_leaning(16, 1024), 2), round(most_leaning(1024, 1024), 2)
    (2.94, 5.87)
    """
    coarsest = 1
    while grid > COARSEST * BRANCHES * coarsest:
        coarsest *= BRANCHES
    return _HIDDEN_LEAN * sqrt(max(1.0, cells / BRANCHES / coarsest))


@lru_cache(maxsize=64)
def _hidden_below(levels: int) -> float:
    if levels == 0:
        return 0.0
    further = (BRANCHES - 1) * levels
    moved = sqrt((PRICE - 1) * further + 1) + _ONE_IN_TWENTY
    variance, precision = 1.0, 0.0
    for _ in range(levels):
        precision += 1 / variance
        variance = 1 / (1 + 1 / (BRANCHES * variance))
    return moved / sqrt((BRANCHES - 1) / BRANCHES * precision)
