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
"""

from __future__ import annotations

from functools import lru_cache
from math import sqrt

from understudy.numbers._histogram import APART, PRICE
from understudy.numbers._hull import BRANCHES

_ONE_IN_TWENTY = 1.645
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
