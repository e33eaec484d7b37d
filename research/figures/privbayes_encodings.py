"""PrivBayes, Figures 5 to 8: four encodings, by α-way marginals and by classifiers."""

from __future__ import annotations

from math import sqrt

from research._experiment import Claim, Experiment, Finding, NothingRunError, Panel, Results, Run, Scale
from research._rules import Beats, Decided, Near, times
from research.figures._budgets import BENCHMARKS, DISTANCE, EPSILON, EPSILONS, ERROR, over_budgets
from research.svm import PAPER_TARGETS

BINARY, GRAY, VANILLA, HIERARCHICAL = "Binary-F", "Gray-F", "Vanilla-R", "Hierarchical-R"
_OWN = {
    BINARY: "privbayes:encoding=binary",
    GRAY: "privbayes:encoding=gray",
    VANILLA: "privbayes:encoding=vanilla",
    HIERARCHICAL: "privbayes",
}
_METHODS = {line: f"{word}:postprocessing=printed" for line, word in _OWN.items()}
OWN = "own post-processing"
"""A group of runs without a panel: the same lines, with this package's post-processing."""
_SMALL = (0.05, 0.1, 0.2)
_QUERIES = ("Q2", "Q3")
_REFERENCE = "reference"


def _count_runs(scale: Scale, dataset: str) -> list[Run]:
    """The lines of Figures 5 and 6, as printed, and with this package's post-processing, which is not drawn."""
    printed = over_budgets(scale, _METHODS, task="marginals", dataset=dataset, ways=[2, 3])
    return printed + over_budgets(scale, _OWN, task="marginals", dataset=dataset, ways=[2, 3], group=OWN)


def _class_runs(scale: Scale, dataset: str) -> list[Run]:
    """The lines of Figures 7 and 8, and what always answering the commoner value costs, which is not drawn."""
    reference = [
        Run(
            series="Majority",
            x=EPSILONS[-1],
            seed=seed,
            task="svm",
            params={"dataset": dataset, "method": "majority", "epsilon": EPSILONS[-1]},
            group=_REFERENCE,
        )
        for seed in range(scale.seeds)
    ]
    return over_budgets(scale, _METHODS, task="svm", dataset=dataset) + reference


_COUNT_PANELS = tuple(
    Panel(title=f"({letter}) {query}", measure=query, y=DISTANCE) for letter, query in zip("ab", _QUERIES, strict=True)
)


def _class_panels(base: str) -> tuple[Panel, ...]:
    """One for each of the four tasks."""
    named = zip("abcd", PAPER_TARGETS[base], strict=True)
    return tuple(Panel(title=f"({letter}) Y = {task}", measure=task, y=ERROR) for letter, task in named)


def _count_claims(table: str) -> tuple[Claim, ...]:
    """What the paper says of Figures 5 and 6."""
    return (
        Claim(
            sentence=f"On counts of {table}, the non-binary encodings are clearly superior to the binary ones when ε "
            "is small.",
            rule=Beats(ours=(VANILLA, HIERARCHICAL), others=(BINARY, GRAY), measures=_QUERIES, xs=_SMALL, clearly=True),
        ),
        Claim(
            sentence=f"On counts of {table}, the gap between binary and non-binary encodings shrinks as ε grows.",
            rule=Decided(
                text="Take the mean of the two binary encodings less that of the two others. Reproduced if in both "
                "panels it is nearer to 0 at the largest ε than at the smallest; contradicted if further from 0 in "
                "both; otherwise not reproduced.",
                by=_gap_shrinks,
            ),
        ),
        Claim(
            sentence=f"On counts of {table}, Hierarchical-R and Vanilla-R are almost identical.",
            rule=Near(first=HIERARCHICAL, second=VANILLA, measures=_QUERIES, factor=1.1),
        ),
    )


def _gap_shrinks(results: Results) -> Finding:
    gaps = {}
    for query in _QUERIES:
        gaps[query] = tuple(
            sum(results.mean(query, line, x) for line in (BINARY, GRAY)) / 2
            - sum(results.mean(query, line, x) for line in (VANILLA, HIERARCHICAL)) / 2
            for x in (EPSILONS[0], EPSILONS[-1])
        )
    why = "; ".join(f"{query}: {first:.4f} → {last:.4f}" for query, (first, last) in gaps.items()) + "."
    if all(abs(last) < abs(first) for first, last in gaps.values()):
        return Finding(verdict="reproduced", why=why)
    larger = all(abs(last) > abs(first) for first, last in gaps.values())
    return Finding(verdict="contradicted" if larger else "not reproduced", why=why)


def _class_claims(table: str, base: str) -> tuple[Claim, ...]:
    """What the paper says of both Figures 7 and 8."""
    measures = PAPER_TARGETS[base]
    return (
        Claim(
            sentence=f"On the classifiers of {table}, Hierarchical-R has the best overall performance.",
            rule=Decided(
                text="Average each line over all panels and points. Reproduced if Hierarchical-R's average is the "
                "lowest; contradicted if another's is lower by more than 2 standard errors; otherwise not reproduced.",
                by=lambda results: _best_overall(results, measures),
            ),
        ),
        Claim(
            sentence=f"On {table}, the performance of Hierarchical-R is stable over the tasks.",
            rule=Decided(
                text="Average each line over the points of a panel. Reproduced if in every panel Hierarchical-R's "
                "average is at most 1.1 times the lowest; contradicted if in over half it is not; otherwise not "
                "reproduced.",
                by=lambda results: _stable(results, measures),
            ),
        ),
    )


