"""Generous round ranges around the ends that were seen: the more a tail weighs, the farther."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt

_FINE = tuple(Fraction(text) for text in ("1", "1.2", "1.5", "2", "2.5", "3", "4", "5", "6", "8", "10"))
_COARSE = (Fraction(1), Fraction(2), Fraction(5), Fraction(10))
_TAIL = 4
_KNOWN = {
    "hour": (0, 23), "hours": (0, 24), "minute": (0, 59), "second": (0, 59), "day": (1, 31), "dayofyear": (1, 366),
    "doy": (1, 366), "month": (1, 12), "week": (1, 53), "age": (0, 120), "percent": (0, 100), "percentage": (0, 100),
    "pct": (0, 100), "latitude": (-90, 90), "lat": (-90, 90), "longitude": (-180, 180), "lon": (-180, 180),
    "lng": (-180, 180), "long": (-180, 180),
}  # fmt: skip


def round_up(value: Fraction, *, coarse: bool = False) -> Fraction:
    """The next round number that is no smaller; of 1, 2 and 5 only, if `coarse`.

    >>> int(round_up(Fraction(4711))), int(round_up(Fraction(102_127), coarse=True))
    (5000, 200000)
    """
    if value <= 0:
        return Fraction(0)
    power = Fraction(10) ** (len(str(math.floor(value))) - 1 if value >= 1 else -len(str(math.floor(1 / value))))
    while power > value:
        power /= 10
    return next(step * power for step in (*(_COARSE if coarse else _FINE), Fraction(100)) if step * power >= value)


def generous(
    low: Fraction, high: Fraction, *, heavy_below: bool = False, heavy_above: bool = False
) -> tuple[Fraction, Fraction]:
    """A round range around two ends. Heavy tails get twice the room and rounder numbers.

    >>> [int(end) for end in generous(Fraction(17), Fraction(90))]
    [0, 100]
    >>> [int(end) for end in generous(Fraction(-8019), Fraction(102_127), heavy_above=True)]
    [-10000, 500000]
    >>> [str(end) for end in generous(Fraction("36.1"), Fraction("41.9"))]
    ['35', '43']
    """
    if high <= 0 and low < 0:
        top, bottom = generous(-high, -low, heavy_below=heavy_above, heavy_above=heavy_below)
        return -bottom, -top
    if low < 0:
        return -_outer(-low, heavy_below), _outer(high, heavy_above)
    if 2 * low < high or heavy_above or low == high:
        return Fraction(0), _outer(high, heavy_above)
    span = high - low
    step = Fraction(10) ** math.floor(math.log10(span))
    return max(Fraction(0), math.floor(low / step) * step - step), math.ceil(high / step) * step + step


def _outer(end: Fraction, heavy: bool) -> Fraction:
    return round_up(2 * end, coarse=True) if heavy else round_up(end)


def tails(values: npt.NDArray[np.float64]) -> tuple[bool, bool]:
    """Whether a few values lie far below, or far above, nearly all others.

    >>> tails(np.array([1.0, 2.0, 3.0] * 20 + [500.0])), tails(np.linspace(0, 1, 99))
    ((False, True), (False, False))
    """
    if len(values) < 2:
        return False, False
    low, five, half, most, high = np.quantile(values, [0, 0.05, 0.5, 0.95, 1])
    return bool(half - low > _TAIL * (half - five)), bool(high - half > _TAIL * (most - half))


def known_range(words: list[str], low: float, high: float) -> tuple[Fraction, Fraction] | None:
    """The range that a column's name stands for, if all values lie in it and reach into its upper half, or lower one.

    What may be another word, as in `long_term_debt`, counts as the last one only.

    >>> [int(end) for end in known_range(["dep", "hour"], 5, 23)]
    [0, 23]
    >>> known_range(["age"], 300, 900)
    >>> [int(end) for end in known_range(["long"], -93.4, -93.2)]
    [-180, 180]
    >>> known_range(["long", "term", "debt"], 90, 120)
    """
    known = (_KNOWN[word] for word in reversed(words) if word in _KNOWN and (word != "long" or word == words[-1]))
    found = next(known, None)
    reaches = found is not None and (2 * high >= found[1] or 2 * low <= found[0] < 0)
    if found is None or low < found[0] or high > found[1] or not reaches:
        return None
    return Fraction(found[0]), Fraction(found[1])
