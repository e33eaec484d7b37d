"""What the PRAM-BN paper's figures share: differences between two lines, run by run on the same rows."""

from __future__ import annotations

from math import sqrt

from research._experiment import Results


def paired_gap(results: Results, measure: str, ours: str, other: str, x: float, group: str = "") -> tuple[float, float]:
    """By how much the other line is higher on average, repetition by repetition, and the standard error of that.

    >>> found = Results({("", "a", "error", 1.0): [1.0, 2.0], ("", "b", "error", 1.0): [2.0, 3.0]})
    >>> paired_gap(found, "error", "a", "b", 1.0)
    (1.0, 0.0)

    Raises:
        NothingRunError: if nothing was run there.
    """
    results.mean(measure, ours, x, group)
    results.mean(measure, other, x, group)
    mine, theirs = (results.values(measure, series, x, group) for series in (ours, other))
    gaps = [b - a for a, b in zip(mine, theirs, strict=False)]
    mean = sum(gaps) / len(gaps)
    return mean, sqrt(sum((gap - mean) ** 2 for gap in gaps) / max(1, len(gaps) - 1) / len(gaps))
