"""Slow twins of the kernels that read cells: one value after the other, as whoever checks them would."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt


def naive_codes(values: Sequence[int], low: int, table: Sequence[int]) -> tuple[list[int], list[int]]:
    """The code of each value by a lookup that begins at `low`, and the rows that it has none for."""
    known = {low + place: code for place, code in enumerate(table) if code >= 0}
    codes = [known.get(value, 0) for value in values]
    return codes, [row for row, value in enumerate(values) if value not in known]


def naive_bins(
    values: Sequence[float], low: float, high: float, last: npt.NDArray[np.float64]
) -> tuple[list[int], list[int]]:
    """The bin of each value, where bin b ends with `last[b + 1]`, and the rows that lie in none."""
    codes, odd = [], []
    for row, value in enumerate(values):
        inside = low <= value <= high
        codes.append(next(b for b in range(len(last) - 1) if value <= last[b + 1]) if inside else 0)
        if not inside:
            odd.append(row)
    return codes, odd


def naive_points(
    codes: Sequence[int], drawn: Sequence[float], first: Sequence[int], last: Sequence[int], ends: Sequence[float]
) -> list[int]:
    """The grid point at a part of each code's bin: of the piece that place lies in, as far in as the place is."""
    points = []
    for code, part in zip(codes, drawn, strict=True):
        before, piece = 0.0, 0
        while ends[piece] <= code + part:
            before, piece = ends[piece], piece + 1
        inside = (code + part - before) / (ends[piece] - before)
        points.append(min(first[piece] + int(inside * (last[piece] - first[piece] + 1)), last[piece]))
    return points
