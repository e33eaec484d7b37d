"""What Figures 12 to 15 of the PrivBayes paper share: α-way marginals against baselines, and what is said of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

from research._experiment import Claim, Finding, Panel, Results, Run, Scale, Verdict
from research._rules import NOTHING, Beats, Decided, Near, Trend, times
from research.figures._budgets import DISTANCE, EPSILONS, over_budgets

OURS, PRINTED = "PrivBayes", "PrivBayes, as printed"
LAPLACE, FOURIER, UNIFORM = "Laplace", "Fourier", "Uniform"
CONTINGENCY, CONTINGENCY_WHOLE = "Contingency", "Contingency, clipped whole"
MWEM, MWEM_TABLES = "MWEM", "MWEM, whole tables"
FORMS = {OURS: "privbayes", PRINTED: "privbayes:postprocessing=printed"}
_DEGREE = "degree"  # a group of runs without a panel
_ALPHA = 1.5  # times: more than this from one α to the next is not "not sensitive"
_LITTLE = 2.0  # times: what falls by less from the least budget to the greatest falls "slightly"

REMARKS = (
    "A baseline made for one α is run once for each panel, with the whole budget; PrivBayes and Contingency serve both "
    "panels with one run. PrivBayes is measured on as many synthetic rows as the table has, a baseline on its answers, "
    "clipped at 0 and rescaled as the paper does.",
    "PrivBayes is drawn twice: with this package's post-processing (tables made consistent, small ones shrunk), and as "
    "printed (each table clipped and rescaled by itself).",
)
JOINT = (
    "Contingency is drawn twice. The text says that noisy marginals are clipped: then noise cancels when the table is "
    "summed. Clipped before summing, every empty cell keeps the positive half of its noise.",
    "MWEM is drawn twice: choosing single cells, as its authors print it, and choosing whole tables. A round costs "
    "0.05, as in the paper. Both replay their measurements and answer from the last round. With one pass a round and "
    "the average of all rounds, as printed, the error on NLTCS (Q3) was 0.425 at ε = 0.1 and 0.213 at 1.6, Uniform's "
    "0.438 (measured once apart from the experiment, 2 repetitions; no option makes this form): of it the paper's "
    "sentence on ε < 0.2 is true at 0.1 (docs/baselines.md).",
)
"""Of Contingency and MWEM, in the figures that have them."""

By: TypeAlias = Literal["difference", "ratio"]


def panels(first: int, second: int) -> tuple[Panel, ...]:
    """The paper's two panels."""
    return (
        Panel(title=f"(a) Q{first}", measure=f"Q{first}", y=DISTANCE),
        Panel(title=f"(b) Q{second}", measure=f"Q{second}", y=DISTANCE),
    )


def runs(
    scale: Scale,
    dataset: str,
    ways: Sequence[int],
    *,
    thin: Scale | None = None,
    epsilons: Sequence[float] = EPSILONS,
    joint: bool = False,
) -> list[Run]:
    """All lines of a figure. A method that is made for one α is run once for each, with the whole budget.

    `joint` adds what needs a cell for each possible row, and the degree of the networks; `thin` and `epsilons` are for
    what is dear.
    """
    few = thin or scale
    found = over_budgets(scale, FORMS, task="marginals", dataset=dataset, ways=list(ways))
    for way in ways:
        words = {LAPLACE: f"laplace:ways={way}", FOURIER: f"fourier:ways={way}"}
        found += over_budgets(few, words, task="marginals", dataset=dataset, ways=[way])
    if joint:
        words = {CONTINGENCY: "contingency", CONTINGENCY_WHOLE: "contingency:clip=table"}
        found += over_budgets(few, words, task="marginals", dataset=dataset, ways=list(ways), epsilons=epsilons)
        for way in ways:
            words = {MWEM: f"mwem:ways={way}:queries=cells", MWEM_TABLES: f"mwem:ways={way}:queries=tables"}
            found += over_budgets(few, words, task="marginals", dataset=dataset, ways=[way], epsilons=epsilons)
    once = Scale(seeds=1, quick=scale.quick)  # neither of these has any chance in it
    found += over_budgets(once, {UNIFORM: "uniform"}, task="marginals", dataset=dataset, ways=list(ways))
    if joint:
        found += over_budgets(once, {OURS: FORMS[OURS]}, task="network", dataset=dataset, group=_DEGREE)
    return found


