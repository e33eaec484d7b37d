"""Several private choices, one after the other and without repeats, exact and in about one pass over the scores.

Each choice is the exponential mechanism among the candidates that are left. Candidates are sorted into levels, so that
one of level l has a weight of at most 2^−l and hardly less than half of that. A level is drawn by these bounds, a
candidate of it evenly, and kept with the probability that is left: its weight over the bound (proof.md, section 15).
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np
import numpy.typing as npt

from understudy._core.errors import InternalError
from understudy.privacy._bounded import Bounded, exp_minus, flip
from understudy.privacy._integers import below
from understudy.privacy._selection import gaps_of, round_rate
from understudy.privacy._values import Counts
from understudy.privacy._word_stream import WordStream

_PER_UNIT = 1.44269504088  # just below 1/ln 2: by more than roundings of doubles can make up for
_WINDOW = 62  # levels below the best that are told apart; all further down share the bound of the last one
_FAR = 1 << 30  # level of the best one left from which on levels are laid out anew
_MOST = 1 << 50
_FASTEST = Fraction(1 << 62)


def choose_several(scores: Counts, rate: Fraction, number: int, stream: WordStream) -> Counts:
    """Indices of so many different candidates in the order chosen, each with weight exp(rate·score) among those left.

    >>> from understudy._core.randomness import SeededBytes
    >>> choose_several(np.array([0, 900, 5, 1800]), Fraction(1), 2, WordStream(SeededBytes(1))).tolist()
    [3, 1]
    """
    if not 0 <= number <= scores.size:
        raise InternalError(f"{number} different candidates cannot be chosen from {scores.size}.")
    left = Left(gaps_of(scores), Fraction(*round_rate(rate)))
    return np.array([left.draw(stream) for _ in range(number)], dtype=np.int64)


class Left:
    """The candidates not chosen yet, by level.

    >>> left = Left(np.array([0, 1, 50], dtype=np.uint64), Fraction(2))
    >>> [(found.tolist(), bound) for found, bound in left.proposals()]
    [([0], 0), ([1], 2), ([2], 62)]
    """

    def __init__(self, gaps: npt.NDArray[np.uint64], rate: Fraction) -> None:
        self._gaps, self._rate = gaps, rate
        self._lay_out(np.arange(gaps.size))

    def _lay_out(self, candidates: npt.NDArray[np.int64]) -> None:
        """Sort candidates by level, told by how far they are below the best one left.

        Doubles are good enough: a level that is too low makes a bound that is too high, which is as right.
        """
        gaps = self._gaps[candidates]
        self._best = int(gaps.min()) if gaps.size else 0
        away = (gaps - np.uint64(self._best)).astype(np.float64) * float(min(self._rate, _FASTEST))
        levels = np.minimum(np.floor(away * _PER_UNIT), _MOST).astype(np.int64)
        order = np.argsort(levels, kind="stable")
        self._candidates = candidates[order]
        self._levels, self._starts = np.unique(levels[order], return_index=True)
        self._sizes = np.diff(np.append(self._starts, candidates.size))
        self._first = 0

    def draw(self, stream: WordStream) -> int:
        """One more, which is left no longer."""
        self._skip_empty()
        while True:
            place, bound = self._propose(stream)
            candidate = int(self._candidates[place])
            if flip(partial(self._kept, candidate, bound), stream):
                self._take(place)
                return candidate

    def proposals(self) -> list[tuple[npt.NDArray[np.int64], int]]:
        """Candidates that share a bound 2^−b on their weights, and b; the last ones together."""
        end = self._end()
        found = [
            (self._candidates[self._starts[i] : self._starts[i] + self._sizes[i]], int(self._levels[i]))
            for i in range(self._first, end)
        ]
        rest = [self._candidates[s : s + size] for s, size in zip(self._starts[end:], self._sizes[end:], strict=True)]
        return [*found, *([(np.concatenate(rest), self._lowest())] if rest else [])]

    def _skip_empty(self) -> None:
        while self._sizes[self._first] == 0:
            self._first += 1
        if self._levels[self._first] > _FAR:
            self._lay_out(np.concatenate([found for found, _ in self.proposals()]))

    def _end(self) -> int:
        return int(np.searchsorted(self._levels, self._lowest()))

    def _lowest(self) -> int:
        """The level that stands for all from it on."""
        return int(self._levels[self._first]) + _WINDOW

    def _propose(self, stream: WordStream) -> tuple[int, int]:
        """Where a candidate is, drawn by the bounds, and b of its bound 2^−b."""
        end, lowest = self._end(), self._lowest()
        shifts = [lowest - level for level in self._levels[self._first : end].tolist()]
        sizes = self._sizes[self._first : end].tolist()
        rest = int(self._sizes[end:].sum())
        drawn = below(sum(size << shift for size, shift in zip(sizes, shifts, strict=True)) + rest, stream)
        for i, (size, shift) in enumerate(zip(sizes, shifts, strict=True), start=self._first):
            if drawn < size << shift:
                return int(self._starts[i]) + (drawn >> shift), int(self._levels[i])
            drawn -= size << shift
        ends = np.cumsum(self._sizes[end:])
        i = int(np.searchsorted(ends, drawn, side="right"))
        return int(self._starts[end + i]) + drawn - int(ends[i] - self._sizes[end + i]), lowest

    def _kept(self, candidate: int, bound: int, bits: int) -> Bounded:
        """The probability to keep a proposal: weight over bound, at most 1."""
        weight = exp_minus((int(self._gaps[candidate]) - self._best) * self._rate, bits)
        return Bounded(weight.low, weight.high, weight.exponent + bound)

    def _take(self, place: int) -> None:
        i = int(np.searchsorted(self._starts, place, side="right")) - 1
        last = self._starts[i] + self._sizes[i] - 1
        self._candidates[place], self._candidates[last] = self._candidates[last], self._candidates[place]
        self._sizes[i] -= 1
