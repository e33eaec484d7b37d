"""Where public guesses of parities are farthest off, several pairs of two-valued columns at a time."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from understudy._core.errors import InternalError, OptionError
from understudy.privacy._choice_questions import distance_sensitivity
from understudy.privacy._mechanisms import Counted, ExponentialSeveral, Largest
from understudy.privacy._neighbours import Neighbours
from understudy.privacy._protection import ChoiceStep
from understudy.privacy._question import Price, PrivateRows, PublicFacts
from understudy.privacy._values import Counts

_ROOM = 1 << 61  # a distance that wrapped around 64 bits would move by far more than a record does


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FarthestParities:
    """So many different pairs of two-valued columns whose parities are likely to be far from public guesses.

    The answer is the pairs' places, in the order chosen. Pair i is that of `first[i]` and `second[i]`; its parity is
    the rows in which they agree less those in which they differ. Guesses are whole numbers of parts of a row, `scale`
    of them to one. One choice after the other, each among the pairs that are left, for an equal part of the share;
    needs a budget with a δ (proof.md, section 15).

    >>> from understudy.counting import MemoryCounter
    >>> from understudy.privacy import make_budget, open_curator
    >>> from understudy.schema import Attribute, Domain
    >>> from understudy.tables import Table
    >>> domain = Domain(tuple(Attribute(name=name, size=2) for name in ("sex", "smokes", "coughs")))
    >>> table = Table(domain, (np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1])))
    >>> curator = open_curator(MemoryCounter(table), budget=make_budget(1, "1e-9"))
    >>> first, second, guesses = np.array([0, 0, 1]), np.array([1, 2, 2]), np.array([0, 0, 0])
    >>> question = FarthestParities(first=first, second=second, guesses=guesses, number=2)
    >>> len(set(curator.ask(question, share=Fraction(1, 2)).tolist()))
    2
    """

    first: Counts
    second: Counts
    guesses: Counts
    number: int
    scale: int = 1
    what: str = "selection"

    def free_answer(self, facts: PublicFacts) -> Counts | None:
        """All pairs there are, or none, is no choice."""
        if facts.terms.budget.pure:
            raise OptionError("Several pairs at a time are chosen within a budget that has a delta above 0.")
        self._refuse_misfits(facts)
        return np.arange(self.number) if self.number in (0, len(self.guesses)) else None

    def _refuse_misfits(self, facts: PublicFacts) -> None:
        given = (self.first, self.second, self.guesses)
        if any(one.shape != self.guesses.shape or one.dtype != np.int64 or one.ndim != 1 for one in given):
            raise InternalError("Pairs and guesses need one whole number each.")
        if not 0 <= self.number <= len(self.guesses):
            raise InternalError(f"{self.number} different pairs cannot be chosen from {len(self.guesses)}.")
        if (self.first == self.second).any() or any(facts.domain[a].size != 2 for a in self._attributes()):
            raise InternalError("A parity is that of two different columns of two values.")
        if self.scale < 1:
            raise InternalError("A row has at least one part.")
        if len(self.guesses) and float(np.abs(self.guesses.astype(np.float64)).max()) >= _ROOM:
            raise InternalError("A guess is so far from any count that its distance would not fit 64 bits.")

    def price(self, facts: PublicFacts, share: Fraction) -> Price:
        """As many choices by distances as pairs are wanted: a parity moves as far as a whole table does."""
        terms = facts.terms
        held = frozenset(facts.view.source(a) for a in self._attributes())
        sensitivity, changed = (
            terms.unit.counted * distance_sensitivity("tables", relation)
            for relation in (terms.neighbours, Neighbours.REPLACE_ONE)
        )
        rate = terms.budget.rate_for(share / self.number, sensitivity)
        bare = facts.noiseless in ("all", "selection")
        cost = self.number * terms.budget.cost_of_choice(rate, changed)
        return Price(
            mechanism=Largest(rate, self.number) if bare else ExponentialSeveral(rate, self.number),
            sensitivity=sensitivity,
            touches=((held, share),),
            steps=(ChoiceStep(attributes=held, one=cost, several=cost),),
            n_candidates=len(self.guesses),
        )

    def count(self, rows: PrivateRows, facts: PublicFacts) -> Counted:
        """The exact distances."""
        if self.scale * rows.n >= _ROOM:
            raise InternalError("A count has so many parts that distances would not fit 64 bits.")
        parities = rows.pair_parities(self.first, self.second)
        return Counted([np.abs(parities * self.scale - self.guesses)], scale=self.scale)

    def answer(self, noisy: list[Counts], price: Price, facts: PublicFacts) -> Counts:
        """The places of those chosen."""
        return noisy[0]

    def _attributes(self) -> list[int]:
        found: list[int] = np.union1d(self.first, self.second).tolist()
        return found
