"""The one door to private rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Never

import numpy as np

from understudy._core.errors import InternalError, OptionError
from understudy.counting import Counter
from understudy.privacy._budget import Budget, PrivacyWarning, PureBudget
from understudy.privacy._count_questions import CountQuestions
from understudy.privacy._desk import ANY_ROWS, Exact, table_mechanism
from understudy.privacy._ledger import Entry, Ledger
from understudy.privacy._neighbours import Neighbours
from understudy.privacy._noise import Noise, make_noise
from understudy.privacy._protection import Factors, Protection, TableStep, View, axis_factors, choice_step
from understudy.privacy._purse import Purse, Touch
from understudy.privacy._scoring import Progress, Scorer
from understudy.privacy._selection import selection_rate
from understudy.privacy._strength import MovingScore, Strength, mean_on_grid, strength_plan
from understudy.privacy._table_noise import cost_of_cell, two_largest
from understudy.privacy._values import Candidate, Charge, Counts, Measurement, NoiseLevel, Score
from understudy.schema import Domain, Marginal, Recoding


class Curator(CountQuestions):
    """Private rows behind measurements that cost budget.

    Every step is given a share of the run's budget; more than the whole is refused before data are looked at. The
    whole budget is charged to `ledger`, durably, when the curator is made: before any count is taken.

    A seeded `noise`, or an `exact` step, makes a rehearsal or a diagnostic: `guarantee` is then False, and the ledger
    is never touched. So it is with `as_published`, for a method that reads exact counts as its paper prints it:
    `reveal` gives them out in such a run only.

    >>> from understudy.counting import MemoryCounter
    >>> from understudy.privacy import make_budget
    >>> from understudy.schema import Attribute
    >>> from understudy.tables import Table
    >>> table = Table(Domain((Attribute(name="sex", size=2),)), (np.array([0, 1, 1], dtype=np.uint8),))
    >>> curator = Curator(MemoryCounter(table), budget=make_budget(1))
    >>> [noisy] = curator.measure([Marginal.of(0)], share=Fraction(1, 4), what="sex")
    >>> noisy.counts.shape, noisy.noise.scale, curator.share_left
    ((2,), Fraction(8, 1), Fraction(3, 4))
    """

    def __init__(
        self,
        counter: Counter,
        *,
        budget: Budget,
        neighbours: Neighbours = Neighbours.REPLACE_ONE,
        ledger: Ledger | None = None,
        noise: Noise | None = None,
        exact: Exact | None = None,
        as_published: bool = False,
        method: str = "",
        note: str = "",
    ) -> None:
        if exact not in (None, "all", "selection", "tables"):
            raise OptionError(f"The 'exact' parameter must be None, 'all', 'selection' or 'tables'. Got {exact!r}.")
        self.neighbours, self.exact, self.as_published = neighbours, exact, as_published
        self.noise = make_noise() if noise is None else noise
        self._counter, self._scorer, self._purse = counter, Scorer(counter), Purse(budget)
        self._root, self._view = counter.domain, View(counter.domain)
        self.ledger_entry: Entry | None = None
        if neighbours.public_rows:
            _warn_of_large_delta(budget, counter.n)
        if ledger is not None and self.guarantee:
            self.ledger_entry = ledger.charge(
                epsilon=budget.epsilon, delta=budget.delta, neighbours=neighbours, method=method, note=note
            )

    @property
    def domain(self) -> Domain:
        """The public domain of the columns."""
        return self._counter.domain

    @property
    def guarantee(self) -> bool:
        """Whether what this curator gives out is differentially private."""
        return self.exact is None and self.noise.private and not self.as_published

    @property
    def charges(self) -> tuple[Charge, ...]:
        """Every step so far."""
        return tuple(self._purse.charges)

    @property
    def share_left(self) -> Fraction:
        """Share of the budget not yet spent."""
        return 1 - self._purse.spent

    def promise(self, attributes: Iterable[int], share: Fraction) -> None:
        """Promise that steps which look at any of these attributes take at most this share of the budget in all.

        A step that would break it is refused before data are looked at. Promises come before all measurements.
        """
        self._purse.promise((self._view.source(attribute) for attribute in attributes), share)

    @property
    def protection(self) -> Protection | None:
        """What the steps so far cost if one record changes, by what changes in it; None if some step has no price."""
        steps = [step for step in self._purse.steps if step is not None]
        if len(steps) < len(self._purse.steps):
            return None
        budget, relation = self.budget, self.neighbours
        pure = isinstance(budget, PureBudget)
        # under add/remove a change of values is two steps: 2ε, or 4ρ
        twice = Fraction(1) if relation.public_rows else Fraction(2 if pure else 4)
        return Protection(
            domain=self._root,
            steps=tuple(steps),
            promises=tuple(self._purse.promises),
            whole=twice * (budget.epsilon if isinstance(budget, PureBudget) else budget.rho),
            unit="epsilon" if pure else "rho",
        )

    @property
    def rows(self) -> int:
        """The public number of rows: the true one under replace-one, the measured one under add/remove."""
        if self.neighbours.public_rows:
            return self._counter.n
        if self._purse.rows is None:
            raise InternalError("Under add/remove the number of rows is private until it is measured.")
        return self._purse.rows

    def measure_rows(self, *, share: Fraction) -> int:
        """The number of rows: public and free under replace-one; noisy, at least 1, and charged under add/remove.

        A second call gives the first one's answer, for free.
        """
        if self.neighbours.public_rows or self._purse.rows is not None:
            return self.rows
        self._purse.check("rows", share)
        level = self._level("tables", share=share, sensitivity=Fraction(1))
        self._pay(
            table_mechanism(level),
            what="rows",
            share=share,
            noise=level,
            n_tables=1,
            sensitivity=Fraction(1),
            exact=level.kind == "none",
            steps=[None] if level.kind == "none" else [],  # a change of values leaves the number as it is
        )
        noisy = self._add_noise(np.array([self._counter.n], dtype=np.int64), level)
        self._purse.rows = max(1, int(noisy[0]))
        _warn_of_large_delta(self.budget, self._purse.rows)
        return self._purse.rows

    def select(
        self,
        candidates: Sequence[Candidate],
        *,
        score: Score,
        share: Fraction,
        what: str = "selection",
        progress: Progress | None = None,
    ) -> int:
        """Index of a candidate, better ones likelier: permute-and-flip under pure ε, exponential under zCDP.

        A single candidate is no choice: it is returned for free.
        """
        if not candidates:
            raise InternalError("There is nothing to choose from.")
        self._purse.check(what, share)
        if len(candidates) == 1:
            return 0
        held = self._view.held(candidates)
        known_rows = self._counter.n if self.neighbours.public_rows else ANY_ROWS
        shapes = self._scorer.shapes(candidates)
        spread = score.spread(known_rows, shapes, self.neighbours)
        public = self.neighbours.public_rows
        several = spread if public else score.spread(known_rows, shapes, Neighbours.REPLACE_ONE)
        rate = selection_rate(self.budget, share, spread)
        pure = isinstance(self.budget, PureBudget)
        exact = self.exact in ("all", "selection")
        mechanism = "exact maximum" if exact else "permute-and-flip" if pure else "exponential mechanism"
        self._pay(
            mechanism,
            what=what,
            share=share,
            n_candidates=len(candidates),
            rate=rate,
            sensitivity=spread,
            exact=exact,
            touches=[(held, share)],
            steps=[None if exact else choice_step(self.budget, self._view, held, score, rate, known_rows, several)],
        )
        scores = self._scorer.scores(candidates, score, progress)
        if exact:
            return int(scores.argmax())
        integer_rate = rate / score.scale(max(self._counter.n, 1))
        choose = self.noise.permute_and_flip if pure else self.noise.exponential
        return choose(scores, integer_rate)

    def measure_strength(
        self, groups: Sequence[Sequence[Candidate]], *, score: MovingScore, share: Fraction, what: str = "strength"
    ) -> Strength:
        """The mean of each group's best value, with noise: one number, which a record moves as far as one value."""
        candidates = [candidate for group in groups for candidate in group]
        if not groups or not all(groups):
            raise InternalError("There is nothing to take the mean of.")
        held, shapes = self._view.held(candidates), self._scorer.shapes(candidates)
        known_rows = self._counter.n if self.neighbours.public_rows else ANY_ROWS
        plan = strength_plan(self.budget, score, known_rows, shapes, self.neighbours)
        level = self._level("selection", share=share, sensitivity=plan.sensitivity)
        exact = level.kind == "none"
        self._purse.check(what, share, [(held, share)])
        self._pay(
            table_mechanism(level) if not exact else "exact mean",
            what=what,
            share=share,
            n_candidates=len(candidates),
            noise=level,
            sensitivity=plan.sensitivity,
            exact=exact,
            touches=[(held, share)],
            steps=[None if exact else plan.step(held, level)],
        )
        scores = self._scorer.scores(candidates, score)
        best = np.maximum.reduceat(scores, np.cumsum([0, *map(len, groups[:-1])]))
        mean = mean_on_grid(best, score.scale(max(self._counter.n, 1)))
        return Strength(on_grid=int(self._add_noise(np.array([mean], dtype=np.int64), level)[0]), noise=level)

    def noise_for(self, *, share: Fraction) -> NoiseLevel:
        """The noise that one table gets for this share: public, free."""
        return self._level("tables", share=share, sensitivity=None)

    def measure(
        self,
        marginals: Sequence[Marginal],
        *,
        share: Fraction,
        what: str = "tables",
        factors: Mapping[int, Factors] | None = None,
    ) -> list[Measurement]:
        """Noisy tables; the share is split evenly over them.

        `factors` make the noise unequal: one for each leaf code of some attributes, above 0 and at most 1. A cell's
        noise grows as its smallest factor shrinks, and so a change from or to it costs that much less.
        """
        if not marginals:
            return []
        self._purse.check(what, share)
        if factors:
            each = share / len(marginals)
            return [self._measure([m], each, what, axis_factors(m, self.domain, factors))[0] for m in marginals]
        return self._measure(marginals, share, what, ())

    def _measure(
        self, marginals: Sequence[Marginal], share: Fraction, what: str, factors: tuple[Factors, ...]
    ) -> list[Measurement]:
        """Tables that get the same noise, in one charge."""
        each = share / len(marginals)
        touches: list[Touch] = [(frozenset(map(self._view.source, m.attributes)), each) for m in marginals]
        self._purse.check(what, share, touches)
        moved = self.neighbours.count_l1 if isinstance(self.budget, PureBudget) else self.neighbours.count_l2_squared
        sensitivity = two_largest(factors, marginals[0].shape(self.domain), moved) if factors else Fraction(moved)
        level = self._level("tables", share=each, sensitivity=sensitivity)
        exact = level.kind == "none"
        unit = Fraction(0) if exact else cost_of_cell(level)
        steps = [TableStep(axes=self._view.seen(m), unit=unit, factors=factors) for m in marginals]
        self._pay(
            table_mechanism(level),
            what=what,
            share=share,
            n_tables=len(marginals),
            noise=level,
            sensitivity=sensitivity,
            exact=exact,
            touches=touches,
            steps=[None] * len(steps) if exact else steps,
        )
        return [
            Measurement(marginal=marginal, counts=self._add_noise(table, level, factors), noise=level, factors=factors)
            for marginal, table in zip(marginals, self._counter.count(marginals), strict=True)
        ]

    def reveal(self, marginals: Sequence[Marginal], *, what: str = "tables") -> list[Counts]:
        """Exact counts, for which no price would be enough: only in a run that was opened as published.

        Such a run has no guarantee, charges no ledger, and stamps whatever comes out of it.
        """
        if not self.as_published:
            raise InternalError(f"{what}: exact counts were asked for in a run that promises privacy.")
        self._purse.note(Charge(what=what, mechanism="exact counts", share=Fraction(0), n_tables=len(marginals)))
        return self._counter.count(marginals)

    def recoded(self, recoding: Recoding) -> Curator:
        """The same rows and the same purse, seen through a public map of the codes; free."""
        view = object.__new__(type(self))
        view.__dict__.update(self.__dict__)
        view._counter, view._view = self._counter.recoded(recoding), self._view.recoded(recoding)
        view._scorer = Scorer(view._counter)
        return view

    def __reduce__(self) -> Never:  # copy, deepcopy and pickle all come through here
        raise TypeError("a curator cannot be copied: both copies could spend the same budget. Pass this one along.")


def _warn_of_large_delta(budget: Budget, rows: int) -> None:
    """Told from the public number of rows, so that under add/remove the warning itself says nothing private."""
    if budget.delta * rows >= 1:
        warnings.warn(
            "delta is not below 1/rows: a mechanism that publishes a few records in clear would pass. "
            "Use a delta far below 1/rows, such as 1e-9.",
            PrivacyWarning,
            stacklevel=3,
        )
