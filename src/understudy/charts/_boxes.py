"""Where most of a column lies in two tables: quantiles as boxes, one above the other."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from understudy._core.errors import OptionError
from understudy.charts._chart import Chart
from understudy.charts._svg import fit, svg, tag, width_of

_WIDTH, _MARGIN = 360.0, 6.0
_ROW, _BOX = 38.0, 7.0
_CLASSES = ("us-real", "us-synthetic", "us-third", "us-fourth", "us-fifth")
_BOLD = 1.15
"""How much wider bold letters are."""


@dataclass(frozen=True)
class Box:
    """Five quantiles (5, 25, 50, 75, 95 %) and the mean.

    >>> Box((1, 2, 3, 4, 5), 3.2).mean
    3.2
    """

    quantiles: tuple[float, float, float, float, float]
    mean: float


@dataclass(frozen=True)
class BoxRow:
    """One column: its name, what is written beside it, and a box for each table.

    >>> BoxRow("age", "mean 40 → 41", {"real": Box((1, 2, 3, 4, 5), 3.2)}).name
    'age'
    """

    name: str
    said: str
    boxes: Mapping[str, Box]


def boxes(rows: Sequence[BoxRow], *, title: str = "") -> Chart:
    """Each column on a scale of its own: a line from the 5 to the 95 % quantile, a box for the middle half of values, a
    notch at the median and a dot at the mean.

    >>> both = {"real": Box((1, 2, 3, 4, 5), 3.2), "synthetic": Box((1, 2, 3, 4, 9), 3.9)}
    >>> boxes([BoxRow("age", "mean 3.2 → 3.9", both)]).width
    360
    """
    if not rows:
        raise OptionError("boxes need at least one column.")
    parts = [part for i, row in enumerate(rows) for part in _row(row, _MARGIN + i * _ROW)]
    height = _MARGIN + len(rows) * _ROW
    return Chart(svg(_WIDTH, height, title or "quantiles of columns", parts), round(_WIDTH), round(height))


def _row(row: BoxRow, top: float) -> list[str]:
    left, right = _MARGIN, _WIDTH - _MARGIN
    known = [n for box in row.boxes.values() for n in (*box.quantiles, box.mean) if math.isfinite(n)]
    low, high = min(known, default=0.0), max(known, default=1.0)
    span = (high - low) or 1.0

    def x(value: float) -> float:
        return left + 4 + (right - left - 8) * (0.5 if high == low else (value - low) / span)

    name = fit(row.name, right - left - width_of(row.said, 10.5) - 10, 11 * _BOLD)
    parts = [
        tag("text", name, class_="us-ink", x=left, y=top + 9, font_size=11, font_weight="600"),
        tag("text", row.said, class_="us-quiet", x=right, y=top + 9, font_size=10.5, text_anchor="end"),
    ]
    for j, (side, box) in enumerate(row.boxes.items()):
        known_class = f"us-{side}" if f"us-{side}" in _CLASSES else _CLASSES[j % 5]
        if all(math.isfinite(n) for n in (*box.quantiles, box.mean)):
            parts += _box(box, known_class, x, top + 14 + j * (_BOX + 2), side)
    return parts


def _box(box: Box, kind: str, x: Callable[[float], float], y: float, name: str) -> list[str]:
    p05, p25, median, p75, p95 = (x(value) for value in box.quantiles)
    middle = y + _BOX / 2
    return [
        tag(
            "g",
            tag("title", name),
            tag("line", class_=f"{kind}-l", x1=p05, x2=max(p95, p05 + 1), y1=middle, y2=middle, stroke_width=1.6),
            tag("rect", class_=kind, x=p25, y=y, width=max(p75 - p25, 2.5), height=_BOX, rx=1.5),
            tag("rect", class_="us-paper-mark", x=median - 0.9, y=y, width=1.8, height=_BOX),
            tag("circle", class_=f"{kind} us-ring", cx=x(box.mean), cy=middle, r=4),
        )
    ]
