"""Rules for what is said of α-way marginals against baselines: leads and errors as the budget and α change."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from research._experiment import NothingRunError, Results
from research.figures import EPSILONS
from research.figures.privbayes_alpha_way import (
    CONTINGENCY,
    CONTINGENCY_WHOLE,
    DEGREE,
    FOURIER,
    LAPLACE,
    MWEM_PRINTED,
    MWEM_TABLES,
    OURS,
    PRINTED,
    UNIFORM,
)
from research.rules import Beats, Contrast, Contrasts, Decided, Decision
from research.sentences._derived import Point, average, derived, in_logarithms

WAYS = {"NLTCS": ("Q3", "Q4"), "ACS": ("Q3", "Q4"), "Adult": ("Q2", "Q3"), "BR2000": ("Q2", "Q3")}
JOINT = ("NLTCS", "ACS")
REPLAYED = ("NLTCS",)
"""Where the quick form has MWEM with whole tables, replayed: on ACS it is dear."""
_FIRST, _LAST = EPSILONS[0], EPSILONS[-1]
_PLAIN = (LAPLACE, FOURIER)
_SLIGHTLY = 2.0  # times: what falls by less from the least budget to the greatest falls slightly
_INACCURATE = 0.5  # of Uniform's error, at least
_SURPASSED = 0.9  # times Uniform's error: less surpasses it
_INSENSITIVE = 1.5  # times, from one α to the next: less is not sensitive to it


def baselines(table: str, *, best: bool = False) -> tuple[str, ...]:
    """What the paper compares with on this table; `best` for the strongest forms that we know of."""
    if table not in JOINT:
        return (*_PLAIN, UNIFORM)
    mwem = MWEM_TABLES if best and table in REPLAYED else MWEM_PRINTED
    joint = (CONTINGENCY if best else CONTINGENCY_WHOLE, mwem)
    return (*_PLAIN, *joint, UNIFORM)


def _at(series: str, measure: str, x: float) -> Point:
    return Point(series=series, measure=measure, x=x, exact=series == UNIFORM)


def is_uniform(results: Results, line: str, measure: str, x: float) -> bool:
    """Whether a line is Uniform there by construction, in every run: as MWEM's average of a single round is.

    >>> lines = {("", line, "Q3", 0.05): [0.5] for line in (MWEM_PRINTED, UNIFORM)}
    >>> is_uniform(Results(lines), MWEM_PRINTED, "Q3", 0.05)
    True
    """
    values = [set(results.values(measure, one, x)) for one in (line, UNIFORM)]
    return line != UNIFORM and bool(values[0]) and values[0] == values[1]


def outperforms(table: str, ours: str = PRINTED, *, best: bool = False) -> Beats:
    """PrivBayes lies below every baseline at every point."""
    others = baselines(table, best=best)
    return Beats(ours=(ours,), others=others, measures=WAYS[table], clearly=True, exact=(UNIFORM,))


def outperforms_as_written(table: str) -> Beats:
    """PrivBayes lies below Contingency whose marginals are clipped, not its table."""
    return Beats(ours=(PRINTED,), others=(CONTINGENCY,), measures=WAYS[table], clearly=True)


def further_for_small_budgets(table: str, ours: str = PRINTED) -> Contrasts:
    """PrivBayes leads by more at the least budget than at the greatest."""

    def by(results: Results) -> list[Contrast | None]:
        found = []
        for measure in WAYS[table]:
            for other in baselines(table)[:-1]:
                points = [_at(line, measure, x) for x in (_FIRST, _LAST) for line in (other, ours)]
                least, most = (points[i].mean(results) - points[i + 1].mean(results) for i in (0, 2))
                words = f"{measure}, {other}: a lead of {least:.3g} at {_FIRST:g}, of {most:.3g} at {_LAST:g}"
                found.append(derived(results, points, lambda v: v[0] - v[1] - (v[2] - v[3]), words=words))
        return found

    return Contrasts(
        what=f"Take the error of each baseline but Uniform (which does not depend on ε) less that of '{ours}', at the "
        "least ε less the same at the greatest, for each α. Won where above 0.",
        by=by,
    )


def further_for_more_ways(table: str, ours: str = PRINTED) -> Contrasts:
    """PrivBayes leads by more for the larger α."""
    fewer, more = WAYS[table]

    def by(results: Results) -> list[Contrast | None]:
        found = []
        for other in baselines(table):
            for x in results.xs(fewer, other):
                if is_uniform(results, other, fewer, x):
                    continue
                points = [_at(line, measure, x) for measure in (more, fewer) for line in (other, ours)]
                large, small = (points[i].mean(results) - points[i + 1].mean(results) for i in (0, 2))
                words = f"{other} at {x:g}: a lead of {large:.3g} for {more}, of {small:.3g} for {fewer}"
                found.append(derived(results, points, lambda v: v[0] - v[1] - (v[2] - v[3]), words=words))
        return found

    return Contrasts(
        what=f"Take the error of each baseline less that of '{ours}', for {more} less the same for {fewer}, at each ε. "
        "Won where above 0. MWEM is left out where it is Uniform by construction.",
        by=by,
    )


def loses_more(table: str, ours: str = PRINTED) -> Contrasts:
    """Laplace and Fourier lose more than PrivBayes when the budget falls from the greatest to the least."""

    def by(results: Results) -> list[Contrast | None]:
        found = []
        for measure in WAYS[table]:
            for other in _PLAIN:
                points = [_at(line, measure, x) for line in (other, ours) for x in (_FIRST, _LAST)]
                theirs, mine = (points[i].mean(results) - points[i + 1].mean(results) for i in (0, 2))
                words = f"{measure}: {other} loses {theirs:.3g}, PrivBayes {mine:.3g}"
                found.append(derived(results, points, lambda v: v[0] - v[1] - (v[2] - v[3]), words=words))
        return found

    return Contrasts(
        what=f"Take by how much the error of '{LAPLACE}' and of '{FOURIER}' rises from the greatest ε to the least, "
        f"less the same of '{ours}', for each α. Won where above 0.",
        by=by,
    )


def low_degree(most: int) -> Decided:
    """The degree at the least budget is at most this, and lower than at the greatest."""

    def by(results: Results) -> Decision:
        xs = results.xs("degree", OURS, DEGREE)
        degrees = [results.mean("degree", OURS, x, DEGREE) for x in (_FIRST, *xs[1:])]
        why = "Degree " + ", ".join(f"{degree:g} at {x:g}" for x, degree in zip(xs, degrees, strict=True)) + "."
        return Decision(verdict="holds" if degrees[0] <= most and degrees[0] < degrees[-1] else "fails", why=why)

    return Decided(
        words=f"The degree follows from Lemma 4.8 without any chance. Holds if at the least ε it is at most {most} and "
        "lower than at the greatest; else fails.",
        by=by,
    )


def inaccurate_and_slow(table: str, line: str = CONTINGENCY_WHOLE) -> Contrasts:
    """Contingency has at least half of Uniform's error at the least budget, and falls by less than half from there."""

    def by(results: Results) -> list[Contrast | None]:
        found = []
        for measure in WAYS[table]:
            points = [_at(line, measure, _FIRST), _at(line, measure, _LAST), _at(UNIFORM, measure, _FIRST)]
            first, last, flat = (point.mean(results) for point in points)
            words = f"{measure}: {first:.3g} → {last:.3g}, Uniform {flat:.3g}"
            found += [
                derived(results, points, lambda v: v[0] - _INACCURATE * v[2], words=words),
                derived(results, points, lambda v: v[0] - v[1], words=words),
                derived(results, points, lambda v: _SLIGHTLY * v[1] - v[0], words=words),
            ]
        return found

    return Contrasts(
        what=f"Of '{line}' take, for each α, the error at the least ε less half of Uniform's; the fall of the error to "
        f"the greatest ε; and {_SLIGHTLY:g} times the error there less that at the least. Won where above 0.",
        by=by,
    )


