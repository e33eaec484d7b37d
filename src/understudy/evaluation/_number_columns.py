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
from understudy.evaluation._number_bars import make_bars
from understudy.evaluation._numbers import DAY, ERRORS, FREQUENT, Error, Figures, NumberColumn, Spike, shown
from understudy.evaluation._pair import Pair
from understudy.evaluation._reference import References, reference_coins
from understudy.evaluation._supports import Support, same
from understudy.schema import Field
from understudy.tables import Kinds, Values, decode_batch, read_loosely

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
    for i in places:
        real, *synthetic = (_as_numbers(table[i]) for table in pair.values)
        # categories come back as they are
        through = drawn.get(i, real) if binned else None
        field = pair.schema.fields[i]
        one = _compare(field, real, synthetic, real[rows], through)
        found.append(replace(one, column=replace(one.column, evenly=fillable and _evenly_filled(field))))
    return found


def _as_numbers(values: Values) -> Floats:
    """Numbers, NaN where missing, also of a column of categories."""
    if not isinstance(values, Kinds):
        return values
    known = [float(value) if isinstance(value, int | float) else float("nan") for value in values.known]
    return np.array([*known, float("nan")])[values.places]


def _drawn_back(pair: Pair, places: Sequence[int], seed: int) -> dict[int, Floats]:
    """Real values put through the bins of the schema and drawn back, without any noise: what binning alone does."""
    cut = [i for i in places if pair.schema.fields[i].bins is not None]
    if not cut:
        return {}
    schema = pair.schema.only({pair.names[i] for i in cut})
    codes = [pair.real.columns[i] for i in cut]
    inside = [np.minimum(own, pair.schema.fields[i].size - 1) for i, own in zip(cut, codes, strict=True)]
    batch = decode_batch(schema, inside, streams(seed).get("evaluate", "binned"))
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


def _compare(field: Field, real: Floats, synthetic: Sequence[Floats], fresh: Floats, binned: Floats | None) -> Compared:
    tables = [real, *synthetic, fresh, *([] if binned is None else [binned])]
    unit = DAY if field.type == "date" else 1
    special = np.array([float(c.value) * unit for c in field.special], dtype=np.float64)
    codes = np.array([float(c.value) * unit for c in field.special if not _is_number(field, float(c.value))])
    support = Support.of([table[~(np.isnan(table) | np.isin(table, codes))] for table in tables])
    figures = [support.figures(row) for row in range(len(tables))]
    shares = _shares(field, support, tables, special)
    told = _Told(support, figures, shares, _scale(figures[0], field))
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
        name=field.name,
        type=field.type,
        real=figures[0],
        synthetic=figures[1],
        fresh_sample=figures[k + 1],
        binned=None if at is None else figures[at],
        left_out=tuple(c.label for c in field.special if not _is_number(field, float(c.value))),
        errors=errors,
        spikes=tuple(
            Spike(label, float(own[0]), float(own[1]), float(own[k + 1]), None if at is None else float(own[at]))
            for label, own in shares.items()
        ),
        bars=make_bars(support, field, [len(table) for table in tables[:2]]),
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


def _scale(real: Figures, field: Field) -> float:
    """What lengths are measured in: the real deviation, or the declared range of a column that does not vary."""
    if isfinite(real.deviation) and real.deviation > 0:
        return real.deviation
    reach = 0.0 if field.bins is None else float(field.bins.maximum) - float(field.bins.minimum)
    return (reach * DAY if field.type == "date" else reach) or 1.0


def _shares(field: Field, support: Support, tables: Sequence[Floats], special: Floats) -> dict[str, Floats]:
    """Shares of all rows, table by table: of values that are frequent in the real or the synthetic one, of special
    values, and of missing cells."""
    n = np.array([len(table) for table in tables], dtype=np.float64)
    often = support.counts / n[:, None]
    chosen: dict[int, None] = {}
    for row in (0, 1):
        order = np.argsort(-often[row], kind="stable")[: round(1 / FREQUENT)]
        chosen |= dict.fromkeys(int(at) for at in order if often[row, at] >= FREQUENT)
    own = set(special.tolist())
    found = {_spike_text(field, v): often[:, at] for at in chosen if (v := float(support.values[at])) not in own}
    for value, category in zip(special, field.special, strict=True):
        found[category.label] = np.array([float((table == value).mean()) for table in tables])
    missing = np.array([float(np.isnan(table).mean()) for table in tables])
    return found | ({"missing": missing} if missing[:2].any() else {})


def _spike_text(field: Field, value: float) -> str:
    """In full: two values of one text would be one spike."""
    if field.type in ("date", "datetime"):
        return shown(field.type, value)
    return str(int(value)) if value == round(value) and abs(value) < 1e15 else repr(value)


def _mean(values: npt.NDArray[Any]) -> float:
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else float("nan")
