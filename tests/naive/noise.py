"""Exact samplers and choices, in Python's own integers and fractions, word by word off a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

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


def naive_gaussian(t: int, m: int, b: int, words: Words) -> int:
    """Probability ∝ exp(−x²·b/(2·t·m)): a Laplace of scale t, kept with probability exp(−(|x| − m/b)²·b/(2·t·m))."""
    while True:
        x = naive_laplace(t, 1, words)
        if abs(x) >= 64 * t:
            if naive_flip_steps(512, words):
                raise GaveUp
            continue
        exponent = (abs(x) - Fraction(m, b)) ** 2 / (2 * t * Fraction(m, b))
        # over the one denominator that the words are drawn for, not the reduced one
        over = 2 * m * b * t
        whole, rest = divmod(exponent * over, over)
        if naive_flip_steps(int(whole), words) and naive_flip(rest, over, words):
            return x


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
