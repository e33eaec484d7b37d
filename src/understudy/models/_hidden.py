"""What noise may hide in cells that a model leaves without rows: the answer may be 0, its interval is not.

A model fitted again to redrawn noise moves what it has. Values whose noisy counts fell below what stands out it has in
no row at all, and none of its redrawn forms has one either; yet there may be as many as the noise of a count reaches.
"""

from __future__ import annotations

from math import sqrt
from typing import Protocol

import numpy as np
import numpy.typing as npt

from understudy._core.randomness import Streams
from understudy.models._posterior import Evidence
from understudy.models._protocol import NoisyColumn
from understudy.models._uncertainty import Estimate
from understudy.schema import Domain, Marginal, Zeros


class Measured(Protocol):
    """A model that knows the noisy counts of its columns."""

    @property
    def domain(self) -> Domain: ...

    def noisy_column(self, a: int) -> NoisyColumn | None: ...

    def marginal(self, marginal: Marginal, *, evidence: Evidence | None = None, errors: bool = True) -> Estimate: ...


def with_hidden(
    model: Measured, estimate: Estimate, marginal: Marginal, evidence: Evidence | None, rows: float
) -> Estimate:
    """The model's estimate with noise in cells that hold, and under redrawn noise would hold, less than noise reaches.

    Of an answer about some rows only, noise is the larger the fewer they are: as many as fit the evidence if its
    columns have nothing to do with each other. What the domain's rules leave no row for stays as it is.
    """
    if estimate.high is None or estimate.replicates is None or any(axis.level for axis in marginal.axes):
        return estimate
    columns = [model.noisy_column(a) for a in marginal.attributes]
    variances = [column[1] for column in columns if column is not None and column[1] > 0]
    if not variances:
        return estimate
    given = evidence or {}
    for a, weights in given.items():
        own = model.marginal(Marginal.of(a), errors=False).probabilities
        rows *= float(own[np.asarray(weights) > 0].sum())
    reach = sqrt(min(variances)) / max(rows, 1.0)
    possible = _possible(marginal, model.domain, given)
    lost = (estimate.high < 1.6 * reach) & possible
    if possible.all() and not lost.any():
        return estimate
    rng = Streams(0).get("hidden", *map(str, marginal.attributes))
    # to both sides, as in sums over many such cells it evens out; what is below 0 ends at 0 where it is told
    noise = rng.normal(0.0, min(reach, 1.0), estimate.replicates.shape)
    moved = np.where(lost, estimate.probabilities + noise, estimate.replicates)
    replicates = np.where(possible, moved, estimate.probabilities)  # which a model that knows no rules may have moved
    return Estimate.from_replicates(estimate.probabilities, replicates)


def _possible(marginal: Marginal, domain: Domain, evidence: Evidence) -> npt.NDArray[np.bool_]:
    """The cells that rules about these attributes, and those that the evidence is about, leave rows for."""
    wanted = tuple(marginal.attributes)
    found = np.ones([domain[a].size for a in wanted], dtype=np.bool_)
    for rule in domain.rules:
        if not isinstance(rule, Zeros) or not set(rule.attributes) <= {*wanted, *evidence}:
            continue
        possible = rule.possible
        for axis, a in reversed(list(enumerate(rule.attributes))):
            if a not in wanted:
                possible = np.asarray(np.compress(np.asarray(evidence[a]) > 0, possible, axis=axis).any(axis=axis))
        own = [a for a in rule.attributes if a in wanted]
        places = [own.index(a) for a in wanted if a in own]
        shape = [domain[a].size if a in own else 1 for a in wanted]
        found &= possible.transpose(places).reshape(shape)
    return found
