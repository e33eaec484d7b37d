"""Noise levels that the samplers can draw: a scale as it is where it fits, else the next larger one that does."""

from __future__ import annotations

import math
from fractions import Fraction

from understudy._core.errors import InternalError
from understudy.privacy._values import NoiseLevel

LAPLACE_ROOM = 1 << 40  # kernels take t, s below this
GAUSSIAN_ROOM = 1 << 25  # kernels take t·b, m up to this


def laplace_level(scale: Fraction) -> NoiseLevel:
    """The noise level used for this scale: itself where it fits, else the next larger that does.

    >>> laplace_level(Fraction(1, 3)).scale
    Fraction(1, 3)
    """
    if scale <= 0:
        raise InternalError(f"A noise scale must be above 0, not {scale}.")
    return NoiseLevel(kind="laplace", scale=_round_scale(scale))


def gaussian_level(variance: Fraction) -> NoiseLevel:
    """The noise level used for this σ²: itself where it fits, else the next larger that does.

    >>> gaussian_level(Fraction(9, 4)).scale
    Fraction(9, 4)
    """
    if variance <= 0:
        raise InternalError(f"A noise variance must be above 0, not {variance}.")
    rounded, again = variance, _round_variance(variance)
    while rounded != again:  # rounding up may lift √σ² over a whole number, which changes the grid once
        rounded, again = again, _round_variance(again)
    return NoiseLevel(kind="gaussian", scale=rounded)


def _round_scale(scale: Fraction) -> Fraction:
    if max(scale.numerator, scale.denominator) < LAPLACE_ROOM or scale >= LAPLACE_ROOM:
        return scale
    if scale <= Fraction(1, LAPLACE_ROOM - 1):
        return Fraction(1, LAPLACE_ROOM - 1)
    # below 1 round the denominator down, above 1 the numerator up: either way the fraction grows, by 2^−39 at most
    if scale < 1:
        above = max(1, math.floor(scale * (LAPLACE_ROOM - 1)))
        return Fraction(above, math.floor(above / scale))
    under = max(1, math.floor((LAPLACE_ROOM - 2) / scale))
    return Fraction(math.ceil(under * scale), under)


def gaussian_parameters(variance: Fraction) -> tuple[int, int, int]:
    """t, m, b with t·m/b ≥ variance: equal if the grid has room for it."""
    t = math.isqrt(variance.numerator // variance.denominator) + 1
    room = max(GAUSSIAN_ROOM // t, 1)
    exact = (variance / t).denominator
    b = exact * (room // exact) if exact <= room else room
    if t > GAUSSIAN_ROOM:  # not for the kernel, so nothing need be rounded
        b = exact
    return t, math.ceil(variance * b / t), b


def _round_variance(variance: Fraction) -> Fraction:
    t, m, b = gaussian_parameters(variance)
    return Fraction(t * m, b)
