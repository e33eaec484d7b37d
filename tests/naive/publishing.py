"""Published values drawn from random bits, one at a time, in Python's whole numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

Cells = Sequence[tuple[int, int]]
"""Published codes and their weights, in the order in which they share out the numbers of so many bits."""


def naive_response(true: int, values: int, keep: int, other: int) -> Cells:
    """Cells of randomised response: the value itself first."""
    return [(true, keep), *((code, other) for code in range(values) if code != true)]


def naive_matrix(weights: Sequence[int]) -> Cells:
    """Cells of one row of a matrix."""
    return list(enumerate(weights))


def naive_publish(cells: Cells, head: int, words: Iterator[int], *, bits: int = 64, head_bits: int = 16) -> int:
    """One draw: the head decides if it can, else a word completes it; a number beyond the last cell is drawn anew."""
    denominator = sum(weight for _, weight in cells)
    step = 2**bits // denominator
    tail = bits - head_bits

    def published(number: int) -> int | None:
        below = 0
        for code, weight in cells:
            below += weight * step
            if number < below:
                return code
        return None

    least, most = published(head << tail), published(((head + 1) << tail) - 1)
    if least == most and least is not None:
        return least
    found = published((head << tail) | (next(words) >> head_bits))
    while found is None:
        found = published(next(words))
    return found
