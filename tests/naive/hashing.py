"""SHA-256 in Python's whole numbers, as FIPS 180-4 writes it down."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

MASK = 2**32 - 1


def naive_rotated(x: int, by: int) -> int:
    return ((x >> by) | (x << (32 - by))) & MASK


def naive_compress(state: Sequence[int], block: Sequence[int], constants: Sequence[int]) -> list[int]:
    """One block of 16 words into a state of 8."""
    w = list(block)
    for t in range(16, 64):
        first = naive_rotated(w[t - 15], 7) ^ naive_rotated(w[t - 15], 18) ^ (w[t - 15] >> 3)
        second = naive_rotated(w[t - 2], 17) ^ naive_rotated(w[t - 2], 19) ^ (w[t - 2] >> 10)
        w.append((w[t - 16] + first + w[t - 7] + second) & MASK)
    a, b, c, d, e, f, g, h = state
    for t in range(64):
        chosen, most = (e & f) ^ (~e & g), (a & b) ^ (a & c) ^ (b & c)
        one = h + (naive_rotated(e, 6) ^ naive_rotated(e, 11) ^ naive_rotated(e, 25)) + chosen + constants[t] + w[t]
        two = (naive_rotated(a, 2) ^ naive_rotated(a, 13) ^ naive_rotated(a, 22)) + most
        a, b, c, d, e, f, g, h = (one + two) & MASK, a, b, c, (d + one) & MASK, e, f, g
    return [(x + y) & MASK for x, y in zip(state, (a, b, c, d, e, f, g, h), strict=True)]


def naive_hmac(key: bytes, text: bytes) -> bytes:
    """HMAC as RFC 2104 writes it down."""
    inner, outer = (bytes(byte ^ pad for byte in key.ljust(64, b"\0")) for pad in (0x36, 0x5C))
    return sha256(outer + sha256(inner + text).digest()).digest()
