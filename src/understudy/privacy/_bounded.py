"""Positive real numbers known by bounds, as narrow as one asks for, and coins of such a bias: integers throughout."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from understudy.privacy._word_stream import WordStream

FIRST_BITS = 128
_SPARE = 16  # bits beyond those asked for, so that what is rounded on the way does not show


@dataclass(frozen=True, slots=True)
class Bounded:
    """A number x with low·2^exponent ≤ x ≤ high·2^exponent.

    >>> Bounded(3, 4, 0).times(Bounded(5, 5, 1), 64)
    Bounded(low=15, high=20, exponent=1)
    """

    low: int
    high: int
    exponent: int = 0

    @classmethod
    def exactly(cls, number: int) -> Bounded:
        """A whole number."""
        return cls(number, number)

    def kept(self, bits: int) -> Bounded:
        """The same number with bounds of so many bits, rounded outwards."""
        extra = self.high.bit_length() - bits
        if extra <= 0:
            return self
        return Bounded(self.low >> extra, -(-self.high >> extra), self.exponent + extra)

    def times(self, other: Bounded, bits: int) -> Bounded:
        """The product."""
        return Bounded(self.low * other.low, self.high * other.high, self.exponent + other.exponent).kept(bits)

    def over(self, other: Bounded, bits: int) -> Bounded:
        """The quotient, by a number that is surely above 0."""
        shift = max(0, bits + other.high.bit_length() - self.low.bit_length())
        low = (self.low << shift) // other.high
        high = -(-(self.high << shift) // other.low)
        return Bounded(low, high, self.exponent - other.exponent - shift).kept(bits)

    def power(self, times: int, bits: int) -> Bounded:
        """The number multiplied by itself, by repeated squaring."""
        found, square = Bounded.exactly(1), self
        while times:
            if times & 1:
                found = found.times(square, bits)
            times >>= 1
            if times:
                square = square.times(square, bits)
        return found

    def scaled(self, bits: int) -> tuple[int, int]:
        """Whole numbers around x·2^bits."""
        shift = self.exponent + bits
        if shift >= 0:
            return self.low << shift, self.high << shift
        return self.low >> -shift, -(-self.high >> -shift)


Refined: TypeAlias = Callable[[int], Bounded]
"""A number with bounds of about as many bits as it is given; they close in on it as the bits grow."""


def exp_minus(exponent: Fraction, bits: int) -> Bounded:
    """Bounds of exp(−exponent), for an exponent of 0 or more.

    >>> low, high = exp_minus(Fraction(3, 2), 64).scaled(60)
    >>> low / 2**60, high - low < 99
    (0.22313016014842982, True)
    """
    whole, rest = divmod(exponent, 1)
    bits += _SPARE + int(whole).bit_length()  # a power adds up the errors of its factors
    found = Bounded.exactly(1)
    if rest:
        found = found.over(_exp(rest, bits), bits)
    if whole:
        found = found.times(Bounded.exactly(1).over(_exp(Fraction(1), bits), bits).power(int(whole), bits), bits)
    return found


def _exp(x: Fraction, bits: int) -> Bounded:
    """e^x for 0 < x ≤ 1 by its series, each term rounded outwards. What follows the last term is no more than it."""
    p, q = x.numerator, x.denominator
    low_term = high_term = low = high = 1 << bits
    i = 1
    while high_term > 1:
        low_term, high_term = low_term * p // (q * i), -(-high_term * p // (q * i))
        low, high, i = low + low_term, high + high_term, i + 1
    return Bounded(low, high + high_term, -bits)  # from x²/2 on a term is at most half of the one before


def surely_below(one: Refined, other: Refined) -> bool:
    """Whether one number is below the other, for numbers that differ: with as many bits as that takes.

    >>> surely_below(lambda bits: exp_minus(Fraction(1), bits), lambda bits: Bounded(1, 1, -1))
    True
    """
    bits = FIRST_BITS
    while True:
        found, limit = one(bits), other(bits)
        least = min(found.exponent, limit.exponent)
        if found.high << (found.exponent - least) < limit.low << (limit.exponent - least):
            return True
        if found.low << (found.exponent - least) > limit.high << (limit.exponent - least):
            return False
        bits *= 2


def flip(chance: Refined, stream: WordStream) -> bool:
    """True with exactly this probability: a uniform number's bits are drawn until it is surely below, or surely not.

    >>> from understudy._core.randomness import SeededBytes
    >>> flip(lambda bits: Bounded(1, 1), WordStream(SeededBytes(1)))
    True
    """
    drawn, words = 0, 0
    while True:
        drawn, words = drawn << 64 | stream.next(), words + 1
        low, high = chance(64 * words + FIRST_BITS).scaled(64 * words)
        if drawn < low:
            return True
        if drawn >= high:
            return False
