"""Rules for what is said of a parameter's best values, over a table's two tasks and three budgets each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from research._experiment import NothingRunError, Results
from research.figures import TASKS, TaskOf
from research.rules import NONE, Contrast, Contrasts
from research.sentences._derived import Point, average, derived, in_logarithms, lower_on_average

BETA, THETA = 0.3, 4.0
BUDGETS = ("ε = 0.1", "ε = 0.4", "ε = 1.6")
_NEAR = 1.1  # times the least error: less is comparable to it
_WIDE = 3  # neighbouring values of the seven or so that were tried: a quite wide range


def of_table(table: str, *, counts: bool | None = None) -> list[TaskOf]:
    return [task for task in TASKS if task.table == table and counts in (None, task.counts)]


def _lines(results: Results, tasks: Sequence[TaskOf]) -> list[list[Point]]:
    """The lines of these tasks, one for each budget, as points along the axis."""
    found = []
    for task in tasks:
        for series in BUDGETS:
            xs = results.xs(task.measure, series, task.group)
            found.append([Point(series=series, measure=task.measure, x=x, group=task.group) for x in xs])
    if not all(found):
        raise NothingRunError("Nothing was run for some of these lines")
    return found


def _best(results: Results, points: Sequence[Point]) -> Point:
    if not points:
        raise NothingRunError("Nothing was run in this range")
    return min(points, key=lambda point: point.mean(results))


def _at(line: Sequence[Point], x: float) -> Point:
    return next((point for point in line if point.x == x), None) or _missing(x)


def _missing(x: float) -> Point:
    raise NothingRunError(f"Nothing was run at {x:g}")


def end_is_worse(table: str, end: Literal["least", "greatest"]) -> Contrasts:
    """At this end of the axis of β the error is higher than at the default."""
    place = {"least": 0, "greatest": -1}[end]

    def by(results: Results) -> list[Contrast | None]:
        found = []
        for task in of_table(table):
            lines = _lines(results, [task])
            pairs = [(_at(line, BETA), line[place]) for line in lines if not _excepted(line[place])]
            words = f"{task.measure}, {BETA:g} against the {end}"
            found.append(lower_on_average(results, pairs, words=words))
        return found

    but = " (on ACS without the point that the paper excepts)" if end == "greatest" else ""

    return Contrasts(
        what=f"Divide the error at {BETA:g} by that at the {end} β{but}; take the geometric mean of this factor over "
        "ε, for each of the two tasks. Won where it is below 1.",
        by=by,
        nothing=NONE,
    )


def _excepted(point: Point) -> bool:
    return point.group == "ACS, Q4" and point.series == BUDGETS[0] and point.x == 0.9


def best_within(table: str, low: float, high: float, middle: float | None = None) -> Contrasts:
    """A value in the range is about as good as any; with `middle`, the best at or below it beats the best above."""

    def by(results: Results) -> list[Contrast | None]:
        found = []
        for task in of_table(table):
            lines = _lines(results, [task])
            sides = [_parted(results, line, lambda x: low <= x <= high) for line in lines]
            words = f"{task.measure}, best inside against best outside"
            found.append(lower_on_average(results, sides, words=words, factor=_NEAR))
            if middle is not None:
                sides = [_parted(results, line, lambda x: x <= middle) for line in lines]
                words = f"{task.measure}, best up to {middle:g} against best above"
                found.append(lower_on_average(results, sides, words=words))
        return found

    half = (
        f"; and its least error at or below {middle:g} by its least above, won where below 1"
        if middle is not None
        else ""
    )
    return Contrasts(
        what=f"Divide a line's least error inside [{low:g}, {high:g}] by its least outside, and take the geometric "
        f"mean of this factor over ε, for each of the two tasks: won where it is below {_NEAR:g}{half}.",
        by=by,
    )


def _parted(results: Results, line: Sequence[Point], first: Callable[[float], bool]) -> tuple[Point, Point]:
    """The best point of a line where this is so, and the best where it is not."""
    here, there = ([point for point in line if first(point.x) == side] for side in (True, False))
    return _best(results, here), _best(results, there)


def wide(table: str) -> Contrasts:
    """Somewhere on the axis there are three neighbouring values at each of which the error is near the least."""

    def by(results: Results) -> list[Contrast | None]:
        lines = _lines(results, of_table(table))
        values = sorted(set.intersection(*({point.x for point in line} for line in lines)))
        if len(values) < _WIDE:
            raise NothingRunError("Nothing was run for so many values")
        ranges = [values[i : i + _WIDE] for i in range(len(values) - _WIDE + 1)]
        far = {value: _far(results, lines, value) for value in values}
        least = min(ranges, key=lambda some: max(far[value] for value in some))
        return [_excess(results, lines, max(least, key=lambda value: far[value]))]

    return Contrasts(
        what=f"Divide the error at a value by the least of its line; take the geometric mean of this factor over the "
        f"table's lines (two tasks, three ε). Find the {_WIDE} neighbouring values at which the greatest of these "
        f"means is least. Won where it is below {_NEAR:g}.",
        by=by,
    )


def _far(results: Results, lines: Sequence[Sequence[Point]], value: float) -> float:
    """How far the error at a value is above the least of its line, on average, as a logarithm."""
    pairs = [in_logarithms([_at(line, value).mean(results), _best(results, line).mean(results)]) for line in lines]
    return average([mine - least for mine, least in pairs])


def _excess(results: Results, lines: Sequence[Sequence[Point]], value: float) -> Contrast | None:
    pairs = [(_at(line, value), _best(results, line)) for line in lines]
    return lower_on_average(results, pairs, words=f"at {value:g}", factor=_NEAR)


def good_default(table: str, value: float) -> Contrasts:
    """Over a table's lines, no other default would have been better by much."""

    def by(results: Results) -> list[Contrast | None]:
        lines = _lines(results, of_table(table))
        others = sorted(set.intersection(*({point.x for point in line} for line in lines)) - {value})
        if not others:
            raise NothingRunError("Nothing was run for other values")
        means = {x: average(in_logarithms([_at(line, x).mean(results) for line in lines])) for x in others}
        best = min(others, key=lambda x: means[x])
        pairs = [(_at(line, value), _at(line, best)) for line in lines]
        return [lower_on_average(results, pairs, words=f"{value:g} against {best:g}", factor=_NEAR)]

    return Contrasts(
        what=f"Divide the error at {value:g} by that at the other value which is best over all the table's lines (two "
        f"tasks, three ε), by geometric means; take that of this factor over them. Won where it is below {_NEAR:g}.",
        by=by,
    )


