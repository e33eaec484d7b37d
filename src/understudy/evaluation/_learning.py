"""What classifiers are fed with: rows of codes as numbers, and the little that scikit-learn leaves to us."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from understudy._core.errors import OptionError
from understudy._core.randomness import Rng
from understudy.evaluation._scales import Flags, Floats, Ints, Scale
from understudy.tables import Table

_MOST_CODES = 32


@dataclass(frozen=True, eq=False)
class Features:
    """How rows become numbers, fixed by one table (the one trained on).

    For linear models and kernels (`spread`): an ordered column is its place, centred and scaled to unit variance, with
    a yes-or-no column for each code that has no place (missing, special); any other column is a yes-or-no column for
    each of its codes, at most the 32 most frequent. For trees (`compact`): one number per column, places first and then
    the codes that have none; columns without an order are marked as categories.
    """

    scales: tuple[Scale, ...]
    columns: tuple[int, ...]
    centres: tuple[float, ...]
    widths: tuple[float, ...]
    codes: tuple[Ints, ...]
    """For each column, the codes that get a yes-or-no column of their own."""

    @classmethod
    def of(cls, table: Table, scales: Sequence[Scale], columns: Sequence[int], *, drop_first: bool = False) -> Features:
        """As this table suggests. `drop_first` leaves out one code of each column, which the others tell."""
        centres, widths, codes = [], [], []
        for i in columns:
            scale, counts = scales[i], np.bincount(table.columns[i], minlength=scales[i].size)
            placed = np.where(scale.places >= 0, counts, 0)
            total = max(1, int(placed.sum()))
            centre = float(placed @ scale.places) / total
            centres.append(centre)
            widths.append(float((placed @ (scale.places - centre) ** 2) / total) ** 0.5 or 1.0)
            free = np.flatnonzero((scale.places < 0) & (counts > 0))
            often = free[np.argsort(-counts[free], kind="stable")][: _MOST_CODES + drop_first]
            # An ordered column's own number stands for the rows that have a place: nothing to leave out there.
            codes.append(often[1:] if drop_first and placed.sum() == 0 else often[:_MOST_CODES])
        return cls(tuple(scales), tuple(columns), tuple(centres), tuple(widths), tuple(codes))

    @property
    def owners(self) -> Ints:
        """For each number of `spread`, the column it comes from."""
        blocks = zip(self.columns, self.codes, strict=True)
        return np.concatenate(
            [np.full(len(codes) + self.scales[i].ordered, i, dtype=np.int64) for i, codes in blocks]
            or [np.zeros(0, dtype=np.int64)]
        )

    def one_hot(self, table: Table) -> Floats:
        """Rows as numbers for linear models and kernels."""
        blocks: list[Floats] = [np.zeros((table.n, 0))]
        for i, centre, width, codes in zip(self.columns, self.centres, self.widths, self.codes, strict=True):
            places = self.scales[i].places
            if self.scales[i].ordered:
                lookup = np.where(places >= 0, (places - centre) / width, 0.0)
                blocks.append(lookup[table.columns[i]][:, None])
            blocks.append((table.columns[i][:, None] == codes[None, :]).astype(np.float64))
        return np.hstack(blocks)

    def compact(self, table: Table) -> Floats:
        """Rows as numbers for trees."""
        return np.column_stack([self._order(i)[table.columns[i]] for i in self.columns]).astype(np.float64)

    @property
    def categorical(self) -> Flags:
        """Which numbers of `compact` are categories; the trees take at most 255 of them."""
        return np.array([not self.scales[i].ordered and self.scales[i].size <= 255 for i in self.columns])

    def _order(self, i: int) -> Ints:
        places = self.scales[i].places
        loose = np.flatnonzero(places < 0)
        order = places.copy()
        order[loose] = places.max(initial=-1) + 1 + np.arange(len(loose))
        return order


def rows_of(table: Table, rows: Ints) -> Table:
    """The table with these rows only."""
    return Table(table.domain, tuple(column[rows] for column in table.columns))


def some_rows(table: Table, most: int, rng: Rng) -> Table:
    """The whole table, or `most` of its rows drawn without replacement."""
    return table if table.n <= most else rows_of(table, np.sort(rng.choice(table.n, size=most, replace=False)))


def area_under_curve(truth: Flags, scores: Floats) -> float:
    """The chance that a row of the class gets a higher score than one that is not; ties count half. NaN without both.

    >>> area_under_curve(np.array([False, True, True]), np.array([0.1, 0.9, 0.1]))
    0.75
    """
    positive = int(truth.sum())
    negative = len(truth) - positive
    if not positive or not negative:
        return float("nan")
    _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - (counts - 1) / 2
    return float((ranks[place][truth].sum() - positive * (positive + 1) / 2) / (positive * negative))


def scikit_learn() -> Any:
    """The package, or an OptionError that says how to get it.

    >>> scikit_learn().__name__
    'sklearn'
    """
    try:
        import sklearn
        import sklearn.ensemble
        import sklearn.linear_model
        import sklearn.svm
    except ImportError:
        raise OptionError(
            'classifiers need scikit-learn, which is not installed. Run: pip install "understudy[evaluate]"'
        ) from None
    return sklearn


@contextmanager
def quiet() -> Iterator[None]:
    """Without scikit-learn's warnings, and on one thread.

    A solver stopped at its last step is good enough for a comparison. On a busy machine, the threads of
    boosted trees wait for each other so long that a single one is many times faster.
    """
    from threadpoolctl import threadpool_limits

    with warnings.catch_warnings(), threadpool_limits(limits=1):
        warnings.simplefilter("ignore")
        yield
