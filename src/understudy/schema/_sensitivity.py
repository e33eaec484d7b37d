"""What a holder declares about who needs more protection: `sensitivity` of a field, `sensitivities` of its values.

Both are public policy, fixed without looking at the rows. They become part of the domain.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from understudy._core.errors import did_you_mean
from understudy.schema._field import Field
from understudy.schema._limits import shown
from understudy.schema._written import plain, written_text

WORDS = {"low": Fraction(0), "high": Fraction(1)}
MOST = Fraction(1000)
"""The largest weight, and the reciprocal of the smallest: noise a million times larger leaves nothing to see."""
Fault = Callable[[str], None]


def read_sensitivity(written: Any, values: Any, fault: Fault) -> Fraction:
    """`high`, `low` or a number from 0 to 1; a field whose values have weights is `high` unless it says otherwise.

    >>> read_sensitivity("high", None, print), read_sensitivity(0.25, None, print), read_sensitivity(None, None, print)
    (Fraction(1, 1), Fraction(1, 4), Fraction(0, 1))
    >>> read_sensitivity(3, None, print)
    sensitivity must be high, low or a number from 0 to 1; got 3
    Fraction(0, 1)
    """
    if written is None:
        return WORDS["high"] if values else WORDS["low"]
    if isinstance(written, str) and written.lower() in WORDS:
        return WORDS[written.lower()]
    number = _number(written)
    if number is None or not 0 <= number <= 1:
        fault(f"sensitivity must be high, low or a number from 0 to 1; got {shown(plain(written))}")
        return Fraction(0)
    return number


def read_weights(written: Mapping[Any, Any], field: Field, fault: Fault) -> tuple[Fraction, ...]:
    """One weight for each leaf code; values that are not named weigh 1. Empty if all weigh the same.

    >>> from understudy.schema import Schema
    >>> fields = [{"name": "ill", "categories": ["HIV", "cold", "flu"], "sensitivities": {"HIV": 3, "flu": 0.5}}]
    >>> [str(weight) for weight in Schema.from_dict({"fields": fields})["ill"].weights]
    ['3', '1', '1/2']
    """
    weights = [Fraction(1)] * field.size
    named: set[int] = set()
    codes = _codes(field)
    for key, value in written.items():
        code, weight, name = _code(field, codes, key), _number(value), shown(written_text(key))
        if code is None:
            hint = did_you_mean(written_text(key), field.labels).rstrip(".")
            fault(f"sensitivities: {name} is not one of its values. {hint}")
        elif code in named:
            fault(f"sensitivities: {name} is named twice")
        elif weight is None or weight <= 0:
            fault(f"sensitivities: the weight of {name} must be a number above 0; got {shown(plain(value))}")
        elif not 1 / MOST <= weight <= MOST:
            got = shown(plain(value))
            fault(f"sensitivities: the weight of {name} must lie between 1/{MOST} and {MOST}; got {got}")
        else:
            weights[code] = weight
            named.add(code)
    return tuple(weights) if len(set(weights)) > 1 else ()


def _codes(field: Field) -> dict[Any, int]:
    """Codes by value and by label; labels win, as written first and then with a plain dash."""
    codes: dict[Any, int] = {category.value: code for code, category in enumerate(field.categories)}
    codes |= {category.value: field.n_main + i for i, category in enumerate(field.special)}
    labels = list(enumerate(field.labels))
    codes |= {label.replace("–", "-"): code for code, label in reversed(labels)}
    return codes | {label: code for code, label in reversed(labels)}


def _code(field: Field, codes: Mapping[Any, int], key: Any) -> int | None:
    """The code of a value or label of the domain itself; what would only fall under "other" is none of it."""
    if (text := written_text(key)) in codes:
        return codes[text]
    try:
        return codes.get(field.form.parse(key))
    except ValueError:
        return None


def _number(written: Any) -> Fraction | None:
    """A number as it was written: 0.1 is 1/10."""
    number = plain(written)
    if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
        return None
    return Fraction(str(number))
