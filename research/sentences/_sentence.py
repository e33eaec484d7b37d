"""What a paper says of its experiments: a sentence in its own words, and the tests that decide it, one a table."""

from __future__ import annotations

import re
from dataclasses import dataclass

from research._experiment import Paper
from research.rules import Rule, Strength

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True, kw_only=True)
class Test:
    """A sentence put to one table: which experiment's results decide it, and by which rule.

    What "2/4" on the page counts are tests, so all panels and budgets of a table belong into one rule.
    """

    __test__ = False  # pytest takes the name for one of its own

    table: str
    experiment: str
    rule: Rule


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """One sentence of a paper about its experiments: a row of the page.

    >>> Sentence(name="a-better", paper="PrivBayes", section="6.5", where="Figure 12", quote="A is better.",
    ...          strength="all", missing="what A was").tests
    ()
    """

    name: str
    """Stable: the anchor of its details, and its place in `reasons.yaml`."""
    paper: Paper
    section: str
    where: str
    """The figure or table that it speaks of, such as "Figures 12 to 15"."""
    quote: str
    """The paper's own words, with … where they are shortened."""
    strength: Strength
    """`all` for "in all cases", "always" and bare statements with a number; `general` for "tends to", "in general",
    "most", "usually", and statements without any such word."""
    over_tables: Strength | None = None
    """How much it says of tables, if not as much as of the cases within one: `general` where the paper had one table
    that is not known, and others only show how far its words carry."""
    tests: tuple[Test, ...] = ()
    """The algorithm as printed, baselines as published."""
    ours: tuple[Test, ...] = ()
    """The same sentence put to forms of ours, repaired or improved: the second table of the page."""
    missing: str = ""
    """Where it cannot be tested: what is missing."""
    method: bool = False
    """Whether it is said of the method or its privacy, not of an experiment: told apart, and counted apart."""

    @property
    def of_tables(self) -> Strength:
        """How much it says of tables, which makes its verdict; of the cases within one it says `strength`."""
        return self.over_tables or self.strength

    def __post_init__(self) -> None:
        """Refuse a sentence that no page could show.

        Raises:
            ValueError: if it has neither tests nor a word on what is missing, or both; or a name that is no anchor.
        """
        if bool(self.tests) == bool(self.missing):
            raise ValueError(f"{self.name}: give tests, or say what is missing, and not both")
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"'{self.name}' is no anchor: small letters and digits, joined by hyphens")
        for tests in (self.tests, self.ours):
            if len({test.table for test in tests}) < len(tests):
                raise ValueError(f"{self.name}: one test a table")
