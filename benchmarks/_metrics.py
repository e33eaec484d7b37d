"""How far a synthetic table is from the real one: average total variation distance over marginals."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from benchmarks._data import Codes

TRIPLES, TRIPLE_SEED = 200, 2017


def pairs(d: int) -> list[tuple[int, ...]]:
    """All pairs of columns."""
    return list(combinations(range(d), 2))


def triples(d: int) -> list[tuple[int, ...]]:
    """200 triples of columns, drawn once for each width; all of them where there are no more."""
    every = list(combinations(range(d), 3))
    if len(every) <= TRIPLES:
        return every
    chosen = np.random.default_rng(TRIPLE_SEED).choice(len(every), size=TRIPLES, replace=False)
    return [every[i] for i in sorted(chosen)]


def frequencies(codes: Codes, sizes: Sequence[int], columns: tuple[int, ...]) -> np.ndarray:
    """The marginal over those columns, as shares of the rows."""
    shape = tuple(sizes[c] for c in columns)
    cells = np.ravel_multi_index(tuple(codes[:, c] for c in columns), shape)
    return np.bincount(cells, minlength=int(np.prod(shape))) / len(codes)


def mean_distance(real: Codes, synthetic: Codes, sizes: Sequence[int], marginals: Sequence[tuple[int, ...]]) -> float:
    """Half the L1 distance between real and synthetic shares, averaged over the marginals."""
    gaps = [np.abs(frequencies(real, sizes, m) - frequencies(synthetic, sizes, m)).sum() / 2 for m in marginals]
    return float(np.mean(gaps))


def distances(real: Codes, synthetic: Codes, sizes: Sequence[int]) -> tuple[float, float]:
    """The average 2-way and 3-way distances."""
    d = len(sizes)
    two, three = (mean_distance(real, synthetic, sizes, marginals) for marginals in (pairs(d), triples(d)))
    return two, three
