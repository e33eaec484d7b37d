"""The model that is rows with weights, over merged values: for relations beyond what a junction tree can hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from math import prod
from typing import ClassVar

import numpy as np

from understudy._core.errors import OptionError
from understudy._core.randomness import Rng, Streams
from understudy.models._doubts import spelt_out_column
from understudy.models._hidden import with_hidden
from understudy.models._inference import Floats, Ints, check_size
from understudy.models._keeping import Kept, keep_rules
from understudy.models._posterior import Evidence, NoSuchRow, check_evidence, names, refuse_impossible
from understudy.models._protocol import NoisyColumn, Parts, PartsReader
from understudy.models._rows_errors import Redrawn, redrawn_weights
from understudy.models._rows_values import WeightedRows
from understudy.models._rowsfit import MOST_VALUES, Codes, Pair, choose_rows, draw_rows, tables_of
from understudy.models._sampling import BATCH_ROWS, Column, narrow
from understudy.models._tree_queries import Reading
from understudy.models._tree_sampling import deal, within_step
from understudy.models._tree_values import (
    TreeMeasurement,
    Within,
    check_measurements,
    merged_sizes,
    rows_measured,
    settle_within,
)
from understudy.models._tree_zeros import merged_zeros, mixing
from understudy.models._uncertainty import Estimate
from understudy.schema import Domain, Marginal, Zeros

_MOST_PAIRS = 400  # of columns, all of which drawn rows are held against; of more, the measured ones
_MOST_CELLS = 1 << 18  # of a table that drawn rows are held against


@dataclass(frozen=True, eq=False)
class RowsModel:
    """A distribution over a table's rows as rows with weights, fitted to noisy tables that overlap.

    The rows are synthetic: they were drawn from a model. They are over merged values: `within[a]` says which leaf
    values of attribute a share one, and in what parts; None where nothing is merged. `measurements` are the noisy
    tables that the weights were fitted to, where they are known.

    >>> from understudy.schema import Attribute
    >>> domain = Domain(tuple(Attribute(name=name, size=2) for name in ("smokes", "coughs")))
    >>> rows = WeightedRows((2, 2), np.array([[0, 0, 1], [0, 1, 1]], dtype=np.uint16), np.array([0.5, 0.25, 0.25]))
    >>> model = RowsModel(domain, 1000, rows=rows)
    >>> model.marginal(Marginal.of(1), evidence={0: np.array([1.0, 0.0])}).probabilities.round(3).tolist()
    [0.667, 0.333]
    >>> smokes, coughs = next(model.sample_codes(1000, streams=Streams(1)))
    >>> int(smokes.sum()), int(coughs.sum())
    (250, 500)
    """

    kind: ClassVar[str] = "rows"
    domain: Domain
    n: int
    rows: WeightedRows = field(kw_only=True)
    within: Sequence[Within | None] = field(default=(), kw_only=True)
    measurements: Sequence[TreeMeasurement] = field(default=(), kw_only=True, repr=False)

    def __post_init__(self) -> None:
        within = settle_within(self.within, self.domain)
        if self.rows.sizes != merged_sizes(within, self.domain):
            raise ValueError("the rows have other numbers of values than the domain, merged as given")
        check_measurements(self.measurements, self.rows.sizes)
        object.__setattr__(self, "within", within)
        object.__setattr__(self, "measurements", tuple(self.measurements))

    def marginal(self, marginal: Marginal, *, evidence: Evidence | None = None, errors: bool = True) -> Estimate:
        """The probabilities of a marginal: of the rows that fit the evidence, summed by their weights.

        With errors where measurements are known, as the weights might have come out under other noise.
        """
        if self._kept is not None:
            found = self._kept.marginal(marginal, evidence, errors=errors)
        else:
            found = self._estimate(marginal, evidence, errors=errors)
        return with_hidden(self, found, marginal, evidence, rows_measured(self.n, self.measurements))

    def _estimate(self, marginal: Marginal, evidence: Evidence | None, *, errors: bool) -> Estimate:
        weights = check_evidence(evidence, self.domain)
        within = self._within(weights)
        check_size(marginal.n_cells(self.domain), f"the marginal of {names(self.domain, marginal.attributes)}")
        table = self._table(marginal, self._given(self.rows.weights, weights), within)
        redrawn = self._redrawn if errors else None
        if redrawn is None:
            return Estimate(probabilities=table)
        factors = self._factors(weights)[redrawn.rows]
        if not (redrawn.start * factors).any():  # none of the rows that errors are told by
            return Estimate(probabilities=table)
        start = self._table(marginal, _shares(redrawn.start * factors), within, redrawn.rows)
        rare = any(self.within[a] is not None for a in weights)
        others = []
        for one, spelt_out in zip(redrawn.weights, redrawn.within, strict=True):
            given = self._factors(weights, spelt_out)[redrawn.rows] if rare else factors
            shares = _shares(one.astype(np.float64) * given)
            others.append(self._table(marginal, shares, self._within(weights, spelt_out), redrawn.rows))
        return Estimate.from_replicates(table, np.array(others) - start + table)

    @property
    def scopes(self) -> frozenset[frozenset[int]]:
        """The attributes of each noisy table that it was fitted to."""
        return frozenset(frozenset(measured.marginal) for measured in self.measurements)

    def noisy_column(self, a: int) -> NoisyColumn | None:
        """The counts of a column's values, and the variance of the noise in one; None where it was not measured."""
        return spelt_out_column(a, self.measurements, self.within)

    def sample_codes(
        self,
        n: int,
        *,
        streams: Streams,
        evidence: Evidence | None = None,
        independent: bool = False,
        batch_rows: int = BATCH_ROWS,
    ) -> Iterator[list[Column]]:
        """Batches of columns of codes, in column order, `n` rows in all; with evidence, of the rows that fit it.

        By default with low variance: each row as often as its weight tells, rounded up or down, and then swapped for
        others where that brings a batch's tables of two columns nearer to the model's. `independent` draws every row
        on its own.

        >>> from understudy.schema import Attribute
        >>> rows = WeightedRows((2,), np.array([[0, 1]], dtype=np.uint16), np.array([0.25, 0.75]))
        >>> model = RowsModel(Domain((Attribute(name="fair", size=2),)), 9, rows=rows)
        >>> [sorted(batch[0].tolist()) for batch in model.sample_codes(8, streams=Streams(1), batch_rows=4)]
        [[0, 1, 1, 1], [0, 1, 1, 1]]
        """
        if n < 0 or batch_rows < 1:
            raise OptionError(f"sampling needs n of at least 0 and batch_rows of at least 1, got {n} and {batch_rows}.")
        if self._kept is not None:
            yield from self._kept.sample_codes(
                n, streams=streams, evidence=evidence, independent=independent, batch_rows=batch_rows
            )
            return
        evident = check_evidence(evidence, self.domain)
        weights, within = self._given(self.rows.weights, evident), self._within(evident)
        rng, leaves = streams.get("sample", "rows"), streams.get("sample", "within")
        sums = np.cumsum(weights)
        for start in range(0, n, batch_rows):
            m = min(batch_rows, n - start)
            if independent:
                chosen = draw_rows(sums, m, rng=rng)
            else:
                chosen = choose_rows(self.rows.rows, weights, m, self._pairs, self.rows.sizes, rng=rng)
            yield self._spelt_out(chosen, within, leaves, independent=independent)

    def to_svg(self, *, title: str = "") -> str:
        """A drawing of what hangs together: one standalone SVG."""
        from understudy.models._tree_drawing import draw_relations

        tables = [m.marginal for m in self.measurements] or list(combinations(range(len(self.domain)), 2))
        pairs = sorted({pair for table in tables for pair in combinations(sorted(table), 2)})
        found = tables_of(self.rows.rows, self.rows.weights, pairs, self.rows.sizes) if pairs else {}
        return draw_relations(self.domain, found, title=title)

    def to_parts(self) -> Parts:
        """All that it takes to make the model again, beside the domain."""
        from understudy.models._rows_parts import rows_to_parts

        return rows_to_parts(self)

    @classmethod
    def from_parts(cls, parts: PartsReader, domain: Domain) -> RowsModel:
        """The model again, every value checked."""
        from understudy.models._rows_parts import rows_from_parts

        return rows_from_parts(parts, domain)

    def with_zeros(self, zeros: Sequence[Zeros]) -> RowsModel:
        """The same distribution, given that no row is in an impossible cell, whatever its domain's rules say."""
        domain = Domain(self.domain.attributes)
        if not zeros:
            return replace(self, domain=domain)
        return rows_with_zeros(replace(self, domain=domain), zeros)

    @cached_property
    def _kept(self) -> Kept | None:
        return keep_rules(self) if self.domain.rules else None

    @cached_property
    def _redrawn(self) -> Redrawn | None:
        return redrawn_weights(self.rows, tuple(self.measurements), self.n, self.within)

    @cached_property
    def _pairs(self) -> list[Pair]:
        """Pairs of columns whose tables drawn rows are held against."""
        sizes = self.rows.sizes
        varied = [a for a, size in enumerate(sizes) if size > 1]
        found = list(combinations(varied, 2))
        if len(found) > _MOST_PAIRS:
            measured = (m.marginal for m in self.measurements if len(m.marginal) == 2)
            found = sorted({(min(pair), max(pair)) for pair in measured})[:_MOST_PAIRS]
        return [(a, b) for a, b in found if sizes[a] * sizes[b] <= _MOST_CELLS]

    def _within(self, evidence: Evidence, spelt_out: Sequence[Within | None] = ()) -> list[Within | None]:
        return [
            rare.given(evidence[a]) if rare is not None and a in evidence else rare
            for a, rare in enumerate(spelt_out or self.within)
        ]

    def _factors(self, evidence: Evidence, spelt_out: Sequence[Within | None] = ()) -> Floats:
        """What evidence does to each row: the largest factor is 1, so that rare conditions do not vanish."""
        within = spelt_out or self.within
        logs = np.zeros(len(self.rows))
        with np.errstate(divide="ignore"):
            for a, weights in evidence.items():
                rare = within[a]
                logs += np.log(weights if rare is None else rare.merged(weights))[self.rows.columns[a]]
        most = logs.max(initial=-np.inf, where=self.rows.weights > 0)
        if most == -np.inf:
            raise refuse_impossible(self.domain, evidence)
        return np.asarray(np.exp(logs - most))

    def _given(self, weights: Floats, evidence: Evidence) -> Floats:
        return _shares(weights * self._factors(evidence)) if evidence else weights

    def _table(
        self, marginal: Marginal, weights: Floats, within: Sequence[Within | None], rows: Ints | None = None
    ) -> Floats:
        """The table of a marginal over the domain, of all rows or of some."""
        readings = [Reading.of(axis, self.domain, within[axis.attribute]) for axis in marginal.axes]
        place, shape = np.zeros(len(weights), dtype=np.int64), []
        for reading in readings:
            codes = self.rows.columns[reading.attribute]
            codes = codes if rows is None else codes[rows]
            grouped = reading.groups is not None
            shape.append(reading.size if grouped else self.rows.sizes[reading.attribute])
            place = place * shape[-1] + (reading.groups[codes] if reading.groups is not None else codes)
        table = _summed(place, weights, shape)
        for position, reading in enumerate(readings):
            table = reading.spread(table, position)
        return np.asarray(table / table.sum())

    def _spelt_out(self, chosen: Ints, within: Sequence[Within | None], rng: Rng, *, independent: bool) -> list[Column]:
        """The rows' own codes: merged values are drawn, as often as expected or each on its own."""
        found: list[Column] = []
        for a, rare in enumerate(within):
            codes = self.rows.columns[a][chosen].astype(narrow(self.domain[a].size))
            if rare is not None:
                step = within_step(rare, a, a)
                if independent:
                    codes = step.column({a: codes}, len(codes), rng, independent=True)
                else:
                    order = rng.permutation(len(codes)).astype(np.int32)
                    codes = deal(step, codes.astype(np.int32), order, rng)
            found.append(codes)
        return found


