"""Parities of code bits: the coefficients that Barak et al. (2007) measure instead of tables.

A code is read as a binary number, and a mask picks some of the bits of some attributes. The coefficient of a mask is
the number of records with an even number of ones there, less those with an odd number. The coefficients of all masks
within some attributes are the Walsh-Hadamard transform of their table, and give it back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from understudy.privacy._mechanisms import Counted
from understudy.privacy._neighbours import Neighbours
from understudy.privacy._protection import ChoiceStep
from understudy.privacy._question import Price, PrivateRows, PublicFacts
from understudy.privacy._sensitivity import Sensitivity
from understudy.privacy._terms import PrivacyTerms
from understudy.privacy._values import Counts, NoiseLevel
from understudy.schema import Domain, Marginal

_Number = TypeVar("_Number", np.int64, np.float64)


@dataclass(frozen=True, kw_only=True, eq=False)
class Parities:
    """Noisy coefficients of the masks that pick a bit of *every* attribute of a marginal: safe to publish.

    Axis i goes over the masks 1, 2, … of the marginal's attribute i. `noise` is that of what was measured: of the
    number of odd records where the number of rows is public, so that a coefficient has twice as much; else of the
    coefficient.

    >>> level = NoiseLevel(kind="none", scale=0)
    >>> Parities(marginal=Marginal.of(0), coefficients=np.array([3]), noise=level).coefficients.flags.writeable
    False
    """

    marginal: Marginal
    coefficients: Counts
    noise: NoiseLevel

    def __post_init__(self) -> None:
        self.coefficients.setflags(write=False)


def code_bits(size: int) -> int:
    """Bits that codes below `size` need.

    >>> [code_bits(size) for size in (1, 2, 3, 16, 17)]
    [0, 1, 2, 4, 5]
    """
    return (size - 1).bit_length()


def count_parities(marginal: Marginal, domain: Domain) -> int:
    """How many masks pick a bit of every attribute of the marginal.

    >>> from understudy.schema import Attribute
    >>> count_parities(Marginal.of(0, 1), Domain((Attribute(name="a", size=2), Attribute(name="b", size=5))))
    7
    """
    return prod((1 << code_bits(size)) - 1 for size in marginal.shape(domain))


def walsh_hadamard(table: npt.NDArray[_Number]) -> npt.NDArray[_Number]:
    """The transform along every axis, all of which have a power of two of places. Twice is the table times its size.

    >>> walsh_hadamard(np.array([[4, 1], [2, 0]])).tolist()
    [[7, 5], [3, 1]]
    """
    found = np.array(table).reshape(-1)
    step = 1
    while step < len(found):  # the places of a flat table are the axes' bits side by side
        parts = found.reshape(-1, 2, step)
        even = parts[:, 0] + parts[:, 1]
        np.subtract(parts[:, 0], parts[:, 1], out=parts[:, 1])
        parts[:, 0] = even
        step *= 2
    return found.reshape(table.shape)


def coefficients_of(table: Counts) -> Counts:
    """The exact coefficients of all masks that pick a bit of every axis of a table of counts.

    >>> coefficients_of(np.array([4, 1, 2])).tolist()      # codes 00, 01, 10; masks 01, 10, 11
    [5, 3, 1]
    """
    padded = np.zeros([1 << code_bits(size) for size in table.shape], dtype=np.int64)
    padded[tuple(slice(size) for size in table.shape)] = table
    return np.ascontiguousarray(walsh_hadamard(padded)[(slice(1, None),) * table.ndim])


def as_measured(coefficients: Counts, n: int | None) -> Counts:
    """What noise is added to: numbers of odd records where n is public and given, else the coefficients themselves.

    >>> as_measured(np.array([5, -1]), 7).tolist(), as_measured(np.array([5, -1]), None).tolist()
    ([1, 4], [5, -1])
    """
    return coefficients if n is None else (n - coefficients) // 2


def from_measured(measured: Counts, n: int | None) -> Counts:
    """Back to coefficients; `n` where it is public, and so numbers of odd records were measured.

    >>> from_measured(np.array([1, 4]), 7).tolist(), from_measured(np.array([5, -1]), None).tolist()
    ([5, -1], [5, -1])
    """
    return measured if n is None else n - 2 * measured


def parities_sensitivity(terms: PrivacyTerms, number: int) -> Sensitivity:
    """Most that one unit moves so many measured parities together (proof.md, sections 9 and 11).

    One row moves a number of odd records by at most 1. It moves a coefficient by 1 if it comes or goes, and by 2 if it
    is replaced, as can happen where units have several rows.

    >>> from understudy.privacy import PrivacyUnit, make_budget
    >>> one, patient = PrivacyUnit(), PrivacyUnit("one patient", max_rows=3)
    >>> [str(parities_sensitivity(PrivacyTerms(budget=make_budget(1), unit=unit), 5).l1) for unit in (one, patient)]
    ['5', '30']
    """
    moved = 2 if not terms.public_rows and terms.neighbours is Neighbours.REPLACE_ONE else 1
    return terms.of_unit(Sensitivity(l1=Fraction(moved * number), l2_squared=Fraction(moved**2 * number)))


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyParities:
    """For each marginal, noisy coefficients of all masks that pick a bit of every one of its attributes.

    All get the same noise, for what `parities_sensitivity` says of all of them together.

    >>> from understudy.counting import MemoryCounter
    >>> from understudy.privacy import make_budget, open_curator
    >>> from understudy.schema import Attribute
    >>> from understudy.tables import Table
    >>> domain = Domain((Attribute(name="sex", size=2), Attribute(name="smokes", size=2)))
    >>> table = Table(domain, (np.array([0, 1, 1]), np.array([0, 0, 1])))
    >>> curator = open_curator(MemoryCounter(table), budget=make_budget(1))
    >>> [found] = curator.ask(NoisyParities(marginals=[Marginal.of(0, 1)]), share=Fraction(1, 2))
    >>> found.coefficients.shape
    (1, 1)
    """

    marginals: Sequence[Marginal]
    what: str = "parities"

    def free_answer(self, facts: PublicFacts) -> list[Parities] | None:
        """No coefficients cost nothing."""
        return None if sum(self._numbers(facts.domain)) else []

    def price(self, facts: PublicFacts, share: Fraction) -> Price:
        """Noise for all coefficients together."""
        terms, numbers = facts.terms, self._numbers(facts.domain)
        total = Fraction(sum(numbers))
        sensitivity = parities_sensitivity(terms, sum(numbers))
        mechanism = facts.noise_for(share, sensitivity)
        held = [facts.sources(marginal) for marginal in self.marginals]
        steps: tuple[ChoiceStep, ...] = ()
        if mechanism.private:
            # a changed row moves what is measured by 1 where n is public, and a coefficient itself by 2
            moved = terms.unit.counted * (1 if terms.public_rows else 2)
            each = terms.budget.cost_of_noise(mechanism.noise, Fraction(moved))
            steps = tuple(
                ChoiceStep(attributes=seen, one=number * each, several=number * each)
                for seen, number in zip(held, numbers, strict=True)
            )
        return Price(
            mechanism=mechanism,
            sensitivity=terms.budget.norm(sensitivity),
            touches=tuple((seen, share * number / total) for seen, number in zip(held, numbers, strict=True)),
            steps=steps,
            n_tables=len(self.marginals),
        )

    def count(self, rows: PrivateRows, facts: PublicFacts) -> Counted:
        """The exact numbers that noise is added to."""
        n = rows.n if facts.terms.public_rows else None
        return Counted([as_measured(coefficients_of(table), n) for table in rows.count(self.marginals)])

    def answer(self, noisy: list[Counts], price: Price, facts: PublicFacts) -> list[Parities]:
        """Coefficients again."""
        noise, n = price.mechanism.noise, facts.rows if facts.terms.public_rows else None
        assert noise is not None
        return [
            Parities(marginal=marginal, coefficients=from_measured(measured, n), noise=noise)
            for marginal, measured in zip(self.marginals, noisy, strict=True)
        ]

    def _numbers(self, domain: Domain) -> list[int]:
        return [count_parities(marginal, domain) for marginal in self.marginals]
