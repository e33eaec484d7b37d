"""Multiplicative weights with private choices (MWEM; Hardt, Ligett, McSherry 2012)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import comb, floor, prod
from typing import ClassVar, Literal, TypeAlias, get_args

import numpy as np

from understudy._core.errors import OptionError
from understudy._core.numbers import exact_number
from understudy._core.randomness import Streams
from understudy.methods._count_tables import (
    count_cells,
    count_plan,
    marginals_of,
    refuse_large_domain,
    refuse_many_tables,
    shares_of,
)
from understudy.methods._plan import Plan
from understudy.methods._search import Progress
from understudy.methods._settings import ROWS_SHARE, refuse_drowning_noise, rows_share
from understudy.methods._weights import Noted, Reader, Weights
from understudy.models import JointModel, Model, joint_shape
from understudy.options import Declared, OneOf, Real, Whole, YesNo, option
from understudy.privacy import (
    Budget,
    Curator,
    FarthestGuess,
    NoiseLevel,
    NoisyCell,
    NoisyTables,
    PrivacyTerms,
    Sensitivity,
)
from understudy.schema import Domain, Marginal

Queries: TypeAlias = Literal["tables", "cells"]
Result: TypeAlias = Literal["last", "average"]

# A round replays all measurements about so many updates in all, each of them within these bounds. On NLTCS (3-way and
# 4-way tables, ε from 0.1 to 1.6) 50 passes do no better, 5 passes up to 1.8 times worse while there are few tables.
UPDATES, FEWEST_PASSES, MOST_PASSES = 150, 5, 50
MOST_ROUNDS = 1000
SECONDS_PER_UPDATED_CELL, SECONDS_PER_READ_CELL = 1e-9, 4e-8


@dataclass(frozen=True, slots=True, kw_only=True)
class MWEM(Declared):
    """A distribution over all possible rows, corrected round by round where it is worst: a baseline for small domains.

    It starts uniform. Each round chooses a table of `ways` columns (or one cell of such a table) whose answer is far
    from the truth, measures it with noise, and corrects the distribution by multiplicative weights for all that was
    measured so far, many times over. Half of a round's budget chooses, half measures. The last distribution is the
    result. There are at most 2²⁴ possible rows. As its paper prints it, it is
    `MWEM(queries="cells", replay=False, result="average")`.

    Unit: one row. Bound: the budget, as T choices and T measurements at 1/(2T) of it each (after the number of rows,
    where that is private). Pure ε and (ε, δ), both neighbour relations. Proof: `privacy/proof.md`, sections 4 and 10.

    >>> from understudy.counting import MemoryCounter
    >>> from understudy.privacy import make_budget, make_noise, open_curator
    >>> from understudy.schema import Attribute
    >>> from understudy.tables import Table
    >>> domain = Domain((Attribute(name="sex", size=2), Attribute(name="ill", size=2)))
    >>> table = Table(domain, (np.tile([0, 1, 1, 1], 250), np.tile([0, 0, 0, 1], 250)))
    >>> curator = open_curator(MemoryCounter(table), budget=make_budget(5), noise=make_noise(seed=1))
    >>> MWEM(ways=2).fit(curator).marginal(Marginal.of(0)).probabilities.round(1).tolist()
    [0.3, 0.7]
    """

    name: ClassVar[str] = "mwem"
    makes: ClassVar[type[Model]] = JointModel
    ways: int = option(
        3, Whole(at_least=1), help="Columns of the tables that it tries to answer well. All others are answered too."
    )
    round_epsilon: Fraction | float = option(
        Fraction(1, 20),
        Real(above=0),
        help="Budget of one round: there are ε/round_epsilon rounds, rounded down, and at least one.",
    )
    queries: Queries = option(
        "tables",
        OneOf(*get_args(Queries)),
        help="What a round chooses and measures: a whole table, or one cell, as the MWEM paper prints it.",
    )
    replay: bool = option(
        True,
        YesNo(),
        help="Whether a round corrects for all measurements so far, many times over; if not, for its own, once, as the "
        "MWEM paper prints it.",
    )
    result: Result = option(
        "last",
        OneOf(*get_args(Result)),
        help="The distribution after the last round, or the average of those that rounds begin with, as the MWEM paper "
        "prints it.",
    )

    def check(self, domain: Domain, terms: PrivacyTerms) -> None:
        """Refuse what cannot work whatever the rows are, before anything is charged or read."""
        refuse_large_domain(self.name, domain)
        refuse_many_tables(self.name, domain, self.ways)
        if self.rounds(terms.budget) > MOST_ROUNDS:
            raise OptionError(
                f"method '{self.name}' would take {self.rounds(terms.budget):,} rounds at epsilon "
                f"{float(terms.budget.epsilon):g}; at most {MOST_ROUNDS:,} are allowed. Raise the option "
                "'round_epsilon'."
            )
        refuse_drowning_noise(self._noise(terms), terms.budget)

    def rounds(self, budget: Budget) -> int:
        """How many rounds this budget is divided into.

        >>> from understudy.privacy import make_budget
        >>> MWEM().rounds(make_budget("1.6")), MWEM().rounds(make_budget("0.01"))
        (32, 1)
        """
        return max(1, floor(budget.epsilon / exact_number(self.round_epsilon)))

    def describe(self, domain: Domain, n: int, terms: PrivacyTerms) -> dict[str, object]:
        """What it does, as the privacy statement lists it."""
        n_tables = comb(len(domain), min(self.ways, len(domain)))
        return {
            "rounds": self.rounds(terms.budget),
            "queries": f"{self.queries} of {min(self.ways, len(domain))} columns, {n_tables:,} tables",
            "cells": prod(joint_shape(domain)),
        }

    def remarks(self, model: Model, rows: int) -> tuple[str, ...]:
        """What readers of the statement should know, from published quantities."""
        return (
            "columns that no round measured together hang together only through others that were: all else is as if "
            "they had nothing to do with each other.",
        )

    def plan(self, domain: Domain, n: int, terms: PrivacyTerms) -> Plan:
        """What a run would do, from public quantities alone."""
        rounds, cells = self.rounds(terms.budget), prod(joint_shape(domain))
        queries = count_cells([attribute.size for attribute in domain], self.ways)
        candidates = queries if self.queries == "cells" else comb(len(domain), min(self.ways, len(domain)))
        updates = sum(number * _passes(number) for number in range(1, rounds + 1)) if self.replay else rounds
        return count_plan(
            self.name,
            domain,
            n,
            ways=self.ways,
            noise=self._noise(terms).mean_abs,
            shares=shares_of(rows_share(terms), choices=Fraction(1, 2), tables=Fraction(1, 2)),
            seconds=cells * (updates * SECONDS_PER_UPDATED_CELL + rounds * SECONDS_PER_READ_CELL),
            cells=2 * cells + queries,
            candidates=(candidates,) * rounds,
            notes=(f"{rounds:,} rounds over {cells:,} possible rows. Errors are those of what is measured, no more.",),
        )

    def fit(self, curator: Curator, *, streams: Streams | None = None, progress: Progress | None = None) -> JointModel:
        """Learn a model. There are no coins to toss, so `streams` go unused."""
        domain = curator.domain
        self.check(domain, curator.terms)
        n = curator.measure_rows(share=ROWS_SHARE)
        rounds = self.rounds(curator.budget)
        share = curator.share_left / (2 * rounds)
        marginals = marginals_of(domain, self.ways)
        reader, weights = Reader(domain, marginals), Weights(domain)
        noted: list[Noted] = []
        begun = np.zeros_like(weights.table)  # the sum of what rounds begin with
        for number in range(rounds):
            if progress is not None:
                progress("rounds", number, rounds)
            if self.result == "average":
                begun += weights.table
            guesses = np.rint(n * reader.read(weights.table)).astype(np.int64)
            chosen = curator.ask(
                FarthestGuess(marginals=marginals, guesses=guesses, by=self.queries, what="worst answer"), share=share
            )
            noted.append(self._measure(curator, weights, marginals, chosen, share, n))
            if self.replay:
                weights.learn(noted, passes=_passes(len(noted)))
            else:
                weights.learn(noted[-1:], passes=1)
        found = weights.table if self.result == "last" else begun
        return JointModel(domain, n, found / found.sum())

    def _measure(
        self, curator: Curator, weights: Weights, marginals: list[Marginal], chosen: int, share: Fraction, n: int
    ) -> Noted:
        """Measure what was chosen: a table, or the cell at this place among all cells."""
        if self.queries == "tables":
            [noisy] = curator.ask(
                NoisyTables(marginals=[marginals[chosen]], what="table of the worst answer"), share=share
            )
            return weights.note(noisy.marginal, noisy.counts / n)
        ends = np.cumsum([marginal.n_cells(curator.domain) for marginal in marginals])
        which = int(np.searchsorted(ends, chosen, side="right"))
        marginal = marginals[which]
        n_cells = marginal.n_cells(curator.domain)
        cell = chosen - int(ends[which]) + n_cells
        count = curator.ask(NoisyCell(marginal=marginal, cell=cell, what="cell of the worst answer"), share=share)
        values, known = np.zeros(n_cells), np.zeros(n_cells, dtype=np.bool_)
        values[cell], known[cell] = count / n, True
        return weights.note(marginal, values, known)

    def _noise(self, terms: PrivacyTerms) -> NoiseLevel:
        share = (1 - rows_share(terms)) / (2 * self.rounds(terms.budget))
        of_cell = terms.of_unit(Sensitivity.of_number(Fraction(1)))
        return terms.budget.noise_for(share, terms.table_sensitivity if self.queries == "tables" else of_cell)


def _passes(n_noted: int) -> int:
    return min(MOST_PASSES, max(FEWEST_PASSES, -(-UPDATES // n_noted)))
