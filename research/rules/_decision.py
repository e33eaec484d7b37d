"""What a rule decides of one table: comparisons, each won, lost or too close to call, make a verdict with its power."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from math import inf
from statistics import median
from typing import Literal, Protocol, TypeAlias

from research._experiment import Results
from research.rules._contrast import FEWEST, LEVEL, Contrast, clear, none

Strength: TypeAlias = Literal["all", "general"]
"""How much a sentence says: of every case ("in all cases", "always", or a bare statement), or of most ("tends to")."""
Word: TypeAlias = Literal["holds", "holds partly", "fails", "undecided"]

_MOST = 0.75  # of the comparisons, where a sentence speaks of most
_HALF = 0.5  # of them must be clearly won
_CLEARLY = 0.9  # of them, where a sentence says "clearly"
_SHOWN = 3


@dataclass(frozen=True, kw_only=True)
class Decision:
    """What a rule makes of results: a verdict, the numbers behind it, and what would have been seen.

    >>> Decision(verdict="holds", why="12 of 12 comparisons clearly won.", runs=20, power=0.03).verdict
    'holds'
    """

    verdict: Word
    why: str
    runs: int | None = None
    """The fewest runs of a point that counted; None where nothing is left to chance."""
    power: float | None = None
    """The difference, as a share of what is compared, that would have been called clear four times out of five."""
    needed: int | None = None
    """Where it is undecided: how many runs would decide it, if the means that were seen are right."""
    then: Word | None = None
    """What it would be with so many runs."""


class Rule(Protocol):
    """What decides a sentence on one table: in words and in code, fixed before the runs."""

    def text(self, strength: Strength) -> str:
        """The rule in words."""
        ...

    def decide(self, results: Results, strength: Strength) -> Decision:
        """What these results say."""
        ...


@dataclass(frozen=True, kw_only=True)
class Compared:
    """One comparison: won if all its contrasts are clearly above 0, lost if one is clearly below."""

    contrasts: tuple[Contrast, ...]
    guard: bool = False
    """Whether it can only be lost: steps of a line that must not go back, but need not go on."""


@dataclass(frozen=True)
class _Count:
    won: int
    tied: int
    lost: int
    broken: int  # guards
    none: int = 0  # of those that are tied: clearly no difference

    @property
    def all(self) -> int:
        return self.won + self.tied + self.lost

    def verdict(self, strength: Strength, clearly: bool) -> Word:
        if strength == "all":
            share = (_CLEARLY if clearly else _HALF) * self.all
            if self.lost or self.broken or self.all - self.none < share:
                return "fails"
            return "holds" if self.won >= share else "undecided"
        few, against = (1 - _MOST) * self.all, self.lost + self.none
        if self.won >= (_MOST if clearly else _HALF) * self.all and self.lost <= few:
            return "holds"
        if against >= _HALF * self.all and self.won <= few:
            return "fails"
        if against > few and not self.won:
            return "fails"
        if self.won > few and not self.lost and not clearly:
            return "holds"
        return "holds partly" if min(self.won, against) > few else "undecided"


def in_words(strength: Strength, *, clearly: bool = False, guards: bool = False, nothing: float = 0.0) -> str:
    """How comparisons make a verdict, for the text of a rule.

    >>> in_words("all")[:60]
    'Holds if none is clearly lost and at least half are clearly '
    """
    if nothing:
        small = f" A difference that is clearly below {100 * nothing:g} %, whichever side it favours, is none: "
        small += (
            "it fails if so many are none that it cannot hold."
            if strength == "all"
            else "towards failing it counts as lost."
        )
        return in_words(strength, clearly=clearly, guards=guards) + small
    if strength == "all":
        share = f"{_CLEARLY:.0%}".replace("%", " %") if clearly else "half"
        step = ", or one step clearly goes back" if guards else ""
        return (
            f"Holds if none is clearly lost and at least {share} are clearly won; fails if one is clearly lost{step}; "
            "otherwise undecided."
        )
    share = "three quarters" if clearly else "half"
    alone = "" if clearly else ", or more than a quarter and none clearly lost"
    return (
        f"Holds if at least {share} are clearly won and at most a quarter clearly lost{alone}; fails if at least half "
        "are clearly lost and at most a quarter clearly won, or more than a quarter and none clearly won; holds partly "
        "if more than a quarter are clearly won and more than a quarter clearly lost; otherwise undecided."
    )


def weigh(
    compared: Sequence[Compared],
    strength: Strength,
    *,
    clearly: bool = False,
    left_out: int = 0,
    slack: float = 0.0,
    nothing: float = 0.0,
) -> Decision:
    """The verdict of comparisons, and what it rests on.

    Args:
        compared: the comparisons of points that have enough runs.
        strength: how much the sentence says.
        clearly: whether the sentence says "clearly" or "significantly", so that close ones do not help it.
        left_out: how many had too few runs.
        slack: means below this share of what is compared count for neither side.
        nothing: differences that are clearly below this share, whichever side they favour, speak against a sentence
            that says there is one.
    """
    rest = f" {left_out} left out with fewer than {FEWEST} runs." if left_out else ""
    if not any(not one.guard for one in compared):
        return Decision(verdict="undecided", why="There is nothing to compare." + rest, needed=FEWEST)
    flat = [contrast for one in compared for contrast in one.contrasts]
    signs = dict(zip(map(id, flat), clear(flat), strict=True))
    small = {id(contrast) for contrast in flat if abs(contrast.mean) < slack * contrast.scale}
    signs.update(dict.fromkeys(small, 0))
    empty = {id(one) for one, so in zip(flat, none(flat, nothing), strict=True) if so and not signs[id(one)]}
    found = _count(compared, signs, empty)
    verdict = found.verdict(strength, clearly)
    chances = [contrast for contrast in flat if contrast.freedom != inf]
    level = LEVEL / len(flat)
    # what did not vary at all, such as a line that is another by construction, tells no power
    reaches = [contrast.reach(level) / contrast.scale for contrast in chances if contrast.scale and contrast.error]
    later: tuple[int, Word] | tuple[None, None] = (None, None)
    if verdict == "undecided":
        close = [one for one in flat if not signs[id(one)] and id(one) not in small | empty]
        for runs, then, gone in _steps(close, signs, empty, level, nothing):
            if (word := _count(compared, then, gone).verdict(strength, clearly)) != "undecided":
                later = (runs, word)
                break
    return Decision(
        verdict=verdict,
        why=_why(compared, signs, found) + rest,
        runs=min((contrast.runs for contrast in chances), default=None),
        power=median(reaches) if reaches else None,
        needed=later[0],
        then=later[1],
    )


def _count(compared: Sequence[Compared], signs: Mapping[int, int], empty: Set[int]) -> _Count:
    won = tied = lost = broken = nothing = 0
    for one in compared:
        mine = [signs[id(contrast)] for contrast in one.contrasts]
        if one.guard:
            broken += min(mine) < 0
        elif min(mine) < 0:
            lost += 1
        elif min(mine) > 0:
            won += 1
        else:
            tied += 1
            nothing += any(id(contrast) in empty for contrast in one.contrasts)
    return _Count(won, tied, lost, broken, nothing)


def _steps(
    close: Sequence[Contrast], signs: Mapping[int, int], empty: Set[int], level: float, nothing: float
) -> Iterator[tuple[int, Mapping[int, int], Set[int]]]:
    """What would be clear with more runs, if the means that were seen are right: numbers of runs, the fewest first."""
    needs = {id(one): one.runs_needed(level) for one in close}
    nones = {id(one): one.runs_to_show_none(level, nothing) for one in close}
    for runs in sorted({need for need in (*needs.values(), *nones.values()) if need < inf}):
        then = {id(one): (1 if one.mean > 0 else -1) for one in close if needs[id(one)] <= runs}
        yield int(runs), {**signs, **then}, {*empty, *(one for one, need in nones.items() if need <= runs)} - set(then)


def _why(compared: Sequence[Compared], signs: dict[int, int], found: _Count) -> str:
    words = f"{found.won} of {found.all} clearly won"
    if found.tied > found.none:
        words += f", {found.tied - found.none} too close to call"
    if found.none:
        words += f", {found.none} clearly no difference"
    words += f", {found.lost} clearly lost"
    if any(one.guard for one in compared):
        words += f"; {found.broken} steps clearly go back"
    against = [contrast for one in compared for contrast in one.contrasts if signs[id(contrast)] < 0]
    worst = sorted(against, key=lambda contrast: contrast.mean / (contrast.scale or 1.0))[:_SHOWN]
    if worst:
        words += ": " + "; ".join(contrast.words for contrast in worst)
    return words + ("; …" if len(against) > _SHOWN else ".")
