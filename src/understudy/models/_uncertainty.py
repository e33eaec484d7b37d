"""Error bars from the known noise: a parametric bootstrap, which costs no budget.

The tables that were measured are computed from the model, fresh noise of the published level is laid on them, the
conditionals are fitted again and the query is answered again. What the answers scatter by is what the noise does to
them. It says nothing about what the network's structure leaves out, nor about sampling people from a population.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from understudy._core.errors import UserError
from understudy._core.randomness import Rng, Streams
from understudy.models._inference import Floats
from understudy.models._posterior import Posterior
from understudy.models._simplex import project_to_simplex
from understudy.models._structure import Network, Node
from understudy.schema import Axis, Domain, Marginal

if TYPE_CHECKING:
    from understudy.privacy import Measurement

Refit: TypeAlias = Callable[[Network, Sequence["Measurement"], int], Sequence[Floats]]

REPLICATES = 30
STUDENT_95 = 2.042  # two-sided 95 % quantile, 30 degrees of freedom


@dataclass(frozen=True, eq=False, kw_only=True)
class Estimate:
    """Probabilities, and how far the noise may have moved them.

    `standard_error` is the root mean square of what redrawn noise changes; `low` and `high` bound a 95 % interval.
    All three are None where no errors were asked for, or neither measurements nor errors of parameters are known. They
    cover the noise only, not what the model's structure leaves out. `replicates` are the probabilities under redrawn
    noise, one table each: whatever is computed from probabilities has its error from them. Number i of one answer goes
    with number i of another answer of the same model.
    """

    probabilities: Floats
    standard_error: Floats | None = None
    low: Floats | None = None
    high: Floats | None = None
    replicates: Floats | None = None

    @classmethod
    def from_replicates(cls, probabilities: Floats, replicates: Floats) -> Estimate:
        """From answers under redrawn noise, one per row of `replicates`.

        >>> estimate = Estimate.from_replicates(np.array([0.5]), np.array([[0.4], [0.6]]))
        >>> estimate.standard_error.round(3).tolist()
        [0.1]
        """
        # around the answer itself, not around the replicates' mean: the pull of projecting onto the simplex counts too
        error = np.sqrt(np.mean((replicates - probabilities) ** 2, axis=0))
        reach = STUDENT_95 * error
        return cls(
            probabilities=probabilities,
            standard_error=error,
            low=np.clip(probabilities - reach, 0.0, 1.0),
            high=np.clip(probabilities + reach, 0.0, 1.0),
            replicates=replicates,
        )


def needed_attributes(network: Network, measurements: Sequence[Measurement], wanted: frozenset[int]) -> frozenset[int]:
    """`wanted` with its ancestors, and with what shares a measured table where a node's own was not measured."""
    needed = network.ancestors(wanted)
    while True:
        more = set(needed)
        inside = [m for m in measurements if needed.issuperset(m.marginal.attributes)]
        for node in network.nodes:
            if node.child in needed and not any(m.marginal.refines(node.marginal) for m in inside):
                covers = [m.marginal for m in measurements if m.marginal.refines(node.marginal)]
                if covers:
                    more.update(min(covers, key=lambda c: (c.n_cells(network.domain), c.axes)).attributes)
        if len(more) == len(needed):
            return needed
        needed = network.ancestors(frozenset(more))


def redraw(expected: Floats, measurement: Measurement, rng: Rng) -> Floats:
    """A table with fresh noise of the same kind and variance, cell by cell."""
    unequal = bool(measurement.factors)
    spread = np.sqrt(measurement.variances()) if unequal else sqrt(float(measurement.noise.variance))
    if measurement.noise.kind == "laplace":
        return expected + rng.laplace(0.0, spread / sqrt(2.0), expected.shape)
    noise = rng.normal(0.0, spread, expected.shape)
    if measurement.noise.kind == "balanced":  # sums to 0, with the same variance in each cell
        noise = (noise - noise.mean()) * sqrt(noise.size / max(noise.size - 1, 1))
    return expected + noise


