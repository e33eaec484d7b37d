"""Which method? Chosen from the schema, the number of rows and the budget alone: never by a look at the rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Protocol

from understudy._core.errors import OptionError
from understudy._core.randomness import Streams
from understudy.methods._adaptive import Adaptive
from understudy.methods._focus import Focus
from understudy.methods._hpprivbayes import HPPrivBayes
from understudy.methods._independent import Independent
from understudy.methods._plan import Plan
from understudy.methods._privabn import PrivABN
from understudy.methods._privbayes import PrivBayes
from understudy.methods._search import Progress
from understudy.methods._settings import ROWS_SHARE
from understudy.models import Model, NetworkModel
from understudy.options import Declared, Tables, option
from understudy.privacy import Budget, Curator, PrivacyTerms
from understudy.schema import Domain

MANY = 10_000
"""From so many rows times ε for each column on, a table for each column has little noise."""


class _Chosen(Protocol):
    """What a choice can fall on."""

    @property
    def name(self) -> str: ...
    def check(self, domain: Domain, terms: PrivacyTerms) -> None: ...
    def describe(self, domain: Domain, n: int, terms: PrivacyTerms) -> dict[str, object]: ...
    def remarks(self, model: Model) -> tuple[str, ...]: ...
    def plan(self, domain: Domain, n: int, terms: PrivacyTerms) -> Plan: ...
    def fit(self, curator: Curator, *, streams: Streams | None = None, progress: Progress | None = None) -> Model: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Auto(Declared):
    """Let the schema, the number of rows and the budget decide which of the other methods runs, and say why.

    >>> from understudy.privacy import make_budget
    >>> from understudy.schema import Attribute
    >>> domain = Domain(tuple(Attribute(name=str(i), size=2) for i in range(50)))
    >>> method, because = Auto().choose(domain, 88_162, make_budget(1))
    >>> method.name, because
    ('privabn', 'all 50 columns are binary: fewer tables, of several columns each, have less noise')
    """

    name: ClassVar[str] = "auto"
    makes: ClassVar[type[Model]] = NetworkModel

    focus: Focus = option(
        (), Tables(), help="Columns or tables whose relations matter most, for adaptive where that is chosen."
    )

    def choose(self, domain: Domain, n: int, budget: Budget) -> tuple[_Chosen, str]:
        """The method, and why: half a sentence. From public values alone; docs/choosing.md has the measurements."""
        varied = [attribute for attribute in domain if attribute.size > 1]
        if len({attribute.sensitivity for attribute in domain}) > 1:
            return HPPrivBayes(), "the schema declares some columns more sensitive than others"
        if len(varied) < 2:
            return Independent(), "there are no two columns that could be related"
        if not budget.pure:
            return Adaptive(focus=self.focus), "with a δ, many small tables that overlap, fitted together, tell most"
        if all(attribute.size == 2 for attribute in varied):
            why = f"all {len(varied)} columns are binary: fewer tables, of several columns each, have less noise"
            return PrivABN(), why
        if n * budget.epsilon >= MANY * len(varied):
            return (
                PrivBayes(),
                f"{n:,} rows are many for {len(varied)} columns at this budget: each can have a table of its own",
            )
        return (
            PrivABN(),
            f"{n:,} rows are few for {len(varied)} columns at this budget: fewer tables, of several columns each, have "
            "less noise",
        )

    def check(self, domain: Domain, terms: PrivacyTerms) -> None:
        """Refuse what cannot work whatever the rows are, before anything is charged or read."""
        for method in self._possible(domain, terms.budget):
            if self.focus and not isinstance(method, Adaptive):
                raise OptionError(
                    f"The 'focus' parameter is for adaptive, and {method.name} was chosen. Choose adaptive, or drop it."
                )
            method.check(domain, terms)

    def describe(self, domain: Domain, n: int, terms: PrivacyTerms) -> dict[str, object]:
        """What was chosen and why, then what its options came to."""
        method, because = self.choose(domain, n, terms.budget)
        return {"chosen": method.name, "because": because, **method.describe(domain, n, terms)}

    def remarks(self, model: Model) -> tuple[str, ...]:
        """What readers of the statement should know, from published quantities."""
        return Adaptive().remarks(model)  # all that may be chosen make networks, or what can be read as one

    def plan(self, domain: Domain, n: int, terms: PrivacyTerms) -> Plan:
        """What a run would do, from public quantities alone."""
        method, because = self.choose(domain, n, terms.budget)
        found = method.plan(domain, n, terms)
        return replace(found, method=self.name, notes=(f"Chosen: {method.name}, since {because}.", *found.notes))

    def fit(self, curator: Curator, *, streams: Streams | None = None, progress: Progress | None = None) -> Model:
        """Learn a model by the method chosen."""
        possible = self._possible(curator.domain, curator.budget)
        # a method that is chosen whatever the number of rows measures that number itself, in its own time
        n = curator.measure_rows(share=ROWS_SHARE) if len(possible) > 1 else 1
        method, _ = self.choose(curator.domain, n, curator.budget)
        return method.fit(curator, streams=streams, progress=progress)

    def _possible(self, domain: Domain, budget: Budget) -> list[_Chosen]:
        few, many = (self.choose(domain, n, budget)[0] for n in (1, 1 << 60))
        return [few] if few == many else [few, many]
