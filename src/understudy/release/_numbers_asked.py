"""Means, quantiles, sums, counts and shares under a model: exact, with errors from the model's replicates.

A column's numbers are pieces of a line (`_number_line`); the model says how much of the rows each code holds, under
the noise as it was and under noise redrawn. Whatever is computed from that is computed of each, and its scatter is its
error. Conditions on several columns are asked for one after the other: P(a and b) = P(a) · P(b given a).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, sqrt
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from understudy._core.errors import OptionError
from understudy.models import Estimate, Model
from understudy.release._amounts import Amount, Scale, make_figure, reaches, scale_of, with_error
from understudy.release._apart import never_together
from understudy.release._asked_order import bins_in_order, refuse_disorder
from understudy.release._conditions import Conditions, find_field, terms_to_conditions
from understudy.release._farthest import farthest
from understudy.release._functions import Call, parse_number_question
from understudy.release._histogram_noise import (
    cut_shape,
    fine_noise,
    leans_of,
    noise_variance,
    redrawn_fields,
    rows_astray,
)
from understudy.release._number_answer import Figure, NumberAnswer
from understudy.release._number_line import NumberLine, number_line
from understudy.release._number_words import (
    at_the_end,
    cut_bins,
    far_out,
    far_out_of_mean,
    left_out,
    parts_of_bins,
    refuse_function,
)
from understudy.release._regions import Region, everything, known_numbers, up_to
from understudy.release._statement import Statement
from understudy.schema import Field, Marginal, Schema

Floats: TypeAlias = npt.NDArray[np.float64]
Regions: TypeAlias = Mapping[int, Region]
_ROUNDING = 1e-12


def answer_numbers(text: str, schema: Schema, model: Model, statement: Statement) -> NumberAnswer:
    """Everything that a question about numbers asks for."""
    question = parse_number_question(text, names=schema.names)
    given = terms_to_conditions(schema, question.terms)
    given.check()
    refuse_disorder(schema, given.regions)
    asked = _Asked(schema, model, statement, given)
    found = [asked.figure(call) for call in question.calls]
    notes = dict.fromkeys(note for _, some in found for note in some)
    figures = tuple(figure for figure, _ in found)
    return NumberAnswer(question=text, figures=figures, notes=tuple(notes), stamp=statement.stamp)


@dataclass(frozen=True, eq=False)
class _Asked:
    """A model that is asked under conditions."""

    schema: Schema
    model: Model
    statement: Statement
    given: Conditions

    def figure(self, call: Call) -> tuple[Figure, list[str]]:
        """The answer to one function, and what is to be said about it."""
        if call.function == "share":
            wanted = terms_to_conditions(self.schema, call.terms).regions
            share = self.probability(wanted, self.given.regions)
            return make_figure(call.text, share, low=0.0, high=1.0, share=True), self._said_of(wanted)
        if call.function == "count":
            counted = self._counted(call)
            return self._scaled(call, self.rows(counted), low=0.0, high=inf), self._said_of(counted)
        column = _Column(self, find_field(self.schema, str(call.column)))
        refuse_function(call.function, column.field)
        column.check()
        notes = left_out(column.field, column.estimate.probabilities * column.own.weights) + self._cut_by(column.own)
        if call.level is not None:
            notes += at_the_end(column.field, call.level, column.hidden)
        if call.function in ("sd", "variance"):
            found = (column.amount(column.line.mean).value, column.amount(column.line.variance).value)
            notes += far_out(column.field, *found, column.line.ends, column.hidden)
        if call.function in ("mean", "sum"):
            error = column.amount(column.line.mean).error(*column.line.ends)
            notes += far_out_of_mean(column.field, error, column.to_the_ends, column.hidden)
        return self._of_column(call, column), notes + self._parts([column.attribute]) + self._apart([column.attribute])

    def _of_column(self, call: Call, column: _Column) -> Figure:
        low, high = column.line.ends
        if call.level is not None:
            return column.quantile(call.text, call.level)
        mean = column.amount(column.line.mean)
        if call.function == "mean":
            return make_figure(call.text, mean, low=low, high=high, scale=scale_of(column.field))
        if call.function == "sum":
            total = self.rows({column.attribute: known_numbers(column.field)}).times(mean)
            return self._scaled(call, total, low=0.0 if low >= 0 else -inf, high=0.0 if high <= 0 else inf)
        variance = column.amount(column.line.variance)
        if call.function == "variance":
            return make_figure(call.text, variance, low=0.0, high=(high - low) ** 2 / 4)
        scale = scale_of(column.field)
        each = scale.error or 1.0
        deviation = variance.of(lambda found: np.sqrt(found) * each)
        plain = Scale(float, unit=scale.unit)
        return make_figure(call.text, deviation, low=0.0, high=each * (high - low) / 2, scale=plain)

    def _said_of(self, wanted: Regions) -> list[str]:
        return [note for region in wanted.values() for note in self._cut_by(region)] + [
            *self._parts(wanted),
            *self._apart(wanted),
        ]

    def _cut_by(self, region: Region) -> list[str]:
        return cut_bins(region, fine_noise(self.statement))

    def _parts(self, wanted: Collection[int]) -> list[str]:
        """Of conditions on columns, where others are asked about."""
        if not wanted:
            return []
        columns = {a: region for a, region in self.given.regions.items() if set(wanted) - {a}}
        return [
            note
            for a, region in columns.items()
            for note in parts_of_bins(region, self.model.marginal(Marginal.of(a), errors=False).probabilities)
        ]

    def _apart(self, wanted: Collection[int]) -> list[str]:
        ordered = bins_in_order(self.schema, wanted, self.given.regions)
        return ordered + never_together(self.model, self.schema, wanted, self.given.regions)

    def probability(self, wanted: Regions, given: Regions) -> Amount:
        """Of the rows that fulfil some conditions, the share that fulfils others too."""
        evidence = {attribute: region.weights for attribute, region in given.items()}
        found = Amount(1.0, np.ones(1))
        for attribute, region in wanted.items():
            others = {a: weights for a, weights in evidence.items() if a != attribute}
            estimate = self.model.marginal(Marginal.of(attribute), evidence=others or None)
            base = given.get(attribute, everything(region.field))
            leans = self.leans(attribute, estimate, given=bool(others))
            found = found.times(self._ratio(estimate, region.within(base), base, leans))
            if found.value == 0:
                return found
            evidence[attribute] = region.within(base).weights
        return found

    def rows(self, wanted: Regions) -> Amount:
        """The number of rows that fulfil conditions, those that are given among them."""
        merged = dict(self.given.regions)
        for attribute, region in wanted.items():
            merged[attribute] = region.within(merged[attribute]) if attribute in merged else region
        return self.probability(merged, {}).of(lambda share: self.statement.n_rows * share)

    def redrawn(self, region: Region, leans: Floats | None) -> list[Field]:
        """The region's field with its values inside bins lying as they might lie as well."""
        return redrawn_fields(region.field, fine_noise(self.statement), region.spans, leans)

    def leans(self, attribute: int, estimate: Estimate, *, given: bool) -> Floats | None:
        """How far the rows that are asked about may lie otherwise inside bins than all rows do."""
        field = self.schema.fields[attribute]
        if not given or field.bins is None or estimate.replicates is None:
            return None
        every = self.model.marginal(Marginal.of(attribute), errors=False).probabilities
        return leans_of(estimate.probabilities[: field.n_main], every[: field.n_main])

    def _ratio(self, estimate: Estimate, part: Region, whole: Region, leans: Floats | None) -> Amount:
        """The share of what is in the whole that is in the part."""
        total = float(estimate.probabilities @ whole.weights)
        if total <= 0:
            raise OptionError(impossible(whole.field))
        value = _without_rounding(float(estimate.probabilities @ part.weights) / total)
        if estimate.replicates is None:
            return Amount(float(value), None)
        table = np.clip(estimate.replicates, 0.0, None)
        with np.errstate(invalid="ignore", divide="ignore"):
            fields = self.redrawn(part, leans) or [part.field]
            inside, all_of_it = (np.sum(table * _weights(region, fields), axis=-1) for region in (part, whole))
            found = np.nan_to_num(inside / all_of_it)
        astray = self.astray(part, estimate.probabilities / total)
        return Amount(float(value), _without_rounding(found), astray)

    def astray(self, region: Region, shares: Floats) -> tuple[float, float]:
        """How much less and more of all rows a region may hold, if codes have these shares of them."""
        found = rows_astray(region.field, fine_noise(self.statement), region.spans)
        if found is None:
            return 0.0, 0.0
        less, more = (float(np.linalg.norm(shares[: len(one)] * one)) for one in found)
        return less, more

    def _counted(self, call: Call) -> Regions:
        if call.column is None:
            return terms_to_conditions(self.schema, call.terms).regions
        attribute = find_field(self.schema, call.column)
        return {attribute: _with_value(self.schema.fields[attribute])}

    def _scaled(self, call: Call, amount: Amount, *, low: float, high: float) -> Figure:
        """A figure that grows with the number of rows, which may be noisy itself."""
        error, n = amount.error(amount.value, amount.value), max(self.statement.n_rows, 1)
        variance = None if self.statement.n_public else noise_variance(self.statement, "rows")
        if error is not None and variance is not None:
            error = sqrt(error**2 + variance * (amount.value / n) ** 2)
        return with_error(call.text, amount, error, low=low, high=high)


