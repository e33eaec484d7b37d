"""Correlations of numbers, value by value: lost where tables of bins may be right. Private to the holder.

Relations are measured in bins. Of two heavy tails in a wide last bin each, the bins of a row can be right and the
values inside them independent: then a correlation that rests on the largest values is gone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from understudy._core.randomness import Rng
from understudy.evaluation._pearson import pearson
from understudy.evaluation._verdict import BY_CHANCE

Floats = npt.NDArray[np.float64]
CLEAR = 0.2
"""The least size of a real correlation that has to be kept."""
_LEAST_KEPT = 2 / 3
_FEWEST = 20
"""Nothing is said of pairs with fewer rows that have both numbers, in either table."""
_SAMPLES, _FEWEST_SAMPLES = 11, 3
_NUMBERS = 20_000_000
"""So many numbers are drawn for fresh samples at most, but for the fewest samples."""


@dataclass(frozen=True)
class Tie:
    """A correlation of two numbers in both tables.

    >>> Tie("spending", "Pearson", real=0.97, synthetic=0.2, by_chance=0.02).lost
    True
    """

    column: str
    """The other of the two columns."""
    measure: str
    """Pearson or Spearman."""
    real: float
    synthetic: float
    by_chance: float
    """How far off the correlation is, at worst, in several fresh samples."""

    @property
    def fallen(self) -> float:
        """How much of the real correlation is lost."""
        return abs(self.real) - self.synthetic * (1.0 if self.real > 0 else -1.0)

    @property
    def lost(self) -> bool:
        """Whether more than a third of a clear correlation is lost, beyond what chance does.

        >>> [Tie("b", "Pearson", real=-0.3, synthetic=s, by_chance=0.05).lost for s in (-0.25, -0.15, 0.3)]
        [False, True, True]
        """
        least = max((1 - _LEAST_KEPT) * abs(self.real), BY_CHANCE * self.by_chance)
        return abs(self.real) >= CLEAR and self.fallen > least


def clear_ties(real: Mapping[str, Floats], synthetic: Mapping[str, Floats], rng: Rng) -> dict[str, tuple[Tie, ...]]:
    """For each column the pairs with later ones whose Pearson or Spearman correlation is clear in the real table.

    Args:
        real: each column's values, row by row, NaN where there is none.
        synthetic: the same of the synthetic table.
        rng: what fresh samples are drawn by.

    >>> from understudy._core.randomness import streams
    >>> a, b = np.arange(100.0), np.arange(100.0) ** 2
    >>> found = clear_ties({"a": a, "b": b}, {"a": a, "b": b[::-1]}, streams(0).get("example"))
    >>> [(tie.column, tie.measure, round(tie.real, 2), round(tie.synthetic, 2)) for tie in found["a"]]
    [('b', 'Pearson', 0.97, -0.97), ('b', 'Spearman', 1.0, -1.0)]
    """
    names = list(real)
    found: dict[str, tuple[Tie, ...]] = dict.fromkeys(names, ())
    if len(names) < 2:
        return found
    here, there = (np.array([side[name] for name in names]) for side in (real, synthetic))
    rows = there.shape[1]
    samples = int(np.clip(_NUMBERS // max(1, there.size), _FEWEST_SAMPLES, _SAMPLES))
    drawn = [rng.integers(here.shape[1], size=rows) for _ in range(samples)]
    for measure, own, made in (("Pearson", here, there), ("Spearman", _ranks(here), _ranks(there))):
        truth, held = (np.nan_to_num(pearson(values)) for values in (own, made))
        # a fresh sample's ranks are those of the real table, but for a factor and for chance
        off = np.array([np.abs(np.nan_to_num(pearson(own[:, one])) - truth) for one in drawn]).max(axis=0)
        for a, b in combinations(range(len(names)), 2):
            if abs(truth[a, b]) >= CLEAR and _both(here, a, b) >= _FEWEST <= _both(there, a, b):
                tie = Tie(names[b], measure, float(truth[a, b]), float(held[a, b]), float(off[a, b]))
                found[names[a]] += (tie,)
    return found


def _both(table: Floats, a: int, b: int) -> int:
    return int(np.count_nonzero(~np.isnan(table[a]) & ~np.isnan(table[b])))


def _ranks(table: Floats) -> Floats:
    """Each number's place among all of its column; equal ones share the average."""
    found = np.full(table.shape, np.nan)
    for row, values in zip(found, table, strict=True):
        known = ~np.isnan(values)
        _, places, counts = np.unique(values[known], return_inverse=True, return_counts=True)
        row[known] = (np.cumsum(counts) - (counts - 1) / 2)[places]
    return found
