"""How far from a single frequent value the other rows lie, where a histogram shows nothing but that value.

Of 6,000 capital gains 480 are not 0, and lie anywhere up to 100,000: each cell, and each four of them, holds less than
noise, and the histogram is left with 0 alone. So the rows of rings around it are counted, at distances from 1 to 3,
from 4 to 15, from 16 to 63 and so on, on either side: a few cells in place of thousands, one table for each column.

What is charged: a row is in one ring of a column, so the indicators of its rings are linear queries, and a row moves
one of them, by one (proof.md, section 12). It is asked only where it is needed, which shows in counts that were given
out (section 2).

There are rows up to the last ring that stands out from noise, by itself or, if it does to some extent, with one or two
before it, and none beyond: the farther rings are, the more noise in them would move means. Inside a ring all orders of
magnitude are as frequent; in the last one twice the distance leaves half of the rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from understudy.numbers._histogram import simplex
from understudy.privacy import LinearQueries
from understudy.schema import MOST_FOUND, Axis, Domain, Marginal

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
_RATIO = 4
"""Of the distances at which a ring ends and begins."""
_STEPS = 8
"""Evenly filled parts of a ring."""
_CLEAR = 3.5
"""Rings have rows if they hold so many standard deviations of noise, alone or in runs."""
_LAST = 1.5
"""What the last ring holds at least by itself, in the same: noise in one that is four times as far moves means most."""
_RUN = 3
_MOST = 0.5
"""Least part of all rows at the one value."""
_UNSEEN = 5.0
"""Most rows beside it, in standard deviations of the noise in a cell."""


def lone_spike(masses: Floats, widths: Floats, deviation: float) -> int | None:
    """The cell of the value that is all a histogram shows; None where it shows more, or cells are few.

    >>> masses = np.array([900.0, 12, *[0] * 98])
    >>> lone_spike(masses, np.ones(100), 10.0), lone_spike(masses, np.ones(100), 1.0)
    (0, None)
    """
    if len(masses) <= MOST_FOUND:
        return None
    spike, total = int(masses.argmax()), float(masses.sum())
    alone = widths[spike] == 1 and masses[spike] >= max(_MOST * total, _UNSEEN * deviation)
    return spike if alone and total - masses[spike] < _UNSEEN * deviation else None


@dataclass(frozen=True, eq=False)
class Rings:
    """The cells of a column by how far they lie from one of them: `of` what ring each is, in the order of values.

    `inner` says which part of its ring a cell holds, and `outermost` the same where the ring is the last one.
    """

    spike: int
    of: Ints
    inner: Floats
    outermost: Floats

    @classmethod
    def around(cls, spike: int, starts: Ints, widths: Floats) -> Rings:
        """Of cells that begin at these values.

        >>> Rings.around(2, np.arange(-2, 9), np.ones(11)).of.tolist()
        [0, 0, 1, 2, 2, 2, 3, 3, 3, 3, 3]
        """
        first = (starts - starts[spike]).astype(np.float64)
        nearest = np.where(first > 0, first, first + widths - 1)
        away = np.maximum(np.abs(first + (widths - 1) / 2), 0.5)
        magnitude = np.log(np.maximum(np.abs(nearest), 1.0)) / np.log(_RATIO) + 1e-9
        of, step = (_numbered(np.sign(nearest) * (np.floor(magnitude * parts) + 1)) for parts in (1, _STEPS))
        return cls(spike, of, *(_within(widths / away**power, widths, step, of) for power in (1, 2)))

    def queries(self, domain: Domain, axis: Axis) -> LinearQueries:
        """One for each ring: whether a row lies there. Special and missing values lie in none."""
        size = domain[axis.attribute].size_at(axis.level)
        numerators = np.zeros((int(self.of.max()) + 1, size), dtype=np.uint32)
        numerators[self.of, np.arange(len(self.of))] = 1
        return LinearQueries.dense(Marginal((axis,)), domain, numerators, 1)

    def masses(self, counts: Floats, variance: float, total: tuple[float, float]) -> Floats | None:
        """The histogram of all cells, by noisy counts of rings, and what is known of all rows with its variance.

        None where no ring stands out.

        >>> rings = Rings.around(0, np.arange(16), np.ones(16))
        >>> rings.masses(np.array([80.0, -1, 21]), 9.0, (100.0, 1e-9)).round(1).tolist()[:8]
        [79.5, 0.0, 0.0, 0.0, 5.8, 3.7, 2.6, 1.9]
        """
        spike = int(self.of[self.spike])
        first = spike - _reach(counts[:spike][::-1], variance)
        end = spike + _reach(counts[spike + 1 :], variance) + 1
        if end == first + 1:
            return None
        held = np.zeros(len(counts))
        rows = _rows(float(counts[first:end].sum()), variance * (end - first), total)
        held[first:end] = simplex(counts[first:end], np.full(end - first, variance), rows)
        last = np.isin(self.of, [ring for ring in (first, end - 1) if ring != spike])
        return np.asarray(held[self.of] * np.where(last, self.outermost, self.inner))


def _numbered(labels: Floats) -> Ints:
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def _within(weights: Floats, widths: Floats, step: Ints, of: Ints) -> Floats:
    """Which part of its ring each cell holds, if steps hold such weights and are evenly filled."""
    weights = np.bincount(step, weights=weights)[step] * widths / np.bincount(step, weights=widths)[step]
    return np.asarray(weights / np.bincount(of, weights=weights)[of])


def _reach(counts: Floats, variance: float) -> int:
    """How many rings there are up to the last that stands out, by itself or together with those before it.

    A run counts if its last ring makes it clearer.

    >>> _reach(np.array([0.0, 1.0, 9.0, 2.0, 0.0]), 4.0), _reach(np.array([3.0, 3.0]), 4.0)
    (3, 0)
    """
    below = np.concatenate([[0.0], np.cumsum(counts)])
    for last in range(len(counts), 0, -1):
        runs = np.arange(1, min(last, _RUN) + 1)
        begun = below[last - runs]
        clear = (below[last] - begun) / np.sqrt(variance * runs)
        clearer = clear > (below[last - 1] - begun) / np.sqrt(variance * np.maximum(runs - 1, 1))
        if counts[last - 1] >= _LAST * np.sqrt(variance) and (clearer & (clear >= _CLEAR)).any():
            return last
    return 0


def _rows(found: float, variance: float, total: tuple[float, float]) -> float:
    """All rows, by two estimates."""
    precision = 1 / variance + 1 / total[1]
    return max((found / variance + total[0] / total[1]) / precision, 1.0)
