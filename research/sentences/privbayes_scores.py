"""PrivBayes, section 6.2: what is said of score functions and of the networks that they choose (Figure 4)."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import StatisticsError, correlation

from research._experiment import NothingRunError, Results
from research.figures import EPSILONS
from research.figures.privbayes_fig4 import TIGHT
from research.rules import NONE, Beats, Contrast, Contrasts, Near, Rule, jackknife, of_values
from research.sentences._derived import Point, average, derived
from research.sentences._sentence import Sentence, Test

_MEASURE = "information"
_BEST = "NoPrivacy"
_SCORES = {"NLTCS": ("I", "F", "R"), "ACS": ("I", "F", "R"), "Adult": ("I", "R"), "BR2000": ("I", "R")}
_BINARY, _OTHERS = ("NLTCS", "ACS"), ("Adult", "BR2000")
_LARGE, _SMALL = tuple(e for e in EPSILONS if e >= 0.4), tuple(e for e in EPSILONS if e < 0.4)
_FIRST, _LAST = EPSILONS[0], EPSILONS[-1]
_LIKE = 0.8  # a correlation from which on a line mimics another
_NEAR = 1.1  # times: less is almost identical
_CONVERGED = 1.1  # times: less is left to rise
_LEFT = 0.5  # of the first gap, at most, if it shrinks rapidly


def _test(table: str, rule: Rule, part: str = "") -> Test:
    return Test(table=f"{table}, {part}" if part else table, experiment="privbayes-fig4", rule=rule)


def _at(table: str, series: str, *xs: float) -> list[Point]:
    return [Point(series=series, measure=_MEASURE, x=x, group=table) for x in xs]


def rises_and_mimics(table: str) -> Contrasts:
    """All lines rise along the axis, in the shape of NoPrivacy's."""

    def by(results: Results) -> list[Contrast | None]:
        found = []
        for score in _SCORES[table]:
            ends = _at(table, score, _FIRST, _LAST)
            found.append(derived(results, ends, lambda v: v[1] - v[0], words=f"{score}: {_arrow(results, ends)}"))
            found.append(_alike(results, [*_at(table, score, *EPSILONS), *_at(table, _BEST, *EPSILONS)], score))
        return found

    return Contrasts(
        what=f"Of each score take the rise from ε = {_FIRST:g} to {_LAST:g}; and the correlation of its line of means "
        f"with that of '{_BEST}' over the axis, less {_LIKE:g} (standard error: the jackknife's). Won where above 0.",
        by=by,
    )


def _alike(results: Results, points: Sequence[Point], score: str) -> Contrast | None:
    by_seed = [point.values(results) for point in points]
    seeds = sorted(set.intersection(*map(set, by_seed)))
    if not seeds:
        raise NothingRunError(f"Nothing was run for {score} and {_BEST}")

    def statistic(some: Sequence[int]) -> float:
        return likeness([average([values[seed] for seed in some]) for values in by_seed]) - _LIKE

    words = f"{score}: a correlation of {statistic(seeds) + _LIKE:.2f} with {_BEST}"
    return of_values(jackknife(statistic, seeds), words=words, scale=1.0)


def likeness(values: Sequence[float]) -> float:
    """The correlation of the first half of these numbers with the second; 0 where one of them is flat.

    >>> round(likeness([1, 2, 3, 2, 4, 6]), 6), likeness([1, 1, 2, 3])
    (1.0, 0.0)
    """
    half = len(values) // 2
    try:
        return correlation(values[:half], values[half:])
    except StatisticsError:
        return 0.0


def rises_and_converges(table: str) -> Contrasts:
    """NoPrivacy rises along the axis, but hardly any more from 0.4 on."""

    def by(results: Results) -> list[Contrast | None]:
        points = _at(table, _BEST, _FIRST, 0.4, _LAST)
        words = _arrow(results, points)
        return [
            derived(results, points, lambda v: v[2] - v[0], words=words),
            derived(results, points, lambda v: _CONVERGED * v[1] - v[2], words=words),
        ]

    return Contrasts(
        what=f"Of '{_BEST}' take the value at the greatest ε less that at the least; and {_CONVERGED:g} times the "
        "value at 0.4 less that at the greatest. Won where above 0.",
        by=by,
    )


def gap_shrinks(table: str) -> Contrasts:
    """The gap between NoPrivacy and each score at the greatest budget is at most half that at the least."""

    def by(results: Results) -> list[Contrast | None]:
        found = []
        for score in _SCORES[table]:
            points = [*_at(table, _BEST, _FIRST, _LAST), *_at(table, score, _FIRST, _LAST)]
            first, last = (points[i].mean(results) - points[i + 2].mean(results) for i in (0, 1))
            words = f"{score}: {first:.3g} → {last:.3g}"
            found.append(derived(results, points, lambda v: _LEFT * (v[0] - v[2]) - (v[1] - v[3]), words=words))
        return found

    return Contrasts(
        what=f"Of each score take its gap to '{_BEST}' at the least ε, halved, less the gap at the greatest ε. Won "
        "where above 0.",
        by=by,
    )


