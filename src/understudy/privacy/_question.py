"""What a question to the curator is: a value that knows what it counts, how far one unit can move it, and its price.

A question never sees rows before its price is paid: `price` has public facts alone, and `count` alone sees counts.
Adding one means writing a class with these methods, in whatever room needs it; its argument (why this sensitivity,
which attributes, what a change of values costs) belongs beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, Protocol, TypeAlias, TypeVar

from understudy._core.errors import InternalError
from understudy.counting import Counter, pair_parities
from understudy.privacy._accountant import Touch
from understudy.privacy._linear import LinearQueries
from understudy.privacy._mechanisms import AddNoise, Counted, Maximum, Mechanism
from understudy.privacy._protection import ChoiceStep, Step, View
from understudy.privacy._remembered import RememberedTables
from understudy.privacy._scoring import CandidateShapes, Scorer
from understudy.privacy._sensitivity import Sensitivity
from understudy.privacy._terms import PrivacyTerms
from understudy.privacy._values import Candidate, Counts, Factors, NoiseLevel, Score
from understudy.schema import Domain, Marginal, Recoding

Stage: TypeAlias = Literal["selection", "tables"]
Noiseless: TypeAlias = Literal["all", "selection", "tables"]
ANY_ROWS = 1 << 62  # where the number of rows is private, a bound on scores must hold for all up to this
_NO_NOISE = NoiseLevel(kind="none", scale=Fraction(0))

Answer_co = TypeVar("Answer_co", covariant=True)


@dataclass(frozen=True, kw_only=True, eq=False)
class PublicFacts:
    """All that a question may know before it is paid for."""

    domain: Domain
    terms: PrivacyTerms
    rows: int | None
    """The public number of rows: the true one where that is public, else the measured one once there is one."""
    view: View
    shapes: CandidateShapes
    noiseless: Noiseless | None = None

    @property
    def most_rows(self) -> int:
        """Rows for which a bound on scores must hold."""
        return self.rows if self.rows is not None and self.terms.public_rows else ANY_ROWS

    def noise_for(
        self,
        share: Fraction,
        sensitivity: Sensitivity,
        *,
        stage: Stage = "tables",
        factors: tuple[Factors, ...] = (),
    ) -> AddNoise:
        """Noise for numbers that one unit moves so far; none in a diagnostic of this stage."""
        if self.noiseless in ("all", stage):
            return AddNoise(_NO_NOISE, factors)
        return AddNoise(self.terms.budget.noise_for(share, sensitivity), factors)

    def choice_for(self, share: Fraction, sensitivity: Fraction) -> Mechanism:
        """A choice among values whose differences one unit moves so far; the best one in a diagnostic."""
        rate = self.terms.budget.rate_for(share, sensitivity)
        return Maximum(rate) if self.noiseless in ("all", "selection") else self.terms.budget.choice(rate)

    def sources(self, marginal: Marginal) -> frozenset[int]:
        """The table's own attributes that a marginal looks at."""
        return frozenset(map(self.view.source, marginal.attributes))


