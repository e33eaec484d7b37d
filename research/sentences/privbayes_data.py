"""PrivBayes, sections 1.2 and 6.1: what is said of the data (Table 5), and of all experiments together."""

from __future__ import annotations

from research._experiment import NothingRunError, Results
from research.figures.privbayes_alpha_way import UNIFORM
from research.figures.privbayes_classifiers import MAJORITY, PRINTED
from research.figures.privbayes_table5 import PRINTED as TABLE_5
from research.rules import Contrast, Contrasts, Exact
from research.sentences import privbayes_classifiers as classifiers
from research.sentences import privbayes_marginals as marginals
from research.sentences._alpha_way import WAYS, baselines
from research.sentences._derived import Point, average, lower_in_sum, named
from research.sentences._sentence import Sentence, Test

_SMALL = 0.05  # of an error, which is at most 1: a loss below is small


def more_accurate(measures: tuple[str, ...], rivals: tuple[str, ...], ours: str = PRINTED) -> Contrasts:
    """In each panel, over the budgets, how far PrivBayes is below the best of its rivals, and below it and a little."""

    def by(results: Results) -> list[Contrast | None]:
        found = []
        for measure in measures:
            ways = [_pairs(results, measure, ours, rival) for rival in rivals]
            if not any(ways):
                raise NothingRunError(f"Nothing was run for {measure}")
            best = min(filter(None, ways), key=lambda pairs: average([second.mean(results) for _, second in pairs]))
            found.append(lower_in_sum(results, best, words=measure))
            found.append(lower_in_sum(results, best, words=f"{measure}, by more than {_SMALL:g}", margin=_SMALL))
        return found

    return Contrasts(
        what=f"Average lines over ε in each panel. Take the least average of the rivals ({named(rivals)}) less that of "
        f"'{ours}'; and the same with {_SMALL:g} added. Won where above 0.",
        by=by,
    )


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
        section="1.2",
        where="Figures 12 to 19",
        quote="Our experiments show that PrivBayes is often more accurate than any prior method … When PrivBayes is "
        "less accurate than some prior method, the accuracy loss is small …",
        strength="general",
        tests=(
            *(
                Test(table=f"{table}, counts", experiment=figure, rule=more_accurate(WAYS[table], baselines(table)))
                for table, figure in marginals.FIGURES.items()
            ),
            *(
                Test(
                    table=f"{table}, classifiers",
                    experiment=figure,
                    rule=more_accurate(classifiers.tasks(table), (*classifiers.PUBLISHED, MAJORITY)),
                )
                for table, figure in classifiers.FIGURES.items()
            ),
        ),
    ),
)
