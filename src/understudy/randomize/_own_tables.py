"""From a party's noisy counts to its variables' parameters: un-mixed where parents were randomised, with error bars.

One table for each family, a variable and its parents. What is measured are counts of the party's true columns together
with others' randomised ones, with central noise; all that follows is post-processing (proof.md, section 5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from understudy._core.errors import InternalError
from understudy.counting import Counter, Counts
from understudy.models import consistent_tables, project_to_simplex
from understudy.privacy import Curator, Measurement, NoisyTables
from understudy.randomize._unmix import Floats
from understudy.randomize._unmixed_counts import Layout, UnmixedCounts
from understudy.schema import Domain, Marginal, Recoding, project


@dataclass(frozen=True, eq=False)
class Conditional:
    """One variable's parameters: an axis for each parent, then its own; and the standard error of each.

    Errors are of randomising, of the central noise, and of the rows being a sample.
    """

    probabilities: Floats
    errors: Floats
    people: Floats
    """About how many have each configuration of the parents."""
    n: int


@dataclass(frozen=True, eq=False)
class _Family:
    """A variable with its parents, how it is counted, and the measured table that holds its counts."""

    marginal: Marginal
    layout: Layout
    rows: int
    local: bool
    holder: int = -1


class OwnTables:
    """The tables that a party measures for its families, and what it makes of them.

    `own` are the attributes that the party itself holds, with their true codes; a family that touches no others is
    local. A table that can be summed out of another one of the same rows is not measured.

    It is also the `Counter` of these tables, for a curator: each is of the rows that all parties it touches share.
    """

    def __init__(self, counts: UnmixedCounts, own: frozenset[int], families: Sequence[Marginal]) -> None:
        self._counts = counts
        found = []
        for family in families:
            local = own.issuperset(family.attributes)
            rows = counts.inbox.table_of(family.attributes).n
            found.append(_Family(family, counts.layout(family), rows, local))
        self._measured = _to_measure(found)
        self._families = [replace(family, holder=_holder(family, self._measured)) for family in found]

    @property
    def domain(self) -> Domain:
        """The party's own attributes, then those that it was sent."""
        return self._counts.domain

    @property
    def n(self) -> int:
        """Number of the party's own rows."""
        return self._counts.inbox.parties[0].n

    def count(self, marginals: Sequence[Marginal]) -> list[Counts]:
        """The tables that were announced, exact."""
        layouts = {family.layout.counted: family.layout for family in self._measured}
        return self._counts.count_published([layouts[marginal] for marginal in marginals])

    def recoded(self, recoding: Recoding) -> Counter:
        """Never: the tables are announced beforehand, in the codes that the columns were sent in."""
        raise InternalError("a party's own tables were to be counted in other codes than those they were announced in.")

    @property
    def marginals(self) -> list[Marginal]:
        """All tables that are measured."""
        return [family.layout.counted for family in self._measured]

    def measure(self, curator: Curator) -> list[Conditional]:
        """Spend all of the budget, in equal shares, on the tables; then each family's parameters."""
        question = NoisyTables(marginals=self.marginals, what="tables of a party's own variables")
        return self.learn(curator.ask(question, share=curator.share_left))

    def learn(self, measurements: Sequence[Measurement]) -> list[Conditional]:
        """Each family's parameters, from the measured tables."""
        domain = self.domain
        local = [number for number, family in enumerate(self._measured) if family.local]
        rows = self._measured[local[0]].rows if local else 0
        agreed = dict(
            zip(local, consistent_tables([measurements[number] for number in local], domain, rows), strict=True)
        )
        return [
            local_conditional(family.marginal, measurements[family.holder], agreed[family.holder], domain, rows)
            if family.local
            else cross_conditional(family.layout, measurements[family.holder], domain, family.rows)
            for family in self._families
        ]


def _to_measure(families: Sequence[_Family]) -> list[_Family]:
    """One family for each table that is not part of another; large ones first, so that a part finds its whole."""
    kept: list[_Family] = []
    for family in sorted(families, key=lambda f: -len(f.layout.counted.axes)):
        if _holder(family, kept) < 0:
            kept.append(family)
    return kept


def _holder(family: _Family, measured: Sequence[_Family]) -> int:
    """The smallest measured table that holds this family's; −1 if none does."""
    holding = [
        number
        for number, other in enumerate(measured)
        if (other.local, other.layout.files) == (family.local, family.layout.files)
        and other.layout.counted.refines(family.layout.counted)
    ]
    return min(holding, key=lambda number: len(measured[number].layout.counted.axes), default=-1)


def local_conditional(family: Marginal, measured: Measurement, agreed: Floats, domain: Domain, n: int) -> Conditional:
    """The parameters of a variable whose parents are all at home, from tables that were brought to agree."""
    joint = project(agreed, measured.marginal, family, domain).astype(np.float64)
    summed = measured.counts.size / joint.size  # measured cells in each of this family's
    return _conditional(joint, np.full(joint.shape, summed * float(measured.noise.variance)), n)


def cross_conditional(layout: Layout, measured: Measurement, domain: Domain, n: int) -> Conditional:
    """The parameters of a variable some of whose parents were randomised, from noisy counts of n rows.

    The variable itself is not randomised, so its axis is left alone, and cells of different values of it err
    independently of each other.
    """
    counted = project(measured.counts, measured.marginal, layout.counted, domain)
    noisy = layout.published(counted)
    noise = float(measured.noise.variance) * measured.counts.size / counted.size
    variance = np.maximum(noisy.unmixed().variance + noisy.variance_from(noise), 0.0)
    # what is most likely is asked of counts that can be: the nearest without negative cells, with the right total
    plausible = project_to_simplex(noisy.table.ravel(), float(n)).reshape(noisy.table.shape)
    return _conditional(replace(noisy, table=plausible, n=n).fitted("likelihood"), variance, n)


def _conditional(joint: Floats, variance: Floats, n: int) -> Conditional:
    """Each row divided by its total; its error by the delta method, cells being independent along the last axis.

    θ = N_k/ΣN has variance ((1 − θ)²·V_k + θ²·Σ_{others} V)/(ΣN)² from noise, and θ(1 − θ)/ΣN from sampling. A row
    without mass gets the variable's overall distribution, and the largest error that a probability can have.
    """
    mass = joint.sum(axis=-1, keepdims=True)
    overall = joint.reshape(-1, joint.shape[-1]).sum(axis=0)
    overall = overall / overall.sum() if overall.sum() > 0 else np.full(len(overall), 1 / len(overall))
    some = mass > 0
    safe = np.where(some, mass, 1.0)
    probabilities = np.where(some, joint / safe, overall)
    spread = (1 - 2 * probabilities) * variance + probabilities**2 * variance.sum(axis=-1, keepdims=True)
    sampled = probabilities * (1 - probabilities) / safe
    errors = np.where(some, np.sqrt(np.maximum(spread, 0.0) / safe**2 + sampled), 0.5)
    return Conditional(probabilities, np.minimum(errors, 0.5), mass[..., 0], n)
