"""A difference that a sentence says is above 0, measured over runs; and which of several differences are clear."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import inf, isfinite, sqrt

LEVEL = 0.05
"""How often a test may call a difference clear, on either side, where there is none at all."""
FEWEST = 5
"""Runs that a point must have to count."""
NONE = 0.02
"""Of what is compared: a difference that is clearly smaller, whichever side it favours, is none. No figure shows it."""
MOST_RUNS = 1_000_000
"""Beyond this it is said that no number of runs decides."""
_CHANCE = 0.8  # of seeing the difference that a test's power is told by
_ROUNDING = 1e-9  # of what is compared: differences below are none


@dataclass(frozen=True, kw_only=True)
class Contrast:
    """A difference over runs: above 0 where the sentence is right.

    >>> contrast = paired({0: 1.0, 1: 1.2, 2: 1.1, 3: 0.9, 4: 1.0}, {seed: 0.5 for seed in range(5)}, words="a over b")
    >>> round(contrast.mean, 2), contrast.runs, clear([contrast])
    (0.54, 5, [1])
    """

    words: str
    mean: float
    error: float
    """The standard error of the mean."""
    freedom: float
    """Degrees of freedom; infinite where there is no chance in it."""
    runs: int
    scale: float
    """The size of what is compared, of which power is told as a share."""

    @property
    def chance(self) -> float:
        """How often a difference as large would be seen, on either side, where there is none."""
        if self.mean == 0:
            return 1.0
        return 0.0 if self.error == 0 else 2 * _below(-abs(self.mean) / self.error, self.freedom)

    def reach(self, level: float) -> float:
        """The true difference that is called clear at this level four times out of five."""
        if self.error == 0:
            return 0.0
        return (quantile(1 - level / 2, self.freedom) + quantile(_CHANCE, self.freedom)) * self.error

    def chance_of_none(self, share: float) -> float:
        """How often a mean as near 0 would be seen where the difference is this share of what is compared, or more.

        The two one-sided tests of equivalence: whichever side the difference favours.

        >>> Contrast(words="", mean=0.0, error=0.01, freedom=100.0, runs=101, scale=1.0).chance_of_none(0.02) < 0.05
        True
        """
        gap = share * self.scale - abs(self.mean)
        if gap <= 0:
            return 1.0
        return 0.0 if self.error == 0 else _below(-gap / self.error, self.freedom)

    def runs_needed(self, level: float) -> float:
        """How many runs make the mean that was seen clear at this level; infinite if it is 0.

        >>> Contrast(words="", mean=1.0, error=0.5, freedom=4.0, runs=5, scale=1.0).runs_needed(0.05)
        8
        """
        return self._runs_for(abs(self.mean), level / 2)

    def runs_to_show_none(self, level: float, share: float) -> float:
        """How many runs make it clear that there is no difference, if the mean that was seen is right.

        >>> Contrast(words="", mean=0.1, error=0.5, freedom=4.0, runs=5, scale=10.0).runs_to_show_none(0.05, 0.1)
        7
        """
        return self._runs_for(share * self.scale - abs(self.mean), level)

    def _runs_for(self, distance: float, level: float) -> float:
        """How many runs make the mean's distance from a bound clear on one side; infinite if there is none."""
        if distance <= 0:
            return inf
        if self.error == 0:
            return self.runs + 1
        spread = (self.error / distance) ** 2 * self.runs  # runs for a distance of one standard error

        def enough(runs: int) -> bool:
            return quantile(1 - level, runs - 1) ** 2 * spread <= runs

        low, high = self.runs, MOST_RUNS
        if not enough(high):
            return inf
        while high - low > 1:  # more runs, more degrees of freedom: once enough, always enough
            middle = (low + high) // 2
            low, high = (low, middle) if enough(middle) else (middle, high)
        return high


def paired(first: Mapping[int, float], second: Mapping[int, float], *, words: str) -> Contrast | None:
    """The first less the second over the seeds that both have; else, over five each, of two means; else nothing."""
    both = [seed for seed in first if seed in second]
    scale = _size([*first.values(), *second.values()])
    if len(both) >= FEWEST:
        return of_values([first[seed] - second[seed] for seed in both], words=words, scale=scale)
    if min(len(first), len(second)) < FEWEST:
        return None
    means, squares = zip(*(_mean_and_square(list(line.values())) for line in (first, second)), strict=True)
    error = sqrt(sum(squares))
    each = sum(square**2 / (len(line) - 1) for square, line in zip(squares, (first, second), strict=True))
    return Contrast(
        words=words,
        mean=_rounded(means[0] - means[1], scale),
        error=error,
        freedom=error**4 / each if each else inf,
        runs=min(len(first), len(second)),
        scale=scale,
    )


