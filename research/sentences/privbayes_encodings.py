"""PrivBayes, sections 1.3 and 6.3: what is said of encodings (Figures 5 to 8)."""

from __future__ import annotations

from collections.abc import Sequence

from research._experiment import Results
from research.figures import EPSILONS
from research.figures.privbayes_encodings import BINARY, GRAY, HIERARCHICAL, OWN, VANILLA
from research.rules import NONE, Beats, Contrast, Contrasts, Rule
from research.sentences._derived import Point, average, derived, lower_in_sum, lower_on_average, named
from research.sentences._sentence import Sentence, Test
from research.svm import PAPER_TARGETS

_SMALL = tuple(epsilon for epsilon in EPSILONS if epsilon <= 0.2)
_FIRST, _LAST = EPSILONS[0], EPSILONS[-1]
_QUERIES = ("Q2", "Q3")
_LINES = (BINARY, GRAY, VANILLA, HIERARCHICAL)
_COUNTS = {"Adult": "privbayes-fig5", "BR2000": "privbayes-fig6"}
_CLASSES = {"Adult": "privbayes-fig7", "BR2000": "privbayes-fig8"}
_NEAR = 1.1  # times: less is almost identical
_STABLE = 1.25  # times the best encoding of a task: less is not far behind it
_NOTHING = 0.75  # of Majority's error, at least, where no correlation is kept


def _test(table: str, experiment: str, rule: Rule, part: str = "") -> Test:
    return Test(table=f"{table}, {part}" if part else table, experiment=experiment, rule=rule)


def gap_shrinks(group: str) -> Contrasts:
    """The gap between binary and non-binary encodings is smaller at the greatest budget than at the least."""

    def by(results: Results) -> list[Contrast | None]:
        found = []
        for query in _QUERIES:
            points = [Point(series=s, measure=query, x=x, group=group) for x in (_FIRST, _LAST) for s in _LINES]
            means = [point.mean(results) for point in points]
            words = f"{query}: {gap(means[:4]):.3g} → {gap(means[4:]):.3g}"
            found.append(derived(results, points, lambda v: abs(gap(v[:4])) - abs(gap(v[4:])), words=words))
        return found

    return Contrasts(
        what="Take the mean error of the two binary encodings less that of the two others, at the least ε less the "
        "same at the greatest. Won where above 0.",
        by=by,
    )


def gap(errors: Sequence[float]) -> float:
    """How far the first two are above the last two.

    >>> gap([4.0, 6.0, 1.0, 3.0])
    3.0
    """
    return (errors[0] + errors[1] - errors[2] - errors[3]) / 2


def best_overall(measures: tuple[str, ...]) -> Contrasts:
    """Hierarchical-R has the least error over all tasks and budgets."""

    def by(results: Results) -> list[Contrast | None]:
        return [
            lower_in_sum(results, [p for m in measures for p in _pairs(HIERARCHICAL, other, m, "")], words="all tasks")
            for other in _LINES[:-1]
        ]

    return Contrasts(
        what=f"Average each line over all tasks and ε. Take each other encoding's average less that of "
        f"'{HIERARCHICAL}'. Won where above 0.",
        by=by,
        nothing=NONE,
    )


def stable(measures: tuple[str, ...]) -> Contrasts:
    """In no task Hierarchical-R is far behind the best encoding of that task."""

    def by(results: Results) -> list[Contrast | None]:
        found = []
        for task in measures:
            ways = {other: _pairs(HIERARCHICAL, other, task, "") for other in _LINES[:-1]}
            best = min(ways, key=lambda other: average([second.mean(results) for _, second in ways[other]]))
            found.append(lower_in_sum(results, ways[best], words=task, factor=_STABLE))
        return found

    return Contrasts(
        what=f"Average each line over ε in each task. Take {_STABLE:g} times the average of the best other encoding "
        f"of that task less that of '{HIERARCHICAL}'. Won where above 0.",
        by=by,
    )


def lower(ours: tuple[str, ...], others: tuple[str, ...], measures: tuple[str, ...], group: str = "") -> Contrasts:
    """Over the budgets, these encodings err less than others, in each panel."""

    def by(results: Results) -> list[Contrast | None]:
        return [
            lower_in_sum(results, _pairs(mine, other, measure, group), words=measure)
            for measure in measures
            for mine in ours
            for other in others
        ]

    return Contrasts(
        what=f"Average lines over ε, for each of {named(measures)}. Take the average of each of {named(others)} less "
        f"that of each of {named(ours)}. Won where above 0.",
        by=by,
        nothing=NONE,
    )


def identical(group: str) -> Contrasts:
    """Over the budgets, Hierarchical-R and Vanilla-R differ by less than a tenth, either way."""

    def by(results: Results) -> list[Contrast | None]:
        found = []
        for query in _QUERIES:
            ways = [_pairs(*two, query, group) for two in ((HIERARCHICAL, VANILLA), (VANILLA, HIERARCHICAL))]
            words = f"{query}, a difference of"
            sides = [lower_on_average(results, pairs, words=words, factor=_NEAR) for pairs in ways]
            found.append(min(sides, key=lambda side: side.mean if side else 0.0))  # the greater one is looked at
        return found

    return Contrasts(
        what=f"Divide the error of '{HIERARCHICAL}' by that of '{VANILLA}', or the other way round, for each of "
        f"{named(_QUERIES)}, so that the geometric mean of this factor over ε is above 1. Won where it is below "
        f"{_NEAR:g}.",
        by=by,
    )


