"""Values out of a stranger's JSON, each checked before it is used. All raise TypeError or ValueError."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import Any

_LARGEST_COUNT = 1 << 53
_LONGEST_TEXT = 100_000
_LONGEST_LIST = 1_000_000
_MOST_OPTIONS = 1_000
_EXACT = re.compile(r"[0-9]{1,2000}(/[0-9]{1,2000})?", re.ASCII)


def read_options(value: Any) -> dict[str, Any]:
    """Options of a method, as JSON has them."""
    if len(value) > _MOST_OPTIONS or len(json.dumps(value, allow_nan=False)) > _LONGEST_TEXT:
        raise ValueError("fewer options expected")
    return {read_text(key): item for key, item in value.items()}


def read_text(value: Any) -> str:
    """A text that is not too long."""
    if not isinstance(value, str):
        raise TypeError("text expected")
    if len(value) > _LONGEST_TEXT:
        raise ValueError("shorter text expected")
    value.encode()  # a UnicodeEncodeError here, not when it is printed
    return value


def read_flag(value: Any) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise TypeError("true or false expected")
    return value


def read_whole(value: Any) -> int:
    """A whole number from 0."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _LARGEST_COUNT:
        raise TypeError("whole number expected")
    return value


def read_items(value: Any) -> list[Any]:
    """A list that is not too long."""
    if not isinstance(value, list):
        raise TypeError("list expected")
    if len(value) > _LONGEST_LIST:
        raise ValueError("shorter list expected")
    return value


def read_one_of(value: Any, *allowed: str) -> Any:
    """One of some words."""
    if value not in allowed:
        raise ValueError("unknown word")
    return value


def read_above_zero(value: Any) -> Fraction:
    """An exact number above 0."""
    found = read_fraction(value)
    if not float(found) > 0:
        raise ValueError("number above 0 expected")
    return found


def read_below_one(value: Any) -> Fraction:
    """An exact number below 1."""
    found = read_fraction(value)
    if not found < 1:
        raise ValueError("number below 1 expected")
    return found


def read_fraction(value: Any) -> Fraction:
    """An exact number from 0, such as "7/10"."""
    # Digits only: Fraction also reads "1e999999999", which would never finish.
    if not _EXACT.fullmatch(read_text(value)):
        raise ValueError("fraction expected")
    found = Fraction(value)
    float(found)  # an OverflowError here, not when somebody looks at it
    return found
