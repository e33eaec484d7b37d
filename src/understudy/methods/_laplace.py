"""Noise on every table that anyone may ask for: the plainest baseline for count queries."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import ClassVar

from understudy._core.randomness import Streams
from understudy.methods._count_tables import (
    SECONDS_PER_CELL,
    SECONDS_PER_TABLE,
    count_cells,
    count_plan,
    marginals_of,
    refuse_many_tables,
    shares_of,
)
from understudy.methods._plan import Plan
from understudy.methods._search import Progress
from understudy.methods._settings import ROWS_SHARE, refuse_drowning_noise, rows_share
from understudy.models import Model, TablesModel, clip_and_rescale
from understudy.options import Declared, Whole, option
from understudy.privacy import Curator, NoiseLevel, NoisyTables, PrivacyTerms
from understudy.schema import Domain


@dataclass(frozen=True, slots=True, kw_only=True)
class Laplace(Declared):
    """Noise on all tables of `ways` columns, each on its own: a baseline that answers tables and draws no rows.

    All tables get the same share of the budget. Negative cells become 0 and the rest is rescaled to sum to the number
    of rows, as the PrivBayes paper does for its baselines. Tables need not agree with each other.

    Unit: one row. Bound: the budget, as m tables at 1/m of it each (after the number of rows, where that is private);
    with a δ the noise is Gaussian. Both neighbour relations.

    >>> from understudy.counting import MemoryCounter
    >>> from understudy.privacy import make_budget, make_noise, open_curator
    >>> from understudy.schema import Attribute, Marginal
    >>> from understudy.tables import Table
    >>> import numpy as np
    >>> domain = Domain((Attribute(name="sex", size=2), Attribute(name="ill", size=2)))
    >>> table = Table(domain, (np.array([0, 1, 1, 1]), np.array([0, 0, 0, 1])))
    >>> curator = open_curator(MemoryCounter(table), budget=make_budget(100), noise=make_noise(seed=1))
    >>> Laplace(ways=2).fit(curator).marginal(Marginal.of(0)).probabilities.tolist()
    [0.25, 0.75]
    """

    name: ClassVar[str] = "laplace"
    makes: ClassVar[type[Model]] = TablesModel
    ways: int = option(3, Whole(at_least=1), help="Columns of a table. No marginal over more of them can be answered.")

    def check(self, domain: Domain, terms: PrivacyTerms) -> None:
        """Refuse what cannot work whatever the rows are, before anything is charged or read."""
        refuse_many_tables(self.name, domain, self.ways)
        refuse_drowning_noise(self._noise(domain, terms), terms.budget)

    def describe(self, domain: Domain, n: int, terms: PrivacyTerms) -> dict[str, object]:
        """What it does, as the privacy statement lists it."""
        return {"tables": f"{self._n_tables(domain):,} of {min(self.ways, len(domain))} columns each"}

    def remarks(self, model: Model, rows: int) -> tuple[str, ...]:
        """What readers of the statement should know, from published quantities."""
        return ("this baseline publishes tables that need not agree with each other, and no rows.",)

    def plan(self, domain: Domain, n: int, terms: PrivacyTerms) -> Plan:
        """What a run would do, from public quantities alone."""
        cells = count_cells([attribute.size for attribute in domain], self.ways)
        return count_plan(
            self.name,
            domain,
            n,
            ways=self.ways,
            noise=self._noise(domain, terms).mean_abs,
            shares=shares_of(rows_share(terms), tables=1),
            seconds=SECONDS_PER_CELL * cells + SECONDS_PER_TABLE * self._n_tables(domain),
            cells=cells,
            notes=("Tables only: no rows can be drawn.",),
        )

    def fit(self, curator: Curator, *, streams: Streams | None = None, progress: Progress | None = None) -> TablesModel:
        """Measure all tables. There are no coins to toss, so `streams` go unused."""
        refuse_many_tables(self.name, curator.domain, self.ways)
        n = curator.measure_rows(share=ROWS_SHARE)
        marginals = marginals_of(curator.domain, self.ways)
        if progress is not None:
            progress("measuring tables", 0, 1)
        what = f"tables of {min(self.ways, len(curator.domain))} columns"
        measured = curator.ask(NoisyTables(marginals=marginals, what=what), share=curator.share_left)
        return TablesModel(
            curator.domain,
            n,
            {noisy.marginal.attributes: clip_and_rescale(noisy.counts) for noisy in measured},
            advice="Raise the option 'ways'.",
        )

    def _n_tables(self, domain: Domain) -> int:
        return comb(len(domain), min(self.ways, len(domain)))

    def _noise(self, domain: Domain, terms: PrivacyTerms) -> NoiseLevel:
        return terms.table_noise((1 - rows_share(terms)) / self._n_tables(domain))
