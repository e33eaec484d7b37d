"""Parities asked together under pure ε: one draw of noise for all of them, the same chance for all within a cube."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from understudy.privacy._lattice_moments import together_levels
from understudy.privacy._mechanisms import Counted
from understudy.privacy._parities import (
    NoisyParities,
    Parities,
    as_measured,
    coefficients_of,
    count_parities,
    from_measured,
    parities_sensitivity,
)
from understudy.privacy._question import Price, PrivateRows, PublicFacts
from understudy.privacy._terms import PrivacyTerms
from understudy.privacy._together import AddTogether
from understudy.privacy._values import Counts, NoiseLevel
from understudy.schema import Domain, Marginal


@dataclass(frozen=True, slots=True, kw_only=True)
class ParitiesTogether:
    """For each marginal, noisy coefficients of all masks that pick a bit of every one of its attributes.

    What `NoisyParities` asks for, with noise drawn for all at once under pure ε: one unit moves every coefficient a
    little, none of them far, so noise is as likely wherever its largest coordinate is the same (proof.md, section 13).
    Of m coefficients each then has a standard deviation of some m/(√3·ε) in place of √2·m/ε. With a δ, and for a single
    coefficient, this is `NoisyParities`.

    >>> from understudy.counting import MemoryCounter
    >>> from understudy.privacy import make_budget, open_curator
    >>> from understudy.schema import Attribute
    >>> from understudy.tables import Table
    >>> domain = Domain((Attribute(name="sex", size=2), Attribute(name="smokes", size=2)))
    >>> table = Table(domain, (np.array([0, 1, 1]), np.array([0, 0, 1])))
    >>> curator = open_curator(MemoryCounter(table), budget=make_budget(1))
    >>> question = ParitiesTogether(marginals=[Marginal.of(0), Marginal.of(1), Marginal.of(0, 1)])
    >>> [found.coefficients.size for found in curator.ask(question, share=Fraction(1, 2))]
    [1, 1, 1]
    """

    marginals: Sequence[Marginal]
    what: str = "parities"

    def free_answer(self, facts: PublicFacts) -> list[Parities] | None:
        """No coefficients cost nothing."""
        return None if self._number(facts.domain) else []

    def level(self, domain: Domain, terms: PrivacyTerms, share: Fraction) -> NoiseLevel:
        """The noise in what is measured for this share: public, so it can be known before it is spent.

        >>> from understudy.privacy import make_budget
        >>> from understudy.schema import Attribute
        >>> domain = Domain(tuple(Attribute(name=name, size=2) for name in "abcd"))
        >>> together = ParitiesTogether(marginals=[Marginal.of(a) for a in range(4)])
        >>> terms = PrivacyTerms(budget=make_budget(1))
        >>> round(together.level(domain, terms, Fraction(1)).variance, 1)
        9.9
        """
        number = self._number(domain)
        if not self._drawn_at_once(domain, terms):
            return terms.budget.noise_for(share, parities_sensitivity(terms, number))
        [level] = set(together_levels([1] * number, _decay(terms, share), balanced=False))
        return level

    def price(self, facts: PublicFacts, share: Fraction) -> Price:
        """One unit costs the share, whichever of the parities it moves: so does every attribute that they are of."""
        terms, domain = facts.terms, facts.domain
        if facts.noiseless in ("all", "tables") or not self._drawn_at_once(domain, terms):
            return self._apart().price(facts, share)
        level = self.level(domain, terms, share)
        held = frozenset[int]().union(*map(facts.sources, self.marginals))
        return Price(
            mechanism=AddTogether(decay=_decay(terms, share), balanced=False, levels=(level,), noise=level),
            sensitivity=_moved(terms),
            touches=((held, share),),
            n_tables=len(self.marginals),
        )

    def count(self, rows: PrivateRows, facts: PublicFacts) -> Counted:
        """The exact numbers that noise is added to; where it is drawn at once, each is a table of one cell."""
        n = rows.n if facts.terms.public_rows else None
        found = [as_measured(coefficients_of(table), n) for table in rows.count(self.marginals)]
        if facts.noiseless in ("all", "tables") or not self._drawn_at_once(facts.domain, facts.terms):
            return Counted(found)
        return Counted([one for numbers in found for one in numbers.reshape(-1, 1)])

    def answer(self, noisy: list[Counts], price: Price, facts: PublicFacts) -> list[Parities]:
        """Coefficients again."""
        if not isinstance(price.mechanism, AddTogether):
            return self._apart().answer(noisy, price, facts)
        n = facts.rows if facts.terms.public_rows else None
        measured, found, first = np.concatenate(noisy), [], 0
        for marginal in self.marginals:
            shape = coefficients_of(np.zeros(marginal.shape(facts.domain), dtype=np.int64)).shape
            last = first + count_parities(marginal, facts.domain)
            values = from_measured(measured[first:last].reshape(shape), n)
            found.append(Parities(marginal=marginal, coefficients=values, noise=price.mechanism.noise))
            first = last
        return found

    def _drawn_at_once(self, domain: Domain, terms: PrivacyTerms) -> bool:
        return terms.budget.pure and self._number(domain) > 1

    def _number(self, domain: Domain) -> int:
        return sum(count_parities(marginal, domain) for marginal in self.marginals)

    def _apart(self) -> NoisyParities:
        return NoisyParities(marginals=self.marginals, what=self.what)


def _moved(terms: PrivacyTerms) -> Fraction:
    """Most that one unit moves any one of the numbers that noise is added to."""
    return parities_sensitivity(terms, 1).l1


def _decay(terms: PrivacyTerms, share: Fraction) -> Fraction:
    return terms.budget.price(share) / _moved(terms)
