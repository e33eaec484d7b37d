"""Rules that compare lines of a figure: one beats others, lines rise or fall, two lines are near each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

from research._experiment import Results
from research.rules._contrast import FEWEST, NONE, Contrast, of_values, paired
from research.rules._decision import Compared, Decision, Strength, in_words, weigh

Line = tuple[str, str, str]  # group, measure, series


@dataclass(frozen=True, kw_only=True)
class Beats:
    """One line lies below (or above) others, at every point of every panel named.

    >>> lines = {("", name, "error", 1.0): [x + i / 100 for i in range(5)] for name, x in (("a", 0.1), ("b", 0.3))}
    >>> Beats(ours=("a",), others=("b",), measures=("error",)).decide(Results(lines), "all").verdict
    'holds'
    """

    ours: tuple[str, ...]
    others: tuple[str, ...]
    measures: tuple[str, ...]
    groups: tuple[str, ...] = ("",)
    xs: tuple[float, ...] | None = None
    """Where on the axis; everywhere without."""
    higher: bool = False
    """Whether higher values are better."""
    clearly: bool = False
    """Whether the sentence says "clearly" or "significantly"."""
    factor: float = 1.0
    """How many times better it must be."""
    margin: float = 0.0
    """By how much, in the measure's own unit, it must be better."""
    slack: float = 0.0
    """Differences below this share of the values count for neither side."""
    nothing: float = NONE
    """Differences that are clearly below this share of the values are none, and speak against it."""
    exact: tuple[str, ...] = ()
    """Lines without chance in them, of which one run is enough."""

    @property
    def lines(self) -> Iterator[Line]:
        """What it asks for."""
        return product(self.groups, self.measures, (*self.ours, *self.others))

    def text(self, strength: Strength) -> str:
        """The rule in words."""
        side = "above" if self.higher else "below"
        far = f" {self.factor:g} times or more" if self.factor != 1 else ""
        far += f" by {self.margin:g} or more" if self.margin else ""
        small = f" Differences below {100 * self.slack:g} % count for neither." if self.slack else ""
        return (
            f"Compare {listed(self.ours)} with {listed(self.others)} at every point{_places(self.xs)} "
            f"of {listed(self.measures)}: won where the first lies{far} {side}.{small}{self._once} "
            f"{in_words(strength, clearly=self.clearly, nothing=self._nothing)}"
        )

    @property
    def _once(self) -> str:
        many = len(self.others) > 1
        return " A line that is another by construction at a point, value for value, counts once there." if many else ""

    @property
    def _nothing(self) -> float:
        """Not where it must be better by so much: to be near that bound is not to be equal."""
        return self.nothing if self.factor == 1 and not self.margin else 0.0

    def decide(self, results: Results, strength: Strength) -> Decision:
        """What these results say."""
        found, left_out = [], 0
        seen: set[tuple[str, str, str, float, frozenset[float]]] = set()
        for group, measure, ours, other in product(self.groups, self.measures, self.ours, self.others):
            for x in _common(results, group, measure, (ours, other), self.xs):
                mine, theirs = (results.by_seed(measure, line, x, group) for line in (ours, other))
                if (twin := (group, measure, ours, x, frozenset(theirs.values()))) in seen:
                    continue
                seen.add(twin)
                better, worse = (mine, theirs) if self.higher else (theirs, mine)
                contrast = difference(
                    better,
                    {seed: self.factor * value + self.margin for seed, value in worse.items()},
                    words=f"{_place(group, measure, x)}: {ours} {_mean(mine):.4g}, {other} {_mean(theirs):.4g}",
                    exact=tuple(line in self.exact for line in ((ours, other) if self.higher else (other, ours))),
                )
                if contrast is None:
                    left_out += 1
                else:
                    found.append(Compared(contrasts=(contrast,)))
        return weigh(
            found,
            strength,
            clearly=self.clearly,
            left_out=left_out,
            slack=self.slack,
            nothing=self._nothing,
        )


@dataclass(frozen=True, kw_only=True)
class Trend:
    """Lines fall (or rise) along the axis from end to end; where a sentence says always, no step goes back.

    >>> line = {("", "a", "error", x): [1 / x + i / 100 for i in range(5)] for x in (1.0, 2.0, 4.0)}
    >>> Trend(series=("a",), measures=("error",)).decide(Results(line), "all").verdict
    'holds'
    """

    series: tuple[str, ...]
    measures: tuple[str, ...]
    groups: tuple[str, ...] = ("",)
    xs: tuple[float, ...] | None = None
    rises: bool = False
    steps: bool = True
    """Whether a step that clearly goes back refutes a sentence that says always: not where it speaks of a trend."""
    clearly: bool = False
    slack: float = 0.0
    nothing: float = NONE
    exact: tuple[str, ...] = ()

    @property
    def lines(self) -> Iterator[Line]:
        """What it asks for."""
        return product(self.groups, self.measures, self.series)

    def text(self, strength: Strength) -> str:
        """The rule in words."""
        word = "rises" if self.rises else "falls"
        watched = self.steps and strength == "all"
        steps = " Steps between neighbours are looked at too." if watched else ""
        small = f" Differences below {100 * self.slack:g} % count for neither." if self.slack else ""
        return (
            f"Compare the first and the last point{_places(self.xs)} of each line ({listed(self.series)}; "
            f"{listed(self.measures)}): won where it {word}.{steps}{small} "
            f"{in_words(strength, clearly=self.clearly, guards=watched, nothing=self.nothing)}"
        )

    def decide(self, results: Results, strength: Strength) -> Decision:
        """What these results say."""
        found, left_out = [], 0
        for group, measure, line in self.lines:
            xs = [
                x
                for x in _common(results, group, measure, (line,), self.xs)
                if line in self.exact or len(results.by_seed(measure, line, x, group)) >= FEWEST
            ]
            if len(xs) < 2:
                left_out += 1
                continue
            steps = list(pairwise(xs)) if self.steps and strength == "all" and len(xs) > 2 else []
            for first, last in ((xs[0], xs[-1]), *steps):
                contrast = self._step(results, group, measure, line, first, last)
                if contrast is not None:
                    found.append(Compared(contrasts=(contrast,), guard=(first, last) != (xs[0], xs[-1])))
        return weigh(
            found,
            strength,
            clearly=self.clearly,
            left_out=left_out,
            slack=self.slack,
            nothing=self.nothing,
        )

    def _step(
        self, results: Results, group: str, measure: str, line: str, first: float, last: float
    ) -> Contrast | None:
        ends = [results.by_seed(measure, line, x, group) for x in (first, last)]
        low, high = ends if self.rises else ends[::-1]
        exact = line in self.exact
        means = " → ".join(f"{_mean(end):.4g}" for end in ends)
        place = ", ".join(part for part in (group, "" if group.endswith(measure) else measure, line) if part)
        return difference(high, low, words=f"{place}: {means} from {first:g} to {last:g}", exact=(exact, exact))


