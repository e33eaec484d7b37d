"""The measures that users of SDMetrics know, under the same names and with the same formulas, on the schema's codes.

SDMetrics (read at 0.32) works on raw values; here a value is its code, so that one reading of the tables serves all
measures. Columns with bins are its numerical and datetime columns, all others its categorical and boolean ones. For
columns without bins the scores are the same. Where they differ:

- **KSComplement** compares distributions at the ends of bins, so it is never below theirs.
- **RangeCoverage** and **BoundaryAdherence** know the smallest and largest value by its bin only.
- **CorrelationSimilarity** is Pearson's, as theirs, of the middles of bins.
- **ContingencySimilarity** of a column with bins uses the schema's; theirs are ten of equal width between the smallest
  and the largest value of each table, so that one bin may mean different values in the real and in the synthetic table.
- Special values stand at their own number. Values outside the schema have none, and as a category are all one.
- **Column Pair Trends** averages over all pairs, as SDMetrics' own property does by itself. Its latest quality reports
  leave out pairs that hardly hang together in the real table (correlation up to 0.5, Cramér's V up to 0.3), and come
  out lower for that.

A score that is not defined (a constant column has no correlation) is left out of the average, as SDMetrics does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from understudy.evaluation._counts import joint_counts
from understudy.evaluation._measure import TABLES_GROUP, Direction, MeasureInput, Need
from understudy.evaluation._pair import Pair, Progress
from understudy.evaluation._reference import References
from understudy.evaluation._result import MeasureResult
from understudy.evaluation._scales import Floats, Scale, scales_of
from understudy.evaluation._summary import not_measured, over_tables
from understudy.evaluation._verdict import columns_named, number
from understudy.tables import Table

Columns: TypeAlias = tuple[int, ...]
Scores: TypeAlias = dict[Columns, Floats]
"""For each column or pair, its score in every table that is held against the real one."""
_NAN = float("nan")
_LEAST_VARIANCE = 1e-12


def measure_sdmetrics(pair: Pair, references: References, *, progress: Progress | None = None) -> list[MeasureResult]:
    """Column Shapes and Column Pair Trends, and the nine measures by column or pair of columns. Higher is better.

    >>> import pyarrow as pa
    >>> from understudy.evaluation import make_references, read_pair
    >>> from understudy.schema import Schema
    >>> schema = Schema.from_dict({"fields": [{"name": "sex", "categories": ["F", "M"]}]})
    >>> pair = read_pair(pa.table({"sex": ["M", "F"]}), pa.table({"sex": ["M", "M", "M", "F"]}), schema)
    >>> [(one.name, one.value) for one in measure_sdmetrics(pair, make_references(pair)) if one.measured][:2]
    [('Column Shapes', 0.75), ('TVComplement', 0.75)]
    """
    if progress is not None:
        progress("SDMetrics' measures", 0, 1)
    scales = scales_of(pair)
    others = [*pair.synthetic, references.fresh_sample, references.independent_columns]
    counted = [_counts(table, scales) for table in (pair.real, *others)]
    found = {metric.name: _by_column(metric, counted, scales) for metric in _METRICS}
    found["ContingencySimilarity"] = _contingency(pair.real, others, scales)
    found["CorrelationSimilarity"] = _correlation(pair.real, others, scales)
    found["Column Shapes"] = found["KSComplement"] | found["TVComplement"]
    found["Column Pair Trends"] = found["CorrelationSimilarity"] | found["ContingencySimilarity"]
    return [_result(name, pair, found[name], found) for name in _QUESTIONS]


class SDMetrics:
    """What users of SDMetrics know."""

    name = "SDMetrics"
    group = TABLES_GROUP
    direction: Direction = "more"
    synonym = "SDMetrics"
    needs: frozenset[Need] = frozenset()

    def compute(self, given: MeasureInput) -> Sequence[MeasureResult]:
        """What it finds."""
        return measure_sdmetrics(given.pair, given.references, progress=given.progress)


SDMETRICS = SDMetrics()


def _tv_complement(real: Floats, other: Floats, scale: Scale) -> float:
    real, other = real[~scale.missing], other[~scale.missing]
    if not real.sum() or not other.sum():
        return _NAN
    return 1 - float(np.abs(real / real.sum() - other / other.sum()).sum()) / 2


def _ks_complement(real: Floats, other: Floats, scale: Scale) -> float:
    order = np.argsort(scale.middle, kind="stable")[: int(np.isfinite(scale.middle).sum())]
    if not real[order].sum() or not other[order].sum():
        return _NAN
    below = [np.cumsum(counts[order]) / counts[order].sum() for counts in (real, other)]
    return 1 - float(np.abs(below[0] - below[1]).max())


def _range(counts: Floats, scale: Scale) -> tuple[float, float] | None:
    here = (counts > 0) & np.isfinite(scale.low)
    return (float(scale.low[here].min()), float(scale.high[here].max())) if here.any() else None


def _range_coverage(real: Floats, other: Floats, scale: Scale) -> float:
    truth, covered = _range(real, scale), _range(other, scale)
    if truth is None or covered is None or truth[0] == truth[1]:
        return _NAN
    width = truth[1] - truth[0]
    lost = max(0.0, (covered[0] - truth[0]) / width) + max(0.0, (truth[1] - covered[1]) / width)
    return max(0.0, 1 - lost)


def _boundary_adherence(real: Floats, other: Floats, scale: Scale) -> float:
    truth = _range(real, scale)
    # Missing cells are left out if the real column has some, and count as out of bounds if it has none.
    counted = other[~scale.missing].sum() if real[scale.missing].sum() else other.sum()
    if truth is None or not counted:
        return _NAN
    inside = (scale.low >= truth[0]) & (scale.high <= truth[1])
    return float(other[inside].sum() / counted)


def _category_coverage(real: Floats, other: Floats, scale: Scale) -> float:
    there = (real > 0) & ~scale.missing
    return float((there & (other > 0)).sum() / there.sum()) if there.any() else _NAN


def _category_adherence(real: Floats, other: Floats, scale: Scale) -> float:
    return float(other[real > 0].sum() / other.sum())


def _missing_similarity(real: Floats, other: Floats, scale: Scale) -> float:
    return 1 - abs(float(real[scale.missing].sum() / real.sum() - other[scale.missing].sum() / other.sum()))


@dataclass(frozen=True)
class _Metric:
    name: str
    score: Callable[[Floats, Floats, Scale], float]
    continuous: bool | None
    """Whether it is for columns with bins, for those without, or (None) for all."""


_METRICS = (
    _Metric("KSComplement", _ks_complement, True),
    _Metric("TVComplement", _tv_complement, False),
    _Metric("RangeCoverage", _range_coverage, True),
    _Metric("CategoryCoverage", _category_coverage, False),
    _Metric("BoundaryAdherence", _boundary_adherence, True),
    _Metric("CategoryAdherence", _category_adherence, False),
    _Metric("MissingValueSimilarity", _missing_similarity, None),
)
_QUESTIONS = {
    "Column Shapes": "SDMetrics: do columns have the right distributions?",
    "Column Pair Trends": "SDMetrics: do pairs of columns follow the right trends?",
    "KSComplement": "SDMetrics: do numbers and dates have the right distributions?",
    "TVComplement": "SDMetrics: do categories have the right shares?",
    "ContingencySimilarity": "SDMetrics: do tables of two columns have the right shares?",
    "CorrelationSimilarity": "SDMetrics: are correlations of numbers and dates right?",
    "RangeCoverage": "SDMetrics: do numbers and dates reach as far as the real ones?",
    "CategoryCoverage": "SDMetrics: does every category of the real table occur?",
    "BoundaryAdherence": "SDMetrics: do numbers and dates stay between the smallest and the largest real one?",
    "CategoryAdherence": "SDMetrics: are all categories among those of the real table?",
    "MissingValueSimilarity": "SDMetrics: is as much missing as in the real table?",
}

_OF_PAIRS = ("Column Pair Trends", "ContingencySimilarity", "CorrelationSimilarity")


def _counts(table: Table, scales: Sequence[Scale]) -> list[Floats]:
    columns = zip(table.columns, scales, strict=True)
    return [np.bincount(column, minlength=scale.size).astype(np.float64) for column, scale in columns]


def _by_column(metric: _Metric, counted: Sequence[list[Floats]], scales: Sequence[Scale]) -> Scores:
    """The first of the counts are the real table's."""
    truth, *held = counted
    return {
        (i,): np.array([metric.score(truth[i], counts[i], scale) for counts in held])
        for i, scale in enumerate(scales)
        if metric.continuous in (None, scale.continuous)
    }


