"""The verdict of a sentence: what its tests say together, computed anew from the stored values whenever it is asked."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, TypeVar

from research._experiment import Results
from research._outcome import read_results
from research.rules import Decision, Strength
from research.sentences._sentence import Sentence, Test

Verdict: TypeAlias = Literal["holds", "holds partly", "fails", "undecided", "not testable"]
Number = TypeVar("Number", int, float)
_MOST = 0.75


@dataclass(frozen=True, kw_only=True)
class Judged:
    """What tests say of a sentence: a verdict, and the decision of each test."""

    verdict: Verdict
    tests: tuple[tuple[Test, Decision], ...] = ()
    strength: Strength = "general"

    @property
    def held(self) -> int:
        """On how many tables it holds."""
        return sum(decision.verdict == "holds" for _, decision in self.tests)

    @property
    def tables(self) -> str:
        """On how many of how many.

        >>> Judged(verdict="not testable").tables
        ''
        """
        return f"{self.held}/{len(self.tests)}" if self.tests else ""

    @property
    def runs(self) -> tuple[int, int] | None:
        """The fewest and the most runs of a point, over tables."""
        return _ends([decision.runs for _, decision in self.tests if decision.runs is not None])

    @property
    def power(self) -> tuple[float, float] | None:
        """Which differences would have been seen, as a share of what is compared, over tables."""
        return _ends([decision.power for _, decision in self.tests if decision.power is not None])

    @property
    def needed(self) -> int | None:
        """How many runs would decide the sentence, or all tables that are undecided; None if no number would."""
        decisions = [decision for _, decision in self.tests]
        for runs in sorted({one.needed for one in decisions if one.needed is not None}):
            if together([_with(one, runs) for one in decisions], self.strength) != "undecided":
                return runs
        open_ones = [decision.needed for _, decision in self.tests if decision.verdict == "undecided"]
        known = [needed for needed in open_ones if needed is not None]
        return max(known) if known and len(known) == len(open_ones) else None


@dataclass(frozen=True, kw_only=True)
class Assessed:
    """A sentence with what came out: of the algorithm as printed, and of our forms where it was put to them."""

    sentence: Sentence
    printed: Judged
    ours: Judged | None

    @property
    def verdict(self) -> Verdict:
        """Of the algorithm as printed."""
        return self.printed.verdict


def together(decisions: Sequence[Decision], strength: Strength) -> Verdict:
    """The verdict of all tables.

    >>> holds, fails = (Decision(verdict=word, why="") for word in ("holds", "fails"))
    >>> together([holds, holds, fails], "all"), together([holds, holds, fails], "general")
    ('fails', 'holds partly')
    >>> together([holds, Decision(verdict="undecided", why="")], "general")  # nothing fails, so nothing holds in part
    'undecided'
    >>> together([], "all")
    'not testable'
    """
    words = [decision.verdict for decision in decisions]
    if not words:
        return "not testable"
    if strength == "all":
        if "fails" in words or "holds partly" in words:
            return "fails"
        return "undecided" if "undecided" in words else "holds"
    if words.count("holds") >= _MOST * len(words):
        return "holds"
    if words.count("fails") >= _MOST * len(words):
        return "fails"
    for_it, against = ({word, "holds partly"} & set(words) for word in ("holds", "fails"))
    return "holds partly" if for_it and against and words.count("undecided") <= len(words) / 2 else "undecided"


def assess(sentences: Sequence[Sentence], out: str | os.PathLike[str]) -> list[Assessed]:
    """Every sentence with its verdict, from the values in a folder of results and from nothing else.

    >>> from research.sentences import SENTENCES
    >>> {one.verdict for one in assess(SENTENCES, "no-such-folder")} <= {"undecided", "not testable"}
    True
    """
    read: dict[str, Results | None] = {}

    def results_of(name: str) -> Results | None:
        if name not in read:
            read[name] = read_results(out, name)
        return read[name]

    return [
        Assessed(
            sentence=sentence,
            printed=_judged(sentence.tests, sentence, results_of),
            ours=_judged(sentence.ours, sentence, results_of) if sentence.ours else None,
        )
        for sentence in sentences
    ]


def _judged(tests: Sequence[Test], sentence: Sentence, results_of: Callable[[str], Results | None]) -> Judged:
    found = []
    for test in tests:
        results = results_of(test.experiment)
        if results is None:
            found.append(Decision(verdict="undecided", why=f"{test.experiment} was not run."))
        else:
            found.append(test.rule.decide(results, sentence.strength))
    over = sentence.of_tables
    return Judged(verdict=together(found, over), tests=tuple(zip(tests, found, strict=True)), strength=over)


def _with(decision: Decision, runs: int) -> Decision:
    """What a table would say with so many runs."""
    if decision.then is None or decision.needed is None or decision.needed > runs:
        return decision
    return replace(decision, verdict=decision.then)


def _ends(numbers: Sequence[Number]) -> tuple[Number, Number] | None:
    return (min(numbers), max(numbers)) if numbers else None
