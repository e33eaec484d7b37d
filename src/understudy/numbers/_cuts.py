"""Which cells of a fine histogram make a bin together: bins of about equal mass, and spikes by themselves."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from understudy.schema import MOST_FOUND

Floats = npt.NDArray[np.float64]
_BINS = 16
_CLEAR = 7.0
"""Least mass of a bin in standard deviations of the noise: of few rows fewer bins can be related to anything."""
_LEEWAY = 0.5
"""By how much of its mass a bin may differ from the others to begin at a round number, as declared ones mostly do."""
_SPIKE = 0.02
"""Least share of all rows for a value that is a bin of its own."""
_SHARPNESS = 3.0
"""How many times as many rows a spike holds as the values around it."""


def cut(masses: Floats, widths: Floats, deviation: float, roundness: npt.NDArray[np.int64] | None = None) -> list[int]:
    """The first cell of each bin, a round one where it can be. `deviation` is that of the noise in a cell.

    >>> from understudy.numbers._round import round_at
    >>> masses = np.array([900.0] + [1.0] * 99)
    >>> cut(masses, np.ones(100), 1.0)[:3]
    [0, 1, 8]
    >>> cut(masses, np.ones(100), 1.0, round_at(np.arange(100)))[:3]
    [0, 1, 10]
    """
    if len(masses) <= MOST_FOUND and (widths == 1).all():
        return list(range(len(masses)))
    if roundness is None:
        roundness = np.zeros(len(masses), dtype=np.int64)
    coarser = 1.0
    while len(first := _cut(masses, widths, deviation, coarser, roundness)) > MOST_FOUND:
        coarser *= 1.5  # until they are no more than was planned with
    return first


def _cut(
    masses: Floats, widths: Floats, deviation: float, coarser: float, roundness: npt.NDArray[np.int64]
) -> list[int]:
    spikes = _spikes(masses, widths, deviation, coarser)
    spread = float(masses[~spikes].sum())  # a spike takes none of the bins that the rest is worth
    target = coarser * max(spread / _BINS, _CLEAR * deviation)
    below = np.concatenate(([0.0], np.cumsum(masses)))
    ends = [*np.flatnonzero(spikes).tolist(), len(masses)]
    first, begin = [0], 0
    for end in ends:
        while begin < end:
            begin = _next(below, begin, end, target, roundness)
            first.append(begin)
        begin = end + 1  # past the spike
        first.append(begin)
    return _without_slivers(sorted({cell for cell in first if cell < len(masses)}), masses, spikes, target)


def _next(below: Floats, begin: int, end: int, target: float, roundness: npt.NDArray[np.int64]) -> int:
    """Where the bin after the one that begins at `begin` is to begin: at the roundest cell of those near the target."""
    held = below[begin : end + 1] - below[begin]
    if end == begin + 1 or held[-1] < 2 * (1 - _LEEWAY / 2) * target:
        return end
    off = np.abs(held[1:-1] - target)
    enough_left = held[-1] - held[1:-1] >= target  # the last bin is often a tail, where noise moves means most
    near = np.flatnonzero((off <= _LEEWAY * target) & enough_left)
    if not len(near):  # one cell holds more
        return begin + 1 + int(np.argmin(off))
    roundest = roundness[begin + 1 + near]
    near = near[roundest == roundest.max()]
    return begin + 1 + int(near[np.argmin(off[near])])


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
