"""Differences that are worked out run by run from several points of a figure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, log

from research._experiment import NothingRunError, Results
from research.rules import Contrast, of_values


@dataclass(frozen=True, kw_only=True)
class Point:
    """A point of a line in a panel.

    >>> Point(series="PrivBayes", measure="Q3", x=0.1).words
    'Q3, PrivBayes at 0.1'
    """

    series: str
    measure: str
    x: float
    group: str = ""
    exact: bool = False
    """Whether there is no chance in it, so that one run is enough."""

    @property
    def words(self) -> str:
        """What and where it is."""
        what = "" if self.group.endswith(self.measure) else self.measure
        return ", ".join(part for part in (self.group, what, f"{self.series} at {self.x:g}") if part)

    def mean(self, results: Results) -> float:
        """The mean over its runs."""
        return results.mean(self.measure, self.series, self.x, self.group)

    def values(self, results: Results) -> dict[int, float]:
        """Its values by seed."""
        return results.by_seed(self.measure, self.series, self.x, self.group)


def derived(
    results: Results,
    points: Sequence[Point],
    worked_out: Callable[[Sequence[float]], float],
    *,
    words: str,
    scale: float = 0.0,
) -> Contrast | None:
    """What a function makes of the values of these points in each run that all of them have.

    Args:
        results: the values.
        points: what the function is given the values of, in this order.
        worked_out: above 0 where the sentence is right.
        words: what it is, for the reader.
        scale: the size of what is compared; without, the largest mean of a point.

    >>> line = {("", "a", "error", x): [x, x + 0.1, x, x + 0.1, x] for x in (1.0, 2.0)}
    >>> ends = [Point(series="a", measure="error", x=x) for x in (1.0, 2.0)]
    >>> derived(Results(line), ends, lambda v: v[1] - v[0], words="rise").mean
    1.0

    Raises:
        NothingRunError: if a point has no values at all.
    """
    for point in points:
        point.mean(results)  # that there are some
    by_seed = [point.values(results) for point in points]
    fixed = {i: point.mean(results) for i, point in enumerate(points) if point.exact}
    drawn = [set(values) for i, values in enumerate(by_seed) if i not in fixed]
    seeds = sorted(set.intersection(*drawn)) if drawn else [0]
    found = [worked_out([fixed.get(i, values.get(seed, 0.0)) for i, values in enumerate(by_seed)]) for seed in seeds]
    size = scale or max(abs(point.mean(results)) for point in points)
    return of_values(found, words=words, scale=size, exact=not drawn)


def lower_on_average(
    results: Results, pairs: Sequence[tuple[Point, Point]], *, words: str, factor: float = 1.0
) -> Contrast | None:
    """How far, over these pairs of points, the first is on average below the second times a factor, as a logarithm.

    >>> lines = {("", s, "error", 1.0): [v * (1 + i / 100) for i in range(5)] for s, v in (("a", 1.0), ("b", 2.0))}
    >>> pair = tuple(Point(series=series, measure="error", x=1.0) for series in "ab")
    >>> found = lower_on_average(Results(lines), [pair], words="a and b")
    >>> round(found.mean, 3), found.words
    (0.693, 'a and b: -50 %')
    """

    def ratio(values: Sequence[float]) -> float:
        logs = in_logarithms(values)
        return average([mine - theirs for mine, theirs in zip(logs[::2], logs[1::2], strict=True)])

    if not pairs:
        raise NothingRunError(f"Nothing was run for {words}")
    points = [point for pair in pairs for point in pair]
    seen = ratio([point.mean(results) for point in points])
    told = f"{words}: {100 * (exp(seen) - 1):+.0f} %"
    return derived(results, points, lambda v: log(factor) - ratio(v), words=told, scale=1.0)


def lower_in_sum(
    results: Results, pairs: Sequence[tuple[Point, Point]], *, words: str, factor: float = 1.0, margin: float = 0.0
) -> Contrast | None:
    """How far, averaged over these pairs of points, the first is below the second times a factor, with a margin added:
    for errors near 0, whose quotients say little.

    >>> lines = {("", s, "error", 1.0): [v * (1 + i / 100) for i in range(5)] for s, v in (("a", 1.0), ("b", 2.0))}
    >>> pair = tuple(Point(series=series, measure="error", x=1.0) for series in "ab")
    >>> lower_in_sum(Results(lines), [pair], words="error").words
    'error: a 1.02, b 2.04'
    """
    if not pairs:
        raise NothingRunError(f"Nothing was run for {words}")
    points = [point for pair in pairs for point in pair]
    means = [point.mean(results) for point in points]
    mine, theirs = average(means[::2]), average(means[1::2])
    told = f"{words}: {points[0].series} {mine:.4g}, {points[1].series} {theirs:.4g}"
    return derived(
        results,
        points,
        lambda v: factor * average(v[1::2]) + margin - average(v[::2]),
        words=told,
        scale=max(mine, theirs),
    )


def in_logarithms(values: Sequence[float]) -> list[float]:
    """Their logarithms, of errors of 0 as of one in a million."""
    return [log(max(value, 1e-6)) for value in values]


def average(values: Sequence[float]) -> float:
    """Their mean.

    Raises:
        NothingRunError: if there are none.
    """
    if not values:
        raise NothingRunError("Nothing was run for this")
    return sum(values) / len(values)


def named(names: Sequence[str]) -> str:
    """Names, one after another.

    >>> named(("Laplace", "Fourier"))
    'Laplace, Fourier'
    """
    return ", ".join(names)
