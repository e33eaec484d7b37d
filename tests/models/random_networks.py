"""Small networks with levels and encodings, and their whole joint distribution, worked out the slow way."""

from __future__ import annotations

import itertools

import numpy as np

from understudy.models import Network, NetworkModel, Node
from understudy.schema import Attribute, Axis, Domain, Level, Marginal, recode

ENCODINGS = ("vanilla", "hierarchical", "binary", "gray")


def attribute(rng: np.random.Generator, name: str, size: int) -> Attribute:
    """An attribute with a random chain of levels."""
    levels: list[Level] = []
    groups, n_groups = np.arange(size), size
    while n_groups > 1 and rng.random() < 0.7:
        n_coarse = int(rng.integers(1, n_groups))
        merge = np.concatenate((np.arange(n_coarse), rng.integers(0, n_coarse, n_groups - n_coarse)))
        groups, n_groups = rng.permutation(merge)[groups], n_coarse
        levels.append(Level(groups=tuple(int(g) for g in groups)))
    return Attribute(name=name, size=size, coarser=tuple(levels))


def random_model(
    seed: int, sizes: tuple[int, ...], encoding: str = "hierarchical", *, degree: int = 3, sparse: bool = True
) -> NetworkModel:
    """A model with random levels, parents and conditionals; some cells are exactly zero if `sparse`."""
    rng = np.random.default_rng(seed)
    source = Domain(tuple(attribute(rng, f"a{i}", size) for i, size in enumerate(sizes)))
    recoding = recode(source, encoding)
    domain = recoding.target
    nodes: list[Node] = []
    for child in rng.permutation(len(domain)):
        earlier = [node.child for node in nodes]
        count = int(rng.integers(0, min(degree, len(earlier)) + 1))
        parents = sorted(int(p) for p in rng.choice(earlier, count, replace=False)) if count else []
        axes = tuple(Axis(p, int(rng.integers(0, domain[p].n_levels))) for p in parents)
        nodes.append(Node(int(child), axes))
    network = Network(domain, tuple(nodes))
    conditionals = []
    for node in nodes:
        table = rng.random(network.shape(node)) ** 3 + 1e-3
        if sparse:
            table = table * (rng.random(table.shape) < 0.8)
            table[..., 0] += 1e-3
        conditionals.append(table / table.sum(axis=-1, keepdims=True))
    return NetworkModel(network, conditionals, recoding, (), 1000)


def joint(model: NetworkModel) -> np.ndarray:
    """P(all source attributes), cell by cell."""
    domain, recoding = model.network.domain, model.recoding
    result = np.zeros([a.size for a in recoding.source])
    for codes in itertools.product(*(range(a.size) for a in domain)):
        p = 1.0
        for node, table in zip(model.network.nodes, model.conditionals, strict=True):
            cell = [int(domain[x.attribute].groups_at(x.level)[codes[x.attribute]]) for x in node.parents]
            p *= table[(*cell, codes[node.child])]
        where = []
        for pieces, back in zip(recoding.pieces, recoding.back, strict=True):
            number = 0
            for piece in pieces:
                number = number * domain[piece].size + codes[piece]
            where.append(back[number])
        result[tuple(where)] += p
    return result


def brute_marginal(full: np.ndarray, marginal: Marginal, domain: Domain) -> np.ndarray:
    """Sum a joint distribution down to a marginal, cell by cell."""
    result = np.zeros(marginal.shape(domain))
    for codes, p in np.ndenumerate(full):
        result[tuple(int(domain[a].groups_at(level)[codes[a]]) for a, level in marginal.axes)] += p
    return result


def condition(full: np.ndarray, evidence: dict[int, np.ndarray]) -> np.ndarray:
    """A joint distribution times the weights of evidence, rescaled."""
    for a, weights in evidence.items():
        full = full * weights.reshape([-1 if i == a else 1 for i in range(full.ndim)])
    return full / full.sum()