@dataclass(frozen=True, kw_only=True)
class Near:
    """Two lines agree within a factor, or within so much of the measure's own unit, at every point named.

    >>> lines = {("", name, "error", 1.0): [1 + i / 100 for i in range(5)] for name in "ab"}
    >>> Near(first="a", second="b", measures=("error",), factor=1.1).decide(Results(lines), "all").verdict
    'holds'
    """

    first: str
    second: str
    measures: tuple[str, ...]
    factor: float = 1.0
    within: float = 0.0
    groups: tuple[str, ...] = ("",)
    xs: tuple[float, ...] | None = None
    exact: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a rule by which only equal lines are near."""
        if self.factor <= 1 and self.within <= 0:
            raise ValueError("give a factor above 1, or a distance above 0")

    @property
    def lines(self) -> Iterator[Line]:
        """What it asks for."""
        return product(self.groups, self.measures, (self.first, self.second))

    def text(self, strength: Strength) -> str:
        """The rule in words."""
        far = f"by a factor of {self.factor:g}" if self.factor != 1 else ""
        far += " and " * bool(far and self.within) + (f"by {self.within:g}" if self.within else "")
        return (
            f"Compare {listed((self.first, self.second))} at every point{_places(self.xs)} of "
            f"{listed(self.measures)}: won where they clearly differ by less than {far.removeprefix('by ')}, lost "
            f"where clearly by more. {in_words(strength)}"
        )

    def decide(self, results: Results, strength: Strength) -> Decision:
        """What these results say."""
        found, left_out = [], 0
        both = (self.first, self.second)
        for group, measure in product(self.groups, self.measures):
            for x in _common(results, group, measure, both, self.xs):
                lines = [results.by_seed(measure, line, x, group) for line in both]
                words = f"{_place(group, measure, x)}: " + ", ".join(
                    f"{name} {_mean(line):.4g}" for name, line in zip(both, lines, strict=True)
                )
                sides = []
                for one, other, names in ((lines[0], lines[1], both), (lines[1], lines[0], both[::-1])):
                    reach = {seed: self.factor * value + self.within for seed, value in one.items()}
                    exact = tuple(name in self.exact for name in names)
                    sides.append(difference(reach, other, words=words, exact=exact))
                kept = tuple(side for side in sides if side is not None)
                if len(kept) == len(sides):
                    found.append(Compared(contrasts=kept))
                else:
                    left_out += 1
        return weigh(found, strength, left_out=left_out)


def difference(
    first: Mapping[int, float], second: Mapping[int, float], *, words: str, exact: Sequence[bool] = (False, False)
) -> Contrast | None:
    """The first less the second, by seed; a line without chance in it is one number.

    >>> difference({0: 2.0}, {seed: 1 + seed / 10 for seed in range(5)}, words="", exact=(True, False)).mean
    0.8
    """
    if not any(exact):
        return paired(first, second, words=words)
    if exact[0]:
        values = [_mean(first) - value for value in ([_mean(second)] if exact[1] else second.values())]
    else:
        values = [value - _mean(second) for value in first.values()]
    scale = max(map(abs, [*first.values(), *second.values()]), default=0.0)
    return of_values(values, words=words, scale=scale, exact=all(exact))


def listed(names: Sequence[str]) -> str:
    """Names in quotation marks, as in a sentence.

    >>> listed(("a", "b"))
    "'a' and 'b'"
    """
    quoted = [f"'{name}'" for name in names]
    return quoted[0] if len(quoted) == 1 else ", ".join(quoted[:-1]) + " and " + quoted[-1]


def _common(
    results: Results, group: str, measure: str, names: Iterable[str], wanted: tuple[float, ...] | None
) -> list[float]:
    each = [set(results.xs(measure, name, group)) for name in names]
    return sorted(x for x in set.intersection(*each) if wanted is None or x in wanted)


def _mean(line: Mapping[int, float]) -> float:
    return sum(line.values()) / len(line)


def _place(group: str, measure: str, x: float) -> str:
    return ", ".join(part for part in (group, "" if group.endswith(measure) else measure, f"at {x:g}") if part)


def _places(xs: tuple[float, ...] | None) -> str:
    return "" if xs is None else " (" + ", ".join(f"{x:g}" for x in xs) + ")"
