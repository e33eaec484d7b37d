"""What one measure found: a number beside its two references, in words, and table by table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from math import isfinite
from typing import Any, Literal

import pyarrow as pa

Direction = Literal["less", "more", "nearer"]
"""'nearer': neither more nor less than a fresh sample shows."""


@dataclass(frozen=True)
class MeasureResult:
    """One question about a synthetic table, answered.

    A number means nothing alone, so it stands between two others made the same way: what a fresh sample of
    real rows would get, and what columns drawn independently of each other would get. Where a measure has
    no such reference it is None, and the verdict says why.

    Private: it was computed from the real table.

    >>> pairs = MeasureResult("2-way", "Do pairs of columns agree?", definition="average total variation distance",
    ...     value=0.012, fresh_sample=0.004, independent_columns=0.16, score=0.988, verdict="Off by 1.2 points.")
    >>> round(pairs.closeness, 2)
    0.95
    """

    name: str
    question: str
    _: KW_ONLY
    definition: str
    """What the number is, in a line."""
    value: float
    score: float
    """0 to 1, where 1 is best."""
    verdict: str
    """The answer in plain words, for someone who is not a statistician."""
    fresh_sample: float | None = None
    independent_columns: float | None = None
    from_model: float | None = None
    """The same measure on answers straight from the model, without sampling error."""
    direction: Direction = "less"
    scope: str = "all"
    """What it was computed on: 'all 455 tables', or '500 of 27,405 tables, drawn at random'."""
    worst: tuple[tuple[str, ...], float] | None = None
    """Where it is worst (names of columns), and how bad."""
    interval: tuple[float, float] | None = None
    """95 % confidence interval of the value over several synthetic tables, where several were given."""
    details: pa.Table | None = None
    """One row for each table, column or task, worst first."""
    from_zero: bool = False
    """Whether it is a difference, 0 where two tables are alike: then a fresh sample shows what chance makes of it."""
    unit: Literal["share", "number"] = "share"
    """'share': 0.012 is shown as 1.2 points; 'number': as it is."""

    @property
    def other_name(self) -> bool:
        """Whether it says again, in the terms of another tool or paper, what others say; shown last and in short."""
        return self.question.startswith("SDMetrics") or self.name.startswith(("L1 ", "L2 "))

    @property
    def closeness(self) -> float | None:
        """How far from independent columns (0) to a fresh sample (1) the value has come; None without both."""
        if (
            self.fresh_sample is None
            or self.independent_columns is None
            or self.fresh_sample == self.independent_columns
            or not self.measured
        ):
            return None
        if self.direction == "nearer":
            return 1 - abs(self.value - self.fresh_sample) / abs(self.independent_columns - self.fresh_sample)
        return (self.independent_columns - self.value) / (self.independent_columns - self.fresh_sample)

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
            "definition": self.definition,
            "value": self.value if self.measured else None,
            "fresh_sample": self.fresh_sample,
            "independent_columns": self.independent_columns,
            "from_model": self.from_model,
            "interval": None if self.interval is None else list(self.interval),
            "score": self.score if self.measured else None,
            "direction": self.direction,
            "scope": self.scope,
            "worst": worst,
            "unit": self.unit,
            "verdict": self.verdict,
        }


def find_result(results: Sequence[MeasureResult], name: str) -> MeasureResult | None:
    """The result of this name, if it is there."""
    return next((found for found in results if found.name == name), None)
