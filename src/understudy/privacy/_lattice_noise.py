"""Exact integer noise for tables asked together: probability ∝ exp(−rate · the largest norm among them).

*Balanced* noise sums to 0 in each table, and its norm is Σ|z|/2: for tables of a public total. *Free* noise is any
whole numbers, with the norm Σ|z|. Either way the whole numbers within a radius T of a table with k cells are counted by
Σ_l faces(l)·C(T, l), and one of them is drawn by drawing l and three independent subsets (proof.md, section 13).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb

from understudy.privacy._bounded import Bounded, exp_minus, surely_below
from understudy.privacy._integers import below
from understudy.privacy._log_concave import Peak, draw, find_peak, first_where
from understudy.privacy._word_stream import WordStream

_SPARE = 32  # bits beyond those asked for: sums and products of up to 2^30 rounded terms


@dataclass(frozen=True, slots=True)
class Ball:
    """The noise of one table within a radius: how much there is of it, and one piece drawn uniformly.

    >>> [Ball(cells=3, balanced=True).size(t) for t in range(4)], Ball(cells=2, balanced=False).size(2)
    ([1, 7, 19, 37], 13)
    """

    cells: int
    balanced: bool

    @property
    def degree(self) -> int:
        """Dimensions of the noise."""
        return self.cells - 1 if self.balanced else self.cells

    def faces(self, corners: int) -> int:
        """How many ways there are to choose signs and places for breaks at so many distances from 0."""
        if self.balanced:
            return comb(self.degree, corners) * comb(self.degree + corners, corners)
        return comb(self.cells, corners) << corners

    def term(self, radius: int, corners: int) -> int:
        """Noise within the radius that has so many corners."""
        return self.faces(corners) * comb(radius, corners)

    def growth(self, radius: int, corners: int) -> tuple[int, int]:
        """term(corners + 1)/term(corners), as numerator and denominator: it falls as corners grow."""
        n, up = self.degree, corners + 1
        if self.balanced:
            return (n - corners) * (n + up) * (radius - corners), up**3
        return 2 * (n - corners) * (radius - corners), up**2

    def size(self, radius: int) -> int:
        """All noise within the radius, counted exactly."""
        return sum(self.term(radius, corners) for corners in range(min(self.degree, radius) + 1))

    def rises(self, radius: int, corners: int) -> bool:
        """Whether there is more noise with one corner more."""
        above, under = self.growth(radius, corners)
        return above > under

    def peak_corners(self, radius: int) -> int:
        """The number of corners that most of the noise has."""
        last = min(self.degree, radius)
        return first_where(lambda x: x >= last or not self.rises(radius, x), guess=last // 2)

    def over_peak(self, radius: int, bits: int) -> Bounded:
        """The size over its largest term: terms far below that one are bounded, not counted."""
        peak, last, unit = self.peak_corners(radius), min(self.degree, radius), 1 << bits
        low = high = unit
        for step in (1, -1):
            low_term = high_term = unit
            at = peak
            while 0 <= at + step <= last and high_term > 1:
                above, under = self.growth(radius, at if step > 0 else at - 1)
                if step < 0:
                    above, under = under, above
                low_term, high_term = low_term * above // under, -(-high_term * above // under)
                low, high, at = low + low_term, high + high_term, at + step
            left = last - at if step > 0 else at
            high += left * high_term  # terms fall on either side of the peak
        return Bounded(low, high, -bits)

    def climb(self, radius: int, start: int, end: int, bits: int) -> Bounded:
        """term(end)/term(start)."""
        up = multiplied((self.growth(radius, x) for x in range(min(start, end), max(start, end))), bits)
        return up if end >= start else Bounded.exactly(1).over(up, bits)

    def size_ratio(self, one: int, other: int, bits: int) -> Bounded:
        """size(one)/size(other) for two radii, by way of one term of each."""
        wide = bits + _SPARE
        common = self.peak_corners(min(one, other))
        found = binomial_ratio(one, other, common, wide)
        for radius, join in ((one, Bounded.times), (other, Bounded.over)):
            found = join(found, self.over_peak(radius, wide), wide)
            found = join(found, self.climb(radius, common, self.peak_corners(radius), wide), wide)
        return found.kept(bits)

    def draw(self, radius: int, stream: WordStream) -> list[int]:
        """Noise of one table, uniform among all within the radius."""
        last = min(self.degree, radius)

        def ratio(one: int, other: int, bits: int) -> Bounded:
            return self.climb(radius, other, one, bits + _SPARE)

        peak = find_peak(ratio, lambda x: self.rises(radius, x), guess=self.peak_corners(radius), last=last)
        corners = draw(ratio, peak, stream)
        breaks = draw_subset(radius, corners, stream)
        return self._balanced(breaks, stream) if self.balanced else self._free(breaks, stream)

    def _free(self, breaks: list[int], stream: WordStream) -> list[int]:
        """Sizes are the distances between breaks; cells and signs are drawn."""
        noise, before = [0] * self.cells, -1
        for cell, end in zip(draw_subset(self.cells, len(breaks), stream), breaks, strict=True):
            noise[cell] = (end - before) * (1 if below(2, stream) else -1)
            before = end
        return noise

    def _balanced(self, breaks: list[int], stream: WordStream) -> list[int]:
        """The last break is the norm r. Some of the others divide r among the cells above 0, the rest among the others.

        A subset of k + l − 1 places says which cells are above 0 (the first k) and which of the l − 1 inner breaks are
        not theirs (the rest). Those and a subset of n places put the bars that divide r among the cells that are not.
        """
        k, n, l = self.cells, self.degree, len(breaks)  # noqa: E741  (as in the proof)
        if not l:
            return [0] * k
        chosen = draw_subset(k + l - 1, l, stream)
        above, theirs_not = [x for x in chosen if x < k], {x - k for x in chosen if x >= k}
        r, p = breaks[-1] + 1, len(above)
        ends = [breaks[i] + 1 for i in range(l - 1) if i not in theirs_not]
        bars = [breaks[i] - theirs for i, theirs in _ranks(theirs_not, l)]
        bars += [r - p + x for x in draw_subset(n, n - l, stream)]
        noise, before = [0] * k, 0
        for cell, end in zip(above, [*ends, r], strict=True):
            noise[cell], before = end - before, end
        before, rest = -1, sorted(set(range(k)).difference(above))
        for cell, bar in zip(rest, [*bars, r + n - p], strict=True):
            noise[cell], before = -(bar - before - 1), bar
        return noise


def _ranks(theirs_not: set[int], l: int) -> list[tuple[int, int]]:  # noqa: E741
    """Each inner break that is not of the cells above 0, with how many before it are."""
    found, before = [], 0
    for i in range(l - 1):
        if i in theirs_not:
            found.append((i, before))
        else:
            before += 1
    return found


def multiplied(factors: Iterable[tuple[int, int]], bits: int) -> Bounded:
    """The product of fractions given as numerator and denominator, both above 0.

    >>> multiplied([(1, 2), (4, 1), (3, 2)], 64).scaled(0)
    (3, 3)
    """
    low = high = 1 << bits
    exponent = -bits
    for above, under in factors:
        room = max(0, under.bit_length() - above.bit_length() + 1)  # so that no bits are lost to a small factor
        low, high = (low * above << room) // under, -((-high * above << room) // under)
        surplus = high.bit_length() - bits
        low, high, exponent = low >> surplus, -(-high >> surplus), exponent + surplus - room
    return Bounded(low, high, exponent)


def binomial_ratio(one: int, other: int, corners: int, bits: int) -> Bounded:
    """C(one, corners)/C(other, corners), for numbers of at least as many corners.

    >>> low, high = binomial_ratio(9, 7, 3, 64).scaled(32)
    >>> round(low / 2**32, 6), comb(9, 3) / comb(7, 3)
    (2.4, 2.4)
    """
    if corners <= abs(one - other):
        return multiplied(((one - i, other - i) for i in range(corners)), bits)
    small, large = min(one, other), max(one, other)
    grown = multiplied(((x, x - corners) for x in range(small + 1, large + 1)), bits)
    return grown if one >= other else Bounded.exactly(1).over(grown, bits)


def draw_subset(n: int, size: int, stream: WordStream) -> list[int]:
    """A uniform subset of 0 … n − 1 of this size, in ascending order (Floyd's algorithm).

    >>> from understudy._core.randomness import SeededBytes
    >>> draw_subset(3, 3, WordStream(SeededBytes(1)))
    [0, 1, 2]
    """
    found: set[int] = set()
    for top in range(n - size, n):
        pick = below(top + 1, stream)
        found.add(top if pick in found else pick)
    return sorted(found)


@dataclass(frozen=True, slots=True)
class Radius:
    """The law of the radius T: weight exp(−rate·T) · Π over tables of the size of their balls."""

    balls: tuple[tuple[Ball, int], ...]
    rate: Fraction

    @classmethod
    def of(cls, cells: Sequence[int], rate: Fraction, *, balanced: bool) -> Radius:
        """For tables of these numbers of cells."""
        counted = Counter(Ball(size, balanced) for size in cells)
        return cls(tuple(sorted(counted.items(), key=lambda item: item[0].cells)), rate)

    @property
    def degree(self) -> int:
        """Dimensions of all the noise together."""
        return sum(ball.degree * times for ball, times in self.balls)

    def ratio(self, one: int, other: int, bits: int) -> Bounded:
        """weight(one)/weight(other)."""
        found = Bounded.exactly(1)
        for ball, times in self.balls:
            found = found.times(ball.size_ratio(one, other, bits).power(times, bits), bits)
        fallen = exp_minus(abs(one - other) * self.rate, bits)
        return found.times(fallen, bits) if one >= other else found.over(fallen, bits)

    def rises(self, radius: int) -> bool:
        """Whether the next radius has more weight. Weights are never equal: exp(−rate) is no fraction."""
        return surely_below(lambda _: Bounded.exactly(1), lambda bits: self.ratio(radius + 1, radius, bits))


@lru_cache(maxsize=256)
def radius_peak(law: Radius) -> Peak:
    """Where the radius is most likely: public, so it may be remembered."""
    return find_peak(law.ratio, law.rises, guess=int(law.degree / law.rate))


def draw_together(cells: Sequence[int], rate: Fraction, stream: WordStream, *, balanced: bool) -> list[list[int]]:
    """Noise for tables of these numbers of cells, with probability ∝ exp(−rate · the largest norm among them).

    >>> from understudy._core.randomness import SeededBytes
    >>> [sum(noise) for noise in draw_together([2, 5], Fraction(1, 3), WordStream(SeededBytes(1)), balanced=True)]
    [0, 0]
    """
    law = Radius.of(cells, rate, balanced=balanced)
    radius = draw(law.ratio, radius_peak(law), stream)
    return [Ball(size, balanced).draw(radius, stream) for size in cells]
