"""All that was found about a synthetic table, to read on a page or to use in Python. Private to the holder."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from understudy._core.errors import OptionError, OutputError, did_you_mean
from understudy._core.files import write_bytes
from understudy._core.notebooks import card
from understudy.charts import Chart
from understudy.evaluation._column_ratings import rate_number
from understudy.evaluation._facts import ReportFacts
from understudy.evaluation._figures import difference_map, histogram_bars, result_strip
from understudy.evaluation._frames import Kind, as_frame, frame_kind
from understudy.evaluation._matrices import AssociationMatrices
from understudy.evaluation._measure import TABLES_GROUP
from understudy.evaluation._number_frame import number_table
from understudy.evaluation._numbers import NumberColumn
from understudy.evaluation._pair import Pair
from understudy.evaluation._pictures import number_bars
from understudy.evaluation._rating import tone_of
from understudy.evaluation._result import MeasureResult, find_result
from understudy.evaluation._summaries import (
    Histogram,
    WorstTable,
    drill_down,
    pair_histograms,
    worst_tables,
)
from understudy.evaluation._verdicts import Verdict, three_verdicts
from understudy.tables import PRIVATE

_WIDEST_SCORED = 3


@dataclass(frozen=True, eq=False)
class Report:
    """What was found about a synthetic table. Private: it was computed from the real one.

    >>> from understudy.evaluation import TABLE_DISTANCES
    >>> pairs = MeasureResult(TABLE_DISTANCES, "2-way", "Do pairs of columns agree?", definition="average distance",
    ...     value=0.25, fresh_sample=0.125, independent_columns=0.5, score=0.75, verdict="Off by 25 points.", width=2)
    >>> report = Report((pairs,), ReportFacts(dataset="people", rows_real=10, rows_synthetic=10))
    >>> report.score, report.fresh_sample_score, report.independent_columns_score
    (0.75, 0.875, 0.5)
    >>> report.table.column("name").to_pylist()
    ['2-way']
    """

    results: tuple[MeasureResult, ...]
    facts: ReportFacts
    histograms: tuple[Histogram, ...] = ()
    worst_cells: tuple[WorstTable, ...] = ()
    kind: Kind = "pyarrow"

    def __repr__(self) -> str:
        score = "" if self.score is None else f", score={self.score:.3f}"
        return f"Report({self.facts.dataset!r}, {len(self.results)} results{score}, private)"

    def _repr_html_(self) -> str:
        rows = [(verdict.heading, verdict.tone.word, verdict.sentence) for verdict in self.verdicts]
        notes = ["report.table, report.numbers, report.save('report.html') have the rest."]
        return card(f"Report on {self.facts.dataset}", rows, notes=notes, warning=f"Private: {PRIVATE}.")

    @property
    def score(self) -> float | None:
        """Mean score of all tables of one, two and three columns: 1 is best. None if none was measured."""
        return _mean([known.score for known in self.scored])

    @property
    def fresh_sample_score(self) -> float | None:
        """The score that a fresh sample of real rows would get."""
        return _mean([_score_of(known, known.fresh_sample) for known in self.scored])

    @property
    def independent_columns_score(self) -> float | None:
        """The score that independent columns would get."""
        return _mean([_score_of(known, known.independent_columns) for known in self.scored])

    @property
    def scored(self) -> list[MeasureResult]:
        """The results that the score is the mean of."""
        return [
            known
            for known in self.results
            if known.group == TABLES_GROUP and known.width is not None and known.width <= _WIDEST_SCORED
        ]

    @cached_property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The three answers that come first: on single columns, on relations, on use for models.

        >>> [verdict.heading for verdict in Report((), ReportFacts(dataset="people", rows_synthetic=1)).verdicts]
        ['Single columns', 'Relations', 'Use for models']
        """
        return three_verdicts(self.results)

    @property
    def number_columns(self) -> tuple[NumberColumn, ...]:
        """What became of every number and date, value by value."""
        return tuple(column for known in self.results for column in known.numbers)

    @cached_property
    def numbers(self) -> Any:
        """One row for each number or date: means, deviations, quantiles and distances of raw values, as a dataframe.

        Dates are days since 1970, errors of mean, median and quantiles are in standard deviations.
        """
        return as_frame(number_table(self.number_columns), self.kind)

    @property
    def associations(self) -> list[AssociationMatrices]:
        """How strongly pairs of columns hang together, for all results that say so."""
        return [matrices for known in self.results for matrices in known.matrices]

    @cached_property
    def table(self) -> Any:
        """One row for each result, as a dataframe of the kind the real table was."""
        return as_frame(_result_table(self.results), self.kind)

    def details(self, name: str) -> Any:
        """What a measure found, table by table (or column, or task), worst first.

        >>> Report((), ReportFacts(dataset="people", rows_synthetic=1)).details("2-way")
        Traceback (most recent call last):
        understudy._core.errors.OptionError: no result '2-way' in this report. Known: .
        """
        found = self.find(name)
        if found.details is None:
            raise OptionError(f"result '{name}' has no details: it is one number. See report.table.")
        return as_frame(found.details, self.kind)

    def find(self, name: str) -> MeasureResult:
        """The result of this name, with its verdict and its two references."""
        found = find_result(self.results, name)
        if found is None:
            hint = did_you_mean(name, [known.name for known in self.results])
            raise OptionError(f"no result '{name}' in this report. {hint}")
        return found

    def worst(self, most: int = 10) -> Any:
        """The tables that lie farthest above what a fresh sample of real rows would get."""
        ranked = worst_tables(self.results, most)
        table = pa.table(
            {
                "columns": pa.array([" × ".join(found.columns) for found in ranked], pa.string()),
                "distance": pa.array([found.distance for found in ranked], pa.float64()),
                "fresh_sample": pa.array([found.fresh_sample for found in ranked], pa.float64()),
                "independent_columns": pa.array([found.independent_columns for found in ranked], pa.float64()),
            }
        )
        return as_frame(table, self.kind)

    def figure(self, name: str) -> Chart:
        """A picture: of a result's details, of an association measure's differences, or of a column's values.

        >>> report = Report((), ReportFacts(dataset="people", rows_synthetic=2),
        ...     histograms=(Histogram("sex", ("F", "M"), (0.5, 0.5), (0.6, 0.4)),))
        >>> report.figure("sex").width
        360
        """
        association = next((known for known in self.associations if known.name == name), None)
        if association is not None:
            return difference_map(association, title=f"{name}: synthetic minus real")
        known = find_result(self.results, name)
        drawn = None if known is None else result_strip(known)
        if drawn is not None:
            return drawn
        column = next((column for column in self.number_columns if column.name == name), None)
        bars = None if column is None else number_bars(column, title=name)
        if bars is not None:
            return bars
        histogram = next((column for column in self.histograms if column.name == name), None)
        if histogram is not None:
            return histogram_bars(histogram, title=name, legend=True)
        if known is not None:
            raise OptionError(f"result '{name}' has no details to draw: it is one number. See report.table.")
        names = [known.name for known in self.results] + [column.name for column in self.histograms]
        raise OptionError(f"no result or column '{name}' in this report. {did_you_mean(name, names)}")

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, ready for JSON.

        >>> Report((), ReportFacts(dataset="people", rows_synthetic=1)).to_dict()["private"]
        'computed from the real table: do not publish'
        """
        found = {
            "private": PRIVATE,
            **self.facts.to_dict(),
            "score": self.score,
            "fresh_sample_score": self.fresh_sample_score,
            "independent_columns_score": self.independent_columns_score,
            "verdicts": [verdict.to_dict() for verdict in self.verdicts],
            "numbers": [_number(column) for column in self.number_columns],
            "results": [
                {
                    **known.to_dict(),
                    "rating": tone_of(known).colour,
                    "details": None if known.details is None else known.details.to_pydict(),
                }
                for known in self.results
            ],
            "histograms": [histogram.to_dict() for histogram in self.histograms],
            "associations": [matrices.to_dict() for matrices in self.associations],
            "worst_tables": [table.to_dict() for table in self.worst_cells],
        }
        return {key: _jsonable(value) for key, value in found.items()}

    def html(self) -> str:
        """The report as one page that needs nothing else."""
        from understudy.evaluation._page import report_page

        return report_page(self)

    def save(self, path: str | Path) -> Path:
        """Writes the report to a file: .html to read, .json to use."""
        return write_report(path, html=self.html, values=self.to_dict)


def make_report(
    pair: Pair,
    results: Sequence[MeasureResult],
    *,
    facts: ReportFacts,
    most: int = 10,
) -> Report:
    """The report on a pair of tables: what was measured, and what the pages show beside it."""
    return Report(
        results=tuple(results),
        facts=facts,
        histograms=pair_histograms(pair),
        worst_cells=drill_down(pair, results, most=most),
        kind=frame_kind(pair.kind),
    )


def write_report(path: str | Path, *, html: Any, values: Any) -> Path:
    """Writes a page or its values, by the ending of the file's name; whole or not at all."""
    target = Path(path)
    kind = target.suffix.lower()
    if kind not in (".html", ".htm", ".json"):
        raise OutputError(f"reports are written as .html or .json; got {target.name}.")
    text = html() if kind != ".json" else json.dumps(values(), ensure_ascii=False, allow_nan=False, indent=1) + "\n"
    write_bytes(target, text.encode(errors="replace"))  # lone surrogates in a column's name have no bytes
    return target