def suffers(table: str, line: str = MWEM_PRINTED) -> Contrasts:
    """MWEM's error falls as the budget grows, and below 0.2 it is hardly below Uniform's."""

    def by(results: Results) -> list[Contrast | None]:
        found = []
        for measure in WAYS[table]:
            xs = [x for x in results.xs(measure, line) if not is_uniform(results, line, measure, x)]
            ends = [_at(line, measure, x) for x in (*xs[:1], _LAST)]
            words = f"{measure}: " + " → ".join(f"{end.mean(results):.3g}" for end in ends)
            found.append(derived(results, ends, lambda v: v[0] - v[-1], words=words))
            for x in (epsilon for epsilon in xs if epsilon < 0.2):
                points = [_at(line, measure, x), _at(UNIFORM, measure, x)]
                mine, flat = (point.mean(results) for point in points)
                words = f"{measure} at {x:g}: {mine:.3g}, Uniform {flat:.3g}"
                found.append(derived(results, points, lambda v: v[0] - _SURPASSED * v[1], words=words))
        return found

    return Contrasts(
        what=f"Of '{line}' take, for each α, the fall of the error from the least ε to the greatest; and at each ε "
        f"below 0.2 its error less {_SURPASSED:g} times Uniform's. Won where above 0. Points at which it is Uniform by "
        "construction, as with a single round, are left out.",
        by=by,
    )


def grow_with_ways(table: str) -> Contrasts:
    """The errors of Laplace and Fourier are larger for the larger α."""
    fewer, more = WAYS[table]

    def by(results: Results) -> list[Contrast | None]:
        found = []
        for line in _PLAIN:
            for x in results.xs(fewer, line):
                points = [_at(line, measure, x) for measure in (more, fewer)]
                large, small = (point.mean(results) for point in points)
                words = f"{line} at {x:g}: {large:.3g} for {more}, {small:.3g} for {fewer}"
                found.append(derived(results, points, lambda v: v[0] - v[1], words=words))
        return found

    return Contrasts(
        what=f"Take the error of '{LAPLACE}' and of '{FOURIER}' for {more} less that for {fewer}, at each ε. Won where "
        "above 0.",
        by=by,
    )


def insensitive_to_ways(table: str, ours: str = PRINTED) -> Contrasts:
    """PrivBayes' error for the larger α is at most 1.5 times that for the smaller, over the axis."""
    fewer, more = WAYS[table]

    def by(results: Results) -> list[Contrast | None]:
        if not (xs := results.xs(fewer, ours)):
            raise NothingRunError(f"Nothing was run for {ours}")
        points = [_at(ours, measure, x) for measure in (more, fewer) for x in xs]

        def factor(values: Sequence[float]) -> float:
            logs = in_logarithms(values)
            return average(logs[: len(xs)]) - average(logs[len(xs) :])

        ratios = [points[i].mean(results) / max(points[i + len(xs)].mean(results), 1e-6) for i in range(len(xs))]
        words = f"{min(ratios):.2f} to {max(ratios):.2f} times"
        return [derived(results, points, lambda v: log(_INSENSITIVE) - factor(v), words=words, scale=1.0)]

    return Contrasts(
        what=f"Divide the error of '{ours}' for {more} by that for {fewer}; take the geometric mean of this factor "
        f"over ε. Won where it is below {_INSENSITIVE:g}.",
        by=by,
    )
