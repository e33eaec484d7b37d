"""A figure in the paper's layout: one set of axes a panel, lines with 95 % intervals, one legend."""

from __future__ import annotations

import io
import math
from typing import Any

from research._experiment import Experiment, Panel, Results
from understudy._core.errors import OptionError
from understudy.evaluation import mean_interval

_COLOURS = (
    "#1f6feb",
    "#d1495b",
    "#2a9d8f",
    "#e9a23b",
    "#7b4ea3",
    "#6b7280",
    "#0b7285",
    "#a0522d",
    "#c2255c",
    "#3b3b3b",
    "#74b816",
    "#f783ac",
)
_MARKERS = "osD^vPX*<>ph"
_MOST_COLUMNS = 4
_FAINT = 0.4
_LETTER = 0.07  # inches, in the legend
_LETTER_OF_AXIS = 0.026  # of an axis' width


def draw(experiment: Experiment, results: Results, caption: str) -> dict[str, bytes]:
    """The figure as `svg` and `png`.

    Raises:
        OptionError: if matplotlib is not installed.
    """
    pyplot = _pyplot()
    shown = [panel for panel in experiment.panels if results.series(panel.measure, panel.group)]
    columns = min(len(shown), _MOST_COLUMNS if len(shown) not in (5, 6) else 3)
    rows = math.ceil(len(shown) / columns)
    with pyplot.rc_context({"svg.fonttype": "none", "svg.hashsalt": experiment.name, "font.size": 9}):
        names = list(dict.fromkeys(s for panel in shown for s in results.series(panel.measure, panel.group)))
        width = max(3.4 * columns, 6.4)
        beside = max(1, min(len(names), _MOST_COLUMNS, int(width / (_LETTER * max(map(len, names)) + 0.6))))
        size = (width, 2.7 * rows + 0.9 + 0.2 * math.ceil(len(names) / beside))
        figure, axes = pyplot.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained")
        looks = {name: (_COLOURS[i % 12], _MARKERS[i % 12]) for i, name in enumerate(names)}
        places = [axis for row in axes for axis in row]
        for axis, panel in zip(places, shown, strict=False):
            _draw_panel(axis, panel, experiment, results, looks)
        for axis in places[len(shown) :]:
            axis.set_visible(False)
        handles: dict[str, Any] = {}
        for axis in places:
            handles |= dict(zip(*reversed(axis.get_legend_handles_labels()), strict=True))
        figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=beside)
        figure.suptitle(f"{experiment.title}\n{caption}{_spread(shown, results)}", fontsize=9)
        found = {kind: _saved(figure, kind) for kind in ("svg", "png")}
        pyplot.close(figure)
    return found


def _draw_panel(
    axis: Any, panel: Panel, experiment: Experiment, results: Results, looks: dict[str, tuple[str, str]]
) -> None:
    every: set[float] = set()
    least = 0.0
    for series in results.series(panel.measure, panel.group):
        xs = results.xs(panel.measure, series, panel.group)
        means = [results.mean(panel.measure, series, x, panel.group) for x in xs]
        reach = []
        for x, mean in zip(xs, means, strict=True):
            values = list(results.values(panel.measure, series, x, panel.group))
            # an interval from two values is thirteen standard errors wide and would hide all else
            interval = mean_interval(values) if len(values) > 2 else None
            reach.append(0.0 if interval is None else interval[1] - mean)
        colour, marker = looks[series]
        line = "-" if panel.joined else ""
        look = {"color": colour, "marker": marker, "ms": 4, "lw": 1.2, "capsize": 2, "ls": line}
        drawn = axis.errorbar(xs, means, yerr=reach, label=series, **look)
        for part in (*drawn.lines[1], *drawn.lines[2]):  # wide intervals of few repetitions would hide the lines
            part.set_alpha(_FAINT)
        every.update(xs)
        least = min(least, *means)
    if panel.level is not None:
        axis.axhline(panel.level, label=f"{panel.level_words} {panel.level:g}", color="#3b3b3b", lw=0.8, ls="--")
    log_x = experiment.log_x and panel.joined and min(every) > 0
    if log_x:
        axis.set_xscale("log")
        axis.minorticks_off()
    if len(every) <= 8 or not panel.joined:
        axis.set_xticks(sorted(every), _labels(sorted(every), log=log_x))
    if panel.log_y:
        axis.set_yscale("log")
    else:
        low, high = axis.get_ylim()
        if low < 0.3 * high:  # an interval that reaches below 0 is cut off where no mean does
            axis.set_ylim(bottom=min(0, low) if least < 0 else 0)
        if panel.most is not None and high > panel.most:
            axis.set_ylim(top=panel.most)
    axis.set_title(panel.title, fontsize=9)
    axis.set_xlabel(panel.x or experiment.x)
    axis.set_ylabel(panel.y)
    axis.grid(alpha=0.3, lw=0.5)


def _spread(shown: list[Panel], results: Results) -> str:
    """How many repetitions points have, where not all have as many."""
    drawn = {(panel.group, panel.measure) for panel in shown}
    counts = {len(values) for (group, _, measure, _), values in results.points.items() if (group, measure) in drawn}
    return f" ({min(counts)} to {max(counts)} a point)" if len(counts) > 1 else ""


def _labels(xs: list[float], *, log: bool = True) -> list[str]:
    """What is written at places of an axis: nothing where it would touch the one before.

    >>> _labels([0.001, 0.005, 0.01, 1]), _labels([1, 3, 4, 12]), _labels([0.05, 0.1, 0.9], log=False)
    (['0.001', '0.005', '', '1'], ['1', '3', '4', '12'], ['0.05', '', '0.9'])
    """
    labels, last, before = [], -math.inf, ""
    width = (math.log(xs[-1] / xs[0]) if log else xs[-1] - xs[0]) or 1.0
    for x in xs:
        place, label = (math.log(x) if log else x) / width, f"{x:g}"
        clear = place - last >= _LETTER_OF_AXIS * (len(before) + len(label)) / 2 + 0.02
        labels.append(label if clear else "")
        last, before = (place, label) if clear else (last, before)
    return labels


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
