"""The mean of a column, measured by itself, and what is inside its bins tilted to it.

A histogram loses rows that do not stand out from noise, most of them in one tail, and the mean with them. How many rows
lie in each bin the method finds out again, and better. So what is asked for is how far rows lie from the mean that the
histogram has of their bin, all rows together: linear queries over the cells of the grid (proof.md, section 12). Each
cell weighs by where its distance lies between two ends, from 0 at the lower to 1 at the higher, distances beyond the
ends as the ends. The ends leave out a few rows that the histogram has on either side, about as many as the noise of a
sum: they would bring more noise than they tell. The weights from the other end are asked beside, so that the number of
rows need not be known: where a row comes or goes, it adds w to one sum and 1 − w to the other, and both together move
by no more than one of them could.

Only rows of bins that can be tilted weigh anything. A declared bin in which nothing was seen is filled evenly whatever
its rows do, and others would have to make up for them.

The wider bins are, the more a column has to lose by noise. So all weights of columns with narrower bins are less by a
factor, and the others' sums can have less noise for it. An error is c/s if c is the distance between the ends and s the
factor; what is paid for is the sum of all s², or of all s without a δ. The sum of all errors is least if s is as c^⅓,
or as c^½.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from understudy.privacy import LinearQueries, NoisyAnswers
from understudy.schema import Axis, Domain, Marginal

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
PARTS = 1024
"""Weights are whole parts of this, so that sums lie on the grid of the noise and nothing is rounded."""
_BEYOND = 1.5
"""Rows beyond the ends, in standard deviations of the noise in a cell of the histogram."""
_STEEPEST = 1e4
"""Largest θ of a tilt, at which next to all rows of a bin are at one end."""
_LEAST = 1e-12
"""Part of all rows, or of the largest value: what is less is left as it is, or counts as nothing."""


@dataclass(frozen=True, eq=False)
class Distances:
    """Where the cells of a column lie between the ends, and how far these are apart, in the column's deviations.

    Cells of bins in which the histogram has nothing do not count.

    >>> middles, masses, bin_of = np.array([0.0, 1, 2, 9]), np.array([5.0, 5, 8, 2]), np.array([0, 0, 1, 1])
    >>> found = Distances.of(middles, masses, np.ones(4), bin_of, 0.1)
    >>> found.place.round(2).tolist(), round(found.width, 2)
    ([0.13, 0.27, 0.0, 1.0], 2.82)
    """

    place: Floats
    counts: npt.NDArray[np.bool_]
    width: float

    @classmethod
    def of(cls, middles: Floats, masses: Floats, widths: Floats, bin_of: Ints, deviation: float) -> Distances:
        """Of cells with these middles, masses and widths, each in one of the bins; an empty bin is filled evenly."""
        held = np.bincount(bin_of, weights=masses)
        weights = np.where(held[bin_of] > 0, masses, widths)
        means = np.bincount(bin_of, weights=weights * middles) / np.bincount(bin_of, weights=weights)
        away = middles - means[bin_of]
        away[np.abs(away) <= _LEAST * np.abs(middles).max()] = 0.0  # but for rounding
        order = np.argsort(away, kind="stable")
        low, high = _ends(away[order], masses[order], _BEYOND * deviation)
        place = np.clip((away - low) / ((high - low) or 1.0), 0.0, 1.0)
        spread = np.sqrt(np.cov(middles, aweights=masses, ddof=0)) if masses.any() else 0.0
        return cls(place, held[bin_of] > 0, float((high - low) / spread) if spread > 0 else 0.0)


def _ends(away: Floats, masses: Floats, rows: float) -> tuple[float, float]:
    """The distances, which rise, up to which so many rows lie from below and from above, a quarter of all at most."""
    held = np.cumsum(masses)
    rows = max(min(rows, held[-1] / 4), 1e-9 * held[-1])
    low, high = np.searchsorted(held, [rows, held[-1] - rows])
    if away[low] == away[high]:  # nearly all lie at the mean of their bin: what lies beside it counts as well
        filled = np.flatnonzero(masses > 0)
        low, high = (filled[0], filled[-1]) if len(filled) else (0, -1)
    return float(away[low]), float(away[high])


def factors(widths: Sequence[float], *, pure: bool) -> list[int]:
    """What the largest weight of each column is, in 1024ths.

    >>> factors([8.0, 1.0, 0.0], pure=False), factors([0.0], pure=True)
    ([1024, 512, 1], [1024])
    """
    each = np.array(widths)
    relative = each / each.max() if each.max() > 0 else np.ones_like(each)
    return [max(1, round(PARTS * factor)) for factor in relative ** (1 / 2 if pure else 1 / 3)]


@dataclass(frozen=True, eq=False)
class MeanQueries:
    """What is asked of one column: the weights of its cells from one end, in 1024ths and at most `most`, and queries.

    >>> from understudy.schema import Attribute
    >>> domain = Domain((Attribute(name="x", size=5),))
    >>> cells = Distances(np.array([0.0, 0.5, 1.0, 1.0]), np.array([True, True, True, False]), 1.0)
    >>> MeanQueries.of(domain, Axis(0), cells, 512).queries.by_cell.tolist()
    [[0, 256, 512, 0, 0], [512, 256, 0, 0, 0]]
    """

    parts: Ints
    most: int
    queries: LinearQueries

    @classmethod
    def of(cls, domain: Domain, axis: Axis, cells: Distances, most: int) -> MeanQueries:
        """Weights from both ends; special and missing values have no place, and weigh 0."""
        parts = np.rint(cells.place * most).astype(np.int64)
        numerators = np.zeros((2, domain[axis.attribute].size_at(axis.level)), dtype=np.uint32)
        numerators[:, : len(parts)] = np.where(cells.counts, [parts, most - parts], 0)
        return cls(parts, most, LinearQueries.dense(Marginal((axis,)), domain, numerators, PARTS))

    @property
    def place(self) -> Floats:
        """Where the cells lie between the ends, as it was asked."""
        return self.parts / self.most

    def moved(self, values: Sequence[float], deviation: float, masses: Floats) -> float:
        """By how much the histogram's mean of places is to move, less where noise may explain it.

        The sums are n·m and n·(1 − m) for n rows with mean place m; with the histogram's mean p in place of m, the
        first times 1 − p and the second times p are equal, and else differ by n·(m − p).
        """
        mean = float(masses @ self.place / masses.sum()) if masses.any() else 0.5
        off = values[0] * (1 - mean) - values[1] * mean
        noise = deviation * np.hypot(1 - mean, mean)
        rows = max(sum(values), noise)
        return float(off * max(0.0, 1 - (noise / off) ** 2) / rows) if off else 0.0


def ask_means(
    asked: Sequence[MeanQueries], found: NoisyAnswers, masses: Sequence[Floats], *, parts: int = 1
) -> list[float]:
    """For each column by how much its mean of places is to move, if a row was counted in so many parts."""
    values = np.array(found.values).reshape(len(asked), 2) / parts
    return [
        one.moved(both.tolist(), found.deviation / parts, held)
        for one, both, held in zip(asked, values, masses, strict=True)
    ]


def tilted(masses: Floats, place: Floats, moved: float, pieces: Sequence[int], bin_of: Ints) -> Floats:
    """The masses times e^(θ·place), each bin with what it held, with their mean of places moved as far as they allow.

    What lies from one of `pieces` to the next, all of it in one bin, moves as one.

    >>> tilted(np.array([5.0, 5.0, 8.0]), np.array([0.0, 1.0, 0.5]), 1 / 18, [0, 1, 2], np.array([0, 0, 1])).round(3)
    array([4., 6., 8.])
    """
    sizes = np.diff([*pieces, len(masses)])
    held, middle = np.add.reduceat(masses, pieces), np.add.reduceat(place, pieces) / sizes
    large = held > _LEAST * held.sum()
    if moved == 0 or not large.any():
        return masses
    kept, middle, bins = held[large], middle[large], np.unique(bin_of[list(pieces)][large], return_inverse=True)[1]
    lowest, highest = (_grown(kept, middle, bins, theta) @ middle for theta in (-_STEEPEST, _STEEPEST))
    margin = 1e-3 * (highest - lowest)
    target = np.clip(kept @ middle + moved * kept.sum(), lowest + margin, highest - margin)
    bottom, top = -_STEEPEST, _STEEPEST
    for _ in range(100):  # the mean rises with θ
        theta = (bottom + top) / 2
        grown = _grown(kept, middle, bins, theta)
        bottom, top = (theta, top) if grown @ middle < target else (bottom, theta)
    factor = np.ones_like(held)
    factor[large] = grown / kept
    return np.asarray(masses * np.repeat(factor, sizes))


def _grown(held: Floats, middle: Floats, bins: Ints, theta: float) -> Floats:
    power = theta * middle
    most = np.maximum.reduceat(power, np.flatnonzero(np.diff(bins, prepend=-1)))
    grown = held * np.exp(power - most[bins])
    return np.asarray(grown * (np.bincount(bins, weights=held) / np.bincount(bins, weights=grown))[bins])
