"""PrivGene: classifiers bred by mutation and private choice (Zhang, Xiao, Yang, Zhang, Winslett, SIGMOD 2013).

Reconstructed, and not as their paper has it: that has a population that is crossed, of which neither the paper nor the
program is at hand, and the PrivBayes paper tells no settings. So no verdict rests on it. Each round, a surviving
classifier f has offspring f ± s·eⱼ for each of its d numbers; one of them is chosen privately by its fitness, the
C-SVM's objective −(‖f‖²/2 + Σ max(0, 1 ∓ f·x)) with C = 1, and survives. The step s starts at 0.5 and shrinks by
0.95 a round; there are max(8, n·ε/800) rounds, each with the same share of ε. With one survivor a round there is
nobody to cross it with; several survivors would have to share the round's ε.

Guarantee: ε-differential privacy; unit one row; neighbours: one row replaced, so n is public. *Proof.* A round's
candidates are made from what earlier rounds chose: public. One row's hinge loss has slope at most 1 in f·x, and two
candidates of a round differ by s in two places, or by 2s in one, where |xⱼ| ≤ 1: the row's losses under both differ by
at most 2s. So replacing a row moves the *difference* of any two fitnesses by at most 4s, which is the spread of
`privacy/proof.md`, however large a single loss can be. Permute-and-flip of rate λ costs λ·spread (section 4 there);
λ = (ε/rounds)/spread, and rounds add up. ‖f‖²/2 is public and moves nothing. ∎ This use of the spread is what that
paper calls the *enhanced exponential mechanism*; permute-and-flip is at least as good as the exponential one.

The guarantee does not rest on floating point. Features are multiples of 2⁻⁸ and weights multiples of 2⁻²⁰, so doubles
hold every product and sum exactly. Fitness is counted in units of 1/Q, each row's loss rounded by itself: two roundings
add at most one unit to a row's difference, so the spread is charged as 2(2s·Q + 1) units. The choice is exact too.
With rows added or removed the spread would be half as large, but the number of rounds reads n: not offered.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from research.svm._features import Examples, Floats
from research.svm._machine import LinearClassifier
from research.svm._targets import SvmTarget
from understudy.privacy import Noise
from understudy.tables import Table

STEP = Fraction(1, 2)
"""By how much the first round's mutations move one number."""
SHRINK = Fraction(19, 20)
"""By how much the step changes from a round to the next."""
FEWEST_ROUNDS = 8
ROWS_PER_ROUND = 800
"""A round for each 800 rows at ε = 1, if that is more than eight."""
UNITS = 1 << 10
"""Q: fitness is rounded to multiples of 1/Q, row by row."""
_FEATURE_GRID = 1 << 8
_WEIGHT_GRID = 1 << 20


def rounds_for(n: int, epsilon: Fraction) -> int:
    """Number of rounds, from public numbers.

    >>> rounds_for(17000, Fraction(1, 20)), rounds_for(17000, Fraction(1))
    (8, 21)
    """
    return max(FEWEST_ROUNDS, math.floor(n * epsilon / ROWS_PER_ROUND))


def steps_for(rounds: int) -> list[Fraction]:
    """The step of each round, on the grid of weights.

    >>> [round(float(step), 3) for step in steps_for(2)]
    [0.5, 0.475]
    """
    exact = (STEP * SHRINK**i for i in range(rounds))
    return [Fraction(max(1, math.floor(step * _WEIGHT_GRID)), _WEIGHT_GRID) for step in exact]


def spread_of(step: Fraction) -> Fraction:
    """The most, in units, that one row replaced moves the difference between two offspring's fitnesses.

    >>> spread_of(Fraction(1, 2))
    Fraction(2050, 1)
    """
    return 2 * (2 * step * UNITS + 1)


def offspring(parent: Floats, step: Fraction) -> Floats:
    """All classifiers that differ from this one by a step in one number.

    >>> offspring(np.zeros(1), Fraction(1, 2)).tolist()
    [[0.5], [-0.5]]
    """
    moves = float(step) * np.eye(len(parent))
    return np.concatenate([parent + moves, parent - moves])


class Fitness:
    """Minus the C-SVM's objective of a classifier's offspring, in units.

    An offspring differs from its parent only on rows where the mutated number's feature is not 0, so only those are
    looked at again.

    >>> one = Examples(np.array([[1.0]]), np.array([1.0]), np.array([0.0]))
    >>> (Fitness(one)(np.zeros(1), Fraction(1, 2)) / UNITS).tolist()
    [-0.625, -1.625]
    """

    def __init__(self, examples: Examples) -> None:
        self._rows = np.rint(examples.features * _FEATURE_GRID) / _FEATURE_GRID
        self._yes, self._no = examples.yes, examples.no
        self._touched = [np.flatnonzero(column) for column in self._rows.T]
        self._values = [self._rows[rows, j] for j, rows in enumerate(self._touched)]

    def __call__(self, parent: Floats, step: Fraction) -> npt.NDArray[np.int64]:
        """One for each classifier of `offspring`, in its order."""
        margins = self._rows @ parent
        losses = self._losses(margins, self._yes, self._no)
        total, found = losses.sum(), np.empty(2 * len(parent))
        for j, (rows, values) in enumerate(zip(self._touched, self._values, strict=True)):
            rest = total - losses[rows].sum()
            yes, no, here, move = self._yes[rows], self._no[rows], margins[rows], float(step) * values
            found[j] = rest + self._losses(here + move, yes, no).sum()
            found[j + len(parent)] = rest + self._losses(here - move, yes, no).sum()
        penalty = np.rint(UNITS * (offspring(parent, step) ** 2).sum(axis=1) / 2)
        fitness: npt.NDArray[np.int64] = -(found + penalty).astype(np.int64)
        return fitness

    @staticmethod
    def _losses(margins: Floats, yes: Floats, no: Floats) -> Floats:
        """For each distinct row, its loss in units, rounded, times how often it is there: whole numbers below 2⁵³."""
        scaled = UNITS * margins
        return yes * np.rint(np.maximum(0.0, UNITS - scaled)) + no * np.rint(np.maximum(0.0, UNITS + scaled))


def privgene(train: Table, target: SvmTarget, *, epsilon: Fraction, noise: Noise) -> LinearClassifier:
    """A linear classifier, ε-differentially private with one row replaced (this module's docstring has the proof).

    >>> from understudy.privacy import make_noise
    >>> from understudy.schema import Attribute, Domain
    >>> table = Table(Domain((Attribute(name="y", size=2), Attribute(name="a", size=2))), (np.arange(900) % 2,) * 2)
    >>> same = SvmTarget(name="y", column=0, positive=frozenset({1}))
    >>> privgene(table, same, epsilon=Fraction(1), noise=make_noise(seed=1)).error(table)
    0.0
    """
    examples = Examples.of(train, target)
    fitness, rounds = Fitness(examples), rounds_for(train.n, epsilon)
    survivor = np.zeros(examples.width)
    for step in steps_for(rounds):
        chosen = noise.permute_and_flip(fitness(survivor, step), epsilon / rounds / spread_of(step))
        survivor = offspring(survivor, step)[chosen]
    return LinearClassifier(target, survivor)