def rises_late(table: str) -> Contrasts:
    """From 0.4 on, every line of this table rises by a larger factor than it does on the binary tables."""

    def by(results: Results) -> list[Contrast | None]:
        found = []
        for line in (*_SCORES[table], _BEST):
            for other in _BINARY:
                points = [*_at(table, line, 0.4, _LAST), *_at(other, line, 0.4, _LAST)]
                mine, theirs = _arrow(results, points[:2]), _arrow(results, points[2:])
                words = f"{line}: {mine}, {other} {theirs}"
                found.append(derived(results, points, lambda v: v[1] * v[2] - v[0] * v[3], words=words))
        return found

    return Contrasts(
        what=f"Of each line take the factor by which it rises from ε = 0.4 to {_LAST:g}, here and on each binary "
        "table. Won where it is larger here.",
        by=by,
    )


def _arrow(results: Results, points: Sequence[Point]) -> str:
    return " → ".join(f"{point.mean(results):.3g}" for point in points)


def _near(table: str, line: str) -> Test:
    rule = Near(first="F", second=line, measures=(_MEASURE,), factor=_NEAR, groups=(table,), xs=_LARGE)
    return _test(table, rule, "ε ≥ 0.4")


def _above(table: str, line: str) -> Test:
    """Over the small budgets, F lies above."""
    return _test(table, _higher(table, "F", line, _SMALL), "ε < 0.4")


def _higher(table: str, first: str, second: str, xs: Sequence[float]) -> Contrasts:
    """Over these budgets, one line lies above another."""

    def by(results: Results) -> list[Contrast | None]:
        points = [*_at(table, first, *xs), *_at(table, second, *xs)]
        half = len(xs)
        mine, theirs = (average([point.mean(results) for point in part]) for part in (points[:half], points[half:]))
        words = f"{first} {mine:.3g}, {second} {theirs:.3g}"
        return [derived(results, points, lambda v: average(v[:half]) - average(v[half:]), words=words)]

    where = f"ε from {xs[0]:g} to {xs[-1]:g}"
    what = f"Average both lines over {where}. Take the average of '{first}' less that of '{second}'. Won where above 0."
    return Contrasts(what=what, by=by, nothing=NONE)


def _beats_information(table: str) -> Rule:
    """On binary tables in all cases, as it is said of them; on the others, of which no case is named, over the axis."""
    if table not in _BINARY:
        return _higher(table, "R", "I", EPSILONS)
    return Beats(ours=("F", "R"), others=("I",), measures=(_MEASURE,), groups=(table,), higher=True)


SENTENCES = (
    Sentence(
        name="privbayes-fig4-trend",
        paper="PrivBayes",
        section="6.2",
        where="Figure 4",
        quote="… as the privacy budget ε increases, the quality … increases, and this trend is followed by all the "
        "choices of target function (I, R, or F). … the NoPrivacy line, which the other lines tend to mimic.",
        strength="general",
        tests=tuple(_test(table, rises_and_mimics(table)) for table in _SCORES),
    ),
    Sentence(
        name="privbayes-fig4-beats-information",
        paper="PrivBayes",
        section="6.2",
        where="Figure 4",
        quote="For binary datasets NLTCS and ACS, Figure 4 shows that F and R consistently outperform I in all cases. "
        "… support the superiority of R to I.",
        strength="all",
        tests=tuple(_test(table, _beats_information(table)) for table in _SCORES),
    ),
    Sentence(
        name="privbayes-fig4-f-or-r",
        paper="PrivBayes",
        section="6.2",
        where="Figure 4",
        quote="They achieve almost identical results on large ε (e.g., ε ≥ 0.4), while F becomes preferable on small "
        "ε.",
        strength="general",
        tests=tuple(one(table, "R") for table in _BINARY for one in (_near, _above)),
        ours=tuple(one(table, TIGHT) for table in _BINARY for one in (_near, _above)),
    ),
    Sentence(
        name="privbayes-fig4-converges",
        paper="PrivBayes",
        section="6.2",
        where="Figure 4",
        quote="As for the non-private method, it performs better with larger privacy budget ε … However, the quality "
        "of networks converges when ε ≥ 0.4 …",
        strength="all",
        tests=tuple(_test(table, rises_and_converges(table)) for table in _BINARY),
    ),
    Sentence(
        name="privbayes-fig4-gap",
        paper="PrivBayes",
        section="6.2",
        where="Figure 4",
        quote="… the performance gap between NoPrivacy and PrivBayes methods shrinks rapidly as ε increases.",
        strength="general",
        tests=tuple(_test(table, gap_shrinks(table)) for table in _BINARY),
    ),
    Sentence(
        name="privbayes-fig4-large-domains",
        paper="PrivBayes",
        section="6.2",
        where="Figure 4",
        quote="… all methods behave quite differently compared to the binary cases. … As ε increases, some informative "
        "relations among attributes of large domains will be included …, resulting in a large quality improvement.",
        strength="general",
        tests=tuple(_test(table, rises_late(table)) for table in _OTHERS),
    ),
    Sentence(
        name="privbayes-fig4-time",
        paper="PrivBayes",
        section="6.2",
        where="Figure 4",
        quote="… F is significantly more time-consuming than the other two, … a few hours in the case of k = 6 on "
        "NLTCS and about 40 min for k = 4 on ACS.",
        strength="general",
        missing="the authors' program and their machine: F is computed in another way here, in about the time of R",
    ),
)
