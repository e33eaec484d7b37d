"""Odds and ε: from one to the other, each rounded to the safe side.

γ-amplification bounds by what factor a published value may change the odds between two true values: ε = ln γ. The
logarithm of a fraction is no fraction, so ε is rounded up from γ, and γ down from ε. Decimal's `exp` and `ln` are
correct to half a unit of the last of 60 digits; the margins taken are larger by far.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction

from understudy._core.errors import OptionError

LARGEST_EPSILON = 40
"""e⁴⁰ to one are longer odds than 62 bits can draw: beyond it a value is left alone, and that has a form of its own."""
_DIGITS = 60
_UNDER = Decimal(1).scaleb(-45)  # larger than what is added on the way back: ln(odds_below(ε)), rounded up, is below ε
_OVER = Decimal(1).scaleb(-50)
_KEPT = 12


def odds_below(epsilon: Fraction) -> Fraction:
    """A fraction that is at most e^ε, and less by one part in 10⁴⁴ at most.

    >>> float(odds_below(Fraction(1)))
    2.718281828459045
    """
    if epsilon > LARGEST_EPSILON:
        raise OptionError(
            f"an epsilon of more than {LARGEST_EPSILON} means that next to all values are published as they are. "
            "Leave the column alone ('none'), and the report will say so; or give a smaller epsilon."
        )
    with localcontext() as context:
        context.prec, context.rounding = _DIGITS, ROUND_FLOOR
        exponent = Decimal(epsilon.numerator) / Decimal(epsilon.denominator)  # rounded down
        return Fraction(exponent.exp() * (1 - _UNDER))


def short_epsilon(epsilon: Fraction) -> Fraction:
    """ε rounded down to 12 significant digits: what is charged has as many, so it is never above what was asked for.

    >>> float(short_epsilon(Fraction(1, 3)))
    0.333333333333
    """
    with localcontext() as context:
        context.prec, context.rounding = _KEPT, ROUND_FLOOR
        return Fraction(Decimal(epsilon.numerator) / Decimal(epsilon.denominator))


def epsilon_above(gamma: Fraction | None) -> Fraction | None:
    """ln γ rounded up to 12 significant digits; None, without bound, for None.

    >>> float(epsilon_above(Fraction(3)))
    1.09861228867
    >>> epsilon_above(Fraction(1)), epsilon_above(None)
    (Fraction(0, 1), None)
    """
    if gamma is None or gamma == 1:
        return None if gamma is None else Fraction(0)
    with localcontext() as context:
        context.prec, context.rounding = _DIGITS, ROUND_CEILING
        large, small = Decimal(gamma.numerator).ln(), Decimal(gamma.denominator).ln()
        above = large - small + (large + 1) * _OVER
        context.prec = _KEPT
        return Fraction(+above)


def epsilon_below(gamma: Fraction) -> Fraction:
    """ln γ rounded down.

    >>> float(epsilon_below(Fraction(3)))
    1.09861228866
    """
    with localcontext() as context:
        context.prec, context.rounding = _DIGITS, ROUND_FLOOR
        large, small = Decimal(gamma.numerator).ln(), Decimal(gamma.denominator).ln()
        below = large - small - (large + 1) * _OVER
        context.prec = _KEPT
        return Fraction(+below)


def highest_belief(prior: Fraction, gamma: Fraction | None) -> Fraction:
    """ρ2*: what a belief of `prior` can rise to once a value is published; 1 if γ has no bound.

    It solves ρ2*(1 − ρ1)/(ρ1(1 − ρ2*)) = γ (Evfimievski, Gehrke and Srikant 2003), and is reached by a belief that
    has all its weight on the two true values whose odds the published one changes most.

    >>> highest_belief(Fraction(1, 10), Fraction(3))
    Fraction(1, 4)
    """
    if gamma is None:
        return Fraction(int(prior > 0))
    return gamma * prior / (1 - prior + gamma * prior)


def lowest_belief(prior: Fraction, gamma: Fraction | None) -> Fraction:
    """What a belief of `prior` can fall to: the same bound for its opposite.

    >>> lowest_belief(Fraction(1, 2), Fraction(3))
    Fraction(1, 4)
    """
    return 1 - highest_belief(1 - prior, gamma)
