"""One column that a question about numbers is asked of: where its rows lie, and how sure that is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import hypot, sqrt
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from understudy._core.errors import OptionError
from understudy.models import Estimate
from understudy.numbers import HIDDEN_AT_AN_END
from understudy.release._amounts import Amount, reaches, scale_of
from understudy.release._asked_order import disorder, needed, order_evidence
from understudy.release._farthest import farthest
from understudy.release._histogram_noise import cut_shape, fine_noise
from understudy.release._number_answer import Figure
from understudy.release._number_line import NumberLine, number_line
from understudy.release._ordered_values import weights_among, what_order_allows, what_order_leaves
from understudy.release._outermost import UNSEEN, Outermost, mean_astray, unseen, variance_astray
from understudy.release._regions import Region, everything, known_numbers, up_to
from understudy.release._rows_noise import ask
from understudy.release._unplaced import Stretch, mean_noise, mean_unplaced, stretches, variance_unplaced
from understudy.schema import Field, Marginal

if TYPE_CHECKING:
    from understudy.release._numbers_asked import Asked

Floats: TypeAlias = npt.NDArray[np.float64]
Regions: TypeAlias = Mapping[int, Region]
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Column:
    """The numbers of one column under the conditions."""

    asked: Asked
    attribute: int

    @property
    def field(self) -> Field:
        return self.asked.schema.fields[self.attribute]

    @cached_property
    def own(self) -> Region:
        """What the conditions say of the column itself."""
        return self.asked.given.regions.get(self.attribute) or everything(self.field)

    @cached_property
    def others(self) -> Regions:
        """What they say of other columns."""
        return {a: region for a, region in self.asked.given.regions.items() if a != self.attribute}

    @cached_property
    def allowed(self) -> Region:
        """What of that orders allow beside conditions that take parts of other columns' bins."""
        return what_order_allows(self.asked.schema, self.attribute, self.own, self.others)

    @cached_property
    def left(self) -> Region | None:
        """What an order with columns of one value, or of whole codes, leaves."""
        return what_order_leaves(self.asked.schema, self.attribute, self.others)

    @property
    def weights(self) -> Floats:
        """For each code, the share of its rows that are meant."""
        return weights_among(self.allowed, self.left)

    @cached_property
    def kept(self) -> Region:
        """What the conditions and the order allow."""
        return self.allowed if self.left is None else self.allowed.within(self.left)

    @cached_property
    def line(self) -> NumberLine:
        return self._line(cut_shape(self.field, self.kept.spans))

    def _line(self, field: Field) -> NumberLine:
        """The numbers that are allowed; a bin that an order cuts keeps its rows."""
        line = number_line(field, self.kept)
        if self.left is None:
            return line
        of = Region(field, self.left.codes, self.left.spans).weights[line.code]
        return replace(line, part=np.divide(line.part, of, out=np.zeros(len(of)), where=of > 0))

    @cached_property
    def estimate(self) -> Estimate:
        """Of each code, given what the conditions say of other columns."""
        evidence = order_evidence(self.asked.schema, self.others)
        return ask(self.asked.model, self.asked.statement, [self.attribute], evidence)

    @cached_property
    def masses(self) -> Floats:
        return self.line.masses(self.estimate.probabilities)

    @cached_property
    def redrawn(self) -> Floats | None:
        """The same under redrawn noise, one row each."""
        return self._redrawn(self.kept, self.line)

    def _redrawn(self, cut: Region, line: NumberLine, *, shares_alone: bool = False) -> Floats | None:
        """What the pieces of a line might hold, if they are cut where a region is."""
        if self.estimate.replicates is None:
            return None
        leans = self.asked.leans(self.attribute, self.estimate, given=bool(self.others))
        fields = self.asked.redrawn(cut, leans, shares_alone=shares_alone)
        parts = [self._line(field).part for field in fields] or [line.part]
        return line.masses(self.estimate.replicates, np.stack(parts))

    def check(self) -> None:
        """Refuse to speak of no numbers at all."""
        numbers = self.own.within(known_numbers(self.field))
        why = disorder(self.asked.schema, {**self.others, self.attribute: numbers})
        if why is not None or not self.masses.sum() > 0:
            raise OptionError(impossible(self.field, why))

    @cached_property
    def mean(self) -> Amount:
        """The mean; where the outermost rows may lie is reckoned with, and where in bins noise hid others."""
        ends, inside = mean_astray(self.outermost), 0.0
        if self.field.bins is not None:
            inside = mean_unplaced(self.stretches, mean_noise(self.field.bins, self.asked.statement))
        return replace(self._amount(self.line.mean), astray=(hypot(ends[0], inside), hypot(ends[1], inside)))

    @cached_property
    def variance(self) -> Amount:
        """The variance, in the same way."""
        found = self._amount(self.line.variance)
        ends = variance_astray(found.value, self.outermost)
        inside = variance_unplaced(self.stretches, float(self.line.mean(self.masses)))
        below, above = (hypot(*both) for both in zip(ends, inside, strict=True))
        return replace(found, astray=(min(below, found.value), above))

    @cached_property
    def stretches(self) -> list[Stretch]:
        """Stretches in which noise may hide where rows lie."""
        bins = self.field.bins
        return [] if bins is None else stretches(self.line, self.masses, bins, self._rows, self.asked.statement)

    def _amount(self, statistic: Callable[[Floats], Floats]) -> Amount:
        """A statistic of the masses of all pieces."""
        return Amount(float(statistic(self.masses)), None if self.redrawn is None else statistic(self.redrawn))

    @cached_property
    def outermost(self) -> list[Outermost]:
        """Rows at either end of which nobody knows where they lie: of the last bin that has several values.

        They are as many as noise hides, and all of them may be among the rows that are asked about.
        """
        bins, noise = self.field.bins, fine_noise(self.asked.statement)
        if bins is None or bins.shape is None or noise is None:
            return []
        several = np.append(bins.grid[1] > bins.grid[0], np.zeros(self.field.size - bins.count, dtype=np.bool_))
        codes = self.line.code[several[self.line.code] & (self.line.part > 0)]
        if not len(codes):
            return []
        return [self._outermost(int(codes[at]), sqrt(noise[1]), top=top) for at, top in ((0, False), (-1, True))]

    def _outermost(self, code: int, deviation: float, *, top: bool) -> Outermost:
        """Those of one bin, if noise has such a deviation. What was clipped lies at the end of the range."""
        here, total = self.line.code == code, float(self.masses.sum())
        farthest = float(self.line.high[here].max() if top else self.line.low[here].min())
        bins = number_line(self.field, everything(self.field))
        heaped = self.field.outside == "clip" and farthest == bins.ends[int(top)]
        rows = deviation / max(self._rows * total, 1e-9)

        def those(deviations: float) -> Outermost:
            share = min(deviations * rows, float(self.masses[here].sum()) / total)
            return Outermost.of(self.line, self.masses, share, farthest, top=top, heaped=heaped)

        return those(HIDDEN_AT_AN_END) if heaped else those(unseen(those(UNSEEN), bins.ends))

    def if_at_the_end(self, *, spread: bool) -> tuple[float, float, float]:
        """What the mean would be, or the variance (`spread`), if all outermost rows of one end lay at it.

        With it, by how many widths of its interval it lies beyond that, and the share of these rows.
        """
        found = self.variance if spread else self.mean
        error = found.error(found.value, found.value)
        if error is None or not self.outermost:
            return found.value, 0.0, 0.0
        end = max(self.outermost, key=lambda end: abs(end.to_the_end[spread]))
        move, (below, above) = end.to_the_end[spread], reaches(error, found.astray)
        beyond = move - above if move > 0 else -move - below
        return found.value + move, beyond / max(below + above, _ROUNDING), end.share

    @cached_property
    def _rows(self) -> float:
        """How many rows fulfil what the conditions say of other columns."""
        wanted = needed(self.asked.schema, self.others)
        return self.asked.statement.n_rows * self.asked.probability(wanted, {}, errors=False).value

    def quantile(self, statistic: str, level: float) -> Figure:
        """A quantile; its interval are those quantiles that noise may have moved the level to."""
        line, scale = self.line, scale_of(self.field, points=True)
        value = line.quantile(self.masses, np.asarray(level))
        figure = Figure(statistic=statistic, value=scale.value(float(value)), unit=scale.unit)
        if self.redrawn is None:
            return figure
        error = max(self._error_up_to(float(value), below=below) for below in (False, True))
        low, high = (self._farthest(level, float(value), error, up=up) for up in (False, True))
        low, high = self._outwards(level, low, high)
        spread = Amount(float(value), line.quantile(self.redrawn, np.asarray(level))).error(*line.ends) or 0.0
        return Figure(
            statistic=statistic,
            value=figure.value,
            standard_error=None if scale.error is None else spread * scale.error,
            low=scale.value(low),
            high=scale.value(high),
            unit=scale.unit,
        )

    def _outwards(self, level: float, low: float, high: float) -> tuple[float, float]:
        """An interval of a quantile as far out as noise hides rows: along a tail, and where it hides more, anywhere."""
        for end, beyond, up in zip(self.outermost, (level, 1 - level), (False, True), strict=False):
            if beyond < end.share:
                low, high = (low, max(high, end.reaching(beyond))) if up else (min(low, end.reaching(beyond)), high)
        ends = self.line.ends
        return ends[0] if level < self.hidden[0] else low, ends[1] if 1 - level < self.hidden[1] else high

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
        cut = up_to(self.kept, value, below=below)
        return reaches(error, self.asked.astray(cut, self.estimate.probabilities / float(self.masses.sum())))

    def _value_at(self, level: float) -> float:
        return float(self.line.quantile(self.masses, np.asarray(level)))

    def _error_up_to(self, value: float, *, below: bool) -> float:
        """The error of the share of rows up to a value; `below`: without the value itself."""
        cut = up_to(self.kept, value, below=below)
        line = self._line(cut_shape(self.field, cut.spans))
        masses, redrawn = line.masses(self.estimate.probabilities), self._redrawn(cut, line, shares_alone=True)
        shares = [line.share_up_to(one, np.asarray(value), below=below) for one in (masses, redrawn) if one is not None]
        return Amount(float(shares[0]), shares[-1]).error(0.0, 1.0) or 0.0


def impossible(field: Field, why: str | None = None) -> str:
    """A sentence for conditions under which a column has no numbers."""
    because = why or "under the model they have probability 0"
    return f"the conditions leave no row with a value of '{field.name}' that counts: {because}. Loosen them."