def replicate(
    posterior: Posterior,
    marginal: Marginal,
    measurements: Sequence[Measurement],
    expected: Sequence[Floats],
    *,
    needed: frozenset[int],
    n: int,
    refit: Refit,
) -> Floats:
    """Answers to the query under redrawn noise, one per row.

    `needed` are the attributes to fit again, `measurements` the tables to do it with, `expected` what the model
    expects in them.
    """
    attributes = sorted(needed)
    small, index = _restrict(posterior.network, attributes)
    local = [replace(m, marginal=_renumber(m.marginal, index)) for m in measurements]
    streams = _streams(measurements)
    fitted = []
    for _ in range(REPLICATES):
        redrawn = [
            replace(m, counts=np.rint(redraw(table, m, rng)).astype(np.int64)) if m.noise.kind != "none" else m
            for m, table, rng in zip(local, expected, streams, strict=True)
        ]
        fitted.append(refit(small, redrawn, n))
    order = [attributes[node.child] for node in small.nodes]
    together = {a: np.stack([tables[i] for tables in fitted]) for i, a in enumerate(order)}
    try:
        return replace(posterior, tables=together, replicates=REPLICATES).marginal(marginal)
    except UserError:  # all at once is too large: one by one
        singly = [replace(posterior, tables=dict(zip(order, tables, strict=True))) for tables in fitted]
        return np.stack([one.marginal(marginal) for one in singly])


def redrawn(
    posterior: Posterior, marginal: Marginal, spreads: Mapping[int, Floats], *, needed: frozenset[int]
) -> Floats:
    """Answers to the query with conditionals redrawn around themselves, one per row.

    `spreads` are their standard errors. Normal, cell by cell, and projected onto the simplex; cells are taken as
    independent but for that, which is rough: some of their errors make up for each other, others go together.
    """
    streams = {a: Streams(0).get("error bars", str(a)) for a in sorted(needed)}
    fitted = [
        {a: _around(posterior.tables[a], spreads[a], rng) for a, rng in streams.items()} for _ in range(REPLICATES)
    ]
    together = {a: np.stack([tables[a] for tables in fitted]) for a in sorted(needed)}
    try:
        return replace(posterior, tables=together, replicates=REPLICATES).marginal(marginal)
    except UserError:  # all at once is too large: one by one
        return np.stack([replace(posterior, tables=tables).marginal(marginal) for tables in fitted])


def _streams(measurements: Sequence[Measurement]) -> list[Rng]:
    """One for each table, by its name: another query that needs it lays the same noise on it."""
    seen: dict[Marginal, int] = {}
    found = []
    for measurement in measurements:
        number = seen[measurement.marginal] = seen.get(measurement.marginal, 0) + 1
        axes = " ".join(f"{axis.attribute}.{axis.level}" for axis in measurement.marginal.axes)
        found.append(Streams(0).get("error bars", axes, str(number)))
    return found


def _around(table: Floats, spread: Floats, rng: Rng) -> Floats:
    size = table.shape[-1]
    # a row sums to 1, and centring takes 1/size of the variance away
    widened = spread * sqrt(size / (size - 1)) if size > 1 else spread
    rows = (table + rng.normal(0.0, 1.0, table.shape) * widened).reshape(-1, size)
    return project_to_simplex(rows, 1.0).reshape(table.shape)


def _restrict(network: Network, attributes: Sequence[int]) -> tuple[Network, Mapping[int, int]]:
    """The network over some attributes, which must hold their ancestors, renumbered."""
    index = {a: i for i, a in enumerate(attributes)}
    nodes = tuple(
        Node(index[node.child], tuple(Axis(index[axis.attribute], axis.level) for axis in node.parents))
        for node in network.nodes
        if node.child in index
    )
    return Network(Domain(tuple(network.domain[a] for a in attributes)), nodes), index


def _renumber(marginal: Marginal, index: Mapping[int, int]) -> Marginal:
    return Marginal(tuple(Axis(index[axis.attribute], axis.level) for axis in marginal.axes))
