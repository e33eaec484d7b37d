"""Bins over a declared range: which bin a value falls in, and which values may be drawn from it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from understudy.schema._values import Form, decimals_of, format_number

Side: TypeAlias = Literal["left", "right"]
DEFAULT_BINS = 16
MOST_FOUND = 24
"""The most bins that `bins: auto` finds, and as many as are planned with."""


@dataclass(frozen=True, kw_only=True)
class Shape:
    """How values lie inside bins: pieces of the grid, evenly filled each, and how much of their bin they hold.

    Piece i begins at grid point `starts[i]`, and ends before the next one or with the range. A bin begins with a piece.
    `stretches` are where those pieces began that were one until rows of them moved to round numbers: only how many rows
    of all stretches lie at these was counted. There are none where no rows moved.

    >>> Shape(starts=(0, 1, 10), shares=(0.9, 0.1, 1.0)).starts[1]
    1
    """

    starts: tuple[int, ...]
    shares: tuple[float, ...]
    stretches: tuple[int, ...] = ()


class Guide(NamedTuple):
    """Where the pieces of each bin begin, and a way to find one without a search.

    Bin b has slots from `slot_at[b]` on: twice as many as pieces or more, and a power of two, so that where a slot
    begins is not rounded. `by_part` has the piece in which each of as many equal parts of what the bin holds begins,
    and `by_point` that of as many equal stretches of its grid points.
    """

    bin_at: npt.NDArray[np.int64]
    slot_at: npt.NDArray[np.int64]
    by_part: npt.NDArray[np.int64]
    by_point: npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Bins:
    """Adjacent intervals that cover a range, in exact numbers.

    `closed` says which end of a bin belongs to it; the outermost bins hold the range's own ends. A value drawn from a
    bin is a whole multiple of `step` for whole-number forms, and has `decimals` digits after the point for numbers.

    >>> bins = Bins(edges=(Fraction(1), Fraction(50), Fraction(99)), form=Form(type="integer"))
    >>> bins.labels, bins.codes(np.array([1, 50, 51, 99, 120])).tolist()
    (('1–50', '51–99'), [0, 0, 1, 1, 1])
    """

    edges: tuple[Fraction, ...]
    form: Form
    closed: Side = "right"
    decimals: int = 0
    shape: Shape | None = None

    @property
    def count(self) -> int:
        """Number of bins."""
        return len(self.edges) - 1

    @property
    def whole(self) -> bool:
        """Whether values are whole numbers inside (integers, years, days, microseconds)."""
        return self.form.type != "number"

    @property
    def minimum(self) -> int | float:
        """Lowest value of the range."""
        return math.ceil(self.edges[0]) if self.whole else float(self.edges[0])

    @property
    def maximum(self) -> int | float:
        """Highest value of the range."""
        return math.floor(self.edges[-1]) if self.whole else float(self.edges[-1])

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        """First and last whole number of each bin."""
        low, high = list(self.edges[:-1]), list(self.edges[1:])
        if self.closed == "right":
            spans = [(math.floor(a) + 1, math.floor(b)) for a, b in zip(low, high, strict=True)]
            return [(math.ceil(low[0]), spans[0][1]), *spans[1:]]
        spans = [(math.ceil(a), math.ceil(b) - 1) for a, b in zip(low, high, strict=True)]
        return [*spans[:-1], (spans[-1][0], math.floor(high[-1]))]

    @cached_property
    def _thresholds(self) -> npt.NDArray[np.int64] | npt.NDArray[np.float64]:
        if self.whole:
            return np.array([last for _, last in self.spans[:-1]], dtype=np.int64)
        return np.array([float(edge) for edge in self.edges[1:-1]], dtype=np.float64)

    @cached_property
    def last_values(self) -> npt.NDArray[np.int64] | npt.NDArray[np.float64]:
        """The highest value of each bin but the last, to the last bit: what is not above it lies in it, or before.

        >>> edges = (Fraction(0), Fraction(1), Fraction(2))
        >>> [Bins(edges=edges, form=Form(type="number"), closed=side).last_values[0] for side in ("left", "right")]
        [np.float64(0.9999999999999999), np.float64(1.0)]
        """
        if self.whole or self.closed == "right":
            return self._thresholds
        return np.nextafter(self._thresholds, -np.inf)

    def codes(self, values: npt.NDArray[np.int64] | npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
        """The bin of each value; what lies outside the range goes to the nearest end."""
        side: Side = "left" if self.whole or self.closed == "right" else "right"
        return np.searchsorted(self._thresholds, values, side=side)

    @cached_property
    def grid(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """First and last value of each bin that may be drawn, in units of `unit`; first > last for an empty bin."""
        if self.whole:
            spans = [(-(-first // self.form.step), last // self.form.step) for first, last in self.spans]
        else:
            spans = self._decimal_spans()
        first, last = (np.array(ends, dtype=np.int64) for ends in zip(*spans, strict=True))
        if not self.whole:
            self._keep_own(first, last)
        first.setflags(write=False)
        last.setflags(write=False)
        return first, last

    def values(self, points: npt.NDArray[np.int64]) -> npt.NDArray[np.int64] | npt.NDArray[np.float64]:
        """Grid points as values."""
        return points * self.form.step if self.whole else points / 10.0**self.decimals

    @property
    def unit(self) -> Fraction:
        """The distance between two grid points."""
        return Fraction(self.form.step) if self.whole else Fraction(1, 10**self.decimals)

    @cached_property
    def pieces(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """First and last grid point of every piece that is evenly filled, and its part of all bins before and itself.

        The parts of a bin's pieces add up to 1: piece i lies between `ends[i - 1]` and `ends[i]`, and bin b between b
        and b + 1.
        """
        first, last = self.grid
        if self.shape is None:
            return first, last, np.arange(1.0, self.count + 1)
        starts = np.array(self.shape.starts, dtype=np.int64)
        stops = np.append(starts[1:] - 1, last[-1])
        bin_of = np.searchsorted(first, starts, side="right") - 1
        shares = np.array(self.shape.shares)
        # a bin that nothing is known to lie in is filled evenly
        empty = (np.bincount(bin_of, weights=shares, minlength=self.count) <= 0)[bin_of]
        shares = np.where(empty, stops - starts + 1.0, shares)
        totals = np.bincount(bin_of, weights=shares, minlength=self.count)
        ends = np.clip(np.cumsum(shares / totals[bin_of]), bin_of, bin_of + 1.0)
        ends[np.append(bin_of[1:] != bin_of[:-1], True)] = np.arange(1.0, self.count + 1)  # where rounding left them
        return starts, stops, ends

    @cached_property
    def guide(self) -> Guide:
        """A way to find pieces by the part of a bin that lies before them, and by the grid points that they hold."""
        starts, _, ends = self.pieces
        first, last = self.grid
        own = np.arange(self.count) if self.shape is None else np.searchsorted(first, starts, side="right") - 1
        bin_at = np.searchsorted(own, np.arange(self.count + 1))
        slots = 2 ** np.ceil(np.log2(np.maximum(2 * (np.diff(bin_at) - 1), 1))).astype(np.int64)
        slot_at = np.append(0, np.cumsum(slots))
        bin_of = np.repeat(np.arange(self.count), slots)
        parts = (np.arange(slot_at[-1]) - slot_at[bin_of]) / slots[bin_of]
        points = first[bin_of] + ((last - first + 1.0)[bin_of] * parts).astype(np.int64)
        by_point = np.searchsorted(starts, points, side="right") - 1
        by_point = np.clip(by_point, bin_at[bin_of], bin_at[bin_of + 1] - 1)
        return Guide(bin_at, slot_at, np.searchsorted(ends, bin_of + parts, side="right"), by_point)

    def share_below(self, points: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """For each bin, the share of its values that lie at a grid point up to the one given for it.

        >>> bins = Bins(edges=(Fraction(0), Fraction(9)), form=Form(type="integer"),
        ...     shape=Shape(starts=(0, 1), shares=(0.9, 0.1)))
        >>> bins.share_below(np.array([0])).tolist(), bins.share_below(np.array([-1])).tolist()
        ([0.9], [0.0])
        """
        starts, stops, ends = self.pieces
        first, last = self.grid
        at = np.clip(points, first - 1, last)
        piece = np.maximum(np.searchsorted(starts, at, side="right") - 1, 0)
        before = np.concatenate([[0.0], ends])[piece]
        inside = (np.minimum(at, stops[piece]) - starts[piece] + 1) / (stops[piece] - starts[piece] + 1)
        share = before + (ends[piece] - before) * inside - np.arange(self.count)
        return np.asarray(np.where(at < first, 0.0, np.where(at >= last, 1.0, np.clip(share, 0.0, 1.0))))

    def _decimal_spans(self) -> list[tuple[int, int]]:
        points = [edge * 10**self.decimals for edge in self.edges]
        return [(math.ceil(low), math.floor(high)) for low, high in pairwise(points)]

    def _keep_own(self, first: npt.NDArray[np.int64], last: npt.NDArray[np.int64]) -> None:
        """Move the ends of each bin inwards until they are its own.

        Floats round, so the very comparison that reading uses is asked which end belongs to the bin.
        """
        for ends, step in ((first, 1), (last, -1)):
            while (strange := (first <= last) & ~self._holds(ends)).any():
                ends[strange] += step

    def _holds(self, points: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Whether each bin holds the point at its position."""
        values = self.values(points)
        own: npt.NDArray[np.bool_] = self.codes(values) == np.arange(self.count)
        return own & (self.minimum <= values) & (values <= self.maximum)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """A text for each bin, such as `40–44`, or `(0.5, 1]` for numbers whose edges are values themselves.

        >>> edges = (Fraction(0), Fraction(5, 100), Fraction(65, 100), Fraction(9))
        >>> Bins(edges=edges, form=Form(type="number"), decimals=1).labels
        ('0', '0.1–0.6', '0.7–9')
        """
        if self.whole or self._cut_between_values():
            ends = [(self.form.text(a), self.form.text(b)) for a, b in (self._ends(c) for c in range(self.count))]
            return tuple(low if low == high else f"{low}–{high}" for low, high in ends)
        texts = self._edge_texts()
        labels = []
        for code, (low, high) in enumerate(pairwise(texts)):
            opening = "[" if self.closed == "left" or code == 0 else "("
            closing = "]" if self.closed == "right" or code == self.count - 1 else ")"
            labels.append(f"{opening}{low}, {high}{closing}")
        return tuple(labels)

    def _cut_between_values(self) -> bool:
        """Whether edges lie halfway between two numbers of so many decimals, as those of bins that are found do."""
        return self.count > 1 and all((edge / self.unit - Fraction(1, 2)).denominator == 1 for edge in self.edges[1:-1])

    def _ends(self, code: int) -> tuple[int | float, int | float]:
        first, last = (self.values(ends[code : code + 1])[0].item() for ends in self.grid)
        return first, last

    def _edge_texts(self) -> list[str]:
        texts = [format_number(float(f"{float(edge):.6g}")) for edge in self.edges]
        return texts if len(set(texts)) == len(texts) else [format_number(float(edge)) for edge in self.edges]


