"""Algorithm 2 of the correlated-release paper, cell by cell, and its correlated sensitivity, pair by pair."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

Rows = Sequence[Sequence[float]]


def naive_rounds(
    counts: Sequence[int],
    queries: Rows,
    noise: Sequence[float],
    *,
    threshold: float,
    rate: float,
    theta0: float,
    absolute: bool = False,
    renormalised: bool = False,
    by_cell: bool = False,
) -> tuple[list[float], list[bool], list[float]]:
    """Answers, corrections and the last histogram, with this noise added to the true answers."""
    n = sum(counts)
    x = [1 / len(counts)] * len(counts)
    answers, corrected = [], []
    for query, draw in zip(queries, noise, strict=True):
        noisy = sum(q * count / n for q, count in zip(query, counts, strict=True)) + draw
        estimate = sum(q * share for q, share in zip(query, x, strict=True))
        off = estimate - noisy
        wrong = (abs(off) if absolute else off) > threshold
        corrected.append(wrong)
        answers.append(noisy if wrong else estimate)
        if not wrong:
            continue
        after = []
        for q, share in zip(query, x, strict=True):
            if by_cell:
                gamma = q if off > 0 else 1 - q
            elif q > 0:
                gamma = estimate if off > 0 else 1 - estimate * rate
            else:
                gamma = 0.0
            after.append(share * math.exp(-rate * theta0 * gamma))
        total = sum(after) if renormalised else 1.0
        x = [share / total for share in after]
    return answers, corrected, x


def naive_correlated_sensitivity(degrees: Mapping[tuple[int, int], float], parts: Sequence[float]) -> float:
    """Definition 2 by all pairs of records; `parts[j]` is what record j contributes, and ϑ_ii is 1."""
    best = 0.0
    for i, own in enumerate(parts):
        if own > 0:
            total = sum(
                (1.0 if i == j else abs(degrees.get((i, j), degrees.get((j, i), 0.0)))) * part
                for j, part in enumerate(parts)
            )
            best = max(best, total)
    return best