def rows_with_zeros(model: RowsModel, zeros: Sequence[Zeros]) -> RowsModel:
    """The model of the rows that are in no impossible cell, with their weights."""
    rows, within, loose = model.rows, list(model.within), mixing(zeros, model.within)
    columns, weights, sizes = rows.columns, rows.weights, list(rows.sizes)
    for a in loose:
        rare = within[a]
        if rare is not None:
            check_size(len(rare.codes), "keeping what is declared of rows", MOST_VALUES)
            columns, weights = _spelt_out_rows(columns, weights, a, rare)
            sizes[a], within[a] = len(rare.codes), None
    kept = weights > 0
    for rule in merged_zeros(zeros, within):
        kept &= ~rule.broken(list(columns))
    if not kept.any():
        raise NoSuchRow("no row of the model keeps what the schema declares of rows.")
    found = WeightedRows(tuple(sizes), columns[:, kept], _shares(weights[kept]))
    return replace(model, rows=found, within=within, measurements=() if loose else model.measurements)


def _spelt_out_rows(columns: Codes, weights: Floats, a: int, rare: Within) -> tuple[Codes, Floats]:
    """Rows with an attribute's own values in place of merged ones: one for each value, with its part of the weight."""
    order = np.argsort(rare.codes, kind="stable")
    counts = np.bincount(rare.codes, minlength=rare.size)
    starts = np.cumsum(counts) - counts
    times = counts[columns[a]]
    check_size(int(times.sum()) * len(columns), "keeping what is declared of rows")
    which = np.repeat(np.arange(columns.shape[1]), times)
    place = np.arange(len(which)) - np.repeat(np.cumsum(times) - times, times)
    leaf = order[starts[columns[a][which]] + place]
    found = columns[:, which]
    found[a] = leaf
    return found, weights[which] * rare.shares[leaf]


def _summed(place: Ints, weights: Floats, shape: Sequence[int]) -> Floats:
    return np.asarray(np.bincount(place, weights=weights, minlength=prod(shape)).reshape(shape), dtype=np.float64)


def _shares(weights: Floats) -> Floats:
    return np.asarray(weights / weights.sum())
