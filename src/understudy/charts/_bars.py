"""Bars side by side: the same shares in two tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from understudy._core.errors import OptionError
from understudy.charts._chart import Chart
from understudy.charts._svg import fit, percent, shorten, svg, tag, ticks, width_of

_CLASSES = ("us-real", "us-synthetic", "us-third", "us-fourth", "us-fifth")
_WIDTH, _MARGIN = 360.0, 8.0
_BAR, _GAP = 6.5, 6.0
_MOST_ROWS, _MOST_COLUMNS = 20, 40


def paired_bars(
    labels: Sequence[str],
    shares: Mapping[str, Sequence[float]],
    *,
    title: str = "",
    ordered: bool = False,
    tail: int = 0,
    legend: bool = True,
) -> Chart:
    """Shares of the same values in one or more tables, bar beside bar.

    Values without an order become rows, the commonest 20 of them and the others in one; ordered ones (ages, dates)
    become columns of a histogram, neighbours put together where they are more than 40. The last `tail` values have no
    place in that order ("missing") and stand apart at its end.

    >>> chart = paired_bars(["no", "yes"], {"real": [0.25, 0.75], "synthetic": [0.3, 0.7]}, title="smoker")
    >>> chart.svg.count('class="us-real"') >= 2
    True
    """
    wrong = [name for name, values in shares.items() if len(values) != len(labels)]
    if wrong or not shares or not labels:
        raise OptionError(f"bars need one share a label; {len(labels)} labels, and another number for {wrong}.")
    series = {name: [float(value) for value in values] for name, values in shares.items()}
    if ordered and len(labels) - tail > 6:
        return _Bars(title, _neighbours(labels, series, tail), tuple(series), legend).columns(tail)
    return _Bars(title, _commonest(labels, series, ordered), tuple(series), legend).rows()


@dataclass(frozen=True)
class _Group:
    label: str
    shares: tuple[float, ...]

    def title(self, names: Sequence[str]) -> str:
        return self.label + ": " + ", ".join(f"{n} {percent(s)}" for n, s in zip(names, self.shares, strict=True))


def _commonest(labels: Sequence[str], series: Mapping[str, list[float]], ordered: bool) -> list[_Group]:
    """Commonest first, unless the values have an order of their own."""
    groups = [
        _Group(str(label), shares) for label, shares in zip(labels, zip(*series.values(), strict=True), strict=True)
    ]
    order = list(range(len(groups)))
    if not ordered:
        order.sort(key=lambda i: (-max(groups[i].shares), i))
    if len(groups) <= _MOST_ROWS + 1:
        return [groups[i] for i in order]
    rest = [groups[i].shares for i in order[_MOST_ROWS:]]
    others = _Group(f"{len(rest):,} others", tuple(sum(column) for column in zip(*rest, strict=True)))
    return [*(groups[i] for i in order[:_MOST_ROWS]), others]


def _neighbours(labels: Sequence[str], series: Mapping[str, list[float]], tail: int) -> list[_Group]:
    """Bins in their order, next ones put together, and what has no place in the order after them."""
    end = len(labels) - tail
    size = -(-end // _MOST_COLUMNS)
    slices = [slice(i, min(i + size, end)) for i in range(0, end, size)]
    slices += [slice(i, i + 1) for i in range(end, len(labels))]
    groups = []
    for part in slices:
        names = [str(label) for label in labels[part]]
        label = names[0] if len(names) == 1 else f"{names[0]} … {names[-1]}"
        groups.append(_Group(label, tuple(sum(values[part]) for values in series.values())))
    return groups


@dataclass(frozen=True)
class _Bars:
    title: str
    groups: Sequence[_Group]
    names: tuple[str, ...]
    legend: bool

    @property
    def most(self) -> float:
        return max((share for group in self.groups for share in group.shares), default=0.0) or 1.0

    def _class(self, j: int) -> str:
        """The synthetic table keeps its colour where it stands alone."""
        known = f"us-{self.names[j]}"
        return known if known in _CLASSES else _CLASSES[j % 5]

    def rows(self) -> Chart:
        """One row per value: the label, its bars, the first table's share in figures."""
        shown = [fit(group.label, 126.0, 11) for group in self.groups]
        left = _MARGIN + max(40.0, min(132.0, max(width_of(label, 11) for label in shown) + 4))
        right = _WIDTH - _MARGIN - (80 if len(self.names) > 1 else 46)
        row = max(_BAR * len(self.names), 10) + _GAP
        head, top = self._head()
        parts = []
        for i, (group, label) in enumerate(zip(self.groups, shown, strict=True)):
            y = top + i * row
            bars = [
                tag(
                    "rect",
                    class_=self._class(j),
                    x=left,
                    y=y + j * _BAR,
                    height=_BAR - 0.8,
                    rx=1.2,
                    width=max(0.0, (right - left) * share / self.most),
                )
                for j, share in enumerate(group.shares)
            ]
            middle = y + (_BAR * len(self.names)) / 2 + 3.6
            parts.append(
                tag(
                    "g",
                    tag("title", group.title(self.names)),
                    tag("text", label, class_="us-ink", x=left - 6, y=middle, font_size=11, text_anchor="end"),
                    *bars,
                    tag(
                        "text",
                        _figures(group.shares),
                        class_="us-quiet",
                        font_size=9.5,
                        y=middle - 0.4,
                        x=left + (right - left) * max(group.shares) / self.most + 4,
                    ),
                )
            )
        axis = tag("line", class_="us-line-l", x1=left, x2=left, y1=top - 3, y2=top + len(self.groups) * row - 2)
        height = top + len(self.groups) * row + _MARGIN
        return self._chart(height, [*head, *parts, axis])

    def columns(self, tail: int) -> Chart:
        """A column a bin, in their order, above an axis with as many labels as fit."""
        head, top = self._head()
        left, right, bottom = _MARGIN + 34, _WIDTH - _MARGIN, top + 118.0
        marks = ticks(0, self.most, 4)
        parts = [
            tag("line", class_="us-line-l", x1=left, x2=right, y1=self._y(m, top, bottom), y2=self._y(m, top, bottom))
            + tag(
                "text",
                percent(m),
                class_="us-quiet",
                font_size=9.5,
                x=left - 5,
                y=self._y(m, top, bottom) + 3.4,
                text_anchor="end",
            )
            for m in marks
        ]
        gap = 10.0 if tail else 0.0
        slot = (right - left - gap) / len(self.groups)
        bar = slot * 0.84 / len(self.names)
        for i, group in enumerate(self.groups):
            x = left + i * slot + slot * 0.08 + (gap if i >= len(self.groups) - tail else 0)
            bars = [
                tag(
                    "rect",
                    class_=self._class(j),
                    x=x + j * bar,
                    y=self._y(share, top, bottom),
                    width=bar,
                    height=bottom - self._y(share, top, bottom),
                )
                for j, share in enumerate(group.shares)
            ]
            parts.append(tag("g", tag("title", group.title(self.names)), *bars))
        parts.extend(self._labels(left, slot, bottom, tail))
        return self._chart(bottom + 20 + _MARGIN, [*head, *parts])

    def _labels(self, left: float, slot: float, bottom: float, tail: int) -> list[str]:
        """Labels under the columns that have room beside each other, those at the end first."""
        size, end = 9.5, len(self.groups) - tail
        drawn: list[str] = []
        limit = _WIDTH - _MARGIN
        if tail:
            name = "/".join(shorten(group.label, 12) for group in self.groups[end:])
            drawn.append(_foot(shorten(name, 26), limit, bottom, "end"))
            limit -= width_of(shorten(name, 26), size) + 12
        free = left - 12
        for i, group in enumerate(self.groups[:end]):
            label = shorten(_start(group.label), 14)
            wide = width_of(label, size)
            x = left + i * slot
            if x > free and x + wide < limit:
                drawn.append(_foot(label, x, bottom, "start"))
                free = x + wide + 12
        return drawn

    def _y(self, share: float, top: float, bottom: float) -> float:
        return bottom - (bottom - top) * share / self.most

    def _head(self) -> tuple[list[str], float]:
        parts, y = [], _MARGIN
        if self.title:
            parts.append(
                tag(
                    "text",
                    shorten(self.title, 44),
                    class_="us-ink",
                    x=_MARGIN,
                    y=y + 12,
                    font_size=13.5,
                    font_weight="600",
                )
            )
            y += 22
        if self.legend:
            x = _MARGIN
            for j, name in enumerate(self.names):
                parts.append(tag("rect", class_=self._class(j), x=x, y=y + 2, width=9, height=9, rx=2))
                parts.append(tag("text", name, class_="us-quiet", x=x + 13, y=y + 10.4, font_size=11))
                x += 13 + width_of(name, 11) + 16
            y += 18
        return parts, y + (6 if parts else 0)

    def _chart(self, height: float, body: Sequence[str]) -> Chart:
        return Chart(svg(_WIDTH, height, self.title, body), round(_WIDTH), round(height))


def _foot(label: str, x: float, bottom: float, anchor: str) -> str:
    return tag("text", label, class_="us-quiet", font_size=9.5, x=x, y=bottom + 14, text_anchor=anchor)


def _start(label: str) -> str:
    """Where a bin, or a group of bins, begins: '[0, 10] … (90, 100]' begins at 0."""
    first = label.partition(" … ")[0]
    return first[1:].partition(",")[0] if first[:1] in ("[", "(") and "," in first else first


def _figures(shares: Sequence[float]) -> str:
    """The shares in percent, with the sign once."""
    return " / ".join(percent(share).removesuffix(" %") for share in shares) + " %"
