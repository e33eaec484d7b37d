"""Noise levels that the samplers can draw: a scale as it is where it fits, else the next larger one that does."""

from __future__ import annotations

import math
from fractions import Fraction

from understudy._core.errors import InternalError
from understudy.privacy._values import NoiseLevel

LAPLACE_ROOM = 1 << 40  # kernels take t, s below this


def laplace_level(scale: Fraction) -> NoiseLevel:
    """The noise level used for this scale: itself where it fits, else the next larger that does.

    >>> laplace_level(Fraction(1, 3)).scale
    Fraction(1, 3)
    """
    if scale <= 0:
        raise InternalError(f"A noise scale must be above 0, not {scale}.")
    return NoiseLevel(kind="laplace", scale=_round_scale(scale))


def gaussian_level(variance: Fraction) -> NoiseLevel:
    """The noise level of this σ²: itself, as the sampler takes any.

    >>> gaussian_level(Fraction(9, 4)).scale
    Fraction(9, 4)
    """
    if variance <= 0:
        raise InternalError(f"A noise variance must be above 0, not {variance}.")
    return NoiseLevel(kind="gaussian", scale=variance)


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
