"""Means, quantiles, sums, counts and shares under a model: exact, with errors from the model's replicates.

A column's numbers are pieces of a line (`_number_line`); the model says how much of the rows each code holds, under
the noise as it was and under noise redrawn. Whatever is computed from that is computed of each, and its scatter is its
error. Conditions on several columns are asked for one after the other: P(a and b) = P(a) · P(b given a).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import inf, sqrt
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from understudy._core.errors import OptionError
from understudy.models import Estimate, Model
from understudy.release._amounts import Amount, Scale, make_figure, scale_of
from understudy.release._apart import never_together
from understudy.release._asked_column import Column, impossible
from understudy.release._asked_order import (
    bins_in_order,
    disorder,
    implied,
    needed,
    one_value_first,
    order_evidence,
    refuse_disorder,
)
from understudy.release._conditions import Conditions, find_field, terms_to_conditions
from understudy.release._functions import Call, parse_number_question
from understudy.release._histogram_noise import (
    fine_noise,
    leans_of,
    redrawn_fields,
    rows_astray,
)
from understudy.release._number_answer import Figure, NumberAnswer
from understudy.release._number_words import (
    at_the_end,
    cut_bins,
    far_out,
    hidden_places,
    left_out,
    parts_given,
    refuse_function,
)
from understudy.release._ordered_values import weights_among, what_order_allows, what_order_leaves
from understudy.release._regions import Region, everything, known_numbers
from understudy.release._rows_noise import ask, rows_as_counted
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
    asked = Asked(schema, model, statement, given)
    found = [asked.figure(call) for call in question.calls]
    notes = dict.fromkeys(note for _, some in found for note in some)
    figures = tuple(figure for figure, _ in found)
    return NumberAnswer(question=text, figures=figures, notes=tuple(notes), stamp=statement.stamp)


@dataclass(frozen=True, eq=False)
class Asked:
    """A model that is asked under conditions."""

    schema: Schema
    model: Model
    statement: Statement
    given: Conditions

    def figure(self, call: Call) -> tuple[Figure, list[str]]:
        """The answer to one function, and what is to be said about it."""
        if call.function in ("share", "count"):
            return self._of_rows(call)
        column = Column(self, find_field(self.schema, str(call.column)))
        refuse_function(call.function, column.field)
        column.check()
        notes = left_out(column.field, column.estimate.probabilities * column.weights) + self._cut_by(column.own)
        if call.level is not None:
            notes += at_the_end(column.field, call.level, column.hidden)
        else:
            notes += hidden_places(column.field, column.stretches) + self._at_an_end(call, column)
        notes += self._parts([column.attribute]) + self._in_order(call, {}, by_value=[column.attribute])
        return self._of_column(call, column), notes + self._apart([column.attribute])

    def _at_an_end(self, call: Call, column: Column) -> list[str]:
        """Of rows that may all lie at an end of the range; of a sum, what its mean would be then."""
        spread = call.function in ("sd", "variance")
        worst, widths, share = column.if_at_the_end(spread=spread)
        if call.function == "variance":
            return far_out(column.field, Figure(statistic=call.text, value=worst), widths, share)
        scale = scale_of(column.field)
        if spread:
            value, unit = sqrt(max(worst, 0.0)) * (scale.error or 1.0), scale.unit
            return far_out(column.field, Figure(statistic=call.text, value=value, unit=unit), widths, share)
        mean = Figure(statistic=f"mean({column.field.name})", value=scale.value(worst), unit=scale.unit)
        return far_out(column.field, mean, widths, share)

    def _of_rows(self, call: Call) -> tuple[Figure, list[str]]:
        """A share or a count; exactly none or all where what is declared of orders says so."""
        wanted, share = self._counted(call), call.function == "share"
        if why := disorder(self.schema, self._with(wanted)):
            return _exactly(call, 0.0), [f"{call.text} is 0, exactly: {why}."]
        wanted, sure = self._unsettled(wanted)
        if share and sure and not wanted:
            return _exactly(call, 1.0), [f"{call.text} is 1, exactly: {'; '.join(sure)}."]
        notes = [note for region in wanted.values() for note in self._cut_by(region)] + self._parts(wanted)
        notes += self._in_order(call, wanted) + self._apart(wanted)
        if share:
            found = self.probability(wanted, self.given.regions)
            return make_figure(call.text, found, low=0.0, high=1.0, share=True), notes
        return make_figure(call.text, self.rows(wanted), low=0.0, high=inf), notes

    def _unsettled(self, wanted: Regions) -> tuple[Regions, list[str]]:
        """What of some conditions does not follow from the others by a declared order; and what says so of the rest."""
        left, sure = dict(wanted), []
        for a, region in wanted.items():
            others = self._with({b: one for b, one in left.items() if b != a})
            if why := implied(self.schema, a, region, others, self.given.regions.get(a)):
                sure.append(why)
                del left[a]
        return left, list(dict.fromkeys(sure))

    def _of_column(self, call: Call, column: Column) -> Figure:
        low, high = column.line.ends
        if call.level is not None:
            return column.quantile(call.text, call.level)
        mean = column.mean
        if call.function == "mean":
            return make_figure(call.text, mean, low=low, high=high, scale=scale_of(column.field))
        if call.function == "sum":
            total = self.rows({column.attribute: known_numbers(column.field)}).times(mean)
            return make_figure(call.text, total, low=0.0 if low >= 0 else -inf, high=0.0 if high <= 0 else inf)
        variance = column.variance
        if call.function == "variance":
            return make_figure(call.text, variance, low=0.0, high=(high - low) ** 2 / 4)
        scale = scale_of(column.field)
        each = scale.error or 1.0
        deviation = variance.of(lambda found: np.sqrt(found) * each)
        plain = Scale(float, unit=scale.unit)
        return make_figure(call.text, deviation, low=0.0, high=each * (high - low) / 2, scale=plain)

    def _cut_by(self, region: Region) -> list[str]:
        return cut_bins(region, fine_noise(self.statement))

    def _parts(self, wanted: Collection[int]) -> list[str]:
        """Of conditions on columns, where others are asked about."""
        return parts_given(self.model, self.given.regions, wanted)

    def _in_order(self, call: Call, wanted: Regions, *, by_value: Collection[int] = ()) -> list[str]:
        """Of declared orders; how many rows there are is asked of all conditions alike."""
        if call.function in ("count", "sum"):
            return bins_in_order(self.schema, needed(self.schema, self._with(wanted)), {}, by_value=by_value)
        return bins_in_order(self.schema, wanted, self.given.regions, by_value=by_value)

    def _apart(self, wanted: Collection[int]) -> list[str]:
        return never_together(self.model, self.schema, wanted, self.given.regions)

    def _with(self, wanted: Regions) -> Regions:
        """All that rows must fulfil: what is given, and what is wanted."""
        merged = dict(self.given.regions)
        for attribute, region in wanted.items():
            merged[attribute] = region.within(merged[attribute]) if attribute in merged else region
        return merged

    def probability(self, wanted: Regions, given: Regions, *, errors: bool = True) -> Amount:
        """Of the rows that fulfil some conditions, the share that fulfils others too; without `errors`, only that.

        Columns with one value first: those that are in order with them are then known to lie above or below.
        """
        known = dict(given)
        found = Amount(1.0, np.ones(1))
        for attribute, region in one_value_first(self.schema, wanted):
            others = {a: one for a, one in known.items() if a != attribute}
            evidence = order_evidence(self.schema, others)
            estimate = ask(self.model, self.statement, [attribute], evidence, errors=errors)
            base, left = (
                given.get(attribute, everything(region.field)),
                what_order_leaves(self.schema, attribute, others),
            )
            leans = self.leans(attribute, estimate, given=bool(others))
            whole = what_order_allows(self.schema, attribute, base, others)
            found = found.times(self._ratio(estimate, region.within(whole), whole, left, leans))
            if found.value == 0:
                return found
            known[attribute] = region.within(base)
        return found

    def rows(self, wanted: Regions) -> Amount:
        """The number of rows that fulfil conditions, those that are given among them."""
        return self.probability(needed(self.schema, self._with(wanted)), {}).times(rows_as_counted(self.statement))

    def redrawn(self, region: Region, leans: Floats | None, *, shares_alone: bool = False) -> list[Field]:
        """The region's field with its values inside bins lying as they might lie as well."""
        noise = fine_noise(self.statement)
        return redrawn_fields(region.field, noise, region.spans, leans, shares_alone=shares_alone)

    def leans(self, attribute: int, estimate: Estimate, *, given: bool) -> Floats | None:
        """How far the rows that are asked about may lie otherwise inside bins than all rows do."""
        field = self.schema.fields[attribute]
        if not given or field.bins is None or estimate.replicates is None:
            return None
        every = self.model.marginal(Marginal.of(attribute), errors=False).probabilities
        return leans_of(estimate.probabilities[: field.n_main], every[: field.n_main])

    def _ratio(
        self, estimate: Estimate, part: Region, whole: Region, left: Region | None, leans: Floats | None
    ) -> Amount:
        """The share of what is in the whole that is in the part; of what an order leaves of both."""
        total = float(estimate.probabilities @ weights_among(whole, left))
        if total <= 0:
            raise OptionError(impossible(whole.field))
        value = _without_rounding(float(estimate.probabilities @ weights_among(part, left)) / total)
        if estimate.replicates is None:
            return Amount(float(value), None)
        table = np.clip(estimate.replicates, 0.0, None)
        with np.errstate(invalid="ignore", divide="ignore"):
            fields = self.redrawn(part, leans, shares_alone=True) or [part.field]
            inside, all_of_it = (np.sum(table * _weights(region, left, fields), axis=-1) for region in (part, whole))
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


def _exactly(call: Call, value: float) -> Figure:
    """A share, or a count of none, that is known without a look at any row."""
    share = call.function == "share"
    return Figure(statistic=call.text, value=value, standard_error=0.0, low=value, high=value, share=share)


def _without_rounding(shares: Floats | float) -> Floats:
    return np.where(np.asarray(shares) > _ROUNDING, shares, 0.0)


def _weights(region: Region, left: Region | None, fields: Sequence[Field]) -> Floats:
    """Of each replicate, or of all in one row."""
    return np.stack([weights_among(Region(field, region.codes, region.spans), left) for field in fields])


def _with_value(field: Field) -> Region:
    """All but missing."""
    missing = frozenset() if field.missing_code is None else frozenset({field.missing_code})
    return Region(field, missing).outside()
