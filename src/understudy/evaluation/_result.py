"""What one measure found: a number beside its two references, in words, and table by table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from math import isfinite
from typing import Any, Literal

import pyarrow as pa

from understudy.evaluation._matrices import AssociationMatrices
from understudy.evaluation._measure import Direction, Group, Measure
from understudy.evaluation._numbers import NumberColumn
from understudy.evaluation._verdict import BY_CHANCE, MARGIN

_SEEN = 0.1
"""Relations show in tables if what independent columns lose beyond chance is more than this part of chance."""


@dataclass(frozen=True)
class MeasureResult:
    """One question about a synthetic table, answered.

    A number means nothing alone, so it stands between two others made the same way: what a fresh sample of real rows
    would get, and what columns drawn independently of each other would get. Where a measure has no such reference it is
    None, and the verdict says why.

    Private: it was computed from the real table.

    >>> from understudy.evaluation import TABLE_DISTANCES
    >>> pairs = MeasureResult(TABLE_DISTANCES, "2-way", "Do pairs of columns agree?", definition="average distance",
    ...     value=0.012, fresh_sample=0.004, independent_columns=0.16, score=0.988, verdict="Off by 1.2 points.")
    >>> pairs.direction, round(pairs.closeness, 2)
    ('less', 0.95)
    """

    measure: Measure
    """Whose result it is: says its group, which direction is better, and whose terms it is in."""
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
    scope: str = "all"
    """What it was computed on: 'all 455 tables', or '500 of 27,405 tables, drawn at random'."""
    width: int | None = None
    """How many columns the tables have that it compares, where it compares tables."""
    worst: tuple[tuple[str, ...], float] | None = None
    """Where it is worst (names of columns), and how bad."""
    interval: tuple[float, float] | None = None
    """95 % confidence interval of the value over several synthetic tables, where several were given."""
    details: pa.Table | None = None
    """One row for each table, column or task, worst first."""
    matrices: tuple[AssociationMatrices, ...] = ()
    """The same for every pair of columns; a page shows the first of them as a heat map."""
    from_zero: bool = False
    """Whether it is a difference, 0 where two tables are alike: then a fresh sample shows what chance makes of it."""
    by_chance: float | None = None
    """How far apart two samples of one population would be, which share no rows, as a fresh sample and the real table
    do."""
    beyond_chance: tuple[float, float] | None = None
    """How much more than that it shows, and independent columns do: averages over tables in which it is more."""
    unit: Literal["share", "number"] = "share"
    """'share': 0.012 is shown as 1.2 points; 'number': as it is."""
    limits: tuple[float, float] | None = None
    """Up to the first it is close to real, up to the second to be used with care: for what has no worst reference."""
    rated: bool = True
    """Whether it says by itself how good a table is."""
    numbers: tuple[NumberColumn, ...] = ()
    """What it was found from, for measures of raw values: every number and date, column by column."""

    @property
    def group(self) -> Group:
        """The kind of question that it answers."""
        return self.measure.group

    @property
    def direction(self) -> Direction:
        """What is better: less or more of it."""
        return self.measure.direction

    @property
    def synonym(self) -> str | None:
        """The tool or paper in whose terms it says again what others say; shown last and in short."""
        return self.measure.synonym

    @property
    def closeness(self) -> float | None:
        """How far from independent columns (0) to a fresh sample (1 at most) the value has come; None without both.

        Of tables it is the part that is kept of what independent columns lose beyond chance.
        """
        fresh, independent = self.fresh_sample, self.independent_columns
        if fresh is None or independent is None or fresh == independent or not self.measured:
            return None
        if self.beyond_chance is not None:
            made, without = self.beyond_chance
            return 1 - made / without if without > _SEEN * (self.by_chance or 0.0) else None
        if self.direction == "nearer":
            return 1 - abs(self.value - fresh) / abs(independent - fresh)
        # what lies beyond a fresh sample is no better than one: chance, or a memory of the real rows
        return min(1.0, (independent - self.value) / (independent - fresh))

    @property
    def thin(self) -> bool:
        """Whether rows are so few for the cells that another sample, as this, differs far more than a fresh one."""
        return min(self.by_chance or 0.0, self.value) > BY_CHANCE * (self.fresh_sample or 0.0)

    @property
    def chance_limit(self) -> float:
        """Up to where a difference can be chance."""
        return max(BY_CHANCE * (self.fresh_sample or 0.0), MARGIN * (self.by_chance or 0.0))

    @property
    def measured(self) -> bool:
        """Whether there is a value at all; if not, the verdict says why."""
        return isfinite(self.value)

    def to_dict(self) -> dict[str, Any]:
        """All but the details and matrices, ready for JSON."""
        worst = None if self.worst is None else {"columns": list(self.worst[0]), "value": self.worst[1]}
        return {
            "name": self.name,
            "group": self.group.name,
            "question": self.question,
            "definition": self.definition,
            "direction": self.direction,
            "synonym": self.synonym,
            "value": self.value if self.measured else None,
            "fresh_sample": self.fresh_sample,
            "independent_columns": self.independent_columns,
            "by_chance": self.by_chance,
            "closeness": self.closeness,
            "from_model": self.from_model,
            "interval": None if self.interval is None else list(self.interval),
            "score": self.score if self.measured else None,
            "scope": self.scope,
            "worst": worst,
            "unit": self.unit,
            "verdict": self.verdict,
        }


def find_result(results: Sequence[MeasureResult], name: str) -> MeasureResult | None:
    """The result of this name, if it is there."""
    return next((found for found in results if found.name == name), None)
