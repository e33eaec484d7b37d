"""One number against another: what lies on the diagonal is the same in both tables."""

from __future__ import annotations

import math
from collections.abc import Sequence

from understudy.charts._chart import Chart
from understudy.charts._svg import plain, svg, tag, ticks

_WIDTH, _HEIGHT = 360.0, 240.0
_MOST_DOTS = 500


def scatter(
    dots: Sequence[tuple[float, float, str]], *, x_label: str = "real", y_label: str = "synthetic", title: str = ""
) -> Chart:
    """A dot for each pair of numbers, with its name; of very many the outermost.

    >>> scatter([(0.2, 0.1, "age × income"), (0.5, 0.5, "age × sex")]).height
    240
    """
    known = [dot for dot in dots if math.isfinite(dot[0]) and math.isfinite(dot[1])]
    known = sorted(known, key=lambda dot: -max(abs(dot[0]), abs(dot[1])))[:_MOST_DOTS]
    values = [number for dot in known for number in dot[:2]]
    low, high = min([0.0, *values]), max([*values, 0.0])
    span = (high - low) or 1.0
    left, right, top, bottom = 38.0, _WIDTH - 10, 10.0, _HEIGHT - 34

    def x(value: float) -> float:
        return left + (right - left) * (value - low) / span

    def y(value: float) -> float:
        return bottom - (bottom - top) * (value - low) / span

    marks = ticks(low, low + span, 4)
    grid = [tag("line", class_="us-line-l", x1=left, x2=right, y1=y(m), y2=y(m), stroke_width=0.7) for m in marks]
    grid += [
        tag("text", plain(m), class_="us-quiet", x=left - 5, y=y(m) + 3.5, font_size=10, text_anchor="end")
        for m in marks
    ]
    grid += [
        tag("text", plain(m), class_="us-quiet", x=x(m), y=bottom + 14, font_size=10, text_anchor="middle")
        for m in marks
    ]
    end = low + span
    grid.append(tag("line", class_="us-best-l", x1=x(low), y1=y(low), x2=x(end), y2=y(end), stroke_width=1.2))
    points = [
        tag("circle", tag("title", f"{name}: {x_label} {plain(a)}, {y_label} {plain(b)}"), class_="us-synthetic",
            cx=x(a), cy=y(b), r=3.6, opacity="0.75")
        for a, b, name in known
    ]  # fmt: skip
    words = [
        tag("text", x_label, class_="us-quiet", x=right, y=_HEIGHT - 5, font_size=10.5, text_anchor="end"),
        tag("text", y_label, class_="us-quiet", x=left + 4, y=top + 8, font_size=10.5),
    ]
    return Chart(svg(_WIDTH, _HEIGHT, title, [*grid, *points, *words]), round(_WIDTH), round(_HEIGHT))
