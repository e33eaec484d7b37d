"""Columns of numbers and dates of a pair, held against each other value by value. Private to the holder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from understudy._core.randomness import streams
from understudy.evaluation._differences import differences
from understudy.evaluation._number_bars import make_bars
from understudy.evaluation._numbers import DAY, ERRORS, FREQUENT, Error, Figures, NumberColumn, Spike, in_unit, shown
from understudy.evaluation._pair import Pair
from understudy.evaluation._reference import References, reference_coins
from understudy.evaluation._supports import Support, same
from understudy.schema import Field, Schema
from understudy.tables import InOrderDraw, Kinds, Values, decode_batch, read_loosely

Floats = npt.NDArray[np.float64]
_TYPES = ("integer", "number", "year", "date", "datetime")


@dataclass(frozen=True, eq=False)
class Compared:
    """One column, and its errors in each of the synthetic tables."""

    column: NumberColumn
    each: Mapping[str, Floats]


def number_fields(pair: Pair) -> list[int]:
    """Which columns hold numbers or dates with an order: those with bins, and ordered categories that are numbers."""
    return [
        i
        for i, field in enumerate(pair.schema.fields)
        if field.type in _TYPES and (field.bins is not None or (field.ordered and bool(field.categories)))
    ]


def compare_numbers(pair: Pair, references: References, *, binned: bool) -> list[Compared]:
    """Every such column. `binned` says that the synthetic table was drawn from the bins of the pair's schema."""
    places = number_fields(pair)
    if pair.values is None or not places:
        return []
    rows = reference_coins(references.seed)[0].integers(pair.real.n, size=pair.first.n)
    drawn = _drawn_back(pair, places, references.seed) if binned else {}
    # beside a sensitivity there is no histogram that could fill them otherwise
    fillable = binned and not any(field.sensitivity for field in pair.schema.fields)
    found = []
    known: dict[str, list[Floats]] = {}
    for i in places:
        real, *synthetic = (_as_numbers(table[i]) for table in pair.values)
        # categories come back as they are
        through = [drawn.get(i, real)] if binned else []
        field = pair.schema.fields[i]
        known[field.name] = [real, *synthetic, real[rows], *through]
        one = _compare(_Kind.of(field), real, synthetic, real[rows], *through)
        found.append(replace(one, column=replace(one.column, evenly=fillable and _evenly_filled(field))))
    return found + _compare_differences(pair.schema, known, len(pair.synthetic))


def _compare_differences(schema: Schema, known: Mapping[str, list[Floats]], n_synthetic: int) -> list[Compared]:
    """What lies between columns that are declared to be in order: right columns can be wrongly far apart."""
    found = []
    for between in differences(schema, known):
        real, *others = between.tables
        synthetic, (fresh, *through) = others[:n_synthetic], others[n_synthetic:]
        kind = _Kind(between.name, between.type, unit=between.unit)
        one = _compare(kind, real, synthetic, fresh, *through)
        found.append(replace(one, column=replace(one.column, difference=True)))
    return found


def _as_numbers(values: Values) -> Floats:
    """Numbers, NaN where missing, also of a column of categories."""
    if not isinstance(values, Kinds):
        return values
    known = [float(value) if isinstance(value, int | float) else float("nan") for value in values.known]
    return np.array([*known, float("nan")])[values.places]


def _drawn_back(pair: Pair, places: Sequence[int], seed: int) -> dict[int, Floats]:
    """Real values put through the bins of the schema and drawn back: bins and histograms in them alone."""
    cut = [i for i in places if pair.schema.fields[i].bins is not None]
    if not cut:
        return {}
    schema = pair.schema.only({pair.names[i] for i in cut})
    codes = [pair.real.columns[i] for i in cut]
    inside = [np.minimum(own, pair.schema.fields[i].size - 1) for i, own in zip(cut, codes, strict=True)]
    in_order = InOrderDraw.as_in(schema, inside)
    batch = decode_batch(schema, inside, streams(seed).get("evaluate", "binned"), in_order=in_order)
    read = read_loosely(pa.Table.from_batches([batch]), schema, values=True)
    if read.values is None:
        return {}
    return {
        i: np.where(own < pair.schema.fields[i].size, _as_numbers(values), np.nan)
        for i, own, values in zip(cut, codes, read.values, strict=True)
    }


def _evenly_filled(field: Field) -> bool:
    bins = field.bins
    return bins is not None and bins.shape is None and bool((bins.grid[1] > bins.grid[0]).any())


@dataclass(frozen=True)
class _Kind:
    """What is declared of the numbers to compare, be they a column's or the differences of two."""

    name: str
    type: str
    special: tuple[tuple[str, float, bool], ...] = ()
    """Special values: how each is called, and whether it is a code and no amount."""
    reach: float = 0.0
    """From the least to the largest possible value."""
    unit: str = ""

    @classmethod
    def of(cls, field: Field) -> _Kind:
        unit = DAY if field.type == "date" else 1
        special = [(c.label, float(c.value)) for c in field.special]
        reach = 0.0 if field.bins is None else float(field.bins.maximum) - float(field.bins.minimum)
        return cls(
            name=field.name,
            type=field.type,
            special=tuple((label, value * unit, not _is_number(field, value)) for label, value in special),
            reach=reach * unit,
        )


