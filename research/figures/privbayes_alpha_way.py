"""PrivBayes, Figures 12 to 15: α-way marginals against baselines, and what is said of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from research._experiment import Claim, Experiment, Panel, Run, Scale
from research._rules import Beats, Near, Trend
from research.figures._alpha_way_rules import (
    DEGREE,
    OURS,
    UNIFORM,
    falls_slightly,
    further_for_more_ways,
    further_for_small_budgets,
    grow_with_ways,
    inaccurate,
    insensitive_to_ways,
    loses_more,
    low_degree,
    no_better_than_uniform,
)
from research.figures._budgets import BENCHMARKS, DISTANCE, EPSILON, EPSILONS, over_budgets

PRINTED = "PrivBayes, as printed"
LAPLACE, FOURIER = "Laplace", "Fourier"
CONTINGENCY, CONTINGENCY_WHOLE = "Contingency", "Contingency, clipped whole"
MWEM, MWEM_TABLES = "MWEM, as printed", "MWEM, whole tables"
_PRINTED_MWEM = "queries=cells:replay=no:result=average"
_PRINTED_WORD = "privbayes:postprocessing=printed"


_PUBLISHED = (PRINTED, LAPLACE, FOURIER, CONTINGENCY_WHOLE, MWEM, UNIFORM)
_STRONGER = (PRINTED, OURS, CONTINGENCY, MWEM_TABLES)


def panels(first: int, second: int, *, joint: bool = False) -> tuple[Panel, ...]:
    """The paper's two panels, and with `joint` two more of what is stronger than what the paper drew."""
    both = list(zip("ab", (f"Q{first}", f"Q{second}"), strict=True))
    if not joint:
        return tuple(Panel(title=f"({letter}) {q}", measure=q, y=DISTANCE, log_y=True) for letter, q in both)
    return tuple(
        Panel(title=f"({letter}) {q}, {words}", measure=q, y=DISTANCE, log_y=True, series=lines)
        for words, lines in (("as published", _PUBLISHED), ("stronger forms", _STRONGER))
        for letter, q in both
    )


def runs(
    scale: Scale,
    dataset: str,
    ways: Sequence[int],
    *,
    epsilons: Sequence[float] = EPSILONS,
    replayed: bool = True,
    joint: bool = False,
) -> list[Run]:
    """All lines of a figure. A method that is made for one α is run once for each, with the whole budget.

    `joint` adds what needs a cell for each possible row, at `epsilons`, and the degree of the networks; `replayed` is
    whether our MWEM, the dearest, is among it. As printed, each row is drawn by itself.
    """
    common: dict[str, Any] = {"task": "marginals", "dataset": dataset}
    every = list(ways)
    found = over_budgets(scale, {OURS: "privbayes"}, **common, ways=every)
    found += over_budgets(scale, {PRINTED: _PRINTED_WORD}, **common, ways=every, independent=True)
    for way in ways:
        words = {LAPLACE: f"laplace:ways={way}", FOURIER: f"fourier:ways={way}"}
        found += over_budgets(scale, words, **common, ways=[way])
    if joint:
        words = {CONTINGENCY: "contingency", CONTINGENCY_WHOLE: "contingency:clip=table"}
        found += over_budgets(scale, words, **common, ways=every, epsilons=epsilons)
        for way in ways:
            words = {MWEM: f"mwem:ways={way}:{_PRINTED_MWEM}"}
            words |= {MWEM_TABLES: f"mwem:ways={way}:queries=tables"} if replayed else {}
            found += over_budgets(scale, words, **common, ways=[way], epsilons=epsilons)
    once = Scale(seeds=1, quick=scale.quick)  # neither of these has any chance in it
    found += over_budgets(once, {UNIFORM: "uniform"}, **common, ways=every)
    if joint:
        found += over_budgets(once, {OURS: "privbayes"}, task="network", dataset=dataset, group=DEGREE)
    return sorted(found, key=lambda run: run.seed)


