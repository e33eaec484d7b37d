"""Lines over an axis, with intervals: error against budget."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from understudy._core.errors import OptionError
from understudy.charts._chart import Chart
from understudy.charts._svg import log_ticks, plain, shorten, svg, tag, ticks, width_of

_WIDTH, _HEIGHT, _MARGIN = 640.0, 380.0, 14.0
_NAME_HEIGHT = 14.0
_COLOURS = ("us-synthetic", "us-real", "us-third", "us-fourth", "us-fifth")
_DASHES = ("", "6 4", "2 3", "9 3 2 3", "1 4")
_BANDS = ("us-best", "us-worst", "us-quiet")


@dataclass(frozen=True)
class Series:
    """A line: points from left to right, and where they are known the ends of an interval at each.

    >>> Series("privbayes", [0.1, 1], [0.2, 0.05]).name
    'privbayes'
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None

    def __post_init__(self) -> None:
        lengths = {len(part) for part in (self.x, self.y, self.low, self.high) if part is not None}
        if len(lengths) != 1 or not len(self.x):
            raise OptionError(f"series '{self.name}' needs as many x as y, low and high, and at least one.")


def lines(
    series: Sequence[Series],
    *,
    x_label: str,
    y_label: str,
    title: str = "",
    log_x: bool = False,
    log_y: bool = False,
    bands: Mapping[str, float] | None = None,
) -> Chart:
    """Lines in one frame, told apart by colour, dash and a name at their end; `bands` are named level lines.

    With `log_y`, ends of intervals at 0 or below are drawn at the foot of the frame.

    >>> lines([Series("privbayes", [0.1, 1], [0.2, 0.05])], x_label="epsilon", y_label="error").width
    640
    """
    if not series:
        raise OptionError("a chart of lines needs at least one series.")
    if log_x and any(value <= 0 for line in series for value in line.x):
        raise OptionError("a logarithmic axis has no place for 0 or less.")
    levels = [value for line in series for value in line.y] + list((bands or {}).values())
    if log_y and any(value <= 0 for value in levels):
        raise OptionError("a logarithmic axis has no place for 0 or less.")
    return _Frame(tuple(series), x_label, y_label, title, log_x, log_y, dict(bands or {})).chart()


