"""From a curator and a workload to answers: choose a strategy by what it is expected to reach, and follow it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from understudy.answers._found import HOW, REFUSED, BatchAnswers, Found, How, half_width, with_noisy_rows
from understudy.answers._online import TEST_SHARE, OnlineSettings, answer_online, reach_of_test
from understudy.answers._planning import TablesPlan, direct_error, plan_tables
from understudy.answers._rounds import answer_in_rounds
from understudy.answers._state import State
from understudy.answers._tables import answer_directly, answer_from_tables
from understudy.answers._workload import Workload
from understudy.methods import ROWS_SHARE
from understudy.models import NetworkModel
from understudy.privacy import Curator, NumberOfRows

Floats: TypeAlias = npt.NDArray[np.float64]
Strategy: TypeAlias = Literal["auto", "tables", "rounds", "pmw", "direct"]
Progress: TypeAlias = Callable[[str, int, int], None]

ROUNDS_FROM, ROUNDS_FROM_BY_CELL = 0.001, 0.03
"""Expected error, as a share of the rows, from which rounds are tried: below it, measured tables do as well on Adult
(benchmarks/answers.py). Weights given cell by cell follow no column, so that smaller tables help them less."""

DIRECT_BELOW = 0.8
"""Tables gain from being made plausible and consistent; noise on each query by itself must be that much smaller."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSettings:
    """How to answer: the strategy, and for `pmw` its threshold T, rate μ and number of updates.

    >>> AnswerSettings().strategy
    'auto'
    """

    strategy: Strategy = "auto"
    threshold: Fraction | None = None
    rate: Fraction = Fraction(7, 10)
    updates: int = 10


@dataclass(frozen=True, kw_only=True, eq=False)
class Answered:
    """An answer for each query of a workload, in its order: shares of the rows, 95 % intervals, how each was found."""

    workload: Workload
    n: int
    shares: Floats
    low: Floats
    high: Floats
    how: tuple[How, ...]
    strategy: Strategy
    because: str
    covers: str
    steps: str
    notes: tuple[str, ...]
    state: State | None

    @property
    def refused(self) -> int:
        """Queries without an answer."""
        return sum(how == HOW[REFUSED] for how in self.how)

    def to_model(self) -> NetworkModel:
        """The distribution behind the answers as a Bayesian network: to sample from, to ask, to save."""
        state = State(self.workload.domain) if self.state is None else self.state
        return state.to_model(self.n)


def answer_workload(
    curator: Curator,
    workload: Workload,
    settings: AnswerSettings | None = None,
    *,
    start: State | None = None,
    progress: Progress | None = None,
) -> Answered:
    """Answer a workload with what is left of a curator's budget.

    >>> import numpy as np
    >>> from understudy.answers._lines import read_lines
    >>> from understudy.answers._workload import make_workload
    >>> from understudy.counting import MemoryCounter
    >>> from understudy.privacy import make_budget, make_noise, open_curator
    >>> from understudy.schema import Schema
    >>> from understudy.tables import Table
    >>> schema = Schema.from_dict({"fields": [{"name": "sex", "categories": ["F", "M"]}]})
    >>> counter = MemoryCounter(Table(schema.domain, (np.array([0, 1, 1, 1] * 250),)))
    >>> curator = open_curator(counter, budget=make_budget(5), noise=make_noise(seed=1))
    >>> answered = answer_workload(curator, make_workload(read_lines(["sex=M"]), schema))
    >>> answered.shares.round(2).tolist(), answered.how
    ([0.75], ('measured',))
    """
    chosen = AnswerSettings() if settings is None else settings
    state = State(workload.domain) if start is None else start
    n = curator.measure_rows(share=ROWS_SHARE * curator.share_left)
    strategy, because, plan = _choose(curator, workload, chosen)
    if progress is not None:
        progress("answering", 0, 1)
    if strategy == "tables":
        assert plan is not None
        found = answer_from_tables(curator, workload, plan, state)
    elif strategy == "direct":
        found = answer_directly(curator, workload, state)
    elif strategy == "rounds":
        found = answer_in_rounds(curator, workload, state, progress)
    else:
        found = answer_online(curator, workload, state, online_settings(curator, workload, chosen))
    reach = _reach_of_rows(curator, n)
    found = replace(found, batches=[with_noisy_rows(batch, reach) for batch in found.batches])
    return _in_order(workload, found, n, strategy, because)


def _reach_of_rows(curator: Curator, n: int) -> float:
    """How far the number of rows may be off, as a part of it, but for 5 %; 0 where it is public."""
    levels = [charge.noise for charge in curator.charges if charge.what == NumberOfRows().what]
    return max((float(half_width(level, np.ones(1))[0]) / n for level in levels if level is not None), default=0.0)


def online_settings(curator: Curator, workload: Workload, settings: AnswerSettings) -> OnlineSettings:
    """Threshold, rate and updates; without a threshold, one that noise alone seldom reaches."""
    threshold = settings.threshold
    if threshold is None:
        reach = reach_of_test(workload, curator.terms, curator.share_left * TEST_SHARE / settings.updates)
        threshold = Fraction(max(1, min(999, round(2000 * reach / curator.rows))), 1000)
    return OnlineSettings(threshold=threshold, rate=float(settings.rate), updates=settings.updates)


def _choose(curator: Curator, workload: Workload, settings: AnswerSettings) -> tuple[Strategy, str, TablesPlan | None]:
    """The strategy, why, and the plan if it measures tables. From public quantities alone."""
    if settings.strategy not in ("auto", "tables"):
        return settings.strategy, "it was asked for", None
    plan = plan_tables(workload, curator.terms, curator.share_left)
    if settings.strategy == "tables":
        return "tables", "it was asked for", plan
    n = max(curator.rows, 1)
    direct, tables = direct_error(workload, curator.terms, curator.share_left) / n, plan.error / n
    words = f"an expected error of {_percent(min(direct, tables))} of the rows from noise"
    by_cell = 2 * sum(len(batch) for batch in workload.batches if batch.by_cell is not None) > len(workload)
    if min(direct, tables) > (ROUNDS_FROM_BY_CELL if by_cell else ROUNDS_FROM):
        return "rounds", f"{words} is much, so that tables are better approached through smaller ones", None
    if direct < DIRECT_BELOW * tables:
        return "direct", f"{words} is less than that of measured tables, {_percent(tables)}", None
    other = "" if direct == float("inf") else f", and less than that of each query on its own, {_percent(direct)}"
    return "tables", f"{words} is small{other}", plan


def _percent(share: float) -> str:
    return f"{share:.2%}" if share >= 0.0005 else f"{share:.1e}"


def _in_order(workload: Workload, found: Found, n: int, strategy: Strategy, because: str) -> Answered:
    def gathered(of: Callable[[BatchAnswers], npt.NDArray[np.generic]]) -> npt.NDArray[np.generic]:
        return workload.in_order([of(batch) for batch in found.batches])

    how = gathered(lambda batch: batch.how)
    return Answered(
        workload=workload,
        n=n,
        shares=np.asarray(gathered(lambda batch: batch.shares), dtype=np.float64),
        low=np.asarray(gathered(lambda batch: batch.low), dtype=np.float64),
        high=np.asarray(gathered(lambda batch: batch.high), dtype=np.float64),
        how=tuple(HOW[int(code)] for code in how.tolist()),
        strategy=strategy,
        because=because,
        covers=found.covers,
        steps=found.steps,
        notes=found.notes,
        state=found.state,
    )
