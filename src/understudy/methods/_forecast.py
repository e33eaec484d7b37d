"""How far a release will be from its table, foretold from schema, number of rows and budget: nothing is looked at.

The noise is known, to the cell. What is not known is how unevenly values are spread over a column and how strongly
columns are related; both are assumed, as they were found in tables at hand, and for relations a range is given
(docs/planning.md has the assumptions, and how forecasts compare with runs).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from understudy._core.randomness import Streams

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

STRENGTHS = {"weak": 0.06, "typical": 0.13, "strong": 0.35}
"""How far a pair of columns is from independent, as a part of what their values allow: on average over all pairs, if
there are no more than 16 columns. Measured on the demo, NLTCS and Adult: from 0.09 to 0.41; Caravan has 86 columns."""

KEPT = 0.5
"""A pair is kept if it comes out at most this part as far off as independent columns would put it."""

_SKEW = 1.75  # the share of a column's i-th most frequent value falls as i to this power
_RELATED = 16  # of more columns than this most are unrelated: each hangs together with about as many others
_SPREAD = 1.25  # of the logarithm of pairs' strengths: most pairs are weakly related and a few strongly
_HINTED = 0.8  # of a relation that is not measured: what those that are measured tell of it, if they were nearly all
_DRAWING = 0.35  # of the error of a fresh sample: what drawing rows adds
_TOGETHER = 1.5  # two columns' errors a and b put their pair off by (a^1.5 + b^1.5)^(1/1.5)
_MEAN_ABS = math.sqrt(2 / math.pi)  # of a normal number of variance 1
_MOST_PAIRS = 2000
_GROUPS = 48


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """What a run measures, with how much noise: of each column's table, and of tables of two columns.

    `columns` has the standard deviation of the noise in a cell of each column's table, in rows. At most `pairs` pairs
    are measured, with noise of variance `pair_variance(k, m)` in a cell of a table of k by m.
    """

    columns: tuple[float, ...]
    pairs: int
    pair_variance: Callable[[Floats, Floats], Floats] = field(compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """Expected total variation distances: of each column's table, and on average over columns and over pairs.

    `independent` is what independent columns, drawn without noise, would have on average over pairs; `kept` are pairs
    that are at most half as far off as that, out of `pairs`.
    """

    columns: tuple[float, ...]
    column: float
    pair: float
    independent: float
    kept: int
    pairs: int


@dataclass(frozen=True, slots=True)
class Shape:
    """How rows are supposed to spread over a column's values: groups of `counts` values with the same `share` each."""

    counts: Floats
    shares: Floats

    @property
    def variety(self) -> float:
        """How likely two rows differ."""
        return 1 - float((self.counts * self.shares**2).sum())


def measures_of_tables(sizes: Sequence[int], noise: float, cells: Sequence[int], *, degree: int | None) -> Measures:
    """What tables of several columns, one for each column, measure of columns and pairs: a pair's table is summed up.

    `cells` are the most cells of the table of each column, or `degree` is how many others each has; `noise` is the
    average size of the noise in a cell.

    >>> found = measures_of_tables([2, 8], 4.0, [16, 16], degree=None)
    >>> found.pairs, [round(each, 1) for each in found.columns]
    (1, [10.0, 5.0])
    """
    d, usual = len(sizes), max(2.0, math.exp(float(np.log([max(size, 1) for size in sizes]).mean())) if sizes else 2.0)
    deviation = noise / _MEAN_ABS
    held = [size * usual**degree if degree else max(size, most) for size, most in zip(sizes, cells, strict=True)]
    others = [math.log(max(most / max(size, 1), 1.0)) / math.log(usual) for size, most in zip(sizes, held, strict=True)]
    # a column is in the tables of others too, and all of them tell of it
    told = math.sqrt(1 + sum(others) / max(d, 1))
    columns = tuple(deviation * math.sqrt(most / max(size, 1)) / told for size, most in zip(sizes, held, strict=True))
    usual_table = float(np.mean(held)) if held else 1.0

    def variance(k: Floats, m: Floats) -> Floats:
        return np.asarray(deviation**2 * np.maximum(usual_table / (k * m), 1.0))

    pairs = min(math.comb(d, 2), math.ceil(sum(min(others[i], i) for i in range(d))))
    return Measures(columns=columns, pairs=pairs, pair_variance=variance)


