"""What Figures 9 to 11 of the PrivBayes paper share: eight tasks, and rules about the best value of a parameter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import exp, log, sqrt
from statistics import stdev
from typing import Any

from research._experiment import Finding, NothingRunError, Panel, Results, Run, Scale, Verdict
from research._rules import Decided, times
from research.figures._budgets import DISTANCE, ERROR

PRINTED = "privbayes:postprocessing=printed"
"""The method as the paper prints it."""
SAME = 1.1
"""Errors that differ by no more than this factor are comparable."""


@dataclass(frozen=True, kw_only=True)
class TaskOf:
    """One of the eight tasks: a set of counting queries or a classifier, on one table."""

    group: str
    table: str
    dataset: str
    measure: str
    counts: bool

    @property
    def task(self) -> str:
        """The task's name."""
        return "marginals" if self.counts else "svm"

    def params(self, method: str, epsilon: float, **more: Any) -> dict[str, Any]:
        """What a run of it needs."""
        own: dict[str, Any] = {"ways": [int(self.measure[1:])]} if self.counts else {"targets": [self.measure]}
        return {"dataset": self.dataset, "method": method, "epsilon": epsilon, **own, **more}


TASKS = tuple(
    TaskOf(group=f"{table}, {measure}", table=table, dataset=dataset, measure=measure, counts=counts)
    for table, dataset, queries, target in (
        ("NLTCS", "nltcs", "Q4", "outside"),
        ("ACS", "acs", "Q4", "dwell"),
        ("Adult", "adult_privbayes16", "Q3", "gender"),
        ("BR2000", "br2000_privbayes16", "Q3", "religion"),
    )
    for measure, counts in ((queries, True), (target, False))
)
DATASETS = tuple(dict.fromkeys(task.dataset for task in TASKS))
PANELS = tuple(
    Panel(
        title=f"({letter}) {task.table}, {task.measure if task.counts else f'Y = {task.measure}'}",
        measure=task.measure,
        y=DISTANCE if task.counts else ERROR,
        group=task.group,
    )
    for letter, task in zip("abcdefgh", TASKS, strict=True)
)


def tuning_runs(
    scale: Scale, values: Sequence[float], epsilons: Sequence[float], word: Callable[[float], str]
) -> list[Run]:
    """The eight tasks with one parameter at each value, a line for each budget."""
    return [
        Run(
            series=f"ε = {epsilon:g}",
            x=value,
            seed=seed,
            task=task.task,
            params=task.params(word(value), epsilon),
            group=task.group,
        )
        for seed, task, epsilon, value in product(range(scale.seeds), TASKS, epsilons, values)
    ]


Line = Mapping[float, float]


def lines(results: Results, *, counts: bool | None = None) -> dict[str, Line]:
    """All lines of the panels (of those of counts, or of classifiers): means by place on the axis."""
    found: dict[str, Line] = {}
    for task in TASKS:
        if counts is None or task.counts == counts:
            for series in results.series(task.measure, task.group):
                xs = results.xs(task.measure, series, task.group)
                found[f"{task.group}, {series}"] = {x: results.mean(task.measure, series, x, task.group) for x in xs}
    if not found:
        raise NothingRunError("Nothing was run for these tasks")
    return found


def best(line: Line) -> float:
    """The place of a line's least error."""
    return min(line, key=lambda x: line[x])


def excess(found: Mapping[str, Line]) -> Line:
    """For each place, the geometric mean over all lines that it has of the error there over the line's least.

    >>> {x: round(e, 3) for x, e in excess({"a": {1.0: 0.1, 2.0: 0.2}, "b": {1.0: 0.2, 2.0: 0.1}}).items()}
    {1.0: 1.414, 2.0: 1.414}
    """
    xs = sorted({x for line in found.values() for x in line})
    there = {x: [times(line[x], min(line.values())) for line in found.values() if x in line] for x in xs}
    return {x: exp(sum(map(log, ratios)) / len(ratios)) for x, ratios in there.items()}


def at(line: Line, place: float) -> float:
    """The error at a place."""
    if place not in line:
        raise NothingRunError(f"Nothing was run at {place:g}")
    return line[place]


