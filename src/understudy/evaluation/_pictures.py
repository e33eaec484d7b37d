"""The pictures of the three verdicts that a report begins with. Private to the holder."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from understudy.charts import Between, Box, BoxRow, Chart, between, boxes, histogram, scatter
from understudy.evaluation._column_ratings import rate_number
from understudy.evaluation._figures import axis_writer, histogram_bars
from understudy.evaluation._matrices import AssociationMatrices
from understudy.evaluation._measure import LEARNING_GROUP
from understudy.evaluation._numbers import Figures, NumberColumn
from understudy.evaluation._result import MeasureResult
from understudy.evaluation._summaries import Histogram

_MOST_COLUMNS = 6
_ON_A_SCALE = ("Cramér's V", "Spearman")


def columns_picture(columns: Sequence[NumberColumn], histograms: Sequence[Histogram]) -> Chart | None:
    """Quantiles of the numbers that are worst, real and synthetic; of a table without numbers its worst column."""
    if columns:
        ranked = sorted(columns, key=lambda one: rate_number(one).place)
        return boxes([_row(column) for column in ranked[:_MOST_COLUMNS]], title="quantiles, real and synthetic")
    worst = max(histograms, key=lambda one: one.distance, default=None)
    return None if worst is None else histogram_bars(worst, title=worst.name, legend=True)


def _row(column: NumberColumn) -> BoxRow:
    said = f"mean {column.text(column.real.mean)} → {column.text(column.synthetic.mean)}"
    return BoxRow(column.name, said, {"real": _box(column.real), "synthetic": _box(column.synthetic)})


def _box(figures: Figures) -> Box:
    return Box((figures.p05, figures.p25, figures.median, figures.p75, figures.p95), figures.mean)


def relations_picture(found: Sequence[AssociationMatrices]) -> Chart | None:
    """How strongly each pair of columns hangs together, in the real and in the synthetic table."""
    shown = next((one for name in _ON_A_SCALE for one in found if one.name == name), next(iter(found), None))
    if shown is None or len(shown.names) < 2:
        return None
    dots = [
        (float(shown.real[a][b]), float(shown.synthetic[a][b]), f"{shown.names[a]} × {shown.names[b]}")
        for a, b in combinations(range(len(shown.names)), 2)
    ]
    return scatter(dots, x_label=f"{shown.name} in the real table", y_label="in the synthetic one", title=shown.name)


def models_picture(results: Sequence[MeasureResult]) -> Chart | None:
    """What classifiers reach that learnt from it, between independent columns and real rows."""
    rows = [
        Between(
            known.name.replace("balanced accuracy", "balanced"),
            known.value,
            known.fresh_sample,
            known.independent_columns,
        )
        for known in results
        if known.group == LEARNING_GROUP
        and known.synonym is None
        and known.measured
        and known.fresh_sample is not None
        and known.independent_columns is not None
    ]
    title = "area under the ROC curve and balanced accuracy of classifiers on real rows"
    return between(rows, best="real rows", worst="independent columns", title=title) if rows else None


def number_bars(column: NumberColumn, *, title: str = "") -> Chart | None:
    """Where its numbers lie, in both tables, on an axis of values; None if it has none."""
    bars = column.bars
    if bars is None:
        return None
    return histogram(
        bars.edges,
        {"real": bars.real, "synthetic": bars.synthetic},
        title=title,
        write=axis_writer(column.text_type),
        step=bars.step,
        beyond={"below": bars.below, "above": bars.above},
    )
