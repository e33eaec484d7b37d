"""An audit: two neighbouring tables, an event, and how often it comes under each."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from understudy.counting import Counter, Counts, open_counter
from understudy.privacy import Curator, Noise, PrivacyWarning, make_budget, open_curator
from understudy.schema import Attribute, Domain, Marginal, Recoding
from understudy.tables import Table

HIGH = Fraction(1)


class Remembered:
    """A counter that counts each table once: the same rows are asked many times."""

    def __init__(self, counter: Counter) -> None:
        self._counter, self.domain, self.n = counter, counter.domain, counter.n
        self._known: dict[Marginal, Counts] = {}
        self._views: dict[Domain, Remembered] = {}

    def count(self, marginals: Sequence[Marginal]) -> list[Counts]:
        """Exact counts, in the order asked."""
        missing = [marginal for marginal in dict.fromkeys(marginals) if marginal not in self._known]
        self._known.update(zip(missing, self._counter.count(missing), strict=True))
        return [self._known[marginal] for marginal in marginals]

    def recoded(self, recoding: Recoding) -> Remembered:
        """The same rows through a public map of codes."""
        if recoding.target not in self._views:
            self._views[recoding.target] = Remembered(self._counter.recoded(recoding))
        return self._views[recoding.target]


def table_of(rows: Any, sizes: Sequence[int], *, sensitive: str = "") -> Remembered:
    """Rows of codes with columns a, b, c, …; the one named is to be protected best.

    >>> table_of([(0, 1), (1, 1)], (2, 2)).n
    2
    """
    domain = Domain(
        tuple(
            Attribute(name=name, size=size, sensitivity=HIGH if name == sensitive else Fraction(0))
            for name, size in zip("abcdefghijklmnop", sizes, strict=False)
        )
    )
    columns = np.array(rows, dtype=np.uint8).T
    return Remembered(open_counter(Table(domain, tuple(np.ascontiguousarray(c) for c in columns)), threads=1))


def tied(sensitive: str = "") -> tuple[Remembered, Remembered]:
    """Two tables of three columns in which a and b say equally much about c, but for one record."""
    counts = {"000": 40, "111": 40, "001": 20, "110": 20, "010": 40, "101": 40, "011": 40, "100": 40}
    rest = [tuple(map(int, word)) for word, count in counts.items() for _ in range(count)]
    one, other = (table_of([*rest, last], (2, 2, 2), sensitive=sensitive) for last in ((0, 1, 0), (0, 1, 1)))
    return one, other


def open_audited(counter: Remembered, noise: Noise, *, no_guarantee: bool, epsilon: Fraction | int = 1) -> Curator:
    """A curator of a rehearsal."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        return open_curator(counter, budget=make_budget(epsilon), noise=noise, no_guarantee=no_guarantee)


Event = Callable[[Remembered, int], bool]
"""Whether it came, in this trial of a run over these rows."""


@dataclass(frozen=True, kw_only=True)
class Audit:
    """A row of the soundness review: the pair of tables, and an event for each form."""

    paper: str
    row: int
    what: str
    claimed: float
    """The ε of the whole run."""
    tables: Callable[[], tuple[Remembered, Remembered]]
    printed: Callable[[int], Event]
    """The event for the printed form, from a seed."""
    repaired: Callable[[int], Event]
    trials: tuple[int, int]
    """Of the printed form and of the repaired one, in a quick run."""

    def hits(self, *, as_printed: bool, trials: int, seed: int) -> tuple[int, int]:
        """How often the event came under each table."""
        here, there = (
            sum(event(table, trial) for trial in range(trials))
            for table, event in self._both(self.printed if as_printed else self.repaired, seed)
        )
        return here, there

    def _both(self, event: Callable[[int], Event], seed: int) -> Iterable[tuple[Remembered, Event]]:
        # noise of its own for each table, so that what comes under one says nothing of the other
        return [(table, event(2 * seed + side)) for side, table in enumerate(self.tables())]
