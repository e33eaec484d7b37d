"""One endless sequence of random words, read by kernels and by Python alike."""

from __future__ import annotations

import os
from threading import RLock
from weakref import WeakSet

import numpy as np

from understudy._core.randomness import ByteSource, WordArray

_BLOCK = 1 << 14  # words: 128 KiB, so that a call to the operating system costs little per word


_STREAMS: WeakSet[WordStream] = WeakSet()


class WordStream:
    """Words in the order the source gave them; each is used once.

    The source is always asked for blocks of one size, so that a seed gives one sequence however it is consumed. Whoever
    reads holds `lock` meanwhile: two threads that read at once would get the same words, and so the same noise. For the
    same reason words that are waiting are thrown away in a forked process; a seed's are kept, since they can be
    repeated anyway.

    >>> from understudy._core.randomness import SeededBytes
    >>> WordStream(SeededBytes(1)).next() == WordStream(SeededBytes(1)).next()
    True
    """

    def __init__(self, source: ByteSource, *, block: int = _BLOCK) -> None:
        self._source, self._block = source, block
        self.buffer: WordArray = np.empty(0, dtype=np.uint64)
        self.position = 0
        self.lock = RLock()
        _STREAMS.add(self)

    @property
    def private(self) -> bool:
        """Whether nobody can foresee or repeat the words."""
        return self._source.private

    def refill(self) -> None:
        """Put a fresh block behind the words not yet used, which keep their place."""
        rest = self.buffer[self.position :]
        self.buffer = np.concatenate([rest, self._source.words(self._block)])
        self.position = 0

    def forget(self) -> None:
        """Start anew in a forked process, where no thread holds the lock."""
        self.lock = RLock()
        if self.private:
            self.buffer, self.position = self.buffer[:0], 0

    def next(self) -> int:
        """One word."""
        if self.position == self.buffer.shape[0]:
            self.refill()
        word = int(self.buffer[self.position])
        self.position += 1
        return word


def _forget_all() -> None:
    for stream in _STREAMS:
        stream.forget()


if hasattr(os, "register_at_fork"):  # where there is no fork, nothing is to be forgotten
    os.register_at_fork(after_in_child=_forget_all)
