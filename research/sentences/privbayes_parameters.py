"""PrivBayes, section 6.4: what is said of β, of θ, and of where errors come from (Figures 9 to 11)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from research._experiment import Results
from research.figures import EPSILONS, TaskOf
from research.rules import NONE, Contrast, Contrasts, Exact, Rule
from research.sentences import _tuning as rules
from research.sentences._derived import Point, average, derived, lower_on_average
from research.sentences._sentence import Sentence, Test
from research.sentences._tuning import BETA, THETA, of_table

_TABLES = ("NLTCS", "ACS", "Adult", "BR2000")
_BETAS, _THETAS = (0.2, 0.5), (3.0, 6.0)
_MIDDLE = 0.5
_FIGURE_9, _FIGURE_10, _FIGURE_11 = (f"privbayes-fig{number}" for number in (9, 10, 11))
_MARGINAL, _NETWORK, _PLAIN = "BestMarginal", "BestNetwork", "PrivBayes"


def _tests(figure: str, rule: Callable[[str], Rule], part: str = "") -> tuple[Test, ...]:
    tail = f", {part}" if part else ""
    return tuple(Test(table=table + tail, experiment=figure, rule=rule(table)) for table in _TABLES)


def marginals_matter(table: str) -> Contrasts:
    """Over the budgets, counts of noiseless tables err less than those of the other two."""

    def by(results: Results) -> list[Contrast | None]:
        [task] = of_table(table, counts=True)
        return [
            lower_on_average(results, _pairs(task, _MARGINAL, other), words=f"{_MARGINAL} against {other}")
            for other in (_PLAIN, _NETWORK)
        ]

    return Contrasts(
        what=f"Divide the error of '{_MARGINAL}' on counts by that of '{_PLAIN}' and by that of '{_NETWORK}'; take "
        "the geometric means of these factors over ε. Won where below 1.",
        by=by,
        clearly=True,
        nothing=NONE,
    )


def _pairs(task: TaskOf, first: str, second: str) -> list[tuple[Point, Point]]:
    return [
        (
            Point(series=first, measure=task.measure, x=x, group=task.group),
            Point(series=second, measure=task.measure, x=x, group=task.group),
        )
        for x in EPSILONS
    ]


def gains_more(table: str) -> Contrasts:
    """Without noise in its tables, PrivBayes gains more here than on the binary tables."""

    def by(results: Results) -> list[Contrast | None]:
        return [_gain_over(results, table, other) for other in ("NLTCS", "ACS")]

    return Contrasts(
        what=f"Take the error of counts of '{_PLAIN}' less that of '{_MARGINAL}', averaged over ε, here less the same "
        "on each binary table. Won where above 0.",
        by=by,
    )


def _gain_over(results: Results, table: str, other: str) -> Contrast | None:
    points = [
        Point(series=series, measure=task.measure, x=x, group=task.group)
        for task in (*of_table(table, counts=True), *of_table(other, counts=True))
        for series in (_PLAIN, _MARGINAL)
        for x in EPSILONS
    ]
    n = len(EPSILONS)

    def gains(values: Sequence[float]) -> tuple[float, float]:
        plain, marginal, others_plain, others_marginal = (average(values[i * n : (i + 1) * n]) for i in range(4))
        return plain - marginal, others_plain - others_marginal

    mine, theirs = gains([point.mean(results) for point in points])
    words = f"{mine:.3g}, {other} {theirs:.3g}"
    return derived(results, points, lambda v: gains(v)[0] - gains(v)[1], words=words)


def networks_matter(table: str) -> Contrasts:
    """Over the budgets, the classifier of a noiseless network errs less than that of noiseless tables."""

    def by(results: Results) -> list[Contrast | None]:
        [task] = of_table(table, counts=False)
        words = f"{_NETWORK} against {_MARGINAL}"
        return [lower_on_average(results, _pairs(task, _NETWORK, _MARGINAL), words=words)]

    return Contrasts(
        what=f"Divide the error of '{_NETWORK}' on the classifier by that of '{_MARGINAL}'; take the geometric mean "
        "of this factor over ε. Won where below 1.",
        by=by,
        nothing=NONE,
    )


_DEGREE = Exact(
    series="PrivBayes",
    printed={("degree", 0.9): 0},
    group="degree",
    names={("degree", 0.9): "the degree at β = 0.9"},
    meant=True,
)
SENTENCES = (
    Sentence(
        name="privbayes-fig9-ends",
        paper="PrivBayes",
        section="6.4",
        where="Figure 9",
        quote="Observe that the error tends to be higher when β is very small or very large.",
        strength="general",
        tests=(
            *_tests(_FIGURE_9, lambda table: rules.end_is_worse(table, "least"), "small β"),
            *_tests(_FIGURE_9, lambda table: rules.end_is_worse(table, "greatest"), "large β"),
        ),
    ),
    Sentence(
        name="privbayes-fig9-range",
        paper="PrivBayes",
        section="6.4",
        where="Figure 9",
        quote="… in general there is a good range of β values where the error is comparable to the minimum. This tends "
        "to occur below the mid-point … an appropriate value for β should be in the range of [0.2, 0.5].",
        strength="general",
        tests=_tests(_FIGURE_9, lambda table: rules.best_within(table, *_BETAS, middle=_MIDDLE)),
    ),
    Sentence(
        name="privbayes-fig9-exception",
        paper="PrivBayes",
        section="6.4",
        where="Figure 9",
        quote="One exception is with ACS, Q4 at β = 0.9, where the θ-usefulness sets the degree of Bayesian networks "
        "to 0 …",
        strength="all",
        tests=(Test(table="ACS", experiment=_FIGURE_9, rule=_DEGREE),),
    ),
    Sentence(
        name="privbayes-fig10-range",
        paper="PrivBayes",
        section="6.4",
        where="Figure 10",
        quote="… PrivBayes achieves the near-best performance on a quite wide range of values of θ … an appropriate "
        "value should be within [3, 6].",
        strength="general",
        tests=(
            *_tests(_FIGURE_10, lambda table: rules.best_within(table, *_THETAS), "[3, 6]"),
            *_tests(_FIGURE_10, rules.wide, "a wide range"),
        ),
    ),
    Sentence(
        name="privbayes-fig11-counts",
        paper="PrivBayes",
        section="6.4",
        where="Figure 11",
        quote="… the error in counting queries mainly comes from the noise introduced in materializing private "
        "marginals, as the BestMarginal significantly outperforms the other two methods especially on non-binary "
        "datasets Adult and BR2000.",
        strength="general",
        tests=(
            *_tests(_FIGURE_11, marginals_matter),
            *(
                Test(table=f"{table}, especially", experiment=_FIGURE_11, rule=gains_more(table))
                for table in ("Adult", "BR2000")
            ),
        ),
    ),
    Sentence(
        name="privbayes-fig11-classifiers",
        paper="PrivBayes",
        section="6.4",
        where="Figure 11",
        quote="In contrast, classification tasks suffer more from noisy networks …",
        strength="general",
        tests=_tests(_FIGURE_11, networks_matter),
    ),
    Sentence(
        name="privbayes-fig11-preferences",
        paper="PrivBayes",
        section="6.4",
        where="Figures 9 and 10",
        quote="… counting queries lead to a choice of a small β … and large θ … classification tasks … a slight "
        "preference to relatively larger β and smaller θ.",
        strength="general",
        tests=(
            *_tests(_FIGURE_9, lambda table: rules.classifiers_prefer(table, 0.1, 0.5, larger=True), "β"),
            *_tests(_FIGURE_10, lambda table: rules.classifiers_prefer(table, 2.0, 8.0, larger=False), "θ"),
        ),
    ),
    Sentence(
        name="privbayes-defaults",
        paper="PrivBayes",
        section="6.4",
        where="Figures 9 and 10",
        quote="… across all these experiments, we are satisfied with the choice of β = 0.3, θ = 4 as defaults for a "
        "range of tasks.",
        strength="general",
        tests=(
            *_tests(_FIGURE_9, lambda table: rules.good_default(table, BETA), "β"),
            *_tests(_FIGURE_10, lambda table: rules.good_default(table, THETA), "θ"),
        ),
    ),
)
