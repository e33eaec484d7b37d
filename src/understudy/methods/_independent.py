"""Every column on its own: the private twin of independent columns, and what any method for relations must beat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from understudy._core.randomness import Streams
from understudy.methods._plan import Plan, baseline_plan
from understudy.methods._search import Progress
from understudy.methods._settings import ROWS_SHARE, refuse_drowning_noise, rows_share
from understudy.models import Model, Network, NetworkModel, Node, fit_conditionals
from understudy.options import Declared
from understudy.privacy import Curator, NoiseLevel, NoisyTables, PrivacyTerms
from understudy.schema import Domain, Marginal, recode


@dataclass(frozen=True, slots=True, kw_only=True)
class Independent(Declared):
    """Measure each column on its own with noise, and draw columns independently of each other.

    All columns get the same share of the budget, so that the noise in a cell is the same everywhere. Tables are
    brought to the nearest ones without negative cells and with the right total. What it makes is what PrivBayes makes
    with `k=0`.

    Unit: one row. Bound: the budget, as d tables at 1/d of it each (after the number of rows, where that is private).

    >>> from understudy.counting import MemoryCounter
    >>> from understudy.privacy import make_budget, make_noise, open_curator
    >>> from understudy.schema import Attribute
    >>> from understudy.tables import Table
    >>> import numpy as np
    >>> table = Table(Domain((Attribute(name="sex", size=2),)), (np.array([0, 1, 1, 1]),))
    >>> curator = open_curator(MemoryCounter(table), budget=make_budget(100), noise=make_noise(seed=1))
    >>> Independent().fit(curator).conditionals[0].tolist()
    [0.25, 0.75]
    """

    name: ClassVar[str] = "independent"
    makes: ClassVar[type[Model]] = NetworkModel

    def check(self, domain: Domain, terms: PrivacyTerms) -> None:
        """Refuse what cannot work whatever the rows are, before anything is charged or read."""
        refuse_drowning_noise(self._noise(domain, terms), terms.budget)

    def describe(self, domain: Domain, n: int, terms: PrivacyTerms) -> dict[str, object]:
        """What it does, as the privacy statement lists it."""
        return {"tables": f"{len(domain)} of one column each"}

    def remarks(self, model: Model, rows: int) -> tuple[str, ...]:
        """What readers of the statement should know, from published quantities."""
        if len(model.domain) < 2:
            return ()
        return ("this method publishes columns as independent of each other: whatever relations they have are lost.",)

    def plan(self, domain: Domain, n: int, terms: PrivacyTerms) -> Plan:
        """What a run would do, from public quantities alone."""
        noise = self._noise(domain, terms)
        rows = rows_share(terms)
        return baseline_plan(
            self.name,
            domain,
            n,
            noise=noise.mean_abs,
            shares={"rows": float(rows), "tables": float(1 - rows)},
            notes=("Columns are drawn independently of each other; relations between them are lost.",),
        )

    def fit(
        self, curator: Curator, *, streams: Streams | None = None, progress: Progress | None = None
    ) -> NetworkModel:
        """Learn a model. There are no coins to toss, so `streams` go unused."""
        n = curator.measure_rows(share=ROWS_SHARE)
        domain = curator.domain
        if progress is not None:
            progress("measuring columns", 0, 1)
        columns = [Marginal.of(a) for a in range(len(domain))]
        measurements = curator.ask(
            NoisyTables(marginals=columns, what="tables of one column"), share=curator.share_left
        )
        network = Network(domain, tuple(Node(a) for a in range(len(domain))))
        conditionals = fit_conditionals(network, measurements, n)
        return NetworkModel(network, conditionals, recode(domain, "hierarchical"), measurements, n)

    def _noise(self, domain: Domain, terms: PrivacyTerms) -> NoiseLevel:
        return terms.table_noise((1 - rows_share(terms)) / max(len(domain), 1))
