"""Two-valued columns under pure ε: which pairs to measure, and for how much, told by what columns came out as.

Noise grows with the number of parities that are asked for. A pair of rare values has little to tell, however related
they are: n·r·√(1 − m²)·√(1 − m′²) for columns of means m and m′ (of signs) and a correlation r. So pairs are ranked by
that, and from the first of them as many are measured, for such a part of the budget, as is expected to leave the
smallest error in tables of three columns. All of it follows from released values, and costs nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from understudy._core.randomness import Streams

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_PARTS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
_FEWER = 1.5  # numbers of pairs that are looked at: all, and each this much fewer than the one before
_MOST_TRIPLES = 3000
_RELATED, _MOST_RELATED = 3.0, 0.3


@dataclass(frozen=True, eq=False)
class Allotment:
    """The places of the pairs to measure, ascending, and their part of what is left; the rest is for columns."""

    pairs: Ints
    part: float


def part_for_columns_first(columns: int) -> float:
    """Of the budget, for columns before anything is known: as much as leaves the least error if all pairs matter.

    √(numbers) each way, as noise grows with the numbers that are asked for.

    >>> round(part_for_columns_first(16), 3), round(part_for_columns_first(50), 3)
    (0.267, 0.168)
    """
    return 1 / (1 + math.sqrt((columns - 1) / 2))


def allot(means: Floats, variance: float, spend: Callable[[int, float], float]) -> Allotment:
    """What to measure next, for columns of these noisy means (of 1 and −1) with noise of this variance.

    `spend` is the variance that so many numbers would have for a part of what is left. Pairs are those of
    `combinations`.

    >>> found = allot(np.array([0.1, 0.0, 0.98, 0.99]), 1e-5, lambda m, part: m * m * 1e-4 / part**2)
    >>> found.pairs.tolist(), found.part
    ([0, 1, 3, 4], 1.0)
    """
    forecast = _Forecast.of(means, variance)
    best = min(forecast.options(), key=lambda option: forecast.error(option[0], option[1], spend))
    return Allotment(np.sort(forecast.order[: best[0]]), best[1])


@dataclass(frozen=True, eq=False)
class _Forecast:
    """What is expected: `spread` is 1 − m² of each column, `related` the variance of each pair's interaction."""

    means: Floats
    variance: float
    spread: Floats
    related: Floats
    order: Ints
    ends: tuple[Ints, Ints]
    triples: Ints

    @classmethod
    def of(cls, means: Floats, variance: float) -> _Forecast:
        d = len(means)
        spread = np.maximum(1 - np.clip(means, -1, 1) ** 2, min(1.0, math.sqrt(variance)) / 2)
        first, second = np.triu_indices(d, 1)
        # a column is related to some others, however many there are
        related = min(_MOST_RELATED, _RELATED / d) ** 2 * spread[first] * spread[second]
        order = np.argsort(-related, kind="stable")
        return cls(np.clip(means, -1, 1), variance, spread, related, order, (first, second), _triples(d))

    def options(self) -> Iterator[tuple[int, float]]:
        """Numbers of pairs with parts of what is left."""
        yield 0, 0.0
        number = len(self.order)
        while number:
            for part in _PARTS:
                yield number, part
            number = int(number / _FEWER)

    def error(self, number: int, part: float, spend: Callable[[int, float], float]) -> float:
        """The expected error of tables of three columns, up to a factor."""
        known = 1 / max(self.variance, 1e-300)
        if part < 1:
            known += 1 / max(spend(len(self.means), 1 - part), 1e-300)
        columns = np.minimum(1 / known, self.spread)
        first, second = self.ends
        pairs = self.related + self.means[first] ** 2 * columns[second] + self.means[second] ** 2 * columns[first]
        if number:
            noise, chosen = spend(number, part), self.order[:number]
            pairs[chosen] *= noise / (pairs[chosen] + noise)
        if len(self.means) < 3:
            return math.sqrt(columns.sum() + pairs.sum())
        a, b, c = self.triples.T
        of_pairs = pairs[self._place(a, b)] + pairs[self._place(a, c)] + pairs[self._place(b, c)]
        return float(np.sqrt(columns[a] + columns[b] + columns[c] + of_pairs).mean())

    def _place(self, first: Ints, second: Ints) -> Ints:
        """Of pairs in ascending order."""
        d = len(self.means)
        return first * d - first * (first + 1) // 2 + second - first - 1


def _triples(d: int) -> Ints:
    """All triples of places, or some drawn by coins that are the same in every run."""
    if math.comb(d, 3) <= _MOST_TRIPLES:
        return np.array(list(combinations(range(d), 3)), dtype=np.int64).reshape(-1, 3)
    drawn = np.sort(Streams(0).get("adaptive", "triples").integers(0, d, (2 * _MOST_TRIPLES, 3)), axis=1)
    distinct = (np.diff(drawn, axis=1) > 0).all(axis=1)
    return np.asarray(drawn[distinct][:_MOST_TRIPLES], dtype=np.int64)