def claims(table: str, measures: tuple[str, str], *, joint: bool = False) -> tuple[Claim, ...]:
    """What the paper says of such a figure; `joint` for those with Contingency and MWEM."""
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
        found += _joint_claims(table, measures)
    noisy = others[:-1]
    found.append(
        Claim(
            sentence=f"On {table}, the errors of Laplace and Fourier grow with α.",
            rule=_grow_with_ways(plain, measures),
        )
    )
    for by in ("difference", "ratio"):
        form = f"as a {by} of errors"
        sentence = f"On {table}, Laplace and Fourier are highly sensitive to ε, and PrivBayes is less so."
        found.append(Claim(sentence=sentence, rule=_loses_more(plain, measures, by), form=form))
        sentence = f"On {table}, PrivBayes is the further ahead of the baselines, the smaller ε is."
        found.append(Claim(sentence=sentence, rule=_further_for_small_budgets(noisy, measures, by), form=form))
        sentence = f"On {table}, PrivBayes is the further ahead of the baselines, the larger α is."
        found.append(Claim(sentence=sentence, rule=_further_for_more_ways(noisy, measures, by), form=form))
    return (
        *found,
        Claim(
            sentence=f"On {table}, the error of PrivBayes is not sensitive to α.",
            rule=_insensitive_to_ways(measures),
        ),
    )


def _joint_claims(table: str, measures: tuple[str, str]) -> list[Claim]:
    contingency = ((CONTINGENCY, "each marginal clipped, as the text says"), (CONTINGENCY_WHOLE, "whole table clipped"))
    mwem = ((MWEM, "single cells chosen, as published"), (MWEM_TABLES, "whole tables chosen"))
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
                rule=_inaccurate(line, measures),
                form=form,
            ),
            Claim(
                sentence=f"On {table}, Contingency improves only slightly as ε increases.",
                rule=_falls_slightly(line, measures),
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
                rule=_no_better_than_uniform(line, measures),
                form=form,
            ),
        ]
    sentence = f"On {table}, PrivBayes chooses a network of very low degree when ε is small, down to k = 0."
    return [*found, Claim(sentence=sentence, rule=_low_degree())]


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


# -- rules -----------------------------------------------------------------------------------------------------------
_SHARES = (
    "Reproduced if so in at least 90 % of the comparisons; contradicted if in less than half; otherwise not reproduced."
)


def _settle(held: Sequence[bool], words: Sequence[str], what: str) -> Finding:
    """The verdict of `_SHARES`, and which comparisons fell out otherwise."""
    if not held:
        return NOTHING
    verdict: Verdict = "not reproduced"
    if sum(held) >= 0.9 * len(held):
        verdict = "reproduced"
    elif sum(held) < 0.5 * len(held):
        verdict = "contradicted"
    failed = [word for word, well in zip(words, held, strict=True) if not well]
    why = f"{what} in {sum(held)} of {len(held)} comparisons"
    why += f"; not {'; '.join(failed[:3])}{'; …' if len(failed) > 3 else ''}" if failed else ""
    return Finding(verdict=verdict, why=why + ".")


def _lead(results: Results, measure: str, other: str, x: float, by: By) -> float:
    mine, theirs = results.mean(measure, OURS, x), results.mean(measure, other, x)
    return theirs - mine if by == "difference" else times(theirs, mine)


