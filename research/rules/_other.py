"""Rules of other kinds: differences that a figure works out itself, numbers without chance, and anything else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from research._experiment import NothingRunError, Results
from research.rules._contrast import Contrast
from research.rules._decision import Compared, Decision, Strength, in_words, weigh
from research.rules._lines import Line


@dataclass(frozen=True, kw_only=True)
class Contrasts:
    """Differences that a function works out of the results, run by run: each must be above 0.

    >>> from research.rules import of_values
    >>> rule = Contrasts(what="Take the values.", by=lambda r: [of_values(r.values("v", "a", 1.0), words="v")])
    >>> rule.decide(Results({("", "a", "v", 1.0): [1.0, 1.1, 1.0, 0.9, 1.0]}), "all").verdict
    'holds'
    """

    what: str
    """What is compared, in words: won where it is above 0."""
    by: Callable[[Results], Sequence[Contrast | None]]
    clearly: bool = False
    nothing: float = 0.0
    """Where 0 is no difference and not a bound: differences that are clearly below this share speak against it."""

    def text(self, strength: Strength) -> str:
        """The rule in words."""
        return f"{self.what} {in_words(strength, clearly=self.clearly, nothing=self.nothing)}"

    def decide(self, results: Results, strength: Strength) -> Decision:
        """What these results say."""
        try:
            found = self.by(results)
        except NothingRunError as missing:
            return Decision(verdict="undecided", why=f"{missing}.")
        kept = [Compared(contrasts=(contrast,)) for contrast in found if contrast is not None]
        left_out = len(found) - len(kept)
        return weigh(kept, strength, clearly=self.clearly, left_out=left_out, nothing=self.nothing)


@dataclass(frozen=True, kw_only=True)
class Exact:
    """Numbers without chance in them are those that a paper prints, or that its words come to: sizes, counts, shares.

    >>> rule = Exact(series="Adult", printed={("rows", 0.0): 45222})
    >>> rule.decide(Results({("", "Adult", "rows", 0.0): [45222.0]}), "all").why
    'As printed.'
    """

    series: str
    printed: Mapping[tuple[str, float], float]
    """By measure and place on the axis."""
    group: str = ""
    within: float = 0.0
    """How far off, as a share of what is printed, is still right: for numbers that are printed rounded."""
    names: Mapping[tuple[str, float], str] = field(default_factory=dict)
    """What to call them, where the measure's name does not say it."""
    meant: bool = False
    """Whether the paper prints no such number, and its words come to it."""

    @property
    def lines(self) -> Iterator[Line]:
        """What it asks for."""
        return iter({(self.group, measure, self.series) for measure, _ in self.printed})

    def text(self, strength: Strength) -> str:
        """The rule in words."""
        off = f" up to {100 * self.within:g} % for rounding" if self.within else ""
        alone = len(self.printed) == 1
        agree = "it agrees" if alone else "all agree"
        if self.meant:
            listed = "; ".join(f"{self._name(place)}: {_digits(value)}" for place, value in self.printed.items())
            return f"Compare '{self.series}' with what the words come to ({listed}). Holds if {agree}{off}; else fails."
        compared = "a number" if alone else f"{len(self.printed)} numbers"
        those = "the one" if alone else "those"
        return f"Compare {compared} of '{self.series}' with {those} printed. Holds if {agree}{off}; else fails."

    def decide(self, results: Results, strength: Strength) -> Decision:
        """What these results say."""
        found = {place: results.values(place[0], self.series, place[1], self.group) for place in self.printed}
        if not any(found.values()):
            return Decision(verdict="undecided", why=f"Nothing was run for {self.series}.")
        here = {place: sum(values) / len(values) for place, values in found.items() if values}
        wrong = [place for place, said in self.printed.items() if self._differs(said, here.get(place))]
        if not wrong:
            words = [f"{self._name(place)}: {_digits(value)}" for place, value in here.items()] if self.meant else []
            as_printed = f"All {len(found)} as printed" if len(found) > 1 else "As printed"
            return Decision(verdict="holds", why=f"{'; '.join(words) or as_printed}.")
        word = "meant" if self.meant else "printed"
        words = [
            f"{self._name(place)}: {word} {_digits(self.printed[place])}, here {_digits(here.get(place))}"
            for place in wrong
        ]
        differ = f"{len(wrong)} of {len(found)} differ: " if len(found) > 1 else ""
        return Decision(verdict="fails", why=f"{differ}{'; '.join(words)}.")

    def _differs(self, said: float, here: float | None) -> bool:
        return here is None or abs(here - said) > self.within * abs(said)

    def _name(self, place: tuple[str, float]) -> str:
        return self.names.get(place, place[0])


def _digits(value: float | None) -> str:
    if value is None:
        return "none"
    return f"{value:,.10g}" if abs(value) >= 1 else f"{value:.3g}"


@dataclass(frozen=True, kw_only=True)
class Decided:
    """A rule of a sentence's own: words, and a function that does what they say, where all that it asks for was run.

    >>> rule = Decided(words="Holds always.", by=lambda results: Decision(verdict="holds", why="So it is."))
    >>> rule.decide(Results(), "all").why
    'So it is.'
    """

    words: str
    by: Callable[[Results], Decision]

    def text(self, strength: Strength) -> str:
        """The rule in words."""
        return self.words

    def decide(self, results: Results, strength: Strength) -> Decision:
        """What these results say."""
        try:
            return self.by(results)
        except NothingRunError as missing:
            return Decision(verdict="undecided", why=f"{missing}.")
