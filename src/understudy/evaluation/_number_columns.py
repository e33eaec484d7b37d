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
from understudy.evaluation._fresh_numbers import Chance, chance_of
from understudy.evaluation._group_means import group_means
from understudy.evaluation._number_bars import make_bars
from understudy.evaluation._number_errors import Told
from understudy.evaluation._numbers import (
    DAY,
    ERRORS,
    FREQUENT,
    MISSING,
    Error,
    Figures,
    NumberColumn,
    Spike,
    in_unit,
    shown,
)
from understudy.evaluation._pair import Pair
from understudy.evaluation._reference import References, reference_coins
from understudy.evaluation._supports import Support
from understudy.evaluation._ties import clear_ties
from understudy.evaluation._verdict import HANDFUL
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
    amounts: dict[str, tuple[Floats, Floats]] = {}
    for i in places:
        real, *synthetic = (_as_numbers(table[i]) for table in pair.values)
        # categories come back as they are
        through = [drawn.get(i, real)] if binned else []
        field = pair.schema.fields[i]
        known[field.name] = [real, *synthetic, real[rows], *through]
        one = _compare(_Kind.of(field), references.seed, real, synthetic, real[rows], *through)
        codes = [value for _, value, is_code in _Kind.of(field).special if is_code]
        amounts[field.name] = (_amounts(real, codes), _amounts(synthetic[0], codes))
        groups = group_means(pair, i, *amounts[field.name], amounts=one.column.ratios)
        evenly = fillable and _evenly_filled(field)
        found.append(replace(one, column=replace(one.column, evenly=evenly, groups=groups)))
    own, made = ({name: sides[at] for name, sides in amounts.items()} for at in (0, 1))
    ties = clear_ties(own, made, streams(references.seed).get("evaluate", "ties"))
    found = [replace(one, column=replace(one.column, ties=ties[one.column.name])) for one in found]
    return found + _compare_differences(pair.schema, references.seed, known, len(pair.synthetic))


def _compare_differences(
    schema: Schema, seed: int, known: Mapping[str, list[Floats]], n_synthetic: int
) -> list[Compared]:
    """What lies between columns that are declared to be in order: right columns can be wrongly far apart."""
    found = []
    for between in differences(schema, known):
        real, *others = between.tables
        synthetic, (fresh, *through) = others[:n_synthetic], others[n_synthetic:]
        kind = _Kind(between.name, between.type, unit=between.unit)
        one = _compare(kind, seed, real, synthetic, fresh, *through)
        found.append(replace(one, column=replace(one.column, difference=True)))
    return found


def _amounts(values: Floats, special: Sequence[float]) -> Floats:
    """Without special values that are codes."""
    return np.where(np.isin(values, special), np.nan, values) if special else values


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
    kind: _Kind, seed: int, real: Floats, synthetic: Sequence[Floats], fresh: Floats, binned: Floats | None = None
) -> Compared:
    tables = [real, *synthetic, fresh, *([] if binned is None else [binned])]
    codes = np.array([value for _, value, is_code in kind.special if is_code])
    support = Support.of([table[~(np.isnan(table) | np.isin(table, codes))] for table in tables])
    figures = [support.figures(row) for row in range(len(tables))]
    shares = _shares(kind, support, tables)
    told = Told(support, figures, shares, _scale(figures[0], kind))
    chance = _chance(kind, seed, told, n_real=len(real), rows=len(synthetic[0]))
    k = len(synthetic)
    each = {name: np.array([told.error(name, 0, row) for row in range(1, k + 1)]) for name in ERRORS}
    at = None if binned is None else k + 2
    errors = {
        name: Error(
            _mean(each[name]),
            chance.errors[name],
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
            Spike(
                label,
                float(own[0]),
                float(own[1]),
                float(own[k + 1]),
                None if at is None else float(own[at]),
                by_chance=chance.spikes[label],
            )
            for label, own in shares.items()
        ),
        without_few=(support.deviation_without(0, HANDFUL - 1), support.deviation_without(1, HANDFUL - 1)),
        apart=int(support.totals[0] - support.counts[0].max(initial=0)),
        ratios=kind.type in ("integer", "number") and _on_one_side(support),
        bars=make_bars(support, kind.type, [len(table) for table in tables[:2]]),
    )
    return Compared(column, each)


def _chance(kind: _Kind, seed: int, told: Told, *, n_real: int, rows: int) -> Chance:
    """What fresh samples of the real column show, in a table of so many rows, missing cells and codes among them."""
    return chance_of(
        told.support.values,
        told.support.counts[0],
        rows=round(rows * int(told.support.totals[0]) / n_real),
        shares={label: float(own[0]) for label, own in told.shares.items()},
        all_rows=rows,
        scale=told.scale,
        rng=streams(seed).get("evaluate", "fresh numbers", kind.name),
    )


def _on_one_side(support: Support) -> bool:
    """Whether all real values are on one side of 0, so that an error can be told as a part of the mean."""
    own = support.values[support.counts[0] > 0]
    return bool(len(own)) and bool(own[0] >= 0 or own[-1] <= 0)


def _is_number(field: Field, special: float) -> bool:
    """Whether a special value is an amount that has a bin of its own, such as 0, and no code such as −1 or 999."""
    if field.bins is not None and field.bins.minimum <= special <= field.bins.maximum:
        return True
    return special == 0 and field.type in ("integer", "number")


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
    return found | ({MISSING: missing} if missing[:2].any() else {})


def _spike_text(kind: _Kind, value: float) -> str:
    """In full: two values of one text would be one spike."""
    if kind.type in ("date", "datetime"):
        return shown(kind.type, value)
    return in_unit(str(int(value)) if value == round(value) and abs(value) < 1e15 else repr(value), kind.unit)


def _mean(values: npt.NDArray[Any]) -> float:
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else float("nan")
