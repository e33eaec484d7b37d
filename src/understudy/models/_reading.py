"""Plain values out of a saved document, checked: the file may be anybody's.

Each function takes what stands in a document and gives what it must be, or raises ValueError or TypeError.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np

from understudy.models._protocol import PartsReader
from understudy.models._sampling import Floats
from understudy.schema import Axis

MAX_COUNT = 1 << 53
"""No count, number of rows or place is larger: up to here a double tells whole numbers apart."""
MAX_AXES = 32
"""More than any table has; numpy knows 64."""
_MAX_DIGITS = 2000


def read_items(value: Any) -> list[Any]:
    """A list."""
    if not isinstance(value, list):
        raise TypeError("a list was expected")
    return value


def read_whole(value: Any) -> int:
    """A whole number from 0 on.

    >>> read_whole(3)
    3
    >>> read_whole(-3)
    Traceback (most recent call last):
    ValueError: a whole number was expected
    """
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_COUNT:
        raise ValueError("a whole number was expected")
    return value


def read_rows(value: Any) -> int:
    """How many rows a model was made of: one at least, as errors are told by it.

    >>> read_rows(0)
    Traceback (most recent call last):
    ValueError: a number of rows from 1 on was expected
    """
    if read_whole(value) < 1:
        raise ValueError("a number of rows from 1 on was expected")
    return int(value)


def read_fraction(value: Any) -> Fraction:
    """A fraction as text, such as "7/10". Digits only: `Fraction` also reads "1e999999999", which never ends.

    >>> read_fraction("7/10")
    Fraction(7, 10)
    """
    above, _, below = str(value).partition("/")
    if not all(part.isdecimal() and part.isascii() and len(part) <= _MAX_DIGITS for part in (above, below or "1")):
        raise ValueError("a fraction was expected")
    return Fraction(int(above), int(below or 1))


def plain_axes(axes: Iterable[Axis]) -> list[list[int]]:
    """Axes as pairs of an attribute and a level, for a document."""
    return [[axis.attribute, axis.level] for axis in axes]


def read_axes(value: Any) -> tuple[Axis, ...]:
    """Axes from such pairs.

    >>> read_axes([[0, 0], [3, 1]])
    (Axis(attribute=0, level=0), Axis(attribute=3, level=1))
    """
    axes = tuple(Axis(read_whole(attribute), read_whole(level)) for attribute, level in read_items(value))
    if len(axes) >= MAX_AXES:
        raise ValueError("a table with more axes than any has")
    return axes


def read_probabilities(parts: PartsReader, name: str, shape: tuple[int, ...]) -> Floats:
    """A table of numbers from 0 to 1; whether they sum to 1 is for the model to say.

    >>> from understudy.models import Parts
    >>> read_probabilities(Parts({}, {"table-00000": np.array([0.5, np.nan])}), "table-00000", (2,))
    Traceback (most recent call last):
    ValueError: a table holds numbers that are no probabilities
    """
    table: Floats = parts.array(name, np.float64, shape)
    if not np.isfinite(table).all() or table.min(initial=0.0) < 0 or table.max(initial=0.0) > 1 + 1e-6:
        raise ValueError("a table holds numbers that are no probabilities")
    return table