class PrivateRows:
    """The rows, as counts: what `Question.count` may ask, and nobody else."""

    def __init__(self, counter: Counter) -> None:
        self._counter, self._scorer, self._tables = counter, Scorer(counter), RememberedTables(counter)
        self._totals: dict[int, tuple[LinearQueries, Counts]] = {}

    @property
    def domain(self) -> Domain:
        """The public domain of the columns."""
        return self._counter.domain

    @property
    def n(self) -> int:
        """The true number of rows."""
        return self._counter.n

    def count(self, marginals: Sequence[Marginal]) -> list[Counts]:
        """Counted tables."""
        return self._counter.count(marginals)

    def cells(self, marginals: tuple[Marginal, ...]) -> Counts:
        """The exact counts of all cells of these tables, one after the other; remembered for the next round."""
        return self._tables.cells(marginals)

    def distances(self, marginals: Sequence[Marginal], guesses: Counts, scale: int) -> Counts:
        """For each table the exact L1 distance of its counts, `scale` parts each, from guesses in such parts."""
        return self._tables.distances(marginals, guesses, scale)

    def pair_parities(self, first: Counts, second: Counts) -> Counts:
        """For each pair of two-valued columns, the rows in which they agree less those in which they differ."""
        return pair_parities(self._counter, first, second)

    def totals(self, queries: LinearQueries) -> Counts:
        """The exact sums of linear queries, times their denominators; remembered while they are asked again."""
        found = self._totals.get(id(queries))
        if found is None:
            [table] = self._counter.count([queries.marginal])
            found = self._totals[id(queries)] = queries, queries.totals(table)
        return found[1]

    def recoded(self, recoding: Recoding) -> PrivateRows:
        """The same rows through a public map of their codes."""
        return PrivateRows(self._counter.recoded(recoding))

    def scores(self, candidates: Sequence[Candidate], score: Score) -> Counted:
        """The exact scores of candidates; remembered for the next round."""
        return Counted([self._scorer.scores(candidates, score)], scale=score.scale(max(self.n, 1)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What a question takes for its answer, fixed before anything is counted.

    `touches` split the share over the attributes that are looked at, for promises about some of them; without them all
    of the share counts against every promise. `steps` say what a change of a unit's values, and not its coming or
    going, costs; without them the whole price of what they touch.
    """

    mechanism: Mechanism
    sensitivity: Fraction
    touches: tuple[Touch, ...] | None = None
    steps: tuple[Step, ...] | None = None
    n_tables: int = 0
    n_candidates: int = 0
    noise: NoiseLevel | None = None
    """The noise as the statement tells it, where the mechanism counts in smaller steps than rows."""


class Question(Protocol[Answer_co]):
    """Something to ask a curator; see `Curator.ask` for the order in which it is used.

    A question of one's own, in how many rows two columns agree. One row moves that by at most 1:

    >>> import numpy as np
    >>> from understudy.privacy import make_budget, open_curator
    >>> class Agreeing:
    ...     what = "rows in which both agree"
    ...     def free_answer(self, facts):
    ...         return None
    ...     def price(self, facts, share):
    ...         sensitivity = facts.terms.of_unit(Sensitivity.of_number(Fraction(1)))
    ...         return Price(mechanism=facts.noise_for(share, sensitivity), sensitivity=sensitivity.l1,
    ...                      touches=((facts.sources(Marginal.of(0, 1)), share),), n_tables=1)
    ...     def count(self, rows, facts):
    ...         [table] = rows.count([Marginal.of(0, 1)])
    ...         return Counted([np.array([np.trace(table)])])
    ...     def answer(self, noisy, price, facts):
    ...         return int(noisy[0][0])
    >>> from understudy.counting import MemoryCounter
    >>> from understudy.schema import Attribute
    >>> from understudy.tables import Table
    >>> domain = Domain((Attribute(name="before", size=2), Attribute(name="after", size=2)))
    >>> counter = MemoryCounter(Table(domain, (np.array([0, 1, 1]), np.array([0, 0, 1]))))
    >>> curator = open_curator(counter, budget=make_budget(1))
    >>> isinstance(curator.ask(Agreeing(), share=Fraction(1)), int), curator.charges[0].noise.scale
    (True, Fraction(1, 1))
    """

    @property
    def what(self) -> str:
        """What the privacy statement calls it."""
        ...

    def free_answer(self, facts: PublicFacts) -> Answer_co | None:
        """The answer, if it follows from public facts; None if rows must be looked at."""
        ...

    def price(self, facts: PublicFacts, share: Fraction) -> Price:
        """Mechanism, sensitivity and costs for this share, from public facts alone."""
        ...

    def count(self, rows: PrivateRows, facts: PublicFacts) -> Counted:
        """The exact integers that the mechanism is given."""
        ...

    def answer(self, noisy: list[Counts], price: Price, facts: PublicFacts) -> Answer_co:
        """What to give out: made of the mechanism's output and public facts."""
        ...


def touched(price: Price, facts: PublicFacts, share: Fraction) -> tuple[Touch, ...]:
    """The attributes that a question looks at: all of them, unless it says which."""
    if price.touches is not None:
        if any(part < 0 for _, part in price.touches):
            raise InternalError("A part of a share must not be below 0: it would give back what a promise has lost.")
        return price.touches
    everything = frozenset(facts.view.source(attribute) for attribute in range(len(facts.domain)))
    return ((everything, share),)


def costs_of_change(price: Price, facts: PublicFacts, share: Fraction) -> tuple[Step | None, ...]:
    """What a change of values costs: as the question says, or all that its share allows; None where no price is enough.

    Under add/remove a change is two, old rows that go and new ones that come.
    """
    if not price.mechanism.private:
        return (None,)
    if price.steps is not None:
        return price.steps
    budget = facts.terms.budget
    changes = budget.grouped(facts.terms.neighbours.steps_of_change)
    found = []
    for attributes, part in touched(price, facts, share):
        cost = changes * budget.price(part)
        found.append(ChoiceStep(attributes=attributes, one=cost, several=cost))
    return tuple(found)


def touch_each(facts: PublicFacts, marginals: Iterable[Marginal], share: Fraction) -> tuple[Touch, ...]:
    """Tables that take the same part of a share."""
    listed = list(marginals)
    return tuple((facts.sources(marginal), share / len(listed)) for marginal in listed)
