"""Small things that several measures share: averages over tables, what was not measured."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from understudy.evaluation._interval import mean_interval
from understudy.evaluation._result import Direction, MeasureResult


def over_tables(values: Sequence[float]) -> tuple[float, tuple[float, float] | None]:
    """The mean over the synthetic tables, and its 95 % confidence interval; None for one table.

    >>> over_tables([0.1])
    (0.1, None)
    """
    return float(np.mean(values)), mean_interval(values)


def not_measured(
    name: str, question: str, *, definition: str, why: str, direction: Direction = "less"
) -> MeasureResult:
    """A result for what could not be measured on these tables: its value and score are NaN, its verdict says why.

    >>> not_measured("Spearman", "Do ranks agree?", definition="…", why="only one column has an order").verdict
    'Not measured (Spearman): only one column has an order.'
    """
    return MeasureResult(
        name,
        question,
        definition=definition,
        value=float("nan"),
        score=float("nan"),
        verdict=f"Not measured ({name}): {why}.",
        direction=direction,
        scope="not measured",
    )
