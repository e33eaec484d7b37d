"""SDMetrics' measures: the same numbers under the same names, on the same values. What its two families share.

SDMetrics' own code is run beside them in the tests. Columns with bins are its numerical and datetime columns, all
others its categorical and boolean ones. Infinite numbers, and cells that cannot be read as what the schema declares,
count as missing here; SDMetrics would not take such columns at all. A score that is not defined (a constant column has
no correlation) is left out of the average, as SDMetrics does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from understudy.evaluation._measure import Measure
from understudy.evaluation._result import MeasureResult
from understudy.evaluation._summary import not_measured, over_tables
from understudy.evaluation._values import Floats, ValueColumn
from understudy.evaluation._verdict import columns_named, number

Columns: TypeAlias = tuple[int, ...]
Scores: TypeAlias = dict[Columns, Floats]
"""For each column or pair, its score in every table that is held against the real one: the last two are references."""
NOT_DEFINED = float("nan")


@dataclass(frozen=True, eq=False)
class Scored:
    """One of SDMetrics' names and all its scores; for an average of two measures, `parts` are their scores by name."""

    name: str
    question: str
    scores: Scores
    parts: Mapping[str, Scores] | None = None


def scored_result(measure: Measure, columns: Sequence[ValueColumn], scored: Scored, *, width: int) -> MeasureResult:
    """The average of all scores that are defined, and each of them."""
    definition = f"SDMetrics' {scored.name}: 1 is best"
    defined = {at: values for at, values in scored.scores.items() if np.isfinite(values[0])}
    if not defined:
        kind = "pair of columns" if width > 1 else "column"
        why = f"there is no {kind} that it is for, or none whose score is defined"
        return not_measured(measure, scored.name, scored.question, definition=definition, why=why)
    table = np.array(list(defined.values()))
    with np.errstate(invalid="ignore"):
        means = [float(np.nanmean(column)) if np.isfinite(column).any() else None for column in table.T]
    *drawn, fresh, independent = means
    value, interval = over_tables([mean for mean in drawn if mean is not None])
    order = np.argsort(table[:, 0], kind="stable")
    keys = [list(defined)[int(at)] for at in order]
    worst = tuple(columns[i].name for i in keys[0])
    return MeasureResult(
        measure,
        scored.name,
        scored.question,
        definition=definition,
        value=value,
        score=value,
        verdict=(
            f"{scored.name}: {number(value)} on average, {number(float(table[order[0], 0]))} at worst, in "
            f"{columns_named(worst)}, where 1 is best."
            + ("" if fresh is None else f" A fresh sample of as many rows would show {number(fresh)}")
            + ("" if fresh is None or independent is None else f", independent columns {number(independent)}")
            + ("" if fresh is None else ".")
        ),
        fresh_sample=fresh,
        independent_columns=independent,
        scope=_scope(len(defined), len(scored.scores), width),
        worst=(worst, float(table[order[0], 0])),
        interval=interval,
        details=_details(columns, scored, keys, width),
        unit="number",
    )


def _scope(defined: int, applicable: int, width: int) -> str:
    what = "pairs of columns" if width > 1 else "columns"
    if defined == applicable:
        return f"all {defined:,} {what} that it is for"
    return f"{defined:,} of {applicable:,} {what} that it is for: not defined for the others"


def _details(columns: Sequence[ValueColumn], scored: Scored, keys: Sequence[Columns], width: int) -> pa.Table:
    table = np.array([scored.scores[key] for key in keys])
    names = ["column"] if width == 1 else [f"column_{place + 1}" for place in range(width)]
    found: dict[str, object] = {name: [columns[key[place]].name for key in keys] for place, name in enumerate(names)}
    if scored.parts is not None:
        found["metric"] = [next(name for name, scores in scored.parts.items() if key in scores) for key in keys]
    for label, at in (("score", 0), ("fresh_sample", -2), ("independent_columns", -1)):
        found[label] = pa.array(table[:, at], from_pandas=True)  # what is not defined becomes null
    return pa.table(found)
