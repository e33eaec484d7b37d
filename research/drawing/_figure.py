"""A figure in the paper's layout: one set of axes a panel, at most six lines with 95 % intervals, one legend."""

from __future__ import annotations

import io
import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from research._experiment import Experiment, Panel, Results
from research.drawing._axes import apart, mark_places, moved, places_of, scale_values
from research.drawing._lines import Point, draw_intervals, draw_line, marks_of, points_of
from research.drawing._looks import Look, looks_of
from research.drawing._table import draw_table, size_of
from understudy._core.errors import OptionError

_MOST_COLUMNS = 4
MOST_LINES = 6
"""In a panel."""
_LETTER = 0.07  # inches, in the legend
_LETTERS_AN_INCH = 15  # of the title
_LEAST_WIDTH = 6.4  # inches


def draw(
    experiment: Experiment, results: Results, caption: str, kinds: Sequence[str] = ("svg", "png")
) -> dict[str, bytes]:
    """The figure in each kind of file; the same bytes for the same values.

    Raises:
        OptionError: if matplotlib is not installed.
    """
    pyplot = _pyplot()
    with pyplot.rc_context({"svg.fonttype": "none", "svg.hashsalt": experiment.name, "font.size": 9}):
        figure = (_table if experiment.cells else _panels)(pyplot, experiment, results)
        shown = laid_out(experiment, results)
        title = f"{caption}{_spread(shown, results)}"
        lines = [line for line in (experiment.title, title, experiment.note) if line]
        width = int(figure.get_figwidth() * _LETTERS_AN_INCH)
        figure.suptitle("\n".join(part for line in lines for part in textwrap.wrap(line, width)), fontsize=9)
        found = {kind: _saved(figure, kind) for kind in kinds}
        pyplot.close(figure)
    return found


def laid_out(experiment: Experiment, results: Results) -> list[Panel]:
    """The panels that have values, each with its lines by name, at most six: one with more becomes several."""
    found = []
    for panel in experiment.panels:
        there = results.series(panel.measure, panel.group)
        names = [name for name in (panel.series or there) if name in there]
        parts = math.ceil(len(names) / MOST_LINES)
        for part in range(parts):
            some = tuple(names[part * len(names) // parts : (part + 1) * len(names) // parts])
            title = panel.title if parts == 1 else f"{panel.title} ({part + 1} of {parts})"
            found.append(replace(panel, title=title, series=some))
    return found


def _table(pyplot: Any, experiment: Experiment, results: Results) -> Any:
    width, height = size_of(experiment.cells)
    figure, axis = pyplot.subplots(figsize=(max(width, _LEAST_WIDTH), height + 0.6), layout="constrained")
    draw_table(axis, experiment.cells, results)
    return figure


def _panels(pyplot: Any, experiment: Experiment, results: Results) -> Any:
    shown = laid_out(experiment, results)
    columns = experiment.columns or min(len(shown), _MOST_COLUMNS if len(shown) not in (5, 6) else 3)
    rows = math.ceil(len(shown) / columns)
    names = {name: experiment.labels.get(name, name) for panel in shown for name in panel.series}
    points = [{name: points_of(panel, name, results) for name in panel.series} for panel in shown]
    width = max(3.4 * columns, _LEAST_WIDTH)
    beside = max(1, min(_MOST_COLUMNS, int(width / (_LETTER * max(map(len, names.values())) + 0.6))))
    size = (width, 2.7 * rows + 1.1 + 0.2 * math.ceil(len(names) / beside))
    figure, axes = pyplot.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained")
    looks = looks_of(names.values(), experiment.paper)
    places = [axis for row in axes for axis in row]
    cut = False
    for axis, panel, own in zip(places, shown, points, strict=False):
        # panels of the same thing have the same scale
        alike = [
            point
            for other, lines in zip(shown, points, strict=True)
            if (other.group, other.measure) == (panel.group, panel.measure)
            for line in lines.values()
            for point in line
        ]
        named = {names[name]: line for name, line in own.items()}
        cut |= _draw_panel(axis, panel, experiment, named, looks, alike)
    for axis in places[len(shown) :]:
        axis.set_visible(False)
    drawn = [point for lines in points for line in lines.values() for point in line]
    _legend(figure, places, list(names.values()), marks_of(drawn, cut=cut), beside)
    return figure


def _draw_panel(
    axis: Any,
    panel: Panel,
    experiment: Experiment,
    lines: Mapping[str, Sequence[Point]],
    looks: Mapping[str, Look],
    alike: Sequence[Point],
) -> bool:
    """One set of axes with its lines; whether an interval was cut off at its edge."""
    every = sorted({point.x for line in lines.values() for point in line})
    at = places_of(panel, every)
    log_x = experiment.log_x and panel.joined and every[0] > 0
    shares = apart([at[x] for x in every], len(lines), log=log_x)
    placed = {name: moved(at, share, log=log_x) for name, share in zip(lines, shares, strict=True)}
    for number, (name, points) in enumerate(lines.items()):
        draw_line(axis, points, placed[name], looks[name], label=name, number=number, joined=panel.joined)
    means = [point.mean for point in alike]
    if panel.level is not None:
        axis.axhline(panel.level, label=f"{panel.level_words} {panel.level:g}", color="#1a1a1a", lw=0.8, ls="--")
        means.append(panel.level)
    mark_places(axis, panel, at, log=log_x)
    limits = scale_values(axis, panel, means, [point.interval for point in alike if point.interval])
    cut = [draw_intervals(axis, points, placed[name], looks[name], limits) for name, points in lines.items()]
    axis.set_title(panel.title, fontsize=9)
    axis.set_xlabel(panel.x or experiment.x)
    axis.set_ylabel(panel.y)
    axis.grid(alpha=0.3, lw=0.5)
    return any(cut)


def _legend(figure: Any, places: Sequence[Any], names: Sequence[str], marks: Sequence[Any], beside: int) -> None:
    """Lines in the order of the panels, then levels, then what bars and markers mean."""
    handles: dict[str, Any] = {}
    for axis in places:
        handles |= dict(zip(*reversed(axis.get_legend_handles_labels()), strict=True))
    order = [*dict.fromkeys(names), *(label for label in handles if label not in names)]
    entries = [(label, handles[label]) for label in order] + [(mark.get_label(), mark) for mark in marks]
    labels, drawn = zip(*entries, strict=True)
    figure.legend(drawn, labels, loc="outside lower center", ncols=min(beside, len(labels)), handlelength=3.2)


def _spread(shown: Sequence[Panel], results: Results) -> str:
    """How many repetitions points have, where not all have as many."""
    drawn = {(panel.group, name, panel.measure) for panel in shown for name in panel.series}
    counts = {len(values) for (*line, _), values in results.points.items() if tuple(line) in drawn}
    return f" ({min(counts)} to {max(counts)} a point)" if len(counts) > 1 else ""


def _saved(figure: Any, kind: str) -> bytes:
    out = io.BytesIO()
    metadata = {"Date": None} if kind == "svg" else {"Software": None}
    figure.savefig(out, format=kind, dpi=110, metadata=metadata)
    return out.getvalue()


def check_matplotlib() -> None:
    """Refuse to begin what could not be drawn in the end.

    Raises:
        OptionError: if matplotlib is not installed.
    """
    _pyplot()


def _pyplot() -> Any:
    try:
        import matplotlib
    except ImportError:
        raise OptionError("figures need matplotlib, which is not installed. Run: make setup") from None
    matplotlib.use("Agg")
    import matplotlib.pyplot as pyplot

    return pyplot
