"""One noisy table over all columns: every question is a sum over its cells."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import ClassVar, Literal, TypeAlias, get_args

from understudy._core.randomness import Streams
from understudy.methods._count_tables import (
    SECONDS_PER_CELL,
    count_plan,
    refuse_large_domain,
    shares_of,
)
from understudy.methods._plan import Plan
from understudy.methods._search import Progress
from understudy.methods._settings import ROWS_SHARE, refuse_drowning_noise, rows_share
from understudy.models import JointModel, Model, NoisyJoint, clip_and_rescale, joint_shape
from understudy.options import Declared, OneOf, option
from understudy.privacy import Curator, NoiseLevel, NoisyTables, PrivacyTerms
from understudy.schema import Domain, Marginal

Clip: TypeAlias = Literal["marginals", "table"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contingency(Declared):
    """Noise on one table over all columns, summed for each question: a baseline for up to 2²⁴ possible rows.

    A marginal is summed out of the noisy table. Then its negative cells become 0 and the rest is rescaled to sum to the
    number of rows, as the PrivBayes paper does for its baselines.

    Unit: one row. Bound: the budget, for one table (after the number of rows, where that is private); with a δ the
    noise is Gaussian. Both neighbour relations.

    >>> from understudy.counting import MemoryCounter
    >>> from understudy.privacy import make_budget, make_noise, open_curator
    >>> from understudy.schema import Attribute
    >>> from understudy.tables import Table
    >>> import numpy as np
    >>> domain = Domain((Attribute(name="sex", size=2), Attribute(name="ill", size=2)))
    >>> table = Table(domain, (np.array([0, 1, 1, 1]), np.array([0, 0, 0, 1])))
    >>> curator = open_curator(MemoryCounter(table), budget=make_budget(100), noise=make_noise(seed=1))
    >>> Contingency(clip="table").fit(curator).probabilities.tolist()
    [[0.25, 0.0], [0.5, 0.25]]
    """

    name: ClassVar[str] = "contingency"
    clip: Clip = option(
        "marginals",
        OneOf(*get_args(Clip)),
        help="Where negative cells are cut off: in each marginal, after summing, so that noise cancels; or in the "
        "whole table, before, which makes a distribution over rows, but a far worse one where most of its cells "
        "are empty.",
    )

    @property
    def makes(self) -> type[Model]:
        """The class of what it learns."""
        return NoisyJoint if self.clip == "marginals" else JointModel

    def check(self, domain: Domain, terms: PrivacyTerms) -> None:
        """Refuse what cannot work whatever the rows are, before anything is charged or read."""
        refuse_large_domain(self.name, domain)
        refuse_drowning_noise(self._noise(terms), terms.budget)

    def describe(self, domain: Domain, n: int, terms: PrivacyTerms) -> dict[str, object]:
        """What it does, as the privacy statement lists it."""
        return {"tables": f"one of all columns, {prod(joint_shape(domain)):,} cells", "clip": self.clip}

    def remarks(self, model: Model, rows: int) -> tuple[str, ...]:
        """What readers of the statement should know, from published quantities."""
        if self.clip == "marginals":
            return ("this baseline answers marginals, which need not agree with each other, and publishes no rows.",)
        cells = prod(joint_shape(model.domain))
        if cells <= rows:
            return ()
        return (
            f"the table has {cells:,} cells for {rows:,} rows: most are empty, and what noise leaves in them when "
            "negative cells are cut off draws every answer towards the uniform one.",
        )

    def plan(self, domain: Domain, n: int, terms: PrivacyTerms) -> Plan:
        """What a run would do, from public quantities alone."""
        cells = prod(joint_shape(domain))
        return count_plan(
            self.name,
            domain,
            n,
            ways=len(domain),
            noise=self._noise(terms).mean_abs,
            shares=shares_of(rows_share(terms), tables=1),
            seconds=SECONDS_PER_CELL * cells,
            cells=2 * cells,
            notes=(f"One table over all columns, with {cells:,} cells for {n:,} rows.",),
        )

    def fit(
        self, curator: Curator, *, streams: Streams | None = None, progress: Progress | None = None
    ) -> NoisyJoint | JointModel:
        """Measure the table. There are no coins to toss, so `streams` go unused."""
        domain = curator.domain
        refuse_large_domain(self.name, domain)
        n = curator.measure_rows(share=ROWS_SHARE)
        if progress is not None:
            progress("measuring the table", 0, 1)
        everything = Marginal.of(*(a for a, attribute in enumerate(domain) if attribute.size > 1))
        [noisy] = curator.ask(
            NoisyTables(marginals=[everything], what="one table of all columns"), share=curator.share_left
        )
        if self.clip == "marginals":
            return NoisyJoint(domain, n, noisy.counts)
        return JointModel(domain, n, clip_and_rescale(noisy.counts))

    def _noise(self, terms: PrivacyTerms) -> NoiseLevel:
        return terms.table_noise(1 - rows_share(terms))
