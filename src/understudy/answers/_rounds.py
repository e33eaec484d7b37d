"""Answers in rounds: each measures a table of the workload's columns on which the distribution is worst.

As in MWEM (Hardt, Ligett, McSherry 2012) and AIM (McKenna et al. 2022): candidates are the tables that are asked about
and all smaller ones inside them, so that a large table is approached through small ones that noise does not drown. A
table's distance from the guess counts beyond what noise would add to it, by how much the workload has to do with it.
When a measurement teaches no more than its noise, later rounds get a larger share each. At the end a small share tells
how far the answers are off.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import ceil
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from understudy.answers._fitting import Noted, fit
from understudy.answers._found import MODEL, BatchAnswers, Found, upper_end
from understudy.answers._state import QUICK_CELLS, Attributes, State
from understudy.answers._tables import STEPS, note_table
from understudy.answers._workload import Workload
from understudy.privacy import WEIGHT_PARTS, Curator, NoisyTables, QuantileOfErrors, WorstTable
from understudy.schema import Domain, Marginal

Floats: TypeAlias = npt.NDArray[np.float64]
Progress: TypeAlias = Callable[[str, int, int], None]

CHECK_SHARE = Fraction(1, 10)
"""For how far the answers are off."""
COVERED = Fraction(19, 20)
CHOICE_SHARE = Fraction(1, 5)
"""Of a round's share: for choosing the table. The rest measures it."""
_ROUNDS_A_COLUMN = {True: 3, False: 8}  # pure ε: costs add up, so fewer and larger rounds
_MOST_ROUNDS, _MOST_CANDIDATES, _STEPS_A_ROUND = 120, 400, 25


@dataclass(frozen=True, kw_only=True)
class Candidates:
    """Tables that a round may measure, and how much the workload has to do with each, in 64ths."""

    scopes: tuple[Attributes, ...]
    weights: tuple[int, ...]


def candidates_of(workload: Workload) -> Candidates:
    """The tables asked about, and those inside them: the smaller ones first where there are too many.

    >>> from understudy.answers._lines import read_lines
    >>> from understudy.answers._workload import make_workload
    >>> from understudy.schema import Schema
    >>> schema = Schema.from_dict({"fields": [{"name": name, "categories": ["no", "yes"]} for name in "abc"]})
    >>> candidates_of(make_workload(read_lines(["table(a, b)", "c=yes"]), schema)).scopes
    ((0,), (1,), (2,), (0, 1))
    """
    asked: dict[Attributes, int] = {}
    for batch in workload.batches:
        asked[batch.marginal.attributes] = asked.get(batch.marginal.attributes, 0) + len(batch)
    found: set[Attributes] = set()
    for size in range(1, max(map(len, asked)) + 1):
        for scope in asked:
            if len(found) < _MOST_CANDIDATES:
                found.update(combinations(scope, size))
    domain = workload.domain
    scopes = sorted(
        (scope for scope in found if Marginal.of(*scope).n_cells(domain) <= QUICK_CELLS),
        key=lambda scope: (len(scope), scope),
    )
    # how many columns they share, over all queries: a table of two columns tells less about a query than one of three
    useful = [sum(number * len(set(scope) & set(table)) for table, number in asked.items()) for scope in scopes]
    weights = [max(1, ceil(WEIGHT_PARTS * one / max(useful))) for one in useful]
    return Candidates(scopes=tuple(scopes), weights=tuple(weights))


def answer_in_rounds(curator: Curator, workload: Workload, state: State, progress: Progress | None = None) -> Found:
    """Choose, measure and fit until the budget is spent; then read all answers off, and ask how far they are off.

    Unit, neighbours, bound: those of the curator's terms. Each round takes its share, the check at the end a tenth.
    """
    check = CHECK_SHARE * curator.share_left
    state, noted = _first_tables(curator, workload, state, check)
    rounds = _Rounds(curator, workload, check)
    number = 0
    while rounds.left > 0 and number < _MOST_ROUNDS:
        if progress is not None:
            progress("rounds", number, number + rounds.expected)
        if not rounds.possible(state):
            break
        state = rounds.one(state, noted)
        number += 1
    state = fit(state, noted, steps=STEPS)
    return _checked(curator, workload, state, number)


