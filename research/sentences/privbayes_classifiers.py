"""PrivBayes, section 6.6: what is said of four classifiers on each table against baselines (Figures 16 to 19)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from research._experiment import Results
from research.figures import EPSILONS
from research.figures.privbayes_classifiers import (
    BEST,
    BEST_CURVED,
    CHEAP,
    CURVED,
    ERM,
    ERM_WIDE,
    GENE,
    MAJORITY,
    OURS,
    PRINTED,
    SINGLE,
    SINGLE_WIDE,
)
from research.rules import NONE, Beats, Contrast, Contrasts, Rule
from research.sentences._derived import Point, derived, lower_in_sum, named
from research.sentences._sentence import Sentence, Test
from research.svm import PAPER_TARGETS

FIGURES = {
    "NLTCS": "privbayes-fig16",
    "ACS": "privbayes-fig17",
    "Adult": "privbayes-fig18",
    "BR2000": "privbayes-fig19",
}
PUBLISHED = (ERM_WIDE,)
"""What of the paper's rivals can be had as it was run: of PrivGene there is only a reconstruction."""
_SHORT = (ERM, GENE)
_SAME = 1.1  # times: what moves by less along the axis is insensitive to it


def tasks(table: str) -> tuple[str, ...]:
    """The four tasks of a table.

    >>> tasks("ACS")
    ('dwell', 'mortgage', 'multigen', 'school')
    """
    return PAPER_TARGETS[table.lower()]


def of_each(rule: Callable[[str], Rule], part: str = "", tables: Iterable[str] = FIGURES) -> tuple[Test, ...]:
    """A test of each table's figure."""
    tail = f", {part}" if part else ""
    return tuple(Test(table=table + tail, experiment=FIGURES[table], rule=rule(table)) for table in tables)


def below(ours: tuple[str, ...], others: tuple[str, ...], table: str) -> Contrasts:
    """Over the budgets, these lines err less than others, in each task."""

    def by(results: Results) -> list[Contrast | None]:
        return [
            lower_in_sum(results, _pairs(results, mine, other, task), words=task)
            for task in tasks(table)
            for mine in ours
            for other in others
        ]

    return Contrasts(
        what=f"Average lines over ε, for each of the four tasks. Take the average of each of {named(others)} less "
        f"that of {named(ours)}. Won where above 0.",
        by=by,
        nothing=NONE,
    )


def _pairs(results: Results, first: str, second: str, task: str) -> list[tuple[Point, Point]]:
    lines = [results.xs(task, series) for series in (first, second)]
    both = [x for x in lines[0] if x in lines[1]]
    return [(Point(series=first, measure=task, x=x), Point(series=second, measure=task, x=x)) for x in both]


def outperforms(table: str, ours: str = PRINTED, rivals: tuple[str, ...] = PUBLISHED) -> Contrasts:
    """PrivBayes lies below its rivals, task by task."""
    return below((ours,), rivals, table)


def superior_overall(table: str, ours: str = PRINTED, rivals: tuple[str, ...] = PUBLISHED) -> Contrasts:
    """Over all tasks and budgets PrivBayes errs less than each rival."""

    def by(results: Results) -> list[Contrast | None]:
        return [
            lower_in_sum(
                results, [p for task in tasks(table) for p in _pairs(results, ours, rival, task)], words="all tasks"
            )
            for rival in rivals
        ]

    return Contrasts(
        what=f"Average each line over all tasks and ε. Take the average of {named(rivals)} less that of '{ours}'. Won "
        "where above 0.",
        by=by,
        nothing=NONE,
    )


def best_case(table: str, best: str = BEST) -> Beats:
    """No private method of the figures is below NoPrivacy, at any point; to reach it is no loss."""
    others = (PRINTED, *PUBLISHED, SINGLE_WIDE, MAJORITY)
    return Beats(ours=(best,), others=others, measures=tasks(table), nothing=0.0)


def flat(table: str) -> Contrasts:
    """Majority's error is everywhere near that at the greatest budget."""

    def by(results: Results) -> list[Contrast | None]:
        found = []
        for task in tasks(table):
            *points, last = (Point(series=MAJORITY, measure=task, x=x) for x in EPSILONS)
            for point in points:
                low, high = sorted((point, last), key=lambda one: one.mean(results))
                words = f"{task}: {point.mean(results):.4g} at {point.x:g}, {last.mean(results):.4g} at {last.x:g}"
                found.append(derived(results, [low, high], lambda v: _SAME * v[0] - v[1], words=words))
        return found

    return Contrasts(
        what=f"In each task compare the error of '{MAJORITY}' at each ε with that at the greatest: take {_SAME:g} "
        "times the lower less the higher. Won where above 0.",
        by=by,
    )


