"""The terms of a run: how much may be revealed, between which tables, about whom."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from understudy.privacy._budget import Budget
from understudy.privacy._neighbours import Neighbours
from understudy.privacy._sensitivity import Sensitivity
from understudy.privacy._unit import ONE_ROW, PrivacyUnit
from understudy.privacy._values import NoiseLevel, Score, ScoreWithValues


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacyTerms:
    """Budget, neighbour relation and privacy unit together; every bound of a run follows from them.

    >>> from dataclasses import replace
    >>> from understudy.privacy import make_budget
    >>> terms = PrivacyTerms(budget=make_budget(1))
    >>> terms.table_noise(Fraction(1, 10)).scale
    Fraction(20, 1)
    >>> replace(terms, unit=PrivacyUnit("one patient", max_rows=3)).table_noise(Fraction(1, 10)).scale
    Fraction(60, 1)
    """

    budget: Budget
    neighbours: Neighbours = Neighbours.REPLACE_ONE
    unit: PrivacyUnit = ONE_ROW

    @property
    def public_rows(self) -> bool:
        """Whether the number of rows is public: only if a unit is replaced by one that has as many, namely one.

        >>> from understudy.privacy import make_budget
        >>> PrivacyTerms(budget=make_budget(1), unit=PrivacyUnit("one patient", max_rows=3)).public_rows
        False
        """
        return self.neighbours is Neighbours.REPLACE_ONE and self.unit.max_rows == 1

    @property
    def row_changes(self) -> tuple[Neighbours, ...]:
        """What one step of the chain between two neighbours may do to a single row (proof.md, section 11).

        Replacing a unit by one with more or fewer rows replaces some, and adds or removes the others.
        """
        if self.neighbours is Neighbours.REPLACE_ONE and not self.public_rows:
            return (Neighbours.REPLACE_ONE, Neighbours.ADD_REMOVE)
        return (self.neighbours,)

    @property
    def table_sensitivity(self) -> Sensitivity:
        """Most that one unit moves a whole table of counts (proof.md, section 1)."""
        return self.of_unit(self.neighbours.table_sensitivity)

    def of_unit(self, of_row: Sensitivity) -> Sensitivity:
        """From what one row can move to what one unit can."""
        return of_row.times(self.unit.counted)

    def table_noise(self, share: Fraction) -> NoiseLevel:
        """The noise that one table of counts gets for this share: public, so it can be known before it is spent."""
        return self.budget.noise_for(share, self.table_sensitivity)

    def difference_sensitivity(
        self, score: Score, n: int, shapes: Iterable[tuple[int, int]], *, values_only: bool = False
    ) -> Fraction:
        """Most that one unit can move the difference between two candidates' values.

        `values_only`: if the unit stays with as many rows, which have other values, whatever the relation is.
        """
        listed, changes = list(shapes), (Neighbours.REPLACE_ONE,) if values_only else self.row_changes
        return self.unit.counted * max(score.difference_sensitivity(n, listed, change) for change in changes)

    def value_sensitivity(
        self, score: ScoreWithValues, n: int, shapes: Iterable[tuple[int, int]], *, values_only: bool = False
    ) -> Fraction:
        """Most that one unit can move a single candidate's value."""
        listed, changes = list(shapes), (Neighbours.REPLACE_ONE,) if values_only else self.row_changes
        return self.unit.counted * max(score.value_sensitivity(n, listed, change) for change in changes)
