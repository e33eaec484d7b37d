"""How strongly attributes hang together, as one noisy number: the mean of each group's best score.

Values are scores in records. If one unit moves each of them by at most s, it moves the largest of a group by no more,
nor the mean of several such. The mean is taken down to a grid of 1/64 record, which adds at most one step; so the
integer on the grid moves by at most 64·s + 1 (proof.md, section 8).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, sqrt

import numpy as np

from understudy._core.errors import InternalError
from understudy.privacy._mechanisms import Counted
from understudy.privacy._protection import ChoiceStep
from understudy.privacy._question import Price, PrivateRows, PublicFacts
from understudy.privacy._sensitivity import Sensitivity
from understudy.privacy._values import Candidate, Counts, NoiseLevel, ScoreWithValues

GRID = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Strength:
    """A noisy mean of best scores, in records: safe to publish.

    >>> Strength(on_grid=640, noise=NoiseLevel(kind="none", scale=Fraction(0))).mean
    10.0
    """

    on_grid: int
    noise: NoiseLevel

    @property
    def mean(self) -> float:
        """The mean value, as measured."""
        return self.on_grid / GRID

    @property
    def deviation(self) -> float:
        """Standard deviation of its noise."""
        return sqrt(self.noise.variance) / GRID


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanStrength:
    """The mean of each group's best value, with noise: one number, which a unit moves as far as one value.

    >>> from understudy.counting import MemoryCounter
    >>> from understudy.privacy import make_budget, open_curator
    >>> from understudy.schema import Attribute, Domain
    >>> from understudy.tables import Table
    >>> domain = Domain((Attribute(name="sex", size=2), Attribute(name="smokes", size=2)))
    >>> table = Table(domain, (np.array([0, 1, 1]), np.array([0, 0, 1])))
    >>> curator = open_curator(MemoryCounter(table), budget=make_budget(1))
    >>> from understudy.models import RScore
    >>> from understudy.schema import Axis
    >>> groups = [[Candidate(0, (Axis(1),))], [Candidate(1, (Axis(0),))]]
    >>> isinstance(curator.ask(MeanStrength(groups=groups, score=RScore()), share=Fraction(1, 2)).mean, float)
    True
    """

    groups: Sequence[Sequence[Candidate]]
    score: ScoreWithValues
    what: str = "strength"

    def __post_init__(self) -> None:
        if not self.groups or not all(self.groups):
            raise InternalError("There is nothing to take the mean of.")

    def free_answer(self, facts: PublicFacts) -> None:
        """It always looks at rows."""
        return

    def price(self, facts: PublicFacts, share: Fraction) -> Price:
        """Noise for one number on the grid."""
        terms, candidates = facts.terms, self._candidates
        held = facts.view.held(candidates)
        # whole numbers keep scales short
        sensitivity = Sensitivity.of_number(Fraction(ceil(self._moved(facts))))
        mechanism = facts.noise_for(share, sensitivity, stage="selection")
        steps: tuple[ChoiceStep, ...] = ()
        if mechanism.private:
            cost = terms.budget.cost_of_noise(mechanism.noise, self._moved(facts, values_only=True))
            steps = (ChoiceStep(attributes=held, one=cost, several=cost),)
        return Price(
            mechanism=mechanism,
            sensitivity=terms.budget.norm(sensitivity),
            touches=((held, share),),
            steps=steps,
            n_candidates=len(candidates),
        )

    def _moved(self, facts: PublicFacts, *, values_only: bool = False) -> Fraction:
        """Most that the number on the grid moves."""
        shapes = facts.shapes.of(self._candidates)
        return GRID * facts.terms.value_sensitivity(self.score, facts.most_rows, shapes, values_only=values_only) + 1

    def count(self, rows: PrivateRows, facts: PublicFacts) -> Counted:
        """The exact mean, rounded down to the grid."""
        counted = rows.scores(self._candidates, self.score)
        best = np.maximum.reduceat(counted.tables[0], np.cumsum([0, *map(len, self.groups[:-1])]))
        return Counted([np.array([mean_on_grid(best, counted.scale)], dtype=np.int64)])

    def answer(self, noisy: list[Counts], price: Price, facts: PublicFacts) -> Strength:
        """The noisy mean."""
        noise = price.mechanism.noise
        assert noise is not None
        return Strength(on_grid=int(noisy[0][0]), noise=noise)

    @property
    def _candidates(self) -> list[Candidate]:
        return [candidate for group in self.groups for candidate in group]


def mean_on_grid(scores: Counts, scale: int) -> int:
    """The mean of scores/scale, in steps of 1/64, rounded down; exact.

    >>> mean_on_grid(np.array([10, 21]), 2)     # the mean of 5 and 10.5 is 7.75
    496
    """
    total: int = sum(scores.tolist())  # Python integers: scores near 64 bits must not wrap
    return total * GRID // (len(scores) * scale)
