"""How large the noise of tables asked together is in each cell: public, for reading, in doubles.

Given the radius both moments are closed sums (proof.md, section 13). Over the radius they are summed one by one where
it has few likely values, else in blocks of equal width, each taken as its middle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from understudy.privacy._lattice_noise import Ball, Radius, radius_peak
from understudy.privacy._values import NoiseLevel

Floats = npt.NDArray[np.float64]
_BLOCKS = 8  # in a step over which weights fall to half; the sums are then right to 10^−4 or better
_SHARP = 20  # dimensions below which the weights do not vanish towards radius 0, and take finer blocks
_AT_ONCE = 1 << 21  # doubles in one array
_NOTHING = -45.0  # logarithm of a weight that may be left out
_LEAST = 1e-29  # a variance of 0 would say that there is no noise


@dataclass(frozen=True, slots=True)
class _Conditional:
    """For each radius: the logarithm of a ball's size, and moments of one cell of uniform noise in it."""

    log_size: Floats
    mean: Floats
    square: Floats


def together_levels(cells: Sequence[int], rate: Fraction, *, balanced: bool) -> list[NoiseLevel]:
    """The noise in each cell of each table, for tables of these numbers of cells.

    >>> [level] = together_levels([2], Fraction(1), balanced=True)  # a discrete Laplace number and its negative
    >>> round(level.variance, 4), round(NoiseLevel(kind="laplace", scale=Fraction(1)).variance, 4)
    (1.8413, 1.8413)
    """
    law = Radius.of(cells, rate, balanced=balanced)
    found = dict(zip((ball.cells for ball, _ in law.balls), _levels(law), strict=True))
    return [found[size] for size in cells]


def pooled_level(levels: Sequence[NoiseLevel], cells: Sequence[int]) -> NoiseLevel:
    """One level for all cells together: their average variance and their average size."""
    total = max(sum(cells), 1)
    variance = sum(level.variance * size for level, size in zip(levels, cells, strict=True)) / total
    mean = sum(level.mean_abs * size for level, size in zip(levels, cells, strict=True)) / total
    return _level(mean, variance, balanced=levels[0].kind == "balanced")


@lru_cache(maxsize=256)
def _levels(law: Radius) -> tuple[NoiseLevel, ...]:
    radii = _likely(law)
    parts = [_given_radius(ball, radii) for ball, _ in law.balls]
    weights = np.exp(_normal(_log_weights(law, radii, parts)))
    weights /= weights.sum()
    return tuple(
        _level(float(weights @ part.mean), float(weights @ part.square), balanced=ball.balanced)
        for (ball, _), part in zip(law.balls, parts, strict=True)
    )


def _level(mean: float, variance: float, *, balanced: bool) -> NoiseLevel:
    variance = max(variance, _LEAST)
    return NoiseLevel(
        kind="balanced" if balanced else "knorm",
        scale=Fraction(f"{variance:.9g}"),
        shape=Fraction(f"{mean / np.sqrt(variance):.9g}"),
    )


def _likely(law: Radius) -> Floats:
    """Middles of blocks from 0 on that hold all radii with any weight to speak of, the most likely one among them."""
    peak = radius_peak(law)
    width = max(1, peak.step // (_BLOCKS if law.degree >= _SHARP else 30 * _BLOCKS))
    middle = peak.mode // width
    reach = [_reach(law, middle, width, peak.mode, sign) for sign in (-1, 1)]
    blocks = np.arange(max(0, middle - reach[0]), middle + reach[1] + 1, dtype=np.float64)
    return blocks * width + (width - 1) / 2


def _reach(law: Radius, middle: int, width: int, mode: int, sign: int) -> int:
    """Blocks to one side after which weights are nothing."""
    reach = 4 * _BLOCKS
    while True:
        end = (middle + sign * reach) * float(width)
        if end <= 0:
            return middle
        at = np.array([float(mode), end])
        parts = [_given_radius(ball, at) for ball, _ in law.balls]
        here, there = _log_weights(law, at, parts)
        if there - here < _NOTHING:
            return reach
        reach *= 2


def _log_weights(law: Radius, radii: Floats, parts: Sequence[_Conditional]) -> Floats:
    sizes = [times * part.log_size for (_, times), part in zip(law.balls, parts, strict=True)]
    return np.sum(sizes, axis=0) - float(law.rate) * radii  # type: ignore[no-any-return]


def _given_radius(ball: Ball, radii: Floats) -> _Conditional:
    """All radii, some at a time."""
    at_once = max(1, _AT_ONCE // (ball.cells + 1))
    parts = [_moments(ball, radii[start : start + at_once, None]) for start in range(0, len(radii), at_once)]
    return _Conditional(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _moments(ball: Ball, radii: Floats) -> tuple[Floats, Floats, Floats]:
    """For radii in a column: the logarithm of the size, E|z| and E z² of one cell."""
    k, n = ball.cells, ball.degree
    corners = np.arange(n, dtype=np.float64)
    left = np.maximum(radii - corners, 0.0)
    if ball.balanced:
        growth = (n - corners) * (n + corners + 1) / (corners + 1) ** 3 * left
        seconds = np.arange(1, k, dtype=np.float64)
        further = (k - seconds) * (k + seconds + 1) / ((seconds + 1) * seconds * (seconds + 2))
        first, more = n * radii * (radii + 1), further * np.maximum(radii - seconds, 0.0)
    else:
        growth = 2 * (k - corners) / (corners + 1) ** 2 * left
        further = 2 * (k - corners) / ((corners + 1) * (corners + 3))
        first, more = radii * (radii + 1), further * np.maximum(radii - 1 - corners, 0.0)
    terms = _cumulated(np.zeros_like(radii), growth)
    log_size = _log_sum(terms)
    every = np.arange(n + 1)
    norms = (np.exp(terms - log_size[:, None]) * (every / (every + 1))).sum(axis=1) * (radii[:, 0] + 1)
    with np.errstate(divide="ignore"):
        squares = np.exp(_log_sum(_cumulated(np.log(first), more)) - log_size)
    return log_size, (2 if ball.balanced else 1) / k * norms, squares


def _cumulated(first: Floats, growth: Floats) -> Floats:
    """Logarithms of terms from the first one and the factors between them."""
    with np.errstate(divide="ignore"):
        return np.cumsum(np.concatenate([first, np.log(growth)], axis=1), axis=1)


def _log_sum(terms: Floats) -> Floats:
    """log Σ exp, row by row."""
    top = np.maximum(terms.max(axis=1), -1e300)
    with np.errstate(divide="ignore"):
        return top + np.log(np.exp(terms - top[:, None]).sum(axis=1))  # type: ignore[no-any-return]


def _normal(logs: Floats) -> Floats:
    return logs - logs.max()  # type: ignore[no-any-return]
