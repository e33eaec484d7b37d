"""Small junction trees with merged values, and their whole joint distribution, worked out the slow way."""

from __future__ import annotations

import itertools
from math import prod

import numpy as np

from tests.models.random_networks import attribute
from understudy.models import CliqueTree, TreeMeasurement, TreeModel, Within
from understudy.schema import Domain


def random_shape(rng: np.random.Generator, n_attributes: int) -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]:
    """Cliques and parents over attributes in a random order: chains, stars, forests, cliques inside others."""
    waiting = [int(a) for a in rng.permutation(n_attributes)]
    cliques: list[tuple[int, ...]] = []
    parents: list[int] = []
    while waiting or rng.random() < 0.2:
        parent = int(rng.integers(-1, len(cliques))) if cliques else -1
        held = cliques[parent] if parent >= 0 else ()
        shared = [a for a in held if rng.random() < 0.6]
        new = [waiting.pop() for _ in range(min(len(waiting), int(rng.integers(0, 3))))]
        if shared or new:
            cliques.append(tuple(sorted((*shared, *new))))
            parents.append(parent)
    return tuple(cliques), tuple(parents)


def random_table(rng: np.random.Generator, shape: tuple[int, ...], *, sparse: bool) -> np.ndarray:
    """Positive weights, some of them zero if `sparse`; at least one is not."""
    table = rng.random(shape) ** 3 + 1e-3
    return table * (rng.random(shape) < 0.8) + 1e-3 * (np.arange(table.size) == 0).reshape(shape) if sparse else table


def calibrated(rng, sizes, cliques, parents, *, sparse: bool = True) -> CliqueTree:
    """Random beliefs that agree: each clique is its parent's separator times a random conditional."""
    beliefs: list[np.ndarray] = []
    for clique, parent in zip(cliques, parents, strict=True):
        shared = tuple(a for a in clique if parent >= 0 and a in cliques[parent])
        new = tuple(a for a in clique if a not in shared)
        rows = random_table(rng, (prod(sizes[a] for a in shared), prod(sizes[a] for a in new)), sparse=sparse)
        rows[:, 0] += 1e-3
        rows /= rows.sum(axis=1, keepdims=True)
        if shared:
            gone = tuple(i for i, a in enumerate(cliques[parent]) if a not in shared)
            rows *= beliefs[parent].sum(axis=gone).reshape(-1, 1)
        table = rows.reshape([sizes[a] for a in (*shared, *new)])
        beliefs.append(table.transpose([(*shared, *new).index(a) for a in clique]))
    return CliqueTree(tuple(sizes), cliques, parents, tuple(beliefs))


def random_within(rng: np.random.Generator, size: int) -> Within | None:
    """Some values merged, sometimes all, sometimes none."""
    if size == 1 or rng.random() < 0.4:
        return None
    n_merged = int(rng.integers(1, size))
    codes = rng.permutation(np.concatenate((np.arange(n_merged), rng.integers(0, n_merged, size - n_merged))))
    shares = rng.random(size) * (rng.random(size) < 0.8) + 1e-3
    return Within(codes, shares / np.bincount(codes, weights=shares)[codes])


def random_tree(seed: int, sizes: tuple[int, ...], *, sparse: bool = True, merge: bool = True) -> TreeModel:
    """A model with random levels, cliques, beliefs and merged values, and one measured table for each clique."""
    rng = np.random.default_rng(seed)
    domain = Domain(tuple(attribute(rng, f"a{i}", size) for i, size in enumerate(sizes)))
    within = [random_within(rng, size) if merge else None for size in sizes]
    merged = tuple(size if rare is None else rare.size for size, rare in zip(sizes, within, strict=True))
    tree = calibrated(rng, merged, *random_shape(rng, len(sizes)), sparse=sparse)
    measured = [
        TreeMeasurement(marginal=clique, values=1000 * belief, variance=float(rng.random()), interaction=c % 2 == 1)
        for c, (clique, belief) in enumerate(zip(tree.cliques, tree.beliefs, strict=True))
    ]
    return TreeModel(domain, 1000, tree=tree, within=within, measurements=measured)


def tree_joint(model: TreeModel) -> np.ndarray:
    """P(all attributes), cell by cell: the cliques' beliefs over those of the separators, times the parts of leaves."""
    tree, result = model.tree, np.zeros([a.size for a in model.domain])
    for leaves in itertools.product(*(range(a.size) for a in model.domain)):
        codes = [
            leaf if rare is None else int(rare.codes[leaf]) for leaf, rare in zip(leaves, model.within, strict=True)
        ]
        p = prod(float(rare.shares[leaf]) for leaf, rare in zip(leaves, model.within, strict=True) if rare is not None)
        for clique, belief, shared in zip(tree.cliques, tree.beliefs, tree.separators, strict=True):
            at = tuple(codes[a] if a in shared else slice(None) for a in clique)
            below = float(belief[at].sum())
            p *= float(belief[tuple(codes[a] for a in clique)]) / below if below > 0 else 0.0
        result[leaves] = p
    return result
