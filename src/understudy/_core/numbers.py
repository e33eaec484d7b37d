"""Numbers as people give them: Python's, numpy's, and text such as 1e6 or 1/3."""

from __future__ import annotations

import operator
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from numbers import Integral, Rational, Real

from understudy._core.errors import OptionError

MOST_DIGITS = 19
_MOST_EXPONENT = 400
_LONGEST = 200
_MOST_SHOWN = 20
_SMALL = Fraction(1, 1000)


class TooManyDigitsError(ValueError):
    """A number that is larger than any that is meant."""


def whole_number(value: object, name: str, *, least: int = 0) -> int:
    """The value as an int; anything that is not a whole number from `least` on is refused.

    >>> import numpy as np
    >>> whole_number(np.int64(3), "seed")
    3
    >>> whole_number(1.5, "seed")
    Traceback (most recent call last):
    understudy._core.errors.OptionError: The 'seed' parameter must be a whole number of at least 0. Got 1.5 instead.
    """
    try:
        number = None if isinstance(value, bool) else operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = None
    if number is None or number < least:
        raise OptionError(f"The '{name}' parameter must be a whole number of at least {least}. Got {value!r} instead.")
    return number


def exact_number(value: object) -> Fraction:
    """The number exactly as someone wrote it: 0.1 is one tenth, not its nearest double. Raises ValueError.

    >>> exact_number("1/3"), exact_number(0.1)
    (Fraction(1, 3), Fraction(1, 10))
    """
    if isinstance(value, bool) or not isinstance(value, Real | str | Decimal):
        raise ValueError("not a number")
    if isinstance(value, Integral):
        return Fraction(int(value))
    if isinstance(value, Rational):
        return Fraction(value)
    text = str(value).strip()
    above, slash, below = text.partition("/")
    try:
        numbers = [Decimal(above), Decimal(below if slash else 1)]
    except InvalidOperation:
        raise ValueError("not a number") from None
    # exponents are bounded before a Fraction is built: 1e999999999 written out would fill the memory
    if len(text) > _LONGEST or not all(n.is_finite() and abs(n.adjusted()) < _MOST_EXPONENT for n in numbers):
        raise ValueError("not a finite number")
    if numbers[1] == 0:
        raise ValueError("not a finite number")
    return Fraction(numbers[0]) / Fraction(numbers[1])


def exact_text(number: Fraction) -> str:
    """The number as people write it, exactly: in decimals where it has them, else as a fraction.

    >>> [exact_text(Fraction(text)) for text in ("3/2", "20", "1/3", "1/1000000000", "-1/8")]
    ['1.5', '20', '1/3', '1e-9', '-0.125']
    """
    above, below = abs(number.numerator), number.denominator
    places = next((k for k in range(_MOST_EXPONENT) if 10**k % below == 0), None)
    digits = "" if places is None else str(above * 10**places // below)
    if not places or len(digits) > _MOST_SHOWN:
        return str(number)
    if abs(number) < _SMALL:
        first, rest = digits[0], digits[1:]
        shown = f"{first}{'.' if rest else ''}{rest}e{len(rest) - places}"
    else:
        digits = digits.zfill(places + 1)
        shown = f"{digits[:-places]}.{digits[-places:]}"
    return f"-{shown}" if number < 0 else shown


def read_whole_number(text: str) -> int:
    """A whole number written in any usual way. Raises ValueError.

    >>> read_whole_number("1e6"), read_whole_number("2_000"), read_whole_number("-3")
    (1000000, 2000, -3)
    """
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise ValueError(f"'{text}' is not a number") from None
    # Bounded before it is written out: 1e999999999 would have as many digits.
    if number.is_finite() and number.adjusted() >= MOST_DIGITS:
        raise TooManyDigitsError(f"'{text}' has more than {MOST_DIGITS} digits")
    if not number.is_finite() or number != number.to_integral_value():
        raise ValueError(f"'{text}' is not a whole number")
    return int(number)
