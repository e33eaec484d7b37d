"""Heat maps: a square table of numbers as shades."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from understudy._core.errors import OptionError
from understudy.charts._chart import Chart
from understudy.charts._svg import STEPS, fit, plain, shade, svg, tag, tidy, width_of

_MARGIN = 10.0
_SIZE = 10.5
_ROOM = 132.0


def heat_map(
    labels: Sequence[str],
    matrix: npt.ArrayLike,
    *,
    low: float,
    high: float,
    title: str = "",
    diverging: bool = False,
    triangle: bool = False,
) -> Chart:
    """A square matrix over the same labels on both sides, from light (low) to dark (high).

    `diverging` shades both directions from zero; `triangle` leaves out the half that repeats the other, and the
    diagonal. Each cell says its two labels and its number to whoever points at it.

    >>> heat_map(["a", "b"], [[0, 1], [1, 0]], low=0, high=1).svg.count('class="h12"') >= 2
    True
    """
    values = np.asarray(matrix, dtype=np.float64)
    if values.shape != (len(labels), len(labels)) or not labels:
        raise OptionError(f"a heat map of {len(labels)} labels needs as many rows and columns; got {values.shape}.")
    cell = float(20 if len(labels) <= 12 else max(12, min(28, 800 // len(labels))))
    rows = [str(label) for label in labels[1:]] if triangle and len(labels) > 1 else [str(label) for label in labels]
    columns = [str(label) for label in (labels[:-1] if triangle and len(labels) > 1 else labels)]
    left = _MARGIN + _room(rows)
    top = _MARGIN + (24.0 if title else 0.0)
    cells = []
    for i, row in enumerate(rows):
        source = i + len(labels) - len(rows)
        for j in range(source if triangle and len(labels) > 1 else len(columns)):
            value = float(values[source, j])
            cells.append(
                f'<rect class="{shade(value, low, high, diverging=diverging)}" x="{left + j * cell:.0f}" '
                f'y="{top + i * cell:.0f}" width="{cell - 1:.0f}" height="{cell - 1:.0f}">'
                + tag("title", f"{row} × {columns[j]}: {plain(value)}")
                + "</rect>"
            )
    bottom = top + len(rows) * cell
    parts = [*_heading(title, left), *cells, *_names(rows, columns, left, top, bottom, cell)]
    width = max(left + len(columns) * cell + _MARGIN, left + 190.0, width_of(title, 13.5) + 2 * _MARGIN)
    foot = bottom + _room(columns) * 0.72 + 14
    parts.extend(_legend(left, foot, low, high, diverging))
    return Chart(svg(width, foot + 34, title, parts), round(width), round(foot + 34))


def _room(labels: Sequence[str]) -> float:
    return min(_ROOM, max(width_of(tidy(label), _SIZE) for label in labels) + 10)


def _heading(title: str, left: float) -> list[str]:
    if not title:
        return []
    return [tag("text", title, class_="us-ink", x=_MARGIN, y=_MARGIN + 12, font_size=13.5, font_weight="600")]


def _names(
    rows: Sequence[str], columns: Sequence[str], left: float, top: float, bottom: float, cell: float
) -> list[str]:
    size = min(_SIZE, cell - 1.5)
    sides = [
        tag(
            "text",
            fit(name, _ROOM - 10, size, middle=True),
            class_="us-ink",
            x=left - 5,
            y=top + i * cell + cell / 2 + size * 0.35,
            font_size=size,
            text_anchor="end",
        )
        for i, name in enumerate(rows)
    ]
    feet = []
    for j, name in enumerate(columns):
        x, y = left + j * cell + cell / 2 + size * 0.3, bottom + 8
        feet.append(
            tag(
                "text",
                fit(name, _ROOM - 10, size, middle=True),
                class_="us-ink",
                font_size=size,
                text_anchor="end",
                transform=f"translate({x:.1f},{y:.1f}) rotate(-52)",
            )
        )
    return [*sides, *feet]


def _legend(left: float, y: float, low: float, high: float, diverging: bool) -> list[str]:
    most = max(abs(low), abs(high))
    first, last = (-most, most) if diverging else (low, high)
    steps = range(-STEPS, STEPS + 1) if diverging else range(STEPS + 1)
    wide = 150.0 / len(steps)
    start = max(left, _MARGIN + 30)
    bars = [
        tag(
            "rect", class_=f"h{step}" if step >= 0 else f"g{-step}", x=start + i * wide, y=y, width=wide + 0.3, height=8
        )
        for i, step in enumerate(steps)
    ]
    marks = [(0.0, "start", first), (150.0, "end", last)] + ([(75.0, "middle", 0.0)] if diverging else [])
    texts = [
        tag(
            "text",
            _signed(value, diverging),
            class_="us-quiet",
            x=start + x,
            y=y + 20,
            font_size=9.5,
            text_anchor=anchor,
        )
        for x, anchor, value in marks
    ]
    return [*bars, *texts]


def _signed(value: float, diverging: bool) -> str:
    return ("+" if diverging and value > 0 else "") + plain(value).replace("-", "−")
