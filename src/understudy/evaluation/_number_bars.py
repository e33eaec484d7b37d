"""Where the numbers of a column lie, in stretches of equal length: a histogram that owes nothing to a schema's bins."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from understudy.evaluation._numbers import DAY, Bars
from understudy.evaluation._supports import Support

Floats = npt.NDArray[np.float64]
_MOST = 40
_TAIL = 0.01
"""Share of rows on either side that may be left out of the picture, where it would be mostly empty otherwise."""
_MOSTLY = 1.5


def make_bars(support: Support, kind: str, rows: Sequence[int]) -> Bars | None:
    """The real and the first synthetic table's histograms of a column of this type; None if no number is in them.

    >>> found = make_bars(Support.of([np.array([1.0, 2.0]), np.array([3.0, 3.0])]), "integer", [2, 2])
    >>> found.edges, found.real
    ((0.5, 1.5, 2.5, 3.5), (0.5, 0.5, 0.0))
    """
    counts = support.counts[:2]
    if not counts.any():
        return None
    low, high = _shown(support)
    unit = _unit(kind, support)
    edges = _edges(low, high, unit)
    shares = counts / np.array(rows, dtype=np.float64)[:, None]
    sums = np.concatenate([np.zeros((2, 1)), np.cumsum(shares, axis=1)], axis=1)
    at = sums[:, np.searchsorted(support.values, edges, side="left")]
    at[:, -1] = sums[:, np.searchsorted(support.values, edges[-1], side="right")]
    inside = np.maximum(np.diff(at, axis=1), 0.0)
    below, above = at[:, 0], sums[:, -1] - at[:, -1]
    return Bars(
        tuple(edges.tolist()),
        tuple(inside[0].tolist()),
        tuple(inside[1].tolist()),
        (float(below[0]), float(below[1])),
        (float(above[0]), float(above[1])),
        unit,
    )


def _shown(support: Support) -> tuple[float, float]:
    """From where to where: everything, or all but thin tails if these would take most of the picture."""
    seen = support.values[support.counts[:2].any(axis=0)]
    ends = []
    for row in (0, 1):
        if support.totals[row]:
            low = int(np.searchsorted(support.below[row], _TAIL))
            high = int(np.searchsorted(support.below[row], 1 - _TAIL))
            ends.append((support.values[low], support.values[min(high, len(support.values) - 1)]))
    low, high = min(end[0] for end in ends), max(end[1] for end in ends)
    least, most = float(seen[0]), float(seen[-1])
    return (least, most) if most - least <= _MOSTLY * (high - low) or high == low else (float(low), float(high))


def _unit(kind: str, support: Support) -> float:
    """The step between possible values: 0 for numbers with a fraction."""
    if kind in ("integer", "year"):
        return 1.0
    if kind == "date":
        return float(DAY)
    return 1.0 if kind == "number" and (support.values == np.round(support.values)).all() else 0.0


def _edges(low: float, high: float, unit: float) -> Floats:
    if unit:  # as many possible values in each bar, or bars would rise and fall with their number
        values = round((high - low) / unit) + 1
        each = -(-values // _MOST)
        return np.asarray((low / unit - 0.5 + each * np.arange(-(-values // each) + 1)) * unit, dtype=np.float64)
    if high == low:
        return np.array([low - 0.5, low + 0.5])
    return np.linspace(low, high, _MOST + 1)
