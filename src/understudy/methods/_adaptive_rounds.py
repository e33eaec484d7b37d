"""Rounds of choosing a table that the model gets wrong, measuring it, and fitting the model again."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations

import numpy as np
import numpy.typing as npt

from understudy._core.randomness import Rng
from understudy.methods._adaptive_beyond import MORE_FOR_EACH, ROWS_FOR_EACH, beyond_pays, rows_drawn, within_cap
from understudy.methods._adaptive_columns import Columns, again_shares, measure_again
from understudy.methods._adaptive_rules import settled_pairs, zero_tables
from understudy.methods._adaptive_shares import MEAN_ABS, Shares, exact_share
from understudy.methods._adaptive_shrink import shrink
from understudy.methods._search import Progress
from understudy.models import (
    FittedTable,
    RowsFit,
    RowsModel,
    TreeFit,
    TreeMeasurement,
    TreeModel,
    WeightedRows,
    adjacency,
    cells_with,
    centred,
)
from understudy.privacy import Curator, FarthestGuess, Interactions, TablesTogether
from understudy.schema import Domain, Marginal, Zeros

Floats = npt.NDArray[np.float64]

Pair = tuple[int, int]

MOST_CANDIDATES = 3000
"""Pairs that one choice looks at; of more, coins draw so many anew for each."""

_PARTS = 16  # of a row: the model's counts are rounded to them for the choice
_SWEEPS, _LAST_SWEEPS, _LAST_SWEEPS_BEYOND = 4, 20, 6
_RIDGE, _LOW_RIDGE = 0.1, 0.03  # the second below ε = 1, where shrinking does most
_LOOK_BACK = 5  # tables that tell whether relations still pay
_COLUMNS_COUNT = 0.2
_FEW_CELLS = 4  # of which nothing can be learnt about how cells are spread
_LEFT, _LEFT_COUNT = 0.75, 3  # of noise after shrinking, before any table was shrunk; for how many tables that counts
_LEAST_COUNT = 0.05  # of a value's table at the start, so that its logarithm is finite


@dataclass(eq=False)
class Measured:
    """A pair that was measured, perhaps several times: their mean weighed by exactness, and what was expected of it."""

    table: FittedTable
    raw: Floats
    variance: float
    expected: Floats
    foreseen: float = 0.0
    """By how much noise was expected to put the table off, all cells summed, if it were taken as it is."""
    left: float = 0.0
    """By how much it is thought to be off now that it was shrunk."""


@dataclass(eq=False)
class Rounds:
    """The state of a run after the single columns."""

    leaves: Curator
    """Of the values as they are; `curator` is that of the merged ones."""
    curator: Curator
    columns: Columns
    shares: Shares
    max_cells: int
    coins: Rng
    """Public ones: they say nothing of rows."""
    focus: Sequence[Pair] = ()
    zeros: Sequence[Zeros] = ()
    """Cells of merged values that are impossible."""
    goes_beyond: bool = True
    """Whether rows with weights may take the place of a tree that is full."""
    beyond: RowsFit | None = field(default=None, init=False)
    fit: TreeFit = field(init=False)
    measured: dict[Pair, Measured] = field(default_factory=dict)
    found: list[tuple[float, float, int]] = field(default_factory=list)
    """Of each table measured so far: energy beyond noise that the model had not foreseen, that of its noise, cells."""

    def __post_init__(self) -> None:
        self._sizes = [column.size for column in self.columns.columns]
        self._in_order = [
            column.in_order(attribute.in_order)
            for attribute, column in zip(self.leaves.domain, self.columns.columns, strict=True)
        ]
        self._varied = [a for a, size in enumerate(self._sizes) if size > 1]
        self._logs = np.log(np.array(self._sizes, dtype=np.float64))
        self._parts = self.curator.terms.unit.parts
        self.fit = TreeFit(self._sizes, total=self.columns.total)
        for a, column in enumerate(self.columns.columns):
            start = np.log(np.maximum(column.values, _LEAST_COUNT))
            self.fit.add(FittedTable((a,), column.values, ridge=1e-6, potentials=start))
        for table in zero_tables(self.zeros):
            self.fit.add(table)
        self.fit.improve(sweeps=3)
        self._tied = [pair for one in self.zeros for pair in combinations(one.attributes, 2)]
        settled = settled_pairs(self.zeros)
        self.candidates = [pair for pair in combinations(self._varied, 2) if pair not in settled]
        self._beyond_cap = within_cap(self._sizes, self.candidates, self.max_cells)
        self._high = self.curator.budget.epsilon >= 1 and not self.curator.budget.pure
        self._ridge = _RIDGE if self._high else _LOW_RIDGE

    def run(self, progress: Progress | None) -> None:
        """Spend what is left of the budget."""
        if not self.curator.share_left:
            return
        self._each = float(self.curator.share_left) / self.shares.rounds
        cells = np.array([self._sizes[a] * self._sizes[b] for a, b in self.candidates], dtype=np.float64)
        power = 0.5 if self.curator.budget.pure else 2 / 3
        weights = np.clip((cells / max(cells.mean(), 1)) ** power, 0.1, 10)
        self._weight = dict(zip(self.candidates, weights / weights.mean(), strict=True))
        self._noise = {pair: math.sqrt(self._variance(pair)) for pair in self.candidates}
        self._measure_focus()
        while self.curator.share_left > exact_share(self._each / 8):
            if progress is not None:
                spent = 1 - float(self.curator.share_left) / (self._each * self.shares.rounds)
                progress("measuring relations", round(spent * self.shares.rounds), self.shares.rounds)
            if self._columns_pay():
                self._improve_columns(self._up_to(self._each))
                self._adjust(None)
                continue
            chosen = self._choose()
            if chosen is None:
                break
            self._measure(*chosen)
            self._adjust(chosen[0])

    def _adjust(self, pair: Pair | None) -> None:
        """Fit the model after a pair was measured, or single columns."""
        if self.beyond is None:
            self.fit.improve(sweeps=_SWEEPS)
        elif pair is None:
            self.beyond.improve(sweeps=1)
        else:
            self.beyond.improve_around(self.measured[pair].table)

    def _measure_focus(self) -> None:
        """Pairs that were named come first and need not be chosen; half of the budget at most, less each if many."""
        named = [pair for pair in self.focus if pair in self._weight]
        least = self.curator.share_left / 2
        wanted = sum(self._weight[pair] for pair in named) * self._each * (1 - self.shares.choosing)
        part = min(1.0, float(least) / wanted) if wanted else 1.0
        for pair in named:
            if self.curator.share_left <= least or pair not in self._fitting([pair]):
                continue
            self._measure(pair, self.fit.pair_tables([pair])[pair], part)
            self.fit.improve(sweeps=_SWEEPS)

    def finish(self) -> None:
        """Spend what no relation took on the single columns, and fit the model for the last time."""
        self._improve_columns(self.curator.share_left)
        if self.beyond is None:
            self.fit.improve(sweeps=_LAST_SWEEPS)
        else:
            self.beyond.improve(sweeps=_LAST_SWEEPS_BEYOND)

    def to_model(self, domain: Domain) -> TreeModel | RowsModel:
        """What was learnt of a table of this domain."""
        n = max(1, round(self.columns.total * self._parts))
        within, measurements = [column.within for column in self.columns.columns], self.measurements()
        if self.beyond is None:
            return TreeModel(domain, n, tree=self.fit.to_tree(), within=within, measurements=measurements)
        rows = WeightedRows.of(self._sizes, self.beyond.columns, self.beyond.weights)
        return RowsModel(domain, n, rows=rows, within=within, measurements=measurements)

    def _columns_pay(self) -> bool:
        """Whether a round's budget is better spent on single columns: told by what the last tables gave.

        A table of k cells with unforeseen energy E is expected to be off by √(2k/π)·√E in all before it is measured,
        and by √(EN/(E + N)) in place of √E afterwards, with noise of energy N. A column that comes out better makes
        each of its pairs better. All of it was given out before, so this costs nothing.
        """
        if self.curator.budget.pure or len(self.found) < _LOOK_BACK:
            return False
        last = np.array(self.found[-_LOOK_BACK:])
        energy, noise, cells = max(float(last[:, 0].mean()), 0.0), float(last[:, 1].mean()), float(last[:, 2].mean())
        if energy + noise <= 0:
            return False
        of_pairs = MEAN_ABS * math.sqrt(cells) * (math.sqrt(energy) - math.sqrt(energy * noise / (energy + noise)))
        shares = again_shares(self.columns, exact_share(self._each))
        gained = sum(c.gain(float(share)) for c, share in zip(self.columns.columns, shares, strict=True))
        return _COLUMNS_COUNT * (len(self._varied) - 1) / 2 * gained > of_pairs

    def _improve_columns(self, share: Fraction) -> None:
        if share > 0:
            self.columns = measure_again(self.leaves, self.columns, share)
            for table, column in zip(self.fit.tables, self.columns.columns, strict=False):
                table.values = column.values
            self.fit.touch()

    def _up_to(self, share: float) -> Fraction:
        """This share of the budget, or all that is left if hardly any would be."""
        wanted, left = exact_share(share), self.curator.share_left
        return left if left - wanted < exact_share(self._each / 2) else wanted

    def measurements(self) -> list[TreeMeasurement]:
        """What was measured, as it is saved with the model."""
        found = [
            TreeMeasurement(marginal=(a,), values=column.values, variance=column.variance, interaction=False)
            for a, column in enumerate(self.columns.columns)
        ]
        for pair, one in self.measured.items():
            found.append(
                TreeMeasurement(marginal=pair, values=one.raw, variance=one.variance, interaction=one.table.interaction)
            )
        return found

    def _choose(self) -> tuple[Pair, Floats] | None:
        """The pair chosen and the model's table of it; None if no pair fits."""
        fitting = self._offered()
        if not fitting:
            return None
        model = (self.beyond or self.fit).pair_tables(fitting)
        scale = _PARTS * self._parts
        guesses = [np.rint(model[pair].reshape(-1) * scale).astype(np.int64) for pair in fitting]
        left = self._left_of_noise()
        handicaps = np.array([round(left * self._handicap(pair, model[pair]) * scale) for pair in fitting])
        question = FarthestGuess(
            marginals=[Marginal.of(*pair) for pair in fitting],
            guesses=np.concatenate(guesses),
            scale=_PARTS,
            handicaps=handicaps.astype(np.int64),
            what="choosing relations",
        )
        share = min(exact_share(self._each * self.shares.choosing), self.curator.share_left)
        pair = fitting[self.curator.ask(question, share=share)]
        return pair, model[pair]

    def _offered(self) -> list[Pair]:
        """Pairs that a choice looks at. When few of them still fit the tree, rows with weights take its place."""
        if self.beyond is not None:
            return self._drawn(self._beyond_cap, self.beyond.most_pairs)
        looked_at = self._drawn(self.candidates, MOST_CANDIDATES)
        fitting = self._fitting(looked_at)
        if (
            not self.goes_beyond or not self._beyond_cap or not self.measured
        ):  # under a cap that no pair fits, nothing is measured
            return fitting
        if not beyond_pays(self._sizes, len(fitting), len(looked_at), self.curator.share_left):
            return fitting
        self.beyond = rows_drawn(self.fit, self.coins, MORE_FOR_EACH if self._high else ROWS_FOR_EACH)
        return self._offered()

    def _drawn(self, pairs: list[Pair], most: int) -> list[Pair]:
        """Pairs, or as many of them as coins draw anew each time."""
        if len(pairs) <= most:
            return pairs
        return [pairs[i] for i in np.sort(self.coins.choice(len(pairs), most, replace=False))]

    def _fitting(self, looked_at: list[Pair]) -> list[Pair]:
        """Pairs that keep all cliques within the bound: told by coins and by what was chosen before, so public.

        An edge between columns that nothing connects yet makes a clique of its own; only for others is it worked out
        what cliques would become.
        """
        tied = [*self._tied, *self.measured]
        part = _parts(len(self._sizes), tied)
        room = self.max_cells - self.fit.cells
        near = [pair for pair in looked_at if part[pair[0]] == part[pair[1]] and pair not in self.measured]
        first, second = (np.array([pair[side] for pair in near], dtype=np.int64) for side in (0, 1))
        cells = cells_with(adjacency(len(self._sizes), tied), self._logs, first, second, float(self.max_cells))
        refused = {pair for pair, needed in zip(near, cells, strict=True) if math.isinf(needed)}
        return [
            pair
            for pair in looked_at
            if pair not in refused
            and (part[pair[0]] == part[pair[1]] or self._sizes[pair[0]] * self._sizes[pair[1]] <= room)
        ]

    def _handicap(self, pair: Pair, model: Floats) -> float:
        """About how far noise alone puts a table off that is not shrunk: as far as it can, or a cell's whole count."""
        return _off_by(self._noise[pair], model)

    def _left_of_noise(self) -> float:
        """Which part of what noise does to a table is left when it was shrunk, by the tables so far.

        Under pure ε tables are few, and all of it is counted: by tries, no other part did better.
        """
        if self.curator.budget.pure:
            return 1.0
        shrunk = [one for one in self.measured.values() if one.foreseen]
        part = sum(one.left for one in shrunk) / sum(one.foreseen for one in shrunk) if shrunk else _LEFT
        return (_LEFT * _LEFT_COUNT + part * len(shrunk)) / (_LEFT_COUNT + len(shrunk))

    def _variance(self, pair: Pair) -> float:
        """The variance of noise in a cell of a pair's table, in rows: public, and no more than a forecast."""
        terms, k, m = self.curator.terms, self._sizes[pair[0]], self._sizes[pair[1]]
        share = self._each * self._weight[pair] * (1 - self.shares.choosing)
        whole = terms.table_noise(exact_share(share)).variance / self._parts**2
        if terms.budget.pure:
            return whole
        left = (1 - 1 / k) * (1 - 1 / m)
        return whole * left * left  # once for what a row moves, once for what of the noise is left

    def _measure(self, pair: Pair, model: Floats, part: float = 1.0) -> None:
        share = self._up_to(self._each * self._weight[pair] * (1 - self.shares.choosing) * part)
        values, variance, interaction = self._ask(Marginal.of(*pair), share)
        freedom = (model.shape[0] - 1) * (model.shape[1] - 1) if interaction else model.size
        off = float(((values - (centred(model) if interaction else model)) ** 2).sum())
        self.found.append((off - freedom * variance, freedom * variance, model.size))
        earlier = self.measured.get(pair)
        if earlier is None:
            table = FittedTable(pair, values, ridge=0.0, interaction=interaction)
            earlier = self.measured[pair] = Measured(table, values, variance, model)
            (self.beyond or self.fit).add(table)
        else:
            if variance > 0 and earlier.variance > 0:
                both = 1 / (1 / variance + 1 / earlier.variance)
                values, variance = both * (values / variance + earlier.raw / earlier.variance), both
            earlier.raw, earlier.variance = values, variance
            self.fit.touch()
        self._settle(pair, earlier)

    def _ask(self, marginal: Marginal, share: Fraction) -> tuple[Floats, float, bool]:
        if self.curator.budget.pure:
            [noisy] = self.curator.ask(TablesTogether(marginals=[marginal], what="relations"), share=share)
            return centred(noisy.counts / self._parts), noisy.noise.variance / self._parts**2, True
        found = self.curator.ask(Interactions(marginal=marginal, what="relations"), share=share)
        return found.values / self._parts, found.variance / self._parts**2, True

    def _settle(self, pair: Pair, measured: Measured) -> None:
        """What the model is to have of a pair, and how much potentials cost: the more, the more of it may be noise.

        Energy is how far the table is from that of independent columns beyond what its noise explains.
        """
        one, two = (self.columns.columns[a].values for a in pair)
        independent = np.outer(one, two) / self.columns.total
        raw, freedom = measured.raw, measured.raw.size
        if measured.table.interaction:
            independent = centred(independent)
            freedom = (len(one) - 1) * (len(two) - 1)
        energy = float(((raw - independent) ** 2).sum()) - freedom * measured.variance
        measured.table.ridge = self._ridge * measured.variance / math.sqrt(max(energy / self.columns.total, 1.0))
        measured.table.values = raw
        if raw.size > _FEW_CELLS:
            lower = np.zeros(raw.shape)
            if measured.table.interaction:
                lower = one[:, None] / len(two) + two[None, :] / len(one) - self.columns.total / raw.size
            variance = measured.variance * freedom / raw.size
            in_order = self._in_order[pair[0]], self._in_order[pair[1]]
            probable = shrink(raw + lower, measured.expected, variance, in_order)
            measured.table.values = centred(probable.values) if measured.table.interaction else probable.values
            measured.left = MEAN_ABS * float(probable.deviations.sum())
            measured.foreseen = _off_by(math.sqrt(variance), measured.expected)


def _off_by(deviation: float, expected: Floats) -> float:
    return float(np.minimum(MEAN_ABS * deviation, expected).sum())


def _parts(d: int, pairs: Iterable[Pair]) -> list[int]:
    """For each column, which part of the graph it belongs to.

    >>> _parts(4, [(0, 2), (2, 3)])
    [0, 1, 0, 0]
    """
    part = list(range(d))
    members = {a: [a] for a in range(d)}
    for a, b in pairs:
        low, high = min(part[a], part[b]), max(part[a], part[b])
        if low != high:
            for moved in members[high]:
                part[moved] = low
            members[low] += members.pop(high)
    return part
