"""Every value equally likely: what can be said without looking at a single row."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from understudy._core.randomness import Streams
from understudy.methods._plan import Plan, baseline_plan
from understudy.methods._search import Progress
from understudy.models import Model, Network, NetworkModel, Node
from understudy.options import Declared
from understudy.privacy import Curator, PrivacyTerms
from understudy.schema import Domain, recode


@dataclass(frozen=True, slots=True, kw_only=True)
class Uniform(Declared):
    """Look at no row: draw every value of the public domain equally often.

    The budget is accepted and not used, so that the method can stand beside others; a ledger books it all the same,
    before the method is asked. Where the number of rows is private, and all of the budget goes
    into a noisy one; nothing else about the rows is asked for.

    >>> from understudy.counting import MemoryCounter
    >>> from understudy.privacy import make_budget, open_curator
    >>> from understudy.schema import Attribute
    >>> from understudy.tables import Table
    >>> table = Table(Domain((Attribute(name="sex", size=2),)), (np.array([1, 1, 1]),))
    >>> curator = open_curator(MemoryCounter(table), budget=make_budget(1))
    >>> Uniform().fit(curator).conditionals[0].tolist(), curator.charges
    ([0.5, 0.5], ())
    """

    name: ClassVar[str] = "uniform"
    makes: ClassVar[type[Model]] = NetworkModel

    def check(self, domain: Domain, terms: PrivacyTerms) -> None:
        """Nothing can go wrong."""

    def describe(self, domain: Domain, n: int, terms: PrivacyTerms) -> dict[str, object]:
        """What it does, as the privacy statement lists it."""
        return {"budget": _use_of_budget(terms)}

    def remarks(self, model: Model, rows: int) -> tuple[str, ...]:
        """What readers of the statement should know, from published quantities."""
        return (
            "this method looks at no row: every value, or bin, of a column is equally likely. Bins that are found "
            "(bins: auto) are found before, from rows, and so is what lies inside them.",
        )

    def plan(self, domain: Domain, n: int, terms: PrivacyTerms) -> Plan:
        """What a run would do, from public quantities alone."""
        return baseline_plan(
            self.name,
            domain,
            n,
            noise=None,
            shares={} if terms.public_rows else {"rows": 1.0},
            notes=("No row is looked at, so the error is what the table's own shape makes it: it cannot be foretold.",),
        )

    def fit(
        self, curator: Curator, *, streams: Streams | None = None, progress: Progress | None = None
    ) -> NetworkModel:
        """The uniform model. There are no coins to toss, so `streams` go unused."""
        n = curator.measure_rows(share=Fraction(1))
        domain = curator.domain
        network = Network(domain, tuple(Node(a) for a in range(len(domain))))
        uniform = [np.full(attribute.size, 1 / attribute.size) for attribute in domain]
        return NetworkModel(network, uniform, recode(domain, "hierarchical"), (), n)


def _use_of_budget(terms: PrivacyTerms) -> str:
    return f"{'not used, but for' if terms.public_rows else 'used for the number of rows, and for'} bins that are found"
