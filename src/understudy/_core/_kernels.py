"""Random words inside a compiled loop: xoshiro256++ (Blackman and Vigna 2019), seeded by words of a named stream."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from understudy._core.compiling import kernel

_TO_UNIT = 1.0 / (1 << 53)


@kernel(inline="always")
def rotl(x, k):
    """The bits of x, moved round."""
    return (x << np.uint64(k)) | (x >> np.uint64(64 - k))


@kernel(inline="always")
def next_word(state):
    """The next 64 bits."""
    result = rotl(state[0] + state[3], 23) + state[0]
    t = state[1] << np.uint64(17)
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= t
    state[3] = rotl(state[3], 45)
    return result


@kernel(inline="always")
def unit(state):
    """A uniform number in [0, 1)."""
    return (next_word(state) >> np.uint64(11)) * _TO_UNIT


@kernel(inline="always")
def below(state, n):
    """A uniform integer in 0 … n − 1 for n < 2³², without bias (Lemire 2019)."""
    n = np.uint64(n)
    low_half = np.uint64(0xFFFFFFFF)
    product = (next_word(state) >> np.uint64(32)) * n
    if (product & low_half) < n:
        least = (np.uint64(1 << 32) - n) % n
        while (product & low_half) < least:
            product = (next_word(state) >> np.uint64(32)) * n
    return np.int64(product >> np.uint64(32))
