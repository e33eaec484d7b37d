"""Numbers and names as the privacy statement writes them."""

from __future__ import annotations

import math
from fractions import Fraction

from understudy.schema import Category, Field


def number(value: Fraction) -> str:
    """A fraction as people read it: a short decimal, exact if it can be.

    >>> number(Fraction(1, 2)), number(Fraction(1, 3)), number(Fraction(1, 10**6))
    ('0.5', '0.333333', '1e-06')
    """
    return f"{float(value):.6g}"


def number_above(value: Fraction) -> str:
    """A short decimal at or above the fraction, so that it never promises too much.

    >>> number_above(Fraction(1, 3)), number_above(Fraction(1, 4)), number_above(Fraction(0))
    ('0.334', '0.25', '0')
    """
    if value == 0:
        return "0"
    step = Fraction(10) ** (math.floor(math.log10(value)) - 2)
    return f"{float(math.ceil(value / step) * step):.6g}"


def odds(epsilon: Fraction) -> tuple[str, str]:
    """e^ε, and what an even guess can become, both rounded up so that neither promises too much.

    >>> odds(Fraction(1))
    ('2.72', '73.2')
    """
    value = float(epsilon)
    if value > 30:
        return "more than 10 million million", "100"
    factor = math.exp(value)
    most = 100 * factor / (1 + factor)
    digits = 2 if factor < 100 else 0
    return f"{math.ceil(factor * 10**digits) / 10**digits:,.{digits}f}", f"{min(math.ceil(most * 10) / 10, 100):g}"


def right_at_most(epsilon: Fraction, delta: Fraction) -> str:
    """How likely, in percent and rounded up, a guess between two cases that were even is right: (e^ε + δ)/(1 + e^ε).

    With δ it is how often such guesses are right, over all that the release might have been.

    >>> right_at_most(Fraction(1), Fraction(0)), right_at_most(Fraction(1), Fraction(1, 100))
    ('73.2', '73.4')
    """
    factor = math.exp(min(float(epsilon), 30.0))
    return f"{min(math.ceil(1000 * (factor + float(delta)) / (1 + factor)) / 10, 100):g}"


def clean(text: str) -> str:
    """Text that cannot break out of its table cell or turn into markup.

    >>> clean("a | b")
    'a \\\\| b'
    """
    flat = " ".join(text.split())
    for character in "\\`|*_<>[]":
        flat = flat.replace(character, "\\" + character) if character != "`" else flat.replace("`", "'")
    return flat


def describe_domain(field: Field) -> str:
    """A field's public domain in a few words.

    >>> from understudy.schema import Schema
    >>> schema = Schema.from_dict({"fields": [{"name": "age", "type": "integer", "special": [-1], "bins": 4,
    ...     "constraints": {"minimum": 0, "maximum": 99, "required": False}}]})
    >>> describe_domain(schema["age"])
    'integer, 0 to 99 in 4 bins; special -1; missing'
    """
    if field.bins is not None:
        low, high = field.form.text(field.bins.minimum), field.form.text(field.bins.maximum)
        bins = "bins found from a noisy histogram" if field.automatic else f"{field.bins.count} bins"
        bins += ", filled as a noisy histogram has it" * field.shaped
        words = [f"{field.type}, {low} to {high} in {bins}"]
    else:
        words = [f"{field.type}, {len(field.categories)} values"]
    if field.special:
        words.append("special " + ", ".join(_special_text(field, category) for category in field.special[:5]))
    if field.other_code is not None:
        words.append("other")
    if field.missing_code is not None:
        words.append("missing")
    return "; ".join(words)


def _special_text(field: Field, category: Category) -> str:
    """What a table holds, and what it stands for where that was said."""
    written = field.form.text(category.value)
    return written if category.label == written else f"{written} ({category.label})"
