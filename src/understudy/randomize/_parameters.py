"""Conditional probabilities from un-mixed counts, and how far off they are.

The ratio N̂_jk / N̂_j of unbiased counts (with a Dirichlet prior's counts added to both, if there is one) is what the
published rows say by themselves. Both counts are linear in the published ones, so their variances and covariance are
known exactly, and the variance of the ratio follows from those: (σ₁² − 2θ·σ₁₂ + θ²·σ₂²)/N̂_j². A ratio may lie outside 0
to 1, and a model needs probabilities: it gets those of the fitted counts, which have no negative ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from understudy.models import Network, Node
from understudy.randomize._published import Fit, Published
from understudy.randomize._unmix import Dense, Floats, Map, Shared, apply_maps
from understudy.randomize._unmixed_counts import UnmixedCounts
from understudy.schema import Domain, Schema

_SWAMPED = 0.25  # a standard error this large leaves of a probability between 0 and 1 next to nothing


@dataclass(frozen=True, eq=False, kw_only=True)
class Family:
    """One child given its parents. Tables have one axis per parent, then the child's.

    `ratio` is the estimate from unbiased counts, and may lie outside 0 to 1; `standard_error` says how far randomising
    may have moved it from the share in the parties' own rows, `population_error` how far that and the choice of the
    rows may have moved it from a population's. Both are normal approximations, good where `reliable`: where the
    parents' count is at least four of its standard errors from 0. `probabilities` are the model's.
    """

    child: str
    parents: tuple[str, ...]
    node: Node
    probabilities: Floats
    ratio: Floats
    standard_error: Floats
    population_error: Floats
    counts: Floats
    """Un-mixed counts of the parents' configurations."""
    reliable: np.ndarray[Any, np.dtype[np.bool_]]
    """For each configuration of the parents."""
    rows: int

    @property
    def swamped(self) -> bool:
        """Whether for more than half of the rows, by their parents, the errors swamp the probabilities."""
        lost = ~self.reliable | (np.nan_to_num(self.standard_error, nan=np.inf).max(axis=-1) > _SWAMPED)
        weights = np.maximum(self.counts, 0.0)
        return float(weights[lost].sum()) > 0.5 * float(weights.sum())

    def to_dict(self, schema: Schema) -> dict[str, Any]:
        """As plain values, with the schema's labels; the parents at levels of generalisation as numbers of groups."""
        states = [_labels(schema, axis.attribute, axis.level) for axis in self.node.parents]
        own = list(schema.fields[self.node.child].labels)
        return {
            "variable": self.child,
            "parents": list(self.parents),
            "values": own,
            "rows": self.rows,
            "configurations": [
                {
                    "given": {name: names[code] for name, names, code in zip(self.parents, states, cell, strict=True)},
                    "count": _plain(self.counts[cell]),
                    "reliable": bool(self.reliable[cell]),
                    "probabilities": [_plain(value) for value in self.probabilities[cell]],
                    "ratios": [_plain(value) for value in self.ratio[cell]],
                    "standard_errors": [_plain(value) for value in self.standard_error[cell]],
                    "population_errors": [_plain(value) for value in self.population_error[cell]],
                }
                for cell in np.ndindex(*self.ratio.shape[:-1])
            ],
        }


def _plain(value: Any) -> float | None:
    return float(f"{value:.6g}") if np.isfinite(value) else None


def _labels(schema: Schema, attribute: int, level: int) -> list[str]:
    field = schema.fields[attribute]
    return list(field.labels) if level == 0 else [f"group {code}" for code in range(field.attribute.size_at(level))]


