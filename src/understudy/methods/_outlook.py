"""What one budget will give, for people to choose by: errors, pairs that are kept, what ε means as odds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

from understudy.methods._forecast import STRENGTHS, Forecast, Measures, forecast
from understudy.privacy import Budget

SURVIVE, IN_PART = 0.5, 0.9
"""Pairs' error as a part of independent columns': up to the first relations survive, up to the second in part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What to expect at one ε. Errors are total variation distances; None where nothing can be foretold.

    Of relations, whose strength is unknown, there is a figure for typical ones; `low` and `high` are those of tables
    whose columns are weakly and strongly related.
    """

    epsilon: float
    delta: float
    guess: float
    """What a guess of 50 % about one unit can become at most, except with a probability of δ."""
    hits: float
    """How often the best possible attacker, who starts from 50 %, is right."""
    column_error: float | None = None
    column_errors: tuple[float, ...] = ()
    """Of each column."""
    column_errors_even: tuple[float, ...] = ()
    """Of each column if all of its values are equally frequent, which noise harms most."""
    pair_error: float | None = None
    pair_error_low: float | None = None
    pair_error_high: float | None = None
    independent_error: float | None = None
    """What independent columns would have, drawn without noise."""
    independent_error_low: float | None = None
    independent_error_high: float | None = None
    pairs: int = 0
    pairs_kept: int | None = None
    pairs_kept_low: int | None = None
    pairs_kept_high: int | None = None
    seconds: float = 0.0
    """CPU seconds of `publish`, from its start to its end, on the machine that they were measured on."""
    words: str = ""
    """What that comes to, in a sentence."""

    @property
    def relations(self) -> str:
        """Whether relations survive: "survive", "in part", "lost", or "unknown"."""
        if self.pair_error is None or not self.independent_error:
            return "unknown"
        part = self.pair_error / self.independent_error
        return "survive" if part <= SURVIVE else "in part" if part <= IN_PART else "lost"


def odds(budget: Budget) -> tuple[float, float]:
    """What a guess of 50 % becomes at most, and how often the best attacker is right who starts from 50 %.

    >>> from understudy.privacy import make_budget
    >>> [round(chance, 3) for chance in odds(make_budget(1))], [round(c, 3) for c in odds(make_budget(1, "1e-9"))]
    ([0.731, 0.731], [0.731, 0.536])
    """
    guess = 1 / (1 + math.exp(-float(budget.epsilon)))
    if budget.mu_squared is None:
        return guess, guess
    return guess, NormalDist().cdf(math.sqrt(float(budget.mu_squared)) / 2)


def outlook_of(
    sizes: Sequence[int], n: int, measures: Measures | None, budget: Budget, *, even: frozenset[int] = frozenset()
) -> Outlook:
    """The outlook for columns with so many values; `even` are the places of those whose bins hold equally much.

    >>> from understudy.privacy import make_budget
    >>> outlook_of([2, 3], 100, None, make_budget(1)).relations
    'unknown'
    """
    guess, hits = odds(budget)
    start = Outlook(epsilon=float(budget.epsilon), delta=float(budget.delta), guess=guess, hits=hits)
    if measures is None:
        return start
    found = [forecast(sizes, n, measures, strength=strength, even=even) for strength in STRENGTHS.values()]
    evenly = forecast(sizes, n, measures, even=frozenset(range(len(sizes))))
    return replace(_filled(start, *found), column_errors_even=evenly.columns)


def _filled(start: Outlook, weak: Forecast, typical: Forecast, strong: Forecast) -> Outlook:
    none = typical.pairs == 0
    return Outlook(
        epsilon=start.epsilon,
        delta=start.delta,
        guess=start.guess,
        hits=start.hits,
        column_error=typical.column,
        column_errors=typical.columns,
        pair_error=None if none else typical.pair,
        pair_error_low=None if none else weak.pair,
        pair_error_high=None if none else strong.pair,
        independent_error=None if none else typical.independent,
        independent_error_low=None if none else weak.independent,
        independent_error_high=None if none else strong.independent,
        pairs=typical.pairs,
        pairs_kept=None if none else typical.kept,
        pairs_kept_low=None if none else weak.kept,
        pairs_kept_high=None if none else strong.kept,
    )
