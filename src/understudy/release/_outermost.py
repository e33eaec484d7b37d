"""What rows that noise hides at the ends of a column may do to its mean and its deviation.

The outermost rows are too few to stand out from noise: where they lie is read off those before them. In truth they may
lie right behind the last that stand out, or far beyond: along a tail on which twice the distance leaves half of the
rows, so heavy that it would have no mean, up to the end of the range, at which lie those that would lie beyond. It is
the heaviest that is fitted to counts (`numbers/_tail.py`). Where values beyond the range were clipped, all of the
outermost may lie at its end.

Such a tail begins with scale s: as far as its begin is from the median, or as far as these rows lie from it now, if
that is more. With D = s + the distance to the end, rows lie s·log(D/s) beyond the begin in the mean, and the mean of
the squares of these distances is 2·s·(D − s − s·log(D/s)).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot, log
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from understudy.numbers import LEAST_SPREAD, least_seen
from understudy.release._number_line import NumberLine

Floats: TypeAlias = npt.NDArray[np.float64]
Move: TypeAlias = tuple[float, float]
UNSEEN = 2.0
"""Rows that may lie elsewhere at least, in deviations of the noise in a cell: about what a run of cells needs to stand
out that reaches as far as those before it."""


@dataclass(frozen=True)
class Outermost:
    """Rows at one end of a column: their share, where they begin, and the farthest that they may lie.

    `mean` and `median` are those of the column. `first` and `second` are sums over these rows as they lie now, of the
    distances from that mean and of their squares. `heaped`: all of them may lie at the farthest.
    """

    share: float
    begin: float
    farthest: float
    mean: float
    median: float
    first: float
    second: float
    heaped: bool = False

    @classmethod
    def of(
        cls, line: NumberLine, masses: Floats, share: float, farthest: float, *, top: bool, heaped: bool = False
    ) -> Outermost:
        """Those that are this share of what pieces of a line hold, up to the farthest value; `top`: the largest."""
        held = masses / masses.sum()
        inside = held * (line.low <= farthest if top else line.high >= farthest)
        outwards = slice(None, None, -1 if top else 1)
        before = np.concatenate([[0.0], np.cumsum(inside[outwards])[:-1]])[outwards]
        taken = np.clip(share - before, 0.0, inside)
        width = (line.high - line.low) * np.divide(taken, held, out=np.zeros(len(held)), where=held > 0)
        low, high = (line.high - width, line.high) if top else (line.low, line.low + width)
        mean = float(line.mean(held))
        away = (low + high) / 2 - mean
        begins = (low if top else high)[taken > 0]
        return cls(
            share=float(taken.sum()),
            begin=farthest if not len(begins) else float(begins.min() if top else begins.max()),
            farthest=farthest,
            mean=mean,
            median=float(line.quantile(held, np.asarray(0.5))),
            first=float(taken @ away),
            second=float(taken @ (away**2 + width**2 / 12)),
            heaped=heaped,
        )

    @property
    def moves(self) -> list[Move]:
        """What becomes of the column's mean and variance, each way: by how much they grow."""
        if self.share <= 0:
            return [(0.0, 0.0)]
        return [self._moved(0.0, 0.0), self._along_a_tail(), *([self.to_the_end] if self.heaped else [])]

    @property
    def to_the_end(self) -> Move:
        """The same if all of them lie at the farthest value."""
        away = self.farthest - self.begin
        return self._moved(away, away**2)

    def reaching(self, beyond: float) -> float:
        """How far out the value may be beyond which this share of the column's rows lies, one of the outermost."""
        away = abs(self.farthest - self.begin)
        away = min(self._scale * (self.share / beyond - 1), away) if beyond > 0 else away
        return self.begin + (away if self.farthest >= self.begin else -away)

    @property
    def _scale(self) -> float:
        now = abs(self.first / self.share + self.mean - self.begin) if self.share > 0 else 0.0
        return max(abs(self.begin - self.median), now)

    def _along_a_tail(self) -> Move:
        scale = self._scale
        if scale <= 0:
            return self.to_the_end
        reach = scale + abs(self.farthest - self.begin)
        beyond = scale * log(reach / scale)
        square = 2 * scale * (reach - scale - beyond)
        return self._moved(beyond if self.farthest >= self.begin else -beyond, square)

    def _moved(self, beyond: float, square: float) -> Move:
        """If they lie so far beyond their begin in the mean, with such a mean of the squares of these distances."""
        away = self.begin - self.mean
        shift = self.share * (away + beyond) - self.first
        return shift, self.share * (away**2 + 2 * away * beyond + square) - self.second - shift**2


def unseen(nearest: Outermost, ends: tuple[float, float]) -> float:
    """Rows that may lie elsewhere, in deviations, in a range with these ends: the farther it goes on, the more.

    Those up to the end of the range stand out once they are as many as a histogram asks for of a run that reaches so
    far (`numbers/_hull.py`). `nearest` are those that may lie elsewhere at least.

    >>> near, far = (
    ...     Outermost(share=0.1, begin=50.0, farthest=end, mean=25.0, median=25.0, first=3.0, second=90.0)
    ...     for end in (99.0, 2000.0)
    ... )
    >>> round(unseen(near, (0.0, 99.0)), 1), round(unseen(far, (0.0, 2000.0)), 1)
    (2.0, 3.1)
    """
    spread = max(2 * abs(nearest.begin - nearest.median), LEAST_SPREAD * (ends[1] - ends[0]))
    return max(UNSEEN, least_seen(abs(nearest.farthest - nearest.begin) / spread)) if spread > 0 else UNSEEN


def mean_astray(ends: Sequence[Outermost]) -> tuple[float, float]:
    """How far below and above a mean the real one may lie.

    >>> line = NumberLine(np.array([0, 1]), np.array([0.0, 50]), np.array([49.0, 99]), np.full(2, 50.0), np.ones(2))
    >>> ends = [Outermost.of(line, np.array([0.5, 0.5]), 0.1, end, top=end > 0) for end in (0.0, 999.0)]
    >>> [round(off, 1) for off in mean_astray(ends)]
    [0.6, 12.2]
    """
    return _astray([[shift for shift, _ in end.moves] for end in ends])


def variance_astray(variance: float, ends: Sequence[Outermost]) -> tuple[float, float]:
    """How far below and above a variance the real one may lie."""
    below, above = _astray([[square for _, square in end.moves] for end in ends])
    return min(below, variance), above


def _astray(moves: Sequence[Sequence[float]]) -> tuple[float, float]:
    """Of either end the farthest each way, and of both together what independent errors come to."""
    return hypot(*(max(0.0, -min(one)) for one in moves)), hypot(*(max(0.0, *one, 0.0) for one in moves))