def of_values(values: Sequence[float], *, words: str, scale: float = 0.0, exact: bool = False) -> Contrast | None:
    """The mean of values, one a run; nothing for fewer than five, unless there is no chance in them.

    >>> of_values([1.0, 2.0], words="too few") is None
    True
    """
    if not values or (len(values) < FEWEST and not exact):
        return None
    scale = scale or _size(values)
    mean, square = _mean_and_square(values)
    mean = _rounded(mean, scale)
    if exact:
        return Contrast(words=words, mean=mean, error=0.0, freedom=inf, runs=len(values), scale=scale)
    error = sqrt(square) if square > (_ROUNDING * scale) ** 2 else 0.0
    return Contrast(words=words, mean=mean, error=error, freedom=len(values) - 1, runs=len(values), scale=scale)


def jackknife(statistic: Callable[[Sequence[int]], float], seeds: Sequence[int]) -> list[float]:
    """A statistic of all runs together as one value a run: what it would be with that run alone, as it were.

    For what no single run has, such as a spread over runs or the range of a line of means: the values' mean is the
    statistic, freed of most of its bias, and their standard error is its.

    >>> from statistics import fmean
    >>> values = {0: 1.0, 1: 4.0, 2: 2.5}
    >>> [round(value, 6) for value in jackknife(lambda seeds: fmean(values[seed] for seed in seeds), [0, 1, 2])]
    [1.0, 4.0, 2.5]
    """
    n, whole = len(seeds), statistic(seeds)
    if n < 2:
        return []
    return [n * whole - (n - 1) * statistic([*seeds[:i], *seeds[i + 1 :]]) for i in range(n)]


def clear(contrasts: Sequence[Contrast], level: float = LEVEL) -> list[int]:
    """Which differences are clear: 1 above 0, -1 below, 0 not; by Holm's method, all of them together at the level."""
    seen = _by_holm([contrast.chance for contrast in contrasts], level)
    return [(1 if one.mean > 0 else -1) if i in seen else 0 for i, one in enumerate(contrasts)]


def none(contrasts: Sequence[Contrast], share: float, level: float = LEVEL) -> list[bool]:
    """Which differences are clearly none: below this share of what is compared, on either side; by Holm's method.

    >>> small, unknown = (
    ...     Contrast(words="", mean=0.001, error=error, freedom=19.0, runs=20, scale=1.0) for error in (0.005, 0.05)
    ... )
    >>> none([small, unknown], 0.02)
    [True, False]
    """
    seen = _by_holm([contrast.chance_of_none(share) for contrast in contrasts], level)
    return [i in seen for i in range(len(contrasts))]


def _by_holm(chances: Sequence[float], level: float) -> set[int]:
    """Which of these chances are so small that they are none of chance, all of them together at the level."""
    found = set()
    order = sorted(range(len(chances)), key=lambda i: chances[i])
    for rank, i in enumerate(order):
        if chances[i] > level / (len(order) - rank):
            break
        found.add(i)
    return found


def _size(values: Sequence[float]) -> float:
    return max((abs(value) for value in values if isfinite(value)), default=0.0)


def _rounded(mean: float, scale: float) -> float:
    return 0.0 if abs(mean) <= _ROUNDING * scale else mean


def _mean_and_square(values: Sequence[float]) -> tuple[float, float]:
    """The mean, and the square of its standard error."""
    mean = sum(values) / len(values)
    if len(values) < 2:
        return mean, 0.0
    return mean, sum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values)


def _below(t: float, freedom: float) -> float:
    from scipy.special import ndtr, stdtr

    return float(stdtr(freedom, t) if isfinite(freedom) else ndtr(t))


@cache
def quantile(share: float, freedom: float) -> float:
    """Student's t.

    >>> round(quantile(0.975, 4), 2)
    2.78
    """
    from scipy.special import ndtri, stdtrit

    return float(stdtrit(freedom, share) if isfinite(freedom) else ndtri(share))