def _number(column: NumberColumn) -> dict[str, Any]:
    rating = rate_number(column)
    return {**column.to_dict(), "rating": rating.tone.colour, "why": rating.why}


def _result_table(results: Sequence[MeasureResult]) -> pa.Table:
    rows = [known.to_dict() for known in results]
    numbers = ("value", "fresh_sample", "independent_columns", "from_model", "score")
    columns = {"name": pa.array([row["name"] for row in rows], pa.string())}
    columns |= {name: pa.array([row[name] for row in rows], pa.float64()) for name in numbers}
    for i, name in enumerate(("low", "high")):
        columns[name] = pa.array([row["interval"] and row["interval"][i] for row in rows], pa.float64())
    worst = [known.worst for known in results]
    columns["worst"] = pa.array([None if w is None else w[1] for w in worst], pa.float64())
    columns["worst_columns"] = pa.array([None if w is None else " × ".join(w[0]) for w in worst], pa.string())
    for name in ("group", "definition", "direction", "synonym", "scope", "unit", "verdict"):
        columns[name] = pa.array([row[name] for row in rows], pa.string())
    columns["rating"] = pa.array([tone_of(known).colour for known in results], pa.string())
    return pa.table(columns)


def _score_of(known: MeasureResult, reference: float | None) -> float | None:
    """The score a reference would get: these scores are one minus a distance."""
    return None if reference is None else 1.0 - reference


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None and math.isfinite(value)]
    return sum(known) / len(known) if known and len(known) == len(values) else None


def _jsonable(value: Any) -> Any:
    """Plain values only: numpy's numbers become Python's, and what is not a number becomes null."""
    if isinstance(value, dict):
        return {str(key): _jsonable(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_jsonable(part) for part in value]
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, float | np.floating):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, np.integer):
        return int(value)
    return value