@dataclass(frozen=True)
class _Frame:
    series: tuple[Series, ...]
    x_label: str
    y_label: str
    title: str
    log_x: bool
    log_y: bool
    bands: dict[str, float]

    @property
    def top(self) -> float:
        return _MARGIN + (26 if self.title else 0) + 20

    @property
    def left(self) -> float:
        return _MARGIN + 44

    @property
    def right(self) -> float:
        names = [*(line.name for line in self.series), *self.bands]
        return _WIDTH - _MARGIN - min(170.0, max(width_of(shorten(name, 24), 11.5) for name in names) + 10)

    @property
    def bottom(self) -> float:
        return _HEIGHT - _MARGIN - 38

    @property
    def span(self) -> tuple[float, float]:
        xs = [float(value) for line in self.series for value in line.x]
        return min(xs), max(xs)

    @property
    def reach(self) -> tuple[float, float]:
        """Lowest and highest of all that is drawn; from zero where nothing is below it, since errors are compared."""
        known = [float(v) for line in self.series for part in (line.y, line.low, line.high) for v in part or ()]
        known = [value for value in [*known, *self.bands.values()] if math.isfinite(value)] or [0.0, 1.0]
        low = min(known)
        if self.log_y:
            least = min(float(v) for v in [*self.bands.values(), *(v for line in self.series for v in line.y)])
            return max(low, least / 2) / 1.15, max(known) * 1.15
        # far from zero (accuracies), an axis from zero would flatten the lines
        low = 0.0 if low >= 0 and low < 0.6 * max(known) else low - 0.05 * (max(known) - low)
        return low, max(max(known) * 1.04 if max(known) > 0 else 0.0, low + 1e-9)

    def x(self, value: float) -> float:
        low, high = self.span
        if high == low:
            return (self.left + self.right) / 2
        at = math.log(value / low) / math.log(high / low) if self.log_x else (value - low) / (high - low)
        return self.left + 12 + (self.right - self.left - 24) * at

    def y(self, value: float) -> float:
        low, high = self.reach
        at = math.log(max(value, low) / low) / math.log(high / low) if self.log_y else (value - low) / (high - low)
        return self.bottom - (self.bottom - self.top) * at

    def chart(self) -> Chart:
        head = [tag("text", self.title, class_="us-ink", x=_MARGIN, y=_MARGIN + 13, font_size=15, font_weight="600")]
        names = [(line.name, float(line.y[-1]), _COLOURS[i % 5]) for i, line in enumerate(self.series)]
        bands = [(name, value, _BANDS[i % 3]) for i, (name, value) in enumerate(self.bands.items())]
        body = [
            *(head if self.title else []),
            *self._axes(),
            *(
                tag(
                    "line",
                    class_=f"{kind}-l",
                    x1=self.left,
                    x2=self.right,
                    y1=self.y(value),
                    y2=self.y(value),
                    stroke_dasharray="3 3",
                    stroke_width=1.4,
                )
                for _, value, kind in bands
            ),
            *(self._line(line, i) for i, line in enumerate(self.series)),
            *self._names([*names, *bands]),
        ]
        return Chart(svg(_WIDTH, _HEIGHT, self.title or self.y_label, body), round(_WIDTH), round(_HEIGHT))

    def _axes(self) -> list[str]:
        parts = []
        for mark in log_ticks(*self.reach) if self.log_y else ticks(*self.reach, 5):
            y = self.y(mark)
            parts.append(tag("line", class_="us-line-l", x1=self.left, x2=self.right, y1=y, y2=y))
            parts.append(
                tag("text", plain(mark), class_="us-quiet", x=self.left - 6, y=y + 3.6, font_size=11, text_anchor="end")
            )
        for mark in self._x_marks():
            x = self.x(mark)
            parts.append(tag("line", class_="us-line-l", x1=x, x2=x, y1=self.bottom, y2=self.bottom + 4))
            parts.append(
                tag("text", plain(mark), class_="us-quiet", x=x, y=self.bottom + 17, font_size=11, text_anchor="middle")
            )
        middle = (self.left + self.right) / 2
        parts.append(
            tag(
                "text",
                self.x_label,
                class_="us-ink",
                x=middle,
                y=self.bottom + 36,
                font_size=11.5,
                text_anchor="middle",
            )
        )
        parts.append(tag("text", self.y_label, class_="us-ink", x=_MARGIN, y=self.top - 12, font_size=11.5))
        return parts

    def _x_marks(self) -> list[float]:
        # few points: those are the budgets that were tried, and the reader wants to see them
        points = sorted({float(value) for line in self.series for value in line.x})
        gaps = [self.x(b) - self.x(a) for a, b in pairwise(points)]
        if min(gaps, default=99.0) >= 34:
            return points
        return log_ticks(*self.span) if self.log_x else ticks(*self.span, 6)

    def _line(self, line: Series, i: int) -> str:
        kind, dash = _COLOURS[i % 5], _DASHES[i % 5]
        points = [(self.x(a), self.y(b)) for a, b in zip(line.x, line.y, strict=True) if math.isfinite(b)]
        parts = []
        if line.low is not None and line.high is not None:
            ends = [*zip(line.x, line.high, strict=True), *list(zip(line.x, line.low, strict=True))[::-1]]
            corners = [(self.x(a), self.y(b)) for a, b in ends if math.isfinite(b)]
            parts.append(tag("path", class_=kind, d=_path(corners) + "Z", fill_opacity="0.15"))
        parts.append(
            tag(
                "path",
                class_=f"{kind}-l",
                d=_path(points),
                stroke_width=2.2,
                stroke_linejoin="round",
                **({"stroke_dasharray": dash} if dash else {}),
            )
        )
        for (x, y), at, value in zip(points, line.x, line.y, strict=False):
            note = tag("title", f"{line.name}: {plain(value)} at {plain(at)}")
            parts.append(tag("circle", note, class_=kind, cx=x, cy=y, r=3.4))
        return tag("g", *parts)

    def _names(self, names: Sequence[tuple[str, float, str]]) -> list[str]:
        """Names at the right, pushed apart where their lines end close to each other."""
        placed: list[tuple[str, str, float]] = []
        free = -math.inf
        for name, value, kind in sorted(names, key=lambda item: -item[1] if math.isfinite(item[1]) else 0.0):
            y = max(self.y(value) if math.isfinite(value) else self.top, free)
            free = y + _NAME_HEIGHT
            placed.append((name, kind, y))
        # and back up from the foot, moving no more of them than are in the way
        room = self.bottom
        for i, (name, kind, y) in reversed(list(enumerate(placed))):
            placed[i] = (name, kind, min(y, room))
            room = placed[i][2] - _NAME_HEIGHT
        return [
            tag(
                "text",
                shorten(name, 24),
                class_=kind,
                x=self.right + 6,
                y=y + 4,
                font_size=11.5,
                font_weight="600",
            )
            for name, kind, y in placed
        ]


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "".join(f"{'L' if i else 'M'}{x:.1f},{y:.1f}" for i, (x, y) in enumerate(points))