def rises(line: str, measures: tuple[str, ...], first: float, second: float) -> Contrasts:
    """A line is higher at the second place than at the first, though the budget is larger there."""

    def by(results: Results) -> list[Contrast | None]:
        found = []
        for measure in measures:
            points = [Point(series=line, measure=measure, x=x) for x in (first, second)]
            before, after = (point.mean(results) for point in points)
            words = f"{measure}: {before:.4g} at {first:g}, {after:.4g} at {second:g}"
            found.append(derived(results, points, lambda v: v[1] - v[0], words=words))
        return found

    what = f"Take the error of '{line}' at {second:g} less that at {first:g}. Won where above 0."
    return Contrasts(what=what, by=by, nothing=NONE)


def _single(table: str, ours: str = PRINTED, single: str = SINGLE_WIDE) -> Contrasts:
    first, second = (ours, single) if table == "Adult" else (single, ours)
    return below((first,), (second,), table)


SENTENCES = (
    Sentence(
        name="privbayes-fig16-best-case",
        paper="PrivBayes",
        section="6.6",
        where="Figures 16 to 19",
        quote="The error of NoPrivacy remains unchanged for all ε, since it does not enforce ε-differential privacy—it "
        "represents the best case to aim for.",
        strength="general",
        tests=of_each(best_case),
        ours=of_each(lambda table: best_case(table, BEST_CURVED), "RBF kernel", CHEAP),
    ),
    Sentence(
        name="privbayes-fig16-majority",
        paper="PrivBayes",
        section="6.6",
        where="Figures 16 to 19",
        quote="The accuracy of Majority is insensitive to ε …",
        strength="general",
        tests=of_each(flat),
    ),
    Sentence(
        name="privbayes-fig16-outperforms",
        paper="PrivBayes",
        section="6.6",
        where="Figures 16 to 19",
        quote="… PrivBayes consistently outperforms PrivateERM and PrivGene in almost all datasets, except for a few "
        "settings in Figures 16. … Overall, PrivBayes is superior to both PrivateERM and PrivGene on the "
        "classification task.",
        strength="general",
        tests=(*of_each(outperforms), *of_each(superior_overall, "overall")),
        ours=(
            *of_each(lambda table: outperforms(table, OURS, _SHORT), "our PrivBayes, short features, our PrivGene"),
            *of_each(lambda table: outperforms(table, CURVED), "RBF kernel", CHEAP),
        ),
    ),
    Sentence(
        name="privbayes-fig18-salary",
        paper="PrivBayes",
        section="6.6",
        where="Figure 18(b)",
        quote="… the misclassification rate of PrivBayes increases when ε changes from 0.05 to 0.1.",
        strength="all",
        tests=(Test(table="Adult", experiment=FIGURES["Adult"], rule=rises(PRINTED, ("salary",), 0.05, 0.1)),),
        ours=(Test(table="Adult", experiment=FIGURES["Adult"], rule=rises(OURS, ("salary",), 0.05, 0.1)),),
    ),
    Sentence(
        name="privbayes-fig16-single",
        paper="PrivBayes",
        section="6.6",
        where="Figures 16 to 19",
        quote="… PrivBayes is outperformed by PrivateERM (Single) … in most cases (except on Adult).",
        strength="general",
        tests=of_each(_single),
        ours=of_each(lambda table: _single(table, OURS, SINGLE), "our PrivBayes, short features"),
    ),
    Sentence(
        name="privbayes-fig18-artifact",
        paper="PrivBayes",
        section="6.6",
        where="Figure 18, footnote 7",
        quote="The behavior of PrivateERM (Single) on Adult with ε = 1.6 is an artifact of the algorithm itself …",
        strength="general",
        tests=(Test(table="Adult", experiment=FIGURES["Adult"], rule=rises(SINGLE_WIDE, tasks("Adult"), 0.8, 1.6)),),
        ours=(Test(table="Adult", experiment=FIGURES["Adult"], rule=rises(SINGLE, tasks("Adult"), 0.8, 1.6)),),
    ),
)
