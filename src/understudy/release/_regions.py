"""What a column may be under a condition: some of its codes, and in bins some stretches of values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from understudy._core.errors import OptionError
from understudy.schema import Bins, Field

Floats: TypeAlias = npt.NDArray[np.float64]
Span: TypeAlias = tuple[int, int]
_NEARLY = Fraction(1, 10**6)  # of the distance between two points: nearer than that, a written number is the point


@dataclass(frozen=True)
class Choice:
    """One thing a column may be: a single code, or everything between two values (None is open).

    `above` and `below` leave the ends themselves out; `negated` is everything else.
    """

    code: int | None = None
    low: Any = None
    high: Any = None
    above: bool = False
    below: bool = False
    negated: bool = False


@dataclass(frozen=True)
class Region:
    """Codes of a column, and stretches of its grid (first and last point) for those that are bins.

    >>> from understudy.schema import Schema
    >>> ages = Schema.from_dict({"fields": [{"name": "age", "type": "integer", "bins": 4,
    ...     "constraints": {"minimum": 0, "maximum": 99}}]})["age"]
    >>> over, under = (region_of(ages, [choice]) for choice in (Choice(low=20, above=True), Choice(high=39)))
    >>> over.spans, over.within(under).spans, over.within(under).weights.round(3).tolist()
    (((21, 99),), ((21, 39),), [0.16, 0.6, 0.0, 0.0])
    """

    field: Field
    codes: frozenset[int]
    spans: tuple[Span, ...] = ()

    def within(self, other: Region) -> Region:
        """What both allow."""
        both = [(max(a, c), min(b, d)) for a, b in self.spans for c, d in other.spans]
        return Region(self.field, self.codes & other.codes, _joined(both))

    def outside(self) -> Region:
        """Everything else, missing values included."""
        first = len(_main(self.field))
        codes = frozenset(range(first, self.field.size)) - self.codes
        if self.field.bins is None:
            return Region(self.field, codes)
        begin, end = (int(ends[at]) for ends, at in zip(self.field.bins.grid, (0, -1), strict=True))
        edges = [begin - 1, *(point for span in self.spans for point in span), end + 1]
        gaps = [(edges[i] + 1, edges[i + 1] - 1) for i in range(0, len(edges), 2)]
        return Region(self.field, codes, _joined(gaps))

    @property
    def weights(self) -> Floats:
        """For each leaf code, the share of its values that are allowed."""
        weights = np.zeros(self.field.size)
        weights[sorted(self.codes)] = 1.0
        bins = self.field.bins
        if bins is not None:
            begin, end = int(bins.grid[0][0]) - 1, int(bins.grid[1][-1])
            for low, high in self.spans:
                ends = [np.full(bins.count, min(max(point, begin), end)) for point in (low - 1, high)]
                weights[: bins.count] += bins.share_below(ends[1]) - bins.share_below(ends[0])
        return np.clip(weights, 0.0, 1.0)

    @property
    def empty(self) -> bool:
        """Whether nothing is allowed."""
        return not self.weights.any()


def everything(field: Field) -> Region:
    """All that a column may be."""
    return Region(field, frozenset()).outside()


def up_to(region: Region, value: float, *, below: bool = False) -> Region:
    """What of a region lies at numbers up to one; `below`: without it. Codes that are no bins stay."""
    bins = region.field.bins
    if bins is None:
        return region
    last = round(Fraction(value) / bins.unit) - below
    return Region(region.field, region.codes, _joined([(low, min(high, last)) for low, high in region.spans]))


def known_numbers(field: Field) -> Region:
    """All that is a number: categories or bins, and a special 0. Other special values are codes for something else."""
    zeros = frozenset(field.n_main + i for i in number_specials(field))
    if field.bins is None:
        return Region(field, frozenset(range(field.n_main)) | zeros)
    first, last = field.bins.grid
    return Region(field, zeros, _joined([(int(first[0]), int(last[-1]))]))


def number_specials(field: Field) -> list[int]:
    """Positions of the special values that are numbers: only 0 is, a heap that was given a code of its own."""
    if field.type not in ("integer", "number"):
        return []
    return [i for i, special in enumerate(field.special) if special.value == 0]


def region_of(field: Field, choices: Sequence[Choice]) -> Region:
    """All that some of these choices allow."""
    regions = [_region(field, choice) for choice in choices]
    spans = [span for region in regions for span in region.spans]
    return Region(field, frozenset().union(*(region.codes for region in regions)), _joined(spans))


def _region(field: Field, choice: Choice) -> Region:
    if choice.negated:
        return _region(field, Choice(choice.code, choice.low, choice.high)).outside()
    if field.bins is None:
        return Region(field, frozenset(_codes(field, choice)))
    if choice.code is not None and (choice.low is None or choice.code >= field.n_main):
        if choice.code >= field.n_main:
            return Region(field, frozenset({choice.code}))
        first, last = field.bins.grid
        return Region(field, frozenset(), _joined([(int(first[choice.code]), int(last[choice.code]))]))
    zeros = [field.n_main + i for i in number_specials(field) if choice.code is None and _holds_zero(field, choice)]
    return Region(field, frozenset(zeros), _joined([_span(field, field.bins, choice)]))


def _codes(field: Field, choice: Choice) -> list[int]:
    """Of categories: one, or those between two."""
    if choice.code is not None:
        return [choice.code]
    left_out = {
        code
        for end, strict in ((choice.low, choice.above), (choice.high, choice.below))
        if strict
        for code in field.codes_between(end, end)
    }
    return [code for code in field.codes_between(choice.low, choice.high) if code not in left_out]


def _holds_zero(field: Field, choice: Choice) -> bool:
    low = None if choice.low is None else _exact(field, choice.low)
    high = None if choice.high is None else _exact(field, choice.high)
    above = low is None or low < 0 or (low == 0 and not choice.above)
    return above and (high is None or high > 0 or (high == 0 and not choice.below))


def _span(field: Field, bins: Bins, choice: Choice) -> Span:
    """The points between the ends; a single value between two points takes the nearer one, inside its bin."""
    if choice.code is not None:
        nearest = round(_exact(field, choice.low) / bins.unit)
        first, last = bins.grid
        nearest = min(max(nearest, int(first[choice.code])), int(last[choice.code]))
        return nearest, nearest
    if choice.low is not None and choice.high is not None and _exact(field, choice.low) > _exact(field, choice.high):
        raise OptionError(
            f"column '{field.name}': no value lies between {choice.low} and {choice.high}: the range ends before it "
            f"begins. Write {choice.high}..{choice.low}."
        )
    low, high = int(bins.grid[0][0]), int(bins.grid[1][-1])
    if choice.low is not None:
        low = max(low, _point(_exact(field, choice.low) / bins.unit, up=True, strict=choice.above))
    if choice.high is not None:
        high = min(high, _point(_exact(field, choice.high) / bins.unit, up=False, strict=choice.below))
    return low, high


def _point(place: Fraction, *, up: bool, strict: bool) -> int:
    """The nearest grid point at or beyond a place; beyond it only, if strict."""
    near = round(place)
    if abs(place - near) <= _NEARLY:
        return near + (1 if up else -1) * strict
    return math.ceil(place) if up else math.floor(place)


def _exact(field: Field, value: Any) -> Fraction:
    try:
        return field.form.exact(value)
    except ValueError as error:
        raise OptionError(f"column '{field.name}': {error}.") from None


def _main(field: Field) -> range:
    """Codes that spans speak of."""
    return range(field.n_main if field.bins is not None else 0)


def _joined(spans: Sequence[Span]) -> tuple[Span, ...]:
    """The same points in rising stretches that neither meet nor overlap.

    >>> _joined([(5, 9), (1, 4), (20, 19), (12, 13)])
    ((1, 9), (12, 13))
    """
    found: list[Span] = []
    for low, high in sorted(span for span in spans if span[0] <= span[1]):
        if found and low <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(found[-1][1], high))
        else:
            found.append((low, high))
    return tuple(found)