def _further_for_small_budgets(others: tuple[str, ...], measures: tuple[str, str], by: By) -> Decided:
    def decide(results: Results) -> Finding:
        held, words = [], []
        for measure in measures:
            for other in others:
                if not (xs := results.xs(measure, other)):
                    continue
                least, most = (_lead(results, measure, other, x, by) for x in (xs[0], xs[-1]))
                held.append(least > most)
                words.append(f"{measure}, {other}: {least:.3g} at {xs[0]:g} and {most:.3g} at {xs[-1]:g}")
        return _settle(held, words, "larger at the least ε than at the greatest")

    what = "minus" if by == "difference" else "divided by"
    text = (
        f"Take the mean error of each baseline but Uniform (which does not depend on ε) {what} that of 'PrivBayes', in "
        f"every panel: is it larger at the least ε than at the greatest? {_SHARES}"
    )
    return Decided(text=text, by=decide)


def _further_for_more_ways(others: tuple[str, ...], measures: tuple[str, str], by: By) -> Decided:
    def decide(results: Results) -> Finding:
        held, words = [], []
        for other in others:
            for x in results.xs(measures[0], other):
                fewer, more = (_lead(results, measure, other, x, by) for measure in measures)
                held.append(more > fewer)
                words.append(f"{other} at {x:g}: {more:.3g} for {measures[1]} and {fewer:.3g} for {measures[0]}")
        return _settle(held, words, f"larger for {measures[1]} than for {measures[0]}")

    what = "minus" if by == "difference" else "divided by"
    text = (
        f"Take the mean error of each baseline but Uniform {what} that of 'PrivBayes', at every ε: is it larger for "
        f"{measures[1]} than for {measures[0]}? {_SHARES}"
    )
    return Decided(text=text, by=decide)


def _ends(results: Results, measure: str, line: str) -> tuple[float, float]:
    """The mean error at the least budget and at the greatest."""
    xs = results.xs(measure, line)
    return results.mean(measure, line, xs[0]), results.mean(measure, line, xs[-1])


def _each_panel(
    line: str, measures: tuple[str, str], what: str, well: Callable[[Results, str], tuple[bool, str]], text: str
) -> Decided:
    def decide(results: Results) -> Finding:
        shown = [measure for measure in measures if results.xs(measure, line)]
        held = [well(results, measure) for measure in shown]
        return _settle([h for h, _ in held], [f"{m}: {w}" for m, (_, w) in zip(shown, held, strict=True)], what)

    return Decided(text=f"{text} {_SHARES}", by=decide)


def _loses_more(others: tuple[str, ...], measures: tuple[str, str], by: By) -> Decided:
    def rise(results: Results, measure: str, line: str) -> float:
        low, high = _ends(results, measure, line)
        return low - high if by == "difference" else times(low, high)

    def decide(results: Results) -> Finding:
        held, words = [], []
        for measure in measures:
            for other in others:
                if not results.xs(measure, other) or not results.xs(measure, OURS):
                    continue
                theirs, mine = rise(results, measure, other), rise(results, measure, OURS)
                held.append(theirs > mine)
                sign = "by" if by == "difference" else "×"
                words.append(f"{measure}: {other} {sign} {theirs:.3g}, PrivBayes {sign} {mine:.3g}")
        return _settle(held, words, "rises more than PrivBayes")

    what = "by more" if by == "difference" else "by a larger factor"
    text = (
        f"Does the mean error of 'Laplace' and of 'Fourier' rise {what} than that of 'PrivBayes' from the greatest ε "
        f"to the least, in every panel? {_SHARES}"
    )
    return Decided(text=text, by=decide)


