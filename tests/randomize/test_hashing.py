"""Hashes made side by side are those of the standard."""

from __future__ import annotations

import hmac
from hashlib import sha256

import numpy as np
import pyarrow as pa
import pytest

from tests.naive.hashing import naive_compress, naive_hmac, naive_rotated
from understudy.randomize._hashing import LONGEST, Hmac
from understudy.randomize._hashing._constants import ROUNDS, START
from understudy.randomize._hashing._kernels import LANES, compress, rotated


def test_the_constants_are_those_of_the_standard() -> None:
    assert [hex(int(word)) for word in START[:2]] == ["0x6a09e667", "0xbb67ae85"]
    assert [hex(int(ROUNDS[i])) for i in (0, 1, 63)] == ["0x428a2f98", "0x71374491", "0xc67178f2"]


def test_one_block_gives_the_digest_of_the_library() -> None:
    block = b"abc\x80".ljust(63, b"\0") + bytes([24])
    words = [int(word) for word in np.frombuffer(block, dtype=">u4")]
    state = naive_compress(START.tolist(), words, ROUNDS.tolist())
    assert b"".join(word.to_bytes(4, "big") for word in state) == sha256(b"abc").digest()


def test_lanes_agree_with_whole_numbers() -> None:
    rng = np.random.default_rng(1)
    states = rng.integers(0, 2**32, (8, LANES), dtype=np.uint32)
    words = rng.integers(0, 2**32, (64, LANES), dtype=np.uint32)
    expected = [naive_compress(states[:, i].tolist(), words[:16, i].tolist(), ROUNDS.tolist()) for i in range(LANES)]
    compress(states, words)
    assert states.T.tolist() == expected


@pytest.mark.parametrize("by", [1, 7, 31])
def test_rotation_moves_bits_around(by: int) -> None:
    assert int(rotated(np.uint32(0x80000101), by)) == naive_rotated(0x80000101, by)


@pytest.mark.parametrize("count", [1, LANES - 1, LANES, LANES + 1, 100])
def test_every_length_of_text_agrees_with_the_library(count: int) -> None:
    texts = ["é" * (i % 3) + "x" * (i * 7 % 130) for i in range(count)]
    key = sha256(b"key").digest()
    found = Hmac(key)(pa.array(texts), width=16)
    assert [row.tobytes() for row in found] == [hmac.digest(key, text.encode(), "sha256")[:16] for text in texts]
    assert naive_hmac(key, texts[-1].encode()) == hmac.digest(key, texts[-1].encode(), "sha256")


def test_texts_about_as_long_as_a_block_are_right() -> None:
    texts = ["x" * length for length in range(LONGEST - 3, LONGEST + 12)]
    found = Hmac(b"k" * 32)(pa.array(texts).slice(2), width=32)
    assert [row.tobytes() for row in found] == [hmac.digest(b"k" * 32, text.encode(), "sha256") for text in texts[2:]]


def test_no_texts_have_no_hashes() -> None:
    assert Hmac(b"k")(pa.array([], pa.string()), width=16).shape == (0, 16)
