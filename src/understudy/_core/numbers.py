"""Whole numbers as people give them: Python's, numpy's, and text such as 1e6."""

from __future__ import annotations

import operator
from decimal import Decimal, InvalidOperation

from understudy._core.errors import OptionError

_MOST_DIGITS = 18


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
    if not number.is_finite() or number.adjusted() > _MOST_DIGITS or number != number.to_integral_value():
        raise ValueError(f"'{text}' is not a whole number of at most {_MOST_DIGITS} digits")
    return int(number)
