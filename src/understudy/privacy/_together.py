"""Tables of counts asked together under pure ε: one draw of noise for all of them, instead of a part of ε for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from understudy.privacy._count_questions import NoisyTables
from understudy.privacy._lattice_moments import pooled_level, together_levels
from understudy.privacy._mechanisms import Counted
from understudy.privacy._question import Price, PrivateRows, PublicFacts
from understudy.privacy._terms import PrivacyTerms
from understudy.privacy._values import Counts, Measurement, NoiseLevel
from understudy.schema import Domain, Marginal

if TYPE_CHECKING:
    from understudy.privacy._noise import Noise


@dataclass(frozen=True, slots=True)
class AddTogether:
    """Integer noise for several tables with probability ∝ exp(−decay · the largest norm among them).

    The norm of a table's noise z is Σ|z|; where it is balanced, so that each table keeps its total, half of that.
    """

    decay: Fraction
    balanced: bool
    levels: tuple[NoiseLevel, ...]
    noise: NoiseLevel
    name: str = "K-norm noise"
    private: bool = True
    rate: None = None

    def __call__(self, counted: Counted, source: Noise) -> list[Counts]:
        """The noisy tables."""
        return source.together(counted.tables, self.decay, balanced=self.balanced)


@dataclass(frozen=True, slots=True, kw_only=True)
class TablesTogether:
    """Tables of counts with noise drawn for all of them at once, in the shape of what one unit can do to them.

    One unit moves every table a little, never one of them far: noise of that shape is much smaller than a part of ε for
    each table would allow (proof.md, section 13). Where the number of rows is public, each noisy table has that total.
    Under a budget with a δ Gaussian noise does as much, and this is `NoisyTables`; so it is for a single table whose
    total is private.

    >>> import numpy as np
    >>> from understudy.counting import MemoryCounter
    >>> from understudy.privacy import make_budget, open_curator
    >>> from understudy.schema import Attribute
    >>> from understudy.tables import Table
    >>> domain = Domain((Attribute(name="sex", size=2), Attribute(name="smokes", size=2)))
    >>> table = Table(domain, (np.array([0, 1, 1]), np.array([0, 0, 1])))
    >>> curator = open_curator(MemoryCounter(table), budget=make_budget(1))
    >>> both = curator.ask(TablesTogether(marginals=[Marginal.of(0), Marginal.of(1)]), share=Fraction(1, 2))
    >>> [int(noisy.counts.sum()) for noisy in both], both[0].noise.kind
    ([3, 3], 'balanced')
    """

    marginals: Sequence[Marginal]
    what: str = "tables"

    def free_answer(self, facts: PublicFacts) -> list[Measurement] | None:
        """No tables cost nothing."""
        return None if self.marginals else []

    def levels(self, domain: Domain, terms: PrivacyTerms, share: Fraction) -> list[NoiseLevel]:
        """The noise in each cell of each table for this share: public, so it can be known before it is spent.

        >>> from understudy.privacy import make_budget
        >>> from understudy.schema import Attribute
        >>> domain = Domain(tuple(Attribute(name=name, size=2) for name in "abcd"))
        >>> together = TablesTogether(marginals=[Marginal.of(a) for a in range(4)])
        >>> terms = PrivacyTerms(budget=make_budget(1))
        >>> [round(level.mean_abs, 2) for level in together.levels(domain, terms, Fraction(1, 2))]
        [4.98, 4.98, 4.98, 4.98]
        >>> round(terms.table_noise(Fraction(1, 8)).mean_abs, 2)
        15.99
        """
        if not self._drawn_at_once(terms):
            return [terms.table_noise(share / len(self.marginals))] * len(self.marginals)
        decay = terms.budget.price(share) / _norm_of_unit(terms)
        return together_levels(self._cells(domain), decay, balanced=terms.public_rows)

    def price(self, facts: PublicFacts, share: Fraction) -> Price:
        """One unit costs the share, whichever of the tables it moves: so does every attribute that they hold."""
        terms = facts.terms
        if facts.noiseless in ("all", "tables") or not self._drawn_at_once(terms):
            return self._apart().price(facts, share)
        levels = self.levels(facts.domain, terms, share)
        moved = _norm_of_unit(terms)
        held = frozenset[int]().union(*map(facts.sources, self.marginals))
        return Price(
            mechanism=AddTogether(
                decay=terms.budget.price(share) / moved,
                balanced=terms.public_rows,
                levels=tuple(levels),
                noise=pooled_level(levels, self._cells(facts.domain)),
            ),
            sensitivity=moved,
            touches=((held, share),),
            n_tables=len(self.marginals),
        )

    def count(self, rows: PrivateRows, facts: PublicFacts) -> Counted:
        """The exact tables."""
        return Counted(rows.count(self.marginals))

    def answer(self, noisy: list[Counts], price: Price, facts: PublicFacts) -> list[Measurement]:
        """Each table with the noise it has."""
        if not isinstance(price.mechanism, AddTogether):
            return self._apart().answer(noisy, price, facts)
        return [
            Measurement(marginal=marginal, counts=table, noise=level)
            for marginal, table, level in zip(self.marginals, noisy, price.mechanism.levels, strict=True)
        ]

    def _drawn_at_once(self, terms: PrivacyTerms) -> bool:
        """Whether noise of its own shape is less than independent noise; for one table with Σ|z| it is the same."""
        return terms.budget.pure and (terms.public_rows or len(self.marginals) > 1)

    def _cells(self, domain: Domain) -> list[int]:
        return [marginal.n_cells(domain) for marginal in self.marginals]

    def _apart(self) -> NoisyTables:
        return NoisyTables(marginals=self.marginals, what=self.what)


def _norm_of_unit(terms: PrivacyTerms) -> Fraction:
    """Most that one unit moves any table, in the norm of its noise (proof.md, section 13)."""
    return Fraction(terms.unit.counted) if terms.public_rows else terms.table_sensitivity.l1
