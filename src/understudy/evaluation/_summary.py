"""Small things that several measures share: averages over tables, numbers in words, what was not measured."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from understudy.evaluation._interval import mean_interval
from understudy.evaluation._property import Better, Property


def over_tables(values: Sequence[float]) -> tuple[float, tuple[float, float] | None]:
    """The mean over the synthetic tables, and its 95 % confidence interval; None for one table.

    >>> over_tables([0.1])
    (0.1, None)
    """
    return float(np.mean(values)), mean_interval(values)


def points(share: float) -> str:
    """A share of 0.012 as 1.2 points.

    >>> points(0.0123), points(0.00012), points(0.0)
    ('1.2', '0.012', '0')
    """
    return short(100 * share)


def short(value: float) -> str:
    """A number with as many digits as it takes to see it.

    >>> short(0.5), short(0.119), short(12.345), short(1234.6), short(0.00123)
    ('0.5', '0.12', '12', '1,235', '0.0012')
    """
    if not np.isfinite(value):
        return str(value)
    if abs(value) >= 10:
        return f"{value:,.0f}"
    return np.format_float_positional(value, precision=2, fractional=False, trim="-")


def times(columns: Sequence[str]) -> str:
    """Columns of a table as readers know them.

    >>> times(["age", "income"])
    '`age` × `income`'
    """
    return " × ".join(f"`{name}`" for name in columns)


def not_measured(name: str, question: str, *, measure: str, why: str, better: Better = "lower") -> Property:
    """A property that could not be measured on these tables: its value and score are NaN, its verdict says why.

    >>> not_measured("Spearman", "Do ranks agree?", measure="…", why="only one column has an order").verdict
    'Not measured: only one column has an order.'
    """
    return Property(
        name,
        question,
        measure=measure,
        value=float("nan"),
        score=float("nan"),
        verdict=f"Not measured: {why}.",
        better=better,
        scope="not measured",
    )
