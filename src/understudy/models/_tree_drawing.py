"""A drawing of a junction tree's model: which attributes were seen to hang together, without directions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from understudy.models._drawing import Graph, draw_graph, information
from understudy.models._inference import Factor, Floats, Problem
from understudy.models._layout import Edge
from understudy.models._tree_inference import Forest, summed
from understudy.models._tree_model import TreeModel
from understudy.schema import Domain


def draw_tree(model: TreeModel, *, title: str = "") -> str:
    """The model's relations as an SVG picture: boxes, and a line for each pair of attributes measured together.

    A line is the thicker and darker the more the two tell of each other. Where it is not known what was measured, pairs
    that share a clique are drawn.

    >>> import numpy as np
    >>> from understudy.models import CliqueTree
    >>> from understudy.schema import Attribute, Domain
    >>> domain = Domain((Attribute(name="age", size=2), Attribute(name="income", size=2)))
    >>> tree = CliqueTree((2, 2), ((0, 1),), (-1,), (np.array([[0.4, 0.1], [0.1, 0.4]]),))
    >>> "age – income: 0.278 bits" in draw_tree(TreeModel(domain, 100, tree=tree), title="People")
    True
    """
    return _drawn(model.domain, relation_strengths(model), title)


def draw_relations(domain: Domain, tables: Mapping[Edge, Floats], *, title: str = "") -> str:
    """The same picture of any model that is not directed, from its tables of the pairs that are to be drawn.

    >>> import numpy as np
    >>> from understudy.schema import Attribute
    >>> domain = Domain((Attribute(name="age", size=2), Attribute(name="income", size=2)))
    >>> "age – income: 0.278 bits" in draw_relations(domain, {(0, 1): np.array([[0.4, 0.1], [0.1, 0.4]])})
    True
    """
    return _drawn(domain, {pair: information(table) for pair, table in tables.items()}, title)


def _drawn(domain: Domain, strengths: Mapping[Edge, float], title: str) -> str:
    order = _order(len(domain), strengths)
    place = {a: i for i, a in enumerate(order)}
    downwards = {(a, b) if place[a] < place[b] else (b, a): bits for (a, b), bits in strengths.items()}
    graph = Graph(domain=domain, order=order, strengths=downwards, levels={}, directed=False)
    return draw_graph(graph, title=title)


def relation_strengths(model: TreeModel) -> dict[Edge, float]:
    """Mutual information in bits of each pair of attributes that was measured, in the model, over merged values."""
    tables = [m.marginal for m in model.measurements] if model.measurements else model.tree.cliques
    pairs = sorted({pair for table in tables for pair in combinations(sorted(table), 2)})
    forest = Forest.of(model.tree)
    smallest: dict[Edge, Factor] = {}
    for belief in sorted(forest.beliefs, key=lambda belief: -belief.values.size):
        smallest |= dict.fromkeys(combinations(belief.variables, 2), belief)
    return {pair: information(_table(forest, pair, smallest.get(pair))) for pair in pairs}


def _table(forest: Forest, pair: Edge, held: Factor | None) -> Floats:
    if held is not None:
        return summed(held, pair)
    part = forest.connecting(pair)
    sizes = {v: size for b in part.beliefs for v, size in zip(b.variables, b.values.shape, strict=True)}
    return Problem(sizes, tuple(part.conditionals())).marginal(pair)[0]


def _order(n_attributes: int, strengths: Mapping[Edge, float]) -> Sequence[int]:
    """The attribute with the strongest relations first, then always the one most strongly tied to those before."""
    ties: list[dict[int, float]] = [{} for _ in range(n_attributes)]
    for (a, b), bits in strengths.items():
        ties[a][b] = ties[b][a] = bits
    waiting = sorted(range(n_attributes), key=lambda a: (-sum(ties[a].values()), a))
    pull = dict.fromkeys(waiting, -1.0)
    order: list[int] = []
    while waiting:
        chosen = max(waiting, key=lambda a: pull[a])  # of equals the first, which has the strongest relations
        waiting.remove(chosen)
        order.append(chosen)
        for b, bits in ties[chosen].items():
            pull[b] = max(pull[b], bits)
    return order