def _grow_with_ways(lines: tuple[str, ...], measures: tuple[str, str]) -> Decided:
    def decide(results: Results) -> Finding:
        held, words = [], []
        for line in lines:
            for x in results.xs(measures[0], line):
                fewer, more = (results.mean(measure, line, x) for measure in measures)
                held.append(more > fewer)
                words.append(f"{line} at {x:g}: {more:.3f} for {measures[1]} and {fewer:.3f} for {measures[0]}")
        return _settle(held, words, f"larger for {measures[1]} than for {measures[0]}")

    text = (
        f"Is the mean error of 'Laplace' and of 'Fourier' larger for {measures[1]} than for {measures[0]}, at every ε? "
        f"{_SHARES}"
    )
    return Decided(text=text, by=decide)


def _insensitive_to_ways(measures: tuple[str, str]) -> Decided:
    def decide(results: Results) -> Finding:
        held, words = [], []
        for x in results.xs(measures[0], OURS):
            ratio = times(results.mean(measures[1], OURS, x), results.mean(measures[0], OURS, x))
            held.append(ratio <= _ALPHA)
            words.append(f"at {x:g}: {ratio:.2f} times")
        return _settle(held, words, f"at most {_ALPHA:g} times the error for {measures[0]}")

    text = (
        f"Is the mean error of 'PrivBayes' for {measures[1]} at most {_ALPHA:g} times that for {measures[0]}, at every "
        f"ε? {_SHARES}"
    )
    return Decided(text=text, by=decide)


def _inaccurate(line: str, measures: tuple[str, str]) -> Decided:
    def well(results: Results, measure: str) -> tuple[bool, str]:
        x = results.xs(measure, line)[0]
        theirs, flat = results.mean(measure, line, x), results.mean(measure, UNIFORM, x)
        return theirs > 0 and theirs >= flat / 2, f"{theirs:.3f} against {flat:.3f} of Uniform"

    text = f"Is the mean error of '{line}' at the least ε at least half that of 'Uniform', in every panel?"
    return _each_panel(line, measures, "at least half", well, text)


def _falls_slightly(line: str, measures: tuple[str, str]) -> Decided:
    def well(results: Results, measure: str) -> tuple[bool, str]:
        low, high = _ends(results, measure, line)
        return high < low < _LITTLE * high, f"from {low:.3f} to {high:.3f}"

    text = (
        f"Does the mean error of '{line}' fall from the least ε to the greatest, but by a factor below {_LITTLE:g}, in "
        "every panel?"
    )
    return _each_panel(line, measures, "falls by less than half", well, text)


def _no_better_than_uniform(line: str, measures: tuple[str, str]) -> Decided:
    def decide(results: Results) -> Finding:
        held, words = [], []
        for measure in measures:
            for x in results.xs(measure, line):
                if x < 0.2:
                    mine, flat = results.mean(measure, line, x), results.mean(measure, UNIFORM, x)
                    held.append(mine >= 0.9 * flat)
                    words.append(f"{measure} at {x:g}: {mine:.3f}, Uniform {flat:.3f}")
        return _settle(held, words, "not below 0.9 times Uniform's error")

    text = f"Is the mean error of '{line}' at every ε below 0.2 at least 0.9 times that of 'Uniform'? {_SHARES}"
    return Decided(text=text, by=decide)


def _low_degree() -> Decided:
    def decide(results: Results) -> Finding:
        xs = results.xs("degree", OURS, _DEGREE)
        if not xs:
            return NOTHING
        degrees = [results.mean("degree", OURS, x, _DEGREE) for x in xs]
        verdict: Verdict = "not reproduced"
        if degrees[0] == 0 < degrees[-1]:
            verdict = "reproduced"
        elif degrees[0] >= degrees[-1]:
            verdict = "contradicted"
        why = "Degree " + ", ".join(f"{degree:g} at {x:g}" for x, degree in zip(xs, degrees, strict=True)) + "."
        return Finding(verdict=verdict, why=why)

    text = (
        "Reproduced if the network's degree is 0 at the least ε and more at the greatest; contradicted if it is no "
        "lower at the least than at the greatest; otherwise not reproduced."
    )
    return Decided(text=text, by=decide)