def wide(span: Callable[[float, float], bool], said: str) -> Decided:
    """Whether places with comparable errors reach far, as `span` of the lowest and the highest of them says."""

    def decide(results: Results) -> Finding:
        found = lines(results)
        narrow = []
        for name, line in found.items():
            near = [x for x in line if line[x] <= SAME * min(line.values())]
            if not span(min(near), max(near)):
                narrow.append(f"{name} only from {min(near):g} to {max(near):g}")
        why = f"{len(found) - len(narrow)} of {len(found)} lines have such a range"
        why += (": not " + "; ".join(narrow[:3]) + ("; …" if len(narrow) > 3 else "") if narrow else "") + "."
        if len(narrow) <= 0.1 * len(found):
            return Finding(verdict="reproduced", why=why)
        return Finding(verdict="contradicted" if len(narrow) > len(found) / 2 else "not reproduced", why=why)

    text = (
        f"Of each line take the places where its mean is at most {SAME:g} times its least. Reproduced if in 90 % of "
        f"the lines they {said}; contradicted if in over half they do not; otherwise not reproduced."
    )
    return Decided(text=text, by=decide)


def best_within(low: float, high: float) -> Decided:
    """Whether the place that is best on the whole lies in a range."""

    def decide(results: Results) -> Finding:
        found = excess(lines(results))
        least = best(found)
        why = f"Least at {least:g}. " + ", ".join(f"{x:g}: × {value:.3f}" for x, value in found.items()) + "."
        if low <= least <= high:
            return Finding(verdict="reproduced", why=why)
        return Finding(verdict="contradicted" if least in (min(found), max(found)) else "not reproduced", why=why)

    text = (
        "Divide every line by its least mean, and take the geometric mean over all lines at each place. Reproduced if "
        f"it is least within [{low:g}, {high:g}]; contradicted if at an end of the axis; otherwise not reproduced."
    )
    return Decided(text=text, by=decide)


def good_default(value: float) -> Decided:
    """Whether the paper's choice costs little against the best choice for each line."""

    def decide(results: Results) -> Finding:
        found = {counts: at(excess(lines(results, counts=counts)), value) for counts in (True, False)}
        why = f"Counts: × {found[True]:.3f}; classifiers: × {found[False]:.3f}."
        far = sum(ratio > SAME for ratio in found.values())
        if not far:
            return Finding(verdict="reproduced", why=why)
        return Finding(verdict="contradicted" if far == 2 else "not reproduced", why=why)

    text = (
        f"Divide the mean at {value:g} by the line's least, and take the geometric mean over the lines of counts and "
        f"over those of classifiers. Reproduced if both are at most {SAME:g}; contradicted if neither is; otherwise "
        "not reproduced."
    )
    return Decided(text=text, by=decide)


def classifiers_prefer(*, larger: bool) -> Decided:
    """Whether classifiers are best at larger (smaller) values than counts are."""

    def decide(results: Results) -> Finding:
        places = {counts: [best(line) for line in lines(results, counts=counts).values()] for counts in (True, False)}
        mean = {counts: sum(found) / len(found) for counts, found in places.items()}
        error = sqrt(sum(stdev(found) ** 2 / len(found) for found in places.values() if len(found) > 1))
        gap = (mean[False] - mean[True]) * (1 if larger else -1)
        why = (
            f"The best value is {mean[True]:.2f} for counts and {mean[False]:.2f} for classifiers, on average; 2 "
            f"standard errors of the difference are {2 * error:.2f}."
        )
        verdict: Verdict = "not reproduced"
        if abs(gap) > 2 * error:
            verdict = "reproduced" if gap > 0 else "contradicted"
        return Finding(verdict=verdict, why=why)

    side, other = ("larger", "smaller") if larger else ("smaller", "larger")
    text = (
        "Take the value at which each line is least. Reproduced if its average over the lines of classifiers is "
        f"{side} than over those of counts by more than 2 standard errors, as the lines scatter; contradicted if "
        f"{other} by more than that; otherwise not reproduced."
    )
    return Decided(text=text, by=decide)
