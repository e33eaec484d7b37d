"""The part of a table that its margins do not tell, with Gaussian noise scaled to that part alone.

The table is turned into contrasts (`_contrasts.py`), in which ideal noise is independent; each is rounded on its own,
exactly, and cells are made of what was given out (proof.md, section 14).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from math import prod

import numpy as np
import numpy.typing as npt

from understudy._core.errors import InternalError, OptionError
from understudy.privacy._contrasts import contrasts, from_contrasts
from understudy.privacy._mechanisms import AddToContrasts, Counted
from understudy.privacy._neighbours import Neighbours
from understudy.privacy._protection import ChoiceStep
from understudy.privacy._question import Price, PrivateRows, PublicFacts
from understudy.privacy._sensitivity import Sensitivity
from understudy.privacy._values import Counts
from understudy.schema import Marginal

Floats = npt.NDArray[np.float64]

_ROOM = 1 << 62


@dataclass(frozen=True, kw_only=True, eq=False)
class InteractionMeasurement:
    """A noisy table without its total and main effects, which are all zero here: safe to publish.

    The noise is that of independent cells of this `variance`, less its own total and main effects.

    >>> InteractionMeasurement(marginal=Marginal.of(0, 1), values=np.zeros((2, 2)), variance=4.0).values.flags.writeable
    False
    """

    marginal: Marginal
    values: Floats
    variance: float

    def __post_init__(self) -> None:
        self.values.setflags(write=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Interactions:
    """A table without all that fewer axes tell, such as its total; needs a budget with a δ.

    One row moves it by less than it moves the table: `interaction_sensitivity`.

    >>> from understudy.counting import MemoryCounter
    >>> from understudy.privacy import Neighbours, make_budget, open_curator
    >>> from understudy.schema import Attribute, Domain
    >>> from understudy.tables import Table
    >>> domain = Domain((Attribute(name="sex", size=2), Attribute(name="smokes", size=3)))
    >>> table = Table(domain, (np.array([0, 1, 1]), np.array([0, 2, 1])))
    >>> budget = make_budget(1, "1e-9")
    >>> curator = open_curator(MemoryCounter(table), budget=budget, neighbours=Neighbours.ADD_REMOVE)
    >>> found = curator.ask(Interactions(marginal=Marginal.of(0, 1)), share=Fraction(1))
    >>> found.values.shape, bool(abs(found.values.sum(axis=0)).max() < 1e-9)
    ((2, 3), True)
    >>> round(found.variance * float(budget.mu_squared), 3)
    0.334
    """

    marginal: Marginal
    what: str = "interactions"

    def __post_init__(self) -> None:
        if not self.marginal.axes:
            raise InternalError("A table without axes is its total, and has no contrasts.")

    def free_answer(self, facts: PublicFacts) -> InteractionMeasurement | None:
        """Along an axis of one place there is nothing to measure."""
        if facts.terms.budget.pure:
            raise OptionError("Interactions are measured with Gaussian noise, which needs a delta above 0.")
        shape = self.marginal.shape(facts.domain)
        if min(shape) > 1:
            return None
        return InteractionMeasurement(marginal=self.marginal, values=np.zeros(shape), variance=0.0)

    def price(self, facts: PublicFacts, share: Fraction) -> Price:
        """Gaussian noise for what one unit moves the contrasts by."""
        terms, shape, held = facts.terms, self.marginal.shape(facts.domain), facts.sources(self.marginal)
        sensitivity, changed = (
            terms.of_unit(interaction_sensitivity(shape, change))
            for change in (terms.neighbours, Neighbours.REPLACE_ONE)
        )
        added = facts.noise_for(share, sensitivity)
        steps: tuple[ChoiceStep, ...] = ()
        if added.private:
            of_change = changed.l2_squared * terms.budget.cost_of_noise(added.noise, Fraction(1))
            steps = (ChoiceStep(attributes=held, one=of_change, several=of_change),)
        return Price(
            mechanism=AddToContrasts(added.noise, shape),
            sensitivity=terms.budget.norm(sensitivity),
            touches=((held, share),),
            steps=steps,
            n_tables=1,
        )

    def count(self, rows: PrivateRows, facts: PublicFacts) -> Counted:
        """The exact contrasts."""
        table = rows.cells((self.marginal,)).reshape(self.marginal.shape(rows.domain))
        if int(table.sum()) * table.size >= _ROOM:
            raise InternalError("The contrasts of a table would not fit 64 bits.")
        return Counted([contrasts(table)])

    def answer(self, noisy: list[Counts], price: Price, facts: PublicFacts) -> InteractionMeasurement:
        """Back from contrasts to cells: sums of what was given out."""
        mechanism = price.mechanism
        assert isinstance(mechanism, AddToContrasts)
        return InteractionMeasurement(
            marginal=self.marginal,
            values=from_contrasts(mechanism.values(noisy[0])),
            variance=mechanism.variance,
        )


@cache
def interaction_sensitivity(shape: tuple[int, ...], neighbours: Neighbours) -> Sensitivity:
    """Most that one row moves all contrasts together, squares summed: exact, for every shape.

    >>> interaction_sensitivity((2, 3), Neighbours.ADD_REMOVE).l2_squared
    Fraction(1, 3)
    >>> interaction_sensitivity((2, 3), Neighbours.REPLACE_ONE).l2_squared
    Fraction(4, 3)
    """
    moved = prod((1 - Fraction(1, size) for size in shape), start=Fraction(1))
    if neighbours is Neighbours.REPLACE_ONE:
        moved = 2 * (moved - min(_inner(shape, where) for where in product((False, True), repeat=len(shape))))
    # nobody adds Laplace noise to contrasts, but a bound there is: by Cauchy and Schwarz, L1² ≤ number · L2²
    number = prod(size - 1 for size in shape)
    return Sensitivity(l1=number * max(moved, Fraction(1)), l2_squared=moved)


def _inner(shape: Sequence[int], differ: Sequence[bool]) -> Fraction:
    """The inner product of two cells' contrasts: 1 − 1/k along axes where they agree, −1/k where they differ."""
    along = (Fraction(-1, k) if differs else 1 - Fraction(1, k) for k, differs in zip(shape, differ, strict=True))
    return prod(along, start=Fraction(1))
