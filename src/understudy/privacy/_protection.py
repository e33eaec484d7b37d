"""Who is protected how much against which change: the exact cost of every step for a change of one record.

Differential privacy bounds what any change of a record can do. Most changes can do less: a table that does not hold an
attribute says nothing about it. Each step notes here which attributes it looked at and how closely, so that the cost
d(r, r′) of changing record r into r′ is a sum over the steps that the change can reach (proof.md, section 7).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from understudy.privacy._budget import Measure
from understudy.privacy._sensitivity import two_largest
from understudy.privacy._terms import PrivacyTerms
from understudy.privacy._values import Candidate, Factors, Score
from understudy.schema import Axis, Domain, Marginal, Recoding

Codes: TypeAlias = npt.NDArray[np.int64]
Record: TypeAlias = Sequence[int]


@dataclass(frozen=True, slots=True, eq=False)
class SeenAxis:
    """An axis of a table, as the table's own domain sees it: which attribute it is made of, and how."""

    source: int
    codes: Codes  # leaf code of the source → place along the axis


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TableStep:
    """One noisy table. A unit that leaves or enters a cell with factor a costs a·`of_cell`: for a row a/b, or a/σ².

    A cell's factor is the smallest that its values have. `factors` has one tuple per axis, empty where all are 1.
    """

    axes: tuple[SeenAxis, ...]
    of_cell: Fraction
    factors: tuple[Factors, ...] = ()

    @property
    def attributes(self) -> frozenset[int]:
        """Attributes of the table's domain that were looked at."""
        return frozenset(axis.source for axis in self.axes)

    @property
    def several(self) -> Fraction:
        """Most that a change of a record can cost here: its two cells with the largest factors."""
        sizes = [int(axis.codes.max()) + 1 for axis in self.axes]
        return self.of_cell * (two_largest(self.factors, sizes, 2) if self.factors else 2)

    def cost(self, one: Record, other: Record) -> Fraction:
        """What this table says about which of two records was there."""
        cells = [[int(axis.codes[record[axis.source]]) for axis in self.axes] for record in (one, other)]
        if cells[0] == cells[1]:
            return Fraction(0)
        return self.of_cell * sum((self._factor(cell) for cell in cells), Fraction(0))

    def weight(self, attribute: int, code: int) -> Fraction:
        """The largest factor of a cell that holds this value: what a record with it may cost here, in units."""
        if not self.factors:
            return Fraction(1)
        return min(
            factors[int(axis.codes[code])] if axis.source == attribute else max(factors)
            for axis, factors in zip(self.axes, self._all_factors(), strict=True)
        )

    def _factor(self, cell: Sequence[int]) -> Fraction:
        if not self.factors:
            return Fraction(1)
        return min(factors[code] for factors, code in zip(self._all_factors(), cell, strict=True))

    def _all_factors(self) -> list[Factors]:
        return [
            factors or (Fraction(1),) * (int(axis.codes.max()) + 1)
            for axis, factors in zip(self.axes, self.factors, strict=True)
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceStep:
    """One private choice: what it costs if a record changes in one attribute that candidates hold, or in several.

    Where the score gives the child's values factors, a change of the child alone costs less: `one` · (a + a′)/2, or
    its square with a δ.
    """

    attributes: frozenset[int]
    one: Fraction
    several: Fraction
    child: int | None = None
    factors: Factors = ()
    power: int = 1

    def cost(self, one: Record, other: Record) -> Fraction:
        """What this choice says about which of two records was there."""
        changed = {i for i, (x, y) in enumerate(zip(one, other, strict=True)) if x != y}
        if not changed & self.attributes:
            return Fraction(0)
        if len(changed) > 1:
            return self.several
        [attribute] = changed
        return self.of_values(attribute, one[attribute], other[attribute])

    def of_values(self, attribute: int, value: int, other: int) -> Fraction:
        """For a change of one attribute from one value to another."""
        if attribute not in self.attributes:
            return Fraction(0)
        if attribute != self.child or not self.factors:
            return self.one
        return self.one * ((self.factors[value] + self.factors[other]) / 2) ** self.power


Step: TypeAlias = TableStep | ChoiceStep


@dataclass(frozen=True, kw_only=True, eq=False)
class Protection:
    """What a run can say about a change of one record, beside its whole budget.

    Costs are ε, or μ² with a δ. `promises` were fixed before anything was looked at: changes of these attributes, and
    no others, cost at most this share of the budget, whatever comes out.
    """

    domain: Domain
    steps: tuple[Step, ...]
    promises: tuple[tuple[frozenset[int], Fraction], ...]
    whole: Fraction
    measure: Measure

    def between(self, one: Record, other: Record) -> Fraction:
        """d(r, r′): what this release says about which of two records, given as codes, was in the table."""
        total = sum((step.cost(one, other) for step in self.steps), Fraction(0))
        return min(total, *self._bounds({i for i, (x, y) in enumerate(zip(one, other, strict=True)) if x != y}))

    def promised(self, attributes: Collection[int]) -> Fraction:
        """Most that a change of these attributes, and no others, may cost: known before the run."""
        return min(self._bounds(attributes))

    def of_attributes(self, attributes: Collection[int]) -> Fraction:
        """Most that a change of these attributes, and no others, costs in this release."""
        changed = set(attributes)
        if len(changed) == 1:
            return self.of_attribute(*changed)
        total = sum((step.several for step in self.steps if changed & step.attributes), Fraction(0))
        return min(total, *self._bounds(changed))

    def of_attribute(self, attribute: int) -> Fraction:
        """Most that a change of this attribute alone costs in this release."""
        size = self.domain[attribute].size
        if size < 2:
            return Fraction(0)
        if not self.weighted(attribute):
            costs = Counter(
                step.one if isinstance(step, ChoiceStep) else 2 * step.of_cell * step.weight(attribute, 0)
                for step in self._reaching.get(attribute, ())
            )
            total = sum((cost * times for cost, times in costs.items()), Fraction(0))
            return min(total, *self._bounds([attribute]))
        return max(self.of_values(attribute))

    def of_values(self, attribute: int) -> list[Fraction]:
        """For each value: most that a change of this attribute alone costs in this release, from or to that value."""
        size = self.domain[attribute].size
        totals = [Fraction(0)] * size
        for step in self._reaching.get(attribute, ()):
            if isinstance(step, ChoiceStep):
                factors = step.factors if step.factors and attribute == step.child else (Fraction(1),) * size
                costs = [step.one * (pair / 2) ** step.power for pair in _with_largest_other(factors)]
            else:
                weights = [step.weight(attribute, code) for code in range(size)]
                costs = [step.of_cell * pair for pair in _with_largest_other(weights)]
            totals = [total + cost for total, cost in zip(totals, costs, strict=True)]
        return [min(total, *self._bounds([attribute])) for total in totals]

    def weighted(self, attribute: int) -> bool:
        """Whether values of this attribute are protected unequally."""
        return any(
            attribute == step.child and len(set(step.factors)) > 1
            if isinstance(step, ChoiceStep)
            else any(
                axis.source == attribute and len(set(factors)) > 1
                for axis, factors in zip(step.axes, step.factors, strict=False)
            )
            for step in self._reaching.get(attribute, ())
            if step.factors
        )

    @cached_property
    def _reaching(self) -> dict[int, list[Step]]:
        """The steps that can tell an attribute's values apart."""
        found: dict[int, list[Step]] = {}
        for step in self.steps:
            for attribute in step.attributes:
                if _tells_apart(step, attribute):
                    found.setdefault(attribute, []).append(step)
        return found

    def _bounds(self, changed: Collection[int]) -> list[Fraction]:
        return [self.whole, *(share * self.whole for held, share in self.promises if held.issuperset(changed))]


def _tells_apart(step: Step, attribute: int) -> bool:
    """Whether the step sees the attribute in more than one form."""
    if isinstance(step, ChoiceStep):
        return True
    return any(axis.source == attribute and int(axis.codes.max()) > 0 for axis in step.axes)


def _with_largest_other(weights: Sequence[Fraction]) -> list[Fraction]:
    """Each weight plus the largest of the others."""
    first, second = sorted(weights, reverse=True)[:2]
    found_first = list(weights).index(first)
    return [weight + (second if i == found_first else first) for i, weight in enumerate(weights)]


class View:
    """How the attributes that steps speak of are made from the table's own; remembered axis by axis."""

    def __init__(self, domain: Domain, parts: Sequence[tuple[int, Codes]] | None = None) -> None:
        self.domain = domain
        self._parts = parts
        self._axes: dict[Axis, SeenAxis] = {}

    def recoded(self, recoding: Recoding) -> View:
        """The view through one more public map."""
        made = []
        for part in recoding.parts:
            source, codes = self._part(part.source)
            made.append((source, np.array(part.lookup, dtype=np.int64)[codes]))
        return View(recoding.target, made)

    def seen(self, marginal: Marginal) -> tuple[SeenAxis, ...]:
        """The axes of a table."""
        return tuple(self._axis(axis) for axis in marginal.axes)

    def source(self, attribute: int) -> int:
        """The attribute of the table's own domain that this one is made from."""
        return attribute if self._parts is None else self._parts[attribute][0]

    def in_source(self, attribute: int, factors: Factors) -> tuple[int, Factors]:
        """The attribute of the table's own domain, and the factors of its leaf codes."""
        source, codes = self._part(attribute)
        return source, tuple(factors[code] for code in codes) if factors else ()

    def whole(self) -> bool:
        """Whether no attribute of the table's own domain is split up: one change there is one change here."""
        return self._parts is None or len({source for source, _ in self._parts}) == len(self._parts)

    def held(self, candidates: Iterable[Candidate]) -> frozenset[int]:
        """Attributes that candidates hold, as children or parents."""
        found: set[int] = set()
        for candidate in candidates:
            found.add(candidate.child)
            found.update(axis.attribute for axis in candidate.parents)
            if len(found) == len(self.domain):
                break  # in a wide table all are there after a few candidates
        return frozenset(self.source(attribute) for attribute in found)

    def _part(self, attribute: int) -> tuple[int, Codes]:
        if self._parts is None:
            return attribute, np.arange(self.domain[attribute].size)
        return self._parts[attribute]

    def _axis(self, axis: Axis) -> SeenAxis:
        if axis not in self._axes:
            source, codes = self._part(axis.attribute)
            self._axes[axis] = SeenAxis(source, self.domain[axis.attribute].groups_at(axis.level)[codes])
        return self._axes[axis]


def choice_step(
    terms: PrivacyTerms, view: View, held: frozenset[int], score: Score, rate: Fraction, rows: int, several: Fraction
) -> ChoiceStep:
    """What a choice costs if a unit's values change; `several` is then the sensitivity, whatever the relation is."""
    of_one = getattr(score, "difference_of_one", None)  # scores without it may move as far by one attribute as by all
    one = terms.unit.counted * of_one(rows) if of_one is not None and view.whole() else several
    child, factors = getattr(score, "weighted_child", None), getattr(score, "factors", ())
    if child is not None and view.whole():
        child, factors = view.in_source(child, factors)
    else:  # where it is split up, a change of the child may be one of its siblings too
        child, factors = None, ()
    return ChoiceStep(
        attributes=held,
        one=terms.budget.cost_of_choice(rate, one),
        several=terms.budget.cost_of_choice(rate, several),
        child=child,
        factors=factors,
        power=1 if terms.budget.pure else 2,
    )


def axis_factors(marginal: Marginal, domain: Domain, by_attribute: Mapping[int, Factors]) -> tuple[Factors, ...]:
    """A factor for each place along each axis: the smallest among the values it stands for. Empty if all are 1.

    >>> from understudy.schema import Attribute
    >>> domain = Domain((Attribute(name="ill", size=3), Attribute(name="sex", size=2)))
    >>> weights = {0: (Fraction(1, 3), Fraction(1), Fraction(1))}
    >>> [[str(f) for f in factors] for factors in axis_factors(Marginal.of(1, 0), domain, weights)]
    [[], ['1/3', '1', '1']]
    """
    found: list[Factors] = []
    for axis in marginal.axes:
        given = by_attribute.get(axis.attribute, ())
        if not given or all(factor == 1 for factor in given):
            found.append(())
            continue
        groups = domain[axis.attribute].groups_at(axis.level)
        smallest = [Fraction(1)] * domain.size(axis)
        for code, factor in enumerate(given):
            smallest[groups[code]] = min(smallest[groups[code]], factor)
        found.append(tuple(smallest))
    return tuple(found) if any(found) else ()


def factors_of(weights: Sequence[Fraction]) -> Factors:
    """Weights to factors: what a value may cost, beside the value of least weight.

    >>> [str(factor) for factor in factors_of([Fraction(3), Fraction(1), Fraction(2)])]
    ['1/3', '1', '1/2']
    """
    least = min(weights, default=Fraction(1))
    return tuple(least / weight for weight in weights)