def _contingency(real: Table, others: Sequence[Table], scales: Sequence[Scale]) -> Scores:
    wanted = [
        (i, j) for i, j in combinations(range(len(scales)), 2) if not (scales[i].continuous and scales[j].continuous)
    ]
    scores: Scores = dict.fromkeys(wanted, np.zeros(0))  # in the order of columns, whatever the order of counting
    for joint in joint_counts([real, *others], wanted) if wanted else ():
        truth, *held = (counts / table.n for counts, table in zip(joint.counts, [real, *others], strict=True))
        scores[wanted[joint.position]] = np.array([1 - np.abs(truth - shares).sum() / 2 for shares in held])
    return scores


def _correlation(real: Table, others: Sequence[Table], scales: Sequence[Scale]) -> Scores:
    columns = [i for i, scale in enumerate(scales) if scale.continuous]
    if len(columns) < 2:
        return {}
    truth, *held = (_pearson(table, scales, columns) for table in (real, *others))
    return {
        (columns[a], columns[b]): np.array([1 - abs(truth[a, b] - found[a, b]) / 2 for found in held])
        for a, b in combinations(range(len(columns)), 2)
    }


def _pearson(table: Table, scales: Sequence[Scale], columns: Sequence[int]) -> Floats:
    """Correlations of all pairs, each over the rows that have both values; NaN where one of them is constant there."""
    raw = np.stack([scales[i].middle[table.columns[i]] for i in columns])  # one row a column: they lie together
    there = np.isfinite(raw)
    if there.all():
        return _plain_pearson(raw)
    raw, there = raw.T, there.T
    counted = np.maximum(there.sum(axis=0), 1)
    # Centred and scaled first: sums of squares of dates in microseconds would lose all digits.
    values = np.where(there, raw, 0.0)
    values = np.where(there, raw - values.sum(axis=0) / counted, 0.0)
    values = values / np.maximum(np.abs(values).max(axis=0, initial=0), np.finfo(float).tiny)
    mask = there.astype(np.float64)
    n = np.maximum(mask.T @ mask, 1.0)
    sums = values.T @ mask
    covariance = values.T @ values / n - sums * sums.T / n**2
    variance = (values**2).T @ mask / n - (sums / n) ** 2
    product = variance * variance.T
    defined = (variance > _LEAST_VARIANCE) & (variance.T > _LEAST_VARIANCE)
    return np.where(defined, np.clip(covariance / np.sqrt(np.where(defined, product, 1.0)), -1, 1), np.nan)


