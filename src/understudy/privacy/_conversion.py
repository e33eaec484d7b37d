"""From (ε, δ) to ρ and back: zero-concentrated differential privacy, converted to the safe side."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction

from understudy._core.errors import OptionError

_DIGITS = 60  # of the decimal arithmetic that turns (ε, δ) into ρ
_KEPT = 12  # significant digits of ρ kept, rounded down


def rho_for(epsilon: Fraction, delta: Fraction) -> Fraction:
    """The largest ρ found, rounded down, for which ρ-zCDP implies (ε, δ)-DP.

    Every order α > 1 gives a valid ρ (Canonne, Kamath, Steinke 2020, Corollary 13): binary floats only *search* for a
    good α; the ρ of the α found is then computed with 60 decimal digits and rounded down.

    >>> rho_for(Fraction(1), Fraction(1, 10**6)) > Fraction(17, 1000)
    True
    """
    low, high = -30.0, 40.0  # of ln(α − 1)
    target, log_delta = _float(epsilon), _log(delta)
    for _ in range(200):  # ternary search; a wrong turn costs tightness, never validity
        left, right = low + (high - low) / 3, high - (high - low) / 3
        if _rho_float(left, target, log_delta) < _rho_float(right, target, log_delta):
            low = left
        else:
            high = right
    with localcontext() as context:
        context.prec, context.rounding = _DIGITS, ROUND_FLOOR
        found = max(_rho_exact(Decimal(math.exp((low + high) / 2)), epsilon, delta), _rho_simple(epsilon, delta))
        if found <= 0:
            raise OptionError(f"epsilon {epsilon} with delta {delta} leaves no budget to spend. Raise epsilon.")
        context.prec = _KEPT
        return Fraction(+found)


def epsilon_for(rho: Fraction, delta: Fraction) -> Fraction:
    """An ε, rounded up, for which ρ-zCDP implies (ε, δ)-DP: the smallest found. The reverse of `rho_for`.

    >>> epsilon = epsilon_for(rho_for(Fraction(1), Fraction(1, 10**6)), Fraction(1, 10**6))
    >>> 1 <= epsilon < Fraction(1001, 1000)
    True
    """
    if rho == 0:
        return Fraction(0)
    low, high = -30.0, 40.0  # of ln(α − 1)
    target, log_delta = _float(rho), _log(delta)
    for _ in range(200):  # ternary search, as above
        left, right = low + (high - low) / 3, high - (high - low) / 3
        if _epsilon_float(left, target, log_delta) > _epsilon_float(right, target, log_delta):
            low = left
        else:
            high = right
    with localcontext() as context:
        context.prec, context.rounding = _DIGITS, ROUND_CEILING
        step = Decimal(math.exp((low + high) / 2))
        order = 1 + step
        terms = (-_decimal(delta).ln() - step.ln() + order * (step / order).ln()) / step
        found = order * _decimal(rho) + terms
        found += (abs(found) + abs(terms)).scaleb(-40)
        context.prec = _KEPT
        return max(Fraction(+found), Fraction(0))


def _epsilon_float(log_step: float, rho: float, log_delta: float) -> float:
    step = math.exp(log_step)
    order = 1 + step
    return order * rho + (-log_delta - log_step + order * (log_step - math.log1p(step))) / step


def _float(number: Fraction) -> float:
    return max(float(number), 5e-324)


def _log(number: Fraction) -> float:
    return math.log(number.numerator) - math.log(number.denominator)


def _rho_float(log_step: float, epsilon: float, log_delta: float) -> float:
    step = math.exp(log_step)
    order = 1 + step
    return (epsilon - (-log_delta - log_step + order * (log_step - math.log1p(step))) / step) / order


def _rho_exact(step: Decimal, epsilon: Fraction, delta: Fraction) -> Decimal:
    """ρ(α) at α = 1 + step, less a margin far above the error of 60-digit arithmetic."""
    order = 1 + step
    terms = -_decimal(delta).ln() - step.ln() + order * (step / order).ln()
    rho = (_decimal(epsilon) - terms / step) / order
    return rho - (abs(rho) + abs(terms / step) + _decimal(epsilon)).scaleb(-40)


def _rho_simple(epsilon: Fraction, delta: Fraction) -> Decimal:
    """From ε = ρ + 2√(ρ ln 1/δ) (Bun and Steinke 2016), less the same margin."""
    log = -_decimal(delta).ln()
    root = _decimal(epsilon) / ((log + _decimal(epsilon)).sqrt() + log.sqrt())
    return root * root * (1 - Decimal(1).scaleb(-40))


def _decimal(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / Decimal(number.denominator)
