"""Rules for what is said of α-way marginals: how leads and errors change with the budget and with α."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

from research._experiment import Finding, Results, Verdict
from research._rules import NOTHING, Decided, times

By: TypeAlias = Literal["difference", "ratio"]
OURS, UNIFORM = "PrivBayes", "Uniform"
DEGREE = "degree"
"""A group of runs without a panel."""
_ALPHA = 1.5  # times: more than this from one α to the next is not "not sensitive"
_LITTLE = 2.0  # times: what falls by less from the least budget to the greatest falls "slightly"
_SHARES = (
    "Reproduced if so in at least 90 % of the comparisons; contradicted if in less than half; otherwise not reproduced."
)


def _by_shares(held: Sequence[bool], words: Sequence[str], what: str) -> Finding:
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


def further_for_small_budgets(others: tuple[str, ...], measures: tuple[str, str], by: By) -> Decided:
    """PrivBayes leads by more at the least budget than at the greatest."""

    def decide(results: Results) -> Finding:
        held, words = [], []
        for measure in measures:
            for other in others:
                if not (xs := results.xs(measure, other)):
                    continue
                least, most = (_lead(results, measure, other, x, by) for x in (xs[0], xs[-1]))
                held.append(least > most)
                words.append(f"{measure}, {other}: {least:.3g} at {xs[0]:g} and {most:.3g} at {xs[-1]:g}")
        return _by_shares(held, words, "larger at the least ε than at the greatest")

    what = "minus" if by == "difference" else "divided by"
    text = (
        f"Take the mean error of each baseline but Uniform (which does not depend on ε) {what} that of 'PrivBayes', in "
        f"every panel: is it larger at the least ε than at the greatest? {_SHARES}"
    )
    return Decided(text=text, by=decide)


def further_for_more_ways(others: tuple[str, ...], measures: tuple[str, str], by: By) -> Decided:
    """PrivBayes leads by more for larger α."""

    def decide(results: Results) -> Finding:
        held, words = [], []
        for other in others:
            for x in results.xs(measures[0], other):
                fewer, more = (_lead(results, measure, other, x, by) for measure in measures)
                held.append(more > fewer)
                words.append(f"{other} at {x:g}: {more:.3g} for {measures[1]} and {fewer:.3g} for {measures[0]}")
        return _by_shares(held, words, f"larger for {measures[1]} than for {measures[0]}")

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
        return _by_shares([h for h, _ in held], [f"{m}: {w}" for m, (_, w) in zip(shown, held, strict=True)], what)

    return Decided(text=f"{text} {_SHARES}", by=decide)


def loses_more(others: tuple[str, ...], measures: tuple[str, str], by: By) -> Decided:
    """Others lose more than PrivBayes does when the budget falls."""

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
        return _by_shares(held, words, "rises more than PrivBayes")

    what = "by more" if by == "difference" else "by a larger factor"
    text = (
        f"Does the mean error of 'Laplace' and of 'Fourier' rise {what} than that of 'PrivBayes' from the greatest ε "
        f"to the least, in every panel? {_SHARES}"
    )
    return Decided(text=text, by=decide)


def grow_with_ways(lines: tuple[str, ...], measures: tuple[str, str]) -> Decided:
    """Errors of these lines grow with α."""

    def decide(results: Results) -> Finding:
        held, words = [], []
        for line in lines:
            for x in results.xs(measures[0], line):
                fewer, more = (results.mean(measure, line, x) for measure in measures)
                held.append(more > fewer)
                words.append(f"{line} at {x:g}: {more:.3f} for {measures[1]} and {fewer:.3f} for {measures[0]}")
        return _by_shares(held, words, f"larger for {measures[1]} than for {measures[0]}")

    text = (
        f"Is the mean error of 'Laplace' and of 'Fourier' larger for {measures[1]} than for {measures[0]}, at every ε? "
        f"{_SHARES}"
    )
    return Decided(text=text, by=decide)


def insensitive_to_ways(measures: tuple[str, str]) -> Decided:
    """PrivBayes' error is about the same for both α."""

    def decide(results: Results) -> Finding:
        held, words = [], []
        for x in results.xs(measures[0], OURS):
            ratio = times(results.mean(measures[1], OURS, x), results.mean(measures[0], OURS, x))
            held.append(ratio <= _ALPHA)
            words.append(f"at {x:g}: {ratio:.2f} times")
        return _by_shares(held, words, f"at most {_ALPHA:g} times the error for {measures[0]}")

    text = (
        f"Is the mean error of 'PrivBayes' for {measures[1]} at most {_ALPHA:g} times that for {measures[0]}, at every "
        f"ε? {_SHARES}"
    )
    return Decided(text=text, by=decide)


def inaccurate(line: str, measures: tuple[str, str]) -> Decided:
    """A line has at least half of Uniform's error at the least budget."""

    def well(results: Results, measure: str) -> tuple[bool, str]:
        x = results.xs(measure, line)[0]
        theirs, flat = results.mean(measure, line, x), results.mean(measure, UNIFORM, x)
        return theirs > 0 and theirs >= flat / 2, f"{theirs:.3f} against {flat:.3f} of Uniform"

    text = f"Is the mean error of '{line}' at the least ε at least half that of 'Uniform', in every panel?"
    return _each_panel(line, measures, "at least half", well, text)


def falls_slightly(line: str, measures: tuple[str, str]) -> Decided:
    """A line falls along the axis, but not by much."""

    def well(results: Results, measure: str) -> tuple[bool, str]:
        low, high = _ends(results, measure, line)
        return high < low < _LITTLE * high, f"from {low:.3f} to {high:.3f}"

    text = (
        f"Does the mean error of '{line}' fall from the least ε to the greatest, but by a factor below {_LITTLE:g}, in "
        "every panel?"
    )
    return _each_panel(line, measures, "falls by less than half", well, text)


def no_better_than_uniform(line: str, measures: tuple[str, str]) -> Decided:
    """A line is not clearly below Uniform at small budgets."""

    def decide(results: Results) -> Finding:
        held, words = [], []
        for measure in measures:
            for x in results.xs(measure, line):
                if x < 0.2:
                    mine, flat = results.mean(measure, line, x), results.mean(measure, UNIFORM, x)
                    held.append(mine >= 0.9 * flat)
                    words.append(f"{measure} at {x:g}: {mine:.3f}, Uniform {flat:.3f}")
        return _by_shares(held, words, "not below 0.9 times Uniform's error")

    text = f"Is the mean error of '{line}' at every ε below 0.2 at least 0.9 times that of 'Uniform'? {_SHARES}"
    return Decided(text=text, by=decide)


def low_degree() -> Decided:
    """PrivBayes' network has no edges at the least budget."""

    def decide(results: Results) -> Finding:
        xs = results.xs("degree", OURS, DEGREE)
        if not xs:
            return NOTHING
        degrees = [results.mean("degree", OURS, x, DEGREE) for x in xs]
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
