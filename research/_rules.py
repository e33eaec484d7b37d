"""Rules that decide claims. Each says in words what it does in code, with the numbers that it uses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt

from research._experiment import Finding, NothingRunError, Results, Verdict

_CLEAR = 2.0  # standard errors of a difference
NOTHING = Finding(verdict="not reproduced", why="There is nothing to compare.")
"""What is found where nothing was run."""


def times(value: float, other: float) -> float:
    """How many times the other a value is, both being 0 or more: once if both are 0, without end if the other is.

    >>> times(3, 2), times(0, 0), times(1, 0)
    (1.5, 1.0, inf)
    """
    return value / other if other else float("inf") if value else 1.0


@dataclass(frozen=True, kw_only=True)
class Beats:
    """One line lies below (or above) others: compared at every point of every panel named.

    >>> rule = Beats(ours=("a",), others=("b",), measures=("error",))
    >>> results = Results({("", "a", "error", 1.0): [0.1, 0.1], ("", "b", "error", 1.0): [0.3, 0.3]})
    >>> rule.decide(results).verdict
    'reproduced'
    """

    ours: tuple[str, ...]
    others: tuple[str, ...]
    measures: tuple[str, ...]
    groups: tuple[str, ...] = ("",)
    xs: tuple[float, ...] | None = None
    """Where on the axis; everywhere without."""
    higher: bool = False
    """Whether higher values are better."""
    won: float = 0.9
    """Share of the comparisons that must be won for the claim to be reproduced."""
    lost: float = 0.0
    """Share of them that may be clearly lost all the same: above 0 for claims of "most cases"."""
    clearly: bool = False
    """Whether only what is clear counts as won: for claims of "clearly" and "significantly"."""

    @property
    def text(self) -> str:
        """The rule in words."""
        side = "above" if self.higher else "below"
        if self.clearly:
            side += f" by more than {_CLEAR:g} standard errors"
        where = "" if self.xs is None else " at " + ", ".join(f"{x:g}" for x in self.xs)
        few = "none" if self.lost == 0 else f"at most {100 * self.lost:g} %"
        return (
            f"Compare the mean of {_listed(self.ours)} with that of {_listed(self.others)} at every point{where} of "
            f"every panel. Reproduced if it lies {side} in at least {100 * self.won:g} % of the comparisons and on the "
            f"wrong side by more than {_CLEAR:g} standard errors in {few}; contradicted if on the wrong side by more "
            "than that in over half of them; otherwise not reproduced."
        )

    def decide(self, results: Results) -> Finding:
        """The verdict that these results give."""
        compared = [
            _Compared(results, group, measure, ours, other, x, self.higher)
            for group in self.groups
            for measure in self.measures
            for ours in self.ours
            for other in self.others
            for x in results.xs(measure, ours, group)
            if (self.xs is None or x in self.xs) and results.values(measure, other, x, group)
        ]
        if not compared:
            return NOTHING
        won = sum(c.clearly_won if self.clearly else c.won for c in compared)
        lost = [c for c in compared if c.clearly_lost]
        how = "clearly won" if self.clearly else "won"
        why = f"{won} of {len(compared)} comparisons {how}, {len(lost)} clearly lost"
        if lost:
            worst = sorted(lost, key=lambda c: -c.ratio)[:3]
            why += ": " + "; ".join(c.words for c in worst) + ("; …" if len(lost) > 3 else "")
        verdict: Verdict = "not reproduced"
        if len(lost) > len(compared) / 2:
            verdict = "contradicted"
        elif len(lost) <= self.lost * len(compared) and won >= self.won * len(compared):
            verdict = "reproduced"
        return Finding(verdict=verdict, why=why + ".")


class _Compared:
    """One comparison of two means."""

    def __init__(
        self, results: Results, group: str, measure: str, ours: str, other: str, x: float, higher: bool
    ) -> None:
        mine, theirs = results.mean(measure, ours, x, group), results.mean(measure, other, x, group)
        gap = mine - theirs if higher else theirs - mine
        error = sqrt(
            results.standard_error(measure, ours, x, group) ** 2 + results.standard_error(measure, other, x, group) ** 2
        )
        self.won = gap > 0
        self.clearly_won = gap > _CLEAR * error
        self.clearly_lost = gap < 0 and -gap > _CLEAR * error
        low, high = sorted((abs(mine), abs(theirs)))
        self.ratio = times(high, low)
        what = "" if group.endswith(measure) else measure
        place = ", ".join(part for part in (group, what, f"at {x:g}") if part)
        self.words = f"{place}: {ours} {mine:.4f}, {other} {theirs:.4f}"


@dataclass(frozen=True, kw_only=True)
class Trend:
    """A line falls (or rises) along the axis: its last mean lies beyond its first, and few steps go back.

    >>> rule = Trend(series=("a",), measures=("error",))
    >>> rule.decide(Results({("", "a", "error", x): [1 / x] for x in (1.0, 2.0, 4.0)})).verdict
    'reproduced'
    """

    series: tuple[str, ...]
    measures: tuple[str, ...]
    groups: tuple[str, ...] = ("",)
    rises: bool = False
    clear: float = _CLEAR

    @property
    def text(self) -> str:
        """The rule in words."""
        word, back = ("rise", "fall") if self.rises else ("fall", "rise")
        return (
            f"Follow the means of {_listed(self.series)} along the axis in every panel. Reproduced if every line "
            f"{word}s from its first point to its last and no step {back}s by more than {self.clear:g} standard "
            f"errors; contradicted if over half of the lines {back} from first to last by more than that; "
            "otherwise not reproduced."
        )

    def decide(self, results: Results) -> Finding:
        """The verdict that these results give."""
        sign = 1.0 if self.rises else -1.0
        right, wrong, back = 0, 0, []
        lines = [(g, m, s) for g in self.groups for m in self.measures for s in self.series if results.xs(m, s, g)]
        for group, measure, series in lines:
            xs = results.xs(measure, series, group)
            means = [sign * results.mean(measure, series, x, group) for x in xs]
            errors = [results.standard_error(measure, series, x, group) for x in xs]
            reach = self.clear * sqrt(errors[0] ** 2 + errors[-1] ** 2)
            right += means[-1] > means[0]
            wrong += means[0] - means[-1] > reach
            steps = [
                f"{', '.join(p for p in (group, measure, series) if p)} at {xs[i + 1]:g}"
                for i in range(len(xs) - 1)
                if means[i] - means[i + 1] > self.clear * sqrt(errors[i] ** 2 + errors[i + 1] ** 2)
            ]
            back += steps
        if not lines:
            return NOTHING
        word = "rise" if self.rises else "fall"
        why = f"{right} of {len(lines)} lines {word} from end to end; {len(back)} steps clearly go the other way"
        why += (": " + "; ".join(back[:3]) + ("; …" if len(back) > 3 else "") if back else "") + "."
        verdict: Verdict = "not reproduced"
        if wrong > len(lines) / 2:
            verdict = "contradicted"
        elif right == len(lines) and not back:
            verdict = "reproduced"
        return Finding(verdict=verdict, why=why)


@dataclass(frozen=True, kw_only=True)
class Near:
    """Two lines agree within a factor, at every point named.

    >>> rule = Near(first="a", second="b", measures=("error",), factor=1.1)
    >>> rule.decide(Results({("", s, "error", 1.0): [v] for s, v in (("a", 1.0), ("b", 1.05))})).verdict
    'reproduced'
    """

    first: str
    second: str
    measures: tuple[str, ...]
    factor: float
    groups: tuple[str, ...] = ("",)
    xs: tuple[float, ...] | None = None
    share: float = 0.9

    @property
    def text(self) -> str:
        """The rule in words."""
        where = "" if self.xs is None else " at " + ", ".join(f"{x:g}" for x in self.xs)
        return (
            f"Compare the means of {_listed((self.first, self.second))} at every point{where} of every panel. "
            f"Reproduced if at {100 * self.share:g} % of the points or more they differ by a factor of at most "
            f"{self.factor:g} or by no more than {_CLEAR:g} standard errors; contradicted if at over half of them they "
            "do not; otherwise not reproduced."
        )

    def decide(self, results: Results) -> Finding:
        """The verdict that these results give."""
        near, far = 0, []
        for group in self.groups:
            for measure in self.measures:
                for x in results.xs(measure, self.first, group):
                    if (self.xs is not None and x not in self.xs) or not results.values(measure, self.second, x, group):
                        continue
                    c = _Compared(results, group, measure, self.first, self.second, x, False)
                    other = _Compared(results, group, measure, self.second, self.first, x, False)
                    if c.ratio <= self.factor or not (c.clearly_lost or other.clearly_lost):
                        near += 1
                    else:
                        far.append(c)
        total = near + len(far)
        if not total:
            return NOTHING
        why = f"near at {near} of {total} points"
        if far:
            why += ": not " + "; ".join(c.words for c in sorted(far, key=lambda c: -c.ratio)[:3])
            why += "; …" if len(far) > 3 else ""
        verdict: Verdict = "not reproduced"
        if near >= self.share * total:
            verdict = "reproduced"
        elif len(far) > total / 2:
            verdict = "contradicted"
        return Finding(verdict=verdict, why=why + ".")


@dataclass(frozen=True, kw_only=True)
class Decided:
    """A rule of a figure's own: words, and a function that says what they say, where all that it asks for was run.

    >>> rule = Decided(text="Reproduced always.", by=lambda results: Finding(verdict="reproduced", why="So it is."))
    >>> rule.decide(Results()).why
    'So it is.'
    """

    text: str
    by: Callable[[Results], Finding]

    def decide(self, results: Results) -> Finding:
        """The verdict that these results give."""
        try:
            return self.by(results)
        except NothingRunError as missing:
            return Finding(verdict="not reproduced", why=f"{missing}.")


def _listed(names: Sequence[str]) -> str:
    quoted = [f"'{name}'" for name in names]
    return quoted[0] if len(quoted) == 1 else ", ".join(quoted[:-1]) + " and " + quoted[-1]
