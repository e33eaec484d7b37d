"""The one home of randomness.

Two kinds, never mixed. *Bytes* feed noise and private selection: from the operating system in a release, from a
seed only in a rehearsal, which is stamped "NOT PRIVATE: seeded". *Streams* feed everything that is free to be
repeated: sampling from a published model, coins fixed before the data are touched, experiments.
"""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from hashlib import sha256, shake_256
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

Rng: TypeAlias = np.random.Generator
WordArray: TypeAlias = npt.NDArray[np.uint64]


class ByteSource(Protocol):
    """Uniform, independent 64-bit words for noise."""

    @property
    def private(self) -> bool:
        """Whether nobody can foresee or repeat the words."""
        ...

    def words(self, count: int) -> WordArray:
        """`count` fresh words."""
        ...


class SystemBytes:
    """The operating system's cryptographic generator (`os.urandom`).

    >>> len(SystemBytes().words(3))
    3
    """

    private = True

    def words(self, count: int) -> WordArray:
        """`count` fresh words."""
        return np.frombuffer(os.urandom(8 * count), dtype=np.uint64).copy()


class SeededBytes:
    """A repeatable stand-in for tests and rehearsals: SHAKE-256 of the seed and a block counter.

    >>> bool((SeededBytes(7).words(4) == SeededBytes(7).words(4)).all())
    True
    """

    private = False

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._block = 0

    def words(self, count: int) -> WordArray:
        """`count` words, the next ones in this seed's sequence of calls."""
        key = f"understudy-rehearsal:{self.seed}:{self._block}".encode()
        self._block += 1
        return np.frombuffer(shake_256(key).digest(8 * count), dtype=np.uint64).copy()


@dataclass(frozen=True, slots=True)
class Streams:
    """Seedable random streams for sampling and experiments, never for noise.

    Streams are found by name, so adding a column or a worker moves no other number.

    >>> Streams(7).get("sample", "age").integers(9) == Streams(7).get("sample", "age").integers(9)
    np.True_
    """

    root: int

    @classmethod
    def fresh(cls) -> Streams:
        """Streams nobody has seen before."""
        return cls(secrets.randbits(128))

    def get(self, *name: str) -> Rng:
        """The generator of this name."""
        key = int.from_bytes(sha256("\x1f".join(name).encode()).digest(), "big")
        return np.random.default_rng(np.random.SeedSequence(self.root, spawn_key=(key,)))

    def part(self, number: int) -> Streams:
        """Streams for one part of what is drawn, apart from those of any other part and from these themselves.

        They depend on the part's number and not on how many there are, or on where they are drawn.

        >>> Streams(7).part(0) == Streams(7).part(0), Streams(7).part(0) == Streams(7).part(1)
        (True, False)
        """
        key = int.from_bytes(sha256(b"part").digest(), "big")
        words = np.random.SeedSequence(self.root, spawn_key=(key, number)).generate_state(4)
        return Streams(sum(int(word) << 32 * place for place, word in enumerate(words)))


def streams(seed: int | None) -> Streams:
    """Repeatable streams for a seed, fresh ones without.

    >>> streams(3) == streams(3)
    True
    """
    return Streams.fresh() if seed is None else Streams(seed)
