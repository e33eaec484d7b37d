"""Questions that only baselines for count queries ask of a curator (proof.md, sections 9 and 10)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, TypeAlias

import numpy as np

from understudy._core.errors import InternalError
from understudy.privacy._budget import PureBudget
from understudy.privacy._desk import Desk, table_mechanism
from understudy.privacy._neighbours import Neighbours
from understudy.privacy._parities import Parities, as_measured, coefficients_of, count_parities, from_measured
from understudy.privacy._protection import ChoiceStep
from understudy.privacy._purse import Touch
from understudy.privacy._selection import selection_rate
from understudy.privacy._values import Counts, NoiseLevel
from understudy.schema import Marginal

What: TypeAlias = Literal["tables", "cells"]


class CountQuestions(Desk):
    """Parities, the table or cell that a guess gets most wrong, and single cells."""

    def measure_parities(
        self, marginals: Sequence[Marginal], *, share: Fraction, what: str = "parities"
    ) -> list[Parities]:
        """For each marginal, noisy coefficients of all masks that pick a bit of every one of its attributes.

        All get the same noise: one record moves each by at most 1, so the step's sensitivity is their number.
        """
        numbers = [count_parities(marginal, self._counter.domain) for marginal in marginals]
        total = sum(numbers)
        if not total:
            return []
        touches: list[Touch] = [
            (frozenset(map(self._view.source, marginal.attributes)), share * number / total)
            for marginal, number in zip(marginals, numbers, strict=True)
        ]
        self._purse.check(what, share, touches)
        level = self._level("tables", share=share, sensitivity=Fraction(total))
        exact = level.kind == "none"
        each = Fraction(0) if exact else self._cost_of_move(level, 1 if self.neighbours.public_rows else 2)
        self._pay(
            table_mechanism(level),
            what=what,
            share=share,
            n_tables=len(marginals),
            noise=level,
            sensitivity=Fraction(total),
            exact=exact,
            touches=touches,
            steps=[
                None if exact else ChoiceStep(attributes=held, one=number * each, several=number * each)
                for (held, _), number in zip(touches, numbers, strict=True)
            ],
        )
        n, relation = self._counter.n, self.neighbours
        exactly = [coefficients_of(table) for table in self._counter.count(marginals)]
        flat = np.concatenate([as_measured(found, n, relation).ravel() for found in exactly])
        noisy = np.split(from_measured(self._add_noise(flat, level), n, relation), np.cumsum(numbers)[:-1])
        return [
            Parities(marginal=marginal, coefficients=part.reshape(found.shape), noise=level)
            for marginal, part, found in zip(marginals, noisy, exactly, strict=True)
        ]

    def select_farthest(
        self,
        marginals: Sequence[Marginal],
        guesses: Counts,
        *,
        share: Fraction,
        by: What = "tables",
        what: str = "selection",
    ) -> int:
        """Where a public guess of these tables, all cells in one row, is likely to be far from the truth.

        By tables: the index of a marginal, by the L1 distance of its table. By cells: a place in the row of all cells.
        A single candidate is no choice: it is returned for free.
        """
        lengths = [marginal.n_cells(self._counter.domain) for marginal in marginals]
        if guesses.shape != (sum(lengths),) or guesses.dtype != np.int64 or not marginals:
            raise InternalError("A guess needs one whole number for each cell of the tables.")
        self._purse.check(what, share)
        n_candidates = len(marginals) if by == "tables" else len(guesses)
        if n_candidates == 1:
            return 0
        held = frozenset(self._view.source(a) for marginal in marginals for a in marginal.attributes)
        spread, several = distance_spread(by, self.neighbours), distance_spread(by, Neighbours.REPLACE_ONE)
        rate = selection_rate(self.budget, share, spread)
        pure, exact = isinstance(self.budget, PureBudget), self.exact in ("all", "selection")
        cost = rate * several if pure else (rate * several) ** 2 / 8
        self._pay(
            "exact maximum" if exact else "permute-and-flip" if pure else "exponential mechanism",
            what=what,
            share=share,
            n_candidates=n_candidates,
            rate=rate,
            sensitivity=spread,
            exact=exact,
            touches=[(held, share)],
            steps=[None if exact else ChoiceStep(attributes=held, one=cost, several=cost)],
        )
        scores = np.abs(self._scorer.all_cells(tuple(marginals)) - guesses)
        if by == "tables":
            scores = np.add.reduceat(scores, np.cumsum([0, *lengths[:-1]]))
        if exact:
            return int(scores.argmax())
        choose = self.noise.permute_and_flip if pure else self.noise.exponential
        return choose(scores, rate)

    def measure_cell(
        self, marginal: Marginal, cell: int, *, share: Fraction, what: str = "cell"
    ) -> tuple[int, NoiseLevel]:
        """One noisy count: that of a single cell of a table, by its place in the flat table; and its noise."""
        touches: list[Touch] = [(frozenset(map(self._view.source, marginal.attributes)), share)]
        self._purse.check(what, share, touches)
        level = self._level("tables", share=share, sensitivity=Fraction(1))
        exact = level.kind == "none"
        cost = Fraction(0) if exact else self._cost_of_move(level, 1)
        self._pay(
            table_mechanism(level),
            what=what,
            share=share,
            n_tables=1,
            noise=level,
            sensitivity=Fraction(1),
            exact=exact,
            touches=touches,
            steps=[None if exact else ChoiceStep(attributes=touches[0][0], one=cost, several=cost)],
        )
        [table] = self._counter.count([marginal])
        return int(self._add_noise(table.reshape(-1)[cell : cell + 1], level)[0]), level

    def _cost_of_move(self, level: NoiseLevel, moved: int) -> Fraction:
        """What it costs that a number with this noise moves by so much."""
        return moved / level.scale if level.kind == "laplace" else Fraction(moved**2) / (2 * level.scale)


def distance_spread(by: What, neighbours: Neighbours) -> Fraction:
    """Most that one record can move the difference between two candidates' distances from a public guess.

    A table's L1 distance moves by at most as much as the table: 2 either way if a record is replaced, 1 if it comes or
    goes. A cell's moves by at most 1 either way.

    >>> distance_spread("tables", Neighbours.REPLACE_ONE), distance_spread("cells", Neighbours.REPLACE_ONE)
    (Fraction(4, 1), Fraction(2, 1))
    """
    return Fraction(2 * neighbours.count_l1 if by == "tables" else 2)
