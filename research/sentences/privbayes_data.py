"""PrivBayes, sections 1.2 and 6.1: what is said of the data (Table 5), and of all experiments together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from research._experiment import NothingRunError, Results
from research.figures.privbayes_alpha_way import UNIFORM
from research.figures.privbayes_classifiers import MAJORITY, PRINTED, SINGLE_WIDE
from research.figures.privbayes_table5 import PRINTED as TABLE_5
from research.rules import FEWEST, NONE, Contrast, Contrasts, Decision, Exact, Strength
from research.sentences import privbayes_classifiers as classifiers
from research.sentences import privbayes_marginals as marginals
from research.sentences._alpha_way import WAYS, baselines
from research.sentences._derived import Point, average, lower_in_sum, named
from research.sentences._sentence import Sentence, Test

_SMALL = 1.1  # times: what loses less than a tenth of the other's error loses little


def more_accurate(measures: tuple[str, ...], rivals: tuple[str, ...], ours: str = PRINTED) -> Contrasts:
    """In each panel, over the budgets, how far PrivBayes is below the best of its rivals."""

    def by(results: Results) -> list[Contrast | None]:
        return [lower_in_sum(results, _best(results, one, ours, rivals), words=one) for one in measures]

    return Contrasts(
        what=f"Average lines over ε in each panel. Take the least average of the rivals ({named(rivals)}) less that of "
        f"'{ours}'. Won where above 0.",
        by=by,
        nothing=NONE,
    )


@dataclass(frozen=True)
class LossIsSmall:
    """In each panel where PrivBayes is above the best of others, over the budgets, it is so by less than a tenth.

    >>> lines = {("", line, "school", 0.1): [0.1] * 5 for line in (PRINTED, MAJORITY)}
    >>> LossIsSmall(("school",), (MAJORITY,)).decide(Results(lines), "general").why
    'It is nowhere less accurate.'
    """

    measures: tuple[str, ...]
    others: tuple[str, ...]
    ours: str = PRINTED

    def text(self, strength: Strength) -> str:
        """The rule in words."""
        return f"{self._of(()).text(strength)} Holds too if it is nowhere less accurate."

    def decide(self, results: Results, strength: Strength) -> Decision:
        """What these results say."""
        try:
            ways = {measure: _best(results, measure, self.ours, self.others) for measure in self.measures}
        except NothingRunError as missing:
            return Decision(verdict="undecided", why=f"{missing}.")
        worse = {measure: pairs for measure, pairs in ways.items() if _loss(results, pairs) > 0}
        if worse:
            return self._of(
                [lower_in_sum(results, pairs, words=measure, factor=_SMALL) for measure, pairs in worse.items()]
            ).decide(results, strength)
        runs = min(len(point.values(results)) for pairs in ways.values() for point, _ in pairs)
        if runs < FEWEST:
            return Decision(verdict="undecided", why="It has too few runs.", needed=FEWEST)
        return Decision(verdict="holds", why="It is nowhere less accurate.", runs=runs)

    def _of(self, found: Sequence[Contrast | None]) -> Contrasts:
        return Contrasts(
            what=f"Average lines over ε in each panel, and find the least average of others ({named(self.others)}). "
            f"Where that of '{self.ours}' is above it, take {_SMALL:g} times that least average less that of "
            f"'{self.ours}'. Won where above 0.",
            by=lambda _: found,
        )


def _best(results: Results, measure: str, ours: str, others: Sequence[str]) -> list[tuple[Point, Point]]:
    """The points of our line, each beside that of the other line which is lowest on average."""
    ways = list(filter(None, (_pairs(results, measure, ours, other) for other in others)))
    if not ways:
        raise NothingRunError(f"Nothing was run for {measure}")
    return min(ways, key=lambda pairs: average([second.mean(results) for _, second in pairs]))


def _loss(results: Results, pairs: Sequence[tuple[Point, Point]]) -> float:
    return average([mine.mean(results) - other.mean(results) for mine, other in pairs])


def _pairs(results: Results, measure: str, ours: str, rival: str) -> list[tuple[Point, Point]]:
    lines = [results.xs(measure, series) for series in (ours, rival)]
    return [
        (
            Point(series=ours, measure=measure, x=x),
            Point(series=rival, measure=measure, x=x, exact=rival == UNIFORM),
        )
        for x in lines[0]
        if x in lines[1]
    ]


def _sizes(table: str) -> Exact:
    number = list(TABLE_5).index(table) + 1
    return Exact(series=table, printed={(measure, number): size for measure, size in TABLE_5[table].items()})


SENTENCES = (
    Sentence(
        name="privbayes-table5",
        paper="PrivBayes",
        section="6.1",
        where="Table 5",
        quote="… (i) NLTCS [35], which contains records of 21,574 individuals … Table 5 illustrates main properties of "
        "the datasets.",
        strength="all",
        tests=tuple(Test(table=table, experiment="privbayes-table5", rule=_sizes(table)) for table in TABLE_5),
    ),
    Sentence(
        name="privbayes-often-more-accurate",
        paper="PrivBayes",
        section="1.2 and 7",
        where="Figures 12 to 19",
        quote="Our experiments show that PrivBayes is often more accurate than any prior method … When PrivBayes is "
        "less accurate than some prior method, the accuracy loss is small … offers better accuracy than customized "
        "mechanisms for particular objectives, such as classification.",
        strength="general",
        tests=(
            *(
                Test(table=f"{table}, counts", experiment=figure, rule=more_accurate(WAYS[table], baselines(table)))
                for table, figure in marginals.FIGURES.items()
            ),
            *classifiers.of_each(
                lambda table: more_accurate(classifiers.tasks(table), (*classifiers.PUBLISHED, MAJORITY)), "classifiers"
            ),
            *classifiers.of_each(
                lambda table: LossIsSmall(classifiers.tasks(table), (*classifiers.PUBLISHED, SINGLE_WIDE, MAJORITY)),
                "classifiers, the loss",
            ),
        ),
    ),
)
