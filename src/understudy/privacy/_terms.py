"""The terms of a run: how much may be revealed, between which tables, about whom."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from understudy.privacy._budget import Budget
from understudy.privacy._neighbours import Neighbours
from understudy.privacy._sensitivity import Sensitivity
from understudy.privacy._unit import ONE_ROW, PrivacyUnit
from understudy.privacy._values import NoiseLevel, Score, ScoreWithValues


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacyTerms:
    """Budget, neighbour relation and privacy unit together; every bound of a run follows from them.

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
        """Whether the number of rows is public."""
        return self.neighbours.public_rows

    @property
    def table_sensitivity(self) -> Sensitivity:
        """Most that one unit moves a whole table of counts (proof.md, section 1)."""
        return self.of_unit(self.neighbours.table_sensitivity)

    def of_unit(self, of_row: Sensitivity) -> Sensitivity:
        """From what one row can move to what one unit can."""
        return of_row.times(self.unit.max_rows)

    def table_noise(self, share: Fraction) -> NoiseLevel:
        """The noise that one table of counts gets for this share: public, so it can be known before it is spent."""
        return self.budget.noise_for(share, self.table_sensitivity)

    def difference_sensitivity(self, score: Score, n: int, shapes: Iterable[tuple[int, int]]) -> Fraction:
        """Most that one unit can move the difference between two candidates' values."""
        return self.unit.max_rows * score.difference_sensitivity(n, shapes, self.neighbours)

    def value_sensitivity(self, score: ScoreWithValues, n: int, shapes: Iterable[tuple[int, int]]) -> Fraction:
        """Most that one unit can move a single candidate's value."""
        return self.unit.max_rows * score.value_sensitivity(n, shapes, self.neighbours)

    @property
    def for_changed_values(self) -> PrivacyTerms:
        """The same terms for a unit that stays, with other values: its rows are replaced, whatever the relation."""
        return replace(self, neighbours=Neighbours.REPLACE_ONE)
