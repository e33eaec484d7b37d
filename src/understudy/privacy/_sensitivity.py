"""How far one unit can move what is counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitivity:
    """Most that numbers move between neighbours: sizes of all moves summed, and their squares summed.

    A budget takes the one that its noise needs: Laplace the first, Gaussian the second.

    >>> Sensitivity(l1=Fraction(2), l2_squared=Fraction(2)).times(3)
    Sensitivity(l1=Fraction(6, 1), l2_squared=Fraction(18, 1))
    """

    l1: Fraction
    l2_squared: Fraction

    @classmethod
    def of_number(cls, moved: Fraction) -> Sensitivity:
        """Of a single number that moves by so much."""
        return cls(l1=moved, l2_squared=moved**2)

    def times(self, rows: int) -> Sensitivity:
        """If so many rows change: by the triangle inequality both norms grow as often, the squared one by its square.

        >>> Sensitivity.of_number(Fraction(1)).times(2).l2_squared
        Fraction(4, 1)
        """
        return Sensitivity(l1=rows * self.l1, l2_squared=rows**2 * self.l2_squared)


def two_largest(factors: Sequence[Sequence[Fraction]], shape: Sequence[int], cells: int) -> Fraction:
    """The sum of the largest factors of as many different cells (2 if a record is replaced, 1 if it comes or goes).

    A cell's factor is the smallest of its places, so the largest one takes the largest place along each axis, and the
    next one differs from it along one axis only.

    >>> third = (Fraction(1), Fraction(1, 3))
    >>> two_largest([third], (2,), 2), two_largest([third, ()], (2, 5), 2)
    (Fraction(4, 3), Fraction(2, 1))
    """
    along = [sorted(given, reverse=True) or [Fraction(1)] * size for given, size in zip(factors, shape, strict=True)]
    best = min(places[0] for places in along)
    if cells == 1:
        return best
    return best + max((min(best, places[1]) for places in along if len(places) > 1), default=Fraction(0))