def learn_families(
    counts: UnmixedCounts, network: Network, *, prior: float = 0.0, how: Fit = "likelihood"
) -> tuple[Family, ...]:
    """All families of a network, in the order of its nodes. `prior` is the Dirichlet prior's count for each cell.

    >>> from fractions import Fraction
    >>> from understudy.randomize import Block, Inbox, PartyColumns, Plan, Response
    >>> from understudy.tables import Table
    >>> schema = Schema.from_dict({"fields": [{"name": "smokes", "categories": ["no", "yes"]}]})
    >>> block = Block(columns=("smokes",), sizes=(2,), matrix=Response(2, Fraction(3, 4)))
    >>> plan = Plan(party="hospital", schema=schema, blocks=(block,))
    >>> inbox = Inbox([PartyColumns(plan, Table(schema.domain, (np.array([0, 0, 0, 0, 0, 1, 1, 1]),)))])
    >>> [family] = learn_families(UnmixedCounts(inbox), Network(schema.domain, (Node(0),)))
    >>> family.ratio.tolist(), family.standard_error.round(4).tolist()
    ([0.75, 0.25], [0.3062, 0.3062])
    """
    published = counts.published([node.marginal for node in network.nodes])
    return tuple(
        _family(node, one, network.domain, prior, how) for node, one in zip(network.nodes, published, strict=True)
    )


def _family(node: Node, published: Published, domain: Domain, prior: float, how: Fit) -> Family:
    unmixed = published.unmixed()
    size = unmixed.counts.shape[-1]
    above = unmixed.counts.sum(axis=-1, keepdims=True)
    against = covariance_with_parents(published)
    below = against.sum(axis=-1, keepdims=True)  # Var(N̂_j) = Σ_k Cov(N̂_jk, N̂_j)
    total = above + prior * size
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(total > 0, (unmixed.counts + prior) / total, np.nan)
        variance = (unmixed.variance - 2 * ratio * against + ratio**2 * below) / total**2
        # rows drawn from a population add (N_jk·(1 − θ)² + (N_j − N_jk)·θ²)/N_j²
        drawn = (unmixed.counts * (1 - 2 * ratio) + ratio**2 * above) / total**2
    return Family(
        child=domain[node.child].name,
        parents=tuple(
            domain[axis.attribute].name + (f" (level {axis.level})" if axis.level else "") for axis in node.parents
        ),
        node=node,
        probabilities=conditional(published.fitted(how), prior),
        ratio=ratio,
        standard_error=np.sqrt(np.maximum(variance, 0.0)),
        population_error=np.sqrt(np.maximum(variance + drawn, 0.0)),
        counts=above[..., 0],
        reliable=(above >= 4 * np.sqrt(np.maximum(below, 0.0)))[..., 0] & (above[..., 0] >= 1),
        rows=unmixed.n,
    )


def conditional(table: Floats, prior: float = 0.0) -> Floats:
    """Rows of a table without negative cells as probabilities; a row without any mass gets the child's overall ones.

    >>> conditional(np.array([[3.0, 1.0], [0.0, 0.0]])).tolist()
    [[0.75, 0.25], [0.75, 0.25]]
    """
    raised = table + prior
    totals = raised.sum(axis=-1, keepdims=True)
    overall = raised.reshape(-1, table.shape[-1]).sum(axis=0)
    size = table.shape[-1]
    fallback = overall / overall.sum() if overall.sum() > 0 else np.full(size, 1 / size)
    return np.where(totals > 0, raised / np.where(totals > 0, totals, 1.0), fallback)


def covariance_with_parents(published: Published) -> Floats:
    """Cov(N̂_jk, N̂_j) for each cell of a table whose last axis is the child's: unbiased, for randomising alone."""
    child = published.order[-1]  # where the child's axis is, among those grouped by block
    maps: list[Map] = []
    first = 0
    for channel in published.channels:
        sizes: list[int] = []
        while prod(sizes) < channel.n_asked:  # an axis of one value may go to the next channel: no matter
            sizes.append(published.sizes[first + len(sizes)])
        if first <= child < first + len(sizes):
            maps.append(_times_summed(channel.unmixing, sizes, child - first))
        else:
            maps.append(channel.squared)
        first += len(sizes)
    grouped = apply_maps(published.table, maps)
    ordered = grouped.reshape(published.sizes).transpose(published.order)
    return np.asarray(ordered - published.unmixed().counts, dtype=np.float64)


def _times_summed(one: Map, sizes: Sequence[int], child: int) -> Dense:
    """Products of an entry of Q·A with the sum of those that differ in the child's value alone."""
    rows = one.dense if isinstance(one, Shared) else one.matrix
    cells = rows.reshape(rows.shape[0], *sizes)
    return Dense((cells * cells.sum(axis=1 + child, keepdims=True)).reshape(rows.shape))
