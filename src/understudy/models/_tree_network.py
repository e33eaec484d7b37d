"""A junction tree read as a Bayesian network with the same distribution, for tools that know networks.

Clique by clique from the roots down, each attribute that is new depends on what the clique shares with its parent and
on the new ones before it. Merged values become a level: a child sees its parents merged, and is spelt out itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import overload

from understudy._core.errors import UserError
from understudy.models._inference import Factor, Floats
from understudy.models._structure import Network, Node
from understudy.models._tree_inference import given_separator, summed
from understudy.models._tree_values import CliqueTree, Within
from understudy.schema import Attribute, Axis, Domain, Level, Part, Recoding

MOST_CELLS = 1 << 24
"""Cells of the largest table that a network is given: 128 MiB, and far more as text."""


@dataclass(frozen=True, eq=False)
class TreeNetwork:
    """The network of a tree: its structure at once, its tables one by one when they are asked for.

    >>> import numpy as np
    >>> domain = Domain((Attribute(name="sex", size=2), Attribute(name="drug", size=3)))
    >>> rare = Within(np.array([0, 1, 1]), np.array([1.0, 0.5, 0.5]))
    >>> tree = CliqueTree((2, 2), ((0, 1),), (-1,), (np.array([[0.4, 0.1], [0.1, 0.4]]),))
    >>> view = TreeNetwork(domain, tree, (None, rare))
    >>> view.network.nodes
    (Node(child=1, parents=()), Node(child=0, parents=(Axis(attribute=1, level=1),)))
    >>> view.conditionals[0].tolist()
    [0.5, 0.25, 0.25]
    """

    domain: Domain
    tree: CliqueTree
    within: Sequence[Within | None]

    @cached_property
    def recoding(self) -> Recoding:
        """Codes stay as they are; merged values are a level of their attribute, the only one."""
        same = tuple(tuple(range(attribute.size)) for attribute in self.domain)
        target = tuple(
            Attribute(
                name=attribute.name,
                size=attribute.size,
                coarser=() if rare is None else (Level(groups=tuple(rare.codes.tolist())),),
                sensitivity=attribute.sensitivity,
                weights=attribute.weights,
            )
            for attribute, rare in zip(self.domain, self.within, strict=True)
        )
        return Recoding(
            source=self.domain,
            target=Domain(target),
            parts=tuple(Part(source=a, lookup=codes) for a, codes in enumerate(same)),
            pieces=tuple((a,) for a in range(len(self.domain))),
            back=same,
        )

    @cached_property
    def network(self) -> Network:
        """Which attribute depends on which."""
        nodes = []
        for _, family in self._families:
            parents = tuple(Axis(a, int(self.within[a] is not None)) for a in family[:-1])
            nodes.append(Node(family[-1], parents))
        return Network(self.recoding.target, tuple(nodes))

    @cached_property
    def conditionals(self) -> Sequence[Floats]:
        """One table per node, one axis per parent, then the child."""
        return _Tables(self, len(self._families))

    def families(self) -> list[Floats]:
        """The joint distribution of each node's parents and itself."""
        return [self._spelt_out(self._joint(i), i) for i in range(len(self._families))]

    def conditional(self, node: int) -> Floats:
        """The table of one node."""
        joint = self._joint(node)
        variables = tuple(range(joint.ndim))
        given = given_separator(Factor(variables, joint), variables[:-1]).values
        return self._spelt_out(given, node)

    @cached_property
    def _families(self) -> list[tuple[int, tuple[int, ...]]]:
        """For each node, the clique that holds it, and its attributes: parents first, itself last."""
        found = []
        for c, (clique, shared) in enumerate(zip(self.tree.cliques, self.tree.separators, strict=True)):
            # those that grow most when spelt out come first, where they have the fewest parents
            new = sorted((a for a in clique if a not in shared), key=lambda a: (-self._growth(a), a))
            found += [(c, (*shared, *new[: i + 1])) for i in range(len(new))]
        return found

    def _growth(self, attribute: int) -> float:
        return self.domain[attribute].size / self.tree.sizes[attribute]

    def _joint(self, node: int) -> Floats:
        """The distribution of a node's parents and itself over merged values."""
        c, family = self._families[node]
        clique = self.tree.cliques[c]
        kept = [a for a in clique if a in family]
        table = summed(Factor(clique, self.tree.beliefs[c]), kept)
        return table.transpose([kept.index(a) for a in family])

    def _spelt_out(self, table: Floats, node: int) -> Floats:
        child = self._families[node][1][-1]
        rare = self.within[child]
        if rare is None:
            return table
        cells = prod(table.shape[:-1]) * len(rare.codes)
        if cells > MOST_CELLS:
            name = self.domain[child].name
            raise UserError(
                f"as a network, '{name}' needs a table of {cells:,} cells, more than the {MOST_CELLS:,} that are "
                "allowed. Ask the model itself, or sample rows from it."
            )
        return table[..., rare.codes] * rare.shares


class _Tables(Sequence[Floats]):
    """The conditionals of a network, each made when it is asked for."""

    def __init__(self, view: TreeNetwork, length: int) -> None:
        self._view, self._length = view, length

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Floats: ...
    @overload
    def __getitem__(self, index: slice) -> list[Floats]: ...
    def __getitem__(self, index: int | slice) -> Floats | list[Floats]:
        if isinstance(index, slice):
            return [self._view.conditional(i) for i in range(self._length)[index]]
        return self._view.conditional(range(self._length)[index])
