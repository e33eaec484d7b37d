"""Drawing columns of codes, row by row, with exact fractions and a generator written from its paper."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd

_ALL = 2**64 - 1


class NaiveXoshiro:
    """xoshiro256++ in Python integers: the step as Blackman and Vigna (2019) print it."""

    def __init__(self, state: Sequence[int]) -> None:
        self.s = [int(word) for word in state]

    def word(self) -> int:
        """The next 64 bits."""
        s0, s1, s2, s3 = self.s
        result = (naive_rotl((s0 + s3) & _ALL, 23) + s0) & _ALL
        s2, s3 = s2 ^ s0, s3 ^ s1
        s1, s0 = s1 ^ s2, s0 ^ s3
        self.s = [s0, s1, s2 ^ (self.s[1] << 17 & _ALL), naive_rotl(s3, 45)]
        return result

    def unit(self) -> Fraction:
        """A number in [0, 1), from the upper 53 bits."""
        return Fraction(self.word() >> 11, 2**53)

    def below(self, n: int) -> int:
        """A number in 0 … n − 1: the upper half of a 32-bit draw times n, unless its lower half is over-represented."""
        while True:
            high, low = divmod((self.word() >> 32) * n, 2**32)
            if low >= 2**32 % n:
                return high


def naive_rotl(word: int, by: int) -> int:
    """The bits of a 64-bit word, moved round."""
    bits = f"{word:064b}"
    return int(bits[by:] + bits[:by], 2)


def naive_place(codes: Sequence[Sequence[int]], lookups: Sequence[Sequence[int]]) -> list[int]:
    """For each row, the sum of what its codes stand for."""
    return [sum(lookup[code] for code, lookup in zip(row, lookups, strict=True)) for row in zip(*codes, strict=True)]


def naive_find(cumulative: Sequence[float], low: int, high: int, point: Fraction) -> int:
    """The first cell from `low` on whose cumulative weight reaches the point; the last one if none does."""
    return next((i for i in range(low, high - 1) if Fraction(cumulative[i]) >= point), high - 1)


def naive_balanced(place, first, stop, cumulative, code_of, state) -> list[int]:
    """Value i of a configuration's m rows is the first whose share of m, plus u, reaches i + 1; then they are shuffled.

    Shuffling goes from the last place down, each swapped with one at or before it.
    """
    rng = NaiveXoshiro(state)
    dealt: dict[int, list[int]] = {}
    for q in range(len(first)):
        m = list(place).count(q)
        if m == 0:
            continue
        u = rng.unit()
        cells = [naive_find(cumulative, first[q], stop[q], (i + 1 - u) / m) for i in range(m)]
        values = [int(code_of[cell % len(code_of)]) for cell in cells]
        for i in reversed(range(1, m)):
            j = rng.below(i + 1)
            values[i], values[j] = values[j], values[i]
        dealt[q] = values
    return [dealt[q].pop(0) for q in place]


def naive_stride(m: int) -> int:
    """Of the numbers without a divisor in common with m, the one nearest to m over the golden ratio."""
    middle = round(m * (5**0.5 - 1) / 2)
    return min((s for s in range(1, m + 1) if gcd(s, m) == 1), key=lambda s: (abs(s - middle), -s))


def naive_dealt(place, order, first, stop, cumulative, code_of, rng) -> list[int]:
    """As balanced, but row i of a configuration, in `order`, gets the value i strides after one drawn by chance."""
    out = [0] * len(place)
    for q in range(len(first)):
        rows = [r for r in order if place[r] == q]
        m = len(rows)
        if m == 0:
            continue
        u = rng.unit()
        cells = [naive_find(cumulative, first[q], stop[q], (i + 1 - u) / m) for i in range(m)]
        start = rng.below(m)
        for i, r in enumerate(rows):
            out[r] = int(code_of[cells[(start + i * naive_stride(m)) % m] % len(code_of)])
    return out


def naive_sorted_rows(order: Sequence[int], codes: Sequence[int]) -> list[int]:
    """The rows by code, rows with one code as they were."""
    return sorted(order, key=lambda row: codes[row])


def naive_independent(place, first, stop, cumulative, code_of, state) -> list[int]:
    """Each row on its own: the first cell that reaches 1 − u."""
    rng = NaiveXoshiro(state)
    cells = [naive_find(cumulative, first[q], stop[q], 1 - rng.unit()) for q in place]
    return [int(code_of[cell % len(code_of)]) for cell in cells]
