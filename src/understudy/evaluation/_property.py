"""What one measure found: a number beside its floor and its ceiling, in words, and table by table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from math import isfinite
from typing import Any, Literal

import pyarrow as pa

Better = Literal["lower", "higher", "nearer"]
"""'nearer': neither more nor less than a fresh sample shows."""


@dataclass(frozen=True)
class Property:
    """One question about a synthetic table, answered.

    A number means nothing alone, so it stands between two others made the same way: the floor, what a fresh sample of
    real rows would get, and the ceiling, what columns drawn independently of each other would get. Where a measure has
    no such reference it is None, and the verdict says why.

    Private: it was computed from the real table.

    >>> pairs = Property("2-way", "Do pairs of columns agree?", measure="average total variation distance",
    ...     value=0.012, floor=0.004, ceiling=0.16, score=0.988, verdict="Differences of 1.2 points on average.")
    >>> round(pairs.closeness, 2)
    0.95
    """

    name: str
    question: str
    _: KW_ONLY
    measure: str
    value: float
    score: float
    """0 to 1, where 1 is best."""
    verdict: str
    """The answer in plain words, for someone who is not a statistician."""
    floor: float | None = None
    ceiling: float | None = None
    from_model: float | None = None
    """The same measure on answers straight from the model, without sampling error."""
    better: Better = "lower"
    scope: str = "all"
    """What it was computed on: 'all 455 tables', or '500 of 27,405 tables, drawn at random'."""
    worst: tuple[tuple[str, ...], float] | None = None
    """Where it is worst (names of columns), and how bad."""
    interval: tuple[float, float] | None = None
    """95 % confidence interval of the value over several synthetic tables, where several were given."""
    details: pa.Table | None = None
    """One row for each table, column or task, worst first."""
    from_zero: bool = False
    """Whether it is a difference, 0 where two tables are alike: then the floor is what chance alone makes of it."""
    unit: Literal["share", "number"] = "share"
    """'share': 0.012 is shown as 1.2 points; 'number': as it is."""

    @property
    def other_name(self) -> bool:
        """Whether it says again, in the terms of another tool or paper, what others say; shown last and in short."""
        return self.question.startswith("SDMetrics") or self.name.startswith(("L1 ", "L2 "))

    @property
    def closeness(self) -> float | None:
        """How far from the ceiling (0) to the floor (1) the value has come; None without both."""
        if self.floor is None or self.ceiling is None or self.floor == self.ceiling or not self.measured:
            return None
        if self.better == "nearer":
            return 1 - abs(self.value - self.floor) / abs(self.ceiling - self.floor)
        return (self.ceiling - self.value) / (self.ceiling - self.floor)

    @property
    def measured(self) -> bool:
        """Whether there is a value at all; if not, the verdict says why."""
        return isfinite(self.value)

    def to_dict(self) -> dict[str, Any]:
        """All but the details, ready for JSON."""
        worst = None if self.worst is None else {"columns": list(self.worst[0]), "value": self.worst[1]}
        return {
            "name": self.name,
            "question": self.question,
            "measure": self.measure,
            "value": self.value if self.measured else None,
            "floor": self.floor,
            "ceiling": self.ceiling,
            "from_model": self.from_model,
            "interval": None if self.interval is None else list(self.interval),
            "score": self.score if self.measured else None,
            "better": self.better,
            "scope": self.scope,
            "worst": worst,
            "unit": self.unit,
            "verdict": self.verdict,
        }


def find_property(properties: Sequence[Property], name: str) -> Property | None:
    """The property of this name, if it is there."""
    return next((found for found in properties if found.name == name), None)
