"""0 and the ends of a range, which many rows have for reasons of their own: nothing spent, nobody asked, the most told.

A histogram takes what lies within noise as one, or lets a tail run out over it, and a spike at such a value is lost
among its neighbours where it is not many times the noise of a cell. But these are a few values, known beforehand, and
counted twice: among the cells, and by themselves (`_heaps.py`). Where both together show clearly more rows than the
histogram has there, and half of all rows would be clear, it gets them, from the smallest part of the grid around it
that has as many: how many rows that part holds was told by coarser counts. All of it is made of what was given out.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from understudy.numbers._hull import BRANCHES

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
_CLEAR_ZERO, _CLEAR_END = 2.5, 3.0
"""By how many standard deviations of what is known of a value by itself: that many rows have 0 is no surprise."""
_MOST = 0.5
"""Part of all rows: where more would be needed to be clear, what looks clear is noise, and would take whole columns."""


def clearly(starts: Ints) -> Floats:
    """By how many standard deviations a count of these values must be above what a histogram has of them."""
    return np.where(starts == 0, _CLEAR_ZERO, _CLEAR_END)


def with_spikes(masses: Floats, cells: Ints, rows: Floats, least: Floats) -> Floats:
    """The masses with as many rows at these cells as were counted there, where that is more by so many at least.

    Where so many would be more than half of all rows, nothing is moved.

    >>> masses = np.array([10.0, 10, 10, 10, 30, 30, 30, 30])
    >>> with_spikes(masses, np.array([0, 7]), np.array([28.0, 31.0]), np.array([12.0, 12.0])).tolist()
    [28.0, 4.0, 4.0, 4.0, 30.0, 30.0, 30.0, 30.0]
    """
    found, most = masses.copy(), _MOST * float(masses.sum())
    for cell, more, enough in zip(cells, rows - masses[cells], least, strict=True):
        if more < enough or enough > most:
            continue
        size = BRANCHES
        while True:
            around = np.zeros(len(found), dtype=np.bool_)
            around[cell // size * size : (cell // size + 1) * size] = True
            around[cells] = False
            rest = float(found[around].sum())
            if rest >= more or size >= len(found):
                break
            size *= BRANCHES
        taken = min(float(more), rest)
        found[around] *= 1 - taken / rest if rest else 0.0
        found[cell] += taken
    return found
