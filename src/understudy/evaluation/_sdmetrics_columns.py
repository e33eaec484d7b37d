"""SDMetrics' measures of single columns, and Column Shapes, the average of two of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.evaluation._measure import TABLES_GROUP, Direction, MeasureInput, Need
from understudy.evaluation._pair import Pair, Progress
from understudy.evaluation._reference import References
from understudy.evaluation._result import MeasureResult
from understudy.evaluation._sdmetrics import NOT_DEFINED, Scored, Scores, scored_result
from understudy.evaluation._values import Floats, Ints, ValueColumn, value_columns

_DECIMALS = 14  # SDMetrics compares distributions of numbers rounded to so many


def measure_sdmetrics_columns(
    pair: Pair, references: References, *, progress: Progress | None = None
) -> list[MeasureResult]:
    """Column Shapes, and SDMetrics' seven measures of single columns. More is better.

    >>> import pyarrow as pa
    >>> from understudy.evaluation import make_references, read_pair
    >>> from understudy.schema import Schema
    >>> schema = Schema.from_dict({"fields": [{"name": "sex", "categories": ["F", "M"]}]})
    >>> pair = read_pair(pa.table({"sex": ["M", "F"]}), pa.table({"sex": ["M", "M", "M", "F"]}), schema)
    >>> [(one.name, one.value) for one in measure_sdmetrics_columns(pair, make_references(pair)) if one.measured][:2]
    [('Column Shapes', 0.75), ('TVComplement', 0.75)]
    """
    if progress is not None:
        progress("SDMetrics' measures of columns", 0, 1)
    columns = value_columns(pair, references)
    found = {one.name: _scores(one, columns) for one in _METRICS}
    shapes = {name: found[name] for name in ("KSComplement", "TVComplement")}
    both = dict(sorted((shapes["KSComplement"] | shapes["TVComplement"]).items()))
    everything = [
        Scored("Column Shapes", "SDMetrics: do columns have the right distributions?", both, shapes),
        *(Scored(one.name, one.question, found[one.name]) for one in _METRICS),
    ]
    return [scored_result(SDMETRICS_COLUMNS, columns, scored, width=1) for scored in everything]


class SDMetricsColumns:
    """What SDMetrics says of single columns."""

    name = "SDMetrics, columns"
    group = TABLES_GROUP
    direction: Direction = "more"
    synonym = "SDMetrics"
    needs: frozenset[Need] = frozenset({"values"})

    def compute(self, given: MeasureInput) -> Sequence[MeasureResult]:
        """What it finds."""
        return measure_sdmetrics_columns(given.pair, given.references, progress=given.progress)


SDMETRICS_COLUMNS = SDMetricsColumns()


def _ks_complement(real: Floats, other: Floats) -> float:
    """One minus the Kolmogorov-Smirnov statistic: the largest difference of the distribution functions."""
    here, there = (np.sort(np.round(values[~np.isnan(values)], _DECIMALS)) for values in (real, other))
    if not len(here) or not len(there):
        return NOT_DEFINED
    at = np.concatenate([values[np.append(values[1:] != values[:-1], True)] for values in (here, there)])  # each once
    below = [np.searchsorted(values, at, side="right") / len(values) for values in (here, there)]
    return 1 - float(np.abs(below[0] - below[1]).max())


def _range_coverage(real: Floats, other: Floats) -> float:
    here, there = real[~np.isnan(real)], other[~np.isnan(other)]
    if not len(here) or not len(there) or here.min() == here.max():
        return NOT_DEFINED
    width = here.max() - here.min()
    lost = max(0.0, (there.min() - here.min()) / width) + max(0.0, (here.max() - there.max()) / width)
    return float(max(0.0, 1 - lost))


def _boundary_adherence(real: Floats, other: Floats) -> float:
    here = real[~np.isnan(real)]
    # Missing cells are left out if the real column has some, and count as out of bounds if it has none.
    judged = other[~np.isnan(other)] if len(here) < len(real) else other
    if not len(judged):
        return NOT_DEFINED
    return float(np.mean((judged >= here.min()) & (judged <= here.max()))) if len(here) else 0.0


def _tv_complement(real: Ints, other: Ints) -> float:
    here, there = real[real >= 0], other[other >= 0]
    if not len(here) or not len(there):
        return NOT_DEFINED
    size = int(max(here.max(), there.max())) + 1
    shares = [np.bincount(values, minlength=size) / len(values) for values in (here, there)]
    return 1 - float(np.abs(shares[0] - shares[1]).sum()) / 2


def _category_coverage(real: Ints, other: Ints) -> float:
    here, there = (_occurs(values)[1:] for values in (real, other))
    common = min(len(here), len(there))
    return float((here[:common] & there[:common]).sum() / here.sum()) if here.any() else NOT_DEFINED


def _category_adherence(real: Ints, other: Ints) -> float:
    here = _occurs(real)
    return float((here[np.minimum(other + 1, len(here) - 1)] & (other + 1 < len(here))).mean())


def _occurs(values: Ints) -> npt.NDArray[np.bool_]:
    """First whether something is missing, then for each kind of value up to the largest whether it occurs."""
    return np.asarray(np.bincount(values + 1) > 0)


def _missing_similarity(real: npt.NDArray[Any], other: npt.NDArray[Any]) -> float:
    missing = [np.isnan(values) if values.dtype.kind == "f" else values < 0 for values in (real, other)]
    return 1 - abs(float(missing[0].mean()) - float(missing[1].mean()))


class _Metric(NamedTuple):
    name: str
    score: Callable[[Any, Any], float]
    continuous: bool | None
    """Whether it is for columns with bins, for those without, or (None) for all."""
    question: str


_METRICS = (
    _Metric("KSComplement", _ks_complement, True, "SDMetrics: do numbers and dates have the right distributions?"),
    _Metric("TVComplement", _tv_complement, False, "SDMetrics: do categories have the right shares?"),
    _Metric("RangeCoverage", _range_coverage, True, "SDMetrics: do numbers and dates reach as far as the real ones?"),
    _Metric("CategoryCoverage", _category_coverage, False, "SDMetrics: does every category of the real table occur?"),
    _Metric(
        "BoundaryAdherence",
        _boundary_adherence,
        True,
        "SDMetrics: do numbers and dates stay between the smallest and the largest real one?",
    ),
    _Metric(
        "CategoryAdherence", _category_adherence, False, "SDMetrics: are all categories among those of the real table?"
    ),
    _Metric("MissingValueSimilarity", _missing_similarity, None, "SDMetrics: is as much missing as in the real table?"),
)


def _scores(metric: _Metric, columns: Sequence[ValueColumn]) -> Scores:
    return {
        (i,): np.array([metric.score(column.tables[0], held) for held in column.tables[1:]])
        for i, column in enumerate(columns)
        if metric.continuous in (None, column.continuous)
    }
