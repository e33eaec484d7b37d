"""Axes of a panel: where points stand, what is written at the edges, and how far the values reach."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from research._experiment import Panel

_APART = 0.013  # of an axis' width, from one line to the next
_OF_A_GAP = 0.55  # of the narrowest gap between places, at most, for all lines of one
_LETTER = 0.026  # of an axis' width
_CLEAR = 0.02  # of an axis' width, between what is written at two places
_LEANING = 0.05  # of an axis' width, from one place to the next, at least, for numbers that lean
_FEW = 8  # places that are all marked on an axis
_HALF = 0.7  # of a step between places with names, from the outermost to the edge
_MARGIN = 0.05  # of an axis, at least as much
_BEYOND = 0.5  # of the range of the means, how far an axis follows intervals at either end
_ROOM = 0.06  # of a range, between the outermost value and the edge
_LINEAR = 0.35  # of a decade, for what is between 0 and the least value of a logarithmic axis
_PLAIN = 100_000  # numbers from here on are written as powers of ten


def places_of(panel: Panel, xs: Sequence[float]) -> dict[float, float]:
    """Where each value of the axis stands: at itself, or evenly side by side if all of them have names.

    >>> places_of(Panel(title="", measure="", y="", names={8: "a", 11: "b"}), [8.0, 11.0])
    {8: 1.0, 11: 2.0}
    """
    if panel.names and set(xs) <= set(panel.names):
        return {x: float(number) for number, x in enumerate(sorted(panel.names), start=1)}
    return {x: x for x in xs}


def apart(at: Sequence[float], lines: int, *, log: bool) -> list[float]:
    """How far each line's points are moved sideways, as shares of the axis, so that they do not hide each other.

    >>> [round(share, 4) for share in apart([0.0, 10.0], 3, log=False)]
    [-0.013, 0.0, 0.013]
    >>> [round(share, 4) for share in apart([0.0, 0.1, 10.0], 3, log=False)]  # two places that are close
    [-0.0028, 0.0, 0.0028]
    """
    width = width_of(at, log=log)
    gaps = [width_of(pair, log=log) / width for pair in pairwise(at)]
    step = min([_APART, *(_OF_A_GAP * gap / max(1, lines - 1) for gap in gaps)])
    return [(number - (lines - 1) / 2) * step for number in range(lines)]


def moved(at: Mapping[float, float], share: float, *, log: bool) -> dict[float, float]:
    """Places moved by a share of the axis.

    >>> moved({0.0: 0.0, 10.0: 10.0}, 0.1, log=False)
    {0.0: 1.0, 10.0: 11.0}
    """
    width = width_of(sorted(at.values()), log=log)
    if log:
        return {x: place * math.exp(share * width) for x, place in at.items()}
    return {x: place + share * width for x, place in at.items()}


def width_of(at: Sequence[float], *, log: bool) -> float:
    """From the first place to the last; 1 if there is only one.

    >>> width_of([2.0, 5.0], log=False), width_of([3.0], log=True)
    (3.0, 1.0)
    """
    return (math.log(at[-1] / at[0]) if log else at[-1] - at[0]) or 1.0


def mark_places(axis: Any, panel: Panel, at: Mapping[float, float], *, log: bool) -> None:
    """What is written below the axis: names, the places if they are few, else round numbers."""
    xs = sorted(at)
    if log:
        axis.set_xscale("log")
        axis.minorticks_off()
    if panel.names:
        named = [(at.get(x, x), name) for x, name in sorted(panel.names.items())]
        axis.set_xticks(*zip(*named, strict=True))
        room = max(_HALF, _MARGIN * width_of(sorted(at.values()), log=False))
        axis.set_xlim(min(at.values()) - room, max(at.values()) + room)
        if set(at) - set(panel.names):  # names of groups of places, which may stand close
            axis.tick_params(axis="x", labelsize=7)
        if _LETTER * sum(len(name) for _, name in named) > 1:
            _lean(axis, 30)
    elif len(xs) <= _FEW:
        labels = labels_of(xs, log=log)
        lean = "" in labels and _narrowest(xs, log=log) >= _LEANING
        axis.set_xticks(xs, [number_words(x) for x in xs] if lean else labels)
        if lean:
            _lean(axis, 45)
    elif log:
        axis.xaxis.set_major_locator(_log_ticks(few=xs[-1] / xs[0] > 30))
        axis.xaxis.set_major_formatter(number_words)


def _lean(axis: Any, degrees: int) -> None:
    """Small words that lean against their places, so that they do not touch."""
    axis.tick_params(axis="x", labelsize=7, labelrotation=degrees)
    for label in axis.get_xticklabels():
        label.set(ha="right", rotation_mode="anchor")


def _narrowest(at: Sequence[float], *, log: bool) -> float:
    """The narrowest gap between places, as a share of the axis."""
    return min(width_of(pair, log=log) for pair in pairwise(at)) / width_of(at, log=log)


def labels_of(xs: Sequence[float], *, log: bool = True) -> list[str]:
    """What is written at places of an axis: nothing where it would touch another; powers of ten come first.

    >>> labels_of([0.001, 0.005, 0.01, 1]), labels_of([1, 3, 4, 12]), labels_of([0.05, 0.1, 0.9], log=False)
    (['0.001', '', '0.01', '1'], ['1', '3', '4', '12'], ['0.05', '', '0.9'])
    """
    width = width_of(xs, log=log)
    spots = [((math.log(x) if log else x) / width, number_words(x)) for x in xs]
    first = [i for i, x in enumerate(xs) if log and x > 0 and math.log10(x).is_integer()]
    kept: list[int] = []
    for i in [*first, *(i for i in range(len(xs)) if i not in first)]:
        if all(_clear(spots[i], spots[j]) for j in kept):
            kept.append(i)
    return [words if i in kept else "" for i, (_, words) in enumerate(spots)]


def _clear(one: tuple[float, str], other: tuple[float, str]) -> bool:
    return abs(one[0] - other[0]) >= _LETTER * (len(one[1]) + len(other[1])) / 2 + _CLEAR


def number_words(value: float, _: int | None = None) -> str:
    """A number at an axis: as it is, or as a power of ten if it is large.

    >>> number_words(0.05), number_words(10000.0), number_words(1e14)
    ('0.05', '10000', '$10^{14}$')
    """
    if value >= _PLAIN:
        exponent = math.floor(math.log10(value) + 1e-9)
        leading = round(value / 10**exponent, 3)
        return f"${'' if leading == 1 else f'{leading:g}·'}10^{{{exponent}}}$"
    return f"{value:g}"


def scale_values(
    axis: Any, panel: Panel, means: Sequence[float], intervals: Sequence[tuple[float, float]]
) -> tuple[float, float]:
    """Show every mean, and intervals as far as they do not leave the means a narrow band: the limits of the axis."""
    low, high = min(means), max(means)
    if panel.log_y and high > 0:
        return _scale_logarithmically(axis, means, intervals)
    span = (high - low) or 0.2 * abs(high) or 2.0
    bottom = max(low - _BEYOND * span, min([low, *(end for end, _ in intervals)]))
    top = min(high + _BEYOND * span, max([high, *(end for _, end in intervals)]))
    room = _ROOM * (top - bottom) or span / 2
    bottom, top = (0.0 if 0 <= low < 0.3 * high else bottom) - room, top + room
    if low >= 0:  # what cannot be negative needs no room below 0 but for its markers
        bottom = max(bottom, -0.03 * top)
    if panel.most is not None:
        top = min(top, panel.most + 0.02 * (top - bottom))
    axis.set_ylim(bottom, top)
    return bottom, top


def _scale_logarithmically(
    axis: Any, means: Sequence[float], intervals: Sequence[tuple[float, float]]
) -> tuple[float, float]:
    least, high = min(mean for mean in means if mean > 0), max(means)
    span = math.log(high / least) or 0.5
    ends = [math.log(end) for pair in intervals for end in pair if end > 0]
    bottom = max(math.log(least) - _BEYOND * span, min([math.log(least), *ends]))
    top = min(math.log(high) + _BEYOND * span, max([math.log(high), *ends]))
    room = max(_ROOM * (top - bottom), 0.05)
    low, up = math.exp(bottom - room), math.exp(top + room)
    few = up / low > 300
    if min(means) <= 0:  # 0 has no logarithm: a short linear part below the least value shows it
        axis.set_yscale("symlog", linthresh=low, linscale=_LINEAR)
        axis.set_yticks([0.0, *(10.0**i for i in range(math.ceil(math.log10(low)), math.floor(math.log10(up)) + 1))])
        low = -0.2 * low
    else:
        axis.set_yscale("log")
        axis.yaxis.set_major_locator(_log_ticks(few=few))
    axis.set_ylim(low, up)
    axis.yaxis.set_major_formatter(number_words)
    axis.yaxis.set_minor_formatter("")
    return low, up


def _log_ticks(*, few: bool) -> Any:
    """Ticks of a logarithmic axis: at powers of ten, and between them if that would be few."""
    from matplotlib.ticker import LogLocator

    return LogLocator(subs=(1.0,) if few else (1.0, 2.0, 5.0))