def forecast(
    sizes: Sequence[int], n: int, measures: Measures, *, strength: float = STRENGTHS["typical"], even: frozenset[int]
) -> Forecast:
    """What to expect of columns with so many values; `even` are the places of those whose bins hold equally much.

    >>> found = forecast([2, 4], 1000, Measures(columns=(5.0, 5.0), pairs=1, pair_variance=lambda k, m: 25.0 + 0 * k),
    ...                  even=frozenset())
    >>> round(found.column, 3), round(found.pair, 3), round(found.independent, 3), found.kept
    (0.008, 0.02, 0.062, 1)
    """
    kinds, of_column = np.unique([[size, a in even] for a, size in enumerate(sizes)], axis=0, return_inverse=True)
    of_column = of_column.reshape(-1)
    shapes = [shape_of(int(size), bool(alike)) for size, alike in kinds]
    errors = np.array([_column_error(shapes[of_column[a]], noise, n) for a, noise in enumerate(measures.columns)])
    varied = np.flatnonzero(np.array(sizes) > 1)
    column = float(errors[varied].mean()) if len(varied) else 0.0
    number = math.comb(len(varied), 2)
    if not number:
        return Forecast(columns=tuple(errors.tolist()), column=column, pair=0.0, independent=0.0, kept=0, pairs=0)
    first, second = _some_pairs(varied)
    each = strength * min(1.0, _RELATED / len(varied))
    pairs = _Pairs.of(shapes, of_column[first], of_column[second], n, measures, each)
    left = pairs.left_over(round(measures.pairs * len(first) / number) if measures.pairs < number else len(first))
    of_columns = (errors[first] ** _TOGETHER + errors[second] ** _TOGETHER) ** (1 / _TOGETHER)
    error = np.sqrt(left**2 + of_columns**2)
    kept = float((error <= KEPT * pairs.independent).mean())
    return Forecast(
        columns=tuple(errors.tolist()),
        column=column,
        pair=float(np.minimum(error, 1.0).mean()),
        independent=float(pairs.independent.mean()),
        kept=round(kept * number),
        pairs=number,
    )


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Of each pair: how far it is from independent, how far independent columns would be off, and its noise."""

    related: Floats
    independent: Floats
    noise: Floats

    @classmethod
    def of(
        cls, shapes: Sequence[Shape], first: Ints, second: Ints, n: int, measures: Measures, strength: float
    ) -> _Pairs:
        """Of pairs of columns of these shapes, told by their places."""
        sizes = np.array([shape.counts.sum() for shape in shapes])
        variance = measures.pair_variance(sizes[:, None], sizes[None, :])
        deviation = np.broadcast_to(np.sqrt(variance) / max(n, 1), (len(sizes), len(sizes)))
        cells = [
            [_of_cells(one, other, float(deviation[i, j]), n) for j, other in enumerate(shapes)]
            for i, one in enumerate(shapes)
        ]
        noise, chance = np.moveaxis(np.array(cells)[first, second], -1, 0)
        variety = np.sqrt(np.array([shape.variety for shape in shapes]))
        related = np.minimum(strength * _strengths(len(first)), 0.9) * variety[first] * variety[second]
        return cls(np.sqrt(related**2 + chance**2), np.sqrt(related**2 + 2 * chance**2), noise)

    def left_over(self, measured: int) -> Floats:
        """How far relations are off when so many pairs are measured: those that stand out of their noise most."""
        hinted = self.related * (1 - _HINTED * measured / len(self.related))
        shrunk = self.related * self.noise / np.sqrt(np.maximum(self.related**2 + self.noise**2, 1e-300))
        chosen = np.argsort(self.noise - self.related, kind="stable")[:measured]
        hinted[chosen] = shrunk[chosen]
        return hinted


@lru_cache(maxsize=4096)
def shape_of(size: int, even: bool) -> Shape:
    """The shape supposed of a column of so many values; groups of the rarer ones have the share of their middle.

    >>> shape_of(2, False).shares.round(2).tolist(), shape_of(4, True).shares.tolist()
    ([0.77, 0.23], [0.25])
    """
    if even:
        return Shape(np.array([float(size)]), np.array([1 / size]))
    ends = np.unique(np.rint(np.geomspace(1, size + 1, min(size + 1, _GROUPS))).astype(np.int64))
    starts, counts = ends[:-1], np.diff(ends).astype(np.float64)
    shares = ((2 * starts + counts - 1) / 2) ** -_SKEW
    return Shape(counts, shares / (counts * shares).sum())


def _column_error(shape: Shape, noise: float, n: int) -> float:
    """Noise puts a value off by as much as it is, or takes all of it; drawing rows adds to that."""
    if shape.counts.sum() < 2:
        return 0.0
    of_noise = (shape.counts * np.minimum(_MEAN_ABS * noise / max(n, 1), shape.shares)).sum() / 2
    fresh = (shape.counts * _MEAN_ABS * np.sqrt(shape.shares * (1 - shape.shares) / max(n, 1))).sum() / 2
    return float(min(1.0, math.hypot(of_noise, _DRAWING * fresh)))


def _of_cells(one: Shape, other: Shape, deviation: float, n: int) -> tuple[float, float]:
    """How far noise puts a table of two columns off, and how far chance puts it from independent."""
    counts, shares = np.outer(one.counts, other.counts), np.outer(one.shares, other.shares)
    noise = (counts * np.minimum(_MEAN_ABS * deviation, shares)).sum() / 2
    chance = (counts * np.minimum(_MEAN_ABS * np.sqrt(shares / max(n, 1)), 2 * shares)).sum() / 2
    return float(noise), float(chance) * math.sqrt((1 - 1 / one.counts.sum()) * (1 - 1 / other.counts.sum()))


@lru_cache(maxsize=64)
def _strengths(number: int) -> Floats:
    """Strengths of so many pairs, 1 on average: log-normal, in an order that has nothing to do with their sizes."""
    places = (np.arange(1, number + 1) * (math.sqrt(5) - 1) / 2) % 1.0
    ranks = (np.argsort(np.argsort(places)) + 0.5) / number
    found = np.exp(_SPREAD * np.interp(ranks, *_normal_quantiles()))
    return np.asarray(found / found.mean())


@lru_cache(maxsize=1)
def _normal_quantiles() -> tuple[Floats, Floats]:
    ranks = (np.arange(512) + 0.5) / 512
    return ranks, np.array([NormalDist().inv_cdf(rank) for rank in ranks.tolist()])


def _some_pairs(places: Ints) -> tuple[Ints, Ints]:
    """All pairs of these places, or of very many some, the same each time."""
    d = len(places)
    if math.comb(d, 2) <= _MOST_PAIRS:
        first, second = np.triu_indices(d, 1)
        return places[first], places[second]
    drawn = Streams(0).get("plan", "pairs").integers(0, d, (3 * _MOST_PAIRS, 2))
    drawn = drawn[drawn[:, 0] != drawn[:, 1]][:_MOST_PAIRS]
    return places[drawn.min(axis=1)], places[drawn.max(axis=1)]
