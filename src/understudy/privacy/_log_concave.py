"""Exact draws of a whole number whose weights are known up to a factor and have no second peak."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from understudy.privacy._bounded import Bounded, flip
from understudy.privacy._integers import below
from understudy.privacy._word_stream import WordStream

Ratio: TypeAlias = Callable[[int, int, int], Bounded]
"""weight(a)/weight(b) with bounds of so many bits; weights are above 0 on the support."""


@dataclass(frozen=True, slots=True)
class Peak:
    """Where log-concave weights on 0 … last are largest, and a step over which they fall to half on either side.

    From `mode` on, weight(x + step) ≤ weight(x)/2; from mode − 1 down, weight(x − step) ≤ weight(x)/2. Both follow from
    the first such x, as the ratio of weights one step apart falls towards the right.
    """

    mode: int
    step: int
    last: int | None = None

    def holds(self, x: int) -> bool:
        """Whether a number is in the support."""
        return x >= 0 and (self.last is None or x <= self.last)


def find_peak(ratio: Ratio, rises: Callable[[int], bool], *, guess: int, last: int | None = None) -> Peak:
    """The peak of weights on 0 … last; `rises(x)` says whether weight(x + 1) is above weight(x).

    >>> find_peak(lambda a, b, bits: Bounded(1, 1, b - a), lambda x: False, guess=7)
    Peak(mode=0, step=1, last=None)
    """
    mode = first_where(lambda x: not rises(x) if last is None or x < last else True, guess=guess)
    step = 1
    while not (_halved(ratio, mode, step, last) and (not mode or _halved(ratio, mode - 1, -step, last))):
        step += max(1, step // 2)
    return Peak(mode, step, last)


def _halved(ratio: Ratio, start: int, step: int, last: int | None) -> bool:
    """Whether the weight is surely at most half a step on; a wrong no takes a longer step, which is as right."""
    there = start + step
    if there < 0 or (last is not None and there > last):
        return True
    _, high = ratio(there, start, 64).scaled(64)
    return high <= 1 << 63


def first_where(holds: Callable[[int], bool], *, guess: int) -> int:
    """The least whole number from 0 on for which this holds, looked for near a guess; it holds for all larger ones.

    >>> first_where(lambda x: x * x > 1000, guess=3)
    32
    """
    low, high, stride = -1, max(guess, 0), 1  # it does not hold at `low`, and holds at `high` in the end
    if holds(high):
        while high - stride > low:
            if holds(high - stride):
                high, stride = high - stride, 2 * stride
            else:
                low = high - stride
    else:
        low = high
        while not holds(low + stride):
            low, stride = low + stride, 2 * stride
        high = low + stride
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def propose(peak: Peak, stream: WordStream) -> tuple[int, int]:
    """A number and how often its block's height was halved: a side, then the block, then one of its numbers.

    >>> from understudy._core.randomness import SeededBytes
    >>> propose(Peak(mode=5, step=2), WordStream(SeededBytes(1)))
    (-3, 3)
    """
    left, blocks = below(2, stream), 0
    while below(2, stream):
        blocks += 1
    away = blocks * peak.step + below(peak.step, stream)
    return peak.mode - 1 - away if left else peak.mode + away, blocks


def chance(ratio: Ratio, peak: Peak, x: int, blocks: int, bits: int) -> Bounded:
    """How often a proposed number is kept: its weight over the height of its block, at most 1."""
    found = ratio(x, peak.mode, bits)
    return Bounded(found.low, found.high, found.exponent + blocks)


def draw(ratio: Ratio, peak: Peak, stream: WordStream) -> int:
    """A whole number with probability exactly proportional to its weight (proof.md, section 13).

    >>> from understudy._core.randomness import SeededBytes
    >>> fall = lambda a, b, bits: Bounded(1, 1, b - a)  # weights 2^−x
    >>> draw(fall, find_peak(fall, lambda x: False, guess=0), WordStream(SeededBytes(2))) >= 0
    True
    """
    while True:
        x, blocks = propose(peak, stream)
        if peak.holds(x) and flip(partial(chance, ratio, peak, x, blocks), stream):
            return x
