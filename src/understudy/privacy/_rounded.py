"""Rounded Gaussian noise: an ideal normal variable, added to a number and rounded to whole numbers, drawn exactly.

The bits of a uniform U are read from words until the rounding of number + σ·Φ⁻¹(U) is certain. `round_up_close` decides
with as many digits as that takes; `normal_cells` has what the kernel needs to decide nearly always with one word and
doubles (proof.md, section 3.4).
"""

from __future__ import annotations

import math
import operator
from bisect import bisect_left
from collections.abc import Callable
from decimal import Decimal, getcontext
from fractions import Fraction
from functools import cache
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.privacy._normal import decimal, digits, tail_bounds
from understudy.privacy._values import Counts
from understudy.privacy._word_stream import WordStream

CELLS_PER_UNIT = 64
GUIDED = 53
LAST = 8  # beyond, words are left to `round_up_close`: Φ(−8) < 2^−50
TERMS = 8
_TOP = 1 << 63
_ROUNDINGS = 2.0**-50  # of z ≤ 8 and of the polynomial, in doubles


class NormalCells(NamedTuple):
    """For z from 0 to 8 in steps of 1/64, the numbers that give z for Φ(−z) = v/2^64 to within `errors`."""

    bounds: Counts
    """2^64·Φ(−z) at the steps, falling."""
    guide: Counts
    """The cell of each multiple of 2^53: where to look for those between two of them."""
    centres: Counts
    """The same midway between two steps."""
    slopes: npt.NDArray[np.float64]
    """2^−64/φ(z) midway."""
    powers: npt.NDArray[np.float64]
    """P_k(z)/k!, for the k-th power of a distance, k from 1 up."""
    errors: npt.NDArray[np.float64]


@cache
def normal_cells() -> NormalCells:
    """Made once in a process, from tails of 24 digits. Where a cell ends need not be exact: doubles will do."""
    middles, half = (np.arange(LAST * CELLS_PER_UNIT) + 0.5) / CELLS_PER_UNIT, 0.5 / CELLS_PER_UNIT
    with digits(24):
        centres = [round(Decimal(1 << 64) * tail_bounds(Decimal(float(middle)))[0]) for middle in middles]
    steps = [i / CELLS_PER_UNIT for i in range(len(middles) + 1)]
    bounds = [min(int(2.0**63 * math.erfc(step / math.sqrt(2))), _TOP - 1) for step in steps]

    def cell_of(tail: int) -> int:
        """The last cell that begins above this tail."""
        return max(0, min(bisect_left(bounds, -tail, key=operator.neg) - 1, len(middles) - 1))

    density = np.exp(-(middles**2) / 2) / math.sqrt(2 * math.pi)
    polynomials = derivative_polynomials(TERMS)
    powers = np.array([np.polyval(p[::-1], middles) / math.factorial(k + 1) for k, p in enumerate(polynomials[:-1])])
    ends = middles + half
    steeper = np.exp((ends**2 - middles**2) / 2)  # φ(middle)/φ(end)
    # Lagrange's remainder at the far end of the cell, whose distance from the middle is ∫φ/φ(middle) ≤ half·steeper
    cut = np.polyval(polynomials[-1][::-1], ends) * (steeper**2 * half) ** TERMS / math.factorial(TERMS)
    of_word = 2 * 2.0**-64 / density * steeper  # half a unit of the word, less than one of the centre
    return NormalCells(
        bounds=np.array(bounds, dtype=np.int64),
        guide=np.array([cell_of(i << GUIDED) for i in range((_TOP >> GUIDED) + 1)], dtype=np.int64),
        centres=np.array(centres, dtype=np.int64),
        slopes=2.0**-64 / density,
        powers=np.ascontiguousarray(powers.T),
        errors=1.05 * cut + of_word + _ROUNDINGS,
    )


def derivative_polynomials(number: int) -> list[list[int]]:
    """P_k with dᵏz/dtᵏ = P_k(z)/φ(z)ᵏ for t = −Φ(−z): coefficients from the constant up, k from 1.

    >>> derivative_polynomials(3)
    [[1], [0, 1], [1, 0, 2]]
    """
    found = [[1]]
    for k in range(1, number):  # P_{k+1} = P_k′ + k·z·P_k, as φ′ = −zφ
        last = found[-1]
        derived = [*(i * c for i, c in enumerate(last) if i), 0, 0]
        found.append([derived[i] + (k * last[i - 1] if i else 0) for i in range(len(last) + 1)])
    return found


def round_up_close(word: int, variance: Fraction, stream: WordStream, *, square: Fraction, sign: int) -> int:
    """The nearest whole number to sign·√square + N(0, variance), whose first 64 bits are those of `word`.

    Further bits are read from `stream` as long as the rounding is not certain without them. The highest bit is the sign
    of the normal variable, the rest begins its tail probability.

    >>> from understudy._core.randomness import SeededBytes
    >>> round_up_close(1 << 60, Fraction(100), WordStream(SeededBytes(1)), square=Fraction(9), sign=-1)
    12
    """
    if word >= _TOP:
        return -round_up_close(word - _TOP, variance, stream, square=square, sign=-sign)
    tail, bits = word, 64
    while True:
        found = _decide(tail, bits, variance, square, sign)
        if found is not None:
            return found
        tail, bits = tail << 64 | stream.next(), bits + 64


def _decide(tail: int, bits: int, variance: Fraction, square: Fraction, sign: int) -> int | None:
    """The rounding of sign·√square + σz for all z with 2^bits·Φ(−z) from tail to tail + 1; None if several."""
    size = max(1, square.numerator.bit_length() - square.denominator.bit_length()) + abs(
        variance.numerator.bit_length() - variance.denominator.bit_length()
    )
    with digits(40 + (bits + size) // 3):
        deviation, shift = decimal(variance).sqrt(), sign * decimal(square).sqrt()
        low, high = Decimal(tail) / (1 << bits), Decimal(tail + 1) / (1 << bits)
        unit = Decimal(10) ** (3 - getcontext().prec)
        low, high = low * (1 - unit), high * (1 + unit)

        def reaches(whole: int) -> bool | None:
            """Whether the sum is at least whole − ½: z at least so far, which is Φ(−z) at most that tail."""
            far = (whole - Decimal("0.5") - shift) / deviation
            slack = ((abs(whole) + 1 + abs(shift)) / deviation + abs(far)) * unit
            if tail_bounds(far + slack)[0] >= high:
                return True
            return False if tail_bounds(far - slack)[1] <= low else None

        z = -NormalDist().inv_cdf(min(max(float((low + high) / 2), 1e-300), 0.5))
        return _last_reached(int((shift + deviation * Decimal(z)).to_integral_value()), reaches)


def _last_reached(guess: int, reaches: Callable[[int], bool | None]) -> int | None:
    """The last whole number that is reached; None where one cannot be decided. All below it are reached too."""
    low, high, step = guess, guess + 1, 1
    while (found := reaches(low)) is False:
        low, high, step = low - step, low, 2 * step
    if found is None:
        return None
    step = 1
    while (found := reaches(high)) is True:
        low, high, step = high, high + step, 2 * step
    while found is not None and high - low > 1:
        middle = (low + high) // 2
        found = reaches(middle)
        low, high = (middle, high) if found else (low, middle)
    return None if found is None else low
