"""Numbers and dates as an analyst will see them: not in bins, but value by value. Private to the holder.

A release that gets the number of rows in each bin right can get every mean wrong: values drawn evenly from a bin are
not where they were. So means, medians, deviations, quantiles and frequent values are compared as pandas would find
them in the two tables. Missing cells and special values that are codes (−1, 999; not 0, nor any in the declared range)
are in no mean; their shares are compared among the frequent values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from understudy.evaluation._measure import NUMBERS_GROUP, Direction, MeasureInput, Need
from understudy.evaluation._number_columns import Compared, compare_numbers, number_fields
from understudy.evaluation._numbers import DAY, ERRORS, LIMITS, NumberColumn
from understudy.evaluation._pair import Pair, Progress
from understudy.evaluation._reference import References
from understudy.evaluation._result import MeasureResult
from understudy.evaluation._summary import not_measured, over_tables
from understudy.evaluation._verdict import beside_references, columns_named, number, points

QUESTION = "Are numbers right, value by value?"
_SHARES = ("KS", "deviation", "spikes")
_DEFINITIONS = {
    "KS": "Kolmogorov–Smirnov distance of raw values, average over columns",
    "Wasserstein": "Wasserstein distance of raw values in standard deviations, average over columns",
    "mean": "error of the mean in standard deviations, average over columns",
    "median": "error of the median in standard deviations, average over columns",
    "deviation": "error of the standard deviation as a part of it, average over columns",
    "quantiles": "error of the 5, 25, 75 and 95 % quantiles in standard deviations, average over columns",
    "spikes": "largest error of a frequent, special or missing value's share, average over columns",
}
_IN_DAYS = {
    "mean": "are days since 1970",
    "median": "are days since 1970",
    "deviation": "have theirs in days",
    "quantiles": "are days since 1970",
}
_CALLED = {
    "KS": "Distributions of raw values",
    "Wasserstein": "Raw values, moved as little as possible",
    "mean": "Means",
    "median": "Medians",
    "deviation": "Standard deviations",
    "quantiles": "Quantiles (5, 25, 75, 95 %)",
    "spikes": "Frequent values",
}


def raw_name(error: str) -> str:
    """What the result about this error is called.

    >>> raw_name("mean")
    'raw mean'
    """
    return f"raw {error}"


def measure_raw_values(
    pair: Pair, references: References, *, binned: bool = False, progress: Progress | None = None
) -> list[MeasureResult]:
    """One result for each error of raw values, from Kolmogorov–Smirnov distance to the shares of frequent values.

    Args:
        pair: the tables.
        references: of these, the fresh sample is drawn again, as values.
        binned: whether the synthetic table was drawn from the bins of the pair's schema: then what these alone lose is
            told apart from what noise loses.
        progress: called with what is being done, how much of it is done, and how much there is.

    >>> from understudy.evaluation import make_references, read_pair
    >>> from understudy.schema import Schema
    >>> schema = Schema.from_dict({"fields": [{"name": "age", "type": "integer", "bins": 2,
    ...     "constraints": {"minimum": 0, "maximum": 99}}]})
    >>> pair = read_pair(pa.table({"age": [20, 30, 40]}), pa.table({"age": [20, 30, 70]}), schema)
    >>> [(one.name, round(one.value, 3)) for one in measure_raw_values(pair, make_references(pair))][:3]
    [('raw KS', 0.333), ('raw Wasserstein', 1.0), ('raw mean', 1.0)]
    """
    if not number_fields(pair):
        return []
    if pair.values is None:
        why = "the tables were given as codes of bins, so nothing is known of the values themselves"
        return [not_measured(RAW_VALUES, raw_name("KS"), QUESTION, definition=_DEFINITIONS["KS"], why=why)]
    if progress is not None:
        progress("numbers, value by value", 0, 1)
    found = compare_numbers(pair, references, binned=binned)
    return [_result(name, found) for name in ERRORS]


class RawValues:
    """Whether numbers and dates are right, value by value."""

    name = "raw values"
    group = NUMBERS_GROUP
    direction: Direction = "less"
    synonym = None
    needs: frozenset[Need] = frozenset()

    def compute(self, given: MeasureInput) -> Sequence[MeasureResult]:
        """What it finds."""
        return measure_raw_values(given.pair, given.references, binned=given.model is not None, progress=given.progress)


RAW_VALUES = RawValues()


def _result(name: str, found: Sequence[Compared]) -> MeasureResult:
    columns = [one.column for one in found]
    errors = [column.errors[name] for column in columns]
    defined = [i for i, error in enumerate(errors) if np.isfinite(error.value)]
    definition = _DEFINITIONS[name]
    if not defined:
        why = "no column has numbers in both tables"
        return not_measured(RAW_VALUES, raw_name(name), QUESTION, definition=definition, why=why)
    each = np.array([found[i].each[name] for i in defined])
    value, interval = over_tables([float(mean) for mean in np.nanmean(each, axis=0)])
    fresh = float(np.nanmean([errors[i].fresh_sample for i in defined]))
    worst = max(defined, key=lambda i: errors[i].value)
    unit: Literal["share", "number"] = "share" if name in _SHARES else "number"
    if name in _IN_DAYS and any(column.moments for column in columns):
        definition += f"; in detail, dates {_IN_DAYS[name]}"
    return MeasureResult(
        RAW_VALUES,
        raw_name(name),
        QUESTION,
        definition=definition,
        value=value,
        fresh_sample=fresh,
        score=max(0.0, 1 - value) if unit == "share" else 1 / (1 + value),
        scope=_scope(columns),
        worst=((columns[worst].name,), errors[worst].value),
        interval=interval,
        details=_details(name, columns),
        from_zero=True,
        unit=unit,
        limits=LIMITS[name],
        numbers=tuple(columns) if name == ERRORS[0] else (),
        verdict=_verdict(name, value, fresh, columns, worst, unit == "share"),
    )


def _scope(columns: Sequence[NumberColumn]) -> str:
    gaps = sum(column.difference for column in columns)
    own = len(columns) - gaps
    said = f"all {own:,} numbers and dates" if own > 1 else "the only number or date"
    between = f"{gaps:,} difference{'s' if gaps > 1 else ''} of columns in a declared order"
    return f"{said}, and {between}" if gaps else said


def _verdict(name: str, value: float, fresh: float, columns: Sequence[NumberColumn], worst: int, share: bool) -> str:
    column, error = columns[worst], columns[worst].errors[name]
    off = " points" if share else " deviations"

    def written(one: float) -> str:
        return (points(one) if share else number(one)) + off

    said = f"{_CALLED[name]}: off by {written(value)} on average"
    if error.value:
        said += f", {written(error.value)} at worst, in {columns_named([column.name])}{_example(name, column)}"
    said += f". {beside_references(value, fresh, shown=written)}"
    lost = [(one.errors[name].binning, one.errors[name].noise) for one in columns]
    known = np.array([pair for pair in lost if None not in pair], dtype=np.float64)
    if len(known) and np.isfinite(known).any(axis=0).all():
        binning, noise = np.nanmean(known, axis=0)
        said += f" Lost by bins and what is inside them: {written(float(binning))}; by noise of the model's tables: "
        said += f"{written(float(noise))}."
    return said


def _example(name: str, column: NumberColumn) -> str:
    real, synthetic = column.real, column.synthetic
    if name in ("mean", "median"):
        return f" ({column.text(getattr(real, name))} became {column.text(getattr(synthetic, name))})"
    if name == "deviation":
        return f" ({column.length(real.deviation)} became {column.length(synthetic.deviation)})"
    if name == "spikes" and column.spikes:
        spike = max(column.spikes, key=lambda one: one.error)
        return f" ({spike.value}: {points(spike.real)} % became {points(spike.synthetic)} %)"
    return ""


def _details(name: str, columns: Sequence[NumberColumn]) -> pa.Table:
    """One row a column, worst first. Dates are days since 1970."""
    errors = [column.errors[name] for column in columns]
    order = sorted(range(len(columns)), key=lambda i: -errors[i].value if np.isfinite(errors[i].value) else 0.0)
    found: dict[str, Any] = {
        "column": pa.array([columns[i].name for i in order], pa.string()),
        "error": _floats([errors[i].value for i in order]),
        "fresh_sample": _floats([errors[i].fresh_sample for i in order]),
        "lost_by_binning": _floats([errors[i].binning for i in order]),
        "lost_by_noise": _floats([errors[i].noise for i in order]),
    }
    if name == "spikes":
        top = [max(columns[i].spikes, key=lambda one: one.error, default=None) for i in order]
        found["value"] = pa.array([None if spike is None else spike.value for spike in top], pa.string())
        for side in ("real", "synthetic"):
            found[side] = _floats([None if spike is None else getattr(spike, side) for spike in top])
    shown = {"quantiles": ("p05", "p25", "p75", "p95")}.get(name, (name,) if name in LIMITS else ())
    for figure in () if name in ("KS", "Wasserstein", "spikes") else shown:
        for side in ("real", "synthetic"):
            found[f"{side}_{figure}"] = _floats([_figure(columns[i], side, figure) for i in order])
    return pa.table(found)


def _figure(column: NumberColumn, side: str, figure: str) -> float:
    value = float(getattr(getattr(column, side), figure))
    return value / DAY if column.moments else value


def _floats(values: Sequence[float | None]) -> pa.Array:
    return pa.array(values, pa.float64(), from_pandas=True)
