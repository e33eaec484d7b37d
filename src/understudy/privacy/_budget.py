"""Budgets: how much one run may reveal in all, as exact fractions, and what a share of that buys."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Literal, Protocol, TypeAlias

from understudy._core.errors import OptionError, UnderstudyWarning
from understudy._core.numbers import exact_number, exact_text
from understudy.privacy._conversion import mu_squared_for, pure_epsilon_for
from understudy.privacy._levels import gaussian_level, laplace_level
from understudy.privacy._mechanisms import Exponential, Mechanism, PermuteAndFlip
from understudy.privacy._sensitivity import Sensitivity
from understudy.privacy._values import NoiseLevel

Number: TypeAlias = "int | float | str | Decimal | Fraction"
Measure: TypeAlias = Literal["epsilon", "mu_squared"]

PI_ABOVE = Fraction(355, 113)
"""Just above π, by less than a ten-millionth of it."""


class PrivacyWarning(UnderstudyWarning):
    """The guarantee holds, but is weaker than its reader may think."""


class Budget(Protocol):
    """What a run may spend, and the one place that knows how: another accountant is another class.

    Steps work in *shares* of a budget, at most 1 in all: whatever the kind, their costs add up.
    """

    @property
    def epsilon(self) -> Fraction:
        """ε of the promise."""
        ...

    @property
    def delta(self) -> Fraction:
        """δ of the promise; 0 if it is pure."""
        ...

    @property
    def mu_squared(self) -> Fraction | None:
        """μ², where costs are counted in it."""
        ...

    @property
    def pure(self) -> bool:
        """Whether the promise is ε-differential privacy without a δ."""
        ...

    @property
    def measure(self) -> Measure:
        """What costs are counted in."""
        ...

    @property
    def total(self) -> Fraction:
        """All of it, in that measure."""
        ...

    def price(self, share: Fraction) -> Fraction:
        """What a share costs."""
        ...

    def part(self, share: Fraction) -> Budget:
        """A share as a budget of its own, for what is planned within it."""
        ...

    def norm(self, sensitivity: Sensitivity) -> Fraction:
        """The norm that this budget's noise is scaled to: L1, or the square of L2."""
        ...

    def noise_for(self, share: Fraction, sensitivity: Sensitivity) -> NoiseLevel:
        """The least noise under which numbers of this sensitivity cost no more than a share."""
        ...

    def rate_for(self, share: Fraction, sensitivity: Fraction) -> Fraction:
        """The largest λ at which choosing by exp(λ·value) costs no more than a share.

        `sensitivity` is that of the difference between two candidates' values.
        """
        ...

    def choice(self, rate: Fraction) -> Mechanism:
        """The mechanism that chooses with this λ."""
        ...

    def cost_of_noise(self, noise: NoiseLevel, moved: Fraction) -> Fraction:
        """What it costs that one number with this noise moves by so much."""
        ...

    def cost_of_choice(self, rate: Fraction, moved: Fraction) -> Fraction:
        """What a choice costs if differences between values move by so much."""
        ...

    def grouped(self, changes: int) -> int:
        """How many times the cost of one change so many together may cost."""
        ...

    def pure_epsilon(self, share: Fraction) -> Fraction:
        """The largest ε at which a step that is ε-differentially private, and no more is known of, costs a share."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PureBudget:
    """Pure ε-differential privacy.

    >>> PureBudget(epsilon=Fraction(1, 2)).delta
    Fraction(0, 1)
    >>> table = Sensitivity(l1=Fraction(2), l2_squared=Fraction(2))
    >>> PureBudget(epsilon=Fraction(1)).noise_for(Fraction(1, 10), table).scale
    Fraction(20, 1)
    >>> PureBudget(epsilon=Fraction(1)).rate_for(Fraction(1, 4), Fraction(2))
    Fraction(1, 8)
    """

    epsilon: Fraction

    def __post_init__(self) -> None:
        if self.epsilon <= 0:
            raise OptionError(f"epsilon must be above 0. Got {exact_text(self.epsilon)} instead.")

    @property
    def delta(self) -> Fraction:
        """Zero: the guarantee has no exception."""
        return Fraction(0)

    @property
    def mu_squared(self) -> None:
        """Costs are counted in ε."""
        return None

    @property
    def pure(self) -> bool:
        """There is no δ."""
        return True

    @property
    def measure(self) -> Measure:
        """ε."""
        return "epsilon"

    @property
    def total(self) -> Fraction:
        """ε."""
        return self.epsilon

    def price(self, share: Fraction) -> Fraction:
        """ε of a share."""
        return share * self.epsilon

    def part(self, share: Fraction) -> PureBudget:
        """A share as a budget of its own."""
        return PureBudget(epsilon=self.price(share))

    def norm(self, sensitivity: Sensitivity) -> Fraction:
        """L1."""
        return sensitivity.l1

    def noise_for(self, share: Fraction, sensitivity: Sensitivity) -> NoiseLevel:
        """Discrete Laplace of scale L1/ε (proof.md, section 2)."""
        return laplace_level(sensitivity.l1 / self.price(share))

    def rate_for(self, share: Fraction, sensitivity: Fraction) -> Fraction:
        """λ = ε/sensitivity (proof.md, section 4)."""
        return self.price(share) / sensitivity

    def choice(self, rate: Fraction) -> Mechanism:
        """Permute-and-flip."""
        return PermuteAndFlip(rate)

    def cost_of_noise(self, noise: NoiseLevel, moved: Fraction) -> Fraction:
        """A move over the scale b."""
        return moved / noise.scale

    def cost_of_choice(self, rate: Fraction, moved: Fraction) -> Fraction:
        """λ times the move."""
        return rate * moved

    def grouped(self, changes: int) -> int:
        """Costs of changes add up."""
        return changes

    def pure_epsilon(self, share: Fraction) -> Fraction:
        """ε of the share."""
        return self.price(share)


@dataclass(frozen=True, slots=True, kw_only=True)
class GDPBudget:
    """μ-Gaussian differential privacy, which implies (ε, δ). Costs are counted in μ², which add up.

    >>> budget = GDPBudget(mu_squared=Fraction(1, 25), epsilon=Fraction(1), delta=Fraction(1, 10**6))
    >>> budget.noise_for(Fraction(1, 2), Sensitivity(l1=Fraction(2), l2_squared=Fraction(2))).scale
    Fraction(100, 1)
    """

    mu_squared: Fraction
    epsilon: Fraction
    delta: Fraction

    def __post_init__(self) -> None:
        if self.mu_squared <= 0 or self.epsilon <= 0:
            raise OptionError(
                f"epsilon and mu must be above 0. Got {exact_text(self.epsilon)} and √{self.mu_squared} instead."
            )
        if not 0 < self.delta < 1:
            raise OptionError(f"delta must lie between 0 and 1. Got {exact_text(self.delta)} instead.")

    @property
    def pure(self) -> bool:
        """There is a δ."""
        return False

    @property
    def measure(self) -> Measure:
        """μ²."""
        return "mu_squared"

    @property
    def total(self) -> Fraction:
        """μ²."""
        return self.mu_squared

    def price(self, share: Fraction) -> Fraction:
        """μ² of a share."""
        return share * self.mu_squared

    def part(self, share: Fraction) -> GDPBudget:
        """A share as a budget of its own; (ε, δ) stays the promise of the whole."""
        return GDPBudget(mu_squared=self.price(share), epsilon=self.epsilon, delta=self.delta)

    def norm(self, sensitivity: Sensitivity) -> Fraction:
        """The square of L2."""
        return sensitivity.l2_squared

    def noise_for(self, share: Fraction, sensitivity: Sensitivity) -> NoiseLevel:
        """Rounded Gaussian of σ² = L2²/μ² (proof.md, section 1)."""
        return gaussian_level(sensitivity.l2_squared / self.price(share))

    def rate_for(self, share: Fraction, sensitivity: Fraction) -> Fraction:
        """λ = √(8μ²/π)/sensitivity, rounded down (proof.md, section 4)."""
        return sqrt_below(8 * self.price(share) / PI_ABOVE) / sensitivity

    def choice(self, rate: Fraction) -> Mechanism:
        """The exponential mechanism."""
        return Exponential(rate)

    def cost_of_noise(self, noise: NoiseLevel, moved: Fraction) -> Fraction:
        """The square of a move over σ²."""
        return moved**2 / noise.scale

    def cost_of_choice(self, rate: Fraction, moved: Fraction) -> Fraction:
        """The square of λ times the move, times π/8 rounded up."""
        return (rate * moved) ** 2 * PI_ABOVE / 8

    def grouped(self, changes: int) -> int:
        """Costs grow by the square."""
        return changes**2

    def pure_epsilon(self, share: Fraction) -> Fraction:
        """ε with e^ε = Φ(μ/2)/Φ(−μ/2), rounded down (proof.md, section 12)."""
        return pure_epsilon_for(self.price(share))


def make_budget(epsilon: Number, delta: Number | None = None) -> Budget:
    """A pure budget, or with `delta` the Gaussian one whose honest conversion is (ε, δ).

    Numbers are taken as they are written: 0.1 is one tenth, not its nearest double.

    >>> make_budget(0.1)
    PureBudget(epsilon=Fraction(1, 10))
    >>> float(make_budget(1, "1e-9").mu_squared)
    0.0331148304901
    """
    wanted = parse_number(epsilon, "epsilon")
    if wanted <= 0:
        raise OptionError(f"The 'epsilon' parameter must be a number above 0. Got {epsilon} instead.")
    if delta is None:
        return PureBudget(epsilon=wanted)
    slack = parse_number(delta, "delta")
    if not 0 < slack < 1:
        raise OptionError(f"The 'delta' parameter must lie between 0 and 1, well below 1/rows. Got {delta} instead.")
    return GDPBudget(mu_squared=mu_squared_for(wanted, slack), epsilon=wanted, delta=slack)


def parse_number(value: Number, name: str) -> Fraction:
    """The exact number someone wrote, or an error that names the parameter.

    >>> parse_number("1/3", "epsilon"), parse_number(0.25, "epsilon")
    (Fraction(1, 3), Fraction(1, 4))
    """
    try:
        return exact_number(value)
    except ValueError:
        raise OptionError(
            f"The '{name}' parameter must be a finite number such as 1, 0.5 or 1/3. Got {value!r} instead."
        ) from None


def sqrt_below(square: Fraction) -> Fraction:
    """A fraction at or just below the square root.

    >>> sqrt_below(Fraction(9, 4)), sqrt_below(Fraction(2)) ** 2 < 2
    (Fraction(3, 2), True)
    """
    shift = max(0, 64 - square.numerator.bit_length() // 2)
    return Fraction(math.isqrt(square.numerator * square.denominator << 2 * shift), square.denominator << shift)