def _average(results: Results, line: str, measures: tuple[str, ...]) -> tuple[float, float]:
    """A line's mean over panels and points, with its standard error."""
    points = [(m, x) for m in measures for x in results.xs(m, line)]
    if not points:
        raise NothingRunError(f"Nothing was run for {line}")
    mean = sum(results.mean(m, line, x) for m, x in points) / len(points)
    return mean, sqrt(sum(results.standard_error(m, line, x) ** 2 for m, x in points)) / len(points)


def _best_overall(results: Results, measures: tuple[str, ...]) -> Finding:
    found = {line: _average(results, line, measures) for line in _METHODS}
    why = "; ".join(f"{line} {mean:.4f} ± {error:.4f}" for line, (mean, error) in found.items()) + "."
    ours, error = found.pop(HIERARCHICAL)
    if ours < min(mean for mean, _ in found.values()):
        return Finding(verdict="reproduced", why=why)
    beaten = any(ours - mean > 2 * sqrt(error**2 + other**2) for mean, other in found.values())
    return Finding(verdict="contradicted" if beaten else "not reproduced", why=why)


def _stable(results: Results, measures: tuple[str, ...]) -> Finding:
    ratios = {}
    for measure in measures:
        means = {line: _average(results, line, (measure,))[0] for line in _METHODS}
        ratios[measure] = times(means[HIERARCHICAL], min(means.values()))
    why = "Of the lowest: " + "; ".join(f"{m} × {ratio:.2f}" for m, ratio in ratios.items()) + "."
    far = sum(ratio > 1.1 for ratio in ratios.values())
    if not far:
        return Finding(verdict="reproduced", why=why)
    return Finding(verdict="contradicted" if far > len(ratios) / 2 else "not reproduced", why=why)


def _adult_claims() -> tuple[Claim, ...]:
    """What the paper says of two tasks in Figure 7."""
    return (
        Claim(
            sentence="Where a binary attribute is predicted (gender, Figure 7(a)), flexible encoding brings no "
            "advantage: the encodings that keep the meaning of attributes are preferable.",
            rule=Beats(ours=(VANILLA, HIERARCHICAL), others=(BINARY, GRAY), measures=("gender",)),
        ),
        Claim(
            sentence="Where an attribute of a large domain is predicted (education, Figure 7(c)), Vanilla-R keeps no "
            "correlation until ε > 0.8.",
            rule=Decided(
                text="Compare Vanilla-R's mean with the error of always answering the commoner value. Reproduced if it "
                "is at least 90 % of that at every ε up to 0.8 and less at 1.6; contradicted if it is less than 90 % "
                "somewhere up to 0.4; otherwise not reproduced.",
                by=_vanilla_fails,
            ),
        ),
    )


def _vanilla_fails(results: Results) -> Finding:
    base = results.mean("education", "Majority", EPSILONS[-1], _REFERENCE)
    means = {x: results.mean("education", VANILLA, x) for x in EPSILONS}
    why = f"Always the commoner: {base:.4f}. Vanilla-R: " + ", ".join(f"{m:.4f} at {x:g}" for x, m in means.items())
    learnt = {x: mean < 0.9 * base for x, mean in means.items()}
    if [x for x, does in learnt.items() if does] == [1.6]:
        return Finding(verdict="reproduced", why=why + ".")
    early = any(does for x, does in learnt.items() if x <= 0.4)
    return Finding(verdict="contradicted" if early else "not reproduced", why=why + ".")


def _counts(number: int, table: str, quick_seeds: int) -> Experiment:
    dataset = BENCHMARKS[table]
    return Experiment(
        name=f"privbayes-fig{number}",
        paper="PrivBayes",
        where=f"Figure {number}",
        title=f"Comparison among encodings: α-way marginals on {table}",
        x=EPSILON,
        datasets=(dataset,),
        runs=lambda scale: _count_runs(scale, dataset),
        panels=_COUNT_PANELS,
        claims=_count_claims(table),
        quick_seeds=quick_seeds,
    )


def _classes(number: int, table: str, quick_seeds: int, more: tuple[Claim, ...] = ()) -> Experiment:
    dataset, base = BENCHMARKS[table], table.lower()
    return Experiment(
        name=f"privbayes-fig{number}",
        paper="PrivBayes",
        where=f"Figure {number}",
        title=f"Comparison among encodings: multiple SVM classifiers on {table}",
        x=EPSILON,
        datasets=(dataset,),
        runs=lambda scale: _class_runs(scale, dataset),
        panels=_class_panels(base),
        claims=(*_class_claims(table, base), *more),
        quick_seeds=quick_seeds,
    )


EXPERIMENTS = (
    _counts(5, "Adult", 8),
    _counts(6, "BR2000", 8),
    _classes(7, "Adult", 5, _adult_claims()),
    _classes(8, "BR2000", 5),
)
