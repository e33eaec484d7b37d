"""The same samplers in Python's own integers: any size of parameter, word for word the kernels' results.

Used where a parameter does not fit 64 bits, and by the tests as the kernels' slow twin.
"""

from __future__ import annotations

from understudy.privacy._word_stream import WordStream


def below(m: int, stream: WordStream) -> int:
    """A uniform integer in 0 … m − 1, by rejection.

    >>> from understudy._core.randomness import SeededBytes
    >>> below(1, WordStream(SeededBytes(1)))
    0
    """
    n_words = -(-m.bit_length() // 64)
    span = 1 << 64 * n_words
    while True:
        word = 0
        for _ in range(n_words):
            word = word << 64 | stream.next()
        if word >= span % m:  # what is left is a multiple of m
            return word % m


def flip_exp_fraction(x: int, y: int, stream: WordStream) -> bool:
    """True with probability exp(−x/y), for 0 ≤ x ≤ y."""
    k = 1
    while True:
        if y < (1 << 63) // k or y >= 1 << 63:
            hit = below(y * k, stream) < x
        else:  # as the kernel does it, to use the same words
            hit = below(k, stream) == 0 and below(y, stream) < x
        if not hit:
            return k % 2 == 1
        k += 1


def flip_exp_one(stream: WordStream) -> bool:
    """True with probability 1/e."""
    k = 2
    while below(k, stream) == 0:
        k += 1
    return k % 2 == 1


def flip_exp(x: int, y: int, stream: WordStream) -> bool:
    """True with probability exp(−x/y), for any x ≥ 0."""
    for _ in range(x // y):
        if not flip_exp_one(stream):
            return False
    return flip_exp_fraction(x % y, y, stream)


def draw_laplace(t: int, s: int, stream: WordStream) -> int:
    """A discrete Laplace integer, probability ∝ exp(−|x|·s/t)."""
    while True:
        u = below(t, stream)
        if not flip_exp_fraction(u, t, stream):
            continue
        steps = 0
        while flip_exp_one(stream):
            steps += 1
        size = (u + t * steps) // s
        if below(2, stream) == 0:
            return size
        if size:
            return -size


def permute_and_flip(gaps: list[int], p: int, q: int, stream: WordStream) -> int:
    """Look at candidates in random order until one is accepted, with probability exp(−gap·p/q); its index."""
    order, left = list(range(len(gaps))), len(gaps)
    while True:
        pick = below(left, stream)
        if flip_exp(gaps[order[pick]] * p, q, stream):
            return order[pick]
        left -= 1
        order[pick] = order[left]


def exponential(gaps: list[int], p: int, q: int, stream: WordStream) -> int:
    """Draw candidates uniformly until one is accepted, with probability exp(−gap·p/q); its index."""
    while True:
        pick = below(len(gaps), stream)
        if flip_exp(gaps[pick] * p, q, stream):
            return pick