def _first_tables(curator: Curator, workload: Workload, state: State, check: Fraction) -> tuple[State, list[Noted]]:
    """Each column of the workload on its own, where the distribution knows nothing of it yet."""
    columns = sorted({a for batch in workload.batches for a in batch.marginal.attributes} - state.touched)
    columns = [a for a in columns if workload.domain[a].size > 1]
    if not columns:
        return state, []
    share = (curator.share_left - check) / _ROUNDS_A_COLUMN[curator.terms.budget.pure]
    asked = NoisyTables(marginals=[Marginal.of(a) for a in columns], what="each column")
    noted = [note_table(noisy, curator.rows) for noisy in curator.ask(asked, share=share)]
    return fit(state, noted, steps=_STEPS_A_ROUND), noted


class _Rounds:
    """What the rounds have to spend, and what they choose from."""

    def __init__(self, curator: Curator, workload: Workload, check: Fraction) -> None:
        self._curator, self._domain, self._check = curator, workload.domain, check
        self._candidates = candidates_of(workload)
        columns = len({a for scope in self._candidates.scopes for a in scope})
        self._each = self.left / (_ROUNDS_A_COLUMN[curator.terms.budget.pure] * max(columns, 2))
        self._open = list(range(len(self._candidates.scopes)))

    @property
    def left(self) -> Fraction:
        """What may still be spent on rounds."""
        return self._curator.share_left - self._check

    @property
    def expected(self) -> int:
        """Rounds to come, if each takes as much as the next."""
        return max(1, int(self.left / self._each))

    def possible(self, state: State) -> bool:
        """Whether there is a table left that the distribution could take up."""
        self._open = [i for i in self._open if state.fits([self._candidates.scopes[i]], most_cells=QUICK_CELLS)]
        return bool(self._open)

    def one(self, state: State, noted: list[Noted]) -> State:
        """A round: choose, measure, fit. What it measured is added to `noted`."""
        share = self.left if self.left < 2 * self._each else self._each
        scopes = [self._candidates.scopes[i] for i in self._open]
        guesses, n = state.read(scopes), self._curator.rows
        # what a single table costs to choose is nothing, and what was kept for it would be left over for ever
        measure = share if len(scopes) == 1 else share * (1 - CHOICE_SHARE)
        mean_noise = self._curator.noise_for(share=measure).mean_abs
        question = WorstTable(
            marginals=tuple(Marginal.of(*scope) for scope in scopes),
            guesses=np.concatenate([np.rint(n * table).astype(np.int64).ravel() for table in guesses]),
            weights=[self._candidates.weights[i] for i in self._open],
            penalties=[round(mean_noise * table.size) for table in guesses],
        )
        chosen = 0 if len(scopes) == 1 else self._curator.ask(question, share=share - measure)
        asked = NoisyTables(marginals=[Marginal.of(*scopes[chosen])], what=_what(self._domain, scopes[chosen]))
        [noisy] = self._curator.ask(asked, share=measure)
        noted.append(note_table(noisy, n))
        state = fit(state, noted, steps=_STEPS_A_ROUND)
        moved = n * float(np.abs(state.read([scopes[chosen]])[0] - guesses[chosen]).sum())
        if moved <= mean_noise * guesses[chosen].size:
            self._each *= 2 if self._curator.terms.budget.pure else 4
        return state


def _checked(curator: Curator, workload: Workload, state: State, rounds: int) -> Found:
    n = curator.rows
    tables = state.read([batch.marginal.attributes for batch in workload.batches])
    shares = [batch.answers(np.asarray(table)) for batch, table in zip(workload.batches, tables, strict=True)]
    half = error_bound(curator, workload, shares) / n
    answers = [BatchAnswers.of(one, one - half, one + half, MODEL) for one in shares]
    covers = "noise and model: with a confidence of 95 %, 95 of 100 answers are no farther off than their interval says"
    return Found(batches=answers, state=state, covers=covers, steps=f"{rounds:,} rounds of choosing and measuring")


def error_bound(curator: Curator, workload: Workload, shares: Sequence[Floats]) -> float:
    """How far 95 of 100 answers are off at most, in counts: measured with what is left, at its upper end."""
    rank = ceil(COVERED * len(workload))
    asked = QuantileOfErrors(queries=workload.batches, guesses=curator.rows * np.concatenate(shares), rank=rank)
    found = curator.ask(asked, share=curator.share_left)
    return max(0.0, upper_end(float(found.values[0]), found.noise, grid=found.grid)) + 1 / found.grid


def _what(domain: Domain, attributes: Sequence[int]) -> str:
    return "table of " + ", ".join(domain[a].name for a in attributes)
