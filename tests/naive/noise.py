"""Exact samplers and choices, in Python's own integers and fractions, word by word off a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, isqrt

OUT_OF_WORDS, GAVE_UP = -1, -2


class Ended(Exception):
    """There are no words left."""


class GaveUp(Exception):
    """Something happened that never happens."""


@dataclass
class Words:
    """64-bit words, taken one after another."""

    words: Sequence[int]
    position: int = 0

    def take(self) -> int:
        """The next word."""
        if self.position >= len(self.words):
            raise Ended
        self.position += 1
        return int(self.words[self.position - 1])


def naive_below(m: int, words: Words) -> int:
    """A number in 0 … m − 1; words that would make some of them likelier are passed over."""
    while True:
        word = words.take()
        if word >= 2**64 % m:
            return word % m


def naive_flip(x: Fraction | int, y: int, words: Words) -> bool:
    """True with probability exp(−x/y), x ≤ y: the number of rounds won, round k with x/(y·k), is even."""
    won = 0
    while True:
        k = won + 1
        if y < 2**63 // k:
            hit = naive_below(y * k, words) < x
        else:
            hit = naive_below(k, words) == 0 and naive_below(y, words) < x
        if not hit:
            return won % 2 == 0
        won += 1


def naive_flip_one(words: Words) -> bool:
    """True with probability 1/e: as above for x = y = 1, whose first round needs no word."""
    won = 1
    while naive_below(won + 1, words) == 0:
        won += 1
    return won % 2 == 0


def naive_flip_steps(steps: int, words: Words) -> bool:
    """True with probability exp(−steps)."""
    return all(naive_flip_one(words) for _ in range(steps))


def naive_laplace(t: int, s: int, words: Words) -> int:
    """Probability ∝ exp(−|x|·s/t)."""
    while True:
        rest = naive_below(t, words)
        if naive_flip(rest, t, words):
            whole = 0
            while naive_flip_one(words):
                whole += 1
            size = (rest + t * whole) // s
            negative = naive_below(2, words) == 1
            if size or not negative:
                return -size if negative else size


def naive_tail(x: Fraction, bits: int = 400) -> Fraction:
    """Φ(−x) for |x| ≤ 12, by the alternating series in fixed point; off by less than 2^−200."""
    one = 1 << bits
    place = int(x * one)
    square = place * place >> bits
    term, total, n = place, place, 0
    while term:
        n += 1
        term = -(term * square >> bits) // (2 * n)
        total += term // (2 * n + 1)
    return Fraction(1, 2) - Fraction(total, one) / naive_root(2 * naive_pi(bits), bits)


def naive_root(x: Fraction, bits: int = 400) -> Fraction:
    """√x to so many bits."""
    return Fraction(isqrt(int(x * (1 << 2 * bits))), 1 << bits)


def naive_pi(bits: int) -> Fraction:
    """π by Euler's arctangents, to so many bits."""

    def arctan(n: int) -> int:
        power, total, k = (1 << bits + 20) // n, 0, 1
        while power:
            total += power // k if k % 4 == 1 else -(power // k)
            power, k = power // (n * n), k + 2
        return total

    return Fraction(4 * (arctan(2) + arctan(3)), 1 << bits + 20)


def naive_rounded(number: Fraction, variance: Fraction, words: Words) -> int:
    """The nearest whole number to number + N(0, variance): bits of a tail are read until both its ends agree."""
    word = words.take()
    sign, tail, bits = (-1 if word >> 63 else 1), word & ((1 << 63) - 1), 64
    while True:
        ends = [
            _rounded_at(sign * number, variance, Fraction(tail + end, 1 << bits)) for end in (0, 1) if tail + end > 0
        ]
        if len(ends) == 2 and ends[0] == ends[1]:
            return sign * ends[0]
        tail, bits = tail << 64 | words.take(), bits + 64


def _rounded_at(number: Fraction, variance: Fraction, tail: Fraction) -> int:
    """The rounding of number + σz for the z with Φ(−z) = tail: the last whole number that number + σz + ½ reaches."""
    deviation = naive_root(variance)
    low, high = floor(number) - 1, ceil(number + 12 * deviation) + 1
    while high - low > 1:
        middle = (low + high) // 2
        if naive_tail((middle - Fraction(1, 2) - number) / deviation) >= tail:
            low = middle
        else:
            high = middle
    return low


def naive_flip_gap(gap: int, p: int, q: int, words: Words) -> bool:
    """True with probability exp(−gap·p/q)."""
    whole, rest = divmod(gap * p, q)
    return naive_flip_steps(whole, words) and naive_flip(rest, q, words)


def naive_noisy(draw, counts: Sequence[int], words: Words) -> tuple[list[int], int, int]:
    """Counts plus a draw for each until the words end: what is done, the position behind it, and the status."""
    done: list[int] = []
    for count in counts:
        before = words.position
        try:
            done.append(int(count) + draw(words))
        except Ended:
            return done, before, OUT_OF_WORDS
        except GaveUp:
            return done, before, GAVE_UP
    return done, words.position, 0


def naive_permute_and_flip(
    gaps: Sequence[int], order: list[int], p: int, q: int, words: Words
) -> tuple[int, list[int], int, int]:
    """Candidates in random order until one is accepted: (winner or −1, those not looked at, position, status)."""
    order = list(order)
    while order:
        before = words.position
        try:
            pick = naive_below(len(order), words)
            accepted = naive_flip_gap(gaps[order[pick]], p, q, words)
        except Ended:
            return -1, order, before, OUT_OF_WORDS
        if accepted:
            return order[pick], order, words.position, 0
        last = order.pop()
        if pick < len(order):
            order[pick] = last
    return -1, [], words.position, GAVE_UP


def naive_exponential(gaps: Sequence[int], p: int, q: int, words: Words) -> tuple[int, int, int]:
    """Candidates drawn anew each time until one is accepted: (winner or −1, position, status)."""
    while True:
        before = words.position
        try:
            pick = naive_below(len(gaps), words)
            if naive_flip_gap(gaps[pick], p, q, words):
                return pick, words.position, 0
        except Ended:
            return -1, before, OUT_OF_WORDS
