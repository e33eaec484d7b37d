"""A marginal of a junction tree's model: elimination over merged values, then each axis as it was asked for.

Variable a of the tree is attribute a, its rare values merged. An axis that is asked for at a coarser level is grouped
before the table is made, as far as the level is a function of the merged values; merged values are spelt out after.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from understudy.models._inference import MAX_CELLS, Factor, Floats, Ints, Link, Problem, check_size
from understudy.models._posterior import widen
from understudy.models._tree_inference import Forest
from understudy.models._tree_values import Within
from understudy.schema import Axis, Domain, Marginal

_DENSE_CELLS = 1 << 20


@dataclass(frozen=True, eq=False)
class Reading:
    """How an axis is read off merged codes: first grouped by `groups`, if any, and afterwards spread out, if need be.

    Of merged code `merged[i]`, a part `parts[i]` goes to code `codes[i]` of the axis.
    """

    attribute: int
    size: int
    groups: Ints | None = None
    merged: Ints | None = None
    codes: Ints | None = None
    parts: Floats | None = None

    @classmethod
    def of(cls, axis: Axis, domain: Domain, within: Within | None) -> Reading:
        """For an axis of the table's own domain."""
        size, groups = domain.size(axis), domain[axis.attribute].groups_at(axis.level)
        if within is None:
            return cls(axis.attribute, size, groups=groups if axis.level else None)
        pairs, inverse = np.unique(within.codes * size + groups, return_inverse=True)
        merged, codes = np.divmod(pairs, size)
        if len(pairs) == within.size:  # no merged value is in two groups
            return cls(axis.attribute, size, groups=codes)
        parts = np.asarray(np.bincount(inverse.ravel(), weights=within.shares), dtype=np.float64)
        return cls(axis.attribute, size, merged=merged, codes=codes, parts=parts)

    @property
    def n_pairs(self) -> int:
        """Number of pairs of a merged code and a code of the axis that occur together."""
        return 0 if self.codes is None else len(self.codes)

    def dense(self, n_merged: int) -> Floats | None:
        """The parts as a table, if it makes the axis smaller and is small itself."""
        if self.parts is None or self.size >= n_merged or self.size * n_merged > _DENSE_CELLS:
            return None
        table = np.zeros((n_merged, self.size))
        table[self.merged, self.codes] = self.parts
        return table

    def spread(self, table: Floats, position: int) -> Floats:
        """The table with this axis as it was asked for."""
        if self.merged is None or self.codes is None or self.parts is None:
            return table
        moved = np.moveaxis(table, position, -1)[..., self.merged] * self.parts
        result = np.zeros((*moved.shape[:-1], self.size))
        order = np.argsort(self.codes, kind="stable")
        used, starts = np.unique(self.codes[order], return_index=True)
        result[..., used] = np.add.reduceat(moved[..., order], starts, axis=-1)
        return np.moveaxis(result, -1, position)


def tree_marginal(
    forest: Forest,
    marginal: Marginal,
    domain: Domain,
    within: Sequence[Within | None],
    *,
    allowed: Mapping[int, Ints],
    what: str,
    max_cells: int = MAX_CELLS,
) -> Floats:
    """The probabilities of a marginal over the table's own domain. `allowed` are the codes that evidence left."""
    check_size(marginal.n_cells(domain), what, max_cells)
    readings = [Reading.of(axis, domain, within[axis.attribute]) for axis in marginal.axes]
    part = forest.connecting(marginal.attributes)
    if len(part.beliefs) == 1:
        table, late = _read_off(part.beliefs[0], readings), readings
    else:
        table, late = _eliminated(part, readings, allowed, what, max_cells)
    for position, reading in enumerate(late):
        check_size(table.size // table.shape[position] * max(reading.size, reading.n_pairs), what, max_cells)
        table = reading.spread(table, position)
    return np.array(table)


def _read_off(belief: Factor, readings: Sequence[Reading]) -> Floats:
    """Of a single clique that has been summed down to what is read."""
    table = belief.values.transpose([belief.variables.index(reading.attribute) for reading in readings])
    for position, reading in enumerate(readings):
        if reading.groups is not None:
            grouped = np.zeros((reading.size, *np.delete(table.shape, position)))
            np.add.at(grouped, reading.groups, np.moveaxis(table, position, 0))
            table = np.moveaxis(grouped, 0, position)
    return table


def _eliminated(
    part: Forest, readings: Sequence[Reading], allowed: Mapping[int, Ints], what: str, max_cells: int
) -> tuple[Floats, list[Reading]]:
    """The table over several cliques, and what is left to do to each of its axes."""
    sizes = {v: size for b in part.beliefs for v, size in zip(b.variables, b.values.shape, strict=True)}
    keep, late, links = [], [], []
    factors = part.conditionals()
    for new, reading in enumerate(readings, start=max(sizes) + 1):
        dense = None if reading.groups is not None else reading.dense(sizes[reading.attribute])
        if reading.groups is None and dense is None:
            keep.append(reading.attribute)
            late.append(reading)
            continue
        sizes[new] = reading.size
        keep.append(new)
        late.append(Reading(new, reading.size))
        if dense is not None:
            factors.append(Factor((reading.attribute, new), dense))
        elif reading.groups is not None:
            links.append(Link(reading.attribute, new, reading.groups))
    whole = Problem(sizes, tuple(factors), tuple(links))
    problem, codes = whole.restricted({v: left for v, left in allowed.items() if v in sizes})
    values, _ = problem.marginal(keep, what=what, max_cells=max_cells)
    return widen(values, [codes.get(v) for v in keep], [sizes[v] for v in keep]), late
