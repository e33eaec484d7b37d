"""What a strategy finds: an answer for each query, where it comes from, and how far it may be off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log, sqrt
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from understudy.answers._state import State
from understudy.privacy import NoiseLevel

Floats: TypeAlias = npt.NDArray[np.float64]
How: TypeAlias = Literal["measured", "model", "refused"]
MEASURED, MODEL, REFUSED = 0, 1, 2
HOW: tuple[How, ...] = ("measured", "model", "refused")

# 95 % of a normal variable lie within 1.96 deviations, of a Laplace variable within ln(20)/√2 = 2.118 of its own;
# sums of Laplace variables lie in between
_WITHIN = {"gaussian": 1.96, "none": 0.0} | dict.fromkeys(("laplace", "knorm", "balanced"), log(20) / sqrt(2))


@dataclass(frozen=True, kw_only=True, eq=False)
class BatchAnswers:
    """Answers of one batch of queries, as shares of the rows; without a number where they were refused."""

    shares: Floats
    low: Floats
    high: Floats
    how: npt.NDArray[np.int8]

    @classmethod
    def of(cls, shares: Floats, low: Floats, high: Floats, how: int) -> BatchAnswers:
        """Answers of one kind. All is kept between 0 and 1, and the interval holds the answer.

        >>> found = BatchAnswers.of(np.array([0.2]), np.array([-0.1]), np.array([0.1]), MEASURED)
        >>> found.low.tolist(), found.high.tolist()
        ([0.0], [0.2])
        """
        kept = np.clip(shares, 0.0, 1.0)
        return cls(
            shares=kept,
            low=np.minimum(np.clip(low, 0.0, 1.0), kept),
            high=np.maximum(np.clip(high, 0.0, 1.0), kept),
            how=np.full(len(kept), how, dtype=np.int8),
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Found:
    """Answers of all batches, the distribution behind them if there is one, and what should be told about them."""

    batches: Sequence[BatchAnswers]
    state: State | None
    covers: str
    """What an interval covers, as half a sentence."""
    steps: str = ""
    """What was done, in half a sentence, where the strategy does not say so already."""
    notes: tuple[str, ...] = ()
    """What should be known about the answers."""


def half_width(noise: NoiseLevel, squares: Floats, *, grid: int = 1) -> Floats:
    """Half of the 95 % interval of sums of cells with this noise, in counts: from their squared weights.

    Half a step is added, as sums of whole numbers jump. Checked against exact distributions in the tests.

    >>> from fractions import Fraction
    >>> half_width(NoiseLevel(kind="gaussian", scale=Fraction(100)), np.array([1.0, 4.0])).round(1).tolist()
    [20.1, 39.7]
    """
    if noise.kind == "none":
        return np.zeros_like(squares)
    found: Floats = (_WITHIN[noise.kind] * sqrt(noise.variance) * np.sqrt(squares) + 0.5) / grid
    return found


def upper_end(value: float, noise: NoiseLevel, *, grid: int = 1) -> float:
    """A number that a noisy one's true value exceeds with probability 5 % at most, in counts.

    >>> from fractions import Fraction
    >>> round(upper_end(10.0, NoiseLevel(kind="laplace", scale=Fraction(2))), 3)
    14.605
    """
    if noise.kind == "laplace":
        return value + log(10) * float(noise.scale) / grid
    return value + (1.645 * sqrt(noise.variance) + (0.5 if noise.kind == "gaussian" else 0.0)) / grid


def with_noisy_rows(found: BatchAnswers, reach: float) -> BatchAnswers:
    """The same answers with intervals that also cover a noisy number of rows, which is within this part of itself.

    A share is a count over the number of rows, so that number's noise moves all shares, in proportion to them. Beside
    the noise of a measurement it is independent, and deviations add up in squares; other intervals are bounds, and
    just grow.

    >>> found = BatchAnswers.of(np.array([0.5]), np.array([0.47]), np.array([0.53]), MEASURED)
    >>> wider = with_noisy_rows(found, 0.05)
    >>> wider.low.round(3).tolist(), wider.high.round(3).tolist()
    ([0.46], [0.54])
    """
    if reach <= 0:
        return found
    middle, half = (found.low + found.high) / 2, (found.high - found.low) / 2
    off = middle * reach / (1 - reach) if reach < 1 else np.ones_like(middle)
    wider = np.where(found.how == MEASURED, np.hypot(half, off), half + off)
    return replace(found, low=np.clip(middle - wider, 0.0, 1.0), high=np.clip(middle + wider, 0.0, 1.0))
