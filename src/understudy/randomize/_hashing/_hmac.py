"""HMAC-SHA256 (RFC 2104) of columns of texts."""

from __future__ import annotations

import hmac

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from understudy.randomize._hashing._constants import START
from understudy.randomize._hashing._kernels import LANES, compress, hmac_short

LONGEST = 55
"""Bytes of a text that leave room for the padding in one block; longer ones are hashed one by one."""
_BLOCK = 64
_Bytes = npt.NDArray[np.uint8]
_State = npt.NDArray[np.uint32]


class Hmac:
    """Keyed hashes under one key of up to 64 bytes.

    >>> found = Hmac(b"key")(pa.array(["text", "x" * 60]), width=16)
    >>> found[0].tobytes() == hmac.digest(b"key", b"text", "sha256")[:16]
    True
    """

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._inner, self._outer = (_after_block(key, pad) for pad in (0x36, 0x5C))

    def __call__(self, texts: pa.Array, *, width: int) -> _Bytes:
        """The first `width` bytes of the hash of each text's UTF-8."""
        data, offsets = _buffers(texts)
        out = np.zeros((len(texts), width), dtype=np.uint8)
        hmac_short(data, offsets, self._inner, self._outer, out)
        for row in np.flatnonzero(np.diff(offsets) > LONGEST):
            text = data[offsets[row] : offsets[row + 1]].tobytes()
            out[row] = np.frombuffer(hmac.digest(self._key, text, "sha256")[:width], dtype=np.uint8)
        return out


def _after_block(key: bytes, pad: int) -> _State:
    """The state after the block that the key makes."""
    block = bytes(byte ^ pad for byte in key.ljust(_BLOCK, b"\0"))
    words = np.zeros((64, LANES), dtype=np.uint32)
    words[:16] = np.frombuffer(block, dtype=">u4")[:, None]
    states = np.repeat(START[:, None], LANES, axis=1)
    compress(states, words)
    return states[:, 0].copy()


def _buffers(texts: pa.Array) -> tuple[_Bytes, npt.NDArray[np.int32]]:
    """The bytes of a column of texts without missing ones, and where each begins and ends."""
    _, places, data = texts.cast(pa.string()).buffers()
    offsets = np.frombuffer(places, dtype=np.int32)[texts.offset : texts.offset + len(texts) + 1]
    return np.frombuffer(data or b"", dtype=np.uint8), offsets
