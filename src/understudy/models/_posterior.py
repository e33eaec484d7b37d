"""From a network, a recoding and evidence to a product of tables that inference can work on.

Variable a of the problem is attribute a of the network's domain, at its leaf; coarser levels that are in use get
variables of their own, linked each to the next finer one in use. Evidence and queries speak of the source domain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import inf, prod
from typing import TypeAlias

import numpy as np

from understudy._core.errors import UserError
from understudy.models._beliefs import Beliefs
from understudy.models._inference import MAX_CELLS, Bucket, Factor, Floats, Ints, Link, Problem, check_size
from understudy.models._structure import Network
from understudy.schema import Axis, Domain, Marginal, Recoding, Zeros, regroup

Evidence: TypeAlias = Mapping[int, Floats]
Tables: TypeAlias = Mapping[int, Floats]

_DENSE_MAP_CELLS = 1 << 20
_REPLICATE = -1


class NoSuchRow(UserError):
    """A condition that no row keeps under the model."""


def refuse_impossible(domain: Domain, evidence: Evidence) -> NoSuchRow:
    """What to raise if evidence leaves no row."""
    return NoSuchRow(
        f"the evidence on {names(domain, evidence)} has probability 0 under the model: no synthetic row can look like "
        "that. Loosen it."
    )


def check_evidence(evidence: Evidence | None, domain: Domain) -> dict[int, Floats]:
    """Evidence as arrays, in attribute order, or a sentence about what is wrong with it."""
    checked = {}
    for attribute, weights in sorted((evidence or {}).items()):
        if not 0 <= attribute < len(domain):
            raise UserError(f"evidence on attribute {attribute}: the domain has attributes 0 to {len(domain) - 1}.")
        array = np.asarray(weights, dtype=np.float64)
        name, size = domain[attribute].name, domain[attribute].size
        if array.shape != (size,):
            raise UserError(f"evidence on '{name}': give one weight for each of its {size} codes, not {array.shape}.")
        if not np.isfinite(array).all() or (array < 0).any():
            raise UserError(f"evidence on '{name}': weights must be finite and not negative.")
        if not (array > 0).any():
            raise UserError(f"evidence on '{name}' allows no value at all. Give at least one code a positive weight.")
        checked[attribute] = array / array.max()
    return checked


@dataclass(frozen=True, eq=False)
class Posterior:
    """A network's joint distribution under evidence. `tables[a]` is the conditional of attribute a.

    With `replicates`, several networks of the same structure at once: tables and answers have a first axis for them.
    """

    network: Network
    tables: Tables
    recoding: Recoding
    evidence: Evidence
    replicates: int = 0
    zeros: tuple[Zeros, ...] = ()

    @cached_property
    def evidence_attributes(self) -> frozenset[int]:
        """Attributes of the network that the evidence touches, or what is known to be impossible."""
        touched = {*self.evidence, *(a for rule in self.zeros for a in rule.attributes)}
        return frozenset(piece for source in touched for piece in self.recoding.pieces[source])

    def marginal(self, marginal: Marginal, *, max_cells: int = MAX_CELLS) -> Floats:
        """The exact probabilities of a marginal over the source domain, given the evidence."""
        query = _Query.of(marginal, self.recoding)
        what = f"the marginal of {names(self.recoding.source, marginal.attributes)}{self._given()}"
        attributes = self.network.ancestors(self.evidence_attributes.union(query.attributes))
        whole, keep = self._problem(attributes, query)
        problem, codes = whole.restricted(self._allowed())
        if self.replicates:
            keep = (_REPLICATE, *keep)
        values, log_total = problem.marginal(keep, what=what, max_cells=max_cells)
        values = widen(values, [codes.get(v) for v in keep], [whole.sizes[v] for v in keep])
        if self.replicates:
            # a replicate that rules the evidence out has no answer: zero, and its error is then as large as can be
            return np.stack([query.finish(one / max(one.sum(), 1e-300)) for one in values])
        self._check_possible(log_total)
        return query.finish(values)

    def network_marginals(self, marginals: Sequence[Marginal]) -> list[Floats]:
        """The exact probabilities of marginals over the network's own domain, evidence left aside.

        All in one pass, but for marginals that no table of the elimination holds: those are asked for one by one.
        """
        domain = self.network.domain
        variables = _Variables(domain)
        keeps = [tuple(variables.of(axis) for axis in marginal.axes) for marginal in marginals]
        factors = self._factors(
            self.network.ancestors(frozenset(a for m in marginals for a in m.attributes)), variables
        )
        problem = Problem(variables.sizes, factors, variables.links())
        beliefs = Beliefs.of(problem)
        found = [beliefs.marginal(keep) for keep in keeps]
        return [
            self._network_marginal(m) if table is None else table for m, table in zip(marginals, found, strict=True)
        ]

    def _network_marginal(self, marginal: Marginal) -> Floats:
        variables = _Variables(self.network.domain)
        keep = tuple(variables.of(axis) for axis in marginal.axes)
        what = f"the marginal of {names(self.network.domain, marginal.attributes)}"
        factors = self._factors(self.network.ancestors(frozenset(marginal.attributes)), variables)
        return Problem(variables.sizes, factors, variables.links()).marginal(keep, what=what)[0]

    def buckets(self) -> tuple[frozenset[int], list[Bucket], dict[int, Ints]]:
        """The attributes whose distribution the evidence may change, and their buckets in order of elimination.

        Buckets speak of the codes that the evidence leaves; the last item says which those are, where not all.
        """
        attributes = self.network.ancestors(self.evidence_attributes)
        problem, codes = self._problem(attributes, _Query((), (), ()))[0].restricted(self._allowed())
        buckets, log_total = problem.buckets(what=f"sampling{self._given()}")
        self._check_possible(log_total)
        return attributes, buckets, codes

    def _problem(self, attributes: frozenset[int], query: _Query) -> tuple[Problem, tuple[int, ...]]:
        variables = _Variables(self.network.domain)
        keep: list[int] = []
        maps: list[Factor] = []
        for part in query.parts:
            if part.axis is not None:
                keep.append(variables.of(part.axis))
            elif part.groups is None:
                keep.extend(variables.of(Axis(piece)) for piece in part.pieces)
            else:
                shape = tuple(self.network.domain[piece].size for piece in part.pieces)
                new = variables.add(part.size, part.pieces[0] if len(part.pieces) == 1 else None, part.groups)
                keep.append(new)
                if len(part.pieces) > 1:
                    indicator = np.zeros((len(part.groups), part.size))
                    indicator[np.arange(len(part.groups)), part.groups] = 1.0
                    maps.append(Factor((*part.pieces, new), indicator.reshape(*shape, part.size)))
        factors = (*self._factors(attributes, variables), *maps, *self._evidence_factors())
        return Problem(variables.sizes, factors, variables.links()), tuple(keep)

    def _factors(self, attributes: frozenset[int], variables: _Variables) -> tuple[Factor, ...]:
        first = (_REPLICATE,) if self.replicates else ()
        if self.replicates:
            variables.sizes[_REPLICATE] = self.replicates
        return tuple(
            Factor((*first, *(variables.of(axis) for axis in node.marginal.axes)), self.tables[node.child])
            for node in self.network.nodes
            if node.child in attributes
        )

    def _evidence_factors(self) -> list[Factor]:
        factors = []
        for source, weights in self.evidence.items():
            pieces = self.recoding.pieces[source]
            shape = tuple(self.network.domain[piece].size for piece in pieces)
            factors.append(Factor(pieces, weights[np.array(self.recoding.back[source])].reshape(shape)))
        for rule in self.zeros:
            pieces = tuple(piece for a in rule.attributes for piece in self.recoding.pieces[a])
            backs = [np.array(self.recoding.back[a]) for a in rule.attributes]
            check_size(prod(map(len, backs)), f"what is declared of {names(self.recoding.source, rule.attributes)}")
            shape = tuple(self.network.domain[piece].size for piece in pieces)
            factors.append(Factor(pieces, rule.possible[np.ix_(*backs)].astype(np.float64).reshape(shape)))
        return factors

    def _allowed(self) -> dict[int, Ints]:
        """Codes that the evidence leaves, for attributes of the network that lose some."""
        allowed = {}
        for source, weights in self.evidence.items():
            pieces = self.recoding.pieces[source]
            shape = tuple(self.network.domain[piece].size for piece in pieces)
            patterns = np.flatnonzero(weights[np.array(self.recoding.back[source])])
            for piece, codes in zip(pieces, np.unravel_index(patterns, shape) if shape else (), strict=True):
                left = np.unique(codes)
                if len(left) < self.network.domain[piece].size:
                    allowed[piece] = left
        return allowed

    def _given(self) -> str:
        return f" given {names(self.recoding.source, self.evidence)}" if self.evidence else ""

    def _check_possible(self, log_total: float) -> None:
        if log_total == -inf:
            raise refuse_impossible(self.recoding.source, self.evidence)


def names(domain: Domain, attributes: Iterable[int]) -> str:
    """The attributes' names, for a sentence.

    >>> from understudy.schema import Attribute
    >>> names(Domain((Attribute(name="sex", size=2), Attribute(name="age", size=9))), [0, 1])
    "'sex', 'age'"
    """
    listed = [f"'{domain[a].name}'" for a in attributes]
    return ", ".join(listed[:8]) + (f" and {len(listed) - 8} more" if len(listed) > 8 else "") if listed else "nothing"


def widen(values: Floats, codes: Sequence[Ints | None], sizes: Sequence[int]) -> Floats:
    """Put a table over some codes back into one over all, with zeros."""
    for axis, (some, size) in enumerate(zip(codes, sizes, strict=True)):
        if some is not None:
            wide = np.zeros((*values.shape[:axis], size, *values.shape[axis + 1 :]))
            np.moveaxis(wide, axis, 0)[some] = np.moveaxis(values, axis, 0)
            values = wide
    return values


class _Variables:
    """Gives out variables for axes of the network's domain, and knows the links between levels."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self.sizes: dict[int, int] = {}
        self._levels: dict[int, dict[int, int]] = {}
        self._extra: list[Link] = []
        self._next = len(domain)

    def of(self, axis: Axis) -> int:
        levels = self._levels.setdefault(axis.attribute, {0: axis.attribute})
        self.sizes.setdefault(axis.attribute, self.domain[axis.attribute].size)
        if axis.level not in levels:
            levels[axis.level] = self._new(self.domain.size(axis))
        return levels[axis.level]

    def add(self, size: int, fine: int | None, groups: Ints) -> int:
        variable = self._new(size)
        if fine is not None:
            self._extra.append(Link(self.of(Axis(fine)), variable, groups))
        return variable

    def links(self) -> tuple[Link, ...]:
        links = list(self._extra)
        for attribute, levels in sorted(self._levels.items()):
            used = sorted(levels)
            for fine, coarse in pairwise(used):
                groups = regroup(self.domain, Axis(attribute, fine), Axis(attribute, coarse))
                links.append(Link(levels[fine], levels[coarse], groups))
        return tuple(links)

    def _new(self, size: int) -> int:
        variable, self._next = self._next, self._next + 1
        self.sizes[variable] = size
        return variable


