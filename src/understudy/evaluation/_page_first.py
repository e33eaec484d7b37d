"""What a report's page begins with, three verdicts and their pictures, and its table of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from understudy.charts import Chart, percent, tidy
from understudy.evaluation._column_ratings import rate_number
from understudy.evaluation._numbers import Figures, NumberColumn, in_unit, shown
from understudy.evaluation._pictures import columns_picture, models_picture, relations_picture
from understudy.evaluation._verdict import number, points

if TYPE_CHECKING:
    from understudy.evaluation._report import Report

_QUANTILES = "Line: 5 to 95 % of values. Box: the middle half. Notch: median. Dot: mean."
_BARS = "The column that differs most."
_PAIRS = "A dot is a pair of columns. On the line its tie is as strong as in the real table, below it weaker."
_NO_BREAK = "\u00a0"
_SKILLS = "Right: what real rows teach. Left: what independent columns teach."


def first_screen(report: Report) -> dict[str, Any]:
    """The three verdicts, each with its picture, as the page's template wants them."""
    columns = report.number_columns
    pictures: list[tuple[Chart | None, str, bool]] = [
        (columns_picture(columns, report.histograms), _QUANTILES if columns else _BARS, bool(columns)),
        (relations_picture(report.associations), _PAIRS, False),
        (models_picture(report.results), _SKILLS, False),
    ]
    cards = [
        {
            "verdict": verdict,
            "chart": None if chart is None else Markup(chart.inline()),
            "caption": caption,
            "key": key,
        }
        for verdict, (chart, caption, key) in zip(report.verdicts, pictures, strict=True)
    ]
    return {"cards": cards}


def number_rows(columns: Sequence[NumberColumn]) -> list[dict[str, Any]]:
    """A row for each number or date: worst first."""
    rated = [(column, rate_number(column)) for column in columns]
    rated.sort(key=lambda one: one[1].place)
    return [
        {
            "name": tidy(column.name),
            "tone": rating.tone,
            "why": rating.why,
            "quantiles": f"{_quantiles(column.real, column)} → {_quantiles(column.synthetic, column)}",
            "left_out": ", ".join(map(tidy, column.left_out)),
            "cells": [
                ("mean", _both(column, "mean"), ""),
                (
                    "deviation",
                    f"{column.length(column.real.deviation)} → {column.length(column.synthetic.deviation)}",
                    "",
                ),
                ("median", _both(column, "median"), ""),
                ("share most off", *_spike(column)),
                ("KS, points", points(column.errors["KS"].value), _fresh(points(column.errors["KS"].fresh_sample))),
                ("Wasserstein, deviations", *_wasserstein(column)),
                ("KS by binning, by noise", _lost(column), ""),
            ],
        }
        for column, rating in rated
    ]


def _both(column: NumberColumn, figure: str) -> str:
    real, made = (column.text(float(getattr(side, figure))) for side in (column.real, column.synthetic))
    return f"{real} → {made}"


def _quantiles(figures: Figures, column: NumberColumn) -> str:
    """Four of them, each on one line: a moment has a space in it."""
    ends = (figures.p05, figures.p25, figures.p75, figures.p95)
    written = " · ".join(shown(column.text_type, end, column.real.deviation).replace(" ", _NO_BREAK) for end in ends)
    return in_unit(written, column.unit)


def _spike(column: NumberColumn) -> tuple[str, str]:
    spike = max(column.spikes, key=lambda one: one.error, default=None)
    return ("–", "") if spike is None else (f"{percent(spike.real)} → {percent(spike.synthetic)}", f"of {spike.value}")


def _wasserstein(column: NumberColumn) -> tuple[str, str]:
    error = column.errors["Wasserstein"]
    return number(error.value), _fresh(number(error.fresh_sample))


def _fresh(written: str) -> str:
    return f"fresh sample {written}"


def _lost(column: NumberColumn) -> str:
    error = column.errors["KS"]
    return "–" if error.binning is None or error.noise is None else f"{points(error.binning)}, {points(error.noise)}"
