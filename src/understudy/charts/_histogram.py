"""Histograms to scale: a bar is as wide as its stretch of values, and its area is its share of rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from understudy._core.errors import OptionError
from understudy.charts._chart import Chart
from understudy.charts._svg import percent, plain, svg, tag, ticks, width_of

_WIDTH, _MARGIN = 360.0, 8.0
_PLOT = 104.0
_LEAST = 1.6  # pixels that a bar is wide at least
_OFF = 2.5
"""So many times as tall as the next a single bar may be before it is cut short, and says so."""
_GAP = (8.0, 12.0)
"""Where a bar that is cut short is broken, in pixels from the top."""


def histogram(
    edges: Sequence[float],
    shares: Mapping[str, Sequence[float]],
    *,
    title: str = "",
    write: Callable[[float], str] | None = None,
    step: float = 0.0,
    labels: Sequence[str] | None = None,
    beyond: Mapping[str, Sequence[float]] | None = None,
) -> Chart:
    """Shares of rows in adjacent stretches of values, in one or more tables, on an axis of values.

    The height of a bar is its share by its width, so bars of unequal width can be compared by their area. One that
    would dwarf all others is cut, with a gap in it and its share above it. `beyond` has, for words such as "above", the
    share of each table that lies outside the axis. `write` makes a text of a value; without it values are numbers. Of
    values with a `step` between them, such as whole numbers, edges are half a step beside values, and the latter are
    named: 1997, not 1996.5 to 1997.5. `labels` name the bars otherwise.

    >>> histogram([0, 1, 5, 100], {"real": [0.8, 0.1, 0.1], "synthetic": [0.7, 0.2, 0.1]}).width
    360
    """
    widths = np.diff(np.asarray(edges, dtype=np.float64))
    if not shares or len(edges) < 2 or (widths <= 0).any() or any(len(own) != len(widths) for own in shares.values()):
        raise OptionError("a histogram needs rising edges, and one share less than edges in each table.")
    table = np.array([list(own) for own in shares.values()], dtype=np.float64)
    plot = _Plot(tuple(float(edge) for edge in edges), widths, table, tuple(shares), write, step, labels)
    top = _MARGIN + (22 if title else 0) + 12
    parts = []
    if title:
        parts.append(tag("text", title, class_="us-ink", x=_MARGIN, y=_MARGIN + 12, font_size=13.5, font_weight="600"))
    parts += plot.bars(top, top + _PLOT) + plot.axis(top + _PLOT)
    height = top + _PLOT + 22
    for words, outside in (beyond or {}).items():
        if any(outside):
            told = ", ".join(f"{percent(share)} {name}" for name, share in zip(shares, outside, strict=True))
            parts.append(
                tag("text", f"not shown: {words}, {told}", class_="us-quiet", x=_WIDTH - _MARGIN, y=height + 8,
                    font_size=9.5, text_anchor="end")
            )  # fmt: skip
            height += 14
    return Chart(svg(_WIDTH, height + _MARGIN, title, parts), round(_WIDTH), round(height + _MARGIN))


class _Plot:
    def __init__(
        self,
        edges: tuple[float, ...],
        widths: np.ndarray,
        shares: np.ndarray,
        names: tuple[str, ...],
        write: Callable[[float], str] | None,
        step: float,
        labels: Sequence[str] | None,
    ) -> None:
        self.edges, self.shares, self.names = edges, shares, names
        self.write, self.step, self.labels = write, step, labels
        self.narrowest = float(widths.min())
        self.left, self.right = _MARGIN + 2, _WIDTH - _MARGIN - 2
        drawn = np.maximum((self.right - self.left) * widths / widths.sum(), _LEAST)
        self.density = shares / drawn
        tall = np.sort(self.density.max(axis=0))
        second = float(tall[-2]) if len(tall) > 1 else 0.0
        most = float(tall[-1]) or 1.0
        self.most = _OFF * second if second and most > _OFF * second else most

    def x(self, value: float) -> float:
        return self.left + (self.right - self.left) * (value - self.edges[0]) / (self.edges[-1] - self.edges[0])

    def bars(self, top: float, bottom: float) -> list[str]:
        parts = []
        for i, (low, high) in enumerate(zip(self.edges[:-1], self.edges[1:], strict=True)):
            told = ", ".join(
                f"{name} {percent(share)}" for name, share in zip(self.names, self.shares[:, i], strict=True)
            )
            own = [tag("title", f"{self._named(i, low, high)}: {told}")]
            for j, name in enumerate(self.names):
                own += self._bar(i, j, name, low, high, top, bottom)
            parts.append(tag("g", *own, *self._cut_short(i, low, high, top)))
        return parts

    def _named(self, i: int, low: float, high: float) -> str:
        """The values of a bar: those that are possible in it, where these have a step."""
        if self.labels is not None:
            return self.labels[i]
        first, last = (self._text(end, self.narrowest) for end in (low + self.step / 2, high - self.step / 2))
        return first if first == last else f"{first} to {last}"

    def _text(self, value: float, step: float) -> str:
        return plain(value, step) if self.write is None else self.write(value)

    def _bar(self, i: int, j: int, name: str, low: float, high: float, top: float, bottom: float) -> list[str]:
        """The tables share the stretch, one beside the other."""
        if not self.shares[j, i]:
            return []
        tall = (bottom - top) * min(1.0, float(self.density[j, i]) / self.most)
        start, wide = self.x(low), max(self.x(high) - self.x(low), _LEAST)
        alone = len(self.names) == 1
        half = wide / 2 if not alone else wide
        cut = float(self.density[j, i]) > self.most * 1.001
        spans = [(top, top + _GAP[0]), (top + _GAP[1], bottom)] if cut else [(bottom - tall, bottom)]
        return [
            tag("rect", class_=f"us-{name}", x=start + (j * half if not alone else 0), y=first,
                width=max(half - (0.4 if wide > 4 else 0), 0.8), height=last - first)
            for first, last in spans
        ]  # fmt: skip

    def _cut_short(self, i: int, low: float, high: float, top: float) -> list[str]:
        """The shares above bars that are taller than the picture."""
        if not (self.density[:, i] > self.most * 1.001).any():
            return []
        text = " / ".join(percent(float(share)).removesuffix(" %") for share in self.shares[:, i]) + " %"
        room = width_of(text, 9.5) / 2
        at = min(max((self.x(low) + self.x(high)) / 2, self.left + room), self.right - room)
        return [tag("text", text, class_="us-quiet", x=at, y=top - 3, font_size=9.5, text_anchor="middle")]

    def axis(self, bottom: float) -> list[str]:
        parts = [tag("line", class_="us-line-l", x1=self.left, x2=self.right, y1=bottom, y2=bottom)]
        free = -1.0
        marks = self._marks()
        apart = marks[1] - marks[0] if len(marks) > 1 else 0.0
        for mark in marks:
            text = self._text(mark, apart)
            half = width_of(text, 9.5) / 2
            at = min(max(self.x(mark), self.left + half), self.right - half)
            if at - half > free:
                parts.append(
                    tag("line", class_="us-line-l", x1=self.x(mark), x2=self.x(mark), y1=bottom, y2=bottom + 4)
                )
                parts.append(
                    tag("text", text, class_="us-quiet", x=at, y=bottom + 15, font_size=9.5, text_anchor="middle")
                )
                free = at + half + 10
        return parts

    def _marks(self) -> list[float]:
        """Round numbers where values are numbers, else evenly spread ones; of values with a step, some of these."""
        low, high = self.edges[0] + self.step / 2, self.edges[-1] - self.step / 2
        if self.write is None or self.step == 1:
            marks = ticks(low, high, 5)
            return [mark for mark in marks if mark == round(mark)] or [low] if self.step == 1 else marks
        if self.step:
            last = round((high - low) / self.step)
            return [low + self.step * at for at in sorted({round(last * i / 4) for i in range(5)})]
        return [low + (high - low) * i / 4 for i in range(5)]
