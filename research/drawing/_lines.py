"""A line of a panel: means with their intervals, and marks where few runs stand behind a point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from research._experiment import Panel, Results
from research.drawing._looks import Look
from research.rules import FEWEST
from understudy.evaluation import mean_interval

INTERVAL, TIPPED = "95 % interval of the mean", "95 % interval of the mean (with a tip: goes on)"
SINGLE, FEW = "hollow: a single run, or no chance in it", f"half-filled: fewer than {FEWEST} runs"
MARK = "#585858"
"""The colour of what the legend says of any line."""
_FAINT, _THIN = 0.5, 0.9
_TIP = 3.2


@dataclass(frozen=True)
class Point:
    """A point of a line: the mean of its runs, and the interval of that mean, if they are enough for one."""

    x: float
    mean: float
    runs: int
    interval: tuple[float, float] | None


def points_of(panel: Panel, name: str, results: Results) -> list[Point]:
    """The points of a line, from left to right.

    An interval from few runs is many standard errors wide and would hide all else: there is none below five.

    >>> panel, results = Panel(title="", measure="error", y=""), Results({("", "a", "error", 1.0): [1.0, 2.0]})
    >>> points_of(panel, "a", results)
    [Point(x=1.0, mean=1.5, runs=2, interval=None)]
    """
    found = []
    for x in results.xs(panel.measure, name, panel.group):
        values = list(results.values(panel.measure, name, x, panel.group))
        mean = results.mean(panel.measure, name, x, panel.group)
        interval = mean_interval(values) if len(values) >= FEWEST else None
        found.append(Point(x, mean, len(values), interval if interval and interval[1] > interval[0] else None))
    return found


def draw_line(
    axis: Any,
    points: Sequence[Point],
    at: Mapping[float, float],
    look: Look,
    *,
    label: str,
    number: int,
    joined: bool,
) -> None:
    """A line with its markers. Of lines on top of each other the later are thinner, so that the earlier show through.

    Its intervals are drawn by `draw_intervals`, once the limits of the axis are known.
    """
    style = {"color": look.shade, "zorder": 3 + number / 10}
    size = {"marker": look.marker, "ms": 5.2 - 0.3 * number, "mew": 0.9}
    places, means = [at[point.x] for point in points], [point.mean for point in points]
    pattern = look.pattern if joined else ""
    axis.plot(places, means, ls=pattern, lw=2.2 - 0.25 * number, label=label, **size, **style)
    for few, marks in ((True, {"mfc": "white"}), (False, {"fillstyle": "left", "mfcalt": "white"})):
        some = [point for point in points if point.runs < FEWEST and (point.runs == 1) is few]
        if some:
            axis.plot([at[p.x] for p in some], [p.mean for p in some], ls="", **size, **marks, **style)


def draw_intervals(
    axis: Any,
    points: Sequence[Point],
    at: Mapping[float, float],
    look: Look,
    limits: tuple[float, float],
) -> bool:
    """Thin, light bars below the lines, cut off at the edge with a tip there; whether one was."""
    low, high = limits
    cut = False
    style = {"color": look.shade, "alpha": _FAINT, "zorder": 2}
    for point in points:
        if point.interval is None:
            continue
        ends = [max(point.interval[0], low), min(point.interval[1], high)]
        axis.plot([at[point.x]] * 2, ends, lw=_THIN, solid_capstyle="butt", **style)
        for end, marker, beyond in ((low, "v", point.interval[0] < low), (high, "^", point.interval[1] > high)):
            if beyond:
                cut = True
                axis.plot([at[point.x]], [end], ls="", marker=marker, ms=_TIP, mew=0, clip_on=False, **style)
    return cut


def marks_of(points: Sequence[Point], *, cut: bool) -> list[Any]:
    """What the legend says of bars and markers, as far as a figure has them."""
    from matplotlib.lines import Line2D

    found = []
    if any(point.interval for point in points):
        found.append(Line2D([], [], ls="", marker="|", ms=9, color=MARK, label=TIPPED if cut else INTERVAL))
    plain: dict[str, Any] = {"ls": "", "marker": "o", "ms": 5, "color": MARK}
    if any(point.runs == 1 for point in points):
        found.append(Line2D([], [], mfc="white", label=SINGLE, **plain))
    if any(1 < point.runs < FEWEST for point in points):
        found.append(Line2D([], [], fillstyle="left", mfcalt="white", label=FEW, **plain))
    return found
