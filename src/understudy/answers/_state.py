"""A distribution over all possible rows that is never written out: a product of small tables.

It starts uniform, or as the distribution of a network, and is multiplied by the exponential of potentials, tables over
some attributes each. Marginals of it are computed by elimination; what would need a table beyond a bound is refused
beforehand. At the end it is turned into a Bayesian network that has the same distribution.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from understudy._core.errors import UserError
from understudy._core.randomness import Streams
from understudy.models import Beliefs, Factor, Network, NetworkModel, Node, Problem, Scopes, find_order
from understudy.schema import Axis, Domain, recode

Floats: TypeAlias = npt.NDArray[np.float64]
Attributes: TypeAlias = tuple[int, ...]

MOST_CELLS = 1 << 22
"""Cells of the largest table that inference may need. Some sixteen such tables live at once: half a GiB."""
QUICK_CELLS = 1 << 17
"""The same where a distribution is fitted to many measurements, and so read a thousand times: some 10 ms each."""


_DRAWN = 1 << 20


class State:
    """A distribution over a domain as a product of tables: those it starts with, and exp of potentials.

    >>> from understudy.schema import Attribute
    >>> domain = Domain((Attribute(name="a", size=2), Attribute(name="b", size=2)))
    >>> state = State(domain).moved({(0,): np.log(np.array([1.0, 3.0]))})
    >>> [table.tolist() for table in state.read([(0,), (1, 0)])]
    [[0.25, 0.75], [[0.125, 0.375], [0.125, 0.375]]]
    """

    def __init__(
        self,
        domain: Domain,
        *,
        start: Sequence[Factor] = (),
        potentials: Mapping[Attributes, Floats] | None = None,
        most_cells: int = MOST_CELLS,
    ) -> None:
        self.domain, self.most_cells = domain, most_cells
        self._start, self._potentials = tuple(start), dict(potentials or {})

    @property
    def scopes(self) -> set[Attributes]:
        """The sets of attributes that some table holds."""
        return {factor.variables for factor in self._start} | set(self._potentials)

    @property
    def touched(self) -> frozenset[int]:
        """Attributes of which anything is known; all others are uniform and on their own."""
        return frozenset(a for scope in self.scopes for a in scope)

    def fits(self, more: Iterable[Attributes], *, most_cells: int | None = None) -> bool:
        """Whether potentials over these attributes, too, would keep all tables of inference within the bound.

        `most_cells` is a smaller bound, where a distribution is to be read many times.
        """
        wanted = {tuple(sorted(scope)) for scope in more}
        sizes = {a: attribute.size for a, attribute in enumerate(self.domain)}
        most = self.most_cells if most_cells is None else min(most_cells, self.most_cells)
        if any(prod(sizes[a] for a in scope) > most for scope in wanted):
            return False
        scopes = sorted(self.scopes | wanted)

        def make() -> Scopes:
            found = Scopes(sizes)
            for scope in scopes:
                found.add(frozenset(a for a in scope if sizes[a] > 1))
            return found

        variables = {a for scope in scopes for a in scope if sizes[a] > 1}
        return find_order(make, frozenset(), variables).largest <= most

    def moved(self, steps: Mapping[Attributes, Floats]) -> State:
        """The distribution multiplied by exp of these tables and rescaled."""
        potentials = dict(self._potentials)
        for scope, step in steps.items():
            total = potentials[scope] + step if scope in potentials else step
            potentials[scope] = total - total.max()
        return State(self.domain, start=self._start, potentials=potentials, most_cells=self.most_cells)

    def read(self, wanted: Sequence[Attributes]) -> list[Floats]:
        """The probabilities of tables over these attributes, axes in the order given.

        Those that some table of the elimination holds come out of one pass; others are asked for one by one, and where
        even that needs tables beyond the bound they are counted from a million drawn rows.
        """
        problem = self._problem()
        beliefs = Beliefs.of(problem) if problem.sizes else None
        return [self._read_one(problem, beliefs, scope) for scope in wanted]

    def to_model(self, n: int) -> NetworkModel:
        """The same distribution as a Bayesian network: each attribute given those summed out after it.

        >>> from understudy.schema import Attribute, Marginal
        >>> domain = Domain((Attribute(name="a", size=2), Attribute(name="b", size=2)))
        >>> model = State(domain).moved({(0, 1): np.log([[1.0, 1.0], [1.0, 3.0]])}).to_model(10)
        >>> model.marginal(Marginal.of(0, 1)).probabilities.round(3).tolist()
        [[0.167, 0.167], [0.167, 0.5]]
        """
        problem, nodes, tables = self._problem(), [], []
        beliefs = Beliefs.of(problem) if problem.sizes else None
        held: set[int] = set()
        for bucket in reversed(beliefs.buckets if beliefs is not None else ()):
            joint = beliefs.joints[bucket.variable]  # type: ignore[union-attr]
            nodes.append(Node(bucket.variable, tuple(Axis(a) for a in joint.variables[:-1])))
            tables.append(_given_others(joint.values))
            held.add(bucket.variable)
        for a, attribute in enumerate(self.domain):
            if a not in held:
                nodes.append(Node(a))
                tables.append(np.full(attribute.size, 1 / attribute.size))
        return NetworkModel(Network(self.domain, tuple(nodes)), tables, recode(self.domain, "hierarchical"), (), n)

    def _problem(self) -> Problem:
        factors = [*self._start, *(Factor(scope, np.exp(table)) for scope, table in sorted(self._potentials.items()))]
        return Problem({a: self.domain[a].size for a in sorted(self.touched)}, tuple(factors))

    def _read_one(self, problem: Problem, beliefs: Beliefs | None, scope: Attributes) -> Floats:
        known = tuple(a for a in scope if a in problem.sizes)
        found = None if beliefs is None else beliefs.marginal(known)
        if found is None:
            try:
                found = problem.marginal(known, max_cells=8 * self.most_cells)[0] if known else np.ones(())
            except UserError:
                found = self._drawn(known)
        shape = [self.domain[a].size if a in problem.sizes else 1 for a in scope]
        whole = tuple(self.domain[a].size for a in scope)
        spread = prod(whole) // prod(shape)
        return np.broadcast_to(found.reshape(shape) / spread, whole)

    def _drawn(self, scope: Attributes) -> Floats:
        columns = next(self.to_model(1).sample_codes(_DRAWN, streams=Streams(0), batch_rows=_DRAWN))
        shape = tuple(self.domain[a].size for a in scope)
        places = np.ravel_multi_index(tuple(columns[a].astype(np.int64) for a in scope), shape)
        return np.bincount(places, minlength=prod(shape)).reshape(shape) / _DRAWN


def _given_others(joint: Floats) -> Floats:
    """A joint table as distributions of its last axis; uniform where nothing is possible."""
    totals = joint.sum(axis=-1, keepdims=True)
    safe = np.where(totals > 0, totals, 1.0)
    return np.where(totals > 0, joint / safe, 1 / joint.shape[-1])


def start_of(model: NetworkModel, *, most_cells: int = MOST_CELLS) -> list[Factor] | None:
    """The tables of a network, with coarse parents spelt out in leaf codes; None if that would not fit the bound.

    Only for networks over the table's own attributes: those over bits of them have no such tables.
    """
    domain, recoding = model.network.domain, model.recoding
    own = zip(recoding.source, recoding.pieces, recoding.back, strict=True)
    if any(pieces != (a,) or tuple(back) != tuple(range(one.size)) for a, (one, pieces, back) in enumerate(own)):
        return None
    found = []
    for node, table in zip(model.network.nodes, model.conditionals, strict=True):
        values = np.asarray(table)
        if prod(domain[axis.attribute].size for axis in node.marginal.axes) > most_cells:
            return None
        for position, axis in enumerate(node.parents):
            values = values.take(domain[axis.attribute].groups_at(axis.level), axis=position)
        found.append(Factor(node.marginal.attributes, values))
    return found