@dataclass(frozen=True, eq=False)
class _Part:
    """One axis of a query.

    Answered by an axis of the network (`axis`); or by a new variable that groups the codes of its pieces (`groups`);
    or by the pieces themselves, merged at the end (`late`).
    """

    pieces: tuple[int, ...]
    size: int
    axis: Axis | None = None
    groups: Ints | None = None
    late: Ints | None = None


@dataclass(frozen=True, eq=False)
class _Query:
    parts: tuple[_Part, ...]
    shape: tuple[int, ...]
    attributes: tuple[int, ...]

    @classmethod
    def of(cls, marginal: Marginal, recoding: Recoding) -> _Query:
        parts = tuple(_part(axis, recoding) for axis in marginal.axes)
        return cls(parts, marginal.shape(recoding.source), tuple(p for part in parts for p in part.pieces))

    def finish(self, values: Floats) -> Floats:
        """Merge the axes of pieces that were kept into their source attribute."""
        lengths = [part.size if part.late is None else len(part.late) for part in self.parts]
        values = values.reshape(lengths)
        for position, part in enumerate(self.parts):
            if part.late is not None:
                merged = np.zeros((part.size, *np.delete(values.shape, position)))
                np.add.at(merged, part.late, np.moveaxis(values, position, 0))
                values = np.moveaxis(merged, 0, position)
        return np.array(values)


def _part(axis: Axis, recoding: Recoding) -> _Part:
    source, pieces = recoding.source[axis.attribute], recoding.pieces[axis.attribute]
    back = np.array(recoding.back[axis.attribute], dtype=np.int64)
    size = source.size_at(axis.level)
    if len(pieces) == 1 and np.array_equal(back, np.arange(source.size)):
        target = recoding.target[pieces[0]]
        if axis.level == 0 or target.coarser == source.coarser:
            return _Part(pieces, size, axis=Axis(pieces[0], axis.level))
    groups = source.groups_at(axis.level)[back]
    if len(pieces) == 1 or (axis.level > 0 and prod((len(groups), size)) <= _DENSE_MAP_CELLS):
        return _Part(pieces, size, groups=groups)
    return _Part(pieces, size, late=groups)