def _compare(
    kind: _Kind, real: Floats, synthetic: Sequence[Floats], fresh: Floats, binned: Floats | None = None
) -> Compared:
    tables = [real, *synthetic, fresh, *([] if binned is None else [binned])]
    codes = np.array([value for _, value, is_code in kind.special if is_code])
    support = Support.of([table[~(np.isnan(table) | np.isin(table, codes))] for table in tables])
    figures = [support.figures(row) for row in range(len(tables))]
    shares = _shares(kind, support, tables)
    told = _Told(support, figures, shares, _scale(figures[0], kind))
    k = len(synthetic)
    each = {name: np.array([told.error(name, 0, row) for row in range(1, k + 1)]) for name in ERRORS}
    at = None if binned is None else k + 2
    errors = {
        name: Error(
            _mean(each[name]),
            told.error(name, 0, k + 1),
            None if at is None else told.error(name, 0, at),
            None if at is None else _mean(np.array([told.error(name, at, row) for row in range(1, k + 1)])),
        )
        for name in ERRORS
    }
    column = NumberColumn(
        name=kind.name,
        type=kind.type,
        unit=kind.unit,
        real=figures[0],
        synthetic=figures[1],
        fresh_sample=figures[k + 1],
        binned=None if at is None else figures[at],
        left_out=tuple(label for label, _, is_code in kind.special if is_code),
        errors=errors,
        spikes=tuple(
            Spike(label, float(own[0]), float(own[1]), float(own[k + 1]), None if at is None else float(own[at]))
            for label, own in shares.items()
        ),
        bars=make_bars(support, kind.type, [len(table) for table in tables[:2]]),
    )
    return Compared(column, each)


@dataclass(frozen=True, eq=False)
class _Told:
    """What is known of one column in every table; tables are numbered."""

    support: Support
    figures: Sequence[Figures]
    shares: Mapping[str, Floats]
    scale: float

    def error(self, name: str, one: int, other: int) -> float:
        """How far the second table is off the first; lengths in the real column's deviations. NaN if nobody can say."""
        here, there = self.figures[one], self.figures[other]
        if name == "spikes":
            return max((abs(float(own[one] - own[other])) for own in self.shares.values()), default=0.0)
        if not here.rows or not there.rows:
            return float(bool(here.rows) != bool(there.rows)) if name == "KS" else float("nan")
        if name == "KS":
            return self.support.kolmogorov_smirnov(one, other)
        if name == "Wasserstein":
            return self.support.wasserstein(one, other) / self.scale
        if name == "deviation":
            real = self.figures[0].deviation
            return 0.0 if same(here.deviation, there.deviation) else _ratio(abs(here.deviation - there.deviation), real)
        if name == "quantiles":
            ends = ((here.p05, there.p05), (here.p25, there.p25), (here.p75, there.p75), (here.p95, there.p95))
            return sum(abs(a - b) for a, b in ends) / len(ends) / self.scale
        return float(abs(getattr(here, name) - getattr(there, name))) / self.scale


def _is_number(field: Field, special: float) -> bool:
    """Whether a special value is an amount that has a bin of its own, such as 0, and no code such as −1 or 999."""
    if field.bins is not None and field.bins.minimum <= special <= field.bins.maximum:
        return True
    return special == 0 and field.type in ("integer", "number")


def _ratio(gap: float, whole: float) -> float:
    """A gap as a part of the whole; a column that does not vary has none, and a gap is as large as can be."""
    return gap / whole if isfinite(gap) and isfinite(whole) and whole > 0 else 1.0 if isfinite(gap) else float("nan")


def _scale(real: Figures, kind: _Kind) -> float:
    """What lengths are measured in: the real deviation, or the declared range of a column that does not vary."""
    return real.deviation if isfinite(real.deviation) and real.deviation > 0 else kind.reach or 1.0


def _shares(kind: _Kind, support: Support, tables: Sequence[Floats]) -> dict[str, Floats]:
    """Shares of all rows, table by table: of values that are frequent in the real or the synthetic one, of special
    values, and of missing cells."""
    n = np.array([len(table) for table in tables], dtype=np.float64)
    often = support.counts / n[:, None]
    chosen: dict[int, None] = {}
    for row in (0, 1):
        order = np.argsort(-often[row], kind="stable")[: round(1 / FREQUENT)]
        chosen |= dict.fromkeys(int(at) for at in order if often[row, at] >= FREQUENT)
    own = {value for _, value, _ in kind.special}
    found = {_spike_text(kind, v): often[:, at] for at in chosen if (v := float(support.values[at])) not in own}
    for label, value, _ in kind.special:
        found[label] = np.array([float((table == value).mean()) for table in tables])
    missing = np.array([float(np.isnan(table).mean()) for table in tables])
    return found | ({"missing": missing} if missing[:2].any() else {})


def _spike_text(kind: _Kind, value: float) -> str:
    """In full: two values of one text would be one spike."""
    if kind.type in ("date", "datetime"):
        return shown(kind.type, value)
    return in_unit(str(int(value)) if value == round(value) and abs(value) < 1e15 else repr(value), kind.unit)


def _mean(values: npt.NDArray[Any]) -> float:
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else float("nan")