def claims(table: str, measures: tuple[str, str], *, joint: bool = False, replayed: bool = True) -> tuple[Claim, ...]:
    """What the paper says of such a figure; `joint` for those with Contingency and MWEM, `replayed` with ours."""
    plain = (LAPLACE, FOURIER)
    others = (*plain, *((CONTINGENCY, MWEM) if joint else ()), UNIFORM)
    ours = "this package's post-processing"
    found = [
        Claim(
            sentence=f"On {table}, PrivBayes clearly outperforms all {len(others)} baselines in all cases.",
            rule=Beats(ours=(line,), others=others, measures=measures, clearly=True),
            form=form,
        )
        for line, form in ((OURS, ours), (PRINTED, "post-processing as printed"))
    ]
    found += [
        Claim(
            sentence=f"On {table}, PrivBayes outperforms {other}.",
            rule=Beats(ours=(OURS,), others=(other,), measures=measures),
        )
        for other in (*plain, UNIFORM)
    ]
    if joint:
        found += _joint_claims(table, measures, replayed=replayed)
    noisy = others[:-1]
    found.append(
        Claim(
            sentence=f"On {table}, the errors of Laplace and Fourier grow with α.",
            rule=grow_with_ways(plain, measures),
        )
    )
    for by in ("difference", "ratio"):
        form = f"as a {by} of errors"
        sentence = f"On {table}, Laplace and Fourier are highly sensitive to ε, and PrivBayes is less so."
        found.append(Claim(sentence=sentence, rule=loses_more(plain, measures, by), form=form))
        sentence = f"On {table}, PrivBayes is the further ahead of the baselines, the smaller ε is."
        found.append(Claim(sentence=sentence, rule=further_for_small_budgets(noisy, measures, by), form=form))
        sentence = f"On {table}, PrivBayes is the further ahead of the baselines, the larger α is."
        found.append(Claim(sentence=sentence, rule=further_for_more_ways(noisy, measures, by), form=form))
    return (
        *found,
        Claim(
            sentence=f"On {table}, the error of PrivBayes is not sensitive to α.",
            rule=insensitive_to_ways(measures),
        ),
    )


def _joint_claims(table: str, measures: tuple[str, str], *, replayed: bool) -> list[Claim]:
    contingency = ((CONTINGENCY, "each marginal clipped, as the text says"), (CONTINGENCY_WHOLE, "whole table clipped"))
    mwem = ((MWEM, "as published"), (MWEM_TABLES, "whole tables chosen and replayed"))[: 1 + replayed]
    found = [
        Claim(
            sentence=f"On {table}, PrivBayes outperforms {other.partition(',')[0]}.",
            rule=Beats(ours=(OURS,), others=(other,), measures=measures),
            form=form,
        )
        for other, form in (*contingency, *mwem)
    ]
    for line, form in contingency:
        found += [
            Claim(
                sentence=f"On {table}, Contingency's marginals are inaccurate when ε is small.",
                rule=inaccurate(line, measures),
                form=form,
            ),
            Claim(
                sentence=f"On {table}, Contingency improves only slightly as ε increases.",
                rule=falls_slightly(line, measures),
                form=form,
            ),
        ]
    for line, form in mwem:
        found += [
            Claim(
                sentence=f"On {table}, MWEM suffers when ε is small.",
                rule=Trend(series=(line,), measures=measures),
                form=form,
            ),
            Claim(
                sentence=f"On {table}, MWEM does not significantly surpass Uniform for ε < 0.2.",
                rule=no_better_than_uniform(line, measures),
                form=form,
            ),
        ]
    sentence = f"On {table}, PrivBayes chooses a network of very low degree when ε is small, down to k = 0."
    return [*found, Claim(sentence=sentence, rule=low_degree())]


def same_as_uniform(table: str, measures: tuple[str, str]) -> list[Claim]:
    """What is said of Contingency on the table with the most possible rows."""
    return [
        Claim(
            sentence=f"On {table}, Contingency is almost identical to Uniform.",
            rule=Near(first=line, second=UNIFORM, measures=measures, factor=1.1),
            form=form,
        )
        for line, form in (
            (CONTINGENCY, "each marginal clipped, as the text says"),
            (CONTINGENCY_WHOLE, "whole table clipped"),
        )
    ]


_FEW_EPSILONS = (0.05, 0.1, 0.4, 1.6)


def _acs_runs(scale: Scale) -> list[Run]:
    """With 2²³ possible rows, the quick form has Contingency and MWEM at four budgets, and MWEM only as printed."""
    if not scale.quick:
        return runs(scale, "acs", (3, 4), joint=True)
    return runs(scale, "acs", (3, 4), epsilons=_FEW_EPSILONS, replayed=False, joint=True)


def _figure(
    number: int,
    table: str,
    ways: tuple[int, int],
    *,
    joint: bool = False,
    own_runs: Callable[[Scale], list[Run]] | None = None,
    more: Sequence[Claim] = (),
) -> Experiment:
    dataset = BENCHMARKS[table]
    return Experiment(
        name=f"privbayes-fig{number}",
        paper="PrivBayes",
        where=f"Figure {number}",
        title=f"Comparison to baselines: α-way marginals on {table}",
        x=EPSILON,
        datasets=(dataset,),
        runs=own_runs or (lambda scale: runs(scale, dataset, ways, joint=joint)),
        panels=panels(*ways, joint=joint),
        claims=(*claims(table, (f"Q{ways[0]}", f"Q{ways[1]}"), joint=joint, replayed=own_runs is None), *more),
        quick_seeds=5,
    )


EXPERIMENTS = (
    _figure(12, "NLTCS", (3, 4), joint=True),
    _figure(13, "ACS", (3, 4), joint=True, own_runs=_acs_runs, more=same_as_uniform("ACS", ("Q3", "Q4"))),
    _figure(14, "Adult", (2, 3)),
    _figure(15, "BR2000", (2, 3)),
)
