"""Questions whose answer is counts: the number of rows, tables, single cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from understudy._core.errors import InternalError
from understudy.privacy._mechanisms import AddNoise, Counted
from understudy.privacy._protection import ChoiceStep, TableStep, axis_factors
from understudy.privacy._question import Price, PrivateRows, PublicFacts, touch_each
from understudy.privacy._sensitivity import Sensitivity, two_largest
from understudy.privacy._values import Counts, Factors, Measurement, NoiseLevel
from understudy.schema import Marginal

if TYPE_CHECKING:
    from understudy.privacy._curator import Curator


@dataclass(frozen=True, slots=True)
class NumberOfRows:
    """How many rows there are: free where it is public; else noisy, and at least 1.

    One row moves it by 1. A change of values leaves it as it is, so it has no step. `Curator.measure_rows` asks it, and
    remembers the answer.

    >>> NumberOfRows().what
    'rows'
    """

    what: str = "rows"

    def free_answer(self, facts: PublicFacts) -> int | None:
        """The public number."""
        return facts.rows

    def price(self, facts: PublicFacts, share: Fraction) -> Price:
        """Noise for a number that a unit moves by its rows."""
        sensitivity = facts.terms.of_unit(Sensitivity.of_number(Fraction(1)))
        return Price(
            mechanism=facts.noise_for(share, sensitivity),
            sensitivity=facts.terms.budget.norm(sensitivity),
            touches=(),
            steps=(),
            n_tables=1,
        )

    def count(self, rows: PrivateRows, facts: PublicFacts) -> Counted:
        """The true number."""
        return Counted([np.array([rows.n], dtype=np.int64)])

    def answer(self, noisy: list[Counts], price: Price, facts: PublicFacts) -> int:
        """At least 1: what is published has a row."""
        return max(1, int(noisy[0][0]))


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyTables:
    """Tables of counts that get the same noise; the share is split evenly over them.

    One row moves one table by `Neighbours.table_sensitivity`. With `factors`, one tuple for each leaf code of some
    attributes, a cell's noise grows as its smallest factor shrinks, and a change from or to it costs that much less
    (proof.md, section 7); such tables are asked for one at a time, as `measure_weighted` does.

    >>> from understudy.counting import MemoryCounter
    >>> from understudy.privacy import make_budget, open_curator
    >>> from understudy.schema import Attribute, Domain
    >>> from understudy.tables import Table
    >>> domain = Domain((Attribute(name="sex", size=2), Attribute(name="smokes", size=2)))
    >>> table = Table(domain, (np.array([0, 1, 1]), np.array([0, 0, 1])))
    >>> curator = open_curator(MemoryCounter(table), budget=make_budget(1))
    >>> [noisy] = curator.ask(NoisyTables(marginals=[Marginal.of(0, 1)]), share=Fraction(1, 2))
    >>> noisy.counts.shape, noisy.noise.scale
    ((2, 2), Fraction(4, 1))
    """

    marginals: Sequence[Marginal]
    what: str = "tables"
    factors: Mapping[int, Factors] | None = None

    def __post_init__(self) -> None:
        if self.factors and len(self.marginals) > 1:
            raise InternalError("Tables with unequal noise are asked for one at a time: their sensitivities differ.")

    def free_answer(self, facts: PublicFacts) -> list[Measurement] | None:
        """No tables cost nothing."""
        return None if self.marginals else []

    def price(self, facts: PublicFacts, share: Fraction) -> Price:
        """The noise of one table for its part of the share."""
        terms, each = facts.terms, share / len(self.marginals)
        factors = axis_factors(self.marginals[0], facts.domain, self.factors or {})
        of_row = terms.neighbours.table_sensitivity
        if factors:
            reached = two_largest(factors, self.marginals[0].shape(facts.domain), terms.neighbours.cells_of_row)
            of_row = Sensitivity(l1=reached, l2_squared=reached)
        sensitivity = terms.of_unit(of_row)
        mechanism = facts.noise_for(each, sensitivity, factors=factors)
        return Price(
            mechanism=mechanism,
            sensitivity=terms.budget.norm(sensitivity),
            touches=touch_each(facts, self.marginals, share),
            steps=self._steps(facts, mechanism.noise, factors) if mechanism.private else (),
            n_tables=len(self.marginals),
        )

    def _steps(self, facts: PublicFacts, noise: NoiseLevel, factors: tuple[Factors, ...]) -> tuple[TableStep, ...]:
        budget, rows = facts.terms.budget, facts.terms.unit.counted
        of_cell = budget.grouped(rows) * budget.cost_of_noise(noise, Fraction(1))
        return tuple(TableStep(axes=facts.view.seen(m), of_cell=of_cell, factors=factors) for m in self.marginals)

    def count(self, rows: PrivateRows, facts: PublicFacts) -> Counted:
        """The exact tables."""
        return Counted(rows.count(self.marginals))

    def answer(self, noisy: list[Counts], price: Price, facts: PublicFacts) -> list[Measurement]:
        """Each table with the noise it has."""
        added = price.mechanism
        assert isinstance(added, AddNoise)
        return [
            Measurement(marginal=marginal, counts=table, noise=added.noise, factors=added.factors)
            for marginal, table in zip(self.marginals, noisy, strict=True)
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyCell:
    """The count of a single cell of a table, by its place in the flat table.

    One row moves it by at most 1, whether it is replaced or comes or goes.

    >>> from understudy.counting import MemoryCounter
    >>> from understudy.privacy import make_budget, open_curator
    >>> from understudy.schema import Attribute, Domain
    >>> from understudy.tables import Table
    >>> domain = Domain((Attribute(name="sex", size=2), Attribute(name="smokes", size=2)))
    >>> table = Table(domain, (np.array([0, 1, 1]), np.array([0, 0, 1])))
    >>> curator = open_curator(MemoryCounter(table), budget=make_budget(1))
    >>> isinstance(curator.ask(NoisyCell(marginal=Marginal.of(0, 1), cell=3), share=Fraction(1, 2)), int)
    True
    """

    marginal: Marginal
    cell: int
    what: str = "cell"

    def free_answer(self, facts: PublicFacts) -> None:
        """A count is never public."""
        return

    def price(self, facts: PublicFacts, share: Fraction) -> Price:
        """Noise for a number that a unit moves by its rows."""
        budget, held = facts.terms.budget, facts.sources(self.marginal)
        sensitivity = facts.terms.of_unit(Sensitivity.of_number(Fraction(1)))
        mechanism = facts.noise_for(share, sensitivity)
        steps: tuple[ChoiceStep, ...] = ()
        if mechanism.private:
            cost = budget.cost_of_noise(mechanism.noise, Fraction(facts.terms.unit.counted))
            steps = (ChoiceStep(attributes=held, one=cost, several=cost),)
        return Price(
            mechanism=mechanism,
            sensitivity=budget.norm(sensitivity),
            touches=((held, share),),
            steps=steps,
            n_tables=1,
        )

    def count(self, rows: PrivateRows, facts: PublicFacts) -> Counted:
        """The exact count."""
        [table] = rows.count([self.marginal])
        return Counted([table.reshape(-1)[self.cell : self.cell + 1]])

    def answer(self, noisy: list[Counts], price: Price, facts: PublicFacts) -> int:
        """The noisy count."""
        return int(noisy[0][0])


def measure_weighted(
    curator: Curator, marginals: Sequence[Marginal], factors: Mapping[int, Factors], *, share: Fraction, what: str
) -> list[Measurement]:
    """Tables with unequal noise, each asked for on its own: their shapes, and so their sensitivities, differ."""
    each = share / max(len(marginals), 1)
    return [
        measurement
        for marginal in marginals
        for measurement in curator.ask(NoisyTables(marginals=[marginal], what=what, factors=factors), share=each)
    ]
