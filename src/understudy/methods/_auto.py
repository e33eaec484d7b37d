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
from understudy.methods._search import Progress
from understudy.models import Model, NetworkModel
from understudy.options import Declared, Tables, YesNo, option
from understudy.privacy import Budget, Curator, PrivacyTerms
from understudy.schema import Domain


class _Chosen(Protocol):
    """What a choice can fall on."""

    @property
    def name(self) -> str: ...
    def check(self, domain: Domain, terms: PrivacyTerms) -> None: ...
    def describe(self, domain: Domain, n: int, terms: PrivacyTerms) -> dict[str, object]: ...
    def remarks(self, model: Model, rows: int) -> tuple[str, ...]: ...
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
    ('adaptive', 'all 50 columns have two values: their relations can be measured in one draw of noise')
    """

    name: ClassVar[str] = "auto"

    focus: Focus = option(
        (), Tables(), help="Columns or tables whose relations matter most, for adaptive where that is chosen."
    )
    beyond: bool = option(
        True, YesNo(), help="Whether adaptive, where that is chosen, may give a model that is no network."
    )

    @property
    def makes(self) -> tuple[type[Model], ...]:
        """A network, or what adaptive makes."""
        return (NetworkModel, *Adaptive(beyond=self.beyond).makes)

    def choose(self, domain: Domain, n: int, budget: Budget) -> tuple[_Chosen, str]:
        """The method, and why: half a sentence. From public values alone; docs/choosing.md has the measurements."""
        varied = [attribute for attribute in domain if attribute.size > 1]
        if len({attribute.sensitivity for attribute in domain}) > 1:
            return HPPrivBayes(), "the schema declares some columns more sensitive than others"
        if len(varied) < 2:
            return Independent(), "there are no two columns that could be related"
        if not budget.pure:
            why = "with a δ, many small tables that overlap, fitted together, tell most"
        elif all(attribute.size == 2 for attribute in varied):
            several = "all" if len(varied) == len(domain) else "those that have more than one value,"
            why = (
                f"{several} {len(varied)} columns have two values: their relations can be measured in one draw of noise"
            )
        else:
            why = "tables that overlap, as many as this budget can tell from noise, fitted together, tell most"
        return Adaptive(focus=self.focus, beyond=self.beyond), why

    def check(self, domain: Domain, terms: PrivacyTerms) -> None:
        """Refuse what cannot work whatever the rows are, before anything is charged or read."""
        method, _ = self.choose(domain, 1, terms.budget)
        if self.focus and not isinstance(method, Adaptive):
            raise OptionError(
                f"The 'focus' parameter is for adaptive, and {method.name} was chosen. Choose adaptive, or drop it."
            )
        method.check(domain, terms)

    def describe(self, domain: Domain, n: int, terms: PrivacyTerms) -> dict[str, object]:
        """What was chosen and why, then what its options came to."""
        method, because = self.choose(domain, n, terms.budget)
        return {"chosen": method.name, "because": because, **method.describe(domain, n, terms)}

    def remarks(self, model: Model, rows: int) -> tuple[str, ...]:
        """What readers of the statement should know, from published quantities."""
        return Adaptive().remarks(model, rows)  # of models that are no networks it has nothing to say

    def plan(self, domain: Domain, n: int, terms: PrivacyTerms) -> Plan:
        """What a run would do, from public quantities alone."""
        method, because = self.choose(domain, n, terms.budget)
        found = method.plan(domain, n, terms)
        return replace(found, method=self.name, notes=(f"Chosen: {method.name}, since {because}.", *found.notes))

    def fit(self, curator: Curator, *, streams: Streams | None = None, progress: Progress | None = None) -> Model:
        """Learn a model by the method chosen."""
        # no choice depends on the number of rows so far: the method measures that itself where it is private
        method, _ = self.choose(curator.domain, 1, curator.budget)
        return method.fit(curator, streams=streams, progress=progress)