def classifiers_prefer(table: str, low: float, high: float, *, larger: bool) -> Contrasts:
    """Going from a low value to a high one helps the classifier more (or less) than it helps counts."""

    def by(results: Results) -> list[Contrast | None]:
        kinds = [_lines(results, of_table(table, counts=counts)) for counts in (False, True)]
        points = [_at(line, x) for kind in kinds for line in kind for x in (low, high)]
        half = len(points) // 2

        def gains(values: Sequence[float]) -> tuple[float, float]:
            logs = in_logarithms(values)
            steps = [a - b for a, b in zip(logs[::2], logs[1::2], strict=True)]
            return average(steps[: half // 2]), average(steps[half // 2 :])

        classes, counted = gains([point.mean(results) for point in points])
        sign = 1 if larger else -1
        words = f"error of the classifier {-100 * classes:+.0f} %, of counts {-100 * counted:+.0f} %"
        return [
            derived(results, points, lambda v: sign * (gains(v)[0] - gains(v)[1]), words=words, scale=1.0),
        ]

    more = "more" if larger else "less"
    return Contrasts(
        what=f"Take the factor by which the error falls from {low:g} to {high:g}, as a geometric mean over ε, of the "
        f"classifier and of counts. Won where the classifier gains {more}.",
        by=by,
    )
