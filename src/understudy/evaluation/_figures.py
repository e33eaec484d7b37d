"""The pictures of a report, each made from what it shows. Private to the holder, all but those of `Shares`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from understudy.charts import Chart, heat_map, histogram, paired_bars, strip
from understudy.evaluation._matrices import AssociationMatrices
from understudy.evaluation._numbers import is_years, shown
from understudy.evaluation._result import MeasureResult
from understudy.evaluation._summaries import Histogram, Shares


def share_bars(shares: Shares) -> Chart:
    """A column's values in one table."""
    drawn = {"synthetic": shares.shares}
    if shares.bars is not None:
        bars, beyond = shares.bars, _beyond(shares.labels, drawn, shares.tail)
        beyond |= {"below": bars.below[1:], "above": bars.above[1:]}
        kind = "year" if shares.type == "integer" and is_years(bars.edges[0], bars.edges[-1]) else shares.type
        write, drawn = axis_writer(kind), {"synthetic": bars.synthetic}
        return histogram(bars.edges, drawn, write=write, step=bars.step, beyond=beyond)
    if shares.edges is not None:
        return _to_scale(shares.labels, drawn, shares.edges, shares.tail)
    return paired_bars(shares.labels, drawn, ordered=shares.ordered, tail=shares.tail, legend=False)


def axis_writer(kind: str) -> Callable[[float], str] | None:
    """How values of a column of this type are written below an axis: years and dates are no amounts, all else is.

    >>> axis_writer("year")(1994.0), axis_writer("date")(0.0), axis_writer("integer")
    ('1994', '1970-01-01', None)
    """
    return partial(shown, kind) if kind in ("date", "datetime", "year") else None


def histogram_bars(known: Histogram, *, title: str = "", legend: bool = False) -> Chart:
    """A column's values in both tables."""
    shares = {"real": known.real, "synthetic": known.synthetic}
    if known.edges is not None:
        return _to_scale(known.labels, shares, known.edges, known.tail, title)
    return paired_bars(known.labels, shares, title=title, ordered=known.ordered, tail=known.tail, legend=legend)


def _to_scale(
    labels: Sequence[str], shares: Mapping[str, Sequence[float]], edges: Sequence[float], tail: int, title: str = ""
) -> Chart:
    """Bins of unequal width on an axis of values, and beside them what has no place on it."""
    n = len(labels) - tail
    inside = {name: own[:n] for name, own in shares.items()}
    return histogram(edges, inside, title=title, labels=labels[:n], beyond=_beyond(labels, shares, tail))


def _beyond(labels: Sequence[str], shares: Mapping[str, Sequence[float]], tail: int) -> dict[str, tuple[float, ...]]:
    n = len(labels) - tail
    return {label: tuple(own[n + i] for own in shares.values()) for i, label in enumerate(labels[n:])}


def difference_map(association: AssociationMatrices, *, title: str = "") -> Chart:
    """Synthetic minus real, blue where the synthetic table exaggerates, amber where it has lost something."""
    most = float(np.nanmax(np.abs(_off_diagonal(association.difference)), initial=0.0)) or 1.0
    return heat_map(
        association.names, association.difference, low=-most, high=most, title=title, diverging=True, triangle=True
    )


def association_maps(association: AssociationMatrices) -> tuple[Chart, Chart]:
    """The real and the synthetic table's associations, in the same shades."""
    both = [_off_diagonal(association.real), _off_diagonal(association.synthetic)]
    most = max(float(np.nanmax(np.abs(part), initial=0.0)) for part in both) or 1.0
    signed = any(bool((part < 0).any()) for part in both)
    low = -most if signed else 0.0
    real, synthetic = (
        heat_map(association.names, matrix, low=low, high=most, title=title, diverging=signed, triangle=True)
        for matrix, title in ((association.real, "real"), (association.synthetic, "synthetic"))
    )
    return real, synthetic


def _off_diagonal(matrix: Any) -> Any:
    values = np.asarray(matrix, dtype=np.float64)
    return values[np.isfinite(values) & ~np.eye(len(values), dtype=bool)]


def result_strip(known: MeasureResult) -> Chart | None:
    """How the distances of all tables of a result are spread; None where it has no such details."""
    if known.details is None or "distance" not in known.details.schema.names or known.details.num_rows < 2:
        return None
    values = [value for value in known.details.column("distance").to_pylist() if value is not None]
    marks = {
        "fresh sample of real rows": known.fresh_sample,
        "independent columns": known.independent_columns,
        "average here": known.value,
    }
    bands = {name: value for name, value in marks.items() if value is not None}
    if not values:
        return None
    return strip(
        values,
        title=known.question,
        x_label=known.definition.removeprefix("average "),
        bands=bands,
        shares=known.unit == "share",
    )
