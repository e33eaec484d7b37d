"""What stands between exact numbers and an answer: added noise, or a random choice.

A mechanism is a value that was fixed before anything was counted. It draws from the curator's noise and from nothing
else. Its cost is proven in proof.md, sections 2 to 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from understudy._core.errors import InternalError
from understudy.privacy._contrasts import contrast_squares
from understudy.privacy._values import Counts, Factors, NoiseLevel, noise_levels

if TYPE_CHECKING:
    from understudy.privacy._noise import Noise

_FINEST = Fraction(1, 1 << 20)  # with less noise than this leaves nothing is private anyway
_AT_ONCE = 256  # numbers that get their noise together, until one reaches the threshold


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """Integers as they were counted, table by table: private. Where they are scores, value = integer / scale.

    Fractions are refused: taken down to integers, they would move by 1 where they were said to move by less.

    >>> Counted([np.array([3, 1])]).scale
    1
    """

    tables: Sequence[Counts]
    scale: int = 1

    def __post_init__(self) -> None:
        if any(table.dtype.kind not in "iub" or not np.can_cast(table.dtype, np.int64) for table in self.tables):
            raise InternalError("What is counted must be whole numbers of up to 64 bits, with a sign.")


class Mechanism(Protocol):
    """Turns exact integers into what may be given out."""

    @property
    def name(self) -> str:
        """What the privacy statement calls it."""
        ...

    @property
    def private(self) -> bool:
        """Whether it has a price; a diagnostic takes what was counted as it is, for which none would be enough."""
        ...

    @property
    def noise(self) -> NoiseLevel | None:
        """The noise in each number, for mechanisms that add some."""
        ...

    @property
    def rate(self) -> Fraction | None:
        """λ of the weights exp(λ·value), for mechanisms that choose."""
        ...

    def __call__(self, counted: Counted, source: Noise) -> list[Counts]:
        """The noisy tables; or the place of the chosen one, as a single number."""
        ...


@dataclass(frozen=True, slots=True)
class AddNoise:
    """Independent integer noise in each cell, of one level or, with `factors`, of a level that depends on the cell.

    >>> AddNoise(NoiseLevel(kind="laplace", scale=Fraction(2))).name
    'discrete Laplace'
    """

    noise: NoiseLevel
    factors: tuple[Factors, ...] = ()

    @property
    def name(self) -> str:
        """What the privacy statement calls it."""
        names = {"laplace": "discrete Laplace", "gaussian": "rounded Gaussian", "none": "exact counts"}
        return names[self.noise.kind]

    @property
    def private(self) -> bool:
        """Whether there is any noise."""
        return self.noise.kind != "none"

    @property
    def rate(self) -> None:
        """Nothing is chosen."""
        return None

    def __call__(self, counted: Counted, source: Noise) -> list[Counts]:
        """The noisy tables."""
        return [self._noisy(table, source) for table in counted.tables]

    def _noisy(self, counts: Counts, source: Noise) -> Counts:
        if not self.private:
            return counts.astype(np.int64, copy=True)
        add = source.laplace if self.noise.kind == "laplace" else source.gaussian
        if not self.factors:
            return add(counts, self.noise.scale)
        noisy = np.empty(counts.shape, dtype=np.int64)
        for cells, level in noise_levels(counts.shape, self.factors, self.noise):
            noisy[cells] = add(counts[cells], level.scale)
        return noisy


@dataclass(frozen=True, slots=True)
class AddToContrasts:
    """Independent Gaussian noise in each contrast of a table of this shape, rounded to a grid (proof.md, section 14).

    >>> AddToContrasts(NoiseLevel(kind="gaussian", scale=Fraction(9)), (2, 2)).grid
    Fraction(1, 4)
    """

    noise: NoiseLevel
    shape: tuple[int, ...]
    name: str = "rounded Gaussian"
    rate: None = None

    @property
    def private(self) -> bool:
        """Whether there is any noise."""
        return self.noise.kind != "none"

    @property
    def grid(self) -> Fraction:
        """Steps that contrasts are rounded to: 1, or for σ < 10 the power of two that is at most σ/10."""
        grid = Fraction(1)
        while self.noise.scale < 100 * grid**2 and grid > _FINEST:
            grid /= 2
        return grid

    @property
    def variance(self) -> float:
        """Of each contrast: that of the noise and that of the rounding."""
        return float(self.noise.scale) + float(self.grid) ** 2 / 12 if self.private else 0.0

    def __call__(self, counted: Counted, source: Noise) -> list[Counts]:
        """The noisy contrasts, in steps of the grid."""
        [numbers] = counted.tables
        if not self.private:
            return [numbers]
        return [source.gaussian_on_grid(numbers, contrast_squares(self.shape), self.noise.scale, self.grid)]

    def values(self, noisy: Counts) -> npt.NDArray[np.float64]:
        """The contrasts that were given out, each over its length."""
        steps = float(self.grid) if self.private else 1 / np.sqrt(contrast_squares(self.shape))
        return np.asarray(noisy * steps, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class PermuteAndFlip:
    """A choice that costs λ · sensitivity of pure ε."""

    rate: Fraction
    name: str = "permute-and-flip"
    private: bool = True
    noise: None = None

    def __call__(self, counted: Counted, source: Noise) -> list[Counts]:
        """The place of the chosen score."""
        [scores] = counted.tables
        return [np.array([source.permute_and_flip(scores, self.rate / counted.scale)])]


@dataclass(frozen=True, slots=True)
class Exponential:
    """A choice that costs (π/8)·(λ · sensitivity)² of μ²."""

    rate: Fraction
    name: str = "exponential mechanism"
    private: bool = True
    noise: None = None

    def __call__(self, counted: Counted, source: Noise) -> list[Counts]:
        """The place of the chosen score."""
        [scores] = counted.tables
        return [np.array([source.exponential(scores, self.rate / counted.scale)])]


@dataclass(frozen=True, slots=True)
class ExponentialSeveral:
    """So many different ones, one choice after the other; each costs (π/8)·(λ · sensitivity)² of μ² (section 15).

    >>> ExponentialSeveral(Fraction(1, 2), 3).name
    'exponential mechanism, 3 times'
    """

    rate: Fraction
    number: int
    private: bool = True
    noise: None = None

    @property
    def name(self) -> str:
        """What the privacy statement calls it."""
        return f"exponential mechanism, {self.number} times"

    def __call__(self, counted: Counted, source: Noise) -> list[Counts]:
        """The places of the chosen scores."""
        [scores] = counted.tables
        return [source.several(scores, self.rate / counted.scale, self.number)]


@dataclass(frozen=True, slots=True)
class Largest:
    """The best so many, in a diagnostic; λ is what private choices would have had."""

    rate: Fraction
    number: int
    name: str = "exact maximum"
    private: bool = False
    noise: None = None

    def __call__(self, counted: Counted, source: Noise) -> list[Counts]:
        """The places of the highest scores."""
        [scores] = counted.tables
        return [np.argsort(-scores, kind="stable")[: self.number]]


@dataclass(frozen=True, slots=True)
class Maximum:
    """The best, in a diagnostic; λ is what a private choice would have had."""

    rate: Fraction
    name: str = "exact maximum"
    private: bool = False
    noise: None = None

    def __call__(self, counted: Counted, source: Noise) -> list[Counts]:
        """The place of the highest score."""
        [scores] = counted.tables
        return [np.array([scores.argmax()])]


@dataclass(frozen=True, slots=True)
class AboveThreshold:
    """The place of the first number that reaches a threshold, both with noise; −1 if none does (proof.md, section 12).

    The threshold's noise is drawn once, then each number's. Nothing but the place is given out.

    >>> AboveThreshold.for_epsilon(Fraction(1), Fraction(1), threshold=9).noise.scale
    Fraction(10, 3)
    """

    threshold: int
    threshold_noise: NoiseLevel
    noise: NoiseLevel
    name: str = "above threshold"
    rate: None = None

    @classmethod
    def for_epsilon(cls, epsilon: Fraction, moved: Fraction, *, threshold: int) -> AboveThreshold:
        """What costs ε if one unit moves each number by at most so much: ε = moved/b₁ + 2·moved/b₂."""
        from understudy.privacy._levels import laplace_level

        of_threshold, of_numbers = moved / (epsilon * Fraction(2, 5)), 2 * moved / (epsilon * Fraction(3, 5))
        return cls(threshold, laplace_level(of_threshold), laplace_level(of_numbers))

    def without_noise(self) -> AboveThreshold:
        """For a diagnostic."""
        bare = NoiseLevel(kind="none", scale=Fraction(0))
        return AboveThreshold(self.threshold, bare, bare)

    @property
    def private(self) -> bool:
        """Whether both have noise: without it in the threshold, numbers below would not be free."""
        return self.noise.kind != "none" and self.threshold_noise.kind != "none"

    def __call__(self, counted: Counted, source: Noise) -> list[Counts]:
        """The place, as a single number."""
        [numbers] = counted.tables
        [bar] = AddNoise(self.threshold_noise)(Counted([np.array([self.threshold], dtype=np.int64)]), source)
        for start in range(0, len(numbers), _AT_ONCE):
            [noisy] = AddNoise(self.noise)(Counted([numbers[start : start + _AT_ONCE]]), source)
            reached = np.flatnonzero(noisy >= bar[0])
            if len(reached):
                return [np.array([start + reached[0]], dtype=np.int64)]
        return [np.array([-1], dtype=np.int64)]
