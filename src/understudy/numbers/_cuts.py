"""Which cells of a fine histogram make a bin together: bins of about equal mass, and spikes by themselves."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from understudy.schema import MOST_FOUND

Floats = npt.NDArray[np.float64]
_BINS = 16
_CLEAR = 7.0
"""Least mass of a bin in standard deviations of the noise: of few rows fewer bins can be related to anything."""
_SPIKE = 0.02
"""Least share of all rows for a value that is a bin of its own."""
_SHARPNESS = 3.0
"""How many times as many rows a spike holds as the values around it."""


def cut(masses: Floats, widths: Floats, deviation: float) -> list[int]:
    """The first cell of each bin. `deviation` is that of the noise in a cell.

    >>> masses = np.array([900.0] + [1.0] * 99)
    >>> cut(masses, np.ones(100), 1.0)[:3]
    [0, 1, 63]
    """
    if len(masses) <= MOST_FOUND and (widths == 1).all():
        return list(range(len(masses)))
    coarser = 1.0
    while len(first := _cut(masses, widths, deviation, coarser)) > MOST_FOUND:
        coarser *= 1.5  # until they are no more than was planned with
    return first


def _cut(masses: Floats, widths: Floats, deviation: float, coarser: float) -> list[int]:
    spikes = _spikes(masses, widths, deviation, coarser)
    target = coarser * max(float(masses.sum()) / _BINS, _CLEAR * deviation)
    first, held = [0], 0.0
    for cell in range(1, len(masses)):
        held += float(masses[cell - 1])
        if spikes[cell] or spikes[cell - 1] or held + float(masses[cell]) / 2 > target:
            first.append(cell)
            held = 0.0
    return _without_slivers(first, masses, spikes, target)


def _spikes(masses: Floats, widths: Floats, deviation: float, coarser: float) -> npt.NDArray[np.bool_]:
    """Single values that hold many rows, and far more than those around them."""
    least = coarser * max(_SPIKE * float(masses.sum()), 3 * deviation)
    density = np.pad(masses / widths, 2)
    around = (density[:-4] + density[1:-3] + density[3:-1] + density[4:]) / 4
    return np.asarray((widths == 1) & (masses >= least) & (masses > _SHARPNESS * around))


def _without_slivers(first: list[int], masses: Floats, spikes: npt.NDArray[np.bool_], target: float) -> list[int]:
    """Bins with little in them go with the bin before, unless either is a spike; those with nothing in any case.

    An empty bin of its own would get noise from the method, and values from all over its width.
    """
    kept = [0]
    held = np.add.reduceat(masses, first)
    nothing = 1e-9 * float(masses.sum())
    before = float(held[0])
    for begin, mass in zip(first[1:], held[1:].tolist(), strict=True):
        small = mass < target / 4 and not spikes[begin] and not spikes[begin - 1]
        if small or mass <= nothing or before <= nothing:
            before += mass
            continue
        kept.append(begin)
        before = mass
    return kept
