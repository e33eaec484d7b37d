"""The numbers of SHA-256 that are not chosen: they begin the roots of the first primes (FIPS 180-4, section 4.2.2)."""

from __future__ import annotations

import numpy as np


def _roots(power: int, count: int) -> list[int]:
    """The first 32 bits after the point of the square or cube roots of the first primes, as the standard has them."""
    primes = [n for n in range(2, 312) if all(n % d for d in range(2, int(n**0.5) + 1))][:count]
    found = []
    for prime in primes:
        low, high, wanted = 0, 1 << 40, prime << 32 * power
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if middle**power <= wanted else (low, middle)
        found.append(low & 0xFFFFFFFF)
    return found


START = np.array(_roots(2, 8), dtype=np.uint32)
ROUNDS = np.array(_roots(3, 64), dtype=np.uint32)
PADDING = np.array([1 << 31, 0, 0, 0, 0, 0, 0, 8 * (64 + 32)], dtype=np.uint32)
"""What follows a digest of 32 bytes that is hashed behind a block of 64: a one, zeros, the number of bits."""
