"""Questions whose answer is a choice: the best candidate by a score, and where a public guess is farthest off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from understudy._core.errors import InternalError
from understudy.privacy._mechanisms import Counted
from understudy.privacy._neighbours import Neighbours
from understudy.privacy._protection import ChoiceStep, choice_step
from understudy.privacy._question import Price, PrivateRows, PublicFacts
from understudy.privacy._values import Candidate, Counts, Score
from understudy.schema import Domain, Marginal

Guessed: TypeAlias = Literal["tables", "cells"]
_Number = TypeVar("_Number", np.int64, np.float64)
_GUESS_ROOM = 1 << 62  # a distance that wrapped around 64 bits would move by far more than a record does


@dataclass(frozen=True, slots=True, kw_only=True)
class BestCandidate:
    """The index of a candidate, better ones likelier: permute-and-flip under pure ε, exponential with a δ.

    The sensitivity is the score's own, of the difference between two candidates (proof.md, section 4).

    >>> from understudy.counting import MemoryCounter
    >>> from understudy.privacy import make_budget, open_curator
    >>> from understudy.schema import Attribute, Domain
    >>> from understudy.tables import Table
    >>> domain = Domain((Attribute(name="sex", size=2), Attribute(name="smokes", size=2)))
    >>> table = Table(domain, (np.array([0, 1, 1]), np.array([0, 0, 1])))
    >>> curator = open_curator(MemoryCounter(table), budget=make_budget(1))
    >>> from understudy.models import RScore
    >>> from understudy.schema import Axis
    >>> pairs = [Candidate(0, (Axis(1),)), Candidate(1, (Axis(0),))]
    >>> curator.ask(BestCandidate(candidates=pairs, score=RScore()), share=Fraction(1, 2)) in (0, 1)
    True
    """

    candidates: Sequence[Candidate]
    score: Score
    what: str = "selection"

    def __post_init__(self) -> None:
        if not self.candidates:
            raise InternalError("There is nothing to choose from.")

    def free_answer(self, facts: PublicFacts) -> int | None:
        """A single candidate is no choice."""
        return 0 if len(self.candidates) == 1 else None

    def price(self, facts: PublicFacts, share: Fraction) -> Price:
        """A choice by values whose differences one unit moves as far as the score says."""
        terms, rows = facts.terms, facts.most_rows
        held, shapes = facts.view.held(self.candidates), facts.shapes.of(self.candidates)
        sensitivity = terms.difference_sensitivity(self.score, rows, shapes)
        mechanism = facts.choice_for(share, sensitivity)
        steps: tuple[ChoiceStep, ...] | None = None  # without a rate, what a change costs is not known better
        if mechanism.rate is not None:
            several = terms.difference_sensitivity(self.score, rows, shapes, values_only=True)
            steps = (choice_step(terms, facts.view, held, self.score, mechanism.rate, rows, several),)
        return Price(
            mechanism=mechanism,
            sensitivity=sensitivity,
            touches=((held, share),),
            steps=steps,
            n_candidates=len(self.candidates),
        )

    def count(self, rows: PrivateRows, facts: PublicFacts) -> Counted:
        """The exact scores."""
        return rows.scores(self.candidates, self.score)

    def answer(self, noisy: list[Counts], price: Price, facts: PublicFacts) -> int:
        """The index of the chosen one."""
        return int(noisy[0][0])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FarthestGuess:
    """Where a public guess of some tables, all their cells in one row, is likely to be far from the truth.

    By tables: the index of a marginal, by the L1 distance of its table. By cells: a place in the row of all cells.
    Guesses are whole numbers of parts of a count, `scale` of them to one. From each candidate's distance a public
    handicap is taken, and a public score may stand for none of them, with the answer −1; both in the same parts
    (proof.md, section 10).

    >>> from understudy.counting import MemoryCounter
    >>> from understudy.privacy import make_budget, open_curator
    >>> from understudy.schema import Attribute, Domain
    >>> from understudy.tables import Table
    >>> domain = Domain((Attribute(name="sex", size=2), Attribute(name="smokes", size=2)))
    >>> table = Table(domain, (np.array([0, 1, 1]), np.array([0, 0, 1])))
    >>> curator = open_curator(MemoryCounter(table), budget=make_budget(1))
    >>> question = FarthestGuess(marginals=[Marginal.of(0), Marginal.of(1)], guesses=np.array([3, 0, 2, 1]))
    >>> curator.ask(question, share=Fraction(1, 2)) in (0, 1)
    True
    """

    marginals: Sequence[Marginal]
    guesses: Counts
    by: Guessed = "tables"
    scale: int = 1
    handicaps: Counts | None = None
    skip: int | None = None
    what: str = "selection"

    def free_answer(self, facts: PublicFacts) -> int | None:
        """A single candidate is no choice."""
        self._refuse_misfits(self._lengths(facts.domain))
        if self._n_candidates == 0:
            return -1
        return 0 if self._n_candidates == 1 and self.skip is None else None

    def _refuse_misfits(self, lengths: Sequence[int]) -> None:
        if self.guesses.shape != (sum(lengths),) or self.guesses.dtype != np.int64:
            raise InternalError("A guess needs one whole number for each cell of the tables.")
        if self.handicaps is not None and (
            self.handicaps.shape != (self._n_candidates,) or self.handicaps.dtype != np.int64
        ):
            raise InternalError("Handicaps need one whole number for each candidate.")
        if not self.marginals and self.skip is None:
            raise InternalError("There is nothing to choose from.")
        if self.scale < 1:
            raise InternalError("A count has at least one part.")
        far = float(abs(self.skip or 0))
        if self.marginals:
            far += float(_by_table(np.abs(self.guesses.astype(np.float64)), lengths).max())
        if self.handicaps is not None:
            far += float(np.abs(self.handicaps.astype(np.float64)).max(initial=0.0))
        if far >= _GUESS_ROOM:
            raise InternalError("A guess is so far from any count that its distance would not fit 64 bits.")

    def price(self, facts: PublicFacts, share: Fraction) -> Price:
        """A choice by distances, which one unit moves as `distance_sensitivity` says for each of its rows."""
        terms = facts.terms
        held = frozenset[int]().union(*map(facts.sources, self.marginals))
        sensitivity, changed = (
            terms.unit.counted * distance_sensitivity(self.by, relation) / (2 if self._n_candidates == 1 else 1)
            for relation in (terms.neighbours, Neighbours.REPLACE_ONE)
        )
        mechanism = facts.choice_for(share, sensitivity)
        steps: tuple[ChoiceStep, ...] | None = None
        if mechanism.rate is not None:
            cost = terms.budget.cost_of_choice(mechanism.rate, changed)
            steps = (ChoiceStep(attributes=held, one=cost, several=cost),)
        return Price(
            mechanism=mechanism,
            sensitivity=sensitivity,
            touches=((held, share),),
            steps=steps,
            n_candidates=self._n_candidates + (self.skip is not None),
        )

    def count(self, rows: PrivateRows, facts: PublicFacts) -> Counted:
        """The exact distances, less the handicaps; last, the score of none of them."""
        if self.by == "tables":
            scores = rows.distances(self.marginals, self.guesses, self.scale)
        else:
            cells = rows.cells(tuple(self.marginals))
            if self.scale * int(cells.max(initial=0)) >= _GUESS_ROOM:
                raise InternalError("A count has so many parts that distances would not fit 64 bits.")
            scores = np.abs(cells * self.scale - self.guesses)
        if self.handicaps is not None:
            scores = scores - self.handicaps
        return Counted([scores if self.skip is None else np.append(scores, self.skip)], scale=self.scale)

    def answer(self, noisy: list[Counts], price: Price, facts: PublicFacts) -> int:
        """The index or place of the chosen one."""
        found = int(noisy[0][0])
        return -1 if found == self._n_candidates else found

    @property
    def _n_candidates(self) -> int:
        return len(self.marginals) if self.by == "tables" else len(self.guesses)

    def _lengths(self, domain: Domain) -> list[int]:
        return [marginal.n_cells(domain) for marginal in self.marginals]


def _by_table(cells: npt.NDArray[_Number], lengths: Sequence[int]) -> npt.NDArray[_Number]:
    """The sum of each table, of all their cells in one row."""
    return np.add.reduceat(cells, np.cumsum([0, *lengths[:-1]]))


def distance_sensitivity(by: Guessed, neighbours: Neighbours) -> Fraction:
    """Most that one record can move the difference between two candidates' distances from a public guess.

    A table's L1 distance moves by at most as much as the table: 2 either way if a record is replaced, 1 if it comes or
    goes. A cell's moves by at most 1 either way.

    >>> distance_sensitivity("tables", Neighbours.REPLACE_ONE), distance_sensitivity("cells", Neighbours.REPLACE_ONE)
    (Fraction(4, 1), Fraction(2, 1))
    """
    return Fraction(2 * neighbours.cells_of_row if by == "tables" else 2)
