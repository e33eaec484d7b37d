"""Small things that several measures share: averages over tables, what was not measured."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from understudy.evaluation._interval import mean_interval
from understudy.evaluation._measure import Measure
from understudy.evaluation._result import MeasureResult


def over_tables(values: Sequence[float]) -> tuple[float, tuple[float, float] | None]:
    """The mean over the synthetic tables, and its 95 % confidence interval; None for one table.

    >>> over_tables([0.1])
    (0.1, None)
    """
    return float(np.mean(values)), mean_interval(values)


def not_measured(measure: Measure, name: str, question: str, *, definition: str, why: str) -> MeasureResult:
    """A result for what could not be measured on these tables: its value and score are NaN, its verdict says why.

    >>> from understudy.evaluation import COLUMN_ASSOCIATIONS
    >>> not_measured(COLUMN_ASSOCIATIONS, "Spearman", "Do ranks agree?", definition="…", why="no column varies").verdict
    'Not measured (Spearman): no column varies.'
    """
    return MeasureResult(
        measure,
        name,
        question,
        definition=definition,
        value=float("nan"),
        score=float("nan"),
        verdict=f"Not measured ({name}): {why}.",
        scope="not measured",
    )
