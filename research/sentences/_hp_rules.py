"""Rules of the HPPrivBayes paper's own: spreads over runs, shortfalls, the ratio of budgets."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from statistics import fmean, median, stdev

from research._experiment import NothingRunError, Results
from research.rules import (
    FEWEST,
    LEVEL,
    Contrast,
    Contrasts,
    Decided,
    Decision,
    clear,
    difference,
    jackknife,
    of_values,
)

PRINTED, PRIVBAYES = "HPPrivBayes as printed", "PrivBayes, plain"
ORIGINAL = "original data"
OWN = "own accuracy"
INFORMATION = "information"
NETWORKS = ("ε = 1", "without noise")
DEGREES = (2.0, 3.0, 4.0)
"""Above 1."""
BUDGETS = (0.2, 0.4, 0.6, 0.8, 1.0)
_HIGH = BUDGETS[-1]
_RATIOS = tuple(f"r = {r}" for r in ("1/6", "1/5", "1/4", "1/3", "1/2"))


def unstable(results: Results) -> list[Contrast | None]:
    """PrivBayes' spread over runs less HPPrivBayes', at every degree above 1."""
    found: list[Contrast | None] = []
    for group in NETWORKS:
        for k in DEGREES:
            first, second = (results.by_seed(INFORMATION, line, k, group) for line in (PRIVBAYES, PRINTED))
            seeds = sorted(set(first) & set(second))

            def wider(
                seeds: Sequence[int], first: dict[int, float] = first, second: dict[int, float] = second
            ) -> float:
                return stdev(first[s] for s in seeds) - stdev(second[s] for s in seeds)

            if len(seeds) < 3:
                found.append(None)
                continue
            spreads = [stdev(line[s] for s in seeds) for line in (first, second)]
            words = f"{group}, k = {k:g}: PrivBayes {spreads[0]:.3g}, HPPrivBayes {spreads[1]:.3g}"
            found.append(of_values(jackknife(wider, seeds), words=words, scale=max(spreads)))
    return found


def short_of_original(lines: tuple[str, ...], measure: str, least: float) -> Contrasts:
    """How far lines fall short of the original data, less a margin."""

    def contrasts(results: Results) -> list[Contrast | None]:
        found = []
        for line in lines:
            for x in results.xs(measure, line):
                real, made = (results.by_seed(measure, name, x) for name in (ORIGINAL, line))
                if not (real and made):
                    raise NothingRunError(f"Nothing was run for {line} or the original data at {x:g}")
                words = f"at {x:g}: {line} {fmean(made.values()):.4g}, original {fmean(real.values()):.4g}"
                found.append(difference(real, {seed: value + least for seed, value in made.items()}, words=words))
        return found

    return Contrasts(
        what=f"Take the accuracy of the original data less that of each line at every ε, less {least:g}: above 0 "
        "is won.",
        by=contrasts,
        clearly=True,
    )


def fluctuates(measure: str, group: str) -> Contrasts:
    """Whether the range of a line of means is the wider the smaller r."""

    def contrasts(results: Results) -> list[Contrast | None]:
        values = {(r, x): results.by_seed(measure, r, x, group) for r in _RATIOS for x in BUDGETS}
        seeds = sorted(set.intersection(*(set(line) for line in values.values())))
        if not seeds:
            raise NothingRunError("Not every r was run at every ε")

        def width(r: str, seeds: Sequence[int]) -> float:
            means = [fmean(values[r, x][seed] for seed in seeds) for x in BUDGETS]
            return max(means) - min(means)

        def ends(seeds: Sequence[int]) -> float:
            return width(_RATIOS[0], seeds) - width(_RATIOS[-1], seeds)

        def slope(seeds: Sequence[int]) -> float:
            return sum((2 - i) * width(r, seeds) for i, r in enumerate(_RATIOS)) / 10

        widths = [width(r, seeds) for r in _RATIOS]
        words = ", ".join(f"{r} {one:.3f}" for r, one in zip(_RATIOS, widths, strict=True))
        return [
            of_values(jackknife(ends, seeds), words=f"range of {_RATIOS[0]} less that of {_RATIOS[-1]} ({words})"),
            of_values(jackknife(slope, seeds), words=f"fall of the range from r to r ({words})"),
        ]

    return Contrasts(
        what="Take the range of each line of means over the budgets, and of these ranges that of r = 1/6 less that of "
        "r = 1/2, and the slope over all five: above 0 is won (the standard error is the jackknife's).",
        by=contrasts,
    )


def matters(measure: str, group: str) -> Decided:
    """Whether any two values of r are clearly apart at any budget."""

    def decide(results: Results) -> Decision:
        pairs = []
        for x in BUDGETS:
            lines = {r: results.by_seed(measure, r, x, group) for r in _RATIOS}
            for first, second in combinations(_RATIOS, 2):
                means = [fmean(lines[r].values()) if lines[r] else 0.0 for r in (first, second)]
                words = f"ε = {x:g}: {first} {means[0]:.3f}, {second} {means[1]:.3f}"
                pairs.append(difference(lines[first], lines[second], words=words))
        kept = [pair for pair in pairs if pair is not None]
        if not kept:
            return Decision(verdict="undecided", why=f"No point has {FEWEST} runs.", needed=FEWEST)
        apart = [pair for pair, sign in zip(kept, clear(kept), strict=True) if sign]
        level = LEVEL / len(kept)
        power = median(pair.reach(level) / (pair.scale or 1.0) for pair in kept)
        why = f"{len(apart)} of {len(kept)} pairs are clearly apart"
        runs = min(pair.runs for pair in kept)
        if apart:
            widest = max(apart, key=lambda pair: abs(pair.mean))
            return Decision(verdict="holds", why=f"{why}: {widest.words}.", runs=runs, power=power)
        needs = min(pair.runs_needed(level) for pair in kept)
        return Decision(
            verdict="undecided",
            why=f"{why}.",
            runs=runs,
            power=power,
            needed=int(needs) if needs < float("inf") else None,
        )

    return Decided(
        words="Compare every two values of r at every budget. Holds if two are clearly apart at one of them; otherwise "
        "undecided.",
        by=decide,
    )


def almost_no_noise(results: Results) -> Decision:
    a, b, least = (results.mean(name, _RATIOS[0], _HIGH, "noise") for name in ("A", "B", "B least"))
    why = f"Records a cell at ε = 1 and r = 1/6: group A {a:.0f}, group B {b:.0f} on average and {least:.0f} at least."
    return Decision(verdict="holds" if b <= a / 10 else "fails", why=why)
