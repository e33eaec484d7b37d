"""SHA-256 (FIPS 180-4) of many messages side by side, one a lane: each step is the same for all, so it is vectorised.

Here because hashing ten million keys one call each takes longer than all the rest of randomising their rows. Nothing
depends on speed being constant: who hashes knows keys and secret, and nobody watches.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from understudy._core.compiling import kernel
from understudy.randomize._hashing._constants import PADDING, ROUNDS

LANES = 16


@kernel()
def rotated(x, by):
    """The bits of a word moved to the right, those that fall out put in at the left."""
    return np.uint32((x >> np.uint32(by)) | (x << np.uint32(32 - by)))


@kernel()
def mix(s, words, t, a, b, c, d, e, f, g, h):
    """One round in every lane; a … h are the rows of `s` that have these parts now, so that nothing is moved."""
    constant = ROUNDS[t]
    for i in range(LANES):
        x, y = s[e, i], s[a, i]
        chosen = (x & s[f, i]) ^ (~x & s[g, i])
        most = (y & s[b, i]) ^ (y & s[c, i]) ^ (s[b, i] & s[c, i])
        turned = rotated(x, 6) ^ rotated(x, 11) ^ rotated(x, 25)
        one = np.uint32(s[h, i] + turned + chosen + constant + words[t, i])
        two = np.uint32((rotated(y, 2) ^ rotated(y, 13) ^ rotated(y, 22)) + most)
        s[d, i] = np.uint32(s[d, i] + one)
        s[h, i] = np.uint32(one + two)


@kernel()
def compress(states, words):
    """One block into each lane's state: `states` is (8, LANES), `words` (64, LANES) with the block in its first 16."""
    for t in range(16, 64):
        for i in range(LANES):
            x, y = words[t - 15, i], words[t - 2, i]
            first = rotated(x, 7) ^ rotated(x, 18) ^ (x >> np.uint32(3))
            second = rotated(y, 17) ^ rotated(y, 19) ^ (y >> np.uint32(10))
            words[t, i] = np.uint32(words[t - 16, i] + first + words[t - 7, i] + second)
    s = np.empty((8, LANES), dtype=np.uint32)
    for j in range(8):
        for i in range(LANES):
            s[j, i] = states[j, i]
    for t in range(0, 64, 8):
        mix(s, words, t, 0, 1, 2, 3, 4, 5, 6, 7)
        mix(s, words, t + 1, 7, 0, 1, 2, 3, 4, 5, 6)
        mix(s, words, t + 2, 6, 7, 0, 1, 2, 3, 4, 5)
        mix(s, words, t + 3, 5, 6, 7, 0, 1, 2, 3, 4)
        mix(s, words, t + 4, 4, 5, 6, 7, 0, 1, 2, 3)
        mix(s, words, t + 5, 3, 4, 5, 6, 7, 0, 1, 2)
        mix(s, words, t + 6, 2, 3, 4, 5, 6, 7, 0, 1)
        mix(s, words, t + 7, 1, 2, 3, 4, 5, 6, 7, 0)
    for j in range(8):
        for i in range(LANES):
            states[j, i] += s[j, i]


@kernel()
def hmac_short(data, offsets, inner, outer, out):
    """HMAC-SHA256 of each text, cut to the width of `out`; texts over 55 bytes are left out.

    `inner` and `outer` are the states after the key's block, so that each text takes one block of either.
    """
    n, width = out.shape
    words = np.empty((64, LANES), dtype=np.uint32)
    states = np.empty((8, LANES), dtype=np.uint32)
    for row in range(0, n, LANES):
        lanes = min(LANES, n - row)
        for j in range(16):
            for i in range(LANES):
                words[j, i] = 0
        for i in range(lanes):
            begin, length = offsets[row + i], offsets[row + i + 1] - offsets[row + i]
            if length > 55:
                continue
            for p in range(length):
                words[p >> 2, i] |= np.uint32(data[begin + p]) << np.uint32(24 - 8 * (p & 3))
            words[length >> 2, i] |= np.uint32(0x80) << np.uint32(24 - 8 * (length & 3))
            words[15, i] = np.uint32(8 * (64 + length))
        for j in range(8):
            for i in range(LANES):
                states[j, i] = inner[j]
        compress(states, words)
        for j in range(8):
            for i in range(LANES):
                words[j, i] = states[j, i]
                words[j + 8, i] = PADDING[j]
                states[j, i] = outer[j]
        compress(states, words)
        for i in range(lanes):
            for p in range(width):
                out[row + i, p] = np.uint8((states[p >> 2, i] >> np.uint32(24 - 8 * (p & 3))) & np.uint32(0xFF))
