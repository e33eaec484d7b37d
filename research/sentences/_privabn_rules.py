"""Rules for the PrivABN paper's sentences: how near noise comes to no noise, and how errors depend on α."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations, pairwise, product

from research._experiment import Results
from research.figures.privabn_lines import L2
from research.rules import Compared, Contrast, Contrasts, Decision, Line, Strength, in_words, weigh
from research.sentences._each import each, mean

WAYS = (3, 7, 12)
MEASURES = tuple(f"L2 {way}-way" for way in WAYS)
_LEFT = 0.1  # of the gap at the smallest budget: "very close"
_AT = 0.05
_FEW = 2.0  # the factor within which errors "do not differ greatly"
_BAR = 0.01


def close(line: str, floor: str, group: str) -> Contrasts:
    """Whether a line is very close to its floor at ε = 0.05."""
    return Contrasts(
        what=f"Take the gap between '{line}' and '{floor}' in the L2 error of each α (3, 7 and 12), run by run: won "
        f"where "
        f"at most {100 * _LEFT:g} % of the gap at the smallest ε are left at ε = {_AT:g}.",
        by=partial(_left, line=line, floor=floor, group=group),
    )


def _left(results: Results, line: str, floor: str, group: str) -> list[Contrast | None]:
    found = []
    for measure in MEASURES:
        start = min(results.xs(measure, line, group), default=_AT)
        ends = [_gap(results, measure, line, floor, x, group) for x in (start, _AT)]
        here, there = (mean(results.by_seed(measure, name, _AT, group)) for name in (line, floor))
        share = mean(ends[1]) / mean(ends[0]) if mean(ends[0]) else 0.0
        words = f"{measure}: {here:.4f} beside {there:.4f}, {100 * share:.0f} % of the gap left"
        found.append(each(lambda first, last: _LEFT * first - last, *ends, words=words))
    return found


def _gap(results: Results, measure: str, line: str, floor: str, x: float, group: str) -> Mapping[int, float]:
    mine, least = (results.by_seed(measure, name, x, group) for name in (line, floor))
    return {seed: value - least[seed] for seed, value in mine.items() if seed in least}


@dataclass(frozen=True, kw_only=True)
class Approaches:
    """Whether the gap between a line and its floor shrinks along the axis, and at no step clearly widens."""

    line: str
    floor: str
    group: str

    @property
    def lines(self) -> Iterator[Line]:
        """What it asks for."""
        return product((self.group,), MEASURES, (self.line, self.floor))

    def text(self, strength: Strength) -> str:
        """The rule in words."""
        return (
            f"Take the gap between '{self.line}' and '{self.floor}' in the L2 error of each α, run by run: won where "
            f"it "
            f"is smaller at the largest ε than at the smallest. Steps are looked at too. "
            f"{in_words(strength, guards=True)}"
        )

    def decide(self, results: Results, strength: Strength) -> Decision:
        """What these results say."""
        found, left_out = [], 0
        for measure in MEASURES:
            xs = results.xs(measure, self.line, self.group)
            ends = [(xs[0], xs[-1])] if len(xs) > 1 else []
            for first, last in [*ends, *pairwise(xs)] if len(xs) > 2 else ends:
                gaps = [_gap(results, measure, self.line, self.floor, x, self.group) for x in (first, last)]
                words = f"{measure}: gap {mean(gaps[0]):.4f} → {mean(gaps[1]):.4f} from {first:g} to {last:g}"
                contrast = each(lambda before, after: before - after, *gaps, words=words)
                if contrast is None:
                    left_out += 1
                else:
                    found.append(Compared(contrasts=(contrast,), guard=(first, last) not in ends))
        return weigh(found, strength, left_out=left_out)


def floor(line: str, least: str, group: str) -> Contrasts:
    """Whether the line without noise errs, and nowhere more than the line with it."""

    def by(results: Results) -> list[Contrast | None]:
        found = []
        for measure in MEASURES:
            xs = results.xs(measure, line, group)
            for x in xs:
                low, high = (results.by_seed(measure, name, x, group) for name in (least, line))
                words = f"{measure} at {x:g}: {mean(low):.4f} without noise, {mean(high):.4f} with"
                found.append(each(lambda a, b: b - a, low, high, words=words))
            if xs:
                low = results.by_seed(measure, least, xs[-1], group)
                found.append(each(lambda a: a, low, words=f"{measure}: {mean(low):.4f} without noise"))
        return found

    return Contrasts(
        what=f"Won where '{least}' has an L2 error above 0, and where that of '{line}' is larger, at every ε and α.",
        by=by,
    )


def turning_points(line: str, group: str) -> Contrasts:
    """Whether errors of all α bend at the same ε, as far as runs can tell."""
    return Contrasts(
        what=f"For each α find the ε at which the L2 error of '{line}' bends: where its slope changes most, the "
        f"budgets set side by side. Two α are compared: won where it is the same ε, and the bend clearly sharper than "
        "the next one for both; lost where it is another one, and clearly so for both.",
        by=partial(_turns, line=line, group=group),
    )


def _turns(results: Results, line: str, group: str) -> list[Contrast | None]:
    bends = {way: _bends(results, f"L2 {way}-way", line, group) for way in WAYS}
    found: list[Contrast | None] = []
    for first, second in combinations(WAYS, 2):
        if len(bends[first]) < 2 or len(bends[second]) < 2:
            found.append(None)
            continue
        orders = [sorted(bends[way], key=lambda x, way=way: -mean(bends[way][x])) for way in (first, second)]  # type: ignore[misc]
        same = orders[0][0] == orders[1][0]
        sides = []
        for way, order, other in zip((first, second), orders, orders[::-1], strict=True):
            beside = order[1] if same else other[0]
            words = f"α = {first} bends most at {orders[0][0]:g}, α = {second} at {orders[1][0]:g}"
            sides.append(
                each(
                    (lambda a, b: a - b) if same else (lambda a, b: b - a),
                    bends[way][order[0]],
                    bends[way][beside],
                    words=words,
                )
            )
        known = [side for side in sides if side is not None]
        found.append(max(known, key=lambda side: side.chance) if len(known) == 2 else None)
    return found


def _bends(results: Results, measure: str, line: str, group: str) -> Mapping[float, Mapping[int, float]]:
    """By how much the slope of a line changes at each place between two others, whichever way it does on average."""
    xs = results.xs(measure, line, group)
    found = {}
    for before, here, after in zip(xs, xs[1:], xs[2:], strict=False):
        first, middle, last = (results.by_seed(measure, line, x, group) for x in (before, here, after))
        changes = {s: first[s] - 2 * value + last[s] for s, value in middle.items() if s in first and s in last}
        found[here] = changes if mean(changes) >= 0 else {seed: -change for seed, change in changes.items()}
    return found


def robust(line: str, group: str) -> Contrasts:
    """Whether errors of different α are within a factor of each other at every ε."""

    def by(results: Results) -> list[Contrast | None]:
        found = []
        for x in results.xs(MEASURES[0], line, group):
            lines = sorted((results.by_seed(measure, line, x, group) for measure in MEASURES), key=mean)
            words = f"at ε = {x:g} between {mean(lines[0]):.4f} and {mean(lines[-1]):.4f}"
            found.append(each(lambda low, high: _FEW * low - high, lines[0], lines[-1], words=words))
        return found

    return Contrasts(
        what=f"At every ε compare the α with the largest mean L2 error of '{line}' with the α with the smallest: won "
        f"where "
        f"the first is less than {_FEW:g} times the second.",
        by=by,
    )


def below_bar(line: str, group: str, at: float) -> Contrasts:
    """Whether the L2 error of 3-way queries is below the paper's bar at a budget."""

    def by(results: Results) -> list[Contrast | None]:
        values = results.by_seed(MEASURES[0], line, at, group)
        under = [x for x in results.xs(MEASURES[0], line, group) if results.mean(MEASURES[0], line, x, group) < _BAR]
        first = f"first at ε = {under[0]:g}" if under else "at no ε of the axis"
        words = f"{mean(values):.4f} at ε = {at:g}; below {_BAR:g} {first}"
        return [each(lambda value: _BAR - value, values, words=words)]

    return Contrasts(what=f"Won if the L2 error of 3-way queries of '{line}' at ε = {at:g} is below {_BAR:g}.", by=by)


def steadier(line: str, others: tuple[str, ...], group: str) -> Contrasts:
    """Whether the error of a line varies less with α than those of others."""

    def by(results: Results) -> list[Contrast | None]:
        found = []
        for other in others:
            ends = [_ends(results, name, group) for name in (line, other)]
            ranges = [mean(high) - mean(low) for low, high in ends]
            words = f"{line} {ranges[0]:.4f}, {other} {ranges[1]:.4f}"
            found.append(each(lambda a, b, c, d: (d - c) - (b - a), *ends[0], *ends[1], words=words))
        return found

    return Contrasts(
        what=f"Take the largest mean L2 error over α less the smallest: won where it is smaller for "
        f"'{line}' "
        "than for the other method, differences run by run.",
        by=by,
        clearly=True,
    )


def _ends(results: Results, line: str, group: str) -> tuple[Mapping[int, float], Mapping[int, float]]:
    """The values of a line at the α with its least mean, and at the one with its largest."""
    points = [results.by_seed(L2, line, x, group) for x in results.xs(L2, line, group)]
    return (min(points, key=mean), max(points, key=mean)) if points else ({}, {})
