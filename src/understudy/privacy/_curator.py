"""The one door to private rows."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from threading import RLock
from typing import Never, TypeVar

from understudy._core.errors import InternalError
from understudy.privacy._accountant import Accountant
from understudy.privacy._budget import Budget, PrivacyWarning
from understudy.privacy._count_questions import NumberOfRows
from understudy.privacy._ledger import Entry
from understudy.privacy._neighbours import Neighbours
from understudy.privacy._noise import Noise
from understudy.privacy._protection import ChoiceStep, Protection, View
from understudy.privacy._question import Noiseless, Price, PrivateRows, PublicFacts, Question, costs_of_change, touched
from understudy.privacy._scoring import CandidateShapes
from understudy.privacy._terms import PrivacyTerms
from understudy.privacy._values import Charge, Counts, NoiseLevel
from understudy.schema import Domain, Marginal, Recoding

Answer = TypeVar("Answer")


@dataclass(kw_only=True, eq=False)
class CuratedRun:
    """What all recoded views of one table share: the terms, the account, the noise, and what became public."""

    terms: PrivacyTerms
    accountant: Accountant
    noise: Noise
    domain: Domain
    noiseless: Noiseless | None = None
    no_guarantee: bool = False
    ledger_entry: Entry | None = None
    rows: int | None = None
    lock: RLock = field(default_factory=RLock)
    process: int = field(default_factory=os.getpid)

    @property
    def guarantee(self) -> bool:
        """Whether what is given out is differentially private."""
        return self.noiseless is None and self.noise.private and not self.no_guarantee

    @property
    def guarantee_of_steps(self) -> bool:
        """Whether every step has noise, seeded or not."""
        return self.noiseless is None and not self.no_guarantee

    def check_process(self) -> None:
        """Refuse to go on in a copy of the process: both would spend the same budget."""
        if os.getpid() != self.process:
            raise InternalError(
                "this curator was opened in another process. A forked copy would spend the same budget again: ask in "
                "the process that opened it, or open one of its own here."
            )

    def refuse_bare(self, what: str, price: Price) -> None:
        """Refuse a mechanism that gives out what was counted as it is, unless the run was opened for that."""
        if not price.mechanism.private and self.noiseless is None and not self.no_guarantee:
            raise InternalError(f"{what}: '{price.mechanism.name}' was to answer in a run that promises privacy.")


class Curator:
    """Private rows behind questions that cost budget. `open_curator` makes one, and charges for it.

    Every question is given a share of the run's budget; more than the whole is refused before data are looked at. A
    seeded noise, or a noiseless stage, makes a rehearsal or a diagnostic: `guarantee` is then False. So it is with
    `no_guarantee`, for a method that reads exact counts as its paper prints it: `reveal` gives them out in such a run
    only.

    >>> import numpy as np
    >>> from understudy.counting import MemoryCounter
    >>> from understudy.privacy import NoisyTables, make_budget, open_curator
    >>> from understudy.schema import Attribute
    >>> from understudy.tables import Table
    >>> table = Table(Domain((Attribute(name="sex", size=2),)), (np.array([0, 1, 1], dtype=np.uint8),))
    >>> curator = open_curator(MemoryCounter(table), budget=make_budget(1))
    >>> [noisy] = curator.ask(NoisyTables(marginals=[Marginal.of(0)], what="sex"), share=Fraction(1, 4))
    >>> noisy.counts.shape, noisy.noise.scale, curator.share_left
    ((2,), Fraction(8, 1), Fraction(3, 4))
    """

    def __init__(self, run: CuratedRun, rows: PrivateRows, view: View) -> None:
        self._run, self._rows, self._view = run, rows, view
        self._shapes = CandidateShapes(rows.domain)

    def ask(self, question: Question[Answer], *, share: Fraction) -> Answer:
        """The answer to a question, paid for with a share of the budget.

        This is all there is between rows and anybody: the price is fixed from public facts, booked, and only then are
        rows counted and the mechanism run. One question at a time: two threads would draw the same noise.
        """
        run = self._run
        run.check_process()  # before the lock, which a thread that the copy does not have may have held
        with run.lock:
            facts = self._facts()
            free = question.free_answer(facts)
            if free is not None:
                return free
            run.accountant.check(question.what, share)
            share = Fraction(share)
            price = question.price(facts, share)
            run.refuse_bare(question.what, price)
            run.accountant.pay(
                _charge(question.what, share, price, run.terms.budget),
                touched(price, facts, share),
                costs_of_change(price, facts, share),
            )
            counted = question.count(self._rows, facts)
            return question.answer(price.mechanism(counted, run.noise), price, facts)

    def measure_rows(self, *, share: Fraction) -> int:
        """The number of rows: free where it is public; else noisy, at least 1, and charged.

        Where rows are weighed it is counted in parts of rows, as all else is. A second call gives the first one's
        answer, for free.
        """
        self._run.check_process()
        with self._run.lock:
            rows = self.ask(NumberOfRows(), share=share)
            if self._run.rows is None:
                self._run.rows = rows
                warn_of_large_delta(self.terms, rows)
            return rows

    def reveal(self, marginals: Sequence[Marginal], *, what: str = "tables") -> list[Counts]:
        """Exact counts, for which no price would be enough: only in a run that was opened without a guarantee.

        Such a run charges no ledger, and stamps whatever comes out of it.
        """
        if not self._run.no_guarantee:
            raise InternalError(f"{what}: exact counts were asked for in a run that promises privacy.")
        self._run.accountant.note(
            Charge(what=what, mechanism="exact counts", share=Fraction(0), n_tables=len(marginals))
        )
        return self._rows.count(marginals)

    def promise(self, attributes: Iterable[int], share: Fraction) -> None:
        """Promise that steps which look at any of these attributes take at most this share of the budget in all.

        A step that would break it is refused before data are looked at. Promises come before all measurements.
        """
        self._run.accountant.promise((self._view.source(attribute) for attribute in attributes), share)

    def part(self, share: Fraction, *, what: str) -> Curator:
        """A curator of the same rows with a share of this one's budget, for a method that spends all it is given.

        The share is booked here at once, as one step that looks at everything; what the other one does with it is one
        mechanism that costs no more, by composition (proof.md, section 2). Where the number of rows is private, neither
        knows what the other measures of it from then on.
        """
        run = self._run
        run.check_process()
        with run.lock:
            run.accountant.check(what, share)
            budget, everything = run.terms.budget, frozenset(range(len(run.domain)))
            cost = budget.price(share)
            charge = Charge(
                what=what,
                mechanism="a run of its own",
                share=share,
                epsilon=cost if run.guarantee_of_steps and budget.measure == "epsilon" else None,
                mu_squared=cost if run.guarantee_of_steps and budget.measure == "mu_squared" else None,
            )
            several = budget.grouped(run.terms.neighbours.steps_of_change) * cost
            step = ChoiceStep(attributes=everything, one=several, several=several)
            run.accountant.pay(charge, ((everything, share),), (step if run.guarantee_of_steps else None,))
            inner = replace(run, terms=replace(run.terms, budget=budget.part(share)), accountant=Accountant())
            return Curator(inner, self._rows, self._view)

    def recoded(self, recoding: Recoding) -> Curator:
        """The same rows and the same account, seen through a public map of the codes; free."""
        self._run.check_process()
        with self._run.lock:  # counters remember what they counted, and need not be safe to use by two threads
            return Curator(self._run, self._rows.recoded(recoding), self._view.recoded(recoding))

    def noise_for(self, *, share: Fraction) -> NoiseLevel:
        """The noise that one table gets for this share: public, free."""
        return self._facts().noise_for(share, self.terms.table_sensitivity).noise

    @property
    def domain(self) -> Domain:
        """The public domain of the columns."""
        return self._rows.domain

    @property
    def terms(self) -> PrivacyTerms:
        """Budget, neighbours and unit."""
        return self._run.terms

    @property
    def budget(self) -> Budget:
        """What the whole run may spend."""
        return self._run.terms.budget

    @property
    def neighbours(self) -> Neighbours:
        """Which tables must look alike."""
        return self._run.terms.neighbours

    @property
    def rows(self) -> int:
        """The public number of rows: the true one where that is public, else the measured one."""
        if self._run.rows is None:
            raise InternalError(
                "The number of rows is private until it is measured: under add/remove, or if units have several rows."
            )
        return self._run.rows

    @property
    def noise(self) -> Noise:
        """Where noise comes from."""
        return self._run.noise

    @property
    def noiseless(self) -> Noiseless | None:
        """Which answers a diagnostic takes without noise."""
        return self._run.noiseless

    @property
    def guarantee(self) -> bool:
        """Whether what this curator gives out is differentially private."""
        return self._run.guarantee

    @property
    def charges(self) -> tuple[Charge, ...]:
        """Every step so far."""
        return tuple(self._run.accountant.charges)

    @property
    def share_left(self) -> Fraction:
        """Share of the budget not yet spent."""
        return 1 - self._run.accountant.spent

    @property
    def ledger_entry(self) -> Entry | None:
        """What was booked in the ledger for this run."""
        return self._run.ledger_entry

    @property
    def protection(self) -> Protection | None:
        """What the steps so far cost if one unit changes, by what changes in it; None if some step has no price."""
        accountant, terms = self._run.accountant, self.terms
        steps = [step for step in accountant.steps if step is not None]
        if len(steps) < len(accountant.steps):
            return None
        # under add/remove a change of values is two changes: the old rows go, the new ones come
        twice = terms.budget.grouped(terms.neighbours.steps_of_change)
        return Protection(
            domain=self._run.domain,
            steps=tuple(steps),
            promises=tuple(accountant.promises),
            whole=twice * terms.budget.total,
            measure=terms.budget.measure,
        )

    def _facts(self) -> PublicFacts:
        return PublicFacts(
            domain=self.domain,
            terms=self._run.terms,
            rows=self._run.rows,
            view=self._view,
            shapes=self._shapes,
            noiseless=self._run.noiseless,
        )

    def __reduce__(self) -> Never:  # copy, deepcopy and pickle all come through here
        raise TypeError("a curator cannot be copied: both copies could spend the same budget. Pass this one along.")


def _charge(what: str, share: Fraction, price: Price, budget: Budget) -> Charge:
    """The line for the privacy statement; without a cost where there is no noise, since none would be enough."""
    cost = budget.price(share) if price.mechanism.private else None
    return Charge(
        what=what,
        mechanism=price.mechanism.name,
        share=share,
        epsilon=cost if budget.measure == "epsilon" else None,
        mu_squared=cost if budget.measure == "mu_squared" else None,
        n_tables=price.n_tables,
        n_candidates=price.n_candidates,
        noise=price.mechanism.noise if price.noise is None else price.noise,
        rate=price.mechanism.rate,
        sensitivity=price.sensitivity,
    )


def warn_of_large_delta(terms: PrivacyTerms, rows: int) -> None:
    """Told from the public number of rows, so that where it was private the warning itself says nothing of it."""
    if terms.budget.delta * rows >= terms.unit.parts:
        warnings.warn(
            "delta is not below 1/rows: a mechanism that publishes a few records in clear would pass. "
            "Use a delta far below 1/rows, such as 1e-9.",
            PrivacyWarning,
            stacklevel=3,
        )
