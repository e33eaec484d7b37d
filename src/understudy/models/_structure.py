"""Bayesian networks: which attribute depends on which, at which level of generalisation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from understudy.schema import Axis, Domain, Marginal


@dataclass(frozen=True)
class Node:
    """One attribute and the axes it depends on. The child is always at its leaf level.

    >>> Node(2, (Axis(0), Axis(1, 1))).marginal
    Marginal(axes=(Axis(attribute=0, level=0), Axis(attribute=1, level=1), Axis(attribute=2, level=0)))
    """

    child: int
    parents: tuple[Axis, ...] = ()

    @property
    def marginal(self) -> Marginal:
        """The table this node's conditional comes from: its parents, then the child."""
        return Marginal((*self.parents, Axis(self.child)))


@dataclass(frozen=True)
class Network:
    """A directed acyclic graph over a domain: each attribute once, parents before children.

    >>> from understudy.schema import Attribute
    >>> domain = Domain((Attribute(name="sex", size=2), Attribute(name="age", size=16)))
    >>> network = Network(domain, (Node(1), Node(0, (Axis(1),))))
    >>> network.order, network.parents_of(0), network.degree
    ((1, 0), (Axis(attribute=1, level=0),), 1)
    """

    domain: Domain
    nodes: tuple[Node, ...]

    def __post_init__(self) -> None:
        seen: set[int] = set()
        for node in self.nodes:
            if node.child in seen or not 0 <= node.child < len(self.domain):
                raise ValueError(f"node for attribute {node.child}: each attribute of the domain has exactly one node")
            name = self.domain[node.child].name
            for axis in node.parents:
                if axis.attribute not in seen:
                    raise ValueError(f"node '{name}': parent {axis.attribute} must have its own node before it")
                if not 0 <= axis.level < self.domain[axis.attribute].n_levels:
                    raise ValueError(f"node '{name}': parent {axis.attribute} has no level {axis.level}")
            if len({axis.attribute for axis in node.parents}) != len(node.parents):
                raise ValueError(f"node '{name}': names a parent twice")
            seen.add(node.child)
        if len(seen) != len(self.domain):
            raise ValueError(f"a network needs one node for each of {len(self.domain)} attributes, got {len(seen)}")

    @property
    def order(self) -> tuple[int, ...]:
        """Attributes in the order of their nodes: parents first."""
        return tuple(node.child for node in self.nodes)

    @cached_property
    def positions(self) -> dict[int, int]:
        """Attribute → index of its node."""
        return {node.child: i for i, node in enumerate(self.nodes)}

    def parents_of(self, attribute: int) -> tuple[Axis, ...]:
        """What this attribute depends on."""
        return self.nodes[self.positions[attribute]].parents

    @property
    def degree(self) -> int:
        """Largest number of parents of any attribute."""
        return max((len(node.parents) for node in self.nodes), default=0)

    def shape(self, node: Node) -> tuple[int, ...]:
        """Shape of the node's conditional: parents' sizes, then the child's."""
        return node.marginal.shape(self.domain)

    def ancestors(self, attributes: frozenset[int]) -> frozenset[int]:
        """These attributes and all they depend on, directly or not.

        >>> from understudy.schema import Attribute
        >>> domain = Domain(tuple(Attribute(name=name, size=2) for name in "abc"))
        >>> sorted(Network(domain, (Node(0), Node(1), Node(2, (Axis(0),)))).ancestors(frozenset({2})))
        [0, 2]
        """
        found = set(attributes)
        for node in reversed(self.nodes):
            if node.child in found:
                found.update(axis.attribute for axis in node.parents)
        return frozenset(found)
