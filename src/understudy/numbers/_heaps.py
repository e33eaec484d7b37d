"""How many rows lie at round numbers, by how round these are: what people tell of money and time is rounded.

Of incomes up to 500,000 a tenth may be 40,000, and the cell of the grid that holds it is 500 wide; of few rows the
histogram tells even less, as cells that differ by no more than noise are one. So rows are counted by the largest of 1,
5, 10, 25, 50, 100, … that divides their value: a few counts for all of the column, of many rows each. Rows of evenly
filled stretches are then moved to round numbers inside them until these counts are met (proportional fitting: every
stretch keeps its rows, and inside of it a value of one roundness weighs as much as in the others).

What is charged: a value has one roundness, so a row is in one count of a column at most, and they are linear queries
like those of rings (proof.md, section 12). 0 and the ends of the range have counts to themselves (`_spikes.py`), and
keep what they hold; special and missing values are in none.

Counts that differ by no more than noise are one, from the finest on; where all are, nothing is moved. Those of very
round numbers are of so few values that an even filling has next to no rows there, and noise explains much: so what
comes out is held against each count once more, and one that differs clearly is by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from understudy.numbers._grid import Cells, bins_of
from understudy.numbers._histogram import simplex
from understudy.numbers._round import HEAP_STEPS
from understudy.privacy import LinearQueries
from understudy.schema import Domain, Field, Marginal

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
_FEW_VALUES = 100
"""In a range of no more, values are seen one by one."""
_CLEAR = 4.0
"""By how many standard deviations of noise two counts must differ from what an even filling has in common."""
_WRONG = 3.0
"""By how many of them a count may differ from what came of it where it was taken as one with others."""
_WORTH = 0.01
"""Least part of all rows that must move."""
_ROUNDS, _CLOSE, _STILL = 200, 1e-4, 1e-5
_LEAST = 1e-12


def may_have_heaps(field: Field) -> bool:
    """Whether its values are numbers that people round, and many."""
    first, last = bins_of(field).grid
    return field.type in ("integer", "number") and int(last[-1] - first[0]) >= _FEW_VALUES


@dataclass(frozen=True, eq=False)
class Heaps:
    """The codes of a column by how round they are: `of` numbers the counts from the least round on.

    After those come the `single` codes: 0, and the first and the last one if they are single values.

    >>> heaps = Heaps.among(np.array([0, 1, 9, 10, 11, 50, 51, 99]), np.array([1.0, 8, 1, 1, 39, 1, 48, 1]))
    >>> heaps.of.tolist(), heaps.single.tolist()
    ([3, 0, 0, 1, 0, 2, 0, 4], [0, 7])
    """

    starts: Ints
    widths: Floats
    of: Ints
    single: Ints

    @classmethod
    def among(cls, starts: Ints, widths: Floats) -> Heaps:
        """Codes that begin at these values; those with several values are not round."""
        step = np.zeros(len(starts), dtype=np.int64)
        for place, divisor in enumerate(HEAP_STEPS):
            if divisor > np.abs(starts).max():
                break
            step[(starts % divisor == 0) & (widths == 1)] = place
        ends = np.isin(np.arange(len(starts)), [0, len(starts) - 1])
        single = np.flatnonzero((ends | (starts == 0)) & (widths == 1))
        others = ~np.isin(np.arange(len(starts)), single)
        of = np.empty(len(starts), dtype=np.int64)
        of[others] = np.unique(step[others], return_inverse=True)[1]
        of[single] = np.arange(len(single)) + of[others].max(initial=-1) + 1
        return cls(starts, widths, of, single)

    @classmethod
    def of_field(cls, field: Field) -> Heaps:
        """Of a column that is counted finely."""
        first, last = bins_of(field).grid
        return cls.among(first, (last - first + 1).astype(np.float64))

    @property
    def rounds(self) -> int:
        """How many counts there are by how round values are; those of single codes follow."""
        return int(self.of.max()) + 1 - len(self.single)

    @property
    def _round(self) -> npt.NDArray[np.bool_]:
        return self.of < self.rounds

    def queries(self, domain: Domain, position: int) -> LinearQueries:
        """One for each count: whether a row is in it."""
        numerators = np.zeros((self.rounds + len(self.single), domain[position].size), dtype=np.uint32)
        numerators[self.of, np.arange(len(self.of))] = 1
        return LinearQueries.dense(Marginal.of(position), domain, numerators, 1)

    def moved(
        self, masses: Floats, stretches: Ints, counts: Floats, variance: float, deviation: float
    ) -> Floats | None:
        """The masses of all codes, moved inside evenly filled stretches (one number for each code) as counts have it.

        `variance` is that of the counts, `deviation` that of the noise in a cell: values that the histogram has by
        themselves stay as they are. None where counts tell nothing that is worth it.

        >>> starts = np.arange(1, 41)
        >>> heaps = Heaps.among(starts, np.ones(40))
        >>> counts = np.array([124.0, 60, 174, 22, 10, 10])
        >>> moved = heaps.moved(np.full(40, 10.0), starts // 41, counts, 1.0, 1.0)
        >>> moved[3:11].round().tolist()  # 4 to 11
        [4.0, 20.0, 4.0, 4.0, 4.0, 4.0, 58.0, 4.0]
        """
        sizes = np.bincount(stretches)
        free = self._round & (sizes[stretches] > 1) & (masses > 0)
        alone = self._round & ~free & (masses > 0)
        movable, fixed = (self._counted(np.where(which, masses, 0.0)) for which in (free, alone))
        variances = variance + deviation**2 * self._counted(alone.astype(np.float64))
        left = counts[: self.rounds] - fixed
        group = _grouped(left, movable, variances)
        if group.max(initial=0) == 0:
            return None
        while True:
            found, noise = (np.bincount(group, values).astype(np.float64) for values in (left, variances))
            wanted = simplex(found, noise, float(movable.sum()))
            moved = self._fitted(masses, stretches, np.where(free, group[np.where(free, self.of, 0)], -1), wanted)
            off = np.abs(self._counted(np.where(free, moved, 0.0)) - left) / np.sqrt(variances)
            worst = int(np.argmax(np.where(np.bincount(group)[group] > 1, off, 0.0)))
            if np.bincount(group)[group[worst]] == 1 or off[worst] < _WRONG:
                break
            group[worst] = group.max() + 1  # what it was taken as one with is not like it
        far = float(np.abs(moved - masses).sum()) / 2
        return moved if far >= _WORTH * float(masses.sum()) else None

    def _counted(self, values: Floats) -> Floats:
        """What codes of each count of round ones have together."""
        return np.bincount(self.of[self._round], values[self._round], self.rounds).astype(np.float64)

    def _fitted(self, masses: Floats, stretches: Ints, group: Ints, wanted: Floats) -> Floats:
        """Each stretch keeps its rows, and groups of codes come as near to what is wanted of them as they can.

        Codes of no group (−1) keep theirs. Where stretches cannot give what is wanted, factors would drift apart on and
        on while nothing moves any more.
        """
        free = np.where(group >= 0, masses, 0.0)
        factors, moved = np.ones(len(wanted)), free
        before: Floats = np.zeros(len(wanted))
        held = np.bincount(stretches, free)
        for _ in range(_ROUNDS):
            weights = free * factors[group]
            below = np.bincount(stretches, weights)
            moved = weights * np.divide(held, below, out=np.zeros(len(held)), where=below > 0)[stretches]
            sums = np.bincount(group + 1, moved, len(wanted) + 1)[1:].astype(np.float64)
            off, changed = (np.abs(sums - other).sum() / wanted.sum() for other in (wanted, before))
            if off <= _CLOSE or changed <= _STILL:
                break
            step, before = np.clip(wanted / np.maximum(sums, _LEAST), 0.1, 10.0), sums
            factors = np.clip(factors * step, 1e-9, 1e9)
        return np.where(group >= 0, moved, masses)


def _grouped(counts: Floats, even: Floats, variances: Floats) -> Ints:
    """The group of each count: neighbours are one where noise explains how they differ from an even filling.

    >>> _grouped(np.array([500.0, 110, 400]), np.array([900.0, 90, 20]), np.full(3, 100.0)).tolist()
    [0, 1, 2]
    >>> _grouped(np.array([880.0, 110, 20]), np.array([900.0, 90, 20]), np.full(3, 100.0)).tolist()
    [0, 0, 0]
    """
    groups = [[i] for i in range(len(counts))]

    def differ(one: list[int], other: list[int]) -> float:
        (a, b), (e, f), (v, w) = ((x[one].sum(), x[other].sum()) for x in (counts, even, variances))
        scale = v * f**2 + w * e**2
        return float(abs(a * f - b * e) / np.sqrt(scale)) if scale > 0 else 0.0

    while len(groups) > 1:
        apart = [differ(one, other) for one, other in pairwise(groups)]
        least = int(np.argmin(apart))
        if apart[least] >= _CLEAR:
            break
        groups[least : least + 2] = [groups[least] + groups[least + 1]]
    found = np.zeros(len(counts), dtype=np.int64)
    for number, members in enumerate(groups):
        found[members] = number
    return found


def stretches_of(field: Field, pieces: list[int]) -> Ints:
    """The evenly filled stretch that each code of a finely counted column lies in, of those that begin at these cells.

    >>> from understudy.numbers._grid import fine_schema
    >>> from understudy.schema import Schema
    >>> schema = Schema.from_dict({"fields": [{"name": "gain", "type": "integer", "bins": "auto",
    ...     "constraints": {"minimum": 0, "maximum": 99_999}}]})
    >>> stretches_of(fine_schema(schema)["gain"], [0, 1, 799])[[0, 1, 2, -1]].tolist()
    [0, 1, 1, 2]
    """
    return np.searchsorted(pieces, Cells.of_field(field).of, side="right") - 1