def _pairs(first: str, second: str, measure: str, group: str) -> list[tuple[Point, Point]]:
    return [
        (
            Point(series=first, measure=measure, x=x, group=group),
            Point(series=second, measure=measure, x=x, group=group),
        )
        for x in EPSILONS
    ]


def _above(values: Sequence[float]) -> float:
    return values[0] - _NOTHING * values[1]


def _below(values: Sequence[float]) -> float:
    return -_above(values)


def keeps_nothing_until(last: float) -> Contrasts:
    """Vanilla-R has Majority's error on education up to a budget, and loses it then."""

    def by(results: Results) -> list[Contrast | None]:
        found = []
        for x in EPSILONS:
            points = [
                Point(series=VANILLA, measure="education", x=x),
                Point(series="Majority", measure="education", x=_LAST, group="reference"),
            ]
            mine, base = (point.mean(results) for point in points)
            words = f"education at {x:g}: {VANILLA} {mine:.4g}, always the commoner {base:.4g}"
            found.append(derived(results, points, _above if x <= last else _below, words=words))
        return found

    return Contrasts(
        what=f"Compare the error of '{VANILLA}' on education with {_NOTHING:g} times that of always answering the "
        f"commoner value. Won where it is above at ε ≤ {last:g}, and where it is below beyond.",
        by=by,
    )


def _superior(group: str) -> Beats:
    return Beats(
        ours=(VANILLA, HIERARCHICAL),
        others=(BINARY, GRAY),
        measures=_QUERIES,
        groups=(group,),
        xs=_SMALL,
        clearly=True,
    )


def _counts(group: str) -> tuple[Test, ...]:
    parts = (("small ε", _superior(group)), ("the gap", gap_shrinks(group)))
    return tuple(_test(table, figure, rule, part) for table, figure in _COUNTS.items() for part, rule in parts)


def _preliminary(measures: tuple[str, ...], group: str = "") -> Contrasts:
    return lower((HIERARCHICAL,), (BINARY,), measures, group)


_GENDER = lower((VANILLA, HIERARCHICAL), (BINARY, GRAY), ("gender",))
_TASKS = {table: PAPER_TARGETS[table.lower()] for table in _CLASSES}
SENTENCES = (
    Sentence(
        name="privbayes-beats-preliminary",
        paper="PrivBayes",
        section="1.3",
        where="Figures 5 to 8",
        quote="… in terms of data utility, it significantly outperforms the preliminary version of PrivBayes that "
        "binarizes attributes.",
        strength="general",
        tests=(
            *(_test(table, figure, _preliminary(_QUERIES), "counts") for table, figure in _COUNTS.items()),
            *(_test(table, figure, _preliminary(_TASKS[table]), "classifiers") for table, figure in _CLASSES.items()),
        ),
        ours=tuple(_test(table, figure, _preliminary(_QUERIES, OWN), "counts") for table, figure in _COUNTS.items()),
    ),
    Sentence(
        name="privbayes-fig5-binary-worse",
        paper="PrivBayes",
        section="6.3",
        where="Figures 5 and 6",
        quote="… non-binary encodings are clearly superior to binary ones when ε is small, but the gap shrinks as ε "
        "increases.",
        strength="general",
        tests=_counts(""),
        ours=_counts(OWN),
    ),
    Sentence(
        name="privbayes-fig5-identical",
        paper="PrivBayes",
        section="6.3",
        where="Figures 5 and 6",
        quote="Between two non-binary encodings, Hierarchical-R and Vanilla-R achieve almost identical results …",
        strength="general",
        tests=tuple(_test(table, figure, identical("")) for table, figure in _COUNTS.items()),
        ours=tuple(_test(table, figure, identical(OWN)) for table, figure in _COUNTS.items()),
    ),
    Sentence(
        name="privbayes-fig7-best",
        paper="PrivBayes",
        section="6.3",
        where="Figures 7 and 8",
        quote="In summary, Hierarchical-R achieves the best overall performance among all methods, and its performance "
        "is quite stable over different tasks.",
        strength="general",
        tests=tuple(
            _test(table, figure, rule(_TASKS[table]), part)
            for table, figure in _CLASSES.items()
            for part, rule in (("best overall", best_overall), ("stable", stable))
        ),
    ),
    Sentence(
        name="privbayes-fig7-two-tasks",
        paper="PrivBayes",
        section="6.3",
        where="Figures 7(a) and 7(c)",
        quote="… the encodings aware of attribute semantics are more preferable. … Vanilla-R fails to preserve any "
        "correlation until ε > 0.8.",
        strength="general",
        tests=(
            _test("Adult", _CLASSES["Adult"], _GENDER, "gender"),
            _test("Adult", _CLASSES["Adult"], keeps_nothing_until(0.8), "education"),
        ),
    ),
)
