"""A promise in plain words: what ε and δ bound, between which tables, and which promises would be stricter."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, Protocol

from understudy.release._statement_text import number, odds

_NOUN = re.compile(r"one (\w[\w -]{0,40}\w)")


class Bounded(Protocol):
    """What a promise is about: which tables must look alike, and how many rows of a unit count."""

    @property
    def neighbours(self) -> Literal["replace-one", "add-remove"]: ...
    @property
    def max_rows(self) -> int: ...
    @property
    def bounding(self) -> Literal["drop", "weigh"] | None: ...
    @property
    def one_row(self) -> bool: ...
    @property
    def unit(self) -> str: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """What a run promises, or would: for the screen and for the statement.

    >>> promise = Promise(epsilon=Fraction(1), delta=Fraction(1, 10**9), neighbours="add-remove", n_public=False)
    >>> print(promise.meaning)
    Whatever is published is at most e^ε = 2.72 times as likely as if one row were added or left out, give or \
take a probability of δ = 1e-09. The number of rows is private, and published with noise.
    >>> promise.named
    '(ε = 1, δ = 1e-09), add-remove'
    """

    epsilon: Fraction
    delta: Fraction
    neighbours: Literal["replace-one", "add-remove"]
    n_public: bool
    max_rows: int = 1
    bounding: Literal["drop", "weigh"] | None = None
    unit: str = "one row"

    @property
    def one_row(self) -> bool:
        """Whether a unit is a single row of the table."""
        return self.max_rows == 1 and self.bounding is None

    @property
    def named(self) -> str:
        """Its parameters and the relation, in a few words."""
        return f"{parameters(self.epsilon, self.delta)}, {self.neighbours}"

    @property
    def meaning(self) -> str:
        """What it means, in two sentences."""
        chance = f", give or take a probability of δ = {number(self.delta)}" if self.delta else ""
        return (
            f"Whatever is published is at most e^ε = {odds(self.epsilon)[0]} times as likely as if "
            f"{change_words(self)}{chance}. {self._of_rows}"
        )

    @property
    def _of_rows(self) -> str:
        if not self.n_public:
            return "The number of rows is private, and published with noise."
        return f"The number of {'rows' if self.bounding is None else 'units'} is public."

    def stricter(self, quote: str = "") -> str:
        """How to be promised more; empty where nothing is stricter. `quote` goes around flags.

        >>> Promise(epsilon=Fraction(1), delta=Fraction(0), neighbours="add-remove", n_public=False).stricter()
        'Stricter: --neighbours replace-one (ε also for what a row says, which is 2ε here).'
        """
        ways = [
            *([f"{quote}--delta 0{quote} (ε alone, without a δ)"] if self.delta else []),
            *(
                [f"{quote}--neighbours replace-one{quote} (ε also for what a row says, which is 2ε here)"]
                if self.neighbours == "add-remove"
                else []
            ),
        ]
        return f"Stricter: {'; '.join(ways)}." if ways else ""


def parameters(epsilon: Fraction, delta: Fraction) -> str:
    """ε, or ε and δ, with their values.

    >>> parameters(Fraction(1, 2), Fraction(0)), parameters(Fraction(1, 2), Fraction(1, 10**9))
    ('ε = 0.5', '(ε = 0.5, δ = 1e-09)')
    """
    return f"(ε = {number(epsilon)}, δ = {number(delta)})" if delta else f"ε = {number(epsilon)}"


def row_of(which: str, unit: str) -> str:
    """The row of a unit, where it has but one and is called by a noun.

    >>> row_of("one", "one person"), row_of("that", "one lab test"), row_of("one", "one row"), row_of("that", "A: b")
    ("one person's row", "that lab test's row", 'one row', 'that row')
    """
    noun = _NOUN.fullmatch(unit)
    return f"{which} row" if noun is None or noun[1] == "row" else f"{which} {noun[1]}'s row"


def change_words(promise: Bounded) -> str:
    """What might have been otherwise, as the second half of "… than it would be if …".

    >>> promise = Promise(epsilon=Fraction(1), delta=Fraction(0), neighbours="replace-one", n_public=True)
    >>> change_words(promise)
    'one row were replaced by any other row'
    """
    replaced = promise.neighbours == "replace-one"
    if promise.one_row:
        return f"{row_of('one', promise.unit)} were {'replaced by any other row' if replaced else 'added or left out'}"
    if promise.bounding is not None:
        return f"all rows of one unit were {'replaced by any others' if replaced else 'added or left out'}"
    return f"any {promise.max_rows:,} rows were {'replaced by any others' if replaced else 'added or left out'}"