def equal_width(low: Fraction, high: Fraction, count: int) -> tuple[Fraction, ...]:
    """Edges of `count` bins of one width.

    >>> [str(edge) for edge in equal_width(Fraction(0), Fraction(1), 2)]
    ['0', '1/2', '1']
    """
    start, width = low * count, high - low
    return tuple(Fraction(start + width * i, count) for i in range(count + 1))


def default_count(
    low: Fraction, high: Fraction, form: Form, *, most: int = DEFAULT_BINS, decimals: int | None = None
) -> int:
    """Bins taken where none are declared: `most`, or one for each value if the range has fewer.

    >>> default_count(Fraction(1), Fraction(5), Form(type="integer"))
    5
    >>> default_count(Fraction(1), Fraction(2), Form(type="number"), decimals=1)
    11
    """
    if form.type == "number":
        scale = 10 ** (decimals or 0)
        values = most if decimals is None else math.floor(high * scale) - math.ceil(low * scale) + 1
        return max(1, min(most, values)) if high > low else 1
    return min(most, math.floor((high - low) / form.step) + 1)


def default_decimals(edges: tuple[Fraction, ...], declared: tuple[Fraction, ...]) -> int:
    """Digits to draw: those of the declared ends, and enough for a hundred values or more in the narrowest bin.

    Never more than a float can tell apart at the range's own size.

    >>> default_decimals((Fraction(0), Fraction(1)), (Fraction(0), Fraction(1)))
    2
    """
    width = min((b - a for a, b in pairwise(edges)), default=Fraction(0))
    fine = 2 - math.floor(math.log10(width)) if float(width) > 0 else 0
    largest = max(abs(edge) for edge in edges)
    limit = 14 - (math.floor(math.log10(largest)) if float(largest) > 0 else 0)
    return max(0, min(max(fine, *(decimals_of(end) for end in declared)), limit, 22))


