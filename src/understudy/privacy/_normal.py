"""Tails of the normal distribution to any number of digits, as numbers that are surely below and above.

Decimal arithmetic of the caller's precision. Only positive numbers are added, multiplied and divided, so that each
operation adds at most one unit in the last place to the relative error; what they come to is taken off below and put
on above (proof.md, section 2).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_EVEN, Context, Decimal, getcontext, localcontext
from fractions import Fraction
from functools import cache
from math import ceil, log

_SERIES_UP_TO = 8  # beyond, the continued fraction is quicker
_CANCELLED = 18  # digits: Φ(−8) is about 10⁻¹⁵
_FAR = 10**6
_NEXT_TO_NOTHING = Decimal("1e-200000000000")  # Φ(−10⁶) is smaller


@contextmanager
def digits(number: int) -> Iterator[None]:
    """Decimal arithmetic with so many digits, and room for any exponent.

    >>> with digits(5):
    ...     print(Decimal(1) / 3)
    0.33333
    """
    with localcontext(Context(prec=number, rounding=ROUND_HALF_EVEN, Emin=MIN_EMIN, Emax=MAX_EMAX)):
        yield


def decimal(number: Fraction) -> Decimal:
    """The fraction, rounded to the digits in use."""
    return Decimal(number.numerator) / Decimal(number.denominator)


def tail_bounds(x: Decimal) -> tuple[Decimal, Decimal]:
    """Two numbers with Φ(−x) between them, x taken as it is; close to each other in relation to themselves.

    >>> with digits(30):
    ...     low, high = tail_bounds(Decimal("1.5"))
    >>> round(float(low), 12), high - low < Decimal("1e-25")
    (0.066807201269, True)
    """
    if x < 0:
        low, high = tail_bounds(-x)
        return (1 - high).next_minus(), (1 - low).next_plus()
    if x > _FAR:
        return Decimal(0), _NEXT_TO_NOTHING
    if x > _SERIES_UP_TO:
        low, high, steps = _by_fraction(x)
        density, margin = _density(x), _margin(x, steps)
        return density * low * (1 - margin), density * high * (1 + margin)
    with digits(getcontext().prec + _CANCELLED):
        low, high, steps = _by_series(x)
        density, margin, half = _density(x), _margin(x, steps), Decimal("0.5")
        return half - density * high * (1 + margin) - margin, half - density * low * (1 - margin) + margin


def _density(x: Decimal) -> Decimal:
    return (-x * x / 2).exp() / _root_of_two_pi(getcontext().prec)


@cache
def _root_of_two_pi(precision: int) -> Decimal:
    with digits(precision):
        return (2 * pi(precision)).sqrt()


def _margin(x: Decimal, steps: int) -> Decimal:
    """More than the relative error of so many steps; x² is rounded before the exponential, which adds as many units."""
    return (20 * steps + 20 + x * x).scaleb(1 - getcontext().prec)


def _by_series(x: Decimal) -> tuple[Decimal, Decimal, int]:
    """(½ − Φ(−x))/φ(x) = x + x³/3 + x⁵/(3·5) + …, cut where terms halve and are too small to matter; its steps."""
    total, term, k = x, x, 1
    square, small = x * x, Decimal(1).scaleb(-getcontext().prec)
    enough = 2 * square
    while term > small or enough > k:
        k += 2
        term = term * square / k
        total += term
    return total, total + term, k  # what is left is below the last term, as each is at most half of the one before


def _by_fraction(x: Decimal) -> tuple[Decimal, Decimal, int]:
    """Φ(−x)/φ(x) = 1/(x + 1/(x + 2/(x + 3/…))), which lies between any two that end one after the other; its steps."""
    steps = ceil((getcontext().prec * log(10) / (1.4 * float(x))) ** 2) + 20
    found = []
    for last in (steps, steps + 1):
        under = x
        for k in range(last, 0, -1):
            under = x + k / under
        found.append(1 / under)
    return min(found), max(found), steps


@cache
def pi(precision: int) -> Decimal:
    """π to so many digits, by Machin's formula.

    >>> pi(20)
    Decimal('3.1415926535897932385')
    """
    with digits(precision + 10):
        found = 4 * (4 * _arctan_of_inverse(5) - _arctan_of_inverse(239))
    with digits(precision):
        return +found


def _arctan_of_inverse(n: int) -> Decimal:
    power = Decimal(1) / n
    total, k = power, 1
    small = Decimal(1).scaleb(-getcontext().prec)
    while power > small:
        power /= n * n
        k += 2
        total += power / k if k % 4 == 1 else -power / k
    return total
