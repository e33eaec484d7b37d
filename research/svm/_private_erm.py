"""PrivateERM: objective perturbation (Chaudhuri, Monteleoni, Sarwate, JMLR 2011, Algorithm 2) with the Huber loss.

The classifier minimises   Σᵢ huber(±f·xᵢ) + (κ/2)·‖f‖² + b·f,   κ = n(Λ + Δ),   with a random tilt b of density
∝ exp(−ε′‖b‖/2): a uniform direction, and a length from the Gamma distribution of shape d (numbers in a row) and scale
2/ε′. The published form divides everything by n. Rows are scaled by a public factor to a norm of at most 1.

Guarantee: ε-differential privacy; unit one row; neighbours: one row replaced, so n is public. *Proof* (theirs,
Theorem 9, in these terms). Every f is the minimiser for exactly one tilt, b(f) = −κf − Σᵢ ±huber′(±f·xᵢ)xᵢ, so the
density of f is that of the tilt at b(f) times |det ∂b/∂f|. |huber′| ≤ 1 and ‖x‖ ≤ 1, so replacing a row moves b(f)
by at most 2: the first factor changes by at most exp(ε′). ∂b/∂f = −(κI + Σ huber″·xxᵀ) with 0 ≤ huber″ ≤ c = 1/(2h);
taking away a row divides its determinant by at most 1 + c/κ, and putting one in multiplies it by at most that: the
second factor changes by at most (1 + c/κ)² = 1 + 2c/κ + c²/κ². Hence the rule: with Δ = 0,
ε′ = ε − log(1 + 2c/(nΛ) + c²/(n²Λ²)); if nothing is left of ε, ε′ = ε/2 and Δ such that (1 + c/κ)² = exp(ε/2), that is
κ = c/(exp(ε/4) − 1). ∎

Their theorem asks for a loss with a second derivative everywhere. Huber's has none where |1 − z| = h, but b(f) is
Lipschitz with a Lipschitz inverse (κ > 0), so the change of variables holds almost everywhere, which is all that a
density needs.
With rows added or removed, b(f) moves by at most 1 and the determinant by one factor, but κ and ε′ would depend on a
private n: that form is not offered.

What this is not: a release. The proof is about the exact minimiser and real numbers. We minimise until the gradient
is at rounding error (1e-9 of one row's largest, or as near as doubles come), but the tilt is a tuple of doubles, whose
pattern of low bits is not covered. A research baseline, sound on paper.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from research.svm._features import Examples, FeatureMap, Floats
from research.svm._machine import LinearClassifier
from research.svm._solver import minimise_huber
from research.svm._targets import SvmTarget
from understudy._core.errors import OptionError
from understudy._core.randomness import Rng
from understudy.tables import Table

HUBER = 0.5
"""Half the width of the rounded corner, as in Chaudhuri et al.'s experiments."""
PENALTY = 1.0
"""nΛ, the weight of ‖f‖²/2 beside a loss summed over rows: the C-SVM's with C = 1, that is Λ = 1/n.

The PrivBayes paper does not tell its Λ. But its footnote 7 says of PrivateERM (Single) at ε = 1.6 that ε′ is then an
unlucky choice. With nΛ = 1 and h = 1/2 the rule gives ε′ = ε/2 up to ε = 1.39 and 0.21 at ε = 1.6, less than the 0.4
of ε = 0.8: just what they describe.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Perturbation:
    """What the rule makes of ε: the tilt's ε′, and the weight κ of ‖f‖²/2.

    >>> round(perturbation(1.6).epsilon, 3), perturbation(1.6).ridge
    (0.214, 1.0)
    >>> perturbation(0.8).epsilon, round(perturbation(0.8).ridge, 3)
    (0.4, 4.517)
    """

    epsilon: float
    ridge: float


def perturbation(epsilon: float, *, huber: float = HUBER, penalty: float = PENALTY) -> Perturbation:
    """The rule of Algorithm 2. A function of public numbers."""
    if not epsilon > 0:
        raise OptionError(f"The 'epsilon' parameter must be a number above 0. Got {epsilon} instead.")
    bend = 1 / (2 * huber)
    left = epsilon - 2 * math.log1p(bend / penalty)  # log(1 + 2c/κ + c²/κ²) = 2 log(1 + c/κ)
    if left > 0:
        return Perturbation(epsilon=left, ridge=penalty)
    return Perturbation(epsilon=epsilon / 2, ridge=bend / math.expm1(epsilon / 4))


def draw_tilt(width: int, epsilon: float, rng: Rng) -> Floats:
    """A vector of density ∝ exp(−ε‖b‖/2).

    >>> from understudy._core.randomness import Streams
    >>> draw_tilt(3, 1.0, Streams(0).get("tilt")).shape
    (3,)
    """
    direction = rng.standard_normal(width)
    return direction / np.linalg.norm(direction) * rng.gamma(width, 2 / epsilon)


def fit_perturbed(examples: Examples, tilt: Floats, ridge: float) -> Floats:
    """The exact minimiser for a tilt; the rows must have norm at most 1."""
    return minimise_huber(examples, h=HUBER, ridge=ridge, tilt=tilt)


def private_erm(train: Table, target: SvmTarget, *, epsilon: Fraction, rng: Rng) -> LinearClassifier:
    """A linear classifier, ε-differentially private with one row replaced (this module's docstring has the proof).

    >>> from understudy._core.randomness import Streams
    >>> from understudy.schema import Attribute, Domain
    >>> table = Table(Domain((Attribute(name="y", size=2), Attribute(name="a", size=2))), (np.arange(900) % 2,) * 2)
    >>> same = SvmTarget(name="y", column=0, positive=frozenset({1}))
    >>> private_erm(table, same, epsilon=Fraction(1), rng=Streams(0).get("tilt")).error(table)
    0.0
    """
    examples = Examples.of(train, target)
    rows = examples.features / FeatureMap(train.domain, target).longest  # a public factor: no row is longer than 1
    found = perturbation(float(epsilon))
    tilt = draw_tilt(examples.width, found.epsilon, rng)
    return LinearClassifier(target, fit_perturbed(Examples(rows, examples.yes, examples.no), tilt, found.ridge))
