"""One endless sequence of random words, read by kernels and by Python alike."""

from __future__ import annotations

import numpy as np

from understudy._core.randomness import ByteSource, WordArray

_BLOCK = 1 << 14  # words: 128 KiB, so that a call to the operating system costs little per word


class WordStream:
    """Words in the order the source gave them; each is used once.

    The source is always asked for blocks of one size, so that a seed gives one sequence however it is consumed.

    >>> from understudy._core.randomness import SeededBytes
    >>> WordStream(SeededBytes(1)).next() == WordStream(SeededBytes(1)).next()
    True
    """

    def __init__(self, source: ByteSource, *, block: int = _BLOCK) -> None:
        self._source, self._block = source, block
        self.buffer: WordArray = np.empty(0, dtype=np.uint64)
        self.position = 0

    @property
    def private(self) -> bool:
        """Whether nobody can foresee or repeat the words."""
        return self._source.private

    def refill(self) -> None:
        """Put a fresh block behind the words not yet used, which keep their place."""
        rest = self.buffer[self.position :]
        self.buffer = np.concatenate([rest, self._source.words(self._block)])
        self.position = 0

    def next(self) -> int:
        """One word."""
        if self.position == self.buffer.shape[0]:
            self.refill()
        word = int(self.buffer[self.position])
        self.position += 1
        return word
