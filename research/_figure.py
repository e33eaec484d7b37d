"""A figure in the paper's layout: one set of axes a panel, at most six lines with 95 % intervals, one legend."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from research._experiment import Experiment, Panel, Results
from research.rules import FEWEST
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
MOST_LINES = 6
"""In a panel."""
_DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (1, 1)))
_Look: TypeAlias = tuple[str, str, Any]  # colour, marker, dashes
_DODGE = 0.006  # of an axis' width, from one line to the next
_FAINT = 0.5
_LETTER = 0.07  # inches, in the legend
_LETTER_OF_AXIS = 0.026  # of an axis' width


def draw(experiment: Experiment, results: Results, caption: str) -> dict[str, bytes]:
    """The figure as `svg` and `png`.

    Raises:
        OptionError: if matplotlib is not installed.
    """
    pyplot = _pyplot()
    shown = laid_out(experiment, results)
    columns = min(len(shown), _MOST_COLUMNS if len(shown) not in (5, 6) else 3)
    rows = math.ceil(len(shown) / columns)
    with pyplot.rc_context({"svg.fonttype": "none", "svg.hashsalt": experiment.name, "font.size": 9}):
        names = list(dict.fromkeys(name for panel in shown for name in panel.series))
        width = max(3.4 * columns, 6.4)
        beside = max(1, min(len(names), _MOST_COLUMNS, int(width / (_LETTER * max(map(len, names)) + 0.6))))
        size = (width, 2.7 * rows + 0.9 + 0.2 * math.ceil(len(names) / beside))
        figure, axes = pyplot.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained")
        looks = {name: (_COLOURS[i % 12], _MARKERS[i % 12], _DASHES[i % 6]) for i, name in enumerate(names)}
        places = [axis for row in axes for axis in row]
        for axis, panel in zip(places, shown, strict=False):
            _draw_panel(axis, panel, experiment, results, looks, shown)
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


def _draw_panel(
    axis: Any, panel: Panel, experiment: Experiment, results: Results, looks: Mapping[str, _Look], beside: list[Panel]
) -> None:
    every = sorted({x for name in panel.series for x in results.xs(panel.measure, name, panel.group)})
    log_x = experiment.log_x and panel.joined and every[0] > 0
    for number, name in enumerate(panel.series):
        dodge = (number - (len(panel.series) - 1) / 2) * _DODGE
        _draw_line(axis, panel, name, results, looks[name], _dodged(every, dodge, log=log_x), number)
    # panels of the same thing have the same scale
    alike = [one for one in beside if (one.group, one.measure) == (panel.group, panel.measure)]
    means = [mean for one in alike for name in one.series for mean in _means(one, name, results)]
    if panel.level is not None:
        axis.axhline(panel.level, label=f"{panel.level_words} {panel.level:g}", color="#3b3b3b", lw=0.8, ls="--")
        means.append(panel.level)
    if log_x:
        axis.set_xscale("log")
        axis.minorticks_off()
    if len(every) <= 8 or not panel.joined:
        axis.set_xticks(every, _labels(every, log=log_x))
    _scale_y(axis, panel, means)
    axis.set_title(panel.title, fontsize=9)
    axis.set_xlabel(panel.x or experiment.x)
    axis.set_ylabel(panel.y)
    axis.grid(alpha=0.3, lw=0.5)


def _draw_line(
    axis: Any,
    panel: Panel,
    name: str,
    results: Results,
    look: _Look,
    places: dict[float, float],
    number: int,
) -> None:
    """A line with its intervals; hollow where a point is a single run."""
    xs = results.xs(panel.measure, name, panel.group)
    each = [list(results.values(panel.measure, name, x, panel.group)) for x in xs]
    means = _means(panel, name, results)
    at = [places[x] for x in xs]
    colour, marker, dashes = look
    style = {"color": colour, "zorder": 3 + number / 10}
    # of lines on top of each other the later ones are thinner and broken, so that the earlier show through
    axis.plot(
        at,
        means,
        ls=dashes if panel.joined else "",
        lw=2.2 - 0.25 * number,
        marker=marker,
        ms=5 - 0.3 * number,
        label=name,
        **style,
    )
    # an interval from few values is many standard errors wide and would hide all else
    bars = [
        (x, mean, mean_interval(values))
        for x, mean, values in zip(at, means, each, strict=True)
        if len(values) >= FEWEST
    ]
    for x, mean, interval in bars:
        if interval is not None and interval[1] > mean:
            axis.plot([x, x], interval, lw=0.9, alpha=_FAINT, **style)
    single = [(x, mean) for x, mean, values in zip(at, means, each, strict=True) if len(values) == 1]
    if single:
        axis.plot(*zip(*single, strict=True), ls="", marker=marker, ms=5 - 0.3 * number, mfc="white", **style)


def _means(panel: Panel, name: str, results: Results) -> list[float]:
    return [results.mean(panel.measure, name, x, panel.group) for x in results.xs(panel.measure, name, panel.group)]


def _dodged(xs: list[float], share: float, *, log: bool) -> dict[float, float]:
    """Where points are drawn: moved by a share of the axis, so that points of several lines do not hide each other.

    >>> _dodged([0.0, 10.0], 0.1, log=False)
    {0.0: 1.0, 10.0: 11.0}
    """
    if log:
        return {x: x * (xs[-1] / xs[0]) ** share for x in xs}
    return {x: x + share * ((xs[-1] - xs[0]) or 1.0) for x in xs}


def _scale_y(axis: Any, panel: Panel, means: list[float]) -> None:
    """Show every mean; an interval that reaches far beyond them is cut off."""
    low, high = min(means), max(means)
    if panel.log_y and high > 0:
        axis.set_yscale("log")
        least = min(mean for mean in means if mean > 0)
        axis.set_ylim(least / 1.3, high * 1.3)
        axis.yaxis.set_major_locator(_log_ticks(few=high / least > 100))
        axis.yaxis.set_major_formatter("{x:g}")
        axis.yaxis.set_minor_formatter("")
        return
    room = 0.12 * (high - low) or 0.1 * abs(high) or 1.0
    bottom = 0.0 if 0 <= low < 0.3 * high else low - room
    top = high + room
    axis.set_ylim(bottom, top if panel.most is None else min(top, panel.most + 0.02 * (top - bottom)))


def _spread(shown: list[Panel], results: Results) -> str:
    """How many repetitions points have, where not all have as many."""
    drawn = {(panel.group, name, panel.measure) for panel in shown for name in panel.series}
    counts = {len(values) for (*line, _), values in results.points.items() if tuple(line) in drawn}
    if len(counts) < 2:
        return ""
    return f" ({min(counts)} to {max(counts)} a point{'; hollow: a single run' if 1 in counts else ''})"


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


def _log_ticks(*, few: bool) -> Any:
    """Ticks of a logarithmic axis: at powers of ten, and between them if that would be few."""
    from matplotlib.ticker import LogLocator

    return LogLocator(subs=(1.0,) if few else (1.0, 2.0, 5.0))


def _pyplot() -> Any:
    try:
        import matplotlib
    except ImportError:
        raise OptionError("figures need matplotlib, which is not installed. Run: make setup") from None
    matplotlib.use("Agg")
    import matplotlib.pyplot as pyplot

    return pyplot