def _plain_pearson(raw: Floats) -> Floats:
    values = raw - raw.mean(axis=1, keepdims=True)
    values /= np.maximum(np.abs(values).max(axis=1, keepdims=True), np.finfo(float).tiny)
    covariance = values @ values.T / values.shape[1]
    product = np.outer(covariance.diagonal(), covariance.diagonal())
    defined = np.logical_and.outer(covariance.diagonal() > _LEAST_VARIANCE, covariance.diagonal() > _LEAST_VARIANCE)
    return np.where(defined, np.clip(covariance / np.sqrt(np.where(defined, product, 1.0)), -1, 1), np.nan)


def _result(name: str, pair: Pair, scores: Scores, found: dict[str, Scores]) -> MeasureResult:
    question = _QUESTIONS[name]
    definition = f"SDMetrics' {name}, on codes of the schema: 1 is best"
    defined = {columns: values for columns, values in scores.items() if np.isfinite(values[0])}
    if not defined:
        kind = "pair of columns" if name in _OF_PAIRS else "column"
        why = f"there is no {kind} that it is for, or none whose score is defined"
        return not_measured(SDMETRICS, name, question, definition=definition, why=why)
    table = np.array(list(defined.values()))
    with np.errstate(invalid="ignore"):
        means = [float(np.nanmean(column)) if np.isfinite(column).any() else None for column in table.T]
    *drawn, fresh, independent = means
    value, interval = over_tables([mean for mean in drawn if mean is not None])
    order = np.argsort(table[:, 0], kind="stable")
    keys = list(defined)
    worst = tuple(pair.names[i] for i in keys[int(order[0])])
    return MeasureResult(
        SDMETRICS,
        name,
        question,
        definition=definition,
        value=value,
        score=value,
        verdict=(
            f"{name}: {number(value)} on average, {number(float(table[order[0], 0]))} at worst, in "
            f"{columns_named(worst)}, where 1 is best."
            + ("" if fresh is None else f" A fresh sample of as many rows would show {number(fresh)}")
            + ("" if fresh is None or independent is None else f", independent columns {number(independent)}")
            + ("" if fresh is None else ".")
        ),
        fresh_sample=fresh,
        independent_columns=independent,
        scope=_scope(len(defined), len(scores), len(keys[0])),
        worst=(worst, float(table[order[0], 0])),
        interval=interval,
        details=_details(name, pair, [keys[int(at)] for at in order], defined, found),
        unit="number",
    )


def _scope(defined: int, applicable: int, width: int) -> str:
    what = "pairs of columns" if width > 1 else "columns"
    if defined == applicable:
        return f"all {defined:,} {what} that it is for"
    return f"{defined:,} of {applicable:,} {what} that it is for: not defined for the others"


def _details(name: str, pair: Pair, keys: Sequence[Columns], defined: Scores, found: dict[str, Scores]) -> pa.Table:
    table = np.array([defined[key] for key in keys])
    width = len(keys[0])
    columns: dict[str, object] = (
        {"column": [pair.names[key[0]] for key in keys]}
        if width == 1
        else {"column_1": [pair.names[i] for i, _ in keys], "column_2": [pair.names[j] for _, j in keys]}
    )
    parts = {
        "Column Shapes": ("KSComplement", "TVComplement"),
        "Column Pair Trends": ("CorrelationSimilarity", "ContingencySimilarity"),
    }.get(name)
    if parts:
        columns["metric"] = [parts[0] if key in found[parts[0]] else parts[1] for key in keys]
    for label, at in (("score", 0), ("fresh_sample", -2), ("independent_columns", -1)):
        columns[label] = pa.array(table[:, at], from_pandas=True)  # what is not defined becomes null
    return pa.table(columns)
