"""Several numbers, each between what is worst and what is best, on one scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from understudy._core.errors import OptionError
from understudy.charts._chart import Chart
from understudy.charts._svg import fit, plain, svg, tag, ticks, width_of

_WIDTH, _MARGIN, _ROW = 360.0, 6.0, 26.0


@dataclass(frozen=True)
class Between:
    """A number and its two references.

    >>> Between("AUC: svm", 0.7, best=0.74, worst=0.5).value
    0.7
    """

    name: str
    value: float
    best: float
    worst: float


def between(rows: Sequence[Between], *, best: str = "best", worst: str = "worst", title: str = "") -> Chart:
    """A line a number from its worst to its best reference, and a dot where it lies itself.

    >>> between([Between("AUC: svm", 0.7, best=0.74, worst=0.5)]).width
    360
    """
    if not rows:
        raise OptionError("numbers between references need at least one row.")
    shown = [fit(row.name, 140.0, 11, middle=True) for row in rows]
    left = _MARGIN + max(width_of(name, 11) for name in shown) + 10
    right, top = _WIDTH - _MARGIN - 34, _MARGIN + 20
    values = [number for row in rows for number in (row.value, row.best, row.worst)]
    low, high = min(values), max(values)
    span = (high - low) or 1.0

    def x(value: float) -> float:
        return left + 6 + (right - left - 12) * (value - low) / span

    bottom = top + len(rows) * _ROW
    parts = _key(best, worst)
    for mark in ticks(low, high, 4):
        parts.append(tag("line", class_="us-line-l", x1=x(mark), x2=x(mark), y1=top - 4, y2=bottom, stroke_width=0.7))
        parts.append(
            tag("text", plain(mark), class_="us-quiet", x=x(mark), y=bottom + 13, font_size=10, text_anchor="middle")
        )
    for i, (row, name) in enumerate(zip(rows, shown, strict=True)):
        y = top + i * _ROW + _ROW / 2
        ends = sorted((x(row.worst), x(row.best)))
        parts += [
            tag("text", name, class_="us-ink", x=left - 6, y=y + 3.8, font_size=11, text_anchor="end"),
            tag("line", class_="us-fifth-l", x1=ends[0], x2=ends[1], y1=y, y2=y, stroke_width=2.4, opacity="0.45"),
            tag("rect", class_="us-worst", x=x(row.worst) - 1.5, y=y - 7, width=3, height=14, rx=1.5),
            tag("rect", class_="us-best", x=x(row.best) - 1.5, y=y - 7, width=3, height=14, rx=1.5),
            tag("circle", tag("title", f"{row.name}: {plain(row.value)}"), class_="us-synthetic", cx=x(row.value), cy=y,
                r=5),
            tag("text", plain(row.value), class_="us-quiet", x=_WIDTH - _MARGIN, y=y + 3.6, font_size=10.5,
                text_anchor="end"),
        ]  # fmt: skip
    return Chart(svg(_WIDTH, bottom + 20, title, parts), round(_WIDTH), round(bottom + 20))


def _key(best: str, worst: str) -> list[str]:
    """What the marks mean, above them."""
    parts, x = [], _MARGIN
    for kind, words in (("us-worst", worst), ("us-synthetic", "synthetic"), ("us-best", best)):
        parts.append(tag("rect", class_=kind, x=x, y=_MARGIN + 1, width=9, height=9, rx=2))
        parts.append(tag("text", words, class_="us-quiet", x=x + 13, y=_MARGIN + 9.5, font_size=10.5))
        x += 13 + width_of(words, 10.5) + 10
    return parts
