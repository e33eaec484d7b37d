"""The networks of the PRAM-BN paper's experiments, declared here since the paper has them as pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from understudy._core.randomness import streams
from understudy.models import HasNetwork, Network, NetworkModel, Node
from understudy.schema import Attribute, Axis, Domain, recode
from understudy.tables import Table

Tables = Mapping[str, tuple[str, Any]]

# Table II prints each node's values with the node's own value outermost: T is 0.10, 0.90 for its first value given
# A's two, then 0.90, 0.097. Its means are rounded here so that every row of a conditional adds up to 1.
_TABLE_2: Tables = {
    "A": ("", [0.70, 0.30]),
    "T": ("A", [[0.10, 0.90], [0.90, 0.10]]),
    "S": ("", [0.50, 0.50]),
    "L": ("S", [[0.30, 0.39, 0.31], [0.71, 0.14, 0.15]]),
    "B": ("S", [[0.80, 0.10, 0.10], [0.16, 0.48, 0.36]]),
    "E": ("TL", [[[0.25, 0.75], [0.81, 0.19], [0.14, 0.86]], [[0.50, 0.50], [0.31, 0.69], [0.41, 0.59]]]),
    "D": ("EB", [[[0.69, 0.31], [0.65, 0.35], [0.11, 0.89]], [[0.38, 0.62], [0.79, 0.21], [0.39, 0.61]]]),
    "X": ("E", [[0.20, 0.80], [0.60, 0.40]]),
    "C": ("DE", [[[0.90, 0.10], [0.38, 0.62]], [[0.61, 0.39], [0.25, 0.75]]]),
    "F": ("D", [[0.24, 0.76], [0.91, 0.09]]),
    "G": ("F", [[0.20, 0.80], [0.40, 0.60]]),
}
# Of Figure 3 the text says that all nodes are binary and that D's parents B and C are in another site than D.
_FIGURE_3: Tables = {
    "A": ("", [0.40, 0.60]),
    "B": ("A", [[0.75, 0.25], [0.30, 0.70]]),
    "C": ("A", [[0.35, 0.65], [0.70, 0.30]]),
    "D": ("BC", [[[0.90, 0.10], [0.60, 0.40]], [[0.35, 0.65], [0.15, 0.85]]]),
    "E": ("C", [[0.80, 0.20], [0.25, 0.75]]),
    "F": ("DE", [[[0.85, 0.15], [0.40, 0.60]], [[0.55, 0.45], [0.10, 0.90]]]),
    "G": ("F", [[0.70, 0.30], [0.20, 0.80]]),
}
PARTIES: Mapping[str, tuple[str, ...]] = {"table 2": ("ATX", "SLB", "EDCFG"), "figure 3": ("ABC", "DE", "FG")}
"""Who holds which columns: ours, except that D is apart from B and C in Figure 3."""
DRAWN = ("drawn 1", "drawn 2", "drawn 3", "drawn 4")
"""Networks with the links of Figure 3 and probabilities drawn anew, since levels depend on these."""
_STEP = 0.05  # of probabilities that are drawn
TABLE_2_COLUMNS = "".join(_TABLE_2)
"""In the order of Table II."""


def declare(tables: Tables) -> NetworkModel:
    """A network from each node's parents and its conditional: an axis for each parent, then the node's own.

    >>> declare({"a": ("", [0.5, 0.5]), "b": ("a", [[0.9, 0.1], [0.2, 0.8]])}).network.degree
    1
    """
    names = list(tables)
    domain = Domain(tuple(Attribute(name=name, size=np.shape(table)[-1]) for name, (_, table) in tables.items()))
    nodes = [Node(i, tuple(Axis(names.index(p)) for p in parents)) for i, (parents, _) in enumerate(tables.values())]
    conditionals = [np.array(table) for _, table in tables.values()]
    return NetworkModel(Network(domain, tuple(nodes)), conditionals, recode(domain, "vanilla"), (), 0)


@cache
def declared(name: str) -> NetworkModel:
    """The network of an experiment, as declared here.

    >>> sum(len(node.parents) for node in declared("table 2").network.nodes), len(declared("figure 3").domain)
    (12, 7)
    """
    if name in DRAWN:
        return declare(_drawn(DRAWN.index(name)))
    return declare({"table 2": _TABLE_2, "figure 3": _FIGURE_3}[name])


def _drawn(number: int) -> Tables:
    """The links of Figure 3, every probability drawn evenly from 0.05, 0.10, …, 0.95."""
    coins = streams(number).get("experiments", "pram", "drawn network")
    found = {}
    for node, (parents, table) in _FIGURE_3.items():
        shape = np.shape(table)[:-1]
        ones = _STEP * coins.integers(1, round(1 / _STEP), shape or (1,)).reshape(shape)
        found[node] = (parents, np.stack([1 - ones, ones], axis=-1))
    return found


def rows_of(model: NetworkModel, n: int, seed: int) -> Table:
    """So many rows of a network, each drawn on its own.

    >>> rows_of(declared("figure 3"), 100, 1).n
    100
    """
    batches = list(model.sample_codes(n, streams=streams(seed), independent=True))
    return Table(model.domain, tuple(np.concatenate([batch[i] for batch in batches]) for i in range(len(model.domain))))


def links_of(network: Network) -> frozenset[tuple[int, int]]:
    """The links from parents to children.

    >>> sorted(links_of(declared("figure 3").network))[:2]
    [(0, 1), (0, 2)]
    """
    return frozenset((axis.attribute, node.child) for node in network.nodes for axis in node.parents)


def log_likelihood(model: HasNetwork, columns: Sequence[Any]) -> Any:
    """The logarithm of each row's probability; of an impossible row, that of one in 10¹²."""
    total = np.zeros(len(columns[0]))
    for node, table in zip(model.network.nodes, model.conditionals, strict=True):
        cells = tuple(columns[axis.attribute] for axis in node.marginal.axes)
        total += np.log(np.maximum(table[cells], 1e-12))
    return total


def divergence(truth: NetworkModel, learnt: HasNetwork, *, rows: int = 200_000) -> float:
    """KL distance of what was learnt from the truth, in nats: exact for few columns, else over fresh rows of the truth.

    >>> divergence(declared("figure 3"), declared("figure 3"))
    0.0
    """
    sizes = [attribute.size for attribute in truth.domain]
    if np.prod(sizes, dtype=float) <= 1 << 12:
        columns = [part.ravel() for part in np.indices(sizes)]
        true = log_likelihood(truth, columns)
        return float(np.exp(true) @ (true - log_likelihood(learnt, columns)))
    columns = list(rows_of(truth, rows, 99).columns)
    return float((log_likelihood(truth, columns) - log_likelihood(learnt, columns)).mean())