@dataclass(frozen=True, eq=False)
class _Column:
    """The numbers of one column under the conditions."""

    asked: _Asked
    attribute: int

    @property
    def field(self) -> Field:
        return self.asked.schema.fields[self.attribute]

    @cached_property
    def own(self) -> Region:
        """What the conditions say of the column itself."""
        return self.asked.given.regions.get(self.attribute) or everything(self.field)

    @cached_property
    def line(self) -> NumberLine:
        return number_line(cut_shape(self.field, self.own.spans), self.own)

    @cached_property
    def estimate(self) -> Estimate:
        """Of each code, given what the conditions say of other columns."""
        evidence = {a: region.weights for a, region in self.asked.given.regions.items() if a != self.attribute}
        return self.asked.model.marginal(Marginal.of(self.attribute), evidence=evidence or None)

    @cached_property
    def masses(self) -> Floats:
        return self.line.masses(self.estimate.probabilities)

    @cached_property
    def redrawn(self) -> Floats | None:
        """The same under redrawn noise, one row each."""
        return self._redrawn(self.own, self.line)

    def _redrawn(self, cut: Region, line: NumberLine) -> Floats | None:
        """What the pieces of a line might hold, if they are cut where a region is."""
        if self.estimate.replicates is None:
            return None
        given = bool(set(self.asked.given.regions) - {self.attribute})
        leans = self.asked.leans(self.attribute, self.estimate, given=given)
        fields = self.asked.redrawn(cut, leans)
        parts = [number_line(field, self.own).part for field in fields] or [line.part]
        return line.masses(self.estimate.replicates, np.stack(parts))

    def check(self) -> None:
        """Refuse to speak of no numbers at all."""
        if not self.masses.sum() > 0:
            raise OptionError(impossible(self.field))

    def amount(self, statistic: Callable[[Floats], Floats]) -> Amount:
        """A statistic of the masses of all pieces."""
        return Amount(float(statistic(self.masses)), None if self.redrawn is None else statistic(self.redrawn))

    def quantile(self, statistic: str, level: float) -> Figure:
        """A quantile; its interval are those quantiles that noise may have moved the level to."""
        line, scale = self.line, scale_of(self.field, points=True)
        value = line.quantile(self.masses, np.asarray(level))
        figure = Figure(statistic=statistic, value=scale.value(float(value)), unit=scale.unit)
        if self.redrawn is None:
            return figure
        error = max(self._error_up_to(float(value), below=below) for below in (False, True))
        low, high = (self._farthest(level, float(value), error, up=up) for up in (False, True))
        low = line.ends[0] if level < self.hidden[0] else low  # the outermost rows may lie anywhere
        high = line.ends[1] if 1 - level < self.hidden[1] else high
        spread = Amount(float(value), line.quantile(self.redrawn, np.asarray(level))).error(*line.ends) or 0.0
        return Figure(
            statistic=statistic,
            value=figure.value,
            standard_error=None if scale.error is None else spread * scale.error,
            low=scale.value(low),
            high=scale.value(high),
            unit=scale.unit,
        )

    @cached_property
    def hidden(self) -> tuple[float, float]:
        """The share of these rows that may lie at either end without standing out from noise.

        As many as noise hides of all rows of the outermost bin, and of a group's rows there the same part.
        """
        bins, noise = self.field.bins, fine_noise(self.asked.statement)
        if bins is None or bins.shape is None or noise is None:
            return 0.0, 0.0
        every = self.asked.model.marginal(Marginal.of(self.attribute), errors=False).probabilities
        several = np.zeros(len(every), dtype=np.bool_)  # in a bin of one value nothing can hide
        several[: bins.count] = bins.grid[1] > bins.grid[0]
        rows = np.maximum(every * self.asked.statement.n_rows, 1e-9)
        part = np.where(several, np.minimum(sqrt(noise[1]) / rows, 1.0), 0.0)
        low, high = (self.estimate.probabilities * part)[self.line.code[[0, -1]]] / float(self.masses.sum())
        return float(low), float(high)

    @property
    def to_the_ends(self) -> tuple[float, float]:
        """How far it is to either end of the range from the outermost rows that stand out from noise."""
        (low, high), (first, last) = self.line.ends, self.hidden
        return self._value_at(first) - low, high - self._value_at(1 - last)

    def _farthest(self, level: float, value: float, error: float, *, up: bool) -> float:
        """The highest or lowest value that may be the quantile: as rows before it may be fewer, or more."""

        def may_be(at: float) -> bool:
            value = self._value_at(at)
            share = float(self.line.share_up_to(self.masses, np.asarray(value), below=up))
            less, more = self._unsure(value, error, below=up)
            return share - less <= level + _ROUNDING if up else share + more >= level - _ROUNDING

        return self._value_at(farthest(may_be, level, max(self._unsure(value, error, below=up)) / 8, up=up))

    def _unsure(self, value: float, error: float, *, below: bool) -> tuple[float, float]:
        """How much less and more of all rows may lie up to a value; `below`: without the value itself."""
        cut = up_to(self.own, value, below=below)
        return reaches(error, self.asked.astray(cut, self.estimate.probabilities / float(self.masses.sum())))

    def _value_at(self, level: float) -> float:
        return float(self.line.quantile(self.masses, np.asarray(level)))

    def _error_up_to(self, value: float, *, below: bool) -> float:
        """The error of the share of rows up to a value; `below`: without the value itself."""
        cut = up_to(self.own, value, below=below)
        line = number_line(cut_shape(self.field, cut.spans), self.own)
        masses, redrawn = line.masses(self.estimate.probabilities), self._redrawn(cut, line)
        shares = [line.share_up_to(one, np.asarray(value), below=below) for one in (masses, redrawn) if one is not None]
        return Amount(float(shares[0]), shares[-1]).error(0.0, 1.0) or 0.0


def _without_rounding(shares: Floats | float) -> Floats:
    return np.where(np.asarray(shares) > _ROUNDING, shares, 0.0)


def _weights(region: Region, fields: Sequence[Field]) -> Floats:
    """Of each replicate, or of all in one row."""
    return np.stack([Region(field, region.codes, region.spans).weights for field in fields])


def impossible(field: Field) -> str:
    """A sentence for conditions under which a column has no numbers."""
    return (
        f"the conditions leave no row with a value of '{field.name}' that counts: under the model they have "
        "probability 0. Loosen them."
    )


def _with_value(field: Field) -> Region:
    """All but missing."""
    missing = frozenset() if field.missing_code is None else frozenset({field.missing_code})
    return Region(field, missing).outside()
