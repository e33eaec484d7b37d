"""What a column may be for a condition to hold: values, lists of them and ranges, as a schema declares them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from understudy._core.errors import OptionError, did_you_mean
from understudy.schema._bins import Bins
from understudy.schema._field import Field
from understudy.schema._limits import shown
from understudy.schema._rules import Flags
from understudy.schema._written import written_text

Span = tuple[int, int]


@dataclass(frozen=True)
class Among:
    """That a column holds one of some values, or lies in one of some ranges such as `..13`.

    >>> Among("age", ("..13", 99)).text
    'age=..13/99'
    """

    column: str
    items: tuple[Any, ...]

    @property
    def text(self) -> str:
        """As a query would say it."""
        words = ["missing" if item is None else written_text(item) for item in self.items]
        return f"{self.column}={'/'.join(words[:6])}{'/…' if len(words) > 6 else ''}"

    def flags(self, field: Field) -> Flags:
        """For each code of the column, whether all its values are meant.

        Raises ValueError if a value is none of the column's, or if a bin holds values of both sides.

        >>> from understudy.schema import Schema
        >>> schema = Schema.from_dict({"fields": [{"name": "age", "type": "integer", "bins": 4,
        ...     "constraints": {"minimum": 0, "maximum": 99, "required": False}}]})
        >>> Among("age", ("..24", None)).flags(schema["age"]).tolist()
        [True, False, False, False, True]
        """
        codes, spans = self._resolved(field)
        found = np.zeros(field.size, dtype=np.bool_)
        found[codes] = True
        if field.bins is not None and spans:
            found[: field.n_main] = _whole_bins(field, field.bins, spans)
        return found

    def cuts(self, field: Field) -> list[int]:
        """The points of the column's grid at which a bin must begin, so that none holds values of both sides."""
        if field.bins is None:
            return []
        first, last = int(field.bins.grid[0][0]), int(field.bins.grid[1][-1])
        ends = {end for low, high in self._resolved(field)[1] for end in (low, high + 1)}
        return sorted(end for end in ends if first < end <= last)

    def _resolved(self, field: Field) -> tuple[list[int], list[Span]]:
        """Codes of categories and special values, and stretches of the grid."""
        codes: list[int] = []
        spans: list[Span] = []
        for item in self.items:
            found = _read(field, item)
            if isinstance(found, tuple):
                spans.append(found)
            else:
                codes += found
        return codes, _joined(spans)


def read_among(name: str, raw: Any) -> Among:
    """What a schema says of one column: a value, or a list of values.

    >>> read_among("sex", ["F", "M"]).items
    ('F', 'M')
    """
    return Among(name, tuple(raw) if isinstance(raw, list | tuple) else (raw,))


def range_of(item: Any) -> tuple[str, str] | None:
    """Both ends of a text `low..high`, either of which may be empty; None for anything else.

    >>> range_of("..13"), range_of("1.5..2.5"), range_of("13")
    (('', '13'), ('1.5', '2.5'), None)
    """
    if not isinstance(item, str) or item.count("..") != 1 or "..." in item:
        return None
    low, high = (end.strip() for end in item.split(".."))
    return (low, high) if low or high else None


def _read(field: Field, item: Any) -> list[int] | Span:
    text = None if item is None else written_text(item)
    if text is None:
        if field.missing_code is None:
            raise ValueError(f"column '{field.name}' has no missing values. Set constraints: {{required: false}}")
        return [field.missing_code]
    named = field.labels if field.bins is None else field.labels[field.n_main :]
    if text in named:
        return [field.size - len(named) + named.index(text)]
    ends = range_of(text)
    if field.bins is not None:
        return _in_bins(field, field.bins, item, ends)
    if ends is not None:
        return _between(field, ends)
    try:
        inner = field.form.parse(item)
    except ValueError:
        inner = None
    for code, category in enumerate(field.categories):
        if category.value == inner:
            return [code]
    raise ValueError(f"column '{field.name}' has no value {shown(text)}. {did_you_mean(text, field.labels)}")


def _between(field: Field, ends: tuple[str, str]) -> list[int]:
    try:
        found = field.codes_between(*(end or None for end in ends))
    except OptionError as error:
        raise ValueError(str(error).rstrip(".")) from None
    if not found:
        raise ValueError(f"no value of '{field.name}' lies in '{'..'.join(ends)}'")
    return list(found)


def _in_bins(field: Field, bins: Bins, item: Any, ends: tuple[str, str] | None) -> list[int] | Span:
    first, last = int(bins.grid[0][0]), int(bins.grid[1][-1])
    if ends is None:
        inner = field.form.parse(item)
        for place, special in enumerate(field.special):
            if special.value == inner:
                return [field.n_main + place]
        point = field.form.exact(item) / bins.unit
        if point.denominator != 1 or not first <= point <= last:
            low, high = field.form.text(bins.minimum), field.form.text(bins.maximum)
            steps = f" in steps of {float(bins.unit):g}" if field.type == "number" else ""
            raise ValueError(
                f"{shown(written_text(item))} is no value of '{field.name}', which goes from {low} to {high}{steps}"
            )
        return int(point), int(point)
    begin = first if not ends[0] else max(first, math.ceil(field.form.exact(ends[0]) / bins.unit))
    end = last if not ends[1] else min(last, math.floor(field.form.exact(ends[1]) / bins.unit))
    if begin > end:
        raise ValueError(f"no value of '{field.name}' lies in '{'..'.join(ends)}'")
    return begin, end


def _joined(spans: Sequence[Span]) -> list[Span]:
    """Stretches that touch, as one."""
    found: list[Span] = []
    for low, high in sorted(spans):
        if found and low <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(found[-1][1], high))
        else:
            found.append((low, high))
    return found


def _whole_bins(field: Field, bins: Bins, spans: Sequence[Span]) -> Flags:
    first, last = bins.grid
    covered = np.zeros(bins.count, dtype=np.bool_)
    for low, high in spans:
        inside = (first >= low) & (last <= high)
        cut = (first <= high) & (last >= low) & ~inside
        if cut.any():
            label = bins.labels[int(cut.argmax())]
            texts = [field.form.text(value) for value in bins.values(np.array([low, high])).tolist()]
            shape = texts[0] if low == high else "..".join(texts)
            raise ValueError(
                f"the bin {label} of '{field.name}' holds values inside and outside of {shape}. Give the column edges "
                "there (bins: {edges: […]}), or, where no column has a sensitivity, let them be found (bins: auto)"
            )
        covered |= inside
    return covered


def starts_with(bins: Bins, cuts: Sequence[int]) -> tuple[int, ...]:
    """The first points of bins that also begin at the cuts.

    >>> from fractions import Fraction
    >>> from understudy.schema import Form
    >>> starts_with(Bins(edges=(Fraction(0), Fraction(50), Fraction(99)), form=Form(type="integer")), [14, 51])
    (0, 14, 51)
    """
    found = tuple(sorted({*bins.grid[0].tolist(), *cuts}))
    assert all(a < b for a, b in pairwise(found))
    return found
