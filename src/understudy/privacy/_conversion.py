"""From (ε, δ) to μ² and back: Gaussian differential privacy, converted to the safe side.

μ-Gaussian differential privacy is the same as (ε, δ) for all ε with δ = Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ)
(proof.md, section 2). Searches stop where they like; what they find is checked with bounds on both sides.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, getcontext
from fractions import Fraction
from functools import lru_cache

from understudy._core.errors import OptionError
from understudy._core.numbers import exact_text
from understudy.privacy._normal import decimal, digits, tail_bounds

_KEPT = 12  # significant digits of what is found, rounded to the safe side
_DIGITS = 40  # beyond those that cancel
_HALVINGS = 44


@lru_cache(maxsize=256)
def mu_squared_for(epsilon: Fraction, delta: Fraction) -> Fraction:
    """The largest μ² found, rounded down to 12 digits, for which μ-GDP implies (ε, δ)-DP.

    >>> float(mu_squared_for(Fraction(1), Fraction(1, 10**6)))
    0.0560289638252
    """
    with digits(_digits_for(epsilon)):
        # zero-concentrated privacy gives a first guess: ε = μ²/2 + μ·√(2 ln 1/δ)
        log = -decimal(delta).ln()
        root = decimal(epsilon) / ((log + decimal(epsilon)).sqrt() + log.sqrt())
        low, _ = _bracket(2 * root * root, lambda square: _delta_above(square, epsilon) <= decimal(delta))
        found = _rounded(low, ROUND_FLOOR)
        if not found > 0 or not _delta_above(found, epsilon) <= decimal(delta):
            raise OptionError(
                f"epsilon {exact_text(epsilon)} with delta {exact_text(delta)} leaves no budget to spend. "
                "Raise epsilon."
            )
    return Fraction(found)


@lru_cache(maxsize=256)
def epsilon_for(mu_squared: Fraction, delta: Fraction) -> Fraction:
    """An ε, rounded up, for which μ-GDP implies (ε, δ)-DP: the smallest found. The reverse of `mu_squared_for`.

    >>> epsilon = epsilon_for(mu_squared_for(Fraction(1), Fraction(1, 10**6)), Fraction(1, 10**6))
    >>> 0 <= epsilon - 1 < Fraction(1, 10**9)
    True
    """
    if mu_squared == 0:
        return Fraction(0)
    with digits(_digits_for(mu_squared)):
        square = decimal(mu_squared).next_plus()

        def fails(epsilon: Decimal) -> bool:
            return _delta_above(square, Fraction(epsilon)) > decimal(delta)

        if not fails(Decimal(0)):
            return Fraction(0)
        log = -decimal(delta).ln()
        _, high = _bracket(square / 2 + (2 * square * log).sqrt() + Decimal("1e-300"), fails)
        found = _rounded(high, ROUND_CEILING)
        assert not fails(found)
    return Fraction(found)


def epsilon_of_part(mu_squared: Fraction, delta: Fraction) -> Fraction:
    """An ε for a part of a budget, of which those of two parts are no less than that of both (proof.md, section 7).

    >>> epsilon_of_part(Fraction(1, 4), Fraction(1, 10**6)) == epsilon_for(Fraction(1, 4), Fraction(1, 10**6))
    True
    """
    with digits(_digits_for(mu_squared) if mu_squared else _DIGITS):
        least = decimal(mu_squared).sqrt() + decimal(mu_squared) / 2
        return max(epsilon_for(mu_squared, delta), Fraction(_rounded(least.next_plus(), ROUND_CEILING)))


@lru_cache(maxsize=256)
def pure_epsilon_for(mu_squared: Fraction) -> Fraction:
    """The largest ε, rounded down to 12 digits, for which ε-DP implies μ-GDP: e^ε = Φ(μ/2)/Φ(−μ/2).

    >>> float(pure_epsilon_for(Fraction(1, 4)))
    0.400077689401
    """
    with digits(_digits_for(mu_squared)):
        _, above = tail_bounds(decimal(mu_squared).next_minus().sqrt().next_minus() / 2)
        return Fraction(_rounded(((1 - above) / above).ln().next_minus(), ROUND_FLOOR))


def _delta_above(square: Decimal, epsilon: Fraction) -> Decimal:
    """A number at or above the δ of this ε at μ² = square.

    δ grows with μ, falls with ε/μ − μ/2 and grows with ε/μ + μ/2: each is rounded to that side.
    """
    exact = decimal(epsilon)
    mu = square.sqrt().next_plus()
    unit = Decimal(10) ** (2 - getcontext().prec)  # well above what the roundings of a few operations come to
    slack = (exact / mu + mu) * unit
    _, first = tail_bounds(exact / mu - mu / 2 - slack)
    second, _ = tail_bounds(exact / mu + mu / 2 + slack)
    # ε is rounded before the exponential, which adds as many units as it has
    return first - exact.exp() * second * (1 - (exact + 10) * unit)


def _digits_for(number: Fraction) -> int:
    """Enough for what cancels: a small ε or μ² makes both terms of δ alike, a large one makes exponents long."""
    return _DIGITS + abs(number.numerator.bit_length() - number.denominator.bit_length()) // 3


def _bracket(guess: Decimal, holds: Callable[[Decimal], bool]) -> tuple[Decimal, Decimal]:
    """Two numbers next to each other; one holds and the next does not, where `holds` is true up to some place."""
    low = high = guess
    while holds(high):
        low, high = high, 2 * high
    while not holds(low):
        low, high = low / 2, low
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low, high


def _rounded(number: Decimal, rounding: str) -> Decimal:
    return Context(prec=_KEPT, rounding=rounding).plus(number)
