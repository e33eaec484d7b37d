"""SDMetrics' measures of pairs of columns, and Column Pair Trends, the average of both.

- **CorrelationSimilarity** is of Pearson's correlation, over the rows where both columns have a value.
- **ContingencySimilarity** of a column with numbers or dates cuts it as SDMetrics does: into ten parts of equal width
  between the smallest and the largest value of each table by itself, so that one part may mean different values in the
  real and in the synthetic table; missing cells join the largest value. Two tables that agree can score low for one
  large value more or less. So it is not rated, nor is the average of which it is a part, where the same parts in all
  tables would give another rating.
- **Column Pair Trends** is the average over all pairs, as SDMetrics' property gives it by itself. Quality reports of
  its later versions leave out pairs that hardly hang together in the real table, and come out lower for that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import numpy.typing as npt

from understudy.evaluation._counts import joint_counts
from understudy.evaluation._measure import ASSOCIATIONS_GROUP, Direction, MeasureInput, Need
from understudy.evaluation._pair import Pair, Progress
from understudy.evaluation._pearson import pearson
from understudy.evaluation._rating import tone_of
from understudy.evaluation._reference import References
from understudy.evaluation._result import MeasureResult
from understudy.evaluation._sdmetrics import NOT_DEFINED, Scored, Scores, scored_result
from understudy.evaluation._values import Ints, ValueColumn, value_columns
from understudy.evaluation._verdict import number
from understudy.schema import Attribute, Domain
from understudy.tables import Table, code_type

_PARTS = 10


def measure_sdmetrics_pairs(
    pair: Pair, references: References, *, progress: Progress | None = None
) -> list[MeasureResult]:
    """Column Pair Trends, ContingencySimilarity and CorrelationSimilarity. More is better.

    >>> import pyarrow as pa
    >>> from understudy.evaluation import make_references, read_pair
    >>> from understudy.schema import Schema
    >>> schema = Schema.from_dict({"fields": [{"name": name, "type": "boolean"} for name in "ab"]})
    >>> real, fake = {"a": [True, False], "b": [True, False]}, {"a": [True, True], "b": [True, False]}
    >>> pair = read_pair(pa.table(real), pa.table(fake), schema)
    >>> [(one.name, one.value) for one in measure_sdmetrics_pairs(pair, make_references(pair)) if one.measured]
    [('Column Pair Trends', 0.5), ('ContingencySimilarity', 0.5)]
    """
    if progress is not None:
        progress("SDMetrics' measures of pairs of columns", 0, 1)
    columns = value_columns(pair, references)
    correlation = _correlation(columns)
    found, alike = (
        _results(columns, {"ContingencySimilarity": contingency, "CorrelationSimilarity": correlation})
        for contingency in (_contingency(columns), _contingency(columns, in_common=True))
    )
    return [_unless_cut_otherwise(*both) for both in zip(found, alike, strict=True)]


def _results(columns: Sequence[ValueColumn], parts: dict[str, Scores]) -> list[MeasureResult]:
    both = dict(sorted((parts["ContingencySimilarity"] | parts["CorrelationSimilarity"]).items()))
    questions = {
        "ContingencySimilarity": "SDMetrics: do tables of two columns have the right shares?",
        "CorrelationSimilarity": "SDMetrics: are correlations of numbers and dates right?",
    }
    everything = [
        Scored("Column Pair Trends", "SDMetrics: do pairs of columns follow the right trends?", both, parts),
        *(Scored(name, questions[name], scores) for name, scores in parts.items()),
    ]
    return [scored_result(SDMETRICS_PAIRS, columns, scored, width=2) for scored in everything]


def _unless_cut_otherwise(known: MeasureResult, alike: MeasureResult) -> MeasureResult:
    """Not rated if it would be rated otherwise with numbers cut at the same places in all tables."""
    if tone_of(known) == tone_of(alike):
        return known
    why = (
        " SDMetrics cuts the numbers of each table between its own smallest and largest one; cut alike, these tables "
        f"would show {number(alike.value)}, so it is not rated."
    )
    return replace(known, rated=False, verdict=known.verdict + why)


class SDMetricsPairs:
    """What SDMetrics says of pairs of columns."""

    name = "SDMetrics, pairs of columns"
    group = ASSOCIATIONS_GROUP
    direction: Direction = "more"
    synonym = "SDMetrics"
    needs: frozenset[Need] = frozenset({"values"})

    def compute(self, given: MeasureInput) -> Sequence[MeasureResult]:
        """What it finds."""
        return measure_sdmetrics_pairs(given.pair, given.references, progress=given.progress)


SDMETRICS_PAIRS = SDMetricsPairs()


def _contingency(columns: Sequence[ValueColumn], *, in_common: bool = False) -> Scores:
    """As SDMetrics counts, or with the real table's parts in all tables."""
    wanted = [
        (i, j) for i, j in combinations(range(len(columns)), 2) if not (columns[i].continuous and columns[j].continuous)
    ]
    if not wanted:
        return {}
    sizes = [_PARTS + 2 if column.continuous else column.n_kinds + 1 for column in columns]
    domain = Domain(tuple(Attribute(name=c.name, size=size) for c, size in zip(columns, sizes, strict=True)))
    coded = [[_codes(column, at, 0 if in_common else at) for column in columns] for at in range(len(columns[0].tables))]
    tables = [
        Table(domain, tuple(codes.astype(code_type(size)) for (codes, _), size in zip(row, sizes, strict=True)))
        for row in coded
    ]
    cut = np.array([[is_cut for _, is_cut in row] for row in coded])
    scores: Scores = dict.fromkeys(wanted, np.zeros(0))  # in the order of columns, whatever the order of counting
    for joint in joint_counts(tables, wanted):
        truth, *held = (counts / table.n for counts, table in zip(joint.counts, tables, strict=True))
        found = np.array([1 - np.abs(truth - shares).sum() / 2 for shares in held])
        both: npt.NDArray[np.bool_] = np.all(cut[:, wanted[joint.position]], axis=1)
        scores[wanted[joint.position]] = np.where(both[0] & both[1:], found, NOT_DEFINED)
    return scores


def _codes(column: ValueColumn, at: int, cut_by: int) -> tuple[Ints, bool]:
    """The column as codes, and whether it could be cut, by the values of one of the tables: large numbers that are all
    the same cannot be, as in SDMetrics."""
    values = column.tables[at]
    if not column.continuous:
        return np.asarray(values + 1), True  # what is missing comes first
    there = column.tables[cut_by][~np.isnan(column.tables[cut_by])]
    try:
        edges = np.histogram_bin_edges(there, bins=_PARTS)
    except ValueError:
        return np.zeros(len(values), dtype=np.int64), False
    return np.asarray(np.digitize(values, bins=edges)), True


def _correlation(columns: Sequence[ValueColumn]) -> Scores:
    places = [i for i, column in enumerate(columns) if column.continuous]
    if len(places) < 2:
        return {}
    truth, *held = (pearson(np.array([columns[i].tables[at] for i in places])) for at in range(len(columns[0].tables)))
    return {
        (places[a], places[b]): np.array([1 - abs(truth[a, b] - found[a, b]) / 2 for found in held])
        for a, b in combinations(range(len(places)), 2)
    }
