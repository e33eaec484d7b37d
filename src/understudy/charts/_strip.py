"""How many numbers lie where, and one number between two others."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from understudy._core.errors import OptionError
from understudy.charts._chart import Chart
from understudy.charts._svg import percent, plain, svg, tag, ticks, width_of

_WIDTH, _MARGIN = 520.0, 14.0
_BINS = 40
_LINES = ("us-best", "us-worst", "us-ink")


def strip(
    values: Sequence[float] | npt.NDArray[np.float64],
    *,
    title: str = "",
    x_label: str = "",
    bands: Mapping[str, float] | None = None,
    shares: bool = True,
) -> Chart:
    """How a set of numbers is spread: a histogram of them over their axis, with named lines for reference.

    `shares` writes the axis in percent.

    >>> strip([0.01, 0.02, 0.02, 0.3], bands={"fresh sample": 0.01}).width
    520
    """
    numbers = np.asarray(values, dtype=np.float64)
    numbers = numbers[np.isfinite(numbers)]
    if not len(numbers):
        raise OptionError("a strip needs at least one number.")
    lines = {name: float(at) for name, at in (bands or {}).items() if math.isfinite(at)}
    low = min(0.0, float(numbers.min()), *lines.values())
    high = max(float(numbers.max()), *lines.values(), low + 1e-9)
    write = percent if shares else plain
    top = _MARGIN + (26 if title else 0) + 16 * len(lines)
    left, right, bottom = _MARGIN + 8, _WIDTH - _MARGIN - 8, top + 96.0

    def x(value: float) -> float:
        return left + (right - left) * (value - low) / (high - low)

    counts, edges = np.histogram(numbers, bins=_BINS, range=(low, high))
    bars = []
    for count, start, end in zip(counts.tolist(), edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        if count:
            tall = max(2.0, (bottom - top - 6) * count / int(counts.max()))
            bar = tag("title", f"{count:,} from {write(start)} to {write(end)}")
            bars.append(
                tag(
                    "rect",
                    bar,
                    class_="us-synthetic",
                    x=x(start) + 0.5,
                    y=bottom - tall,
                    height=tall,
                    width=max(1.0, x(end) - x(start) - 1),
                    rx=1,
                )
            )
    axis = [tag("line", class_="us-line-l", x1=left, x2=right, y1=bottom, y2=bottom)]
    axis += [
        tag("text", write(mark), class_="us-quiet", x=x(mark), y=bottom + 15, font_size=10.5, text_anchor="middle")
        for mark in ticks(low, high, 5)
    ]
    axis.append(tag("text", x_label, class_="us-quiet", x=right, y=bottom + 31, font_size=10.5, text_anchor="end"))
    head = [tag("text", title, class_="us-ink", x=_MARGIN, y=_MARGIN + 12, font_size=13.5, font_weight="600")]
    marks = _flags(lines, {name: x(at) for name, at in lines.items()}, top, bottom, write)
    height = bottom + (42 if x_label else 26)
    body = [*(head if title else []), *bars, *axis, *marks]
    return Chart(svg(_WIDTH, height, title, body), round(_WIDTH), round(height))


def _flags(
    lines: Mapping[str, float], places: Mapping[str, float], top: float, bottom: float, write: Callable[[float], str]
) -> list[str]:
    """A line down from each name; the leftmost name is on top, so that no line goes through another's name."""
    parts = []
    kinds = {name: _LINES[i % len(_LINES)] for i, name in enumerate(lines)}
    for i, name in enumerate(sorted(lines, key=lambda name: places[name])):
        x, y, kind = places[name], top - 16 * (len(lines) - i) + 8, kinds[name]
        text = f"{name} {write(lines[name])}"
        fits = x + 6 + width_of(text, 10.5) < _WIDTH - _MARGIN
        parts.append(tag("line", class_=f"{kind}-l", x1=x, x2=x, y1=y - 8, y2=bottom, stroke_width=1.5))
        start, anchor = (x + 5, "start") if fits else (x - 5, "end")
        parts.append(tag("text", text, class_=kind, x=start, y=y, font_size=10.5, text_anchor=anchor))
    return parts


def gauge(
    value: float,
    *,
    best: float | None,
    worst: float | None,
    more_is_better: bool = False,
    most: float = 0.0,
    title: str = "",
) -> Chart:
    """A small bar that shows where a number lies between what is best and what is worst.

    The left end is always the better one; `more_is_better` says that larger numbers are better. The bar reaches to
    `most` at least: without a worst one any number would be at its end.

    >>> gauge(0.012, best=0.004, worst=0.16).height
    20
    """
    width, height, middle = 200.0, 20.0, 10.0
    known = [number for number in (value, best, worst) if number is not None and math.isfinite(number)]
    low, high = min(known, default=0.0), max(known, default=1.0)
    if low >= 0 and not more_is_better:
        low, high = 0.0, max(high, most)
    span = (high - low) or 1.0

    def x(number: float) -> float:
        share = (number - low) / span
        return 8 + (width - 16) * (1 - share if more_is_better else share)

    parts = [tag("rect", class_="us-line", x=4, y=middle - 3, width=width - 8, height=6, rx=3)]
    if best is not None and worst is not None:
        start, end = sorted((x(best), x(worst)))
        band = tag("rect", class_="us-fifth", x=start, y=middle - 3, width=max(end - start, 1), height=6)
        parts.append(tag("g", band, opacity="0.45"))
    for number, kind in ((best, "us-best"), (worst, "us-worst")):
        if number is not None and math.isfinite(number):
            parts.append(tag("rect", class_=kind, x=x(number) - 1.5, y=middle - 7, width=3, height=14, rx=1.5))
    if math.isfinite(value):
        parts.append(tag("circle", class_="us-synthetic", cx=x(value), cy=middle, r=5.5))
    return Chart(svg(width, height, title, parts), round(width), round(height))
