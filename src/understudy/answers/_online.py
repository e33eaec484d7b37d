"""Answers one after the other: private multiplicative weights (Hardt, Rothblum 2010) with a correct sparse-vector test.

Queries are taken in order. As long as the distribution answers them well enough, they cost nothing beyond one test; the
first that is farther off than a threshold is measured and learnt from, and a new test begins. The number of such
corrections is fixed beforehand and paid for; when it is used up, the remaining queries are refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from understudy.answers._fitting import Noted, fit
from understudy.answers._found import MEASURED, MODEL, REFUSED, BatchAnswers, Found, half_width
from understudy.answers._state import QUICK_CELLS, State
from understudy.answers._workload import Workload
from understudy.privacy import (
    AboveThreshold,
    Curator,
    FirstAbove,
    LinearQueries,
    NoisyLinear,
    PrivacyTerms,
    distance_moved,
)

Floats: TypeAlias = npt.NDArray[np.float64]

TEST_SHARE = Fraction(1, 2)
"""Of what a correction takes: for the test. The other half measures."""
_STEPS = 25


@dataclass(frozen=True, kw_only=True)
class OnlineSettings:
    """Threshold T as a share of the rows, rate μ of an update, number of updates that are paid for."""

    threshold: Fraction
    rate: float
    updates: int


def answer_online(curator: Curator, workload: Workload, state: State, settings: OnlineSettings) -> Found:
    """Answer in order, correct where a test says so, stop when all corrections are used up.

    Unit, neighbours, bound: those of the curator's terms. Each of c corrections takes 1/c of what there is, half for
    its test and half for its measurement, whether or not it comes to it.
    """
    run = _Online(curator, workload, state, settings)
    for _ in range(settings.updates):
        if run.finished or not run.correct():
            break
    return run.found()


def reach_of_test(workload: Workload, terms: PrivacyTerms, share: Fraction) -> float:
    """How much farther than the threshold an answer may be off that a test lets pass, in counts, but for 5 %."""
    grid, moved = distance_moved(workload.batches, terms)
    test = AboveThreshold.for_epsilon(terms.budget.pure_epsilon(share), moved, threshold=0)
    wide, narrow = float(test.noise.scale), float(test.threshold_noise.scale)

    def beyond(z: float) -> float:  # the difference of two Laplace variables of unequal scale
        return (wide**2 * exp(-z / wide) - narrow**2 * exp(-z / narrow)) / (2 * (wide**2 - narrow**2))

    low, high = 0.0, 60 * wide
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if beyond(middle) > 0.05 else (low, middle)
    return (ceil(high) + 1) / grid


class _Online:
    """Where a run stands: the distribution, what was measured, which queries have their answers."""

    def __init__(self, curator: Curator, workload: Workload, state: State, settings: OnlineSettings) -> None:
        self._curator, self._workload, self._settings = curator, workload, settings
        self._state, self._noted = state, list[Noted]()
        self._order = np.argsort(np.concatenate(workload.places), kind="stable")
        self._ends = np.cumsum([0, *map(len, workload.batches)])
        self._share = curator.share_left / settings.updates
        self._reach = reach_of_test(workload, curator.terms, self._share * TEST_SHARE)
        total = len(workload)
        self._shares, self._half = np.full(total, np.nan), np.full(total, np.nan)
        self._how = np.full(total, REFUSED, dtype=np.int8)
        self._done = self._corrected = 0

    @property
    def finished(self) -> bool:
        return self._done == len(self._order)

    def correct(self) -> bool:
        """Pass over what is answered well, measure the next, learn from it; False if all was answered well."""
        n = self._curator.rows
        said = self._said()
        left = self._order[self._done :]
        test = FirstAbove(
            queries=self._workload.batches,
            guesses=n * said,
            threshold=self._settings.threshold * n,
            order=left,
        )
        first = self._curator.ask(test, share=self._share * TEST_SHARE)
        passed = left if first is None else left[:first]
        self._shares[passed], self._how[passed] = said[passed], MODEL
        self._half[passed] = float(self._settings.threshold) + self._reach / n
        self._done += len(passed)
        if first is None:
            return False
        self._measure(int(left[first]))
        self._done += 1
        self._corrected += 1
        return True

    def found(self) -> Found:
        """All answers, by batch."""
        answers = []
        for low, high in zip(self._ends[:-1], self._ends[1:], strict=True):
            shares, half = self._shares[low:high], self._half[low:high]
            whole = BatchAnswers.of(shares, shares - half, shares + half, MODEL)
            answers.append(
                BatchAnswers(shares=whole.shares, low=whole.low, high=whole.high, how=self._how[low:high].copy())
            )
        refused = int((self._how == REFUSED).sum())
        threshold = f"a threshold of {float(self._settings.threshold):.4g} of the rows"
        steps = f"{self._corrected:,} of {self._settings.updates:,} corrections at {threshold}"
        notes = (f"{refused:,} queries were refused: all corrections were used up before them.",) if refused else ()
        covers = (
            "noise for measured answers; for the others also the model: the chance that a test let one pass that is "
            "farther off is 5 % at most for each"
        )
        return Found(batches=answers, state=self._state, covers=covers, steps=steps, notes=notes)

    def _said(self) -> Floats:
        tables = self._state.read([batch.marginal.attributes for batch in self._workload.batches])
        pairs = zip(self._workload.batches, tables, strict=True)
        return np.concatenate([batch.answers(np.asarray(table)) for batch, table in pairs])

    def _measure(self, place: int) -> None:
        which = int(np.searchsorted(self._ends, place, side="right")) - 1
        query: LinearQueries = self._workload.batches[which].chosen(np.array([place - self._ends[which]]))
        found = self._curator.ask(
            NoisyLinear(queries=[query], what="answer that is far off"), share=self._share * (1 - TEST_SHARE)
        )
        n = self._curator.rows
        self._shares[place], self._how[place] = found.values[0] / n, MEASURED
        self._half[place] = half_width(found.noise, np.ones(1), grid=found.grid)[0] / n
        noted = Noted(
            attributes=query.marginal.attributes,
            shares=np.clip(found.values / n, 0.0, 1.0),
            precision=(n / max(found.deviation, 1e-9)) ** 2,
            queries=query,
        )
        if self._state.fits([noted.attributes], most_cells=QUICK_CELLS):
            self._noted.append(noted)
            self._state = fit(self._state, self._noted, steps=_STEPS, rate=self._settings.rate)
