"""PRAM-BN: row 11 of the soundness review, a column that is randomised anew for each candidate structure."""

from __future__ import annotations

from collections.abc import Callable
from math import log

from research.tasks.leaks._audit import Audit, Event, Remembered, table_of
from understudy._core.randomness import Streams
from understudy.schema import Marginal

_P = 0.25
_CANDIDATES = 21  # odd, so that there is a majority


def _one_record() -> tuple[Remembered, Remembered]:
    """A party's only record: its value is 1 or 0."""
    return table_of([(1,)], (2,)), table_of([(0,)], (2,))


def _majority(copies: int) -> Callable[[int], Event]:
    """Most of the copies that were sent say 1."""

    def seeded(seed: int) -> Event:
        coins = Streams(seed).get("experiments", "leaks", "pram")

        def event(table: Remembered, trial: int) -> bool:
            value = int(table.count([Marginal.of(0)])[0][1])
            flips = int((coins.random(copies) < _P).sum())
            return (copies - flips if value else flips) > copies / 2

        return event

    return seeded


AUDITS = (
    Audit(
        paper="PRAM-BN",
        row=11,
        what="a column randomised for each candidate structure",
        claimed=log((1 - _P) / _P),
        tables=_one_record,
        printed=_majority(_CANDIDATES),
        repaired=_majority(1),
        trials=(20_000, 20_000),
    ),
)