def most_decimals(edges: tuple[Fraction, ...], *, found: bool) -> int:
    """The most digits after the point that values in a range can have: their number in units must fit 64 bits.

    Where bins are to be `found`, edges lie half-way between two values, and floats must tell all three apart.

    >>> [most_decimals((Fraction(0), Fraction(100)), found=found) for found in (True, False)]
    [13, 16]
    """
    largest = max(abs(edge) for edge in edges)
    step = Fraction(math.ulp(float(largest)))
    most = 22
    while most and (largest * 10**most >= 2**63 or (found and 2 * step * 10**most > 1)):
        most -= 1
    return most


def holds_nothing(bins: Bins, *, one: bool) -> str | None:
    """What to say of the first bin that no value lies in, if there is one; `one` where nobody has named the bins.

    >>> holds_nothing(Bins(edges=(Fraction(1, 10), Fraction(1, 5)), form=Form(type="integer")), one=True)
    'its range holds no whole number. Widen it'
    """
    first, last = bins.grid
    if not (first > last).any():
        return None
    digits, number = bins.decimals, bins.form.type == "number"
    kinds = {"number": f"number of {digits} decimal{'s' * (digits != 1)}", "date": "day", "year": "year"}
    kind = {**kinds, "integer": "whole number"}.get(bins.form.type, "moment its format can show")
    where, what = f"bin {int((first > last).argmax()) + 1} of {bins.count}", "Use fewer bins or wider ones"
    if bins.count == 1 or one:
        where, what = "its range", "Widen it"
    more = ", or use larger units" if digits > 15 else ", or use more decimals"
    return f"{where} holds no {kind}. {what}{more if number else ''}"
